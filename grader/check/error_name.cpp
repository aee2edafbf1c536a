// SPDX-License-Identifier: MIT
#include "check/error_name.h"

#include <fmt/format.h>

#include <utility>

namespace warpgrade {
namespace {

// Errors that calls and launches of a course's programs return.
constexpr std::pair<int, const char*> kNames[] = {
    {0, "cudaSuccess"},
    {1, "cudaErrorInvalidValue"},
    {2, "cudaErrorMemoryAllocation"},
    {3, "cudaErrorInitializationError"},
    {9, "cudaErrorInvalidConfiguration"},
    {12, "cudaErrorInvalidPitchValue"},
    {13, "cudaErrorInvalidSymbol"},
    {16, "cudaErrorInvalidHostPointer"},
    {17, "cudaErrorInvalidDevicePointer"},
    {18, "cudaErrorInvalidTexture"},
    {20, "cudaErrorInvalidChannelDescriptor"},
    {21, "cudaErrorInvalidMemcpyDirection"},
    {52, "cudaErrorMissingConfiguration"},
    {98, "cudaErrorInvalidDeviceFunction"},
    {100, "cudaErrorNoDevice"},
    {101, "cudaErrorInvalidDevice"},
    {200, "cudaErrorInvalidKernelImage"},
    {209, "cudaErrorNoKernelImageForDevice"},
    {218, "cudaErrorInvalidPtx"},
    {400, "cudaErrorInvalidResourceHandle"},
    {600, "cudaErrorNotReady"},
    {700, "cudaErrorIllegalAddress"},
    {701, "cudaErrorLaunchOutOfResources"},
    {702, "cudaErrorLaunchTimeout"},
    {704, "cudaErrorPeerAccessAlreadyEnabled"},
    {705, "cudaErrorPeerAccessNotEnabled"},
    {710, "cudaErrorAssert"},
    {712, "cudaErrorHostMemoryAlreadyRegistered"},
    {713, "cudaErrorHostMemoryNotRegistered"},
    {715, "cudaErrorIllegalInstruction"},
    {716, "cudaErrorMisalignedAddress"},
    {719, "cudaErrorLaunchFailure"},
    {720, "cudaErrorCooperativeLaunchTooLarge"},
    {801, "cudaErrorNotSupported"},
    {999, "cudaErrorUnknown"},
};

}  // namespace

std::string error_name(int error) {
  for (const auto& [number, name] : kNames) {
    if (number == error) return fmt::format("{} ({})", name, number);
  }
  return fmt::format("CUDA error {}", error);
}

}  // namespace warpgrade
