// SPDX-License-Identifier: MIT
// CUDA Runtime API, chapter "Texture Object Management": so far only what needs no texture.
#include "emulator/runtime/toolkit.h"

extern "C" cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                       cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
