// SPDX-License-Identifier: MIT
#include "cudart/lines/source_lines.h"

#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <span>

namespace warpgrade::cudart {
namespace {

/// More takes longer to search than a place is worth.
constexpr off_t kMostFileBytes = off_t{256} << 20;

/// The program's file, and where it is loaded.
struct Program {
  std::span<const std::byte> file;
  uint64_t bias = 0, begin = 0,
           end = 0;  ///< addresses here less addresses in the file; from begin to end
};

int take_first(dl_phdr_info* info, size_t, void* to) {
  auto& program = *static_cast<Program*>(to);
  program.bias = info->dlpi_addr;
  program.begin = ~uint64_t{0};
  for (size_t i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    program.begin = std::min(program.begin, program.bias + segment.p_vaddr);
    program.end = std::max(program.end, program.bias + segment.p_vaddr + segment.p_memsz);
  }
  return 1;  // The program comes before its libraries.
}

Program read_program() {
  Program program;
  ::dl_iterate_phdr(take_first, &program);
  const int descriptor = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  struct stat status = {};
  if (descriptor < 0) return program;
  if (::fstat(descriptor, &status) == 0 && status.st_size > 0 && status.st_size < kMostFileBytes) {
    const auto bytes = static_cast<size_t>(status.st_size);
    void* const memory = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (memory != MAP_FAILED) program.file = {static_cast<const std::byte*>(memory), bytes};
  }
  ::close(descriptor);
  return program;
}

const Program& program() {
  static const Program only = read_program();
  return only;
}

bool has_part(const SourcePlace& place, std::string_view part) {
  return place.folder.find(part) != std::string_view::npos ||
         place.name.find(part) != std::string_view::npos;
}

/// The C++ library's and the toolkit's headers, and what nvcc writes for g++.
bool is_foreign(const SourcePlace& place) {
  return place.folder.starts_with("/usr/") || place.name.starts_with("/usr/") ||
         has_part(place, "/targets/") || has_part(place, ".cudafe1.");
}

/// own_place() for what is looked up again and again, as a call is that fails in a loop.
SourcePlace known_place(uint64_t address) {
  struct Known {
    uint64_t address = 0;
    SourcePlace place;
  };
  thread_local std::array<Known, 64> cache;
  Known& known = cache[address % cache.size()];
  if (known.address != address) known = {address, own_place(address)};
  return known.place;
}

/// A call is before the address that it returns to.
uint64_t call_before(const void* return_address) {
  return reinterpret_cast<uint64_t>(return_address) - 1;
}

/// The innermost call under way on this thread for which `is_wanted` holds; 0: none.
template <class Wanted>
uint64_t innermost_call(Wanted is_wanted) {
  constexpr int kMostFrames = 64;
  std::array<void*, kMostFrames> frames;
  const int count = ::backtrace(frames.data(), kMostFrames);
  for (int i = 0; i < count; ++i) {
    const uint64_t call = call_before(frames[static_cast<size_t>(i)]);
    if (is_wanted(call)) return call;
  }
  return 0;
}

bool is_in_program(uint64_t address) {
  return address >= program().begin && address < program().end;
}

thread_local const void* launch_address = nullptr;

}  // namespace

bool has_lines() { return !program().file.empty(); }

SourcePlace own_place(uint64_t address) {
  const Program& all = program();
  if (!is_in_program(address)) return {};
  std::array<SourcePlace, kMostPlaces> places;
  const size_t count = places_of(all.file, address - all.bias, places);
  for (size_t i = 0; i < count; ++i) {
    if (places[i].line != 0 && !is_foreign(places[i])) return places[i];
  }
  return {};
}

SourcePlace calling_place() {
  if (!has_lines()) return {};
  if (launch_address != nullptr) {
    const SourcePlace place = known_place(call_before(launch_address));
    if (place.line != 0) return place;
  }
  const uint64_t call = innermost_call([](uint64_t each) { return known_place(each).line != 0; });
  return call == 0 ? SourcePlace{} : known_place(call);
}

uint64_t own_code(uint64_t code) {
  if (!has_lines() || is_in_program(code)) return code;
  const uint64_t call = innermost_call(is_in_program);
  return call == 0 ? code : call;
}

void note_launch(const void* return_address) { launch_address = return_address; }

std::string_view file_name(const SourcePlace& place) {
  const size_t slash = place.name.rfind('/');
  return slash == std::string_view::npos ? place.name : place.name.substr(slash + 1);
}

}  // namespace warpgrade::cudart
