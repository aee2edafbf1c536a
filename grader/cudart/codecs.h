// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "cudart/policies.h"
#include "cudart/wire.h"

// How a parameter of a call travels. The client's side of a codec asks: it sends the argument. It then hears
// what the call wrote through the argument. The device's side reads what was sent, gives the call a pointer to
// the device's own copy, and tells what the call wrote. The device follows no pointer that the program sent: it
// looks each address up in its own tables.
namespace warpgrade::cudart {

// Handles are pointers, and their own size is what travels.
// NOLINTBEGIN(bugprone-sizeof-expression)

template <class Policy, class T>
struct Codec;

/// A parameter that the call only reads.
struct AskedOnly {
  template <class Args, class T>
  static void hear(Reader&, const Args&, const T&) {}
  template <class Args>
  bool fits(const Args&) {
    return true;
  }
  template <class Args>
  void tell(Writer&, const Args&) {}
};

/// Its bytes: numbers, structs, handles, addresses.
template <class T>
requires(is_number<T>()) struct Codec<Deduced, T> : AskedOnly {
  template <class Args>
  static void ask(Writer& to, const Args&, T value) {
    to.put(value);
  }
  T value{};
  bool read(Reader& from) {
    value = from.take<T>();
    return from.ok();
  }
  T get() { return value; }
};

/// A pointer to one value: read, and written unless it is const.
template <class T>
requires(!is_number<T>()) struct Codec<Deduced, T> {
  using Pointee = std::remove_pointer_t<T>;
  using Value = std::remove_const_t<Pointee>;
  static constexpr bool kWritten = !std::is_const_v<Pointee>;

  template <class Args>
  static void ask(Writer& to, const Args&, T value) {
    to.put(uint8_t{value != nullptr});
    if (value != nullptr) to.put(*value);
  }
  template <class Args>
  static void hear(Reader& from, const Args&, T value) {
    if constexpr (kWritten) {
      if (value != nullptr) *value = from.take<Value>();
    }
  }

  bool given = false;
  Value value{};
  bool read(Reader& from) {
    given = from.take<uint8_t>() != 0;
    if (given) from.take(&value, sizeof value);
    return from.ok();
  }
  T get() { return given ? &value : nullptr; }
  template <class Args>
  bool fits(const Args&) {
    return true;
  }
  template <class Args>
  void tell(Writer& to, const Args&) {
    if (kWritten && given) to.put(value);
  }
};

template <size_t Count, class T>
struct Codec<Many<Count>, T> {
  using Pointee = std::remove_pointer_t<T>;
  using Value = std::remove_const_t<Pointee>;
  static constexpr bool kWritten = !std::is_const_v<Pointee>;

  template <class Args>
  static void ask(Writer& to, const Args& args, T values) {
    const uint64_t count = values == nullptr ? 0 : count_in<Count>(args);
    to.put(uint8_t{values != nullptr});
    to.put(count);
    to.put(values, count * sizeof(Value));
  }
  template <class Args>
  static void hear(Reader& from, const Args&, T values) {
    if constexpr (kWritten) {
      if (values == nullptr) return;
      const auto count = from.take<uint64_t>();
      if (from.has(count, sizeof(Value))) from.take(values, count * sizeof(Value));
    }
  }

  bool given = false;
  uint64_t count = 0;
  std::vector<Value> values;
  bool read(Reader& from) {
    given = from.take<uint8_t>() != 0;
    count = from.take<uint64_t>();
    if (!from.has(count, sizeof(Value))) return false;
    values.resize(std::max<uint64_t>(count, 1));
    return from.take(values.data(), count * sizeof(Value));
  }
  T get() { return given ? values.data() : nullptr; }
  template <class Args>
  bool fits(const Args& args) {
    return !given || count_in<Count>(args) == count;
  }
  template <class Args>
  void tell(Writer& to, const Args&) {
    if (!kWritten || !given) return;
    to.put(count);
    to.put(values.data(), count * sizeof(Value));
  }
};

/// Memory that the call writes; what it leaves alone stays as the program has it.
template <class T>
struct WrittenMemory {
  static void ask(Writer& to, T memory, uint64_t bytes) {
    to.put(uint8_t{memory != nullptr});
    to.put(bytes);
    if (memory != nullptr) to.put(memory, bytes);
  }
  static void hear(Reader& from, T memory, uint64_t bytes) {
    if (memory != nullptr) from.take(memory, bytes);
  }

