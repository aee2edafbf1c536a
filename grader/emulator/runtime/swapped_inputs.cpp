// SPDX-License-Identifier: MIT
#include "emulator/runtime/swapped_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/files.h"
#include "base/npy.h"
#include "emulator/runtime/host.h"

namespace warpgrade::emulator {
namespace {

/// Fewer bytes than that may equal a part of an input by chance.
constexpr size_t kLeastBytes = 64;
constexpr size_t kWordBytes = 4;
constexpr size_t kMostPlaces = 256;
/// A search goes through all inputs. What an upload holds behind so many foreign parts is left alone.
constexpr int kMostSearches = 512;
constexpr int kMostOccurrences = 16;

/// Whether all its words are equal, as of a cleared array, which tells no place.
bool is_uniform(std::string_view bytes) {
  if (bytes.size() <= kWordBytes)
    return std::all_of(bytes.begin(), bytes.end(), [&](char byte) { return byte == bytes[0]; });
  return bytes.substr(kWordBytes) == bytes.substr(0, bytes.size() - kWordBytes);
}

size_t common_bytes(std::string_view a, std::string_view b) {
  const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  return static_cast<size_t>(end - a.begin());
}

/// Bytes at the front that all equal the first one; at least one.
size_t uniform_bytes(std::string_view upload) {
  const size_t end = upload.find_first_not_of(upload[0]);
  return end == std::string_view::npos ? upload.size() : end;
}

Result<std::string> bytes_of(const fs::path& file) {
  const Result<std::string> contents = RealFiles().read(file);
  if (!contents) return contents.error();
  const Result<NpyArray> array = parse_npy(*contents);
  if (!array) return array.error();
  return std::string(reinterpret_cast<const char*>(array->bytes.data()), array->bytes.size());
}

constexpr int kSystemErrorExit = 99;

SwappedInputs read_from_environment() {
  const char* const folder = std::getenv("WARPGRADE_SWAPPED_INPUTS");
  if (folder == nullptr) return {};
  Result<SwappedInputs> inputs = SwappedInputs::read(folder);
  if (inputs) return std::move(*inputs);
  fmt::print(stderr, "warpgrade: {}\n", inputs.error().message);
  end_program(kSystemErrorExit);
}

}  // namespace

SwappedInputs& swapped_inputs() {
  static SwappedInputs inputs = read_from_environment();
  return inputs;
}

Result<SwappedInputs> SwappedInputs::read(const std::string& folder) {
  constexpr std::string_view kGiven = ".given.npy";
  SwappedInputs swapped;
  const Result<std::vector<std::string>> names = RealFiles().list(folder);
  if (!names) return names.error();
  for (const std::string& name : *names) {
    if (!name.ends_with(kGiven)) continue;
    const std::string array = name.substr(0, name.size() - kGiven.size());
    Result<std::string> given = bytes_of(fs::path(folder) / name),
                        held = bytes_of(fs::path(folder) / (array + ".held.npy"));
    if (!given) return given.error();
    if (!held) return held.error();
    if (given->size() == held->size() && *given != *held)
      swapped.add(std::move(*given), std::move(*held));
  }
  return swapped;
}

void SwappedInputs::add(std::string given, std::string held) {
  pairs_.push_back({std::move(given), std::move(held)});
}

SwappedInputs::Match SwappedInputs::known_place(uint64_t address, std::string_view upload) const {
  Match best;
  for (const Place& place : places_) {
    const std::string_view given = pairs_[place.pair].given;
    if (address < place.address || address - place.address >= given.size()) continue;
    const size_t offset = address - place.address;
    const size_t bytes = common_bytes(given.substr(offset), upload);
    const bool is_all = bytes == std::min(upload.size(), given.size() - offset);
    if ((is_all || bytes >= kLeastBytes) && bytes > best.bytes) best = {place.pair, offset, bytes};
  }
  return best;
}

SwappedInputs::Match SwappedInputs::whole_input(std::string_view upload) const {
  for (size_t pair = 0; pair < pairs_.size(); ++pair) {
    const std::string_view given = pairs_[pair].given;
    if (upload.starts_with(given) && !is_uniform(given)) return {pair, 0, given.size()};
  }
  return {};
}

SwappedInputs::Match SwappedInputs::part_of_input(std::string_view upload) const {
  Match best;
  const std::string_view front = upload.substr(0, kLeastBytes);
  if (front.size() < kLeastBytes || is_uniform(front)) return best;
  for (size_t pair = 0; pair < pairs_.size(); ++pair) {
    const std::string_view given = pairs_[pair].given;
    size_t offset = given.find(front);
    for (int tries = 0; offset != std::string_view::npos && tries < kMostOccurrences; ++tries) {
      const size_t bytes = common_bytes(given.substr(offset), upload);
      if (bytes > best.bytes) best = {pair, offset, bytes};
      offset = given.find(front, offset + 1);
    }
  }
  return best;
}

SwappedInputs::Match SwappedInputs::find(uint64_t address, std::string_view upload) {
  Match match = known_place(address, upload);
  if (match.bytes > 0) return match;
  match = whole_input(upload);
  if (match.bytes == 0) match = part_of_input(upload);
  if (match.bytes > 0 && places_.size() < kMostPlaces)
    places_.push_back({address - match.offset, match.pair});
  return match;
}

size_t SwappedInputs::swap(uint64_t address, uint8_t* bytes, size_t count) {
  if (empty()) return 0;
  size_t swapped = 0;
  int searches = 0;
  for (size_t at = 0; at < count && searches < kMostSearches; ++searches) {
    const std::string_view upload(reinterpret_cast<const char*>(bytes + at), count - at);
    const Match match = find(address + at, upload);
    if (match.bytes > 0) {
      std::memcpy(bytes + at, pairs_[match.pair].held.data() + match.offset, match.bytes);
      swapped += match.bytes;
      at += match.bytes;
    } else {
      // Rows of an input may have gaps between them, that are mostly zeros.
      at += uniform_bytes(upload);
    }
  }
  return swapped;
}

}  // namespace warpgrade::emulator
