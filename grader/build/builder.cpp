// SPDX-License-Identifier: MIT
#include "build/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "base/files.h"
#include "base/hash.h"
#include "base/text.h"
#include "build/compiler_failure.h"
#include "build/contract.h"
#include "build/device_code.h"
#include "build/object_rules.h"
#include "sandbox/disk_use.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

constexpr size_t kCompilerMemoryBytes = size_t{4} << 30;
constexpr size_t kLargestFileBytes = size_t{256} << 20;
constexpr size_t kCompilerOutputBytes = size_t{4} << 20;
constexpr size_t kCompilerFilesBytes = size_t{512} << 20;  // all together
// Counts the changes after which a build that was kept might end otherwise.
constexpr int kVerdicts = 3;
constexpr int kTries = 3;   // of what the machine failed to do
constexpr int kDoubts = 1;  // more tries of a source that alone makes tools fail

Status write_text(const fs::path& path, const std::string& text) {
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  return file ? Status() : Status(Error{fmt::format("cannot write {}", path.string())});
}

BuildResult system_error(std::string why) {
  BuildResult result;
  result.reason = std::move(why);
  return result;
}

BuildResult doubtful_error(std::string why) {
  BuildResult result = system_error(std::move(why));
  result.is_doubtful = true;
  return result;
}

/// How often the kernel has killed a process since it started, for lack of memory.
long processes_killed_for_memory() {
  std::ifstream counters("/proc/vmstat");
  std::string name;
  for (long value = 0; counters >> name >> value;) {
    if (name == "oom_kill") return value;
  }
  return 0;
}

std::string without(std::string text, const std::string& part) {
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos;) text.erase(at, part.size());
  return text;
}

/// Our own headers, which lie in folders, have nothing for the device.
bool is_for_the_host(const SourceFile& driver) {
  return driver.code.empty() && !may_have_device_code(driver.text) &&
         std::none_of(driver.headers.begin(), driver.headers.end(), [](const auto& header) {
           return header.first.find('/') == std::string::npos &&
                  may_have_device_code(header.second);
         });
}

}  // namespace

std::string Builder::key_of(const SourceFile& source) const {
  // Where the toolkit lies and which linker is quick is the machine's; what is built does not depend on it.
  const Toolchain anywhere{"", toolchain_.version, "", ""};
  std::string all = fmt::format("{}\n{}", kVerdicts, toolchain_.version);
  const auto add = [&all](std::string_view text) {
    all += fmt::format("\n{}\n{}", text.size(), text);
  };
  for (const std::string& word : anywhere.compile_argv("", "", "", source.code)) add(word);
  for (const auto& argv : {anywhere.compile_host_argv("", "", ""), anywhere.link_argv({}, "", ""),
                           anywhere.contract_argv("", ""), anywhere.embed_argv("", "", ""),
                           anywhere.isolate_argv("", "", "")}) {
    for (const std::string& word : argv) add(word);
  }
  add(source.name);
  add(source.text);
  for (const auto& [name, text] : source.headers) {
    add(name);
    add(text);
  }
  return sha256_hex(all);
}

Result<fs::path> Builder::compile_driver(const SourceFile& driver, const BuildPlace& place) const {
  std::error_code ignored;
  fs::create_directories(place.folder, ignored);
  const std::string key = sha256_hex(key_of(driver) + sandbox_.name());
  std::optional<BuildResult> known = cache_.find(key, place.folder / "driver.o");
  BuildResult result = known ? *known : BuildResult();
  for (int attempt = 0; attempt < kTries && result.status == BuildStatus::kSystemError; ++attempt)
    result = with_contract(compile_quickly(driver, place), place);
  if (!known) cache_.keep(key, result);
  if (result.status == BuildStatus::kBuilt) return result.program;
  return Error{fmt::format("the driver does not compile: {}", result.reason)};
}

BuildResult Builder::build(const SourceFile& source, const std::string& driver_key,
                           const std::shared_future<Result<fs::path>>& driver,
                           const BuildPlace& place) const {
  Result<fs::path> object = driver.get();
  const Result<std::string> code = object ? RealFiles().read(*object) : Error{object.error()};
  if (!code) object = code.error();
  // What a weaker sandbox let a source include must not come back under a stronger one. The driver's code tells where the
  // driver was compiled: nvcc names its kernels after that. Reasons for a failure are kept in the language of the class.
  const std::string key = sha256_hex(key_of(source) + driver_key + (code ? sha256_hex(*code) : "") +
                                     sandbox_.name() + spoken_language());
  if (std::optional<BuildResult> known = cache_.find(key, place.folder / "program")) return *known;
  BuildResult result = build_once(source, object, place);
  for (int again = 0; result.is_doubtful && tools_work(source, object, place); ++again) {
    if (again == kDoubts) {
      result.status = BuildStatus::kRejected;
      result.reason = say("build.only_this", {{"why", result.reason}}).text;
      break;
    }
    result = build_once(source, object, place);
  }
  cache_.keep(key, result);
  return result;
}

