// SPDX-License-Identifier: MIT
// Any bytes as a rubric, as course.yaml, and as both with a line of '%%' between them.

#include "rubric/rubric.h"
#include "testing/fuzz/fuzzer.h"

using namespace warpgrade;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto rubric = parse_rubric(text, "rubric.yaml");
  if (rubric) select(*rubric, {false, {}});
  const size_t border = text.find("\n%%\n");
  const auto course = parse_course(text.substr(0, border), "course.yaml", {});
  if (!course || border == std::string_view::npos) return 0;
  const auto both = parse_rubric(text.substr(border + 4), "rubric.yaml", *course);
  if (both) select(*both, {true, {}});
  return 0;
}
