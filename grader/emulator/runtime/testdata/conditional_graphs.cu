// SPDX-License-Identifier: MIT
// Conditional nodes of graphs, and captures into their bodies. The error codes are those of an H200 with
// driver 580.
#include <vector>

#include "emulator/runtime/testdata/expect.h"

using Handle = cudaGraphConditionalHandle;

__device__ int values[8];

__global__ void add(int index, int by) { values[index] += by; }

__global__ void count_down(Handle handle, int index) {
  cudaGraphSetConditional(handle, --values[index] > 0);
}

__global__ void choose(Handle handle, unsigned value) { cudaGraphSetConditional(handle, value); }

static int value_of(int index) {
  int all[8] = {};
  EXPECT_SUCCESS(cudaMemcpyFromSymbol(all, values, sizeof all));
  return all[index];
}

static void set_values(std::vector<int> all) {
  all.resize(8);
  EXPECT_SUCCESS(cudaMemcpyToSymbol(values, all.data(), sizeof values));
}

static Handle new_handle(cudaGraph_t graph, unsigned value, bool has_default = true) {
  Handle handle = 0;
  const unsigned flags = has_default ? cudaGraphCondAssignDefault : 0;
  EXPECT_SUCCESS(cudaGraphConditionalHandleCreate(&handle, graph, value, flags));
  return handle;
}

struct Conditional {
  cudaGraphNode_t node = nullptr;
  cudaError_t error = cudaSuccess;
  std::vector<cudaGraph_t> bodies;
};

static Conditional add_conditional(cudaGraph_t graph, Handle handle,
                                   cudaGraphConditionalNodeType type, unsigned size,
                                   std::vector<cudaGraphNode_t> after = {}) {
  Conditional made;
  cudaGraphNodeParams params = {};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = handle;
  params.conditional.type = type;
  params.conditional.size = size;
  made.error = cudaGraphAddNode(&made.node, graph, after.data(), nullptr, after.size(), &params);
  cudaGetLastError();
  if (made.error == cudaSuccess)
    made.bodies.assign(params.conditional.phGraph_out, params.conditional.phGraph_out + size);
  return made;
}

template <class... Parameters, class... Arguments>
static cudaGraphNode_t add_kernel(cudaGraph_t graph, std::vector<cudaGraphNode_t> after,
                                  void (*kernel)(Parameters...), Arguments... arguments) {
  void* pointers[] = {&arguments...};
  cudaKernelNodeParams params = {};
  params.func = reinterpret_cast<void*>(kernel);
  params.gridDim = params.blockDim = dim3(1);
  params.kernelParams = pointers;
  cudaGraphNode_t node = nullptr;
  EXPECT_SUCCESS(cudaGraphAddKernelNode(&node, graph, after.data(), after.size(), &params));
  return node;
}

static cudaGraph_t new_graph() {
  cudaGraph_t graph = nullptr;
  EXPECT_SUCCESS(cudaGraphCreate(&graph, 0));
  return graph;
}

/// Launches the graph several times and destroys it.
static void launch(cudaGraph_t graph, int times = 1) {
  cudaGraphExec_t exec = nullptr;
  EXPECT_SUCCESS(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < times; ++i) EXPECT_SUCCESS(cudaGraphLaunch(exec, nullptr));
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT_SUCCESS(cudaGraphExecDestroy(exec));
  EXPECT_SUCCESS(cudaGraphDestroy(graph));
}

static void check_if_and_else() {
  for (unsigned value : {0u, 1u, 7u}) {
    set_values({});
    const cudaGraph_t graph = new_graph();
    const Handle one = new_handle(graph, value), two = new_handle(graph, 0);
    const cudaGraph_t only = add_conditional(graph, one, cudaGraphCondTypeIf, 1).bodies.at(0);
    add_kernel(only, {}, add, 0, 1);
    const cudaGraphNode_t setter = add_kernel(graph, {}, choose, two, value);
    const Conditional both = add_conditional(graph, two, cudaGraphCondTypeIf, 2, {setter});
    add_kernel(both.bodies.at(0), {}, add, 1, 1);
    add_kernel(both.bodies.at(1), {}, add, 2, 1);
    add_kernel(graph, {both.node}, add, 3, 1);
    launch(graph, 2);
    EXPECT(value_of(0) == (value != 0 ? 2 : 0));
    EXPECT(value_of(1) == (value != 0 ? 2 : 0));
    EXPECT(value_of(2) == (value != 0 ? 0 : 2));
    EXPECT(value_of(3) == 2);
  }
}

static void check_while() {
  set_values({5});
  cudaGraph_t graph = new_graph();
  const Handle handle = new_handle(graph, 1);
  const Conditional loop = add_conditional(graph, handle, cudaGraphCondTypeWhile, 1);
  const cudaGraphNode_t first = add_kernel(loop.bodies.at(0), {}, add, 1, 1);
  add_kernel(loop.bodies.at(0), {first}, count_down, handle, 0);
  launch(graph, 2);
  EXPECT(value_of(0) == -1);
  EXPECT(value_of(1) == 6);

  set_values({});
  graph = new_graph();
  const Handle never = new_handle(graph, 0);
  add_kernel(add_conditional(graph, never, cudaGraphCondTypeWhile, 1).bodies.at(0), {}, add, 0, 1);
  launch(graph);
  EXPECT(value_of(0) == 0);
}