  bool given = false;
  uint64_t bytes = 0;
  std::vector<char> memory;
  bool read(Reader& from) {
    given = from.take<uint8_t>() != 0;
    bytes = from.take<uint64_t>();
    if (!given) return from.ok();
    if (!from.has(bytes, 1)) return false;
    memory.resize(std::max<uint64_t>(bytes, 1));
    return from.take(memory.data(), bytes);
  }
  T get() { return given ? reinterpret_cast<T>(memory.data()) : nullptr; }
  void tell(Writer& to) {
    if (given) to.put(memory.data(), bytes);
  }
};

template <class T, class Size>
struct SizedMemory : WrittenMemory<T> {
  using Base = WrittenMemory<T>;
  template <class Args>
  static void ask(Writer& to, const Args& args, T memory) {
    Base::ask(to, memory, Size{}(args));
  }
  template <class Args>
  static void hear(Reader& from, const Args& args, T memory) {
    Base::hear(from, memory, Size{}(args));
  }
  template <class Args>
  bool fits(const Args& args) {
    return !this->given || this->bytes == Size{}(args);
  }
  template <class Args>
  void tell(Writer& to, const Args&) {
    Base::tell(to);
  }
};

template <size_t Bytes>
struct BytesByArgument {
  template <class Args>
  uint64_t operator()(const Args& args) const {
    const auto bytes = static_cast<int64_t>(count_in<Bytes>(args));
    return bytes < 0 || bytes > static_cast<int64_t>(kBulkBytes) ? 0 : static_cast<uint64_t>(bytes);
  }
};
template <size_t Bytes, class T>
struct Codec<Buffer<Bytes>, T> : SizedMemory<T, BytesByArgument<Bytes>> {};

template <size_t Bytes>
struct FixedBytes {
  template <class Args>
  uint64_t operator()(const Args&) const {
    return Bytes;
  }
};
template <size_t Bytes, class T>
struct Codec<Opaque<Bytes>, T> : SizedMemory<T, FixedBytes<Bytes>> {};

/// CUDA Runtime API, cudaMemPoolAttr: the settings of reuse are int, all others cuuint64_t.
template <size_t Attribute>
struct PoolValueBytes {
  template <class Args>
  uint64_t operator()(const Args& args) const {
    const cudaMemPoolAttr attribute = std::get<Attribute>(args);
    const bool is_int = attribute == cudaMemPoolReuseFollowEventDependencies ||
                        attribute == cudaMemPoolReuseAllowOpportunistic ||
                        attribute == cudaMemPoolReuseAllowInternalDependencies;
    return is_int ? sizeof(int) : sizeof(uint64_t);
  }
};
template <size_t Attribute>
struct Codec<PoolValue<Attribute>, void*> : SizedMemory<void*, PoolValueBytes<Attribute>> {};

template <>
struct Codec<Text, const char*> : AskedOnly {
  template <class Args>
  static void ask(Writer& to, const Args&, const char* text) {
    to.put(uint8_t{text != nullptr});
    to.put_text(text == nullptr ? "" : text);
  }
  bool given = false;
  std::string text;
  bool read(Reader& from) {
    given = from.take<uint8_t>() != 0;
    text = from.take_text();
    return from.ok();
  }
  const char* get() { return given ? text.c_str() : nullptr; }
};

/// The client keeps each text that it was ever given; there are as many as kernels.
const char* keep_text(std::string text);
/// The client keeps the last array of each kind and thread.
void* keep_array(const void* bytes, size_t count, size_t element_bytes);

template <>
struct Codec<KeptText, const char**> {
  template <class Args>
  static void ask(Writer& to, const Args&, const char** text) {
    to.put(uint8_t{text != nullptr});
  }
  template <class Args>
  static void hear(Reader& from, const Args&, const char** text) {
    if (text == nullptr) return;
    if (from.take<uint8_t>() != 0) *text = keep_text(from.take_text());
  }

