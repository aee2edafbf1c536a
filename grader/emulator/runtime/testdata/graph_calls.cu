// SPDX-License-Identifier: MIT
// Graphs: what nodes tell about themselves, settings of single nodes, memory and objects of graphs.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "emulator/runtime/testdata/expect.h"

__device__ int setting;

__global__ void add(int* values, int amount) { values[threadIdx.x] += amount; }
__global__ void copy_setting(int* to) { *to = setting; }
void count_up(void* counter) { ++*static_cast<int*>(counter); }

cudaGraphNode_t add_kernel(cudaGraph_t graph, std::vector<cudaGraphNode_t> after, int* values,
                           int amount) {
  void* arguments[] = {&values, &amount};
  cudaGraphNodeParams params = {};
  params.type = cudaGraphNodeTypeKernel;
  params.kernel.func = reinterpret_cast<void*>(add);
  params.kernel.gridDim = 1;
  params.kernel.blockDim = 32;
  params.kernel.kernelParams = arguments;
  cudaGraphNode_t node;
  EXPECT_SUCCESS(cudaGraphAddNode(&node, graph, after.data(), nullptr, after.size(), &params));
  return node;
}

/// The program's function, whether a launch was captured or a node was added: programs compare with it.
void kernels_of_nodes(int* values) {
  cudaStream_t stream;
  EXPECT_SUCCESS(cudaStreamCreate(&stream));
  EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  add<<<1, 32, 0, stream>>>(values, 1);
  cudaGraph_t captured, made;
  EXPECT_SUCCESS(cudaStreamEndCapture(stream, &captured));
  cudaGraphNode_t node;
  size_t count = 1;
  EXPECT_SUCCESS(cudaGraphGetNodes(captured, &node, &count));
  EXPECT_SUCCESS(cudaGraphCreate(&made, 0));
  for (const cudaGraphNode_t each : {node, add_kernel(made, {}, values, 1)}) {
    cudaKernelNodeParams params;
    EXPECT_SUCCESS(cudaGraphKernelNodeGetParams(each, &params));
    EXPECT(params.func == reinterpret_cast<void*>(add));
  }
  EXPECT_SUCCESS(cudaGraphDestroy(captured));
  EXPECT_SUCCESS(cudaGraphDestroy(made));
  EXPECT_SUCCESS(cudaStreamDestroy(stream));
}

