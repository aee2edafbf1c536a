// SPDX-License-Identifier: MIT
#pragma once

#include <cuda.h>
#include <cupti.h>

#include <string>

// Each function under a name of ours and the toolkit's, which cuda.h makes a version of.
#define WARPGRADE_DRIVER_FUNCTIONS(X)              \
  X(init, cuInit)                                  \
  X(device_count, cuDeviceGetCount)                \
  X(device_get, cuDeviceGet)                       \
  X(device_name, cuDeviceGetName)                  \
  X(device_attribute, cuDeviceGetAttribute)        \
  X(retain_primary, cuDevicePrimaryCtxRetain)      \
  X(current_context, cuCtxGetCurrent)              \
  X(set_context, cuCtxSetCurrent)                  \
  X(push_context, cuCtxPushCurrent)                \
  X(pop_context, cuCtxPopCurrent)                  \
  X(context_device, cuCtxGetDevice)                \
  X(synchronize, cuCtxSynchronize)                 \
  X(set_limit, cuCtxSetLimit)                      \
  X(reset_persisting, cuCtxResetPersistingL2Cache) \
  X(create_stream, cuStreamCreate)                 \
  X(is_capturing, cuStreamIsCapturing)             \
  X(create_event, cuEventCreate)                   \
  X(record_event, cuEventRecord)                   \
  X(elapsed, cuEventElapsedTime)                   \
  X(allocate, cuMemAlloc)                          \
  X(fill, cuMemsetD8)                              \
  X(fill_async, cuMemsetD8Async)                   \
  X(fill_words_async, cuMemsetD32Async)            \
  X(copy_to_host, cuMemcpyDtoH)                    \
  X(pointer_attribute, cuPointerGetAttribute)      \
  X(function_parameter, cuFuncGetParamInfo)        \
  X(kernel_parameter, cuKernelGetParamInfo)        \
  X(function_attribute, cuFuncGetAttribute)        \
  X(kernel_attribute, cuKernelGetAttribute)        \
  X(function_name, cuFuncGetName)                  \
  X(kernel_name, cuKernelGetName)

#define WARPGRADE_CUPTI_FUNCTIONS(X)                        \
  X(subscribe, cuptiSubscribe)                              \
  X(enable_domain, cuptiEnableDomain)                       \
  X(enable_activity, cuptiActivityEnable)                   \
  X(register_buffers, cuptiActivityRegisterCallbacks)       \
  X(register_clock, cuptiActivityRegisterTimestampCallback) \
  X(flush, cuptiActivityFlushAll)                           \
  X(next_record, cuptiActivityGetNextRecord)                \
  X(dropped_records, cuptiActivityGetNumDroppedRecords)     \
  X(stream_id, cuptiGetStreamIdEx)                          \
  X(context_id, cuptiGetContextId)                          \
  X(in_words, cuptiGetResultString)

namespace warpgrade::injection {

/// The driver's functions, as this process has them: nothing is linked, so that a program without a
/// GPU loads as well.
struct Driver {
#define WARPGRADE_MEMBER(member, function) decltype(&::function) member = nullptr;
  WARPGRADE_DRIVER_FUNCTIONS(WARPGRADE_MEMBER)

  /// Why it cannot be had, or empty.
  std::string load(const char* library);
};

struct Cupti {
  WARPGRADE_CUPTI_FUNCTIONS(WARPGRADE_MEMBER)
#undef WARPGRADE_MEMBER

  std::string load(const char* library);
};

}  // namespace warpgrade::injection
