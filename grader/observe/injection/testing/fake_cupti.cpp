// SPDX-License-Identifier: MIT
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "observe/injection/testing/fake_state.h"

namespace warpgrade::fake {

Call::Call(CUpti_CallbackDomain domain, const char* name, const void* params, const char* symbol)
    : domain_(domain) {
  data_.functionName = name;
  data_.functionParams = params;
  data_.functionReturnValue = &result_;
  data_.symbolName = symbol;
  data_.context = the_context();
  const std::lock_guard lock(state().mutex);
  data_.correlationId = state().next_correlation++;
  tell(CUPTI_API_ENTER);
}

int Call::end_with(int result) {
  result_ = result;
  tell(CUPTI_API_EXIT);
  return result;
}

void Call::tell(CUpti_ApiCallbackSite site) {
  data_.callbackSite = site;
  if (state().callback != nullptr && state().domains.count(domain_) != 0)
    state().callback(nullptr, domain_, 0, &data_);
}

void add_record(CUpti_ActivityKind kind, const void* record, size_t bytes) {
  const std::lock_guard lock(state().mutex);
  const auto* const begin = static_cast<const uint8_t*>(record);
  if (state().kinds.count(kind) != 0) state().records.emplace_back(begin, begin + bytes);
}

}  // namespace warpgrade::fake

using namespace warpgrade::fake;

extern "C" {

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle*, CUpti_CallbackFunc callback, void*) {
  if (std::getenv("FAKE_CUPTI_HAS_A_SUBSCRIBER") != nullptr)
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  state().callback = callback;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableDomain(uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain domain) {
  state().domains.insert(domain);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc clock) {
  if (!state().kinds.empty()) return CUPTI_ERROR_INVALID_OPERATION;
  state().clock = clock;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
  state().request = request;
  state().complete = complete;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  state().kinds.insert(kind);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityFlushAll(uint32_t flag) {
  // A real one waits for its thread, which a fork does not have.
  if (::getpid() != state().process) std::abort();
  if (flag == 0 && std::getenv("FAKE_CUPTI_KEEPS_BUFFERS") != nullptr) return CUPTI_SUCCESS;
  const std::lock_guard lock(state().mutex);
  while (!state().records.empty()) {
    uint8_t* buffer = nullptr;
    size_t bytes = 0, most = 0, used = 0;
    state().request(&buffer, &bytes, &most);
    for (; !state().records.empty(); state().records.pop_front()) {
      const auto& record = state().records.front();
      if (used + record.size() > bytes) break;
      std::memcpy(buffer + used, record.data(), record.size());
      used += record.size();
    }
    state().complete(nullptr, 0, buffer, bytes, used);
  }
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid, CUpti_Activity** record) {
  const auto size_of = [](const CUpti_Activity& one) {
    return one.kind == CUPTI_ACTIVITY_KIND_MEMSET   ? sizeof(CUpti_ActivityMemset4)
           : one.kind == CUPTI_ACTIVITY_KIND_MEMCPY ? sizeof(CUpti_ActivityMemcpy6)
                                                    : sizeof(CUpti_ActivityKernel10);
  };
  auto* const begin = reinterpret_cast<uint8_t*>(*record);
  uint8_t* const next = *record == nullptr ? buffer : begin + size_of(**record);
  if (next >= buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t* dropped) {
  *dropped = std::getenv("FAKE_CUPTI_DROPS") != nullptr ? 3 : 0;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetStreamIdEx(CUcontext, CUstream stream, uint8_t, uint32_t* id) {
  *id = static_cast<uint32_t>(reinterpret_cast<uint64_t>(stream));
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetContextId(CUcontext, uint32_t* id) {
  *id = kContextId;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetResultString(CUptiResult, const char** words) {
  *words = "CUPTI_ERROR_AS_TOLD";
  return CUPTI_SUCCESS;
}

}  // extern "C"
