// SPDX-License-Identifier: MIT
#include "pipeline/driver.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "pipeline/workspace.h"

namespace warpgrade {
namespace {

constexpr int kCompileSeconds = 120;

fs::path key_path(const fs::path& object) { return object.string() + ".key"; }

/// The key, and a hash of the object, which may be torn.
std::string stamp_of(const std::string& key, const std::string& object) {
  return key + ' ' + sha256_hex(object);
}

bool is_built(const fs::path& object, const std::string& key) {
  const Result<std::string> known = RealFiles().read(key_path(object)),
                            bytes = RealFiles().read(object);
  return known.ok() && bytes.ok() && *known == stamp_of(key, *bytes);
}

/// Where a driver lies that was compiled on first use; empty where nothing is kept.
fs::path kept_path(const Paths& paths, const std::string& key) {
  if (paths.build_cache.empty()) return {};
  return paths.build_cache / "drivers" / (sha256_hex(key) + ".o");
}

Status write_key(const fs::path& object, const std::string& key) {
  const Result<std::string> bytes = RealFiles().read(object);
  if (!bytes) return bytes.error();
  return RealFiles().write(key_path(object), stamp_of(key, *bytes));
}

}  // namespace

Result<std::map<std::string, std::string>> read_headers(const fs::path& folder) {
  const RealFiles files;
  const Result<std::vector<std::string>> names = files.list(folder);
  if (!names) return names.error();
  std::map<std::string, std::string> headers;
  for (const std::string& name : *names) {
    if (fs::path(name).extension() != ".h") continue;
    const Result<std::string> text = files.read(folder / name);
    if (!text) return text.error();
    headers[name] = *text;
  }
  return headers;
}

Result<SourceFile> read_driver(const Paths& paths, const std::string& slug) {
  const RealFiles files;
  Result<std::map<std::string, std::string>> headers = read_headers(paths.assignment(slug));
  if (!headers) return headers.error();
  const Result<std::string> text = files.read(paths.assignment(slug) / "driver.cu"),
                            npy = files.read(paths.engine.sources / "grader/base/npy_io.h");
  const Result<std::map<std::string, std::string>> harness =
      read_headers(paths.engine.sources / "grader/harness");
  if (!text) return text.error();
  if (!npy) return npy.error();
  if (!harness) return harness.error();
  SourceFile driver{"driver.cu", *text, std::move(*headers)};
  driver.headers["base/npy_io.h"] = *npy;
  for (const auto& [name, header] : *harness) driver.headers["harness/" + name] = header;
  return driver;
}

Status prebuild_driver(const Installation& installation, const std::string& slug,
                       const fs::path& object) {
  const Result<SourceFile> driver = read_driver(installation.paths, slug);
  if (!driver) return driver.error();
  // The course's own code: it needs no sandbox, and the build shall not depend on there being one.
  const Builder builder(installation.trusted, installation.toolchain, BuildCache(""));
  const std::string key = builder.key_of(*driver);
  std::error_code failed;
  if (is_built(object, key)) {
    fs::last_write_time(object, fs::file_time_type::clock::now(), failed);
    return write_key(object, key);
  }
  if (take_prebuilt_driver(installation.paths, slug, key, object)) return write_key(object, key);
  const Result<std::unique_ptr<Workspace>> workspace = Workspace::make();
  if (!workspace) return workspace.error();
  const Result<fs::path> compiled =
      builder.compile_driver(*driver, {(*workspace)->folder(), 0, kCompileSeconds});
  if (!compiled) return compiled.error();
  fs::copy_file(*compiled, object, fs::copy_options::overwrite_existing, failed);
  if (failed) return Error{fmt::format("cannot write {}: {}", object.string(), failed.message())};
  return write_key(object, key);
}

bool take_prebuilt_driver(const Paths& paths, const std::string& slug, const std::string& key,
                          const fs::path& object) {
  for (const fs::path& known : {paths.driver(slug), kept_path(paths, key)}) {
    if (known.empty() || !is_built(known, key)) continue;
    std::error_code failed;
    fs::create_directories(object.parent_path(), failed);
    fs::copy_file(known, object, fs::copy_options::overwrite_existing, failed);
    if (!failed) return true;
  }
  return false;
}

void keep_driver(const Paths& paths, const std::string& key, const fs::path& object) {
  const fs::path kept = kept_path(paths, key);
  if (kept.empty()) return;
  std::error_code failed;
  fs::create_directories(kept.parent_path(), failed);
  // Its key is written last and holds its hash, so that a torn one is compiled again.
  fs::copy_file(object, kept, fs::copy_options::overwrite_existing, failed);
  if (!failed) static_cast<void>(write_key(kept, key));
}

}  // namespace warpgrade
