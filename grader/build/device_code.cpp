// SPDX-License-Identifier: MIT
#include "build/device_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <set>

#include "base/hash.h"
#include "base/text.h"
#include "build/elf_file.h"

namespace warpgrade {
namespace {

/// Where nvcc puts containers: of whole programs, and of code that is still to be linked (-rdc).
constexpr std::string_view kSections[] = {".nv_fatbin", "__nv_relfatbin"};
constexpr size_t kAlignment = 8;

/// Words for nvcc. cuda/ and thrust/ hold templates that launch.
constexpr std::string_view kDeviceWords[] = {
    "<<<",        "__global__", "__device__", "__constant__", "__managed__",        "__shared__",
    "__CUDACC__", "<cub/",      "<cuda/",     "<thrust/",     "<cooperative_groups"};

// A container is a header and regions, each a header and a payload. Only headers are read here: a small payload may
// unpack to any size. Offsets in bytes.
constexpr uint32_t kMagic = 0xBA55ED50;
constexpr size_t kHeaderBytes = 16, kHeaderSizeAt = 6, kBodySizeAt = 8;
constexpr size_t kRegionHeaderBytes = 64, kKindAt = 0, kRegionHeaderSizeAt = 4, kPayloadSizeAt = 8,
                 kSmAt = 28;
constexpr uint16_t kPtx = 1, kMachineCode = 2;
constexpr size_t kMostKinds = 256;

Error damaged() { return {"the program is no file that the linker makes"}; }

/// The contents of the sections that hold device code.
Result<std::vector<std::string_view>> code_sections(std::string_view file) {
  const Result<ElfFile> elf = ElfFile::open(file);
  if (!elf || elf->sections().empty()) return damaged();
  std::vector<std::string_view> found;
  for (const ElfSection& each : elf->sections()) {
    if (std::find(std::begin(kSections), std::end(kSections), each.name) != std::end(kSections))
      found.push_back(each.bytes);
  }
  return found;
}

Error unreadable(std::string_view why) {
  return {fmt::format("the program's embedded device code cannot be read: {}", why)};
}

/// Little-endian field of `bytes`, which must hold it.
template <class T>
T field(std::string_view bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// Cuts the region at the front of `regions` off and adds the name of its code.
Status take_region(std::string_view& regions, std::set<std::string>& names) {
  if (regions.size() < kRegionHeaderBytes) return unreadable("a region's header is cut off");
  const size_t header_bytes = field<uint32_t>(regions, kRegionHeaderSizeAt);
  const auto payload_bytes = field<uint64_t>(regions, kPayloadSizeAt);
  if (header_bytes < kRegionHeaderBytes || header_bytes > regions.size() ||
      payload_bytes > regions.size() - header_bytes)
    return unreadable("a region does not fit");
  const auto kind = field<uint16_t>(regions, kKindAt);
  const auto sm = field<uint32_t>(regions, kSmAt);
  if (kind == kPtx) names.insert(fmt::format("compute_{}", sm));
  if (kind == kMachineCode) names.insert(fmt::format("sm_{}", sm));
  if (names.size() > kMostKinds) return unreadable("it is for too many architectures");
  regions.remove_prefix(header_bytes + payload_bytes);
  return {};
}

/// Cuts the container at the front of `section` off. Its whole is `container`, its regions `regions`.
Status cut_container(std::string_view& section, std::string_view& container,
                     std::string_view& regions) {
  if (section.size() < kHeaderBytes) return unreadable("its header is cut off");
  if (field<uint32_t>(section, 0) != kMagic) return unreadable("its header is unknown");
  const size_t header_bytes = field<uint16_t>(section, kHeaderSizeAt);
  const auto body_bytes = field<uint64_t>(section, kBodySizeAt);
  if (header_bytes < kHeaderBytes) return unreadable("its header has an impossible size");
  if (header_bytes > section.size() || body_bytes > section.size() - header_bytes)
    return unreadable("it is cut off");
  container = section.substr(0, header_bytes + body_bytes);
  regions = container.substr(header_bytes);
  section.remove_prefix(container.size());
  return {};
}

/// Visits each container of a file with its regions. Between containers the linker pads with zeros.
template <class Visit>
Status for_containers(std::string_view elf, Visit visit) {
  const Result<std::vector<std::string_view>> sections = code_sections(elf);
  if (!sections) return sections.error();
  for (std::string_view section : *sections) {
    while (!section.empty()) {
      if (section.substr(0, kAlignment).find_first_not_of('\0') == std::string_view::npos) {
        section.remove_prefix(std::min(kAlignment, section.size()));
        continue;
      }
      std::string_view container, regions;
      if (Status cut = cut_container(section, container, regions); !cut) return cut;
      if (Status visited = visit(container, regions); !visited) return visited;
    }
  }
  return {};
}

}  // namespace

bool may_have_device_code(std::string_view source) {
  return std::any_of(std::begin(kDeviceWords), std::end(kDeviceWords), [&](std::string_view word) {
    return source.find(word) != std::string_view::npos;
  });
}

Result<std::vector<std::string>> device_code_in(std::string_view elf) {
  std::set<std::string> names;
  const auto add_names = [&names](std::string_view, std::string_view regions) -> Status {
    while (!regions.empty()) {
      if (Status taken = take_region(regions, names); !taken) return taken;
    }
    return {};
  };
  if (const Status read = for_containers(elf, add_names); !read) return read.error();
  return std::vector<std::string>(names.begin(), names.end());
}

Result<std::vector<std::string>> code_hashes_in(std::string_view elf) {
  std::vector<std::string> hashes;
  const auto add_hash = [&hashes](std::string_view container, std::string_view) -> Status {
    hashes.push_back(sha256_hex(container));
    return {};
  };
  if (const Status read = for_containers(elf, add_hash); !read) return read.error();
  return hashes;
}

std::string missing_code(const std::vector<std::string>& found,
                         const std::vector<std::string>& wanted) {
  std::vector<std::string> missing;
  for (const std::string& each : wanted) {
    if (std::find(found.begin(), found.end(), each) == found.end()) missing.push_back(each);
  }
  if (missing.empty()) return "";
  return fmt::format("the program carries {}, and the assignment wants {}",
                     found.empty() ? "no device code" : join(found, ", "), join(missing, ", "));
}

}  // namespace warpgrade
