// SPDX-License-Identifier: MIT
#include "emulator/checkers/access_map.h"

#include <algorithm>
#include <bit>

#include "emulator/checkers/cell.h"

namespace warpgrade::emulator {
namespace {

constexpr uint64_t kOffsetMask = AccessMap::kPageBytes - 1;
/// A copy of so few bytes may set or read a flag that a kernel polls.
constexpr uint64_t kMostFlagBytes = 8;

void set_bits(AccessMap::Bits& bits, uint64_t from, uint64_t to) {
  for (uint64_t at = from; at < to;) {
    const uint64_t end = std::min(to, (at | 63) + 1), count = end - at;
    bits[at / 64] |= (~uint64_t{0} >> (64 - count)) << (at % 64);
    at = end;
  }
}

void add(AccessMap::Bits& into, const AccessMap::Bits& from) {
  for (size_t i = 0; i < into.size(); ++i) into[i] |= from[i];
}

/// 64 bytes of memory as one operation uses them.
struct Uses {
  uint64_t read = 0, written = 0, volatile_read = 0, volatile_written = 0, atomic = 0;

  uint64_t writes() const { return written | volatile_written | atomic; }
  uint64_t any() const { return read | volatile_read | writes(); }
};

uint64_t clashing(const Uses& a, const Uses& b) {
  return (a.written & b.any()) | (b.written & a.any()) | (a.read & b.writes()) |
         (b.read & a.writes());
}

/// What lies on a page, of whichever kind the operation is.
class PageView {
 public:
  PageView(uint64_t number, const AccessMap::Page& page, bool with_volatile = true)
      : number_(number), page_(&page), with_volatile_(with_volatile) {}
  PageView(uint64_t number, const MemoryUse& copy) : number_(number) {
    add_ranges(copy.read, read_);
    add_ranges(copy.written, written_);
  }

  Uses uses(size_t word) const {
    if (page_ == nullptr) return {read_[word], written_[word]};
    Uses uses{page_->read[word], page_->written[word]};
    if (page_->strong == nullptr) return uses;
    uses.atomic = page_->strong->atomic[word];
    if (!with_volatile_) return uses;
    uses.volatile_read = page_->strong->read[word];
    uses.volatile_written = page_->strong->written[word];
    return uses;
  }
  std::optional<MemoryUser> user(uint64_t address, bool writes) const {
    if (page_ == nullptr) return std::nullopt;
    const auto& users = writes ? page_->writer : page_->reader;
    MemoryUser user = users[(address & kOffsetMask) >> AccessMap::kRowShift];
    if (user.step != 0) {
      const auto distance = static_cast<uint16_t>(address - user.at);
      user.thread = static_cast<uint16_t>(user.thread + distance / user.step);
    }
    return user;
  }

 private:
  void add_ranges(const std::vector<ByteRange>& ranges, AccessMap::Bits& bits) const {
    const uint64_t begin = number_ << AccessMap::kPageShift, end = begin + AccessMap::kPageBytes;
    const auto ends_before = [](const ByteRange& range, uint64_t at) { return range.end <= at; };
    for (auto it = std::lower_bound(ranges.begin(), ranges.end(), begin, ends_before);
         it != ranges.end() && it->begin < end; ++it)
      set_bits(bits, std::max(it->begin, begin) - begin, std::min(it->end, end) - begin);
  }

  uint64_t number_;
  const AccessMap::Page* page_ = nullptr;
  bool with_volatile_ = true;
  AccessMap::Bits read_{}, written_{};
};

/// Collects clashing bytes, page by page in their order, until a gap follows them.
class Search {
 public:
  /// False once nothing more can be added.
  bool add(uint64_t number, const PageView& a, const PageView& b) {
    for (size_t word = 0; word < AccessMap::kWords; ++word) {
      const Uses first = a.uses(word), second = b.uses(word);
      const uint64_t bits = clashing(first, second);
      if (!take(bits, (number << AccessMap::kPageShift) + word * 64, first, second, a, b))
        return false;
    }
    return true;
  }
  std::optional<Clash> clash() const { return clash_; }

 private:
  bool take(uint64_t bits, uint64_t address, const Uses& first, const Uses& second,
            const PageView& a, const PageView& b) {
    if (!clash_) {
      if (bits == 0) return true;
      const int lead = std::countr_zero(bits);
      begin(address + static_cast<uint64_t>(lead), first.writes() >> lead & 1,
            second.writes() >> lead & 1, a, b);
      address += static_cast<uint64_t>(lead);
      bits >>= lead;
    } else if (clash_->bytes.end != address) {
      return false;
    }
    const auto run = static_cast<uint64_t>(std::countr_one(bits));
    clash_->bytes.end = address + run;
    return (clash_->bytes.end & 63) == 0 && run != 0;
  }
  void begin(uint64_t at, bool first_writes, bool second_writes, const PageView& a,
             const PageView& b) {
    clash_ = Clash{
        {at, at}, first_writes, second_writes, a.user(at, first_writes), b.user(at, second_writes)};
  }