static void check_switch() {
  for (unsigned value : {0u, 1u, 2u, 3u, 99u}) {
    set_values({});
    const cudaGraph_t graph = new_graph();
    const Handle handle = new_handle(graph, value);
    const Conditional node = add_conditional(graph, handle, cudaGraphCondTypeSwitch, 3);
    for (int i = 0; i < 3; ++i) add_kernel(node.bodies.at(static_cast<size_t>(i)), {}, add, i, 1);
    launch(graph);
    for (int i = 0; i < 3; ++i) EXPECT(value_of(i) == (static_cast<unsigned>(i) == value));
  }
}

static void check_nested_nodes() {
  set_values({3, 0, 2});
  const cudaGraph_t graph = new_graph();
  const Handle outer = new_handle(graph, 1);
  const cudaGraph_t body = add_conditional(graph, outer, cudaGraphCondTypeWhile, 1).bodies.at(0);
  const Handle inner = new_handle(body, 0), of_outer = new_handle(graph, 1);
  const cudaGraphNode_t down = add_kernel(body, {}, count_down, outer, 0);
  const cudaGraphNode_t odd = add_kernel(body, {down}, choose, inner, 1u);
  const Conditional node = add_conditional(body, inner, cudaGraphCondTypeIf, 1, {odd});
  EXPECT_SUCCESS(node.error);
  add_kernel(node.bodies.at(0), {}, add, 1, 10);
  add_kernel(add_conditional(body, of_outer, cudaGraphCondTypeIf, 1).bodies.at(0), {}, add, 2, 1);
  launch(graph);
  EXPECT(value_of(1) == 30);
  EXPECT(value_of(2) == 5);
}

/// Without a default the value starts as 0, whatever the call said, and stays from launch to launch.
static void check_values_without_default() {
  set_values({});
  const cudaGraph_t graph = new_graph();
  const Handle handle = new_handle(graph, 7, false);
  const Conditional node = add_conditional(graph, handle, cudaGraphCondTypeIf, 2);
  add_kernel(node.bodies.at(0), {}, add, 0, 1);
  add_kernel(node.bodies.at(1), {}, add, 1, 1);
  launch(graph);
  EXPECT(value_of(0) == 0);
  EXPECT(value_of(1) == 1);
}

static void check_captured_bodies() {
  set_values({4});
  const cudaGraph_t graph = new_graph();
  const Handle handle = new_handle(graph, 1);
  const cudaGraph_t body = add_conditional(graph, handle, cudaGraphCondTypeWhile, 1).bodies.at(0);
  cudaStream_t stream = nullptr;
  EXPECT_SUCCESS(cudaStreamCreate(&stream));
  const auto mode = cudaStreamCaptureModeGlobal;
  EXPECT_SUCCESS(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0, mode));
  EXPECT_ERROR(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0, mode),
               cudaErrorIllegalState);
  add<<<1, 1, 0, stream>>>(1, 2);
  count_down<<<1, 1, 0, stream>>>(handle, 0);
  cudaGraph_t captured = nullptr;
  EXPECT_SUCCESS(cudaStreamEndCapture(stream, &captured));
  EXPECT(captured == body);
  launch(graph);
  EXPECT(value_of(1) == 8);
  cudaGraph_t own = nullptr;
  EXPECT_SUCCESS(cudaGraphCreate(&own, 0));
  EXPECT_SUCCESS(cudaStreamBeginCaptureToGraph(stream, own, nullptr, nullptr, 0, mode));
  EXPECT_SUCCESS(cudaStreamEndCapture(stream, nullptr));
  EXPECT_SUCCESS(cudaGraphDestroy(own));
  EXPECT_SUCCESS(cudaStreamBeginCapture(stream, mode));
  EXPECT_ERROR(cudaStreamEndCapture(stream, nullptr), cudaErrorInvalidValue);
  EXPECT_SUCCESS(cudaStreamEndCapture(stream, &captured));
  EXPECT_SUCCESS(cudaGraphDestroy(captured));
  EXPECT_SUCCESS(cudaStreamDestroy(stream));
}

/// A conditional node in the middle of a capture, as the programming guide shows it.
static void check_node_within_a_capture() {
  set_values({});
  cudaStream_t stream = nullptr;
  EXPECT_SUCCESS(cudaStreamCreate(&stream));
  EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaGraph_t graph = nullptr;
  const cudaGraphNode_t* last = nullptr;
  size_t count = 0;
  EXPECT_SUCCESS(cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph));
  const Handle handle = new_handle(graph, 0);
  choose<<<1, 1, 0, stream>>>(handle, 1);
  EXPECT_SUCCESS(
      cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, &last, nullptr, &count));
  Conditional node = add_conditional(graph, handle, cudaGraphCondTypeIf, 1, {last, last + count});
  add_kernel(node.bodies.at(0), {}, add, 0, 5);
  EXPECT_SUCCESS(cudaStreamUpdateCaptureDependencies(stream, &node.node, nullptr, 1,
                                                     cudaStreamSetCaptureDependencies));
  add<<<1, 1, 0, stream>>>(0, 1);
  EXPECT_SUCCESS(cudaStreamEndCapture(stream, &graph));
  launch(graph);
  EXPECT(value_of(0) == 6);
  EXPECT_SUCCESS(cudaStreamDestroy(stream));
  EXPECT_ERROR(cudaStreamUpdateCaptureDependencies(nullptr, &node.node, nullptr, 1, 0),
               cudaErrorIllegalState);
}

