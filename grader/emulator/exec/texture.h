// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace warpgrade::emulator {

/// What a texture or surface object stands for: elements in memory and how to read them (CUDA C++
/// Programming Guide, "Texture Fetching").
struct TextureObject {
  enum class Format : uint8_t { unsigned_integer, signed_integer, floating };
  enum class Addressing : uint8_t { wrap, clamp, mirror, border };

  uint64_t address = 0;  ///< The first element's address in a device's memory.
  size_t pitch = 0, slice_pitch = 0;
  std::array<uint32_t, 3> extent{1, 1, 1};  ///< Elements along x, y and z; layers and faces are z.
  uint8_t channels = 1;
  uint8_t channel_bytes = 4;
  Format format = Format::floating;

  std::array<Addressing, 3> addressing{Addressing::clamp, Addressing::clamp, Addressing::clamp};
  bool linear_filter = false;
  bool normalised_coordinates = false;
  bool normalised_values = false;  ///< Integers are read as [0, 1] or [-1, 1].
  std::array<float, 4> border{};

  size_t element_bytes() const { return size_t{channels} * channel_bytes; }
  /// From the first byte to the last.
  size_t span() const {
    return (extent[2] - 1) * slice_pitch + (extent[1] - 1) * pitch + extent[0] * element_bytes();
  }
};

/// By the handle that the program passes to its kernels.
using TextureTable = std::map<uint64_t, TextureObject>;

/// How an instruction's coordinates select elements.
enum class TextureGeometry : uint8_t { d1, d2, d3, a1d, a2d, cube, acube };

/// Where an instruction reads: coordinates in the order x, y, z, the layer apart.
struct TexturePoint {
  std::array<float, 3> at{};
  uint32_t layer = 0;
};

/// Four channels as a texture unit returns them: floats, or integers as they are; bit patterns.
using Texel = std::array<uint32_t, 4>;

/// `memory` is where the first element really lies. Adds the offsets of the elements that it reads
/// to `read`.
Texel sample(const TextureObject& texture, const uint8_t* memory, TextureGeometry geometry,
             const TexturePoint& point, std::vector<size_t>& read);
/// The element number `index` of a one-dimensional texture; zeros outside (tex1Dfetch).
Texel fetch(const TextureObject& texture, const uint8_t* memory, int32_t index,
            std::vector<size_t>& read);
/// One channel of the four elements that linear filtering would mix (tex2Dgather).
Texel gather(const TextureObject& texture, const uint8_t* memory, const TexturePoint& point,
             unsigned channel, std::vector<size_t>& read);

}  // namespace warpgrade::emulator
