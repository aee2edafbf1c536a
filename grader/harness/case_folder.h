// SPDX-License-Identifier: MIT
#pragma once

#include <sys/stat.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/npy_io.h"
#include "harness/noted_output.h"
#include "harness/repetition.h"

namespace warpgrade::harness {

/// The folder of a graded case: arrays in in/, and what the student's functions made of them in
/// out/. Every failure ends the program with status 98.
class CaseFolder {
 public:
  explicit CaseFolder(std::string path, const Repetition& repetition = {})
      : in_(path + "/in/" + slashed(repetition.input)),
        out_(path + "/out/" + slashed(repetition.number)) {}

  /// The case that the grader runs; none where the program is run by hand.
  static std::optional<CaseFolder> from_environment() {
    const char* path = std::getenv("WARPGRADE_CASE");
    if (path == nullptr) return std::nullopt;
    const CaseFolder folder(path, Repetition::current());
    if (!Repetition::current().number.empty()) ::mkdir(folder.out_.c_str(), 0777);
    return folder;
  }

  template <class T>
  npy_io::Array<T> input(const char* name) const {
    return npy_io::read<T>(in_ + name + ".npy");
  }

  /// `values` in row-major order, as many as `shape` says. Written at once, so that what a program
  /// computed before it crashed still counts. Writing a name again replaces it.
  template <class T>
  void output(const char* name, const std::vector<size_t>& shape,
              const std::vector<T>& values) const {
    if (values.size() != npy_io::count(shape))
      npy_io::fail(name, "has another number of values than its shape says");
    if (Repetition::current().number.empty())
      note_output(name, values.data(), values.size() * sizeof(T));
    npy_io::write(out_ + name + ".npy", shape, values.data());
  }

  /// One-dimensional.
  template <class T>
  void output(const char* name, const std::vector<T>& values) const {
    output(name, {values.size()}, values);
  }

 private:
  static std::string slashed(const std::string& name) { return name.empty() ? name : name + '/'; }

  std::string in_;
  std::string out_;
};

}  // namespace warpgrade::harness
