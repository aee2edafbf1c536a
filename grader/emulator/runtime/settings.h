// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "emulator/checkers/checkers.h"
#include "emulator/model/device_table.h"

namespace warpgrade::emulator {

enum class MetricsFormat { none, csv, json, text, lines };

/// What the environment asks of the emulated machine.
struct Settings {
  std::vector<DeviceModel> devices;                    ///< WARPGRADE_DEVICES; device 0 first.
  std::string trace_path;                              ///< WARPGRADE_TRACE; empty: no trace.
  uint64_t trace_limit_bytes = 0;                      ///< WARPGRADE_TRACE_LIMIT; 0: none.
  Checkers check = all_checkers();                     ///< WARPGRADE_CHECK
  bool deterministic = false;                          ///< WARPGRADE_DETERMINISTIC
  std::string language = "en";                         ///< WARPGRADE_LANGUAGE: of findings.
  uint64_t order = 0;                                  ///< WARPGRADE_ORDER; 0: natural.
  uint64_t sample_key = 0;                             ///< WARPGRADE_SAMPLE_KEY
  unsigned threads = 0;                                ///< WARPGRADE_THREADS; 0: one per core.
  uint64_t instruction_limit = 0;                      ///< WARPGRADE_INSTRUCTION_LIMIT; 0: none.
  double time_limit_s = 0;                             ///< WARPGRADE_TIME_LIMIT; 0: none.
  MetricsFormat metrics_format = MetricsFormat::none;  ///< WARPGRADE_METRICS
  std::string metrics_path;                            ///< WARPGRADE_METRICS_FILE; empty: stdout.
  std::string ptxas;                                   ///< WARPGRADE_PTXAS: a path, or "none".
  std::string cache_folder;                            ///< The user's cache; may be empty.
  std::string work_path;    ///< WARPGRADE_MODEL_WORK: what each launch asked of the time model.
  bool quiet = false;       ///< WARPGRADE_QUIET
  int error_exit_code = 0;  ///< WARPGRADE_ERROR_EXITCODE; 0: the program's.

  bool for_people = false;  ///< WARPGRADE_SUMMARY: causes first, a summary and advice at the end.
  double notice_s = 0;  ///< WARPGRADE_NOTICE: say where a kernel is that runs so long; 0: never.
  std::string timeline_path;  ///< WARPGRADE_TIMELINE; empty: none.

  std::vector<int>
      visible;  ///< CUDA_VISIBLE_DEVICES: numbers of `devices`, as the program has them.
  bool repeats_visible = false;  ///< It names a device twice, and then shows none.
  bool prints_at_once = false;  ///< CUDA_LAUNCH_BLOCKING: what a kernel prints is shown as it ends.

  bool graded = false;  ///< WARPGRADE_GRADED: a grader wants to know what the program did.
};

/// Reads variables through `variable`, which returns null for one that is not set. The Error names
/// the variable and what it may hold. Where no device is named, it is an RTX 3090, or the first of
/// the table that has at least the compute capability `least_sm` (90 for 9.0).
Result<Settings> read_settings(const std::function<const char*(const char*)>& variable,
                               int least_sm = 0);

}  // namespace warpgrade::emulator
