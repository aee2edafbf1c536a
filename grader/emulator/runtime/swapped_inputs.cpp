// SPDX-License-Identifier: MIT
#include "emulator/runtime/swapped_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/content_hash.h"
#include "base/files.h"
#include "base/npy.h"
#include "emulator/runtime/host.h"

namespace warpgrade::emulator {
namespace {

/// Fewer bytes than that may equal a part of an input by chance.
constexpr size_t kLeastBytes = 64;
constexpr size_t kBlockBytes = kLeastBytes / 2;
constexpr size_t kWordBytes = 4;
constexpr size_t kMostPlaces = 256;
/// What an upload holds behind so many foreign parts is left alone.
constexpr int kMostSearches = 16384;
constexpr int kMostOccurrences = 16;
constexpr size_t kElementBytes[] = {4, 8};
constexpr const char* kElementsVariable = "WARPGRADE_SWAPPED_ELEMENTS";

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

Result<NpyArray> read_array(const fs::path& file) {
  const Result<std::string> contents = RealFiles().read(file);
  if (!contents) return contents.error();
  return parse_npy(*contents);
}

std::string bytes_of(const uint8_t* host, size_t size) {
  return {reinterpret_cast<const char*>(host), size};
}

std::string bytes_of(const Allocation& allocation) {
  return bytes_of(allocation.host, allocation.size);
}

uint8_t* bytes_in(std::string& text) { return reinterpret_cast<uint8_t*>(text.data()); }

std::string bytes_of(const NpyArray& array) {
  return {reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size()};
}

/// Which element of each input comes next, where the host went through it in steps of one length.
class Steps {
 public:
  explicit Steps(size_t inputs) : last_(inputs, -1), step_(inputs, 1) {}

  /// How far the element is from the expected one.
  int64_t distance(size_t input, size_t index) const {
    return std::abs(static_cast<int64_t>(index) - last_[input] - step_[input]);
  }
  void take(size_t input, size_t index) {
    step_[input] = static_cast<int64_t>(index) - last_[input];
    last_[input] = static_cast<int64_t>(index);
  }

 private:
  std::vector<int64_t> last_, step_;
};

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
    const Result<NpyArray> given = read_array(fs::path(folder) / name),
                           held = read_array(fs::path(folder) / (array + ".held.npy"));
    if (!given) return given.error();
    if (!held) return held.error();
    if (given->bytes.size() == held->bytes.size() && given->bytes != held->bytes)
      swapped.add(array, bytes_of(*given), bytes_of(*held), given->bytes.size() / given->count(),
                  std::getenv(kElementsVariable) != nullptr);
  }
  return swapped;
}

void SwappedInputs::add(std::string name, std::string given, std::string held, size_t element_bytes,
                        bool elements_may_move) {
  pairs_.push_back(
      {std::move(name), std::move(given), std::move(held), element_bytes, elements_may_move});
}

