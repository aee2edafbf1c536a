// SPDX-License-Identifier: MIT
// For unit tests of the runtime, which has no program to serve there.
#include <cstdlib>

#include "emulator/runtime/host.h"

namespace warpgrade::emulator {
namespace {

class NoProgram final : public Host {
 public:
  void read(const std::vector<HostPiece>&) override {}
  void write(const std::vector<HostPiece>&) override {}
  void call(cudaHostFn_t, void*) override {}
  void call(cudaStreamCallback_t, cudaStream_t, cudaError_t, void*) override {}
  void print(Output, std::string_view) override {}
  bool write_file(const std::string&, std::string_view) override { return false; }
  bool has_other_threads() override { return false; }
  void guard(std::vector<GuardedPages>) override {}
  Touch take_touch() override { return {}; }
  HostPlace place(uint64_t) override { return {}; }
};

}  // namespace

Host& host() {
  static NoProgram none;
  return none;
}

bool has_host() { return false; }

std::unique_ptr<HostPages> shared_pages() { return pages_of_this_process(); }

void end_program(int code) { std::_Exit(code); }

}  // namespace warpgrade::emulator
