// SPDX-License-Identifier: MIT
// CUDA Runtime API, chapter "Stream Management": attributes. They are kept and told again; none
// changes what the emulated device does.
#include <algorithm>

#include "emulator/runtime/api.h"

namespace warpgrade::emulator {
namespace {

template <class Body>
cudaError_t attribute_call(const char* name, cudaStream_t handle, Body body) {
  return api_call(name, EarlierFault::if_known, [&](ApiCall& call) {
    CUstream_st* const stream = call.stream(handle);
    return stream == nullptr ? cudaErrorInvalidResourceHandle : body(call, *stream);
  });
}

bool is_attribute(cudaStreamAttrID which) {
  return which == cudaStreamAttributeAccessPolicyWindow ||
         which == cudaStreamAttributeSynchronizationPolicy ||
         which == cudaStreamAttributeMemSyncDomainMap ||
         which == cudaStreamAttributeMemSyncDomain || which == cudaStreamAttributePriority;
}

}  // namespace

extern "C" {

cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaStreamAttrID which,
                                   const cudaStreamAttrValue* value) {
  return attribute_call("cudaStreamSetAttribute", handle, [&](ApiCall&, CUstream_st& stream) {
    if (value == nullptr || !is_attribute(which)) return cudaErrorInvalidValue;
    if (which == cudaStreamAttributePriority)
      stream.priority = std::clamp(value->priority, kGreatestPriority, kLeastPriority);
    stream.attributes[which] = *value;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t handle, cudaStreamAttrID which,
                                   cudaStreamAttrValue* value) {
  return attribute_call("cudaStreamGetAttribute", handle, [&](ApiCall&, CUstream_st& stream) {
    if (value == nullptr || !is_attribute(which)) return cudaErrorInvalidValue;
    const auto set = stream.attributes.find(which);
    *value = set == stream.attributes.end() ? cudaStreamAttrValue{} : set->second;
    if (which == cudaStreamAttributePriority) value->priority = stream.priority;
    if (which == cudaStreamAttributeSynchronizationPolicy && set == stream.attributes.end())
      value->syncPolicy = cudaSyncPolicyAuto;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src) {
  return attribute_call("cudaStreamCopyAttributes", dst, [&](ApiCall& call, CUstream_st& to) {
    const CUstream_st* const from = call.stream(src);
    if (from == nullptr) return cudaErrorInvalidResourceHandle;
    to.attributes = from->attributes;
    return cudaSuccess;
  });
}

// No cache is modelled that lines could persist in.
cudaError_t cudaCtxResetPersistingL2Cache() {
  return api_call("cudaCtxResetPersistingL2Cache", EarlierFault::if_known,
                  [](ApiCall&) { return cudaSuccess; });
}

}  // extern "C"
}  // namespace warpgrade::emulator
