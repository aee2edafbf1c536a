// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>
#include <nvtx3/nvToolsExt.h>

#include <cstdlib>
#include <string>

namespace warpgrade::harness {

/// The domain of the ranges that are graded, so that no range which a student's code opens or closes
/// is taken for one of them. It is made once; that somebody makes it again is seen.
static inline nvtxDomainHandle_t range_domain() {
  static const nvtxDomainHandle_t domain = nvtxDomainCreateA("warpgrade");
  return domain;
}

/// Thrown by a Range whose calls the grader leaves out of this run. part() catches it.
struct LeftOut {};

/// Whether WARPGRADE_LEAVE_OUT, a list with commas between, holds the range: after a fault, the grader runs a case
/// again without the call that faulted.
inline bool is_left_out(const std::string& name) {
  const char* const listed = std::getenv("WARPGRADE_LEAVE_OUT");
  if (listed == nullptr) return false;
  return (std::string(",") + listed + ',').find(',' + name + ',') != std::string::npos;
}

/// Runs one part of a case: calls of the student's and the outputs that come of them. Parts do not need each
/// other, so that a fault in one costs nothing of the next: what the grader leaves out ends the part, and its
/// outputs are not written.
template <class Action>
void part(Action action) {
  try {
    action();
  } catch (const LeftOut&) {
  }
}

/// Names what the student's code does inside the scope, for the grader's trace and, outside of the
/// domain, for Nsight Systems. What the driver has begun on the default stream, such as a cudaMemset, is
/// over by then: a stream of the student's own need not wait for it.
class Range {
 public:
  __attribute__((always_inline)) explicit Range(const char* name) {
    if (is_left_out(name)) throw LeftOut();
    cudaDeviceSynchronize();
    nvtxEventAttributes_t event{};
    event.version = NVTX_VERSION;
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    event.messageType = NVTX_MESSAGE_TYPE_ASCII;
    event.message.ascii = name;
    nvtxDomainRangePushEx(range_domain(), &event);
    nvtxRangePushA(name);
  }
  __attribute__((always_inline)) ~Range() {
    nvtxRangePop();
    nvtxDomainRangePop(range_domain());
  }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
};

}  // namespace warpgrade::harness
