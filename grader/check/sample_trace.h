// SPDX-License-Identifier: MIT
#pragma once

#include <cstring>

#include "base/content_hash.h"
#include "base/hash.h"
#include "check/judgement.h"

namespace warpgrade {

/// An expression that is known to be one.
inline Expression formula(const char* text) { return *Expression::parse(text); }

/// What a right program for a 33 x 17 by 17 x 65 product does with pitched memory, for tests to
/// spoil.
class SampleProgram {
 public:
  static constexpr uint64_t kA = 0x10000, kB = 0x20000, kC = 0x30000, kPitch = 512;

  SampleProgram() {
    facts.values = {{"M", 33}, {"N", 17}, {"K", 65}, {"height", 16}, {"major", 8}};
    facts.outputs["C"] = make_npy<float>({2}, {1, 2});
    facts.outputs["times"] = make_npy<float>({2}, {0, 0.25f});
    facts.trace.devices = {{"T4", 7, 5}, {"RTX 3090", 8, 6}};
    for (const auto& [ptr, width, height] :
         {Matrix{kA, 68, 33}, Matrix{kB, 260, 17}, Matrix{kC, 260, 33}}) {
      call("cudaMallocPitch",
           {{"ptr", ptr}, {"pitch", kPitch}, {"width", width}, {"height", height}});
    }
    call("cudaMemcpy2D", copy("HtoD", kA, 68, 33));
    call("cudaMemcpy2D", copy("HtoD", kB, 260, 17));
    call("cudaEventRecord", {{"event", 1}, {"stream", 0}});
    add_launch();
    call("cudaEventRecord", {{"event", 2}, {"stream", 0}});
    call("cudaMemcpy2DAsync", copy("DtoH", kC, 260, 33));
    call("cudaEventElapsedTime", {{"start", 1}, {"end", 2}, {"ms", 0.25}});
  }

  /// The n-th call of this name.
  ApiCall& find(const std::string& name, size_t n = 0) {
    for (ApiCall& candidate : facts.trace.calls) {
      if (candidate.name == name && n-- == 0) return candidate;
    }
    throw std::logic_error("no " + name);
  }
  KernelLaunch& launch() { return facts.trace.launches.at(0); }

  CaseFacts facts;

 private:
  struct Matrix {
    uint64_t ptr, width, height;
  };

  void call(const std::string& name, Arguments args) {
    facts.trace.calls.push_back({seq_++, name, 0, 1, "padded", std::move(args)});
  }

  Arguments copy(const char* direction, uint64_t device, uint64_t width, uint64_t height) const {
    const bool to_device = direction[0] == 'H';
    Arguments args = {{"direction", direction}, {"width", width}, {"height", height}};
    args["dst"] = to_device ? device : 7;
    args["src"] = to_device ? 7 : device;
    args["dpitch"] = to_device ? kPitch : width;
    args["spitch"] = to_device ? width : kPitch;
    const NpyArray& c = facts.outputs.at("C");
    if (!to_device)
      args["content_hash"] =
          hex64(content_hash({reinterpret_cast<const char*>(c.bytes.data()), c.bytes.size()}));
    return args;
  }

  static std::string pitched_pointer(uint64_t ptr, uint64_t columns, uint64_t rows) {
    const uint64_t fields[] = {ptr, kPitch, columns, rows};
    return {reinterpret_cast<const char*>(fields), sizeof fields};
  }

  void add_launch() {
    KernelLaunch made;
    made.seq = seq_++;
    made.kernel = "product";
    made.device = 1;
    made.range = "padded";
    made.grid = {5, 3, 1};
    made.block = {16, 16, 1};
    made.params = {pitched_pointer(kC, 65, 33), pitched_pointer(kA, 17, 33),
                   pitched_pointer(kB, 65, 17)};
    made.memory = {{kA, true, false}, {kB, true, false}, {kC, false, true}};
    made.metrics = {{"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 33 * 17 * 65},
                    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 900},
                    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 300}};
    facts.trace.launches.push_back(std::move(made));
  }

  long seq_ = 1;
};

}  // namespace warpgrade