  std::optional<Clash> clash_;
};

std::optional<Clash> between_maps(const AccessMap& first, const AccessMap& second) {
  Search search;
  auto a = first.pages().begin();
  for (const auto& [number, page] : second.pages()) {
    a = std::lower_bound(a, first.pages().end(), number,
                         [](const AccessMap::Entry& entry, uint64_t n) { return entry.first < n; });
    if (a == first.pages().end()) break;
    if (a->first != number) continue;
    if (!search.add(number, {number, *a->second}, {number, *page})) break;
  }
  return search.clash();
}

bool touches(const std::vector<ByteRange>& ranges, uint64_t number) {
  const uint64_t begin = number << AccessMap::kPageShift, end = begin + AccessMap::kPageBytes;
  const auto ends_before = [](const ByteRange& range, uint64_t at) { return range.end <= at; };
  const auto it = std::lower_bound(ranges.begin(), ranges.end(), begin, ends_before);
  return it != ranges.end() && it->begin < end;
}

uint64_t volume(const std::vector<ByteRange>& ranges) {
  uint64_t sum = 0;
  for (const ByteRange& range : ranges) sum += range.end - range.begin;
  return sum;
}

std::optional<Clash> with_copy(const AccessMap& map, const MemoryUse& copy, bool map_is_first) {
  Search search;
  const bool flag = volume(copy.read) <= kMostFlagBytes && volume(copy.written) <= kMostFlagBytes;
  for (const auto& [number, page] : map.pages()) {
    if (!touches(copy.read, number) && !touches(copy.written, number)) continue;
    const PageView kernel(number, *page, !flag), copied(number, copy);
    const bool more =
        map_is_first ? search.add(number, kernel, copied) : search.add(number, copied, kernel);
    if (!more) break;
  }
  return search.clash();
}

/// The first bytes that lie in both.
std::optional<ByteRange> common(const std::vector<ByteRange>& a, const std::vector<ByteRange>& b) {
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    if (x->begin < y->end && y->begin < x->end)
      return ByteRange{std::max(x->begin, y->begin), std::min(x->end, y->end)};
    x->end < y->end ? ++x : ++y;
  }
  return std::nullopt;
}

std::optional<Clash> between_copies(const MemoryUse& first, const MemoryUse& second) {
  if (const auto bytes = common(first.written, second.written))
    return Clash{*bytes, true, true, {}, {}};
  if (const auto bytes = common(first.written, second.read))
    return Clash{*bytes, true, false, {}, {}};
  if (const auto bytes = common(first.read, second.written))
    return Clash{*bytes, false, true, {}, {}};
  return std::nullopt;
}

}  // namespace

AccessMap::Page* AccessMap::page(uint64_t number) {
  Slot& slot = latest_[number % latest_.size()];
  if (slot.number == number) return slot.page;
  const auto found = pages_.find(number);
  if (found != pages_.end()) {
    slot = {number, found->second.get()};
  } else {
    if (pages_.size() >= kMostPages) return nullptr;
    slot = {number, pages_.emplace(number, std::make_unique<Page>()).first->second.get()};
  }
  return slot.page;
}

void AccessMap::note_in_page(Page& page, uint64_t from, uint64_t to, Use use,
                             const MemoryUser& user) {
  const bool reads = use == Use::read || use == Use::volatile_read;
  if (use == Use::read || use == Use::write) {
    set_bits(reads ? page.read : page.written, from, to);
  } else {
    if (page.strong == nullptr) page.strong = std::make_unique<Strong>();
    set_bits(reads                        ? page.strong->read
             : use == Use::volatile_write ? page.strong->written
                                          : page.strong->atomic,
             from, to);
  }
  auto& users = reads ? page.reader : page.writer;
  for (uint64_t row = from >> kRowShift; row <= (to - 1) >> kRowShift; ++row) users[row] = user;
}

void AccessMap::note(uint64_t address, uint64_t bytes, Use use, const MemoryUser& user) {
  if (leaves_out(address)) return;
  for (uint64_t at = address, end = address + bytes; at < end;) {
    const uint64_t stop = std::min(end, (at | kOffsetMask) + 1);
    Page* const found = page(at >> kPageShift);
    if (found == nullptr) return;
    note_in_page(*found, at & kOffsetMask, ((stop - 1) & kOffsetMask) + 1, use, user);
    at = stop;
  }
}

