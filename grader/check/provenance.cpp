// SPDX-License-Identifier: MIT
#include "check/provenance.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "base/text.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

Writer parse_writer(const std::string& text) {
  const std::vector<std::string> parts = split(text, '\t');
  if (parts[0] == "host") return {Writer::Kind::kHost, "", ""};
  if (parts[0] == "fill") return {Writer::Kind::kFill, "", ""};
  if (parts[0] != "kernel" || parts.size() != 3) return {};
  return {Writer::Kind::kKernel, parts[1], parts[2]};
}

Sentence in_words(const Writer& writer) {
  switch (writer.kind) {
    case Writer::Kind::kNothing:
      return say("writer.nothing");
    case Writer::Kind::kHost:
      return say("writer.host");
    case Writer::Kind::kFill:
      return say("writer.fill");
    case Writer::Kind::kKernel:
      break;
  }
  if (writer.kernel.empty()) return say("writer.unknown");
  return writer.range.empty()
             ? say("writer.outside", {{"kernel", writer.kernel}})
             : say("writer.kernel", {{"kernel", writer.kernel}, {"range", writer.range}});
}

template <class T>
bool is_neutral_number(std::string_view element) {
  T number;
  std::memcpy(&number, element.data(), sizeof number);
  using Limits = std::numeric_limits<T>;
  const auto is = [&](auto wanted) { return number == static_cast<T>(wanted); };
  if constexpr (Limits::has_infinity) {
    if (std::isinf(number)) return true;
  }
  return is(0) || is(1) || is(-1) || is(Limits::max()) || is(Limits::lowest());
}

/// Goes through the bytes of one array that no kernel of the range wrote last.
class Leftovers {
 public:
  Leftovers(const NpyArray& array, const CaseFacts& facts)
      : array_(array),
        bytes_(bytes_view(array)),
        size_(std::max<size_t>(1, array.bytes.size() / std::max<size_t>(1, array.count()))),
        facts_(facts) {}

  /// What all whole elements that no kernel wrote have in common so far; empty where there is none.
  std::string_view value() const { return value_; }
  void set_value(std::string_view value) { value_ = value; }

  /// The first element of [begin, end) that a kernel must have computed; nothing where there is none.
  std::optional<size_t> first_computed(size_t begin, size_t end) {
    for (size_t at = begin; at < end;) {
      const size_t element = at / size_, until = std::min(end, (element + 1) * size_);
      if (!may_stay(at, until)) return element;
      at = until;
    }
    return std::nullopt;
  }

 private:
  /// Bytes of one element.
  bool may_stay(size_t begin, size_t end) {
    const std::string_view part = bytes_.substr(begin, end - begin);
    const bool is_whole = part.size() == size_;
    const bool is_neutral_part = is_whole ? is_neutral(part, array_.dtype) : is_zero(part);
    if (is_neutral_part && is_first_value(part, is_whole)) return true;
    return is_input(begin, part);
  }

  static bool is_zero(std::string_view part) {
    return std::all_of(part.begin(), part.end(), [](char byte) { return byte == 0; });
  }

  /// One value for all that no kernel wrote: two would tell something.
  bool is_first_value(std::string_view element, bool is_whole) {
    if (!is_whole) return true;
    if (value_.empty()) value_ = element;
    return value_ == element;
  }

  bool is_input(size_t begin, std::string_view part) {
    // What the grader cannot read costs no point.
    return !inputs().ok() ||
           std::any_of(inputs()->begin(), inputs()->end(), [&](const NpyArray& input) {
             return bytes_view(input).substr(begin, part.size()) == part;
           });
  }

  /// The case's inputs that are as large as the array and differ from it. Bytes that equal theirs were perhaps copied.
  const Result<std::vector<NpyArray>>& inputs() {
    if (inputs_) return *inputs_;
    std::vector<NpyArray> alike;
    Result<Arrays> all = facts_.inputs ? facts_.inputs() : Arrays();
    if (!all) return inputs_.emplace(all.error());
    for (auto& [name, input] : *all) {
      if (input.bytes.size() == array_.bytes.size() && input.bytes != array_.bytes)
        alike.push_back(std::move(input));
    }
    return inputs_.emplace(std::move(alike));
  }

  const NpyArray& array_;
  const std::string_view bytes_;
  const size_t size_;
  const CaseFacts& facts_;
  std::string_view value_;
  std::optional<Result<std::vector<NpyArray>>> inputs_;
};

/// Judges one way in which an array may have arrived.
class ArrivalJudge {
 public:
  ArrivalJudge(const std::string& name, const NpyArray& array, const std::string& range,
               const CaseFacts& facts)
      : name_(name), array_(array), range_(range), leftovers_(array, facts) {}

