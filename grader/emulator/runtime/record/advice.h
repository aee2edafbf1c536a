// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "emulator/runtime/record/metrics.h"

namespace warpgrade::emulator {

/// What the launches of a program did, added up for each kernel.
class Profile {
 public:
  struct Kernel {
    uint64_t launches = 0;
    double ms = 0;     ///< of all launches, modelled
    MetricsRow worst;  ///< the longest launch, without its lines
    std::map<std::pair<std::string, int>, std::map<std::string, double>> lines;
  };

  void add(const MetricsRow& row);
  const std::map<std::string, Kernel>& kernels() const { return kernels_; }
  double ms() const { return ms_; }

 private:
  std::map<std::string, Kernel> kernels_;
  double ms_ = 0;
};

/// One thing that costs time: where, how bad it is against the ideal, and what to change.
struct Advice {
  double weight = 0;  ///< about the share of all modelled time that it touches
  std::string where, what, change;
  bool is_of_shape =
      false;  ///< of grid and block, not of a line: the weightiest such advice is enough
};

constexpr size_t kMostAdvice = 5;

/// The weightiest first, at most kMostAdvice.
std::vector<Advice> advise(const Profile& profile);

/// As text for a terminal; empty where there is none.
std::string in_words(const std::vector<Advice>& advice);

}  // namespace warpgrade::emulator
