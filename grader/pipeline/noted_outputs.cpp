// SPDX-License-Identifier: MIT
#include "pipeline/noted_outputs.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "base/npy.h"
#include "base/npy_io.h"
#include "base/text.h"

namespace warpgrade {
namespace {

/// As the driver notes them.
std::optional<std::string> hex_of(std::string_view bytes) {
  if (bytes.size() > npy_io::kMostNotedBytes) return std::nullopt;
  std::string hex;
  for (const char byte : bytes) hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return hex;
}

}  // namespace

std::vector<Finding> changed_outputs(const RunStep& step, const RunResult& run,
                                     const Trace& trace) {
  if (trace.source != "emulated") return {};
  std::map<std::string, std::optional<std::string>> noted;
  for (const OutputNote& note : trace.outputs) noted[note.name] = note.bytes_hex;
  std::vector<Finding> findings;
  for (const auto& [name, array] : run.outputs) {
    if (step.derived.contains(name)) continue;
    const auto found = noted.find(name);
    const bool is_known = found != noted.end();
    if (is_known ? found->second == hex_of(bytes_view(array)) : !run.process.succeeded()) continue;
    Finding finding;
    finding.checker = "harness";
    finding.message = fmt::format("it wrote over the driver's output \"{}\"", printable(name));
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace warpgrade
