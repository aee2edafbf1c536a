// SPDX-License-Identifier: MIT
#include "observe/injection/decoded_call.h"

#include <cctype>

namespace warpgrade::injection {
namespace {

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// Without a last "_v2" or "_v13000".
std::string_view without_version(std::string_view name) {
  const size_t at = name.rfind("_v");
  if (at == std::string_view::npos || at + 2 == name.size()) return name;
  for (const char digit : name.substr(at + 2)) {
    if (std::isdigit(static_cast<unsigned char>(digit)) == 0) return name;
  }
  return name.substr(0, at);
}

}  // namespace

std::string plain_name(std::string_view name) {
  name = without_version(name);
  for (const std::string_view form : {"_ptsz", "_ptds"}) {
    if (ends_with(name, form)) name.remove_suffix(form.size());
  }
  return std::string(without_version(name));
}

std::string recorded_name(std::string_view name) {
  const std::string plain = plain_name(name);
  if (plain == "__cudaLaunchKernel") return "cudaLaunchKernel";
  // These turn a number into words, and leave the device alone.
  const bool only_words = plain == "cudaGetErrorName" || plain == "cudaGetErrorString";
  return only_words || plain.rfind("__", 0) == 0 ? "" : plain;
}

}  // namespace warpgrade::injection
