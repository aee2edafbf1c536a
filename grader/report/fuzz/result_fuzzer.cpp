// SPDX-License-Identifier: MIT
// Any bytes as a result file, with its hash and without. What is read back must say the same once more.

#include <cstdlib>

#include "report/result.h"
#include "testing/fuzz/fuzzer.h"

using namespace warpgrade;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(open_sealed_result(text));
  const Result<SubmissionResult> result = parse_result(text);
  if (!result) return 0;
  const std::string told = format_json(*result);
  const Result<SubmissionResult> again = open_sealed_result(seal_result(told));
  if (!again || format_json(*again) != told) std::abort();
  return 0;
}
