// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <utility>

#include "testing/gpu/speed/task.h"

namespace warpgrade::speed {

/// The memory of the tasks on the current device. Ends the program where there is too little.
class Arrays : public Memory {
 public:
  ~Arrays() override { clear(); }

  /// Frees everything, before another group of tasks.
  void clear();

  void* device(int which, size_t bytes) override;
  void* host(int which, size_t bytes) override;
  void fill(float* to, size_t count, unsigned seed) override;
  void fill(uint8_t* to, size_t count, Family family) override;
  void poison(void* to, size_t bytes) override;
  float read(const float* from, size_t i) override;
  Pairs pairs(size_t count, unsigned seed_a, unsigned seed_b) override;
  const std::vector<unsigned>& byte_counts(size_t count, Family family) override;

 private:
  struct Block {
    void* start;
    size_t bytes;
  };
  bool on_host(const void* address) const;

  std::map<int, Block> device_, host_;
  std::map<std::pair<size_t, unsigned>, Pairs> pairs_;
  std::map<std::pair<size_t, Family>, std::vector<unsigned>> counts_;
};

}  // namespace warpgrade::speed
