// SPDX-License-Identifier: MIT
// attacks: closes no range, names them with a megabyte, and nests ten thousand of them
// control: honest
// earns: at most its control
// must stay: neighbours, memory, reports
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

#include <string>

#include "kit/attack.h"

static void attack() {
  if (seen == nullptr) return;
  const std::string name(1 << 20, 'x');
  for (int i = 0; i < 20; ++i) push(name.c_str());
  for (int i = 0; i < 10000; ++i) push("add");
}

#include "kit/attack_first.cu"
