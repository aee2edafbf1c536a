// SPDX-License-Identifier: MIT
#include "report/class_statistics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace warpgrade {
namespace {

constexpr size_t kBins = 10;

/// Points of the item, and of all others, of each student who is graded.
struct Pairs {
  std::vector<double> item, rest;
};

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

std::optional<double> correlation(const Pairs& pairs) {
  if (pairs.item.empty()) return std::nullopt;
  const double item_mean = mean(pairs.item), rest_mean = mean(pairs.rest);
  double both = 0, item = 0, rest = 0;
  for (size_t i = 0; i < pairs.item.size(); ++i) {
    const double a = pairs.item[i] - item_mean, b = pairs.rest[i] - rest_mean;
    both += a * b;
    item += a * a;
    rest += b * b;
  }
  constexpr double kNothing = 1e-9;
  if (item < kNothing || rest < kNothing) return std::nullopt;
  return both / std::sqrt(item * rest);
}

void count(Outcome status, ItemStatistics& statistics) {
  switch (status) {
    case Outcome::kPassed:
      ++statistics.passed;
      break;
    case Outcome::kPartial:
      ++statistics.partial;
      break;
    case Outcome::kPending:
      ++statistics.waiting;
      break;
    case Outcome::kFailed:
      ++statistics.failed;
      break;
    case Outcome::kSystemError:
      ++statistics.not_judged;
      break;
  }
}

/// The fault and its students.
using GroupKey = std::tuple<ItemFault, std::vector<size_t>>;

struct Lost {
  std::string example;
  std::vector<size_t> students;
};

/// For each item the faults that cost it.
std::map<std::string, std::map<ItemFault, Lost>> losses_by_item(
    const std::vector<SubmissionResult>& results) {
  std::map<std::string, std::map<ItemFault, Lost>> by_item;
  for (size_t i = 0; i < results.size(); ++i) {
    for (const ItemResult& item : results[i].items) {
      const ItemResult& judged = judged_item(results[i], item);
      const std::optional<ItemFault> fault = fault_of(judged);
      if (!fault) continue;
      Lost& lost = by_item[item.id][*fault];
      if (lost.students.empty()) lost.example = judged.message.substr(0, judged.message.find('\n'));
      lost.students.push_back(i);
    }
  }
  return by_item;
}

}  // namespace

std::vector<ItemStatistics> item_statistics(const std::vector<SubmissionResult>& results) {
  std::vector<ItemStatistics> all;
  std::map<std::string, size_t> places;
  std::vector<Pairs> pairs;
  for (const SubmissionResult& result : results) {
    const bool is_graded = !result.has_system_error();
    for (const ItemResult& item : result.items) {
      const auto [place, is_new] = places.emplace(item.id, all.size());
      if (is_new) {
        all.push_back({item.id, item.title, item.max_points});
        pairs.emplace_back();
      }
      count(item.status, all[place->second]);
      if (!is_graded || item.status == Outcome::kPending) continue;
      pairs[place->second].item.push_back(item.points);
      pairs[place->second].rest.push_back(result.undiminished_score() - item.points);
    }
  }
  for (size_t i = 0; i < all.size(); ++i) {
    ItemStatistics& item = all[i];
    const long judged = item.passed + item.partial + item.failed;
    if (judged > 0) item.pass_rate = static_cast<double>(item.passed) / static_cast<double>(judged);
    item.discrimination = correlation(pairs[i]);
  }
  return all;
}

std::vector<FailureGroup> failure_groups(const std::vector<SubmissionResult>& results) {
  std::map<GroupKey, FailureGroup> groups;
  for (const auto& [item, faults] : losses_by_item(results)) {
    for (const auto& [fault, lost] : faults) {
      if (lost.students.size() < 2) continue;
      FailureGroup& group = groups[{fault, lost.students}];
      if (group.items.empty()) group = {{}, fault, lost.example, lost.students};
      group.items.push_back(item);
    }
  }
  std::vector<FailureGroup> all;
  for (auto& [key, group] : groups) all.push_back(std::move(group));
  std::stable_sort(all.begin(), all.end(), [](const FailureGroup& a, const FailureGroup& b) {
    return a.students.size() > b.students.size();
  });
  return all;
}

std::vector<long> score_distribution(const std::vector<SubmissionResult>& results) {
  std::vector<long> bins(kBins, 0);
  for (const SubmissionResult& result : results) {
    if (result.has_system_error() || result.max_score <= 0) continue;
    const double part = std::clamp(result.score / result.max_score, 0.0, 1.0);
    ++bins[std::min(static_cast<size_t>(part * kBins), kBins - 1)];
  }
  return bins;
}

}  // namespace warpgrade
