// SPDX-License-Identifier: MIT
// Every export of the toolkit's runtime library that nothing else here defines. A program that
// names one links, and is told which call it was when it makes it.
#include "cudart/client.h"
#include "cudart/host_guard.h"
#include "cudart/older.h"

// The toolkit's prototypes, where there are any, differ from the one that fits every call: on the
// platforms that CUDA 13 knows, the caller passes its arguments without the callee's help.
#define WARPGRADE_UNSUPPORTED(name)                                               \
  extern "C" __attribute__((weak)) cudaError_t warpgrade_##name() __asm__(#name); \
  cudaError_t warpgrade_##name() { return warpgrade::cudart::refuse(#name); }

namespace warpgrade::cudart {

cudaError_t refuse(const char* name) {
  Client* const client = Client::connected();
  if (client == nullptr) return cudaErrorInitializationError;
  HostGuard::lift();
  Writer body;
  body.put(HostGuard::take_touch());
  body.put_text(name);
  return client->exchange(Message::unsupported, body).take<cudaError_t>();
}

}  // namespace warpgrade::cudart

#include "cudart/unsupported.inc"

// For libcuda.so.1.
extern "C" {
cudaError_t __cudaRefuse(const char* what);
cudaError_t __cudaRefuse(const char* what) { return warpgrade::cudart::refuse(what); }
bool __cudaHasStarted();
bool __cudaHasStarted() { return warpgrade::cudart::Client::if_connected() != nullptr; }
}
