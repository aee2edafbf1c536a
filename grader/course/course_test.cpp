// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "base/hash.h"
#include "course/check_course.h"
#include "course/untouched.h"

namespace warpgrade {
namespace {

using Ids = std::vector<std::string>;

TEST(IsUntouched, IgnoresLineEndsAndBlanksBehindLines) {
  const std::string stamp = sha256_hex("int a;\n\nint b;\n") + "  a.cu\n";
  EXPECT_TRUE(is_untouched("int a;\n\nint b;\n", stamp));
  EXPECT_TRUE(is_untouched("int a; \r\n \r\nint b;\t\r\n", stamp));
  EXPECT_FALSE(is_untouched("int a;\n\nint c;\n", stamp));
}

TEST(ParseLoses, TakesIdsAndLeavesComments) {
  EXPECT_EQ(parse_loses("# why\nproduct\n\n  edges  # too\n"), (Ids{"product", "edges"}));
  EXPECT_EQ(parse_loses(""), Ids{});
}

TEST(CompareLosses, SaysWhatWasLostTooMuchAndTooLittle) {
  EXPECT_EQ(compare_losses({"a", "b"}, {"b", "a"}), "");
  EXPECT_EQ(compare_losses({"a", "b"}, {"b", "c"}), "loses a; does not lose c");
}

TEST(FormatCourse, ShowsEveryRow) {
  const std::vector<CourseRow> rows = {{"(reference)", 100, 100, {}, {}, ""},
                                       {"anna", 90, 100, {"a"}, {}, "loses a"}};
  EXPECT_EQ(format_course("matmul", rows),
            "(reference)    100 of 100  as it should\n"
            "anna            90 of 100  WRONG: loses a\n"
            "matmul: 2 submissions, 1 not as it should be\n");
}

}  // namespace
}  // namespace warpgrade
