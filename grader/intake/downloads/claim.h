// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "intake/downloads/listing.h"
#include "intake/identity.h"

namespace warpgrade {

/// A file of a claim, by the name that the student gave it.
struct ClaimedFile {
  size_t index = 0;  ///< In Listing::files.
  fs::path name;     ///< In the student's own folder.
  /// Greater for a later upload of the same name; 0 where the LMS keeps one.
  long upload = 0;
};

/// One attempt of one student, as a download's names say it. Nothing of it has been read.
struct Claim {
  std::string student;  ///< What the student shall be called; not yet safe.
  std::string key;      ///< The same for all attempts of one student, different for two students.
  std::vector<fs::path>
      places;  ///< The folders and files at the top of the download, first the one to name.
  Identity identity = {};
  std::vector<ClaimedFile> files = {};
  std::optional<Moment> submitted = {};  ///< By the LMS.
  long attempt = 0;                      ///< Greater for a later one, where times do not say.
  bool is_marked_late = false;           ///< By the LMS.
  bool is_named_freely = false;          ///< Its only file is meant, whatever its name.
};

/// What the names of a download say.
struct Claims {
  std::string format;  ///< "a Canvas download"; empty for plain folders and files.
  std::vector<Claim> all;
  std::vector<fs::path> skipped = {};  ///< Files that nobody handed in, such as a README.md.
  std::vector<std::string> notes = {};
  std::string error =
      {};  ///< Why the download cannot be read, with file and line; empty where it can.
};

/// Names of another shape: a regular expression with the named groups `student` (which it must have), `id`, `name`,
/// `late` and `attempt`, for the path of a file inside the download.
class NamePattern {
 public:
  static Result<NamePattern> parse(const std::string& text);

  /// Groups by name; nothing where the whole of `path` does not match.
  std::optional<std::map<std::string, std::string>> match(const std::string& path) const;

 private:
  std::regex expression_;
  std::vector<std::string>
      groups_;  ///< The names of the expression's groups, in their order; empty for one without a name.
};

/// Who handed in what. `extension` is that of a source file, ".cu". Takes the first format whose shape the names have:
/// Gradescope's, Moodle's, Canvas's, GitHub Classroom's, plain folders and files. Where `is_packed`, one folder may lie
/// around all others; in a folder of the staff's, it would be a student's own, who could choose the names in it.
Claims read_claims(const Listing& listing, const std::string& extension, bool is_packed);

/// Who handed in what by the staff's pattern.
Claims read_claims(const Listing& listing, const NamePattern& pattern);

// One format each; nothing where the names have another shape.
std::optional<Claims> read_canvas(const Listing& listing, const std::string& extension);
std::optional<Claims> read_moodle(const Listing& listing, const std::string& extension);
std::optional<Claims> read_gradescope(const Listing& listing, const std::string& extension);
std::optional<Claims> read_classroom(const Listing& listing, const std::string& extension);
/// Each folder or source file is one student's.
Claims read_plain(const Listing& listing, const std::string& extension);

/// Gradescope's list of who handed in what, beside the folders of an export.
constexpr const char* kGradescopeList = "submission_metadata.yml";

/// A folder or file at the top of a download.
struct TopEntry {
  std::string name;
  bool is_folder = false;
  std::vector<ClaimedFile> files = {};  ///< Below the folder, or the file itself.
};
std::vector<TopEntry> top_entries(const Listing& listing);

/// Adds those that a format did not recognise as plain ones, with a note each.
void add_plain(const Listing& listing, const std::vector<TopEntry>& rest,
               const std::string& extension, Claims& claims);

/// Whether a name ends as source files do, in any case of letters.
bool has_extension(const fs::path& name, const std::string& extension);

}  // namespace warpgrade
