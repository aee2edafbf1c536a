// SPDX-License-Identifier: MIT
// PTX ISA 9.7.10 and 9.7.11, textures and surfaces in unified mode: tex, tld4, suld.b, sust.b.

#include "emulator/exec/texture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "emulator/checkers/texels.h"
#include "emulator/exec/access.h"
#include "emulator/exec/ops/lane_traffic.h"
#include "emulator/exec/ops/lanes.h"
#include "emulator/exec/scheduling.h"
#include "emulator/exec/worker.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator::WARPGRADE_ISA {
namespace {

// Instruction: a is the handle; or e is the address of a texture reference, which holds the handle; bytes the width of one channel in a surface access; elements its
// number of channels; mode is a TextureGeometry. Detail: `registers` hold the data, `more` the
// coordinates, then what Levels says. The immediate is tld4's channel, Levels, or a surface's Outside.
constexpr size_t kMostSurfaceBytes = 16;
enum class Outside { trap, clamp, zero };
/// What chooses the level of detail: nothing, a number, or by how much the coordinates differ between neighbours.
enum class Levels { none, number, gradients };

struct GeometryName {
  std::string_view name;
  TextureGeometry geometry;
};
constexpr GeometryName kGeometries[] = {
    {"1d", TextureGeometry::d1},       {"2d", TextureGeometry::d2},
    {"3d", TextureGeometry::d3},       {"a1d", TextureGeometry::a1d},
    {"a2d", TextureGeometry::a2d},     {"cube", TextureGeometry::cube},
    {"acube", TextureGeometry::acube},
};

/// The object a lane's handle stands for and where its memory lies; null, with a fault, for what is
/// no handle or whose memory is gone.
struct Bound {
  const TextureObject* object = nullptr;
  uint8_t* memory = nullptr;
  const Allocation* allocation = nullptr;
};

uint64_t handle_of(Warp& warp, const Instruction& i, int lane) {
  if (i.e == kNoRegister) return warp.reg<uint64_t>(i.a)[lane];
  const uint64_t address = warp.reg<uint64_t>(i.e)[lane];
  const Allocation* const allocation = warp.worker->launch->memory->find(address);
  uint64_t handle = 0;
  if (allocation != nullptr && allocation->contains(address, sizeof handle))
    std::memcpy(&handle, allocation->at(address), sizeof handle);
  return handle;
}

Bound bind(Warp& warp, const Instruction& i, int lane, bool write) {
  const LaunchContext& launch = *warp.worker->launch;
  const uint64_t handle = handle_of(warp, i, lane);
  const TextureTable* const table = launch.request->textures;
  const auto found = table == nullptr ? TextureTable::const_iterator{} : table->find(handle);
  const char* complaint = i.e == kNoRegister ? "memory.no_texture" : "memory.no_reference";
  if (table != nullptr && found != table->end()) {
    const TextureObject& object = found->second;
    const Allocation* const allocation = launch.memory->find(object.address);
    if (allocation != nullptr && allocation->contains(object.address, object.span())) {
      note_touched(*warp.worker, *allocation, write, false);
      return {&object, allocation->at(object.address), allocation};
    }
    complaint = "memory.texture_freed";
  }
  report_fault(warp, i, LaunchStatus::illegal_address, 120, handle, 1u << lane, say(complaint));
  stop(warp);
  return {};
}

const Detail& detail_of(Warp& warp, const Instruction& i) {
  return warp.worker->launch->module->program.details[i.detail];
}

bool has_layer(TextureGeometry geometry) {
  return geometry == TextureGeometry::a1d || geometry == TextureGeometry::a2d ||
         geometry == TextureGeometry::acube;
}

size_t dimensions_of(TextureGeometry geometry) {
  if (geometry == TextureGeometry::d1 || geometry == TextureGeometry::a1d) return 1;
  return geometry == TextureGeometry::d2 || geometry == TextureGeometry::a2d ? 2 : 3;
}

template <class T>
TexturePoint point_of(Warp& warp, const Instruction& i, const Detail& detail, int lane) {
  const auto geometry = static_cast<TextureGeometry>(i.mode);
  TexturePoint point;
  size_t next = 0;
  if (has_layer(geometry)) point.layer = warp.reg<uint32_t>(detail.more[next++])[lane];
  for (size_t d = 0; d < 3 && next < detail.more.size(); ++d, ++next)
    point.at[d] = static_cast<float>(warp.reg<T>(detail.more[next])[lane]);
  return point;
}

/// The level at which neighbours lie one element apart (OpenGL 4.6, 8.14.1: the longer of the two gradients counts).
float level_of_gradients(Warp& warp, const Detail& detail, int lane, size_t first,
                         size_t dimensions, const TextureObject& object) {
  float longest = 0;
  for (size_t gradient = 0; gradient < 2; ++gradient) {
    float squares = 0;
    for (size_t d = 0; d < dimensions; ++d) {
      const size_t at = first + gradient * dimensions + d;
      const float size = object.normalised_coordinates ? static_cast<float>(object.extent[d]) : 1;
      const float step = warp.reg<float>(detail.more[at])[lane] * size;
      squares += step * step;
    }
    longest = std::max(longest, squares);
  }
  return longest > 0 ? 0.5f * std::log2(longest) : 0;
}

template <class T>
void choose_level(Warp& warp, const Instruction& i, const Detail& detail, int lane,
                  const TextureObject& object, TexturePoint& point) {
  const auto levels = static_cast<Levels>(i.immediate);
  if (levels == Levels::none) return;
  const size_t dimensions = dimensions_of(static_cast<TextureGeometry>(i.mode));
  const size_t first = detail.more.size() - (levels == Levels::number ? 1 : 2 * dimensions);
  point.level = levels == Levels::number
                    ? static_cast<float>(warp.reg<T>(detail.more[first])[lane])
                    : level_of_gradients(warp, detail, lane, first, dimensions, object);
}

void put(Warp& warp, const Detail& detail, int lane, const Texel& texel) {
  for (size_t c = 0; c < detail.registers.size() && c < 4; ++c) {
    if (detail.registers[c] != kNoRegister)
      warp.reg<uint32_t>(detail.registers[c])[lane] = texel[c];
  }
}

/// Tells the race checker of the elements that a lane reads.
void watch_read(Warp& warp, const Instruction& i, int lane, const Bound& bound,
                const std::vector<size_t>& offsets, size_t bytes) {
  if (warp.worker->launch->watch == nullptr) return;
  for (const size_t offset : offsets)
    watch_texels(warp, i, lane, *bound.allocation, bound.object->address + offset,
                 static_cast<unsigned>(bytes), nullptr);
}

/// What a fetch reads: the first element of each lane's, and the last where it filters several.
class FetchTraffic {
 public:
  void add(int lane, const Bound& bound, const std::vector<size_t>& offsets) {
    if (offsets.empty()) return;
    bytes_ = static_cast<unsigned>(bound.object->element_bytes());
    first_.add(lane, bound.object->address + offsets.front(), bound.allocation);
    if (offsets.size() > 1)
      last_.add(lane, bound.object->address + offsets.back(), bound.allocation);
  }
  void count(const Warp& warp, const Instruction& i) const {
    first_.count(warp, i, bytes_, false);
    last_.count(warp, i, bytes_, false);
  }

