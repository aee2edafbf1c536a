// SPDX-License-Identifier: MIT
#include "intake/archive/record.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"

namespace warpgrade {
namespace {

constexpr std::string_view kOpening = "warpgrade-unpack 1\n";
constexpr size_t kMostPathBytes = 4096;
constexpr size_t kMostSentenceBytes = 64 << 10;
constexpr size_t kMostLevels = 16;
/// What the archive's program may say of a file or of the whole, with the place that it fills beside `name`.
constexpr std::pair<std::string_view, std::string_view> kRefusals[] = {
    {"intake.link", ""},
    {"intake.irregular", ""},
    {"intake.encrypted", ""},
    {"intake.damaged", ""},
    {"intake.damaged_because", "why"},
    {"intake.no_archive", ""},
    {"intake.nested", ""},
    {"intake.too_large", "bytes"},
    {"intake.too_many_files", "files"},
    {"intake.unpacks_to_more", "mebibytes"}};
constexpr char kFile = 'F', kRefused = 'R', kFolder = 'D', kNote = 'N', kWhole = 'X', kEnd = 'E';

void append(std::string& out, char kind, const std::string& path, const std::string& text,
            const std::optional<Moment>& written = {}) {
  out +=
      fmt::format("{} {} {} {}\n", kind, path.size(), text.size(), written ? written->seconds : 0);
  out += path;
  out += text;
}

/// The refusal's id, name and other argument, with a zero byte between.
std::string format_refusal(const Refusal& refusal) {
  std::string name, other;
  for (const auto& [place, text] : refusal.args) (place == "name" ? name : other) = text;
  return refusal.id + '\0' + name + '\0' + other;
}

/// Nothing where the text is none that format_refusal writes.
std::optional<Refusal> parse_refusal(std::string_view text) {
  const std::vector<std::string> parts = split(text, '\0');
  if (parts.size() != 3) return std::nullopt;
  for (const auto& [id, place] : kRefusals) {
    if (id != parts[0]) continue;
    Refusal refusal{parts[0], {{"name", printable(parts[1])}}};
    if (!place.empty()) refusal.args[std::string(place)] = printable(parts[2]);
    return refusal;
  }
  return std::nullopt;
}

/// Takes records from the front of a text; fails once, and from then on always.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  struct Record {
    char kind = 0;
    std::string_view path, text;
    long seconds = 0;
  };

  bool next(Record& record) {
    if (text_.size() < 2 || text_[1] != ' ') return false;
    record.kind = text_[0];
    text_.remove_prefix(2);
    size_t path = 0, text = 0;
    if (!number(path, ' ') || !number(text, ' ') || !number(record.seconds, '\n')) return false;
    if (path > text_.size() || text > text_.size() - path) return false;
    record.path = text_.substr(0, path);
    record.text = text_.substr(path, text);
    text_.remove_prefix(path + text);
    return true;
  }

  bool done() const { return text_.empty(); }

 private:
  bool number(auto& value, char end) {
    const auto [rest, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc() || rest == text_.data() + text_.size() || *rest != end) return false;
    text_.remove_prefix(static_cast<size_t>(rest - text_.data()) + 1);
    return true;
  }

  std::string_view text_;
};

/// False where the record is none that format_unpacked writes.
bool take(const Scanner::Record& record, UnpackedArchive& unpacked) {
  const bool is_sentence = record.kind == kNote || record.kind == kWhole || record.kind == kRefused;
  if (is_sentence && record.text.size() > kMostSentenceBytes) return false;
  std::optional<Refusal> refusal;
  if (record.kind == kWhole || record.kind == kRefused) {
    refusal = parse_refusal(record.text);
    if (!refusal) return false;
  }
  if (record.kind == kNote) unpacked.notes.push_back(printable(record.text));
  if (record.kind == kWhole) unpacked.refusal = *refusal;
  if (record.kind == kNote || record.kind == kWhole) return true;
  const std::optional<fs::path> path = safe_path(record.path);
  if (!path) return false;
  if (record.kind == kFolder) unpacked.folders.push_back(*path);
  std::optional<Moment> written;
  if (record.seconds > 0) written = Moment{record.seconds, 0};
  if (record.kind == kFile)
    unpacked.files.push_back({*path, std::string(record.text), {}, written});
  if (record.kind == kRefused) unpacked.files.push_back({*path, {}, *refusal, written});
  return record.kind == kFolder || record.kind == kFile || record.kind == kRefused;
}

}  // namespace

std::optional<fs::path> safe_path(std::string_view path) {
  const bool has_drive =
      path.size() > 1 && path[1] == ':' && std::isalpha(static_cast<unsigned char>(path[0])) != 0;
  if (path.empty() || path.size() > kMostPathBytes || path[0] == '/' || path[0] == '\\' ||
      has_drive || path.find('\0') != std::string_view::npos)
    return std::nullopt;
  fs::path safe;
  size_t levels = 0;
  for (const fs::path& part : fs::path(path)) {
    if (part == "..") return std::nullopt;
    if (part.empty() || part == ".") continue;
    if (++levels > kMostLevels) return std::nullopt;
    safe /= part;
  }
  if (safe.empty()) return std::nullopt;
  return safe;
}

std::string format_unpacked(const UnpackedArchive& unpacked) {
  std::string out(kOpening);
  for (const ArchivedFile& file : unpacked.files)
    append(out, file.refusal.empty() ? kFile : kRefused, file.path.string(),
           file.refusal.empty() ? file.contents : format_refusal(file.refusal), file.written);
  for (const fs::path& folder : unpacked.folders) append(out, kFolder, folder.string(), "");
  for (const std::string& note : unpacked.notes) append(out, kNote, "", note);
  if (!unpacked.refusal.empty()) append(out, kWhole, "", format_refusal(unpacked.refusal));
  append(out, kEnd, "", "");
  return out;
}

Result<UnpackedArchive> parse_unpacked(std::string_view text) {
  const Error torn{"warpgrade-unpack did not say what the archive holds"};
  if (!text.starts_with(kOpening)) return torn;
  Scanner scanner(text.substr(kOpening.size()));
  UnpackedArchive unpacked;
  Scanner::Record record;
  while (scanner.next(record)) {
    if (record.kind == kEnd) {
      if (!scanner.done()) return torn;
      return unpacked;
    }
    if (!take(record, unpacked)) return torn;
  }
  return torn;
}

}  // namespace warpgrade
