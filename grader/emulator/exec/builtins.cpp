// SPDX-License-Identifier: MIT
// Device functions that nvcc calls but does not define: vprintf, __assertfail, malloc, free and
// cudaGraphSetConditional (CUDA C++ Programming Guide, "Formatted Output", "Assertion", "Dynamic Global
// Memory Allocation" and "Conditional Graph Nodes").

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

#include "emulator/exec/access.h"
#include "emulator/exec/builtin_calls.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator {
namespace {

constexpr size_t kMaxStringBytes = 1 << 16;
/// The longest conversion of printf, in characters.
constexpr int kMaxWidth = 511;

/// Reads device memory for one lane; zeros, and a fault, where it may not.
void read(Warp& warp, const Instruction& i, int lane, uint64_t address, void* into,
          unsigned bytes) {
  std::memset(into, 0, bytes);
  for (unsigned done = 0; done < bytes; done += 4) {
    const unsigned chunk = std::min(bytes - done, 4u);
    const uint8_t* const host = lane_pointer(warp, i, lane, address + done, chunk, false);
    if (host == nullptr) return;
    std::memcpy(static_cast<uint8_t*>(into) + done, host, chunk);
  }
}

std::string read_string(Warp& warp, const Instruction& i, int lane, uint64_t address) {
  std::string text;
  while (text.size() < kMaxStringBytes) {
    const uint8_t* const host = lane_pointer(warp, i, lane, address + text.size(), 1, false);
    if (host == nullptr || *host == 0) break;
    text += static_cast<char>(*host);
  }
  return text;
}

/// "Formatted Output" (CUDA C++ Programming Guide): further ones are left as their specifiers.
constexpr uint32_t kMostArguments = 32;

/// One conversion of a format string, "%-8.3f"; its arguments lie in a buffer, each aligned to its
/// size.
class Printer {
 public:
  Printer(Warp& warp, const Instruction& i, int lane, uint64_t arguments)
      : warp_(warp), i_(i), lane_(lane), next_(arguments) {}

  /// How many arguments the format asked for so far.
  uint32_t taken() const { return taken_; }

  std::string print(const std::string& format) {
    std::string out;
    for (size_t at = 0; at < format.size();) {
      if (format[at] != '%') {
        out += format[at++];
      } else if (format.compare(at, 2, "%%") == 0) {
        out += '%';
        at += 2;
      } else {
        out += conversion(format, at);
      }
    }
    return out;
  }

 private:
  template <class T>
  T take() {
    next_ = round_up(next_, sizeof(T));
    T value;
    read(warp_, i_, lane_, next_, &value, sizeof value);
    next_ += sizeof(T);
    ++taken_;
    return value;
  }

  template <class T>
  static std::string formatted(const std::string& specification, T value) {
    char buffer[kMaxWidth + 1];
    const int written = std::snprintf(buffer, sizeof buffer, specification.c_str(), value);
    return std::string(buffer,
                       static_cast<size_t>(std::min<int>(std::max(written, 0), sizeof buffer - 1)));
  }

  std::string conversion(const std::string& format, size_t& at) {
    std::string specification = "%";
    std::string size;
    for (++at; at < format.size(); ++at) {
      const char c = format[at];
      if (c == '*')
        specification += std::to_string(std::clamp(take<int32_t>(), -kMaxWidth, kMaxWidth));
      else if (c >= '1' && c <= '9')
        specification += width(format, at);
      else if (std::strchr("-+ #0.", c) != nullptr)
        specification += c;
      else if (std::strchr("hlzjt", c) != nullptr)
        size += c;
      else
        break;
    }
    if (at >= format.size()) return specification;
    const char kind = format[at++];
    if (taken_ >= kMostArguments) return specification + size + kind;
    if (std::strchr("di", kind) != nullptr)
      return integer<int64_t, int32_t>(specification, size, kind);
    if (std::strchr("uxXo", kind) != nullptr)
      return integer<uint64_t, uint32_t>(specification, size, kind);
    if (kind == 'c') return formatted(specification + kind, take<uint32_t>());
    if (std::strchr("fFeEgGaA", kind) != nullptr)
      return formatted(specification + kind, take<double>());
    if (kind == 's') {
      const uint64_t address = take<uint64_t>();
      // So printed an H200.
      const std::string text = address == 0 ? "(null)" : read_string(warp_, i_, lane_, address);
      return specification == "%" ? text : formatted(specification + kind, text.c_str());
    }
    if (kind == 'p')
      return formatted(specification + kind, reinterpret_cast<void*>(take<uint64_t>()));
    return specification + kind;
  }

  /// A field width or a precision; `at` is left on its last digit.
  static std::string width(const std::string& format, size_t& at) {
    int value = 0;
    for (; at < format.size() && format[at] >= '0' && format[at] <= '9'; ++at)
      value = std::min(value * 10 + (format[at] - '0'), kMaxWidth);
    --at;
    return std::to_string(value);
  }

  template <class Wide, class Narrow>
  std::string integer(const std::string& specification, const std::string& size, char kind) {
    const bool is_narrow = size.find_first_not_of('h') == std::string::npos;
    if (is_narrow) return formatted(specification + size + kind, take<Narrow>());
    return formatted(specification + "ll" + kind, static_cast<long long>(take<Wide>()));
  }

