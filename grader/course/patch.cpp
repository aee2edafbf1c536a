// SPDX-License-Identifier: MIT
#include "course/patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <vector>

#include "base/text.h"

namespace warpgrade {
namespace {

using Lines = std::vector<std::string>;

constexpr std::string_view kHunkMark = "@@";

/// One change, and where it stands in the patch.
struct Hunk {
  size_t line = 0;             ///< of its `@@`
  Lines before;                ///< the base's lines
  Lines after;                 ///< the result's
  std::vector<size_t> places;  ///< the patch's line for each of `before`
};

/// The COUNTs of `@@ -LINE,COUNT +LINE,COUNT @@`.
struct Counts {
  size_t before = 0;
  size_t after = 0;
};

Error patch_mistake(const std::string& name, size_t line, std::string_view what) {
  return {fmt::format("{}:{}: error: {}", name, line, what)};
}

/// Takes a whole number off the front of `text`.
std::optional<size_t> take_number(std::string_view& text) {
  size_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

bool take(std::string_view& text, std::string_view start) {
  if (!text.starts_with(start)) return false;
  text.remove_prefix(start.size());
  return true;
}

/// Takes "12,3", or "12" for one line, off the front of `text`; the COUNT.
std::optional<size_t> take_count(std::string_view& text) {
  if (!take_number(text)) return std::nullopt;
  return take(text, ",") ? take_number(text) : std::optional<size_t>(1);
}

std::optional<Counts> read_counts(std::string_view line) {
  if (!take(line, "@@ -")) return std::nullopt;
  const std::optional<size_t> before = take_count(line);
  if (!before || !take(line, " +")) return std::nullopt;
  const std::optional<size_t> after = take_count(line);
  if (!after || !take(line, " @@")) return std::nullopt;
  return Counts{*before, *after};
}

/// The lines of a text that ends with a newline and has no CR before one.
Result<Lines> lines_of(const NamedText& text) {
  Lines lines = split(text.text, '\n');
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].ends_with('\r'))
      return patch_mistake(text.name, text.first_line + i,
                           "the line ends with CR LF: save the file with LF alone");
  }
  if (!lines.back().empty())
    return patch_mistake(text.name, text.first_line + lines.size() - 1,
                         "the last line has no newline: add one");
  lines.pop_back();
  return lines;
}

class HunkReader {
 public:
  HunkReader(const NamedText& patch, const Lines& lines) : patch_(patch), lines_(lines) {}

  Result<std::vector<Hunk>> read() {
    std::vector<Hunk> hunks;
    while (next_ < lines_.size()) {
      Result<Hunk> hunk = read_hunk();
      if (!hunk) return hunk.error();
      hunks.push_back(std::move(*hunk));
    }
    if (hunks.empty())
      return patch_mistake(
          patch_.name, patch_.first_line,
          "the patch has no hunk: wanted \"@@ -LINE,COUNT +LINE,COUNT @@\" and the "
          "lines that `diff -U1` prints below it");
    return hunks;
  }

 private:
  Error at(size_t index, std::string_view what) const {
    return patch_mistake(patch_.name, patch_.first_line + index, what);
  }

  Result<Hunk> read_hunk() {
    const size_t head = next_++;
    const std::optional<Counts> counts = read_counts(lines_[head]);
    if (!counts)
      return at(head, "wanted \"@@ -LINE,COUNT +LINE,COUNT @@\", which `diff -U1` prints");
    Hunk hunk;
    hunk.line = patch_.first_line + head;
    for (; next_ < lines_.size() && !lines_[next_].starts_with(kHunkMark); ++next_) {
      if (Status added = add_line(hunk); !added) return added.error();
    }
    if (hunk.before.size() != counts->before || hunk.after.size() != counts->after)
      return at(head, fmt::format("the hunk has {} of the base and {} of the result: write "
                                  "\"-LINE,{} +LINE,{}\"",
                                  counted(static_cast<long>(hunk.before.size()), "line"),
                                  hunk.after.size(), hunk.before.size(), hunk.after.size()));
    if (hunk.before.empty())
      return at(head, "the hunk has no line of the base: add a line of context (`diff -U1`)");
    if (hunk.before == hunk.after) return at(head, "the hunk changes nothing: delete it");
    return hunk;
  }

