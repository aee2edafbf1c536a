// SPDX-License-Identifier: MIT
// The calls of the Runtime API: each sends its arguments to the device and waits for the result.
#include <sys/mman.h>

#include <array>
#include <cerrno>
#include <optional>
#include <tuple>
#include <utility>

#include "cudart/client.h"
#include "cudart/driver_entry.h"
#include "cudart/host_guard.h"
#include "cudart/lines/source_lines.h"
#include "cudart/own_default_stream.h"
#include "cudart/shapes.h"

namespace warpgrade::cudart {
namespace {

thread_local bool null_stream_is_threads = false;

/// Where a call names memory of the program's that it reads.
template <auto* Function>
struct Source {
  template <class Arguments>
  static Sent of(const Arguments&) {
    return {};
  }
};

/// Whether all of it is memory of the program's, which may ask for more bytes than it has.
bool is_mapped(uint64_t address, uint64_t bytes) {
  constexpr uint64_t kPage = 4096;
  const uint64_t begin = address / kPage * kPage, end = address + bytes;
  if (end <= begin + kPage) return true;
  std::array<unsigned char, kBulkBytes / kPage + 2> resident;
  return ::mincore(reinterpret_cast<void*>(begin), end - begin, resident.data()) == 0 ||
         errno != ENOMEM;
}

/// For copies: parameters 1 to 3 are source, bytes and kind. The client sends a source only where all
/// of it is mapped. Otherwise the device judges the call first, and refuses a copy that is too long.
struct CopySource {
  template <class Arguments>
  static Sent of(const Arguments& arguments) {
    const auto address = reinterpret_cast<uint64_t>(std::get<1>(arguments));
    const uint64_t bytes = std::get<2>(arguments);
    const bool is_programs = address < kExposedBase || address >= kDevicesEnd;
    const bool is_read = std::get<3>(arguments) == cudaMemcpyHostToDevice && address != 0;
    const bool is_sent = is_programs && is_read && bytes <= kBulkBytes && is_mapped(address, bytes);
    return is_sent ? Sent{address, bytes} : Sent{};
  }
};
template <>
struct Source<&::cudaMemcpy> : CopySource {};
template <>
struct Source<&::cudaMemcpyAsync> : CopySource {};

/// What <<<>>> becomes, in parts.
constexpr bool is_launch(CallId id) {
  return id == CallId::__cudaGetKernel || id == CallId::__cudaLaunchKernel ||
         id == CallId::cudaLaunchKernel;
}

/// For calls that the program's own libraries may answer without the device.
template <auto* Function>
struct Answer {
  template <class Arguments>
  static std::nullopt_t to(const Arguments&) {
    return std::nullopt;
  }
};
template <>
struct Answer<&::cudaGetDriverEntryPoint> {
  template <class Arguments>
  static std::optional<cudaError_t> to(const Arguments& arguments) {
    const auto& [symbol, function, flags, status] = arguments;
    return find_driver_entry(symbol, function, CUDART_VERSION, flags, status);
  }
};
template <>
struct Answer<&::cudaGetDriverEntryPointByVersion> {
  template <class Arguments>
  static std::optional<cudaError_t> to(const Arguments& arguments) {
    return std::apply(find_driver_entry, arguments);
  }
};

template <CallId Id, auto* Function, class Signature>
struct Stub;

template <CallId Id, auto* Function, class Result, class... Parameter>
struct Stub<Id, Function, Result(Parameter...)> {
  using Arguments = std::tuple<Parameter...>;

  static Result call(Parameter... parameter) {
    return make(Arguments(parameter...), std::index_sequence_for<Parameter...>());
  }

 private:
  template <size_t... I>
  static Result make(const Arguments& arguments, std::index_sequence<I...>) {
    if (const std::optional<Result> answer = Answer<Function>::to(arguments)) return *answer;
    Client* const client = Client::connected();
    if (client == nullptr) return without_device();
    HostGuard::lift();
    if (!is_launch(Id)) note_launch(nullptr);
    Writer message;
    message.put(HostGuard::take_touch());
    const Sent sent = Source<Function>::of(arguments);
    message.put(sent);
    message.put(static_cast<uint32_t>(Id) | (null_stream_is_threads ? kOwnDefaultStream : 0));
    (CodecOf<Function, I, Parameter>::ask(message, arguments, std::get<I>(arguments)), ...);
    Reader reader = client->exchange(Message::call, message, sent);
    const auto result = reader.take<Result>();
    (CodecOf<Function, I, Parameter>::hear(reader, arguments, std::get<I>(arguments)), ...);
    if (Id != CallId::__cudaGetKernel) note_launch(nullptr);
    return result;
  }

  static Result without_device() {
    if constexpr (std::is_same_v<Result, cudaError_t>) {
      return cudaErrorInitializationError;
    } else {
      return {};
    }
  }
};

}  // namespace
}  // namespace warpgrade::cudart

extern "C" bool __cudaOwnDefaultStream(bool is_threads) {
  return std::exchange(warpgrade::cudart::null_stream_is_threads, is_threads);
}

// The toolkit's headers declare the functions; what they name jumps to the stub with that signature. The names are
// weak: the client of an older toolkit defines those that had another signature there.
#define CALL(name)                                                                                \
  extern "C" {                                                                                    \
  __attribute__((visibility("hidden"),                                                            \
                 used)) extern decltype(::name)* const warpgrade_stub_##name =                    \
      &warpgrade::cudart::Stub<warpgrade::cudart::CallId::name, &::name, decltype(::name)>::call; \
  }                                                                                               \
  WARPGRADE_JUMP(weak, name, warpgrade_stub_##name);
#include "cudart/calls.inc"
#undef CALL

#define ALSO_AS(name, suffix)   \
  WARPGRADE_OWN_DEFAULT_STREAM( \
      weak, name, suffix,       \
      warpgrade::cudart::Stub<warpgrade::cudart::CallId::name, &::name, decltype(::name)>::call)
#include "cudart/other_names.inc"
#undef ALSO_AS