BuildResult Builder::build_once(const SourceFile& source, const Result<fs::path>& driver,
                                const BuildPlace& place) const {
  BuildResult result = compile(source, place);
  if (result.status != BuildStatus::kBuilt) return result;
  if (!driver) return system_error(driver.error().message);
  result = isolate(std::move(result), *driver, place);
  if (result.status != BuildStatus::kBuilt) return result;
  BuildResult linked = link(result.program, *driver, place);
  linked.diagnostics.insert(linked.diagnostics.begin(), result.diagnostics.begin(),
                            result.diagnostics.end());
  return linked;
}

/// A kernel and nothing of the contract goes through all of them, until the linker misses the contract's functions.
bool Builder::tools_work(const SourceFile& source, const Result<fs::path>& driver,
                         const BuildPlace& place) const {
  SourceFile own = source;
  own.text = "__global__ void nothing() {}\nvoid launch_nothing() { nothing<<<1, 1>>>(); }\n";
  const BuildPlace beside{place.folder / "beside", place.slot, place.compile_s};
  const BuildResult result = build_once(own, driver, beside);
  std::error_code ignored;
  fs::remove_all(beside.folder, ignored);
  return result.status != BuildStatus::kSystemError;
}

/// What g++ does not take by itself, nvcc does or says why not.
BuildResult Builder::compile_quickly(const SourceFile& driver, const BuildPlace& place) const {
  if (is_for_the_host(driver)) {
    BuildResult compiled = compile(driver, place, Compiler::kHosts);
    if (compiled.status == BuildStatus::kBuilt) return compiled;
  }
  return compile(driver, place);
}

BuildResult Builder::compile(const SourceFile& source, const BuildPlace& place,
                             Compiler compiler) const {
  const fs::path sources = place.folder / "source", includes = place.folder / "include",
                 products = place.folder / "products";
  std::error_code ignored;
  fs::create_directories(includes, ignored);
  fs::create_directories(products, ignored);
  Status written = write_text(sources / source.name, source.text);
  for (const auto& [name, text] : source.headers) {
    if (written) written = write_text(includes / name, text);
  }
  if (!written) return system_error(written.error().message);
  if (!sandbox_.hand_over(products, place.slot))
    return system_error(fmt::format("cannot hand over {}", products.string()));
  const fs::path object = products / "compiled.o";
  const std::vector<std::string> argv =
      compiler == Compiler::kHosts
          ? toolchain_.compile_host_argv(source.name, object, includes)
          : toolchain_.compile_argv(source.name, object, includes, source.code);
  return with_its_code(call(argv, object, place, {sources, includes}), source);
}

BuildResult Builder::with_its_code(BuildResult compiled, const SourceFile& source) const {
  if (compiled.status != BuildStatus::kBuilt || source.code.empty()) return compiled;
  const Result<std::string> object = RealFiles().read(compiled.program, kLargestFileBytes);
  if (!object) return system_error(object.error().message);
  const Result<std::vector<std::string>> found = device_code_in(*object);
  compiled.reason = found ? missing_code(*found, source.code) : found.error().message;
  if (!compiled.reason.empty()) compiled.status = BuildStatus::kRejected;
  return compiled;
}

BuildResult Builder::with_contract(BuildResult compiled, const BuildPlace& place) const {
  if (compiled.status != BuildStatus::kBuilt) return compiled;
  const fs::path products = place.folder / "products";
  const ProcessOutcome linked =
      execute(toolchain_.contract_argv(compiled.program, products / "alone"), place, {});
  if (linked.ending == Ending::kSystemError) return system_error(linked.error);
  const std::string said = linked.out + linked.err;
  if (!linked.succeeded() && !misses_kernels_alone(said))
    return system_error(fmt::format("it does not link: {}", trim(said)));
  const std::string contract = format_contract(contract_in(said));
  const fs::path file = place.folder / "contract" / "names";
  return call_objcopy(toolchain_.embed_argv(file, compiled.program, products / "object.o"),
                      products / "object.o", place, contract);
}

