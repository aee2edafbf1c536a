// SPDX-License-Identifier: MIT
#include "emulator/runtime/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string_view>

#include "base/text.h"
#include "emulator/memory/address_space.h"
#include "emulator/runtime/device_properties.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator {
namespace {

/// The environment with typed look-ups that remember the first Error.
class Reader {
 public:
  explicit Reader(const std::function<const char*(const char*)>& variable) : variable_(variable) {}

  const char* raw(const char* name) const { return variable_(name); }

  std::string word(const char* name, std::string_view otherwise = "") const {
    const char* value = variable_(name);
    return std::string(value == nullptr || *value == '\0' ? otherwise : value);
  }

  bool flag(const char* name) const {
    const std::string value = word(name, "0");
    return value != "0";
  }

  template <class Number>
  Number number(const char* name) {
    const std::string value = word(name, "0");
    Number parsed = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
    if (error != std::errc() || end != value.data() + value.size()) {
      fail(name, value, "a number");
    }
    return parsed;
  }

  void fail(const char* name, std::string_view value, std::string_view wanted) {
    fail(fmt::format("{}={}: write {}", name, printable(value), wanted));
  }
  void fail(std::string message) {
    if (status_.ok()) status_ = Error{std::move(message)};
  }

  const Status& status() const { return status_; }

 private:
  const std::function<const char*(const char*)>& variable_;
  Status status_;
};

constexpr std::string_view kUsualDevice = "RTX 3090";

std::string_view default_device(int least_sm) {
  if (find_device_model(kUsualDevice)->sm() >= least_sm) return kUsualDevice;
  for (const DeviceModel& model : device_table()) {
    if (model.sm() >= least_sm) return model.name;
  }
  return kUsualDevice;
}

void read_devices(Reader& reader, Settings& settings, int least_sm) {
  const std::string names = reader.word("WARPGRADE_DEVICES", default_device(least_sm));
  for (const std::string& name : split(names, ',')) {
    if (const DeviceModel* model = find_device_model(trim(name))) {
      settings.devices.push_back(*model);
    } else {
      reader.fail("WARPGRADE_DEVICES", name, "names out of " + device_model_names());
    }
  }
  if (settings.devices.size() > size_t{kMaxDevices}) {
    reader.fail("WARPGRADE_DEVICES", "...", fmt::format("at most {} names", kMaxDevices));
  }
}

/// The device that a word of CUDA_VISIBLE_DEVICES names, or -1: by its number, which other characters may follow, or by
/// the beginning of its UUID (seen on an H200 with driver 580).
int device_named(std::string_view word, int count) {
  constexpr std::string_view kUuid = "GPU-";
  word = trim(word);
  if (word.starts_with(kUuid)) {
    int found = -1, matches = 0;
    for (int device = 0; device < count; ++device) {
      if (!uuid_of_device(device).starts_with(word)) continue;
      found = device;
      ++matches;
    }
    return matches == 1 && word.size() > kUuid.size() ? found : -1;
  }
  if (word.starts_with('+')) word.remove_prefix(1);
  int number = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && number < count ? number : -1;
}

/// CUDA Programming Guide, "CUDA Environment Variables". A grader's own device shows all.
void read_visible(const Reader& reader, Settings& settings) {
  const auto count = static_cast<int>(settings.devices.size());
  const char* const list = settings.graded ? nullptr : reader.raw("CUDA_VISIBLE_DEVICES");
  if (list == nullptr) {
    settings.visible.resize(settings.devices.size());
    std::iota(settings.visible.begin(), settings.visible.end(), 0);
    return;
  }
  for (const std::string& word : split(list, ',')) {
    const int device = device_named(word, count);
    if (device < 0) break;
    const auto& seen = settings.visible;
    settings.repeats_visible |= std::find(seen.begin(), seen.end(), device) != seen.end();
    settings.visible.push_back(device);
  }
  if (settings.repeats_visible) settings.visible.clear();
}

void read_checks(Reader& reader, Settings& settings) {
  const std::string list = reader.word("WARPGRADE_CHECK", "all");
  const Result<Checkers> checkers = parse_checkers(list);
  if (checkers.ok())
    settings.check = *checkers;
  else
    reader.fail(fmt::format("--check (WARPGRADE_CHECK) {}", checkers.error().message));
}

void read_metrics(Reader& reader, Settings& settings) {
  const std::string format = reader.word("WARPGRADE_METRICS");
  settings.metrics_path = reader.word("WARPGRADE_METRICS_FILE");
  if (format == "csv") {
    settings.metrics_format = MetricsFormat::csv;
  } else if (format == "json") {
    settings.metrics_format = MetricsFormat::json;
  } else if (format == "text") {
    settings.metrics_format = MetricsFormat::text;
  } else if (format == "lines") {
    settings.metrics_format = MetricsFormat::lines;
  } else if (!format.empty()) {
    reader.fail("WARPGRADE_METRICS", format, "csv, json, text or lines");
  }
}

/// By the XDG Base Directory Specification.
std::string cache_folder(const Reader& reader) {
  const std::string home = reader.word("HOME");
  const std::string base =
      reader.word("XDG_CACHE_HOME", home.empty() ? "" : fmt::format("{}/.cache", home));
  return base.empty() ? "" : fmt::format("{}/warpgrade", base);
}

}  // namespace

