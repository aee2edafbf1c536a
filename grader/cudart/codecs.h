// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <tuple>

#include "cudart/toolkit.h"
#include "cudart/wire.h"

// How one parameter of a call travels. A codec has four parts: the client asks with an argument and hears
// what the call wrote through it; the device holds what it read, gives the call a pointer into its own
// memory, and tells what the call wrote. No pointer of the program's is ever followed on the device's side:
// what stays a number here is an address that the device looks up.
namespace warpgrade::cudart {

// Handles are pointers, and their own size is what travels.
// NOLINTBEGIN(bugprone-sizeof-expression)

/// Sizes in bytes of a kernel's parameters; empty where there is no such kernel. `function` is the address
/// of its host function, or a handle. Each side has its own.
std::vector<uint32_t> parameter_sizes(const void* function);

// ---- policies: what a parameter is, where its type does not say it ----
struct Deduced {};
template <size_t Count>
struct Many {
};  ///< an array with as many elements as parameter `Count` says, by value or by pointer
template <size_t Bytes>
struct Buffer {};  ///< memory of as many bytes as parameter `Bytes` says, which the call writes
template <size_t Bytes>
struct Opaque {};  ///< void*, to that many bytes
template <size_t Attribute>
struct PoolValue {
};  ///< void*, to a value of the pool's attribute that parameter `Attribute` names
template <size_t Function>
struct Arguments {};  ///< the arguments of the kernel that parameter `Function` names
struct Text {};
struct KeptText {};  ///< const char**: a text that stays the library's
template <size_t Count>
struct Kept {};  ///< T const**: an array that stays the library's
struct Config {};
struct KernelNode {};
struct AnyNode {};
template <size_t Sizes, size_t Count>
struct Buffers {};  ///< void**: `Count` pieces of memory of `Sizes` bytes, which the call writes

// ---- what a parameter's type says ----
template <class T>
constexpr bool kIsHandle = false;
template <>
inline constexpr bool kIsHandle<CUstream_st> = true;
template <>
inline constexpr bool kIsHandle<CUevent_st> = true;
template <>
inline constexpr bool kIsHandle<CUgraph_st> = true;
template <>
inline constexpr bool kIsHandle<CUgraphNode_st> = true;
template <>
inline constexpr bool kIsHandle<CUgraphExec_st> = true;
template <>
inline constexpr bool kIsHandle<CUfunc_st> = true;
template <>
inline constexpr bool kIsHandle<CUkern_st> = true;
template <>
inline constexpr bool kIsHandle<CUmemPoolHandle_st> = true;
template <>
inline constexpr bool kIsHandle<CUuserObject_st> = true;
template <>
inline constexpr bool kIsHandle<cudaArray> = true;
template <>
inline constexpr bool kIsHandle<cudaMipmappedArray> = true;

template <class T>
constexpr bool is_number() {
  if constexpr (!std::is_pointer_v<T>) {
    return true;
  } else {
    using Pointee = std::remove_cv_t<std::remove_pointer_t<T>>;
    return std::is_void_v<Pointee> || std::is_function_v<Pointee> || kIsHandle<Pointee>;
  }
}

/// The value of an argument that counts something, by value or by pointer.
template <size_t Index, class Args>
uint64_t count_in(const Args& args) {
  const auto value = std::get<Index>(args);
  if constexpr (std::is_pointer_v<decltype(value)>) {
    return value == nullptr ? 0 : static_cast<uint64_t>(*value);
  } else {
    return static_cast<uint64_t>(value);
  }
}

template <class Policy, class T>
struct Codec;

/// Its bytes: numbers, structs, handles, addresses.
template <class T>
requires(is_number<T>()) struct Codec<Deduced, T> {
  template <class Args>
  static void ask(Writer& to, const Args&, T value) {
    to.put(value);
  }
  template <class Args>
  static void hear(Reader&, const Args&, T) {}

  T value{};
  bool read(Reader& from) {
    value = from.take<T>();
    return from.ok();
  }
  T get() { return value; }
  template <class Args>
  bool fits(const Args&) {
    return true;
  }
  template <class Args>
  void tell(Writer&, const Args&) {}
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
struct Codec<Text, const char*> {
  template <class Args>
  static void ask(Writer& to, const Args&, const char* text) {
    to.put(uint8_t{text != nullptr});
    to.put_text(text == nullptr ? "" : text);
  }
  template <class Args>
  static void hear(Reader&, const Args&, const char*) {}

  bool given = false;
  std::string text;
  bool read(Reader& from) {
    given = from.take<uint8_t>() != 0;
    text = from.take_text();
    return from.ok();
  }
  const char* get() { return given ? text.c_str() : nullptr; }
  template <class Args>
  bool fits(const Args&) {
    return true;
  }
  template <class Args>
  void tell(Writer&, const Args&) {}
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

/// A kernel's arguments, each with its size.
struct ArgumentList {
  static void ask(Writer& to, const void* function, void* const* arguments) {
    to.put(uint8_t{arguments != nullptr});
    if (arguments == nullptr) return;
    const std::vector<uint32_t> sizes = parameter_sizes(function);
    to.put(uint64_t{sizes.size()});
    for (size_t i = 0; i < sizes.size(); ++i) {
      to.put(sizes[i]);
      to.put(arguments[i], sizes[i]);
    }
  }

  bool given = false;
  std::vector<uint32_t> sizes;
  std::vector<std::vector<std::byte>> values;
  std::vector<void*> pointers;
  bool read(Reader& from) {
    given = from.take<uint8_t>() != 0;
    if (!given) return from.ok();
    const auto count = from.take<uint64_t>();
    if (!from.has(count, sizeof(uint32_t))) return false;
    for (uint64_t i = 0; i < count; ++i) {
      sizes.push_back(from.take<uint32_t>());
      if (!from.has(sizes.back(), 1)) return false;
      values.emplace_back(sizes.back());
      from.take(values.back().data(), sizes.back());
    }
    for (std::vector<std::byte>& value : values) pointers.push_back(value.data());
    pointers.push_back(nullptr);
    return from.ok();
  }
  void** get() { return given ? pointers.data() : nullptr; }
  bool fits(const void* function) const { return !given || sizes == parameter_sizes(function); }
};

template <size_t Function>
struct Codec<Arguments<Function>, void**> {
  template <class Args>
  static void ask(Writer& to, const Args& args, void** arguments) {
    ArgumentList::ask(to, function_in(args), arguments);
  }
  template <class Args>
  static void hear(Reader&, const Args&, void**) {}

  ArgumentList list;
  bool read(Reader& from) { return list.read(from); }
  void** get() { return list.get(); }
  template <class Args>
  bool fits(const Args& args) {
    return list.fits(function_in(args));
  }
  template <class Args>
  void tell(Writer&, const Args&) {}

 private:
  template <class Args>
  static const void* function_in(const Args& args) {
    return static_cast<const void*>(std::get<Function>(args));
  }
};

template <>
struct Codec<Config, const cudaLaunchConfig_t*> {
  template <class Args>
  static void ask(Writer& to, const Args&, const cudaLaunchConfig_t* config) {
    to.put(uint8_t{config != nullptr});
    if (config == nullptr) return;
    to.put(*config);
    const uint64_t count = config->attrs == nullptr ? 0 : config->numAttrs;
    to.put(count);
    to.put(config->attrs, count * sizeof(cudaLaunchAttribute));
  }
  template <class Args>
  static void hear(Reader&, const Args&, const cudaLaunchConfig_t*) {}

  bool given = false;
  cudaLaunchConfig_t config{};
  std::vector<cudaLaunchAttribute> attributes;
  bool read(Reader& from) {
    given = from.take<uint8_t>() != 0;
    if (!given) return from.ok();
    config = from.take<cudaLaunchConfig_t>();
    const auto count = from.take<uint64_t>();
    if (!from.has(count, sizeof(cudaLaunchAttribute))) return false;
    attributes.resize(count);
    from.take(attributes.data(), count * sizeof(cudaLaunchAttribute));
    config.attrs = attributes.data();
    config.numAttrs = static_cast<unsigned>(count);
    return from.ok();
  }
  const cudaLaunchConfig_t* get() { return given ? &config : nullptr; }
  template <class Args>
  bool fits(const Args&) {
    return true;
  }
  template <class Args>
  void tell(Writer&, const Args&) {}
};

/// cudaKernelNodeParams, whose arguments lie elsewhere. `extra` is no way to give them here.
template <class T>
struct Codec<KernelNode, T> {
  static constexpr bool kWritten = !std::is_const_v<std::remove_pointer_t<T>>;

  template <class Args>
  static void ask(Writer& to, const Args&, T params) {
    to.put(uint8_t{params != nullptr});
    if (params == nullptr) return;
    to.put(*params);
    if (!kWritten) ArgumentList::ask(to, params->func, params->kernelParams);
  }
  template <class Args>
  static void hear(Reader& from, const Args&, T params) {
    if constexpr (kWritten) {
      if (params == nullptr) return;
      *params = from.take<cudaKernelNodeParams>();
      ArgumentList list;
      if (!list.read(from) || !list.given) return;
      std::vector<void*> kept;
      for (const std::vector<std::byte>& value : list.values)
        kept.push_back(keep_array(value.data(), value.size(), 1));
      params->kernelParams =
          static_cast<void**>(keep_array(kept.data(), kept.size(), sizeof(void*)));
    }
  }

  bool given = false;
  cudaKernelNodeParams params{};
  ArgumentList list;
  bool read(Reader& from) {
    given = from.take<uint8_t>() != 0;
    if (!given) return from.ok();
    params = from.take<cudaKernelNodeParams>();
    params.kernelParams = nullptr;
    params.extra = nullptr;
    if (kWritten) return from.ok();
    const bool whole = list.read(from);
    params.kernelParams = list.get();
    return whole;
  }
  T get() { return given ? &params : nullptr; }
  template <class Args>
  bool fits(const Args&) {
    return list.fits(params.func);
  }
  template <class Args>
  void tell(Writer& to, const Args&) {
    if (!kWritten || !given) return;
    to.put(params);
    ArgumentList::ask(to, params.func, params.kernelParams);
  }
};

/// cudaGraphNodeParams: a union, two of whose members point elsewhere.
template <>
struct Codec<AnyNode, cudaGraphNodeParams*> {
  template <class Args>
  static void ask(Writer& to, const Args&, cudaGraphNodeParams* params) {
    to.put(uint8_t{params != nullptr});
    if (params == nullptr) return;
    to.put(*params);
    if (params->type == cudaGraphNodeTypeKernel)
      ArgumentList::ask(to, params->kernel.func, params->kernel.kernelParams);
  }
  template <class Args>
  static void hear(Reader& from, const Args&, cudaGraphNodeParams* params) {
    if (params == nullptr) return;
    const auto told = from.take<cudaGraphNodeParams>();
    if (params->type == cudaGraphNodeTypeMemAlloc) params->alloc.dptr = told.alloc.dptr;
    if (params->type != cudaGraphNodeTypeConditional) return;
    const auto count = from.take<uint64_t>();
    if (!from.has(count, sizeof(cudaGraph_t))) return;
    std::vector<cudaGraph_t> graphs(count);
    from.take(graphs.data(), count * sizeof(cudaGraph_t));
    if (count == 0) return;
    params->conditional.phGraph_out =
        static_cast<cudaGraph_t*>(keep_array(graphs.data(), count, sizeof(cudaGraph_t)));
  }

  bool given = false;
  Raw<cudaGraphNodeParams> raw;
  cudaGraphNodeParams& params = raw.value;
  ArgumentList list;
  bool read(Reader& from) {
    given = from.take<uint8_t>() != 0;
    if (!given) return from.ok();
    from.take(&params, sizeof params);
    if (params.type == cudaGraphNodeTypeMemAlloc) params.alloc.accessDescs = nullptr;
    if (params.type == cudaGraphNodeTypeConditional) params.conditional.phGraph_out = nullptr;
    if (params.type != cudaGraphNodeTypeKernel) return from.ok();
    const bool whole = list.read(from);
    params.kernel.kernelParams = list.get();
    params.kernel.extra = nullptr;
    return whole;
  }
  cudaGraphNodeParams* get() { return given ? &params : nullptr; }
  template <class Args>
  bool fits(const Args&) {
    return params.type != cudaGraphNodeTypeKernel || list.fits(params.kernel.func);
  }
  template <class Args>
  void tell(Writer& to, const Args&) {
    if (!given) return;
    to.put(params);
    if (params.type != cudaGraphNodeTypeConditional) return;
    const cudaGraph_t* const graphs = params.conditional.phGraph_out;
    const uint64_t count = graphs == nullptr ? 0 : params.conditional.size;
    to.put(count);
    to.put(graphs, count * sizeof(cudaGraph_t));
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