void edges_and_settings(int* values) {
  cudaGraph_t graph, copy;
  EXPECT_SUCCESS(cudaGraphCreate(&graph, 0));
  const cudaGraphNode_t first = add_kernel(graph, {}, values, 1);
  const cudaGraphNode_t second = add_kernel(graph, {first}, values, 10);
  size_t count = 0;
  EXPECT_SUCCESS(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
  EXPECT(count == 1);
  cudaGraphNode_t from, to, found;
  EXPECT_SUCCESS(cudaGraphGetEdges(graph, &from, &to, nullptr, &count));
  EXPECT(from == first && to == second);
  EXPECT_SUCCESS(cudaGraphNodeGetDependentNodes(first, &found, nullptr, &count));
  EXPECT(count == 1 && found == second);
  EXPECT_SUCCESS(cudaGraphClone(&copy, graph));
  EXPECT_SUCCESS(cudaGraphNodeFindInClone(&found, second, copy));
  EXPECT(found != second);
  cudaKernelNodeParams params;
  EXPECT_SUCCESS(cudaGraphKernelNodeGetParams(found, &params));
  EXPECT(*static_cast<int*>(params.kernelParams[1]) == 10);

  cudaGraphExec_t exec;
  EXPECT_SUCCESS(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT_SUCCESS(cudaGraphNodeSetEnabled(exec, second, 0));
  unsigned enabled = 1;
  EXPECT_SUCCESS(cudaGraphNodeGetEnabled(exec, second, &enabled));
  EXPECT(enabled == 0);
  std::fill_n(values, 32, 0);
  EXPECT_SUCCESS(cudaGraphLaunch(exec, 0));
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(values[31] == 1);
  EXPECT_SUCCESS(cudaGraphNodeSetEnabled(exec, second, 1));
  int amount = 100;
  void* arguments[] = {&values, &amount};
  params.kernelParams = arguments;
  EXPECT_SUCCESS(cudaGraphExecKernelNodeSetParams(exec, second, &params));
  EXPECT_SUCCESS(cudaGraphLaunch(exec, 0));
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(values[31] == 102);
  EXPECT_SUCCESS(cudaGraphRemoveDependencies(graph, &first, &second, nullptr, 1));
  EXPECT_ERROR(cudaGraphRemoveDependencies(graph, &first, &second, nullptr, 1),
               cudaErrorInvalidValue);
  EXPECT_SUCCESS(cudaGraphDebugDotPrint(graph, "/dev/null", 0));
  EXPECT_SUCCESS(cudaGraphExecDestroy(exec));
  EXPECT_SUCCESS(cudaGraphDestroy(graph));
  EXPECT_SUCCESS(cudaGraphDestroy(copy));
}

/// A program may put graphs into each other by a loop, and give them to each other.
void graphs_inside_each_other(int* values) {
  constexpr int kMostLevels = 128;
  cudaGraph_t inner, outer, inside;
  cudaGraphNode_t node, child;
  EXPECT_SUCCESS(cudaGraphCreate(&inner, 0));
  add_kernel(inner, {}, values, 6);
  int levels = 1;
  for (; levels < 2 * kMostLevels; ++levels) {
    EXPECT_SUCCESS(cudaGraphCreate(&outer, 0));
    if (cudaGraphAddChildGraphNode(&node, outer, nullptr, 0, inner) != cudaSuccess) break;
    inner = outer;
    child = node;
  }
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue && levels == kMostLevels);
  EXPECT_SUCCESS(cudaGraphChildGraphNodeGetGraph(child, &inside));
  EXPECT_ERROR(cudaGraphAddChildGraphNode(&node, inside, nullptr, 0, inner), cudaErrorInvalidValue);
  values[0] = 0;
  cudaGraphExec_t exec;
  EXPECT_SUCCESS(cudaGraphInstantiate(&exec, inner, 0));
  EXPECT_SUCCESS(cudaGraphLaunch(exec, 0));
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(values[0] == 6);
  EXPECT_SUCCESS(cudaGraphExecDestroy(exec));
}

/// What is inside of a graph is its own, also where a copy of it lies inside.
void graph_inside_itself(int* values) {
  cudaGraph_t graph, leaf, inside;
  cudaGraphNode_t child, again;
  EXPECT_SUCCESS(cudaGraphCreate(&graph, 0));
  EXPECT_SUCCESS(cudaGraphCreate(&leaf, 0));
  add_kernel(leaf, {}, values, 7);
  EXPECT_SUCCESS(cudaGraphAddChildGraphNode(&child, graph, nullptr, 0, leaf));
  EXPECT_SUCCESS(cudaGraphChildGraphNodeGetGraph(child, &inside));
  EXPECT_SUCCESS(cudaGraphAddChildGraphNode(&again, inside, nullptr, 0, graph));
  values[0] = 0;
  cudaGraphExec_t exec;
  EXPECT_SUCCESS(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT_SUCCESS(cudaGraphLaunch(exec, 0));
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(values[0] == 14);
  EXPECT_SUCCESS(cudaGraphExecDestroy(exec));
  EXPECT_SUCCESS(cudaGraphDestroy(graph));
  EXPECT_SUCCESS(cudaGraphDestroy(leaf));
}

/// A function that a graph calls back must leave the graph as it is, also where it does what CUDA forbids.
void graph_that_ends_itself() {
  cudaGraph_t graph;
  cudaGraphNode_t node;
  static cudaGraphExec_t exec;
  static cudaError_t answers[2];
  const cudaHostNodeParams call = {[](void*) {
                                     answers[0] = cudaGraphExecDestroy(exec);
                                     answers[1] = cudaGraphLaunch(exec, nullptr);
                                   },
                                   nullptr};
  EXPECT_SUCCESS(cudaGraphCreate(&graph, 0));
  EXPECT_SUCCESS(cudaGraphAddHostNode(&node, graph, nullptr, 0, &call));
  EXPECT_SUCCESS(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT_SUCCESS(cudaGraphLaunch(exec, nullptr));
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  for (const cudaError_t answer : answers) EXPECT(answer == cudaErrorInvalidValue);
  EXPECT_SUCCESS(cudaGraphExecDestroy(exec));
  EXPECT_SUCCESS(cudaGraphDestroy(graph));
}

void nodes_of_every_kind(int* values) {
  cudaGraph_t graph, child, inside;
  EXPECT_SUCCESS(cudaGraphCreate(&graph, 0));
  EXPECT_SUCCESS(cudaGraphCreate(&child, 0));
  add_kernel(child, {}, values, 5);
  cudaGraphNode_t zero, nested, host, to_symbol, from_symbol;
  cudaMemsetParams fill = {};
  fill.dst = values;
  fill.elementSize = 4;
  fill.width = 32;
  fill.height = 1;
  EXPECT_SUCCESS(cudaGraphAddMemsetNode(&zero, graph, nullptr, 0, &fill));
  EXPECT_SUCCESS(cudaGraphAddChildGraphNode(&nested, graph, &zero, 1, child));
  EXPECT_SUCCESS(cudaGraphChildGraphNodeGetGraph(nested, &inside));
  size_t count = 0;
  EXPECT_SUCCESS(cudaGraphGetNodes(inside, nullptr, &count));
  EXPECT(count == 1);
  static int counter = 0, value = 77;
  cudaHostNodeParams call = {count_up, &counter};
  EXPECT_SUCCESS(cudaGraphAddHostNode(&host, graph, &nested, 1, &call));
  EXPECT_SUCCESS(cudaGraphAddMemcpyNodeToSymbol(&to_symbol, graph, &host, 1, setting, &value, 4, 0,
                                                cudaMemcpyDefault));
  EXPECT_SUCCESS(cudaGraphAddMemcpyNodeFromSymbol(&from_symbol, graph, &to_symbol, 1, values + 1,
                                                  setting, 4, 0, cudaMemcpyDefault));
  cudaMemsetParams told;
  cudaHostNodeParams told_host;
  cudaMemcpy3DParms told_copy;
  EXPECT_SUCCESS(cudaGraphMemsetNodeGetParams(zero, &told));
  EXPECT(told.dst == values && told.width == 32 && told.elementSize == 4);
  EXPECT_SUCCESS(cudaGraphHostNodeGetParams(host, &told_host));
  EXPECT(told_host.fn == count_up && told_host.userData == &counter);
  EXPECT_SUCCESS(cudaGraphMemcpyNodeGetParams(from_symbol, &told_copy));
  EXPECT(told_copy.dstPtr.ptr == values + 1 && told_copy.extent.width == 4);
  EXPECT_ERROR(cudaGraphMemsetNodeGetParams(host, &told), cudaErrorInvalidValue);

  cudaGraphExec_t exec;
  cudaGraphInstantiateParams how = {};
  EXPECT_SUCCESS(cudaGraphInstantiateWithParams(&exec, graph, &how));
  EXPECT(how.result_out == cudaGraphInstantiateSuccess);
  for (int turn = 0; turn < 2; ++turn) EXPECT_SUCCESS(cudaGraphLaunch(exec, 0));
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(values[0] == 5 && values[1] == 77 && counter == 2);
  EXPECT_SUCCESS(cudaGraphExecDestroy(exec));
  EXPECT_SUCCESS(cudaGraphDestroy(child));
  EXPECT_SUCCESS(cudaGraphDestroy(graph));
}

void memory(int* values) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  int* scratch;
  EXPECT_SUCCESS(cudaStreamCreate(&stream));
  EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  EXPECT_SUCCESS(cudaMallocAsync(&scratch, 128, stream));
  EXPECT_SUCCESS(cudaMemsetAsync(scratch, 0, 128, stream));
  add<<<1, 32, 0, stream>>>(scratch, 3);
  EXPECT_SUCCESS(cudaMemcpyAsync(values, scratch, 128, cudaMemcpyDefault, stream));
  EXPECT_SUCCESS(cudaFreeAsync(scratch, stream));
  EXPECT_SUCCESS(cudaStreamEndCapture(stream, &graph));
  EXPECT_SUCCESS(cudaGraphInstantiate(&exec, graph, 0));
  std::fill_n(values, 32, 0);
  for (int turn = 0; turn < 3; ++turn) EXPECT_SUCCESS(cudaGraphLaunch(exec, stream));
  EXPECT_SUCCESS(cudaStreamSynchronize(stream));
  EXPECT(values[0] == 3 && values[31] == 3);
  cudaGraphNode_t nodes[5];
  cudaGraphNodeType type;
  size_t count = 5;
  EXPECT_SUCCESS(cudaGraphGetNodes(graph, nodes, &count));
  EXPECT(count == 5);
  EXPECT_SUCCESS(cudaGraphNodeGetType(nodes[0], &type));
  EXPECT(type == cudaGraphNodeTypeMemAlloc);
  cudaMemAllocNodeParams params;
  EXPECT_SUCCESS(cudaGraphMemAllocNodeGetParams(nodes[0], &params));
  EXPECT(params.bytesize == 128 && params.dptr == scratch);
  void* freed = nullptr;
  EXPECT_SUCCESS(cudaGraphMemFreeNodeGetParams(nodes[4], &freed));
  EXPECT(freed == scratch);
  EXPECT_SUCCESS(cudaGraphExecDestroy(exec));
  EXPECT_SUCCESS(cudaGraphDestroy(graph));
  EXPECT_SUCCESS(cudaStreamDestroy(stream));
}

struct GraphOfAllocations {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  std::vector<void*> pointers;
};

enum class Order { chain, parallel };

/// A graph whose nodes allocate so much, one behind the other or all at once, and free it or keep it.
GraphOfAllocations allocate(const std::vector<size_t>& sizes, bool frees, Order order) {
  GraphOfAllocations made;
  EXPECT_SUCCESS(cudaGraphCreate(&made.graph, 0));
  cudaGraphNode_t last = nullptr, node = nullptr;
  for (size_t bytes : sizes) {
    cudaMemAllocNodeParams params = {};
    params.poolProps.allocType = cudaMemAllocationTypePinned;
    params.poolProps.location = {cudaMemLocationTypeDevice, 0};
    params.bytesize = bytes;
    const size_t after = order == Order::chain && last != nullptr ? 1 : 0;
    EXPECT_SUCCESS(cudaGraphAddMemAllocNode(&node, made.graph, &last, after, &params));
    made.pointers.push_back(params.dptr);
    last = node;
    if (frees) EXPECT_SUCCESS(cudaGraphAddMemFreeNode(&last, made.graph, &node, 1, params.dptr));
  }
  EXPECT_SUCCESS(cudaGraphInstantiate(&made.exec, made.graph, 0));
  return made;
}

void launch(const GraphOfAllocations& graph) {
  EXPECT_SUCCESS(cudaGraphLaunch(graph.exec, nullptr));
  EXPECT_SUCCESS(cudaDeviceSynchronize());
}

/// Megabytes that graphs hold, as an attribute says.
size_t held(cudaGraphMemAttributeType attribute) {
  uint64_t bytes = 0;
  EXPECT_SUCCESS(cudaDeviceGetGraphMemAttribute(0, attribute, &bytes));
  return bytes >> 20;
}

bool holds(size_t now, size_t high) {
  return held(cudaGraphMemAttrUsedMemCurrent) == now && held(cudaGraphMemAttrUsedMemHigh) == high &&
         held(cudaGraphMemAttrReservedMemCurrent) == now &&
         held(cudaGraphMemAttrReservedMemHigh) == high;
}

void reset_high() {
  uint64_t zero = 0;
  EXPECT_SUCCESS(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
  EXPECT_SUCCESS(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrReservedMemHigh, &zero));
}

void destroy(const GraphOfAllocations& graph) {
  EXPECT_SUCCESS(cudaGraphExecDestroy(graph.exec));
  EXPECT_SUCCESS(cudaGraphDestroy(graph.graph));
}

/// All figures are those of an H200 with driver 580.
void footprint() {
  constexpr size_t kMiB = 1 << 20;
  EXPECT_SUCCESS(cudaDeviceGraphMemTrim(0));
  reset_high();
  EXPECT(holds(0, 0));
  const GraphOfAllocations a = allocate({40 * kMiB}, true, Order::chain);
  const GraphOfAllocations b = allocate({40 * kMiB}, true, Order::chain);
  const GraphOfAllocations parallel =
      allocate({20 * kMiB, 20 * kMiB, 20 * kMiB}, true, Order::parallel);
  const GraphOfAllocations in_turn = allocate({100, 5 * kMiB}, true, Order::chain);
  const GraphOfAllocations kept = allocate({40 * kMiB}, false, Order::chain);
  EXPECT(holds(0, 0));
  launch(in_turn);
  EXPECT(holds(32, 32));
  launch(a);
  EXPECT(holds(64, 64));
  launch(b);
  launch(parallel);
  launch(kept);
  EXPECT(holds(64, 64));
  EXPECT_ERROR(cudaGraphLaunch(kept.exec, nullptr), cudaErrorInvalidValue);
  launch(a);
  EXPECT(holds(128, 128));
  EXPECT_SUCCESS(cudaDeviceGraphMemTrim(0));
  EXPECT(holds(64, 128));
  EXPECT_SUCCESS(cudaFree(kept.pointers[0]));
  EXPECT(holds(64, 128));
  EXPECT_SUCCESS(cudaDeviceGraphMemTrim(0));
  EXPECT(holds(0, 128));
  reset_high();
  EXPECT(holds(0, 0));
  EXPECT_SUCCESS(cudaGraphUpload(parallel.exec, nullptr));
  EXPECT(holds(64, 64));
  uint64_t zero = 0, one = 1;
  EXPECT_ERROR(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrReservedMemHigh, &one),
               cudaErrorInvalidValue);
  EXPECT_ERROR(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &zero),
               cudaErrorInvalidValue);
  for (const GraphOfAllocations& each : {a, b, parallel, in_turn, kept}) destroy(each);
  EXPECT(holds(64, 64));
  EXPECT_SUCCESS(cudaDeviceGraphMemTrim(0));
}

void objects() {
  int destroyed = 0;
  cudaUserObject_t object;
  cudaGraph_t graph;
  EXPECT_SUCCESS(cudaGraphCreate(&graph, 0));
  EXPECT_SUCCESS(
      cudaUserObjectCreate(&object, &destroyed, count_up, 1, cudaUserObjectNoDestructorSync));
  EXPECT_SUCCESS(cudaUserObjectRetain(object, 1));
  EXPECT_SUCCESS(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
  EXPECT_SUCCESS(cudaUserObjectRelease(object, 1));
  EXPECT(destroyed == 0);
  EXPECT_SUCCESS(cudaGraphDestroy(graph));
  EXPECT(destroyed == 1);
}

int main() {
  int* values;
  EXPECT_SUCCESS(cudaMallocManaged(&values, 128));
  kernels_of_nodes(values);
  edges_and_settings(values);
  graphs_inside_each_other(values);
  graph_inside_itself(values);
  graph_that_ends_itself();
  nodes_of_every_kind(values);
  memory(values);
  footprint();
  objects();
  EXPECT_SUCCESS(cudaFree(values));
  return failures;
}
