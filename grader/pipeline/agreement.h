// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "report/result.h"
#include "score/score.h"

namespace warpgrade {

/// The numbers that the performance items' curves were asked for, on both devices.
std::vector<Speed> speeds_of(const Rubric& rubric, const std::vector<CaseVerdict>& emulated,
                             const std::vector<CaseVerdict>& gpu);

/// The verdicts on a program that ran on both devices, and where these did not say the same.
struct Agreed {
  std::vector<CaseVerdict> verdicts;
  std::vector<Disagreement> disagreements;
  Compared compared;
};

/// Correctness must hold on both. What a GPU can only partly see, requirements and efficiency, is
/// for the emulated device to say; speed is for the GPU, where it says anything about the item.
Agreed agree(const Rubric& rubric, const std::vector<CaseVerdict>& emulated,
             const std::vector<CaseVerdict>& gpu, const std::string& gpu_name);

}  // namespace warpgrade
