// SPDX-License-Identifier: MIT
// Any bytes as what compilers and linkers printed.

#include "build/diagnostics.h"

#include <cstdlib>

#include "testing/fuzz/fuzzer.h"

using namespace warpgrade;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view output(reinterpret_cast<const char*>(data), size);
  machine_error_in(output);
  size_t told = 0;
  for (const Diagnostic& diagnostic : parse_diagnostics(output)) {
    told += diagnostic.text.size();
    if (diagnostic.file.find('/') != std::string::npos || diagnostic.line < 0) std::abort();
    to_string(diagnostic);
  }
  if (told > size) std::abort();  // It invents nothing.
  return 0;
}
