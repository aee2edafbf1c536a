// SPDX-License-Identifier: MIT
#include "commands/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "report/layout.h"

namespace warpgrade {
namespace {

constexpr std::chrono::seconds kBetweenLines{10}, kQuiet{30}, kLookEvery{1};
constexpr size_t kLinesAtMost = 10;
constexpr size_t kRecent = 32;  // what was up to date comes first and says nothing of the rest
constexpr size_t kUsualColumns = 80;

std::string describe_rest(double seconds) {
  constexpr double kMinute = 60, kHour = 3600;
  if (seconds < 2 * kMinute) return fmt::format("{:.0f} s", seconds);
  if (seconds < 2 * kHour) return fmt::format("{:.0f} min", seconds / kMinute);
  return fmt::format("{:.1f} h", seconds / kHour);
}

}  // namespace

std::string ProgressDisplay::rate_and_rest(size_t done, size_t all) const {
  const double seconds = std::chrono::duration<double>(recent_.back() - recent_.front()).count();
  if (seconds <= 0 || done == all) return {};
  const double rate = static_cast<double>(recent_.size() - 1) / seconds;
  const double each_minute = rate * 60;
  return fmt::format(", {:.{}f} a minute, {} left", each_minute, each_minute < 10 ? 1 : 0,
                     describe_rest(static_cast<double>(all - done) / rate));
}

std::string ProgressDisplay::after(const std::string& student, size_t done, size_t all) {
  const auto now = clock_.now();
  done_ = done;
  all_ = all;
  under_way_.erase(student);
  recent_.push_back(now);
  if (recent_.size() > kRecent) recent_.pop_front();
  if (columns_) {
    last_told_ = now;
    return line(fmt::format("{}/{}{}: {}", done, all, rate_and_rest(done, all), student));
  }
  const bool is_due =
      now - last_told_ >= kBetweenLines || (done - told_) * kLinesAtMost >= all || done == all;
  if (all == 1 || !is_due) return {};
  last_told_ = now;
  told_ = done;
  return fmt::format("{} of {} are graded{}\n", done, all, rate_and_rest(done, all));
}

std::string ProgressDisplay::meanwhile() {
  const auto now = clock_.now();
  if (under_way_.empty() || now - last_told_ < kQuiet) return {};
  last_told_ = now;
  const auto& [student, since] =
      *std::min_element(under_way_.begin(), under_way_.end(),
                        [](const auto& a, const auto& b) { return a.second < b.second; });
  const std::string taken = describe_rest(std::chrono::duration<double>(now - since).count());
  if (columns_) return line(fmt::format("{}/{}, for {}: {}", done_, all_, taken, student));
  return fmt::format("{} of {} are graded; {} has taken {} so far\n", done_, all_, student, taken);
}

std::string ProgressDisplay::line(const std::string& words) {
  has_line_ = true;
  return kClearLine + shorten(words, std::max<size_t>(*columns_, 5) - 1);
}

std::string ProgressDisplay::end() { return std::exchange(has_line_, false) ? kClearLine : ""; }

LiveProgress::LiveProgress(size_t all)
    : display_(clock_, progress_columns(), all), teller_([this](const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        while (!stop.stop_requested()) {
          ended_.wait_for(lock, stop, kLookEvery, [] { return false; });
          fmt::print(stderr, "{}", display_.meanwhile());
        }
      }) {}

LiveProgress::~LiveProgress() {
  teller_.request_stop();
  teller_.join();
  fmt::print(stderr, "{}", display_.end());
}

void LiveProgress::before(const std::string& student) {
  const std::lock_guard lock(mutex_);
  display_.before(student);
}

void LiveProgress::after(const std::string& student, size_t done, size_t all) {
  const std::lock_guard lock(mutex_);
  fmt::print(stderr, "{}", display_.after(student, done, all));
}

std::string case_line(const std::string& case_id, size_t number, size_t all, size_t columns) {
  constexpr size_t kBarColumns = 20;
  const size_t full = all == 0 ? 0 : (number - 1) * kBarColumns / all;
  const std::string bar = std::string(full, '#') + std::string(kBarColumns - full, '.');
  return kClearLine + shorten(fmt::format("[{}] {}/{} {}", bar, number, all, case_id),
                              std::max<size_t>(columns, 5) - 1);
}

std::optional<size_t> progress_columns() {
  if (::isatty(STDERR_FILENO) == 0) return std::nullopt;
  winsize size{};
  const bool is_known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : kUsualColumns;
}

}  // namespace warpgrade
