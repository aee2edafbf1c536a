// SPDX-License-Identifier: MIT
#include "emulator/exec/texture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <tuple>
#include <utility>

namespace warpgrade::emulator {
namespace {

using Format = TextureObject::Format;
using Addressing = TextureObject::Addressing;

float half_to_float(uint16_t half) {
  const int exponent = half >> 10 & 31;
  const int mantissa = half & 1023;
  const float sign = (half & 0x8000) != 0 ? -1.0f : 1.0f;
  if (exponent == 31) return mantissa != 0 ? std::nanf("") : sign * HUGE_VALF;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -24);
  return sign * std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
}

/// IEC 61966-2-1: the linear value of an sRGB one.
float linear_of_srgb(float value) {
  return value <= 0.04045f ? value / 12.92f : std::pow((value + 0.055f) / 1.055f, 2.4f);
}

/// One channel of an element: the bits a kernel gets.
uint32_t read_channel(const TextureObject& texture, const uint8_t* element, unsigned channel) {
  uint32_t raw = 0;
  std::memcpy(&raw, element + channel * texture.channel_bytes, texture.channel_bytes);
  const unsigned bits = 8u * texture.channel_bytes;
  if (texture.format == Format::floating) {
    return bits == 16 ? std::bit_cast<uint32_t>(half_to_float(static_cast<uint16_t>(raw))) : raw;
  }
  const uint32_t most = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
  if (texture.format == Format::unsigned_integer) {
    if (!texture.normalised_values) return raw;
    const float share = static_cast<float>(raw) / static_cast<float>(most);
    const bool is_colour = channel < 3;
    return std::bit_cast<uint32_t>(texture.srgb && is_colour ? linear_of_srgb(share) : share);
  }
  const auto value = static_cast<int32_t>(raw << (32 - bits)) >> (32 - bits);
  if (!texture.normalised_values) return static_cast<uint32_t>(value);
  const float scaled = static_cast<float>(value) / static_cast<float>(most / 2);
  return std::bit_cast<uint32_t>(std::max(scaled, -1.0f));
}

/// Where index `i` along one dimension leads; -1: to the border.
int64_t resolve(int64_t i, int64_t size, Addressing addressing, bool normalised) {
  if (i >= 0 && i < size) return i;
  if (addressing == Addressing::border) return -1;
  const bool repeats = normalised && addressing != Addressing::clamp;
  if (!repeats) return std::clamp<int64_t>(i, 0, size - 1);
  const int64_t period = addressing == Addressing::wrap ? size : 2 * size;
  const int64_t within = ((i % period) + period) % period;
  return within < size ? within : 2 * size - 1 - within;
}

using Index = std::array<int64_t, 3>;

Texel element_at(const TextureObject& texture, const uint8_t* memory, const Index& index,
                 std::vector<size_t>& read) {
  Texel texel{};
  size_t offset = 0;
  const size_t strides[] = {texture.element_bytes(), texture.pitch, texture.slice_pitch};
  for (size_t dimension = 0; dimension < 3; ++dimension) {
    const int64_t i = resolve(index[dimension], texture.extent[dimension],
                              texture.addressing[dimension], texture.normalised_coordinates);
    if (i < 0) {
      for (size_t c = 0; c < 4; ++c) texel[c] = std::bit_cast<uint32_t>(texture.border[c]);
      return texel;
    }
    offset += static_cast<size_t>(i) * strides[dimension];
  }
  read.push_back(offset);
  for (unsigned c = 0; c < texture.channels; ++c)
    texel[c] = read_channel(texture, memory + offset, c);
  return texel;
}

/// A coordinate in elements. Outside what an index can tell, it is as good as far outside.
float scaled(const TextureObject& texture, float coordinate, size_t dimension) {
  constexpr float kFar = 1e9f;
  const float size = static_cast<float>(texture.extent[dimension]);
  const float at = texture.normalised_coordinates ? coordinate * size : coordinate;
  return std::isnan(at) ? 0.0f : std::clamp(at, -kFar, kFar);
}

/// The lower neighbour and the weight of the upper one, in 9-bit fixed point with 8 bits of
/// fraction, as the Programming Guide says of linear filtering.
std::pair<int64_t, float> split(float at) {
  const float lower = std::floor(at - 0.5f);
  return {static_cast<int64_t>(lower), std::round((at - 0.5f - lower) * 256.0f) / 256.0f};
}

/// Mixes the 2, 4 or 8 elements around a point. Elements of weight 0 count nothing, not even NaNs.
Texel filter(const TextureObject& texture, const uint8_t* memory, unsigned dimensions,
             const std::array<float, 3>& at, Index index, std::vector<size_t>& read) {
  std::array<float, 3> weight{};
  for (unsigned d = 0; d < dimensions; ++d) std::tie(index[d], weight[d]) = split(at[d]);
  std::array<float, 4> sum{};
  for (unsigned corner = 0; corner < 1u << dimensions; ++corner) {
    Index here = index;
    float share = 1.0f;
    for (unsigned d = 0; d < dimensions; ++d) {
      const bool upper = (corner >> d & 1) != 0;
      here[d] += upper;
      share *= upper ? weight[d] : 1.0f - weight[d];
    }
    if (share == 0.0f) continue;
    const Texel texel = element_at(texture, memory, here, read);
    for (size_t c = 0; c < 4; ++c) sum[c] += share * std::bit_cast<float>(texel[c]);
  }
  return {std::bit_cast<uint32_t>(sum[0]), std::bit_cast<uint32_t>(sum[1]),
          std::bit_cast<uint32_t>(sum[2]), std::bit_cast<uint32_t>(sum[3])};
}

/// The face of a cube that a direction points to, and where on it (Programming Guide, "Cubemap
/// Textures").
uint32_t project(std::array<float, 3>& at) {
  const auto [x, y, z] = at;
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  float s = 0, t = 0, m = 1;
  uint32_t face = 0;
  if (ax >= ay && ax >= az) {
    face = x >= 0 ? 0 : 1;
    std::tie(m, s, t) = std::tuple(ax, x >= 0 ? -z : z, -y);
  } else if (ay >= az) {
    face = y >= 0 ? 2 : 3;
    std::tie(m, s, t) = std::tuple(ay, x, y >= 0 ? z : -z);
  } else {
    face = z >= 0 ? 4 : 5;
    std::tie(m, s, t) = std::tuple(az, z >= 0 ? x : -x, -y);
  }
  at = {(s / m + 1) / 2, (t / m + 1) / 2, 0};
  return face;
}

unsigned dimensions_of(TextureGeometry geometry) {
  if (geometry == TextureGeometry::d1 || geometry == TextureGeometry::a1d) return 1;
  return geometry == TextureGeometry::d3 ? 3 : 2;
}

/// A fetch from a texture of one level.
Texel sample_level(const TextureObject& texture, const uint8_t* memory, TextureGeometry geometry,
                   const TexturePoint& point, std::vector<size_t>& read) {
  const unsigned dimensions = dimensions_of(geometry);
  const bool is_cube = geometry == TextureGeometry::cube || geometry == TextureGeometry::acube;
  std::array<float, 3> at = point.at;
  Index index{};
  TextureObject object = texture;
  if (is_cube) {
    index[2] = int64_t{point.layer} * 6 + project(at);
    object.normalised_coordinates = true;
    object.addressing.fill(Addressing::clamp);
  } else if (dimensions < 3) {
    index[2] = point.layer;
  }
  // A layer is no coordinate: it is always clamped.
  if (dimensions < 3) index[2] = std::min<int64_t>(index[2], texture.extent[2] - 1);
  for (unsigned d = 0; d < dimensions; ++d) at[d] = scaled(object, at[d], d);
  const bool floats = texture.format == Format::floating || texture.normalised_values;
  if (texture.linear_filter && floats) return filter(object, memory, dimensions, at, index, read);
  for (unsigned d = 0; d < dimensions; ++d) index[d] = static_cast<int64_t>(std::floor(at[d]));
  return element_at(object, memory, index, read);
}

/// The texture that a level of a mipmapped one is by itself.
TextureObject level_of(const TextureObject& texture, size_t number) {
  const TextureObject::Level& level = texture.levels[number];
  TextureObject object = texture;
  object.levels.clear();
  object.address = level.address;
  object.pitch = level.pitch;
  object.slice_pitch = level.slice_pitch;
  object.extent = level.extent;
  return object;
}

/// The same for a mipmapped one; offsets count from the first level.
Texel sample_at(const TextureObject& texture, size_t number, const uint8_t* memory,
                TextureGeometry geometry, const TexturePoint& point, std::vector<size_t>& read) {
  const size_t begin = texture.levels[number].address - texture.address, before = read.size();
  const Texel texel =
      sample_level(level_of(texture, number), memory + begin, geometry, point, read);
  for (size_t i = before; i < read.size(); ++i) read[i] += begin;
  return texel;
}

/// CUDA Runtime API, cudaTextureDesc: the level of detail is biased, then clamped.
float chosen_level(const TextureObject& texture, float level) {
  const float biased = std::isnan(level) ? 0.0f : level + texture.level_bias;
  const float clamped = std::max(std::min(biased, texture.most_level), texture.least_level);
  return std::clamp(clamped, 0.0f, static_cast<float>(texture.levels.size() - 1));
}

}  // namespace

