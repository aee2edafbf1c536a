// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include "cudart/wire.h"
#include "emulator/device/program_link.h"
#include "emulator/runtime/host.h"

namespace warpgrade::emulator {

/// Serves one thread of the program, on a thread of the device's own.
class ServedThread final : public Host {
 public:
  ServedThread(ProgramLink& link, cudart::ChannelMemory& channel)
      : link_(link), channel_(channel) {}

  /// Until that thread ends.
  void run();

  void read(const std::vector<HostPiece>& pieces) override;
  void write(const std::vector<HostPiece>& pieces) override;
  void call(cudaHostFn_t function, void* data) override;
  void call(cudaStreamCallback_t function, cudaStream_t stream, cudaError_t status,
            void* data) override;
  void print(Output where, std::string_view text) override;
  bool write_file(const std::string& path, std::string_view text) override;
  bool has_other_threads() override;
  void guard(std::vector<GuardedPages> pages) override { guarded_ = std::move(pages); }
  Touch take_touch() override { return std::exchange(touch_, Touch{}); }
  HostPlace place(uint64_t address) override;

  Result<uint8_t*> share(cudart::Message how, uint64_t begin, size_t bytes);
  void withdraw(uint64_t begin, size_t bytes);

 private:
  struct Received {
    cudart::Message message{};
    std::vector<std::byte> body;
  };
  Received receive();
  void send(cudart::Message message, std::span<const std::byte> body);

  /// Asks the program for something; calls that it makes meanwhile are served. The answer's body.
  std::vector<std::byte> ask(cudart::Message what, const cudart::Writer& body);
  void serve(const Received& received);
  /// False where a message is none that a libcudart sends.
  bool answer(const Received& received, cudart::Writer& result);
  bool make_call(cudart::Reader& message, cudart::Writer& result);
  bool take_registration(cudart::Reader& message, cudart::Writer& result);
  bool take_image(uint64_t handle, cudart::Reader& message);
  bool take_range(cudart::Reader& message, cudart::Writer& result);
  void send_result(const cudart::Writer& result);
  void put_writes(cudart::Writer& list);
  void flush_writes();

  ProgramLink& link_;
  cudart::ChannelMemory& channel_;
  Touch touch_;
  cudart::Sent sent_;
  std::vector<GuardedPages> guarded_;
  std::vector<std::pair<uint64_t, uint64_t>>
      writes_;  ///< address and bytes; their bytes are in the bulk area
  size_t written_bytes_ = 0;
  int nested_ = 0;  ///< Calls that the program makes while it was asked for something.
};

}  // namespace warpgrade::emulator
