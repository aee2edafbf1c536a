// SPDX-License-Identifier: MIT
#include "report/charts/plot_text.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

TEST(PlotText, DrawsEachLineByItsNumberAndSaysWhatTheNumbersStandFor) {
  const DrawnPlot plot{"time",
                       "n",
                       {{"void slow<32>(float*)", false, {{0, 0}, {50, 30}, {100, 60}}},
                        {"naive", true, {{0, 0}, {100, 20}}}}};
  EXPECT_EQ(format_plots({plot}, 55),
            "Modelled time in ms against n\n"
            "  60 +                                        1\n"
            "     |\n"
            "     |\n"
            "     |\n"
            "  40 +\n"
            "     |\n"
            "     |                    1\n"
            "     |\n"
            "  20 +                                        2\n"
            "     |\n"
            "     |\n"
            "     |\n"
            "   0 +*\n"
            "     +-----------------------------------------\n"
            "      0      20      40      60      80     100\n"
            "  1  slow<32>\n"
            "  2  the course's naive\n");
}

TEST(PlotText, IsNothingWhereNothingIsPlotted) {
  EXPECT_EQ(format_plots({}, 80), "");
  EXPECT_EQ(format_plots({{"time", "n", {}}}, 80), "");
}

}  // namespace
}  // namespace warpgrade
