// SPDX-License-Identifier: MIT
// The same answer graded again and again, on a GPU whose disturbances are known.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "check/measured_speed.h"
#include "observe/timing/virtual_gpu.h"

namespace warpgrade {
namespace {

constexpr int kGradings = 10;

/// All of 20 points for four times the baseline's speed: half a point for 3.5 % of speed.
Item speedup_worth(double points = 20, double full_at = 4) {
  Item item;
  item.kind = ItemKind::kPerformance;
  item.points = points;
  item.metric = Metric{"device", "speedup", {}, {}, "naive", {}};
  item.curve = Curve{Interpolation::kLog, {{1, 0}, {full_at, 1}}};
  return item;
}

struct Grading {
  double points = 0;
  bool undecided = false;
  bool again = false;
  double seconds = 0;
};

Grading grade(const Item& item, double speedup, const Noise& noise, uint64_t seed) {
  constexpr double kStudentMs = 0.25;
  VirtualGpu gpu(noise, seed);
  VirtualProgram student(gpu, kStudentMs), baseline(gpu, kStudentMs * speedup);
  Measured measured;
  const auto judge = [&](const TimedCase& timed) {
    measured.timed = timed;
    return judge_measured(item, measured);
  };
  const TimedCase timed =
      time_case({}, {{kStudentProgram, student}, {"naive", baseline}}, {{"device", "naive"}}, gpu,
                gpu, [&](const TimedCase& so_far) { return !judge(so_far).undecided; });
  const Judgement judgement = judge(timed);
  return {judgement.fraction * item.points, judgement.undecided, timed.again, timed.seconds};
}

/// The speedup that lies this far from the lower to the upper boundary of the cell of `points`, which
/// are what is rounded to them.
double speedup_in_cell(const Item& item, double points, double along) {
  const double exact = points + (along - 0.5) / 2;
  return std::pow(item.curve->points.back().x, exact / item.points);
}

struct Repeated {
  int same = 0;  ///< gradings that gave the points that most of them gave
  double most = 0, least = 0;
  int undecided = 0, again = 0;
  double seconds = 0, longest_s = 0;
};

Repeated grade_repeatedly(const Item& item, double speedup, const Noise& noise, uint64_t seed) {
  Repeated all;
  all.least = item.points;
  std::map<double, int> counts;
  for (int i = 0; i < kGradings; ++i) {
    const Grading grading = grade(item, speedup, noise, seed + 10 * static_cast<uint64_t>(i));
    all.same = std::max(all.same, ++counts[grading.points]);
    all.most = std::max(all.most, grading.points);
    all.least = std::min(all.least, grading.points);
    all.undecided += grading.undecided;
    all.again += grading.again;
    all.seconds += grading.seconds;
    all.longest_s = std::max(all.longest_s, grading.seconds);
  }
  return all;
}

Noise calm() {
  Noise noise;
  noise.between = 0.002;
  return noise;
}

Noise rough() {
  Noise noise;
  noise.between = 0.005;
  noise.within = 0.01;
  noise.drift = 0.02;
  noise.first = 2;
  return noise;
}

TEST(RepeatedGrading, GivesTheSamePointsTenTimesAwayFromTheUpperBoundary) {
  const Item item = speedup_worth();
  for (const double along : {0.2, 0.35, 0.5, 0.6}) {
    for (const double points : {5.0, 12.5}) {
      const double speedup = speedup_in_cell(item, points, along);
      const Repeated on_calm = grade_repeatedly(item, speedup, calm(), 7);
      EXPECT_EQ(on_calm.same, kGradings) << points << " and " << along;
      EXPECT_EQ(on_calm.most, points) << along;
      const Repeated on_rough = grade_repeatedly(item, speedup, rough(), 7);
      EXPECT_EQ(on_rough.same, kGradings) << points << " and " << along;
      EXPECT_EQ(on_rough.most, points) << along;
    }
  }
}

TEST(RepeatedGrading, GivesFullMarksAndNothingEveryTime) {
  for (const Noise& noise : {calm(), rough()}) {
    EXPECT_EQ(grade_repeatedly(speedup_worth(), 4.2, noise, 1).least, 20);
    EXPECT_EQ(grade_repeatedly(speedup_worth(), 0.97, noise, 1).most, 0);
  }
}

TEST(RepeatedGrading, VariesByHalfAPointBelowABoundaryAndInTheStudentsFavour) {
  const Item item = speedup_worth();
  int undecided = 0, differing = 0;
  for (const double along : {0.9, 0.95}) {
    for (const Noise& noise : {calm(), rough()}) {
      const Repeated all = grade_repeatedly(item, speedup_in_cell(item, 5, along), noise, 11);
      EXPECT_GE(all.least, 5);
      EXPECT_LE(all.most, 5.5);
      undecided += all.undecided;
      differing += all.same < kGradings;
    }
  }
  EXPECT_GT(undecided, 0);
  EXPECT_GT(differing, 0) << "near enough to a boundary no measurement can be always the same";
}

TEST(RepeatedGrading, TellsHowManyAnswersItGivesTheSamePointsAndKeepsItsTime) {
  const TimingPlan plan;
  struct Curves {
    const char* half_point;
    Item item;
  };
  for (const auto& [half_point, item] :
       {Curves{"3.5 %", speedup_worth()}, Curves{"1.1 %", speedup_worth(12, 1.3)}}) {
    constexpr int kAnswers = 20;
    int same = 0, undecided = 0, again = 0;
    double seconds = 0, longest_s = 0;
    for (int i = 0; i < kAnswers; ++i) {
      // Spread evenly, and no two at the same distance from a boundary.
      const double along = std::fmod(0.1 + 0.6180339887 * i, 1.0);
      const double speedup = std::pow(item.curve->points.back().x, along);
      const Repeated all = grade_repeatedly(item, speedup, calm(), 100 * static_cast<uint64_t>(i));
      same += all.same == kGradings;
      undecided += all.undecided;
      again += all.again;
      seconds += all.seconds / kGradings / kAnswers;
      longest_s = std::max(longest_s, all.longest_s);
      EXPECT_LE(all.most - all.least, 0.5);
    }
    fmt::print(
        "half a point for {} of speed: {} of {} answers got the same points in {} gradings; of the "
        "gradings {:.0f} % measured again, {:.0f} % stayed undecided; {:.1f} s, at most {:.1f} s\n",
        half_point, same, kAnswers, kGradings, 100.0 * again / kGradings / kAnswers,
        100.0 * undecided / kGradings / kAnswers, seconds, longest_s);
    EXPECT_LE(longest_s, plan.cap_s + plan.cap_again_s);
    if (item.points == 20) {
      EXPECT_GE(same, 16);
    }
  }
}

}  // namespace
}  // namespace warpgrade
