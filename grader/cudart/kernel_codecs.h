// SPDX-License-Identifier: MIT
#pragma once

#include "cudart/codecs.h"

// How kernels travel: their arguments, their launches' configurations, and the nodes of graphs.
namespace warpgrade::cudart {

// Handles are pointers, and their own size is what travels.
// NOLINTBEGIN(bugprone-sizeof-expression)

/// Sizes in bytes of a kernel's parameters; empty where there is no such kernel. `function` is the address
/// of its host function, or a handle. Each side has its own.
std::vector<uint32_t> parameter_sizes(const void* function);

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
struct Codec<Arguments<Function>, void**> : AskedOnly {
  template <class Args>
  static void ask(Writer& to, const Args& args, void** arguments) {
    ArgumentList::ask(to, function_in(args), arguments);
  }
  ArgumentList list;
  bool read(Reader& from) { return list.read(from); }
  void** get() { return list.get(); }
  template <class Args>
  bool fits(const Args& args) {
    return list.fits(function_in(args));
  }

 private:
  template <class Args>
  static const void* function_in(const Args& args) {
    return static_cast<const void*>(std::get<Function>(args));
  }
};

template <>
struct Codec<Config, const cudaLaunchConfig_t*> : AskedOnly {
  template <class Args>
  static void ask(Writer& to, const Args&, const cudaLaunchConfig_t* config) {
    to.put(uint8_t{config != nullptr});
    if (config == nullptr) return;
    to.put(*config);
    const uint64_t count = config->attrs == nullptr ? 0 : config->numAttrs;
    to.put(count);
    to.put(config->attrs, count * sizeof(cudaLaunchAttribute));
  }
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

// NOLINTEND(bugprone-sizeof-expression)

}  // namespace warpgrade::cudart
