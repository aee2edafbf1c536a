// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace warpgrade::harness {

/// Questions to a function that says yes or no. Each grading asks them in another order, so that a program cannot
/// hold a list of answers.
class Questions {
 public:
  /// `key`: bytes of an input, which other seeds make otherwise.
  template <class T>
  explicit Questions(const std::vector<T>& key)
      : random_(std::hash<std::string>()(
            {reinterpret_cast<const char*>(key.data()), key.size() * sizeof(T)})) {}

  void add(std::function<bool()> question) { questions_.push_back(std::move(question)); }

  /// 1 for yes and 0 for no, in the order in which the questions were added.
  std::vector<int32_t> ask() {
    std::vector<size_t> order(questions_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    for (size_t left = order.size(); left > 1; --left)
      std::swap(order[left - 1], order[random_() % left]);
    std::vector<int32_t> answers(questions_.size());
    for (const size_t index : order) answers[index] = questions_[index]() ? 1 : 0;
    return answers;
  }

 private:
  std::mt19937_64 random_;
  std::vector<std::function<bool()>> questions_;
};

}  // namespace warpgrade::harness
