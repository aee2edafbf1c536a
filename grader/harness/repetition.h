// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>
#include <malloc.h>
#include <nvtx3/nvToolsExt.h>

#include <cstdlib>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "harness/range.h"

namespace warpgrade::harness {

/// Which of a timed run's repetitions, or of several cases in one run, is under way: `input` names the
/// folder in in/ that it reads, `number` the one in out/ that it writes. Both are empty in a plain run.
struct Repetition {
  std::string input;
  std::string number;

  static Repetition& current() {
    static Repetition repetition;
    return repetition;
  }
};

/// Large arrays of one repetition get the pages of the last: making new ones takes longer than all
/// else that is done with them.
inline void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

/// The status of one run. What the grader leaves out beyond all parts ends it as it were done.
inline int status_of(int (*program)(int, char**), int argc, char** argv) {
  int status = 0;
  part([&] { status = program(argc, argv); });
  return status;
}

/// Runs several cases in this one process: a line of `list` for each, with its words separated by tabs.
/// What a case calls lies between two calls of cudaGetLastError in a range of its own, by which the
/// grader tells the cases apart. The first of the two also takes back what the case before it left.
inline int run_cases(int (*program)(int, char**), char* name, const char* list) {
  std::istringstream lines(list);
  std::string line;
  for (int number = 0; std::getline(lines, line); ++number) {
    std::vector<char*> words = {name};
    for (size_t at = 0; at < line.size();) {
      words.push_back(&line[at]);
      at = line.find('\t', at);
      if (at != std::string::npos) line[at++] = '\0';
    }
    const int count = static_cast<int>(words.size());
    words.push_back(nullptr);
    Repetition::current() = {std::to_string(number), std::to_string(number)};
    const Range range(("warpgrade.case:" + std::to_string(number)).c_str());
    cudaGetLastError();
    if (const int status = status_of(program, count, words.data())) return status;
    cudaGetLastError();
  }
  return 0;
}

/// Runs the driver's `program` once. Where the grader times it, WARPGRADE_REPETITIONS lists the
/// inputs ("0,2,1") and it runs once for each, in this one process; where the grader has several
/// cases for it, WARPGRADE_CASES lists those. The status is the first that is not 0.
inline int repeat(int (*program)(int, char**), int argc, char** argv) {
  if (const char* cases = std::getenv("WARPGRADE_CASES")) return run_cases(program, argv[0], cases);
  const char* list = std::getenv("WARPGRADE_REPETITIONS");
  if (list == nullptr) return status_of(program, argc, argv);
  keep_freed_memory();
  const std::string inputs = std::string(list) + ',';
  int status = 0, number = 0;
  for (size_t begin = 0, end = 0; begin < inputs.size() && status == 0; begin = end + 1, ++number) {
    end = inputs.find(',', begin);
    Repetition::current() = {inputs.substr(begin, end - begin), std::to_string(number)};
    nvtxRangePushA(("warpgrade.repetition:" + Repetition::current().number).c_str());
    status = status_of(program, argc, argv);
    nvtxRangePop();
  }
  return status;
}

}  // namespace warpgrade::harness
