// SPDX-License-Identifier: MIT
#include "emulator/runtime/environment.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <string_view>

namespace warpgrade::emulator {
namespace {

std::map<std::string, std::string>& variables() {
  static auto& kept = *new std::map<std::string, std::string>;
  return kept;
}

/// /proc/self/environ shows these bytes too, so taking the variable away is not enough.
void wipe(char* value) { std::memset(value, '-', std::strlen(value)); }

__attribute__((constructor)) void keep_variables() {
  constexpr std::string_view kSecret = "WARPGRADE_TRACE_KEY";
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    char* const equals = std::strchr(*entry, '=');
    if (equals == nullptr) continue;
    const std::string name(*entry, equals);
    variables()[name] = equals + 1;
    if (name == kSecret) wipe(equals + 1);
  }
  ::unsetenv(kSecret.data());
}

}  // namespace

const char* first_variable(const char* name) {
  const auto found = variables().find(name);
  return found == variables().end() ? nullptr : found->second.c_str();
}

}  // namespace warpgrade::emulator