Result<Settings> read_settings(const std::function<const char*(const char*)>& variable,
                               int least_sm) {
  Reader reader(variable);
  Settings settings;
  read_devices(reader, settings, least_sm);
  read_checks(reader, settings);
  read_metrics(reader, settings);
  settings.trace_path = reader.word("WARPGRADE_TRACE");
  settings.trace_limit_bytes = reader.number<uint64_t>("WARPGRADE_TRACE_LIMIT");
  settings.graded = reader.flag("WARPGRADE_GRADED");
  settings.prints_at_once = settings.graded || reader.word("CUDA_LAUNCH_BLOCKING") == "1";
  read_visible(reader, settings);
  settings.work_path = reader.word("WARPGRADE_MODEL_WORK");
  settings.deterministic = reader.flag("WARPGRADE_DETERMINISTIC");
  settings.language = reader.word("WARPGRADE_LANGUAGE", "en");
  const std::vector<std::string> spoken = languages();
  if (std::find(spoken.begin(), spoken.end(), settings.language) == spoken.end())
    reader.fail("WARPGRADE_LANGUAGE", settings.language, "one of " + join(spoken, ", "));
  settings.order = reader.number<uint64_t>("WARPGRADE_ORDER");
  settings.sample_key = reader.number<uint64_t>("WARPGRADE_SAMPLE_KEY");
  settings.threads = reader.number<unsigned>("WARPGRADE_THREADS");
  settings.instruction_limit = reader.number<uint64_t>("WARPGRADE_INSTRUCTION_LIMIT");
  settings.ptxas = reader.word("WARPGRADE_PTXAS", "ptxas");
  settings.cache_folder = cache_folder(reader);
  settings.time_limit_s = reader.number<double>("WARPGRADE_TIME_LIMIT");
  if (!(settings.time_limit_s >= 0))
    reader.fail("WARPGRADE_TIME_LIMIT", reader.word("WARPGRADE_TIME_LIMIT"), "seconds");
  settings.for_people = reader.flag("WARPGRADE_SUMMARY");
  settings.timeline_path = reader.word("WARPGRADE_TIMELINE");
  settings.notice_s = reader.number<double>("WARPGRADE_NOTICE");
  if (!(settings.notice_s >= 0))
    reader.fail("WARPGRADE_NOTICE", reader.word("WARPGRADE_NOTICE"), "seconds");
  settings.error_exit_code = reader.number<int>("WARPGRADE_ERROR_EXITCODE");
  settings.quiet = reader.flag("WARPGRADE_QUIET");
  if (!reader.status().ok()) return reader.status().error();
  return settings;
}

}  // namespace warpgrade::emulator
