// SPDX-License-Identifier: MIT
// What a Bench's results depend on, as hashes.
#include <fmt/format.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/text.h"
#include "pipeline/bench.h"
#include "rubric/translation.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

std::string file_stamp(const fs::path& path) {
  struct stat info {};
  ::stat(path.c_str(), &info);
  return fmt::format("{} {} {}.{:09}\n", path.filename().string(), info.st_size,
                     info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

/// What course.yaml says beside the rubric, as far as a result depends on it.
std::string settings_of(const Rubric& rubric) {
  const Limits& limits = rubric.limits;
  return fmt::format("{}: {} {} {} {} {} {}\n", join(rubric.devices, ", "), limits.wall_s,
                     limits.memory_mb, limits.output_kb, limits.processes, limits.compile_s,
                     limits.launch_instructions);
}

}  // namespace

std::map<std::string, std::string> Bench::input_hashes(const Submission& submission) const {
  const Paths& paths = installation_.paths;
  const Result<std::string> rubric = RealFiles().read(paths.rubric(rubric_.assignment));
  const std::string grader = file_stamp("/proc/self/exe") + file_stamp(device_library()) +
                             file_stamp(paths.engine.device_program) + file_stamp(oracle_) +
                             driver_key_ + installation_.sandbox.name();
  const Result<std::string> translation =
      RealFiles().read(translation_of(paths.rubric(rubric_.assignment), spoken_language()));
  std::string compared = (rubric ? *rubric : "") + settings_of(rubric_) + spoken_language() +
                         (translation ? *translation : "");
  for (const auto& [name, source] : baseline_sources_) compared += name + '\n' + source;
  return {{"submission", sha256_hex(submission.source + submission.problem.text)},
          {"rubric", sha256_hex(compared)},
          {"grader", sha256_hex(grader)},
          {"seed", sha256_hex(hex64(seed_))},
          {"toolchain", sha256_hex(installation_.toolchain.version)},
          {"toolkit", installation_.toolchain.release()}};
}

Versions Bench::versions() const {
  Versions shared = input_hashes({});
  shared.erase("submission");
  shared.erase("toolkit");  // for readers; the toolchain's hash says the same and more
  return shared;
}

}  // namespace warpgrade