void AccessMap::merge(const AccessMap& other) {
  for (const auto& [number, from] : other.pages_) {
    Page* const into = page(number);
    if (into == nullptr) return;
    // A row that has no user yet has no bit set either, and takes the other's.
    for (size_t row = 0; row < kRows; ++row) {
      if (into->reader[row].pc == kNoUser) into->reader[row] = from->reader[row];
      if (into->writer[row].pc == kNoUser) into->writer[row] = from->writer[row];
    }
    add(into->read, from->read);
    add(into->written, from->written);
    if (from->strong == nullptr) continue;
    if (into->strong == nullptr) into->strong = std::make_unique<Strong>();
    add(into->strong->read, from->strong->read);
    add(into->strong->written, from->strong->written);
    add(into->strong->atomic, from->strong->atomic);
  }
}

void AccessMap::finish() {
  sorted_.clear();
  for (const auto& [number, page] : pages_) sorted_.emplace_back(number, page.get());
  std::sort(sorted_.begin(), sorted_.end());
}

std::optional<Clash> find_clash(const MemoryUse& first, const MemoryUse& second) {
  if (first.map != nullptr && second.map != nullptr) return between_maps(*first.map, *second.map);
  if (first.map != nullptr) return with_copy(*first.map, second, true);
  if (second.map != nullptr) return with_copy(*second.map, first, false);
  return between_copies(first, second);
}

bool may_signal(const AccessMap& a, const AccessMap& b) {
  auto x = a.pages().begin(), y = b.pages().begin();
  while (x != a.pages().end() && y != b.pages().end()) {
    if (x->first != y->first) {
      x->first < y->first ? ++x : ++y;
      continue;
    }
    const AccessMap::Strong *p = x->second->strong.get(), *q = y->second->strong.get();
    for (size_t word = 0; p != nullptr && q != nullptr && word < AccessMap::kWords; ++word) {
      const uint64_t p_writes = p->written[word] | p->atomic[word];
      const uint64_t q_writes = q->written[word] | q->atomic[word];
      if (((p_writes & (q_writes | q->read[word])) | (q_writes & p->read[word])) != 0) return true;
    }
    ++x, ++y;
  }
  return false;
}

bool may_signal_host(const AccessMap& map) {
  return std::any_of(map.pages().begin(), map.pages().end(), [](const AccessMap::Entry& entry) {
    if (is_device_address(entry.first << AccessMap::kPageShift)) return false;
    const AccessMap::Strong* const strong = entry.second->strong.get();
    if (strong == nullptr) return false;
    const auto any = [](uint64_t word) { return word != 0; };
    return std::any_of(strong->written.begin(), strong->written.end(), any) ||
           std::any_of(strong->atomic.begin(), strong->atomic.end(), any);
  });
}

void note_cells(const Allocation& allocation, uint64_t generation, AccessMap& map) {
  if (allocation.shadow.cells == nullptr) return;
  constexpr uint64_t kWordBytes = 4;
  const uint64_t first = allocation.begin / kWordBytes;
  for (size_t i = 0; i < allocation.shadow.count; ++i) {
    const Cell cell = allocation.shadow.cells[i];
    const Kind kind = kind_of(cell);
    if (cell >> kGenerationShift != generation || kind == Kind::none || kind == Kind::split)
      continue;
    const bool writes = (cell & kWrites) != 0;
    const bool strong = kind == Kind::read_strongly || kind > Kind::written;
    const Use use = writes ? (strong ? Use::volatile_write : Use::write)
                           : (strong ? Use::volatile_read : Use::read);
    const bool wrote_before = !writes && (flags_of(cell) & (kWarpWrote | kBlockWrote)) != 0;
    const unsigned code = bytes_of(cell);
    const unsigned bytes = code == kOwnerPerByte ? kAllBytes : code & kAllBytes;
    const auto note = [&](uint64_t byte, uint64_t count) {
      const uint64_t address = (first + i) * kWordBytes + byte;
      map.note(address, count, use, {});
      if (wrote_before) map.note(address, count, Use::write, {});
    };
    if (bytes == kAllBytes) {
      note(0, kWordBytes);
      continue;
    }
    for (unsigned byte = 0; byte < kWordBytes; ++byte) {
      if ((bytes >> byte & 1) != 0) note(byte, 1);
    }
  }
}

}  // namespace warpgrade::emulator