SwappedInputs::Match SwappedInputs::known_place(uint64_t address, std::string_view upload,
                                                size_t least_bytes) const {
  Match best;
  for (const Place& place : places_) {
    const std::string_view given = pairs_[place.pair].given;
    if (address < place.address || address - place.address >= given.size()) continue;
    const size_t offset = address - place.address;
    const size_t bytes = common_bytes(given.substr(offset), upload);
    const bool is_all = bytes == std::min(upload.size(), given.size() - offset);
    if ((is_all ? bytes >= least_bytes : bytes >= kLeastBytes) && bytes > best.bytes)
      best = {place.pair, offset, bytes};
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

void SwappedInputs::add_parts(Elements& elements, size_t pair, size_t element_bytes) const {
  const std::string_view given = pairs_[pair].given;
  for (size_t index = 0; index < given.size() / element_bytes; ++index) {
    std::vector<Element>& places = elements[given.substr(index * element_bytes, element_bytes)];
    if (places.size() < kMostOccurrences) places.push_back({pair, index});
  }
}

const SwappedInputs::Elements& SwappedInputs::blocks() {
  if (!blocks_.empty()) return blocks_;
  for (size_t pair = 0; pair < pairs_.size(); ++pair) add_parts(blocks_, pair, kBlockBytes);
  return blocks_;
}

/// Each match contains a whole block of the input, which begins within the match's first kBlockBytes.
SwappedInputs::Match SwappedInputs::part_of_input(std::string_view upload) {
  Match best;
  if (upload.size() < kLeastBytes || is_uniform(upload.substr(0, kLeastBytes))) return best;
  std::set<std::pair<size_t, size_t>> tried;
  for (size_t shift = 0; shift < kBlockBytes; ++shift) {
    const auto found = blocks().find(upload.substr(shift, kBlockBytes));
    if (found == blocks_.end()) continue;
    for (const Element& block : found->second) {
      const size_t begin = block.index * kBlockBytes;
      if (begin < shift || !tried.emplace(block.pair, begin - shift).second) continue;
      const std::string_view given = pairs_[block.pair].given;
      const size_t bytes = common_bytes(given.substr(begin - shift), upload);
      if (bytes >= kLeastBytes && bytes > best.bytes) best = {block.pair, begin - shift, bytes};
    }
  }
  return best;
}

SwappedInputs::Match SwappedInputs::find(uint64_t address, std::string_view upload,
                                         size_t least_bytes) {
  const Match known = known_place(address, upload, least_bytes);
  if (known.bytes >= kLeastBytes) return known;
  // Where rows have gaps, the end of a place may equal the front of another row by chance.
  Match match = whole_input(upload);
  if (match.bytes == 0) match = part_of_input(upload);
  if (match.bytes <= known.bytes) return known;
  if (places_.size() < kMostPlaces) places_.push_back({address - match.offset, match.pair});
  return match;
}

/// A gap between rows may end with the first bytes of the element behind it. It may also begin with those of the input's next
/// element, which is not there.
SwappedInputs::Match SwappedInputs::in_whole_elements(Match match, std::string_view before,
                                                      bool is_cut) const {
  const std::string_view given = pairs_[match.pair].given;
  const size_t element_bytes = pairs_[match.pair].element_bytes;
  const size_t missing = match.offset % element_bytes;
  if (missing <= before.size() && before.ends_with(given.substr(match.offset - missing, missing))) {
    match.offset -= missing;
    match.bytes += missing;
  }
  const size_t end = match.offset + match.bytes;
  const size_t beyond = end % element_bytes;
  if (!is_cut && end < given.size() && beyond < match.bytes) match.bytes -= beyond;
  return match;
}

const SwappedInputs::Elements& SwappedInputs::elements_of(size_t element_bytes) {
  const auto [found, is_new] = elements_.try_emplace(element_bytes);
  size_t count = 0;
  for (size_t pair = 0; is_new && pair < pairs_.size(); ++pair) {
    if (!pairs_[pair].elements_may_move || pairs_[pair].element_bytes != element_bytes) continue;
    add_parts(found->second, pair, element_bytes);
    count += pairs_[pair].given.size() / element_bytes;
  }
  // Small integers are everywhere, and tell no place.
  if (2 * found->second.size() < count) found->second.clear();
  return found->second;
}

size_t SwappedInputs::swap_elements(uint8_t* bytes, size_t count, size_t element_bytes) {
  const Elements& elements = elements_of(element_bytes);
  if (elements.empty()) return 0;
  const std::string zero(element_bytes, '\0');
  std::string arrives(reinterpret_cast<const char*>(bytes), count);
  Steps steps(pairs_.size());
  std::set<size_t> pairs;
  size_t found = 0, foreign = 0;
  for (size_t at = 0; at + element_bytes <= count; at += element_bytes) {
    const std::string_view element(reinterpret_cast<const char*>(bytes + at), element_bytes);
    if (element == zero) continue;  // What fills up rows is no element.
    const auto places = elements.find(element);
    if (places == elements.end()) {
      ++foreign;
      continue;
    }
    const Element& best = *std::min_element(
        places->second.begin(), places->second.end(), [&](const Element& a, const Element& b) {
          return steps.distance(a.pair, a.index) < steps.distance(b.pair, b.index);
        });
    steps.take(best.pair, best.index);
    pairs.insert(best.pair);
    arrives.replace(at, element_bytes, pairs_[best.pair].held, best.index * element_bytes,
                    element_bytes);
    ++found;
  }
  // A few of the host's own numbers equal elements by chance.
  if (found <= foreign) return 0;
  for (const size_t pair : pairs) swapped_.insert(pairs_[pair].name);
  std::memcpy(bytes, arrives.data(), count);
  return found * element_bytes;
}

/// What holds no part of an input may hold its elements in another order.
size_t SwappedInputs::swap_foreign(uint64_t address, uint8_t* bytes, size_t count) {
  if (count < kLeastBytes) return 0;
  for (const size_t element_bytes : kElementBytes) {
    const size_t skipped = (element_bytes - address % element_bytes) % element_bytes;
    const size_t swapped = swap_elements(bytes + skipped, count - skipped, element_bytes);
    if (swapped > 0) return swapped;
  }
  return 0;
}

size_t SwappedInputs::swap(uint64_t address, uint8_t* bytes, size_t count) {
  if (empty()) return 0;
  size_t swapped = 0, foreign = 0;  // where the foreign part before `at` begins
  size_t at = 0;
  const std::string_view arrives(reinterpret_cast<const char*>(bytes), count);
  for (int searches = 0; at < count && searches < kMostSearches; ++searches) {
    const std::string_view upload = arrives.substr(at);
    // The host may use memory again in which an input was: the end of what it holds now may equal a few bytes of it.
    Match match = find(address + at, upload, at == foreign ? 1 : kLeastBytes);
    if (match.bytes > 0) {
      const size_t offset = match.offset;
      match = in_whole_elements(match, arrives.substr(foreign, at - foreign),
                                match.bytes == upload.size());
      at -= offset - match.offset;
      swapped += swap_foreign(address + foreign, bytes + foreign, at - foreign);
      std::memcpy(bytes + at, pairs_[match.pair].held.data() + match.offset, match.bytes);
      swapped_.insert(pairs_[match.pair].name);
      swapped += match.bytes;
      at += match.bytes;
      foreign = at;
    } else {
      // Rows of an input may have gaps between them, that are mostly zeros.
      at += uniform_bytes(upload);
    }
  }
  return swapped + swap_foreign(address + foreign, bytes + foreign, count - foreign);
}

size_t SwappedInputs::swap_shared(DeviceMemory& memory) {
  if (empty()) return 0;
  ++under_way_;
  size_t swapped = 0;
  for (const Allocation& allocation : memory.allocations()) {
    if (allocation.device != kHostDevice || shared_.count(allocation.id) != 0) continue;
    uint64_t& seen = seen_[allocation.id];
    const std::string before = bytes_of(allocation);
    if (seen == content_hash(before)) continue;
    std::string held = before;
    const size_t bytes = swap(allocation.begin, bytes_in(held), held.size());
    seen = content_hash(held);
    if (bytes == 0) continue;
    Shared& shared = shared_[allocation.id] = {allocation.host, before, held, std::move(held)};
    memory.redirect(allocation.begin, bytes_in(shared.now));
    swapped += bytes;
  }
  return swapped;
}

bool SwappedInputs::restore_shared(DeviceMemory& memory) {
  if (empty() || --under_way_ > 0) return false;
  bool was_written = false;
  for (const Allocation& allocation : memory.allocations()) {
    const auto found = shared_.find(allocation.id);
    if (found == shared_.end()) continue;
    const Shared& shared = found->second;
    memory.redirect(allocation.begin, shared.host);
    was_written = was_written || shared.now != shared.held ||
                  std::memcmp(shared.host, shared.before.data(), shared.before.size()) != 0;
    // A kernel's results may equal some bytes of its inputs, so all that it left counts where it wrote.
    if (shared.now == shared.held) {
      seen_.erase(allocation.id);
      continue;
    }
    for (size_t i = 0; i < shared.now.size(); ++i) {
      const bool is_hosts = shared.host[i] != static_cast<uint8_t>(shared.before[i]);
      if (!is_hosts || shared.now[i] != shared.held[i])
        shared.host[i] = static_cast<uint8_t>(shared.now[i]);
    }
    seen_[allocation.id] = content_hash(bytes_of(shared.host, allocation.size));
  }
  shared_.clear();
  return was_written;
}

}  // namespace warpgrade::emulator
