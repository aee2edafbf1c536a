// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace warpgrade::harness {

/// Questions to a function that says yes or no. Each run asks them in another order, which follows from nothing that
/// the program could read, so that it cannot hold a list of answers.
class Questions {
 public:
  void add(std::function<bool()> question) { questions_.push_back(std::move(question)); }

  /// 1 for yes and 0 for no, in the order in which the questions were added.
  std::vector<int32_t> ask() {
    std::vector<size_t> order(questions_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::random_device random;
    for (size_t left = order.size(); left > 1; --left)
      std::swap(order[left - 1], order[random() % left]);
    std::vector<int32_t> answers(questions_.size());
    for (const size_t index : order) answers[index] = questions_[index]() ? 1 : 0;
    return answers;
  }

 private:
  std::vector<std::function<bool()>> questions_;
};

}  // namespace warpgrade::harness