  Sentence judge(const Arrival& arrival) {
    for (const ArrivedPart& part : arrival) {
      Sentence why;
      bool fits = false;
      const std::string_view value = leftovers_.value();
      for (const CopiedBytes& source : *part.sources) {
        const Sentence wrong = foreign(part, source);
        fits = wrong.empty();
        if (fits) break;
        leftovers_.set_value(value);
        if (why.empty()) why = wrong;
      }
      if (!fits) return why;
    }
    return by_kernels_ > 0 ? Sentence() : elsewhere();
  }

 private:
  Sentence elsewhere() const { return computed_elsewhere(name_, array_, range_); }

  const Provenance* provenance_of(const ApiCall* copy) {
    const auto [known, is_new] = known_.try_emplace(copy);
    if (is_new) known->second = Provenance::of(*copy);
    return known->second ? &*known->second : nullptr;
  }

  /// Why the part is not the kernels', had it come by this copy.
  Sentence foreign(const ArrivedPart& part, const CopiedBytes& source) {
    const Provenance* const provenance = provenance_of(source.copy);
    if (provenance == nullptr) return elsewhere();
    const uint64_t first = source.offset, last = source.offset + part.bytes;
    if (part.bytes > 0 && (provenance->runs.empty() || provenance->runs.back().end < last))
      return elsewhere();
    auto run = std::upper_bound(
        provenance->runs.begin(), provenance->runs.end(), first,
        [](uint64_t offset, const Provenance::Run& one) { return offset < one.end; });
    uint64_t by_kernels = 0;
    for (; run != provenance->runs.end() && run->begin < last; ++run) {
      const uint64_t begin = std::max(run->begin, first), end = std::min(run->end, last);
      const Writer& writer = provenance->writers[run->writer];
      if (writer.is_kernel_of(range_)) {
        by_kernels += end - begin;
        continue;
      }
      const auto element =
          leftovers_.first_computed(part.begin + (begin - first), part.begin + (end - first));
      if (element)
        return say("device_work.foreign", {{"array", name_},
                                           {"element", *element},
                                           {"writer", in_words(writer)},
                                           {"range", range_}});
    }
    by_kernels_ += by_kernels;
    return {};
  }

  const std::string& name_;
  const NpyArray& array_;
  const std::string& range_;
  Leftovers leftovers_;
  uint64_t by_kernels_ = 0;
  std::map<const ApiCall*, std::optional<Provenance>> known_;
};

}  // namespace

std::optional<Provenance> Provenance::of(const ApiCall& copy) {
  if (!copy.args.contains("origin_runs")) return std::nullopt;
  Provenance found;
  for (const std::string& writer : copy.words("origins"))
    found.writers.push_back(parse_writer(writer));
  const std::string text = copy.text("origin_runs");
  const char *at = text.data(), *const end = at + text.size();
  uint64_t begin = 0;
  while (at < end) {
    uint64_t bytes = 0;
    size_t writer = 0;
    const auto count = std::from_chars(at, end, bytes);
    if (count.ec != std::errc() || count.ptr == end || *count.ptr != ':') return std::nullopt;
    const auto place = std::from_chars(count.ptr + 1, end, writer);
    if (place.ec != std::errc() || writer >= found.writers.size()) return std::nullopt;
    if (place.ptr != end && *place.ptr != ' ') return std::nullopt;
    found.runs.push_back({begin, begin + bytes, writer});
    begin += bytes;
    at = place.ptr == end ? end : place.ptr + 1;
  }
  return found;
}

Sentence not_computed(const std::string& name, const NpyArray& array, const Arrival& arrival,
                      const std::string& range, const CaseFacts& facts) {
  return ArrivalJudge(name, array, range, facts).judge(arrival);
}

Sentence computed_elsewhere(const std::string& name, const NpyArray& array,
                            const std::string& range) {
  const bool has_rows = array.shape.size() > 1 && array.shape.front() > 1;
  return say("device_work.elsewhere",
             {{"array", name},
              {"range", range},
              {"doer", say(has_rows ? "doer.host_or_gaps" : "doer.host")}});
}

bool is_neutral(std::string_view element, const std::string& dtype) {
  const bool alike = std::all_of(element.begin(), element.end(),
                                 [&](char byte) { return byte == element.front(); });
  // One byte is alike whatever its value is, so its value decides.
  if (element.size() == 1)
    return element[0] == 0 || element[0] == 1 || element[0] == static_cast<char>(-1);
  if (alike) return true;
  if (dtype == "<f4") return is_neutral_number<float>(element);
  if (dtype == "<f8") return is_neutral_number<double>(element);
  if (dtype == "<i4") return is_neutral_number<int32_t>(element);
  if (dtype == "<i8") return is_neutral_number<int64_t>(element);
  if (dtype == "<u4") return is_neutral_number<uint32_t>(element);
  return dtype == "<u8" && is_neutral_number<uint64_t>(element);
}

}  // namespace warpgrade
