// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/moment.h"
#include "base/result.h"
#include "base/sentence.h"
#include "intake/identity.h"

namespace warpgrade {

/// What one student handed in.
struct Submission {
  std::string
      student;  ///< [A-Za-z0-9._-]{1,64}, unique among those read together, safe as a file name.
  fs::path path;
  std::string source;  ///< Text of the one file.
  Sentence problem;  ///< Why it cannot be graded and earns 0, for the student; empty where it can.
  std::string system_error;  ///< Why this machine could not read it; never the student's loss.
                             ///< Empty where it could.
  Identity identity = {};
  std::vector<std::string> notes = {};   ///< For the staff, a sentence each.
  std::optional<Moment> submitted = {};  ///< By the LMS's download.
  std::optional<Moment> written = {};    ///< The file's own time where an archive keeps it.
  fs::path repository = {};     ///< The git clone that it lies in; empty where it lies in none.
  bool is_marked_late = false;  ///< By the LMS, which says no time.
};

struct Submissions {
  std::string format = {};  ///< "a Canvas download"; empty for plain files and folders.
  std::vector<Submission> all = {};
  std::vector<fs::path> skipped = {};   ///< Files that are no student's work, such as a README.md.
  std::vector<std::string> notes = {};  ///< About the download, a sentence each.
};

class NamePattern;
class Unpacker;

/// How submissions are read.
struct IntakeOptions {
  std::string file_name;  ///< The one file that a student hands in.
  /// The course's own files by name: a student's copies are ignored, and an edited one is noted.
  std::map<std::string, std::string> staff_files = {};
  const NamePattern* pattern =
      nullptr;  ///< Matches a download's names; null: its format is recognised.
  const Unpacker* unpacker = nullptr;  ///< Null: archives are files like others.
  int jobs = 1;                        ///< Archives that are unpacked at a time.
};

/// The latest submission of each student under `path`: a file, a folder that holds the file, an archive, a download of
/// an LMS, or a folder in which each folder, archive or source file is one student's. Follows no links below `path`. An
/// Error where `path` is missing or damaged, or holds nothing.
Result<Submissions> read_submissions(const Files& files, const fs::path& path,
                                     const IntakeOptions& options);

/// The same without archives.
Result<Submissions> read_submissions(const Files& files, const fs::path& path,
                                     const std::string& file_name);

}  // namespace warpgrade
