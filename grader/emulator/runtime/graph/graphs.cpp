// SPDX-License-Identifier: MIT
#include "emulator/runtime/graph/graphs.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

namespace warpgrade::emulator {
namespace {

/// Puts nodes in order. A program chooses how long its chains of nodes are, so this does not call itself.
class Ordering {
 public:
  explicit Ordering(std::vector<CUgraphNode_st*>& order) : order_(order) {}

  /// Appends `node` behind everything it waits for. False where it waits for itself.
  bool append(CUgraphNode_st* node) {
    if (placed_.contains(node)) return true;
    begin(node);
    while (!under_way_.empty()) {
      UnderWay& now = under_way_.back();
      if (now.next == now.node->after.size()) {
        placed_.insert(now.node);
        order_.push_back(now.node);
        under_way_.pop_back();
        continue;
      }
      CUgraphNode_st* const before = now.node->after[now.next++];
      if (!placed_.contains(before) && !begin(before)) return false;
    }
    return true;
  }

 private:
  /// A node, and the first of those that it waits for which has not been looked at.
  struct UnderWay {
    CUgraphNode_st* node = nullptr;
    size_t next = 0;
  };

  bool begin(CUgraphNode_st* node) {
    under_way_.push_back({node});
    return begun_.insert(node).second;
  }

  std::vector<CUgraphNode_st*>& order_;
  std::vector<UnderWay> under_way_;
  std::unordered_set<const CUgraphNode_st*> begun_, placed_;
};

cudaError_t run_event(ApiCall& call, const EventNode& node, CUstream_st& stream) {
  Streams& streams = call.machine().streams;
  CUevent_st* event = streams.find(node.event);
  if (event == nullptr) return cudaErrorInvalidResourceHandle;
  node.waits ? streams.wait(stream, *event) : streams.record(*event, stream);
  StreamOrder& order = call.machine().stream_races.order();
  node.waits ? order.wait(work_of(stream), event->id) : order.record(event->id, work_of(stream));
  return cudaSuccess;
}

std::vector<CUgraph_st*> graphs_inside(const Work& work) {
  std::vector<CUgraph_st*> graphs;
  if (const auto* child = std::get_if<ChildNode>(&work)) graphs.push_back(child->graph.get());
  if (const auto* conditional = std::get_if<ConditionalNode>(&work))
    graphs.assign(conditional->handles.begin(), conditional->handles.end());
  return graphs;
}

void clone_bodies(CUgraph_st& outer, ConditionalNode& work,
                  std::map<const CUgraphNode_st*, CUgraphNode_st*>& copy_of) {
  work.handles.clear();
  for (std::shared_ptr<CUgraph_st>& body : work.bodies) {
    body = clone(*body, copy_of);
    body->outer = &outer;
    work.handles.push_back(body.get());
  }
}

/// Whether a graph, or one inside of it, satisfies `wanted`.
template <class Wanted>
bool any_graph(const CUgraph_st& graph, const Wanted& wanted) {
  if (wanted(graph)) return true;
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const auto& node) {
    const auto inside = graphs_inside(node->work);
    return std::any_of(inside.begin(), inside.end(),
                       [&](const CUgraph_st* each) { return any_graph(*each, wanted); });
  });
}

/// What the trace tells of a copy: what it would of the call that was captured, or of one like it.
CallRecord record_of(const CopyNode& node) {
  if (!node.record.name.empty()) return node.record;
  return record_of_copy("cudaGraphAddMemcpyNode", node.to, node.from, node.shape);
}

CallRecord record_of(const FillNode& node) {
  if (!node.record.name.empty()) return node.record;
  return record_of_fill("cudaGraphAddMemsetNode", node.to, node.shape, node.value);
}

class Running {
 public:
  explicit Running(CUgraphExec_st& graph) : graph_(graph) { graph_.is_running = true; }
  ~Running() { graph_.is_running = false; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  CUgraphExec_st& graph_;
};

struct Runner {
  ApiCall& call;
  CUgraphExec_st& graph;
  cudaStream_t stream;
  CUstream_st& queue;

