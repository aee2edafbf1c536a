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

  /// Elements in rows and slices.
  struct Level {
    uint64_t address = 0;  ///< The first element's address in a device's memory.
    size_t pitch = 0, slice_pitch = 0;
    std::array<uint32_t, 3> extent{1, 1, 1};  ///< Along x, y and z; layers and faces are z.
  };

  uint64_t address = 0;  ///< As a Level's, like the next two.
  size_t pitch = 0, slice_pitch = 0;
  std::array<uint32_t, 3> extent{1, 1, 1};
  std::vector<Level> levels;  ///< of a mipmapped array, the largest first; else empty
  uint8_t channels = 1;
  uint8_t channel_bytes = 4;
  Format format = Format::floating;

  std::array<Addressing, 3> addressing{Addressing::clamp, Addressing::clamp, Addressing::clamp};
  bool linear_filter = false;
  bool normalised_coordinates = false;
  bool normalised_values = false;  ///< Integers are read as [0, 1] or [-1, 1].
  bool srgb = false;               ///< The first three channels are sRGB, and are read as linear.
  std::array<float, 4> border{};
  bool linear_between_levels = false;
  float level_bias = 0, least_level = 0, most_level = 0;

  size_t element_bytes() const { return size_t{channels} * channel_bytes; }
  /// From the first byte to the last.
  size_t span() const {
    if (levels.empty()) return span({address, pitch, slice_pitch, extent});
    return levels.back().address - address + span(levels.back());
  }
  size_t span(const Level& of) const {
    return (of.extent[2] - 1) * of.slice_pitch + (of.extent[1] - 1) * of.pitch +
           of.extent[0] * element_bytes();
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
  float level = 0;  ///< of detail, before bias and clamps
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