BuildResult Builder::isolate(BuildResult compiled, const fs::path& driver,
                             const BuildPlace& place) const {
  const RealFiles files;
  const Result<std::string> wanted = files.read(driver, kLargestFileBytes),
                            object = files.read(compiled.program, kLargestFileBytes);
  if (!wanted || !object) return system_error((wanted ? object : wanted).error().message);
  const Result<Contract> contract = read_contract(*wanted);
  if (!contract) return system_error(contract.error().message);
  const Result<ElfFile> elf = ElfFile::open(*object);
  if (const Sentence refusal = elf ? refusal_of(*elf) : say("build.no_object"); !refusal.empty()) {
    compiled.status = BuildStatus::kRejected;
    compiled.reason = refusal.text;
    return compiled;
  }
  const fs::path product = place.folder / "products" / "object.o";
  BuildResult isolated = call_objcopy(
      toolchain_.isolate_argv(place.folder / "contract" / "names", compiled.program, product),
      product, place, format_contract(*contract));
  if (isolated.status != BuildStatus::kBuilt) return isolated;
  const Result<std::string> bytes = files.read(product, kLargestFileBytes);
  const Result<ElfFile> checked = bytes ? ElfFile::open(*bytes) : bytes.error();
  const std::string visible = checked ? symbol_beyond(*checked, *contract) : product.string();
  if (!visible.empty()) return doubtful_error(say("build.not_isolated", {{"name", visible}}).text);
  isolated.diagnostics = std::move(compiled.diagnostics);
  return isolated;
}

/// objcopy judges nothing: where it fails, the machine or this program does, or an assembler's line made an object that
/// it cannot read.
BuildResult Builder::call_objcopy(std::vector<std::string> argv, const fs::path& product,
                                  const BuildPlace& place, const std::string& contract) const {
  if (!fs::exists(kObjcopy)) return system_error(say("build.no_objcopy").text);
  if (const Status written = write_text(place.folder / "contract" / "names", contract); !written)
    return system_error(written.error().message);
  const ProcessOutcome outcome = execute(std::move(argv), place, {place.folder / "contract"});
  if (outcome.ending == Ending::kSystemError) return system_error(outcome.error);
  if (!outcome.succeeded() || !fs::is_regular_file(fs::symlink_status(product))) {
    const std::string said = without(outcome.err, place.folder.string() + "/");
    return doubtful_error(fmt::format("objcopy failed: {}", printable(trim(said))));
  }
  BuildResult result;
  result.status = BuildStatus::kBuilt;
  result.program = product;
  return result;
}

// Only g++'s own linker may reject: its messages are the ones that students know.
BuildResult Builder::link(const fs::path& object, const fs::path& driver,
                          const BuildPlace& place) const {
  if (!toolchain_.linker.empty()) {
    BuildResult quick = link_with(toolchain_.linker, object, driver, place);
    if (quick.status == BuildStatus::kBuilt) return quick;
  }
  return link_with("", object, driver, place);
}

BuildResult Builder::link_with(const std::string& linker, const fs::path& object,
                               const fs::path& driver, const BuildPlace& place) const {
  const fs::path program = place.folder / "products" / "program";
  return call(toolchain_.link_argv({object.string(), driver.string()}, program.string(), linker),
              program, place, {driver});
}

ProcessOutcome Builder::execute(std::vector<std::string> argv, const BuildPlace& place,
                                const std::vector<fs::path>& readable) const {
  const fs::path products = place.folder / "products";
  Command command;
  command.argv = std::move(argv);
  command.environment = toolchain_.environment(products);
  command.readable = readable;
  for (const fs::path& part : toolchain_.readable()) command.readable.push_back(part);
  command.writable = {products};
  // The file is compiled under its bare name, which is what diagnostics and line tables then call it.
  const bool has_sources = !readable.empty() && fs::is_directory(readable.front());
  command.folder = has_sources ? readable.front() : products;
  command.limits = {place.compile_s * 1000L,
                    place.compile_s,
                    kCompilerMemoryBytes,
                    kLargestFileBytes,
                    kCompilerOutputBytes,
                    kCompilerFilesBytes,
                    64};
  command.slot = place.slot;
  return sandbox_.run(command);
}

BuildResult Builder::call(std::vector<std::string> argv, const fs::path& product,
                          const BuildPlace& place, const std::vector<fs::path>& readable) const {
  const long killed_before = processes_killed_for_memory();
  const ProcessOutcome outcome = execute(std::move(argv), place, readable);
  if (outcome.ending == Ending::kSystemError) return system_error(outcome.error);

  BuildResult result;
  const std::string output = without(outcome.out + outcome.err, place.folder.string() + "/");
  result.diagnostics = parse_diagnostics(output);
  if (outcome.succeeded() && fs::is_regular_file(fs::symlink_status(product))) {
    result.status = BuildStatus::kBuilt;
    result.program = product;
    return result;
  }
  const bool memory_ran_out = processes_killed_for_memory() > killed_before;
  const FailureCause cause =
      cause_of({outcome, output, result.diagnostics, kCompilerMemoryBytes, place.compile_s,
                refuses_files(place.folder), memory_ran_out});
  result.is_doubtful = cause.is_doubtful;
  result.status = cause.is_the_machines ? BuildStatus::kSystemError : BuildStatus::kRejected;
  result.reason = cause.sentence;
  return result;
}

}  // namespace warpgrade