  cudaError_t operator()(const EmptyNode&) const { return cudaSuccess; }
  cudaError_t operator()(const KernelNode& node) const {
    std::vector<void*> pointers;
    for (const std::vector<std::byte>& argument : node.arguments)
      pointers.push_back(const_cast<std::byte*>(argument.data()));
    KernelLaunch launch = node.launch;
    launch.conditions = &graph.conditions;
    return launch_kernel(call, launch, pointers.data(), stream);
  }
  cudaError_t operator()(const CopyNode& node) const {
    return call.run_part(record_of(node), [&] {
      return copy(call, node.to, node.from, node.shape, node.kind, stream);
    });
  }
  cudaError_t operator()(const FillNode& node) const {
    return call.run_part(record_of(node), [&] {
      return fill(call, node.to, node.shape, node.value, stream, node.element_bytes);
    });
  }
  cudaError_t operator()(const HostNode& node) const {
    const cudaHostNodeParams function = node.function;
    call.call_back([&] { host().call(function.fn, function.userData); });
    call_back_ended(call, queue);
    return cudaSuccess;
  }
  cudaError_t operator()(const EventNode& node) const { return run_event(call, node, queue); }
  cudaError_t operator()(const ChildNode& node) const {
    std::vector<CUgraphNode_st*> order;
    return put_in_order(*node.graph, order) ? run_nodes(call, graph, order, stream)
                                            : cudaErrorInvalidValue;
  }
  cudaError_t operator()(const AllocNode& node) const { return run(call, graph, node); }
  cudaError_t operator()(const FreeNode& node) const { return run(call, node, queue); }
  cudaError_t operator()(const ConditionalNode& node) const {
    return run(call, graph, node, stream);
  }
};

}  // namespace

cudaGraph_t Graphs::adopt(std::unique_ptr<CUgraph_st> graph) {
  const cudaGraph_t handle = graph.get();
  graphs_.emplace(handle, std::move(graph));
  return handle;
}

cudaGraphExec_t Graphs::adopt(std::unique_ptr<CUgraphExec_st> graph) {
  const cudaGraphExec_t handle = graph.get();
  graph->id = ++instances_;
  executables_.emplace(handle, std::move(graph));
  return handle;
}

cudaUserObject_t Graphs::adopt(std::unique_ptr<CUuserObject_st> object) {
  const cudaUserObject_t handle = object.get();
  objects_.emplace(handle, std::move(object));
  return handle;
}

bool Graphs::is_graph(cudaGraph_t handle) const {
  if (graphs_.count(handle) != 0) return true;
  return std::any_of(graphs_.begin(), graphs_.end(), [&](const auto& entry) {
    return any_graph(*entry.second, [&](const CUgraph_st& graph) { return &graph == handle; });
  });
}

bool Graphs::is_node(cudaGraphNode_t handle) const {
  const auto holds = [&](const CUgraph_st& graph) {
    return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                       [&](const auto& node) { return node.get() == handle; });
  };
  return std::any_of(graphs_.begin(), graphs_.end(),
                     [&](const auto& entry) { return any_graph(*entry.second, holds); });
}

cudaGraphExec_t Graphs::instance_of(const CUgraph_st& graph) const {
  const auto found = std::find_if(executables_.begin(), executables_.end(), [&](const auto& entry) {
    return entry.second->source == &graph;
  });
  return found == executables_.end() ? nullptr : found->first;
}

CUgraphNode_st* Graphs::copy_in(cudaGraphExec_t exec, cudaGraphNode_t node) const {
  if (!is_executable(exec)) return nullptr;
  const auto found = exec->copy_of.find(node);
  return found == exec->copy_of.end() ? nullptr : found->second;
}

CUgraphNode_st* add_node(CUgraph_st& graph, Work work, std::vector<CUgraphNode_st*> after) {
  graph.nodes.push_back(std::make_unique<CUgraphNode_st>());
  CUgraphNode_st* const node = graph.nodes.back().get();
  node->work = std::move(work);
  node->after = std::move(after);
  node->graph = &graph;
  return node;
}

std::unique_ptr<CUgraph_st> clone(const CUgraph_st& graph,
                                  std::map<const CUgraphNode_st*, CUgraphNode_st*>& copy_of) {
  auto copied = std::make_unique<CUgraph_st>();
  copied->objects = graph.objects;
  copied->conditions = graph.conditions;
  for (const auto& node : graph.nodes) {
    copy_of[node.get()] = add_node(*copied, node->work, {});
    copy_of[node.get()]->enabled = node->enabled;
    copy_of[node.get()]->original = node.get();
    Work& its = copy_of[node.get()]->work;
    if (auto* const work = std::get_if<ConditionalNode>(&its))
      clone_bodies(*copied, *work, copy_of);
    if (auto* const work = std::get_if<ChildNode>(&its)) work->graph = clone(*work->graph, copy_of);
    settle(*copied, its);
  }
  for (const auto& node : graph.nodes) {
    for (const CUgraphNode_st* before : node->after)
      copy_of[node.get()]->after.push_back(copy_of[before]);
  }
  return copied;
}

