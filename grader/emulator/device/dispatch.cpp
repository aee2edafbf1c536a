// SPDX-License-Identifier: MIT
#include "emulator/device/dispatch.h"

#include <iterator>
#include <tuple>
#include <utility>

#include "cudart/shapes.h"
#include "emulator/runtime/machine.h"
#include "emulator/runtime/program/registration.h"

namespace warpgrade::cudart {

// What the client keeps for the program; the device never hears a result.
const char* keep_text(std::string) { return nullptr; }
void* keep_array(const void*, size_t, size_t) { return nullptr; }

std::vector<uint32_t> parameter_sizes(const void* function) {
  return emulator::parameter_sizes(function).value_or(std::vector<uint32_t>());
}

}  // namespace warpgrade::cudart

namespace warpgrade::emulator {
namespace {

using cudart::CodecOf;
using cudart::Reader;
using cudart::Writer;

template <auto* Function, class Signature>
struct Served;

template <auto* Function, class Result, class... Parameter>
struct Served<Function, Result(Parameter...)> {
  static bool serve(Reader& message, Writer& result) {
    return make(message, result, std::index_sequence_for<Parameter...>());
  }

 private:
  template <size_t... I>
  static bool make(Reader& message, Writer& result, std::index_sequence<I...>) {
    std::tuple<CodecOf<Function, I, Parameter>...> held;
    const bool whole = (std::get<I>(held).read(message) && ... && true);
    if (!whole || message.left() != 0) return false;
    [[maybe_unused]] const std::tuple<Parameter...> arguments(std::get<I>(held).get()...);
    if (!(std::get<I>(held).fits(arguments) && ... && true)) return false;
    const Result answer = Function(std::get<I>(arguments)...);
    result.put(answer);
    (std::get<I>(held).tell(result, arguments), ...);
    return true;
  }
};

using Serve = bool (*)(Reader& message, Writer& result);

constexpr Serve kCalls[] = {
#define CALL(name) &Served<&::name, decltype(::name)>::serve,
#include "cudart/calls.inc"
#undef CALL
};

/// Says for one call whose default stream the null stream is. A callback may make another call meanwhile.
class NullStream {
 public:
  explicit NullStream(bool is_threads)
      : before_(std::exchange(this_thread().host_thread.owns_default, is_threads)) {}
  ~NullStream() { this_thread().host_thread.owns_default = before_; }
  NullStream(const NullStream&) = delete;
  NullStream& operator=(const NullStream&) = delete;

 private:
  const bool before_;
};

}  // namespace

bool serve_call(uint32_t id, Reader& message, Writer& result) {
  const uint32_t number = id & ~cudart::kOwnDefaultStream;
  if (number >= std::size(kCalls)) return false;
  const NullStream null_stream(number != id);
  return kCalls[number](message, result);
}

}  // namespace warpgrade::emulator