  Warp& warp_;
  const Instruction& i_;
  int lane_;
  uint64_t next_;
  uint32_t taken_ = 0;
};

void vprintf_call(Warp& warp, const Instruction& i) {
  const Detail& detail = detail_of(warp, i);
  if (detail.registers.size() < 2) return;
  for (uint32_t mask = warp.mask; mask != 0; mask &= mask - 1) {
    const int lane = first_lane(mask);
    const auto returns = [&](uint32_t value) {
      if (detail.more.empty()) return;
      std::memcpy(interleaved(warp.registers + detail.more[0], 0, lane), &value, sizeof value);
    };
    const auto address = argument<uint64_t>(warp, detail, 0, lane);
    if (address == 0) {
      returns(~0u);
      continue;
    }
    const std::string format = read_string(warp, i, lane, address);
    Printer printer(warp, i, lane, argument<uint64_t>(warp, detail, 1, lane));
    const std::string text = printer.print(format);
    warp.worker->launch->options->print(text);
    returns(printer.taken());
  }
}

/// In the words of an H200 with driver 580, for each thread.
void complain(Warp& warp, const Instruction& i, const Detail& detail) {
  if (detail.registers.size() < 4) return;
  const LaunchContext& launch = *warp.worker->launch;
  const Dim3& block = warp.block->index;
  for (uint32_t mask = warp.mask; mask != 0; mask &= mask - 1) {
    const int lane = first_lane(mask);
    const Dim3 thread =
        thread_index(launch.request->block, warp.index * kWarpSize + static_cast<uint32_t>(lane));
    const auto text = [&](size_t index) {
      return read_string(warp, i, lane, argument<uint64_t>(warp, detail, index, lane));
    };
    launch.options->complain(
        fmt::format("{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.\n",
                    text(1), argument<uint32_t>(warp, detail, 2, lane), text(3), block.x, block.y,
                    block.z, thread.x, thread.y, thread.z, text(0)));
  }
}

/// __assertfail(message, file, line, function, char size)
void assert_call(Warp& warp, const Instruction& i) {
  const Detail& detail = detail_of(warp, i);
  const int lane = first_lane(warp.mask);
  Sentence message = say("assert.unnamed");
  if (detail.registers.size() >= 1) {
    message =
        say("assert.failed",
            {{"assertion", read_string(warp, i, lane, argument<uint64_t>(warp, detail, 0, lane))}});
  }
  complain(warp, i, detail);
  report_fault(warp, i, LaunchStatus::assert_failed, 110, 0, warp.mask, message);
  stop(warp);
}

/// malloc(size) from the device's heap; null where that is used up, as on a device.
void malloc_call(Warp& warp, const Instruction& i) {
  const Detail& detail = detail_of(warp, i);
  DeviceHeap* const heap = warp.worker->launch->request->heap;
  if (detail.registers.empty() || detail.more.empty()) return;
  for (uint32_t mask = warp.mask; mask != 0; mask &= mask - 1) {
    const int lane = first_lane(mask);
    const auto size = argument<uint64_t>(warp, detail, 0, lane);
    const uint64_t block = heap == nullptr ? 0 : heap->take(size);
    if (block != 0) warp.worker->launch->memory->note_fresh(block, size);
    return_value(warp, detail, lane, block);
  }
}

Sentence wrong_free(const DeviceHeap* heap, uint64_t address) {
  const size_t freed = heap == nullptr ? 0 : heap->freed_bytes(address);
  if (freed != 0) return say("memory.freed_twice", {{"bytes", freed}});
  if (heap != nullptr && heap->holds(address, 1))
    return say("memory.frees_inside", {{"where", heap->describe(address)}});
  return say("memory.frees_unknown", {{"address", fmt::format("0x{:x}", address)}});
}

void free_call(Warp& warp, const Instruction& i) {
  const Detail& detail = detail_of(warp, i);
  DeviceHeap* const heap = warp.worker->launch->request->heap;
  if (detail.registers.empty()) return;
  for (uint32_t mask = warp.mask; mask != 0; mask &= mask - 1) {
    const int lane = first_lane(mask);
    const auto address = argument<uint64_t>(warp, detail, 0, lane);
    if (address == 0 || (heap != nullptr && heap->give_back(address))) continue;
    report_fault(warp, i, LaunchStatus::trap, 111, 0, 1u << lane, wrong_free(heap, address));
    return stop(warp);
  }
}

/// cudaGraphSetConditional(handle, value)
void set_conditional_call(Warp& warp, const Instruction& i) {
  const Detail& detail = detail_of(warp, i);
  if (detail.registers.size() < 2) return;
  Conditions* const conditions = warp.worker->launch->request->conditions;
  for (uint32_t mask = warp.mask; mask != 0; mask &= mask - 1) {
    const int lane = first_lane(mask);
    const auto handle = argument<uint64_t>(warp, detail, 0, lane);
    const bool is_known = conditions != nullptr && conditions->count(handle) != 0;
    if (is_known) {
      conditions->at(handle) = argument<uint32_t>(warp, detail, 1, lane);
      continue;
    }
    // As on an H200 with driver 580.
    report_fault(warp, i, LaunchStatus::illegal_address, 112, 0, 1u << lane,
                 say("memory.condition", {{"handle", handle}}));
    return stop(warp);
  }
}

}  // namespace

Builtin builtin_named(std::string_view name) {
  if (name == "vprintf") return vprintf_call;
  if (name == "__assertfail") return assert_call;
  if (name == "malloc") return malloc_call;
  if (name == "free") return free_call;
  if (name == "cudaGraphSetConditional") return set_conditional_call;
  return device_runtime_call(name);
}

}  // namespace warpgrade::emulator
