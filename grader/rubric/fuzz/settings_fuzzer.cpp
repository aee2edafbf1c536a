// SPDX-License-Identifier: MIT
// Any bytes as a rubric.

#include "rubric/rubric.h"
#include "testing/fuzz/fuzzer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto rubric = warpgrade::parse_rubric(text, "rubric.yaml");
  if (rubric) select(*rubric, {false, {}});
  return 0;
}
