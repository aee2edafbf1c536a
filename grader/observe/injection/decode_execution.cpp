// SPDX-License-Identifier: MIT
// Devices, launches and graphs.
#include <cuda_runtime_api.h>
#include <cupti.h>

#include "observe/injection/runtime_decoders.h"

namespace warpgrade::injection {
namespace {

void device_count(CallToDecode& call) {
  const int* const count = call.as<cudaGetDeviceCount_v3020_params>().count;
  if (call.succeeded && count != nullptr) call.note_int("count", *count);
}

void chosen_device(CallToDecode& call) {
  call.note_int("device", call.as<cudaSetDevice_v3020_params>().device);
}

void device_properties(CallToDecode& call) {
  call.note_int("device", call.as<cudaGetDeviceProperties_v12000_params>().device);
}

void device_attribute(CallToDecode& call) {
  const auto& p = call.as<cudaDeviceGetAttribute_v5000_params>();
  call.note_int("device", p.device);
  call.note_int("attribute", p.attr);
}

void configured_launch(CallToDecode& call) {
  const auto& p = call.as<cudaLaunchKernelExC_v11060_params>();
  if (p.config != nullptr) call.note_stream(p.config->stream);
}

constexpr RuntimeDecoder kDecoders[] = {
    {"cudaGetDeviceCount", device_count},
    {"cudaSetDevice", chosen_device},
    {"cudaGetDeviceProperties", device_properties},
    {"cudaDeviceGetAttribute", device_attribute},
    {"cudaLaunchKernel", note_stream_only<cudaLaunchKernel_v7000_params>},
    {"cudaLaunchCooperativeKernel", note_stream_only<cudaLaunchCooperativeKernel_v9000_params>},
    {"cudaLaunchKernelExC", configured_launch},
    {"cudaLaunchHostFunc", note_stream_only<cudaLaunchHostFunc_v10000_params>},
    {"cudaGraphLaunch", note_stream_only<cudaGraphLaunch_v10000_params>},
};

}  // namespace

std::span<const RuntimeDecoder> execution_decoders() { return kDecoders; }

}  // namespace warpgrade::injection
