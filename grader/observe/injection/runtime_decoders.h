// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

#include "observe/injection/decoded_call.h"

namespace warpgrade::injection {

/// A call of the Runtime API by its plain name, and what reads its arguments. A row in a chapter's
/// table is all that a call needs.
struct RuntimeDecoder {
  std::string_view name;
  void (*decode)(CallToDecode&);
};

std::span<const RuntimeDecoder> memory_decoders();
std::span<const RuntimeDecoder> copy_decoders();
std::span<const RuntimeDecoder> stream_decoders();
std::span<const RuntimeDecoder> execution_decoders();

inline uint64_t number(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

/// Notes the stream of any call's parameters; a call without one uses the default stream.
template <class Params>
void note_stream_of(CallToDecode& call, const Params& p) {
  if constexpr (requires { p.stream; }) {
    call.note_stream(p.stream);
  } else if constexpr (requires { p.hStream; }) {
    call.note_stream(p.hStream);
  } else {
    call.note("stream", 0);
  }
}

/// For a call that needs no more than its stream told, such as a launch into a graph: launches
/// themselves are told of elsewhere.
template <class Params>
void note_stream_only(CallToDecode& call) {
  note_stream_of(call, call.as<Params>());
}

}  // namespace warpgrade::injection
