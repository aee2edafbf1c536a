// SPDX-License-Identifier: MIT
#pragma once

#include "emulator/runtime/memory/copies.h"

namespace warpgrade::emulator {

/// The side of a copy that lies in an array; `position.x` and the shape's width count bytes. An
/// error for what is no array, or does not fit into it.
cudaError_t array_side(ApiCall& call, cudaArray_const_t handle, cudaPos position, CopyShape shape,
                       CopySide& side);

/// Both sides of a 3D copy, of pitched memory or arrays, and its shape in bytes.
cudaError_t copy_sides(ApiCall& call, const cudaMemcpy3DParms& p, CopySide& to, CopySide& from,
                       CopyShape& shape);

}  // namespace warpgrade::emulator
