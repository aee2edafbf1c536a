// SPDX-License-Identifier: MIT
#pragma once

#include "report/run_page.h"
#include "report/sample_results.h"

namespace warpgrade {

/// A copy and a kernel on one stream.
inline constexpr const char* kSampleTimeline = R"~({"traceEvents": [
  {"ph": "M", "name": "process_name", "pid": 0, "tid": 0, "args": {"name": "device 0: T4"}},
  {"ph": "M", "name": "thread_name", "pid": 0, "tid": 1, "args": {"name": "stream 1"}},
  {"ph": "X", "name": "copy <b>", "cat": "copy", "pid": 0, "tid": 1, "ts": 0, "dur": 30},
  {"ph": "X", "name": "sum(int*)", "cat": "kernel", "pid": 0, "tid": 1, "ts": 30, "dur": 10}]})~";

/// Two launches with counted lines, and a finding.
inline ProgramRun sample_run() {
  ProgramRun run{"./sum 1000", 0, 0, "en", {}, *read_timeline(kSampleTimeline)};
  run.trace.devices = {{"T4", 7, 5}};
  KernelLaunch launch;
  launch.kernel = "sum(int*)";
  launch.metrics = sample_kernel("", "").metrics;
  launch.time_ms = KernelTime{0.1, "modelled", 1e7};
  launch.lines = {sample_line("", 2, "").counts};
  launch.lines[0].file = "sum.cu";
  run.trace.launches = {launch, launch};
  run.trace.findings = {sample_finding("", 2).finding};
  run.trace.findings[0].file = "sum.cu";
  return run;
}

}  // namespace warpgrade
