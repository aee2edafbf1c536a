// SPDX-License-Identifier: MIT
// The arguments of the Runtime API's calls. The forms of a call (plain, _ptds, _ptsz) have the same
// parameters, so that a plain name is enough to know their struct.
#include <unordered_map>

#include "observe/injection/decoded_call.h"
#include "observe/injection/runtime_decoders.h"

namespace warpgrade::injection {
namespace {

using Decoders = std::unordered_map<std::string_view, void (*)(CallToDecode&)>;

const Decoders& decoders() {
  static const auto& table = *new Decoders([] {
    Decoders all;
    for (const auto chapter :
         {memory_decoders(), copy_decoders(), stream_decoders(), execution_decoders()}) {
      for (const RuntimeDecoder& each : chapter) all.emplace(each.name, each.decode);
    }
    return all;
  }());
  return table;
}

}  // namespace

DecodedCall decode_runtime_call(const std::string& name, const void* params, bool succeeded,
                                Handles& handles) {
  DecodedCall decoded;
  decoded.name = name;
  const auto found = decoders().find(name);
  if (found == decoders().end() || params == nullptr) return decoded;
  CallToDecode call{params, succeeded, handles, decoded};
  found->second(call);
  return decoded;
}

}  // namespace warpgrade::injection