  Status add_line(Hunk& hunk) const {
    const std::string& line = lines_[next_];
    const char kind = line.empty() ? ' ' : line.front();
    const std::string text = line.empty() ? "" : line.substr(1);
    if (kind == '\\')
      return at(next_,
                "one of the two programs has no newline at its end: add it there, and make "
                "the patch again");
    if (kind != ' ' && kind != '-' && kind != '+')
      return at(next_,
                "a hunk's line begins with ' ' (context), '-' (in the base alone) or '+' "
                "(in the result alone)");
    if (kind != '+') {
      hunk.before.push_back(text);
      hunk.places.push_back(patch_.first_line + next_);
    }
    if (kind != '-') hunk.after.push_back(text);
    return {};
  }

  const NamedText& patch_;
  const Lines& lines_;
  size_t next_ = 0;
};

/// Where all of `wanted` stands in `lines`, as indices of its first line.
std::vector<size_t> places_of(const Lines& wanted, const Lines& lines) {
  std::vector<size_t> places;
  for (auto from = lines.begin();; ++from) {
    from = std::search(from, lines.end(), wanted.begin(), wanted.end());
    if (from == lines.end()) return places;
    places.push_back(static_cast<size_t>(from - lines.begin()));
  }
}

/// Puts the result together, hunk by hunk.
class Merger {
 public:
  Merger(const NamedText& base, const Lines& lines, const std::string& patch)
      : base_(base), lines_(lines), patch_(patch) {}

  Status add(const Hunk& hunk) {
    const std::vector<size_t> places = places_of(hunk.before, lines_);
    if (places.empty()) return misfit(hunk);
    if (places.size() > 1)
      return patch_mistake(
          patch_, hunk.line,
          fmt::format("the hunk fits at the lines {} and {} of {}: add context until one "
                      "place is left (`diff -U3`)",
                      base_.first_line + places[0], base_.first_line + places[1], base_.name));
    if (places[0] < done_)
      return patch_mistake(
          patch_, hunk.line,
          fmt::format("the hunk belongs at line {} of {}, above the end of the hunk "
                      "before it: sort hunks by line, and join those that overlap",
                      base_.first_line + places[0], base_.name));
    copy_up_to(places[0]);
    result_.insert(result_.end(), hunk.after.begin(), hunk.after.end());
    done_ = places[0] + hunk.before.size();
    return {};
  }

  std::string finish() {
    copy_up_to(lines_.size());
    return result_.empty() ? "" : join(result_, "\n") + "\n";
  }

 private:
  Error misfit(const Hunk& hunk) const {
    for (size_t i = 0; i < hunk.before.size(); ++i) {
      if (std::find(lines_.begin(), lines_.end(), hunk.before[i]) == lines_.end())
        return patch_mistake(
            patch_, hunk.places[i],
            fmt::format("{} has no line \"{}\": write the hunk of line {} as the base is "
                        "now",
                        base_.name, hunk.before[i], hunk.line));
    }
    return patch_mistake(
        patch_, hunk.line,
        fmt::format("the hunk's lines do not follow one another in {}: write it as the "
                    "base is now",
                    base_.name));
  }

  void copy_up_to(size_t end) {
    for (; done_ < end; ++done_) result_.push_back(lines_[done_]);
  }

  const NamedText& base_;
  const Lines& lines_;
  const std::string& patch_;
  size_t done_ = 0;
  Lines result_;
};

}  // namespace

Result<std::string> apply_patch(const NamedText& base, const NamedText& patch) {
  const Result<Lines> patch_lines = lines_of(patch), base_lines = lines_of(base);
  if (!patch_lines) return patch_lines.error();
  if (!base_lines) return base_lines.error();
  const Result<std::vector<Hunk>> hunks = HunkReader(patch, *patch_lines).read();
  if (!hunks) return hunks.error();
  Merger merger(base, *base_lines, patch.name);
  for (const Hunk& hunk : *hunks) {
    if (Status added = merger.add(hunk); !added) return added.error();
  }
  return merger.finish();
}

}  // namespace warpgrade