static void check_what_is_refused() {
  cudaGraph_t graph = new_graph(), other = nullptr;
  cudaGraphExec_t exec = nullptr, second = nullptr;
  Handle handle = 0;
  EXPECT_ERROR(cudaGraphConditionalHandleCreate(&handle, graph, 1, 2), cudaErrorInvalidValue);
  EXPECT_ERROR(cudaGraphConditionalHandleCreate(nullptr, graph, 1, 1), cudaErrorInvalidValue);
  handle = new_handle(graph, 1);
  // A handle without a node.
  EXPECT_ERROR(cudaGraphInstantiate(&exec, graph, 0), cudaErrorInvalidValue);
  const auto error = [&](Handle of, int type, unsigned size) {
    return add_conditional(graph, of, static_cast<cudaGraphConditionalNodeType>(type), size).error;
  };
  EXPECT(error(handle, cudaGraphCondTypeIf, 0) == cudaErrorInvalidValue);
  EXPECT(error(handle, cudaGraphCondTypeIf, 3) == cudaErrorInvalidValue);
  EXPECT(error(handle, cudaGraphCondTypeWhile, 2) == cudaErrorInvalidValue);
  EXPECT(error(handle, cudaGraphCondTypeSwitch, 0) == cudaErrorInvalidValue);
  EXPECT(error(handle, 3, 1) == cudaErrorInvalidValue);
  EXPECT(error(handle + 77, cudaGraphCondTypeIf, 1) == cudaErrorInvalidValue);
  const Conditional node = add_conditional(graph, handle, cudaGraphCondTypeIf, 1);
  EXPECT_SUCCESS(node.error);
  EXPECT(error(handle, cudaGraphCondTypeIf, 1) == cudaErrorInvalidValue);
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  EXPECT_SUCCESS(cudaGraphNodeGetType(node.node, &type));
  EXPECT(type == cudaGraphNodeTypeConditional);
  cudaHostNodeParams host = {[](void*) {}, nullptr};
  cudaGraphNode_t inside = nullptr;
  EXPECT_SUCCESS(cudaGraphAddHostNode(&inside, node.bodies.at(0), nullptr, 0, &host));
  EXPECT_ERROR(cudaGraphInstantiate(&exec, graph, 0), cudaErrorInvalidValue);
  EXPECT_SUCCESS(cudaGraphDestroyNode(inside));
  EXPECT_ERROR(cudaGraphClone(&other, graph), cudaErrorNotSupported);
  EXPECT_SUCCESS(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT_ERROR(cudaGraphInstantiate(&second, graph, 0), cudaErrorNotSupported);
  const cudaGraph_t parent = new_graph();
  EXPECT_ERROR(cudaGraphAddChildGraphNode(&inside, parent, nullptr, 0, graph),
               cudaErrorNotSupported);
  cudaGraphNodeParams params = {};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional = {handle, cudaGraphCondTypeIf, 1, nullptr};
  EXPECT_ERROR(cudaGraphNodeSetParams(node.node, &params), cudaErrorNotSupported);
  EXPECT_ERROR(cudaGraphExecNodeSetParams(exec, node.node, &params), cudaErrorNotSupported);
  cudaGraphExecUpdateResultInfo result;
  EXPECT_SUCCESS(cudaGraphExecUpdate(exec, graph, &result));
  EXPECT_SUCCESS(cudaGraphLaunch(exec, nullptr));
  EXPECT_SUCCESS(cudaGraphExecDestroy(exec));
  EXPECT_SUCCESS(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT_SUCCESS(cudaGraphExecDestroy(exec));
  EXPECT_SUCCESS(cudaGraphDestroyNode(node.node));
  EXPECT_SUCCESS(cudaGraphDestroy(graph));
  EXPECT_SUCCESS(cudaGraphDestroy(parent));
}

/// A handle is known to the launches of its graph alone.
static void check_handle_outside_of_its_graph() {
  const cudaGraph_t graph = new_graph();
  const Handle handle = new_handle(graph, 1);
  add_conditional(graph, handle, cudaGraphCondTypeIf, 1);
  choose<<<1, 1>>>(handle, 1);
  EXPECT_ERROR(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

int main() {
  check_if_and_else();
  check_while();
  check_switch();
  check_nested_nodes();
  check_values_without_default();
  check_captured_bodies();
  check_node_within_a_capture();
  check_what_is_refused();
  check_handle_outside_of_its_graph();
  return failures;
}