Texel sample(const TextureObject& texture, const uint8_t* memory, TextureGeometry geometry,
             const TexturePoint& point, std::vector<size_t>& read) {
  if (texture.levels.empty()) return sample_level(texture, memory, geometry, point, read);
  const float level = chosen_level(texture, point.level);
  const bool floats = texture.format == Format::floating || texture.normalised_values;
  if (!texture.linear_between_levels || !floats) {
    const auto nearest = static_cast<size_t>(std::floor(level + 0.5f));
    return sample_at(texture, nearest, memory, geometry, point, read);
  }
  const auto lower = static_cast<size_t>(level);
  const float weight = std::round((level - std::floor(level)) * 256.0f) / 256.0f;
  Texel texel = sample_at(texture, lower, memory, geometry, point, read);
  if (weight == 0.0f) return texel;
  const Texel upper = sample_at(texture, lower + 1, memory, geometry, point, read);
  for (size_t c = 0; c < texel.size(); ++c) {
    texel[c] = std::bit_cast<uint32_t>((1.0f - weight) * std::bit_cast<float>(texel[c]) +
                                       weight * std::bit_cast<float>(upper[c]));
  }
  return texel;
}

Texel fetch(const TextureObject& texture, const uint8_t* memory, int32_t index,
            std::vector<size_t>& read) {
  if (index < 0 || static_cast<uint32_t>(index) >= texture.extent[0]) return {};
  return element_at(texture, memory, {index, 0, 0}, read);
}

Texel gather(const TextureObject& texture, const uint8_t* memory, const TexturePoint& point,
             unsigned channel, std::vector<size_t>& read) {
  const int64_t x = split(scaled(texture, point.at[0], 0)).first;
  const int64_t y = split(scaled(texture, point.at[1], 1)).first;
  const auto take = [&](int64_t dx, int64_t dy) {
    return element_at(texture, memory, {x + dx, y + dy, 0}, read)[channel];
  };
  return {take(0, 1), take(1, 1), take(1, 0), take(0, 0)};
}

}  // namespace warpgrade::emulator