  bool given = false;
  const char* text = nullptr;
  bool read(Reader& from) {
    given = from.take<uint8_t>() != 0;
    return from.ok();
  }
  const char** get() { return given ? &text : nullptr; }
  template <class Args>
  bool fits(const Args&) {
    return true;
  }
  template <class Args>
  void tell(Writer& to, const Args&) {
    if (!given) return;
    to.put(uint8_t{text != nullptr});
    if (text != nullptr) to.put_text(text);
  }
};

template <size_t Count, class Value>
struct Codec<Kept<Count>, const Value**> {
  template <class Args>
  static void ask(Writer& to, const Args&, const Value** array) {
    to.put(uint8_t{array != nullptr});
  }
  template <class Args>
  static void hear(Reader& from, const Args&, const Value** array) {
    if (array == nullptr || from.take<uint8_t>() == 0) return;
    const auto count = from.take<uint64_t>();
    if (!from.has(count, sizeof(Value))) return;
    std::vector<Value> values(count);
    from.take(values.data(), count * sizeof(Value));
    *array = static_cast<const Value*>(keep_array(values.data(), count, sizeof(Value)));
  }

  bool given = false;
  const Value* array = nullptr;
  bool read(Reader& from) {
    given = from.take<uint8_t>() != 0;
    return from.ok();
  }
  const Value** get() { return given ? &array : nullptr; }
  template <class Args>
  bool fits(const Args& args) {
    return !given || std::get<Count>(args) != nullptr;
  }
  template <class Args>
  void tell(Writer& to, const Args& args) {
    if (!given) return;
    to.put(uint8_t{array != nullptr});
    if (array == nullptr) return;
    const uint64_t count = count_in<Count>(args);
    to.put(count);
    to.put(array, count * sizeof(Value));
  }
};

template <size_t Sizes, size_t Count>
struct Codec<Buffers<Sizes, Count>, void**> {
  using Memory = WrittenMemory<char*>;

  template <class Args>
  static void ask(Writer& to, const Args& args, void** memory) {
    const size_t* const sizes = std::get<Sizes>(args);
    const uint64_t count = memory == nullptr || sizes == nullptr ? 0 : count_in<Count>(args);
    to.put(uint8_t{memory != nullptr});
    to.put(count);
    for (uint64_t i = 0; i < count; ++i) Memory::ask(to, static_cast<char*>(memory[i]), sizes[i]);
  }
  template <class Args>
  static void hear(Reader& from, const Args& args, void** memory) {
    const size_t* const sizes = std::get<Sizes>(args);
    if (memory == nullptr || sizes == nullptr) return;
    for (uint64_t i = 0; i < count_in<Count>(args); ++i)
      Memory::hear(from, static_cast<char*>(memory[i]), sizes[i]);
  }

  bool given = false;
  std::vector<Memory> memory;
  std::vector<void*> pointers;
  bool read(Reader& from) {
    given = from.take<uint8_t>() != 0;
    const auto count = from.take<uint64_t>();
    if (!from.has(count, 1)) return false;
    memory.resize(count);
    for (Memory& one : memory) {
      if (!one.read(from)) return false;
      pointers.push_back(one.get());
    }
    pointers.push_back(nullptr);
    return from.ok();
  }
  void** get() { return given ? pointers.data() : nullptr; }
  template <class Args>
  bool fits(const Args& args) {
    const size_t* const sizes = std::get<Sizes>(args);
    if (!given || sizes == nullptr) return true;
    if (memory.size() != count_in<Count>(args)) return false;
    for (size_t i = 0; i < memory.size(); ++i) {
      if (memory[i].given && memory[i].bytes != sizes[i]) return false;
    }
    return true;
  }
  template <class Args>
  void tell(Writer& to, const Args&) {
    for (Memory& one : memory) one.tell(to);
  }
};

// NOLINTEND(bugprone-sizeof-expression)

}  // namespace warpgrade::cudart
