// SPDX-License-Identifier: MIT
#include "commands/remedy.h"

#include "base/text.h"

namespace warpgrade {
namespace {

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

std::string remedy_of(std::string_view message) {
  const std::string last = split(trim(message), '\n').back();
  const bool is_refused = last.ends_with(": Permission denied"),
             is_read_only = last.ends_with(": Read-only file system"),
             is_full = last.ends_with(": No space left on device");
  const bool is_write = has(last, "cannot write ") || has(last, "cannot make ");
  if (is_write && is_full) return "free space there, or name another folder";
  if (is_write && (is_refused || is_read_only))
    return "let this user write there, or name a folder that it may write";
  if (is_refused) return "let this user read it: chmod -R a+rX FOLDER, its parent folders included";
  return "";
}

}  // namespace warpgrade