bool settle(const CUgraph_st& outer, const Work& work) {
  for (CUgraph_st* const inner : graphs_inside(work)) {
    inner->level = outer.level + 1;
    if (inner->level >= kMostGraphLevels) return false;
    const bool are_settled =
        std::all_of(inner->nodes.begin(), inner->nodes.end(),
                    [&](const auto& node) { return settle(*inner, node->work); });
    if (!are_settled) return false;
  }
  return true;
}

bool put_in_order(const CUgraph_st& graph, std::vector<CUgraphNode_st*>& order) {
  Ordering ordering(order);
  return std::all_of(graph.nodes.begin(), graph.nodes.end(),
                     [&](const auto& node) { return ordering.append(node.get()); });
}

std::unique_ptr<CUgraphExec_st> instantiate(const CUgraph_st& graph) {
  if (!has_right_conditions(graph)) return nullptr;
  auto made = std::make_unique<CUgraphExec_st>();
  made->graph = clone(graph, made->copy_of);
  made->source = &graph;
  gather_conditions(graph, made->conditions);
  return put_in_order(*made->graph, made->order) ? std::move(made) : nullptr;
}

std::vector<std::shared_ptr<Capture>> Graphs::open_captures() {
  std::vector<std::shared_ptr<Capture>> open;
  std::erase_if(captures_, [&](const std::weak_ptr<Capture>& each) {
    const std::shared_ptr<Capture> capture = each.lock();
    const bool ended = capture == nullptr || capture->graph == nullptr;
    if (!ended) open.push_back(capture);
    return ended;
  });
  return open;
}

void break_capture(const std::shared_ptr<Capture>& capture) {
  if (capture != nullptr) capture->broken = true;
}

std::optional<cudaError_t> captured(CUstream_st& stream, Work work) {
  if (stream.capture == nullptr) return std::nullopt;
  if (stream.capture->broken) return cudaErrorStreamCaptureInvalidated;
  CUgraphNode_st* const node =
      add_node(*stream.capture->graph, std::move(work), stream.captured_last);
  stream.captured_last = {node};
  return cudaSuccess;
}

std::vector<std::vector<std::byte>> copy_arguments(const KernelInfo& info, void** arguments) {
  std::vector<std::vector<std::byte>> copies;
  for (size_t i = 0; i < info.parameters.size(); ++i) {
    const auto* bytes = static_cast<const std::byte*>(arguments[i]);
    copies.emplace_back(bytes, bytes + info.parameters[i].size);
  }
  return copies;
}

// Far from the ids of the program's own events.
uint64_t end_event(const CUgraphExec_st& graph) { return (uint64_t{1} << 62) + graph.id; }

cudaError_t run(ApiCall& call, CUgraphExec_st& graph, cudaStream_t stream) {
  CUstream_st* queue = call.stream(stream);
  if (queue == nullptr) return cudaErrorInvalidResourceHandle;
  if (graph.frees_first) free_left_over(call, graph);
  if (has_left_memory(call, graph)) return cudaErrorInvalidValue;
  map_memory(call, graph);
  apply_defaults(*graph.graph, graph.conditions);
  StreamRaces& races = call.machine().stream_races;
  const StreamOfWork work = work_of(*queue);
  cudaError_t error = cudaSuccess;
  const Running running(graph);
  // An executable graph never runs beside itself, whatever streams it is launched into (CUDA Runtime API, cudaGraphLaunch).
  races.order().wait(work, end_event(graph));
  queue->ready_ms = std::max(queue->ready_ms, graph.ended_ms);
  races.begin_graph(work);
  for (const CUgraphNode_st* node : graph.order) {
    races.begin_node(node, {node->after.begin(), node->after.end()});
    if (node->enabled) error = std::visit(Runner{call, graph, stream, *queue}, node->work);
    races.end_node();
    if (error != cudaSuccess) break;
  }
  races.end_graph(work);
  races.order().record(end_event(graph), work);
  graph.ended_ms = queue->ready_ms;
  return error;
}

// The body of a conditional node belongs to that node.
cudaError_t run_nodes(ApiCall& call, CUgraphExec_st& graph,
                      const std::vector<CUgraphNode_st*>& order, cudaStream_t stream) {
  CUstream_st* queue = call.stream(stream);
  if (queue == nullptr) return cudaErrorInvalidResourceHandle;
  for (const CUgraphNode_st* node : order) {
    if (!node->enabled) continue;
    const cudaError_t error = std::visit(Runner{call, graph, stream, *queue}, node->work);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

void call_back_ended(ApiCall& call, const CUstream_st& stream) {
  StreamRaces& races = call.machine().stream_races;
  // Other threads may have called the API meanwhile.
  for (const Finding& finding : races.lift_guard(range_of_call(call.machine().settings.graded)))
    call.machine().report(finding);
  races.host_waits_for(work_of(stream));
}

}  // namespace warpgrade::emulator