 private:
  LaneTraffic first_, last_;
  unsigned bytes_ = 1;
};

template <class T>
void tex(Warp& warp, const Instruction& i) {
  const Detail& detail = detail_of(warp, i);
  const auto geometry = static_cast<TextureGeometry>(i.mode);
  std::vector<size_t> read;
  FetchTraffic traffic;
  for_each_lane(warp.mask, [&](int lane) {
    const Bound bound = bind(warp, i, lane, false);
    if (bound.object == nullptr) return;
    read.clear();
    if (std::is_integral_v<T> && geometry == TextureGeometry::d1) {
      const int32_t index = warp.reg<int32_t>(detail.more[0])[lane];
      put(warp, detail, lane, fetch(*bound.object, bound.memory, index, read));
    } else {
      TexturePoint point = point_of<T>(warp, i, detail, lane);
      choose_level<T>(warp, i, detail, lane, *bound.object, point);
      put(warp, detail, lane, sample(*bound.object, bound.memory, geometry, point, read));
    }
    watch_read(warp, i, lane, bound, read, bound.object->element_bytes());
    traffic.add(lane, bound, read);
  });
  traffic.count(warp, i);
}

void tld4(Warp& warp, const Instruction& i) {
  const Detail& detail = detail_of(warp, i);
  std::vector<size_t> read;
  FetchTraffic traffic;
  for_each_lane(warp.mask, [&](int lane) {
    const Bound bound = bind(warp, i, lane, false);
    if (bound.object == nullptr) return;
    read.clear();
    const TexturePoint point = point_of<float>(warp, i, detail, lane);
    put(warp, detail, lane,
        gather(*bound.object, bound.memory, point, static_cast<unsigned>(i.immediate), read));
    watch_read(warp, i, lane, bound, read, bound.object->element_bytes());
    traffic.add(lane, bound, read);
  });
  traffic.count(warp, i);
}

/// The bytes that a lane's surface access touches: x counts in bytes, y and z in elements. Null
/// where it touches none.
uint8_t* surface_bytes(Warp& warp, const Instruction& i, const Detail& detail, int lane,
                       const Bound& bound) {
  const auto geometry = static_cast<TextureGeometry>(i.mode);
  const TextureObject& object = *bound.object;
  const int64_t access = int64_t{i.bytes} * i.elements;
  const int64_t sizes[] = {static_cast<int64_t>(object.extent[0] * object.element_bytes()) / access,
                           object.extent[1], object.extent[2]};
  int64_t at[3] = {};
  size_t next = 0;
  if (has_layer(geometry)) at[2] = warp.reg<int32_t>(detail.more[next++])[lane];
  const size_t dimensions = dimensions_of(geometry);
  for (size_t d = 0; d < dimensions; ++d) at[d] = warp.reg<int32_t>(detail.more[next++])[lane];
  const int64_t x_bytes = at[0];
  at[0] = x_bytes < 0 ? -1 : x_bytes / access;
  bool outside = false;
  for (size_t d = 0; d < 3; ++d) {
    outside |= at[d] < 0 || at[d] >= sizes[d];
    if (i.immediate == static_cast<int64_t>(Outside::clamp))
      at[d] = std::min(std::max<int64_t>(at[d], 0), sizes[d] - 1);
  }
  // A row shorter than one access has nothing to clamp to.
  const bool nowhere = i.immediate == static_cast<int64_t>(Outside::clamp) && sizes[0] == 0;
  if ((outside && i.immediate == static_cast<int64_t>(Outside::zero)) || nowhere) return nullptr;
  if (i.immediate == static_cast<int64_t>(Outside::trap) && (outside || x_bytes % access != 0)) {
    report_fault(warp, i, LaunchStatus::illegal_address, 121, 0, 1u << lane,
                 say("memory.surface_outside", {{"width", object.extent[0]},
                                                {"height", object.extent[1]},
                                                {"depth", object.extent[2]},
                                                {"byte", x_bytes},
                                                {"row", at[1]},
                                                {"slice", at[2]}}));
    stop(warp);
    return nullptr;
  }
  return bound.memory + static_cast<size_t>(at[2]) * object.slice_pitch +
         static_cast<size_t>(at[1]) * object.pitch + static_cast<size_t>(at[0] * access);
}

/// 8-bit values travel in 16-bit registers.
size_t register_width(const Instruction& i) { return std::max<size_t>(i.bytes, 2); }

void suld(Warp& warp, const Instruction& i) {
  const Detail& detail = detail_of(warp, i);
  LaneTraffic traffic;
  for_each_lane(warp.mask, [&](int lane) {
    const Bound bound = bind(warp, i, lane, false);
    if (bound.object == nullptr) return;
    const uint8_t* const from = surface_bytes(warp, i, detail, lane, bound);
    if (from != nullptr) {
      const auto offset = static_cast<size_t>(from - bound.memory);
      watch_read(warp, i, lane, bound, {offset}, size_t{i.elements} * i.bytes);
      traffic.add(lane, bound.object->address + offset, bound.allocation);
    }
    for (size_t c = 0; c < i.elements; ++c) {
      if (detail.registers[c] == kNoRegister) continue;
      uint64_t value = 0;
      if (from != nullptr) std::memcpy(&value, from + c * i.bytes, i.bytes);
      const size_t width = register_width(i);
      std::memcpy(warp.reg<uint8_t>(detail.registers[c]) + static_cast<size_t>(lane) * width,
                  &value, width);
    }
  });
  traffic.count(warp, i, unsigned{i.elements} * i.bytes, false);
}

void sust(Warp& warp, const Instruction& i) {
  const Detail& detail = detail_of(warp, i);
  LaneTraffic traffic;
  for_each_lane(warp.mask, [&](int lane) {
    const Bound bound = bind(warp, i, lane, true);
    if (bound.object == nullptr) return;
    uint8_t* const to = surface_bytes(warp, i, detail, lane, bound);
    if (to == nullptr) return;
    const size_t width = register_width(i), bytes = size_t{i.elements} * i.bytes;
    uint8_t stored[kMostSurfaceBytes];
    for (size_t c = 0; c < i.elements; ++c) {
      std::memcpy(stored + c * i.bytes,
                  warp.reg<uint8_t>(detail.registers[c]) + static_cast<size_t>(lane) * width,
                  i.bytes);
    }
    const uint64_t address = bound.object->address + static_cast<size_t>(to - bound.memory);
    if (warp.worker->launch->watch != nullptr)
      watch_texels(warp, i, lane, *bound.allocation, address, static_cast<unsigned>(bytes), stored);
    std::memcpy(to, stored, bytes);
    traffic.add(lane, address, bound.allocation);
  });
  traffic.count(warp, i, unsigned{i.elements} * i.bytes, true);
}

/// Fills handle, geometry and coordinates from `[handle, {coordinates}]`.
void decode_place(Decoder& decoder, const ptx::Instruction& from, const ptx::Operand& place,
                  Instruction& into, Detail& detail, Type coordinate) {
  const GeometryName* geometry = nullptr;
  for (const GeometryName& row : kGeometries) {
    if (from.has(row.name)) geometry = &row;
  }
  require(geometry != nullptr, from);
  require(place.elements.size() == 1, from);
  const size_t given = place.elements[0].elements.size();
  require(given >= dimensions_of(geometry->geometry) + has_layer(geometry->geometry), from);
  into.mode = static_cast<uint8_t>(geometry->geometry);
  (place.kind == ptx::Operand::Kind::reg ? into.a : into.e) = decoder.source(place, Type::u64);
  for (const ptx::Operand& element : place.elements[0].elements)
    detail.more.push_back(decoder.source(element, coordinate));
}

/// tex.level [place], level; tex.grad [place], {by x}, {by y}.
void decode_levels(Decoder& decoder, const ptx::Instruction& from, Instruction& into,
                   Detail& detail) {
  const bool by_number = from.has("level");
  if (!by_number && !from.has("grad")) return;
  into.immediate = static_cast<int64_t>(by_number ? Levels::number : Levels::gradients);
  const auto geometry = static_cast<TextureGeometry>(into.mode);
  // Coordinates are given in vectors, which may be longer than what the geometry takes.
  detail.more.resize(std::min<size_t>(detail.more.size(), has_layer(geometry) ? 4 : 3));
  if (by_number) {
    require_operands(from, 3);
    detail.more.push_back(decoder.source(from.operands[2], last_type(from)));
    return;
  }
  require_operands(from, 4);
  const size_t dimensions = dimensions_of(geometry);
  for (const size_t operand : {size_t{2}, size_t{3}}) {
    const auto& given = from.operands[operand].elements;
    require(given.size() >= dimensions, from);
    for (size_t d = 0; d < dimensions; ++d)
      detail.more.push_back(decoder.source(given[d], Type::f32));
  }
}

void decode_texture(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require_operands(from, 2);
  const Type coordinate = last_type(from);
  require(from.has("v4") && (coordinate == Type::f32 || coordinate == Type::s32), from);
  Detail detail;
  for (const ptx::Operand& element : from.operands[0].elements)
    detail.registers.push_back(decoder.destination(element));
  decode_place(decoder, from, from.operands[1], into, detail, coordinate);
  into.flags |= Instruction::kControl;
  if (from.opcode == "tld4") {
    constexpr std::string_view kChannels[] = {"r", "g", "b", "a"};
    for (int c = 0; c < 4; ++c) {
      if (from.has(kChannels[c])) into.immediate = c;
    }
    into.run = tld4;
  } else {
    into.run = coordinate == Type::f32 ? tex<float> : tex<int32_t>;
    decode_levels(decoder, from, into, detail);
  }
  decoder.new_detail(into) = std::move(detail);
}

template <Handler Run>
void decode_surface(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require_operands(from, 2);
  require(from.has("b"), from);
  const bool load = from.opcode == "suld";
  const ptx::Operand& data = from.operands[load ? 0 : 1];
  const Type type = last_type(from);
  Detail detail;
  for (const ptx::Operand& element : data.elements)
    detail.registers.push_back(load ? decoder.destination(element) : decoder.source(element, type));
  const size_t elements = detail.registers.size(), bytes = ptx::size_of(type);
  require((elements == 1 || elements == 2 || elements == 4) && bytes <= 8 && elements * bytes <= 16,
          from);
  into.run = Run;
  into.flags |= Instruction::kControl;
  into.bytes = static_cast<uint8_t>(bytes);
  into.elements = static_cast<uint8_t>(elements);
  const Outside outside = from.has("clamp")  ? Outside::clamp
                          : from.has("zero") ? Outside::zero
                                             : Outside::trap;
  into.immediate = static_cast<int64_t>(outside);
  decode_place(decoder, from, from.operands[load ? 1 : 0], into, detail, Type::s32);
  decoder.new_detail(into) = std::move(detail);
}

constexpr OpRow kRows[] = {
    {"tex", decode_texture},
    {"tld4", decode_texture},
    {"suld", decode_surface<suld>},
    {"sust", decode_surface<sust>},
};

}  // namespace

const std::span<const OpRow> kTextureOps(kRows);

}  // namespace warpgrade::emulator::WARPGRADE_ISA
