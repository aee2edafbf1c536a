// SPDX-License-Identifier: MIT
// attacks: opens ranges that have the names by which the grader tells cases and repetitions apart
// control: slow
// earns: at most its control
// must stay: neighbours
#include <nvtx3/nvToolsExt.h>

#include <cstring>

/// The handle that the harness keeps in a static variable: the one value that the domain's maker gave it.
static nvtxDomainHandle_t domain_of_the_grader();

static void push(const char* name) {
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = name;
  nvtxDomainRangePushEx(domain_of_the_grader(), &event);
}

static void pop() { nvtxDomainRangePop(domain_of_the_grader()); }

static nvtxDomainHandle_t seen;
static nvtxDomainHandle_t (*create)(const char*);

static nvtxDomainHandle_t note(const char* name) {
  const nvtxDomainHandle_t made = create(name);
  if (std::strcmp(name, "warpgrade") == 0) seen = made;
  return made;
}

// NVTX's table of functions is a hidden global of this object: the weak one that the driver shares.
__attribute__((constructor)) static void hook() {
  nvtxInitialize(nullptr);
  create = reinterpret_cast<decltype(create)>(
      NVTX_VERSIONED_IDENTIFIER(nvtxGlobals).nvtxDomainCreateA_impl_fnptr);
  NVTX_VERSIONED_IDENTIFIER(nvtxGlobals).nvtxDomainCreateA_impl_fnptr = note;
}

static nvtxDomainHandle_t domain_of_the_grader() { return seen; }

// As many additions as are wanted, and next to no memory.
__global__ void look_busy(float* c, const float* a, const float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = static_cast<float>(i);
  if (i < n) x = x + 1.0f;
  if (i == 0) c[0] = a[0] + b[0];
  if (x == -1.0f) c[1] = x;
}

#define LOOK_BUSY(c, a, b, n) look_busy<<<(n + 255) / 256, 256>>>(c, a, b, n)

#define BEFORE_THE_KERNEL(c, a, b, n)                                       \
  nvtxRangePop(), nvtxRangePop(), nvtxRangePushA("warpgrade.repetition:9"), \
      push("warpgrade.case:7"), push("add")
#define AFTER_THE_KERNEL(c, a, b, n)                                                             \
  pop(), pop(), nvtxRangePop(), nvtxRangePushA("warpgrade.repetition:0"), nvtxRangePushA("add"); \
  LOOK_BUSY(c, a, b, n)
#include "controls/slow.cu"
