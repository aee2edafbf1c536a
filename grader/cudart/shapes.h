// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include "cudart/kernel_codecs.h"

// This table names the codec of each parameter. A parameter that it leaves out is Deduced: a number, a handle, an address,
// or a pointer to one value.
namespace warpgrade::cudart {

template <class... Policy>
struct Policies {};

/// The policies of a call's first parameters; the rest is Deduced.
template <auto* Function>
struct ShapeOf {
  using Listed = Policies<>;
};

#define SHAPE(name, ...)                  \
  template <>                             \
  struct ShapeOf<&::name> {               \
    using Listed = Policies<__VA_ARGS__>; \
  }

using D = Deduced;
SHAPE(cudaDeviceGetByPCIBusId, D, Text);
SHAPE(cudaDeviceGetGraphMemAttribute, D, D, Opaque<8>);
SHAPE(cudaDeviceSetGraphMemAttribute, D, D, Opaque<8>);
SHAPE(cudaDeviceGetPCIBusId, Buffer<1>);
SHAPE(cudaFuncGetName, KeptText);
SHAPE(cudaGetDriverEntryPoint, Text);
SHAPE(cudaGetDriverEntryPointByVersion, Text);
SHAPE(cudaGraphAddChildGraphNode, D, D, Many<3>);
SHAPE(cudaGraphAddDependencies, D, Many<4>, Many<4>, Many<4>);
SHAPE(cudaGraphAddEmptyNode, D, D, Many<3>);
SHAPE(cudaGraphAddEventRecordNode, D, D, Many<3>);
SHAPE(cudaGraphAddEventWaitNode, D, D, Many<3>);
SHAPE(cudaGraphAddHostNode, D, D, Many<3>);
SHAPE(cudaGraphAddKernelNode, D, D, Many<3>, D, KernelNode);
SHAPE(cudaGraphAddMemAllocNode, D, D, Many<3>);
SHAPE(cudaGraphAddMemFreeNode, D, D, Many<3>);
SHAPE(cudaGraphAddMemcpyNode, D, D, Many<3>);
SHAPE(cudaGraphAddMemcpyNode1D, D, D, Many<3>);
SHAPE(cudaGraphAddMemcpyNodeFromSymbol, D, D, Many<3>);
SHAPE(cudaGraphAddMemcpyNodeToSymbol, D, D, Many<3>);
SHAPE(cudaGraphAddMemsetNode, D, D, Many<3>);
SHAPE(cudaGraphAddNode, D, D, Many<4>, Many<4>, D, AnyNode);
SHAPE(cudaGraphDebugDotPrint, D, Text);
SHAPE(cudaGraphExecKernelNodeSetParams, D, D, KernelNode);
SHAPE(cudaGraphExecNodeSetParams, D, D, AnyNode);
SHAPE(cudaGraphGetEdges, D, Many<4>, Many<4>, Many<4>);
SHAPE(cudaGraphGetNodes, D, Many<2>);
SHAPE(cudaGraphGetRootNodes, D, Many<2>);
SHAPE(cudaGraphKernelNodeGetParams, D, KernelNode);
SHAPE(cudaGraphKernelNodeSetParams, D, KernelNode);
SHAPE(cudaGraphMemFreeNodeGetParams, D, Opaque<8>);
SHAPE(cudaGraphNodeGetDependencies, D, Many<3>, Many<3>);
SHAPE(cudaGraphNodeGetDependentNodes, D, Many<3>, Many<3>);
SHAPE(cudaGraphNodeSetParams, D, AnyNode);
SHAPE(cudaGraphRemoveDependencies, D, Many<4>, Many<4>, Many<4>);
SHAPE(cudaLaunchCooperativeKernel, D, D, D, Arguments<0>);
SHAPE(cudaLaunchKernel, D, D, D, Arguments<0>);
SHAPE(__cudaLaunchKernel, D, D, D, Arguments<0>);
SHAPE(cudaLaunchKernelExC, Config, D, Arguments<1>);
SHAPE(cudaMemPoolGetAttribute, D, D, PoolValue<1>);
SHAPE(cudaMemPoolSetAccess, D, Many<2>);
SHAPE(cudaMemPoolSetAttribute, D, D, PoolValue<1>);
SHAPE(cudaMemPrefetchBatchAsync, Many<2>, Many<2>, D, Many<5>, Many<5>);
SHAPE(cudaMemRangeGetAttribute, Buffer<1>);
SHAPE(cudaMemRangeGetAttributes, Buffers<1, 3>, Many<3>, Many<3>);
SHAPE(cudaMemcpyBatchAsync, Many<3>, Many<3>, Many<3>, D, Many<6>, Many<6>);
SHAPE(cudaOccupancyMaxActiveClusters, D, D, Config);
SHAPE(cudaOccupancyMaxPotentialClusterSize, D, D, Config);
SHAPE(cudaSetValidDevices, Many<1>);
SHAPE(cudaStreamBeginCaptureToGraph, D, D, Many<4>, Many<4>);
SHAPE(cudaStreamGetCaptureInfo, D, D, D, D, Kept<6>, Kept<6>);
SHAPE(cudaStreamUpdateCaptureDependencies, D, Many<3>, Many<3>);
#undef SHAPE

template <size_t Index, class List>
struct PolicyAt {
  using Type = Deduced;
};
template <size_t Index, class First, class... Rest>
struct PolicyAt<Index, Policies<First, Rest...>> : PolicyAt<Index - 1, Policies<Rest...>> {};
template <class First, class... Rest>
struct PolicyAt<0, Policies<First, Rest...>> {
  using Type = First;
};

/// The codec of a call's parameter.
template <auto* Function, size_t Index, class T>
using CodecOf = Codec<typename PolicyAt<Index, typename ShapeOf<Function>::Listed>::Type, T>;

/// The calls by number.
enum class CallId : uint32_t {
#define CALL(name) name,
#include "cudart/calls.inc"
#undef CALL
  count
};
/// Added to a call's number: its null stream is the calling thread's own default stream.
constexpr uint32_t kOwnDefaultStream = uint32_t{1} << 31;

}  // namespace warpgrade::cudart
