// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "emulator/ptx/module.h"

namespace warpgrade::emulator {

/// Gives the function a new body: for each instruction, in their order, `emit(index, body)` appends what stands in its
/// place. A label then stands where its instruction's place begins.
template <class Emit>
void rebuild_body(ptx::Function& function, const Emit& emit) {
  const size_t count = function.body.size();
  std::vector<size_t> now_at(count + 1);
  std::vector<ptx::Instruction> body;
  for (size_t index = 0; index < count; ++index) {
    now_at[index] = body.size();
    emit(index, body);
  }
  now_at.back() = body.size();
  for (auto& [name, index] : function.labels) index = now_at[std::min(index, count)];
  function.body = std::move(body);
}

}  // namespace warpgrade::emulator
