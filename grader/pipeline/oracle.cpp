// SPDX-License-Identifier: MIT
#include "pipeline/oracle.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/text.h"
#include "pipeline/driver.h"

namespace warpgrade {
namespace {

constexpr int kOracleCompileSeconds = 120;
constexpr size_t kCompilerBytes = size_t{4} << 30;
constexpr const char* kCompiler = "/usr/bin/g++";

/// The oracle's source with the headers beside it; empty where there is none.
std::string source_of(const fs::path& assignment) {
  const Result<std::string> text = RealFiles().read(assignment / "oracle.cpp");
  const Result<std::map<std::string, std::string>> headers = read_headers(assignment);
  if (!text || !headers) return "";
  std::string all = *text;
  for (const auto& [name, header] : *headers) all += '\n' + name + '\n' + header;
  return all;
}

/// Whether the engine's compiled oracle is made of this source. A handout's engine has compiled ones alone.
bool is_engines(const Engine& engine, const std::string& slug, const std::string& source) {
  return engine.build.empty() || source_of(engine.sources / "assignments" / slug) == source;
}

/// Changes with the file; empty where there is none.
std::string stamp_of(const fs::path& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) return "";
  return fmt::format("\n{} {}.{:09}", info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

Command compiler_for(const Paths& paths, const std::string& slug, const fs::path& output,
                     bool uses_blas) {
  const fs::path assignment = paths.assignment(slug);
  Command command;
  command.argv = {kCompiler, "-std=c++20", "-O2", "-fopenmp",
                  "-I" + (paths.engine.sources / "grader").string(), "-I" + assignment.string(),
                  (assignment / "oracle.cpp").string(), "-o", output.string(),
                  paths.engine.oracle_library.string(), "-lfmt",
                  // In a handout, its libraries lie there.
                  "-Wl,--disable-new-dtags,-rpath,$ORIGIN/../libs:$ORIGIN/../more-libs"};
  if (uses_blas) command.argv.push_back("-lopenblas");
  command.environment = {{"PATH", "/usr/bin:/bin"}, {"LC_ALL", "C"}};
  command.limits.wall_ms = kOracleCompileSeconds * 1000;
  command.limits.cpu_s = kOracleCompileSeconds;
  command.limits.memory_bytes = kCompilerBytes;
  return command;
}

Status compile(const Installation& installation, const std::string& slug, const fs::path& program,
               bool uses_blas) {
  std::error_code failed;
  fs::create_directories(program.parent_path(), failed);
  // Another grader may compile it at the same time.
  const fs::path beside = fmt::format("{}.{}", program.string(), ::getpid());
  const ProcessOutcome outcome =
      installation.trusted.run(compiler_for(installation.paths, slug, beside, uses_blas));
  if (!outcome.succeeded())
    return Error{fmt::format("the oracle of {} does not compile:\n{}", slug,
                             trim(outcome.error + outcome.err))};
  fs::rename(beside, program, failed);
  return failed ? Error{fmt::format("cannot write {}: {}", program.string(), failed.message())}
                : Status();
}

}  // namespace

Result<fs::path> oracle_of(const Installation& installation, const std::string& slug) {
  const Paths& paths = installation.paths;
  const std::string source = source_of(paths.assignment(slug));
  if (source.empty())
    return Error{fmt::format("{} is missing or cannot be read",
                             (paths.assignment(slug) / "oracle.cpp").string())};
  std::error_code ignored;
  const fs::path compiled = paths.engine.assignments / ("oracle-" + slug);
  if (fs::exists(compiled, ignored) && is_engines(paths.engine, slug, source)) return compiled;
  if (paths.build_cache.empty())
    return Error{"there is no folder for compiled oracles: set HOME or XDG_CACHE_HOME"};
  const std::string library = stamp_of(paths.engine.oracle_library);
  if (library.empty())
    return Error{fmt::format("{} is missing: run `ninja -C build`, or install the engine again",
                             paths.engine.oracle_library.string())};
  const fs::path program =
      paths.build_cache / "oracles" / sha256_hex(source + library) / ("oracle-" + slug);
  if (fs::exists(program, ignored)) return program;
  const bool uses_blas = source.find("<cblas.h>") != std::string::npos;
  if (Status done = compile(installation, slug, program, uses_blas); !done) return done.error();
  return program;
}

}  // namespace warpgrade
