// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "emulator/runtime/kernels.h"
#include "emulator/runtime/memory/copies.h"

namespace warpgrade::emulator {

// What a node of a graph does.
struct EmptyNode {};
struct KernelNode {
  KernelLaunch launch;
  std::vector<std::vector<std::byte>> arguments;
  std::map<cudaLaunchAttributeID, cudaLaunchAttributeValue> attributes{};
};
struct CopyNode {
  CopySide to, from;
  CopyShape shape;
  cudaMemcpyKind kind = cudaMemcpyDefault;
  std::optional<cudaMemcpy3DParms> params{};  ///< As the program gave them.
  CallRecord record{};  ///< The captured call's record; no name for a node of another origin.
};
struct FillNode {
  CopySide to;
  CopyShape shape;
  unsigned value = 0;
  unsigned element_bytes = 1;
  CallRecord record{};  ///< As that of a CopyNode.
};
struct HostNode {
  cudaHostNodeParams function{};
};
struct EventNode {
  cudaEvent_t event = nullptr;
  bool waits = false;
};
struct ChildNode {
  std::shared_ptr<CUgraph_st> graph;
};
/// Gives the addresses that were reserved with the node memory, for as long as nothing frees it.
struct AllocNode {
  cudaMemAllocNodeParams params{};
  std::string origin = {};  ///< the call that made the node
};
struct FreeNode {
  void* pointer = nullptr;
  std::string origin = "cudaGraphAddMemFreeNode";  ///< the call that made it
};
/// Runs one of its bodies, or one again and again, as the value of its handle says.
struct ConditionalNode {
  cudaGraphConditionalHandle handle = 0;
  cudaGraphConditionalNodeType type = cudaGraphCondTypeIf;
  std::vector<std::shared_ptr<CUgraph_st>> bodies{};
  std::vector<cudaGraph_t> handles{};  ///< The bodies, as the program sees them.
};
using Work = std::variant<EmptyNode, KernelNode, CopyNode, FillNode, HostNode, EventNode, ChildNode,
                          AllocNode, FreeNode, ConditionalNode>;

/// What a program said of a conditional handle.
struct Condition {
  unsigned default_value = 0;
  bool has_default = false;  ///< Each launch of the graph begins with the default value.
  bool has_node = false;
};

/// Something of the program's that lives as long as anyone holds it.
struct UserObject {
  UserObject(cudaHostFn_t destroy, void* object) : destroy(destroy), object(object) {}
  UserObject(const UserObject&) = delete;
  UserObject& operator=(const UserObject&) = delete;
  ~UserObject() { host().call(destroy, object); }

  cudaHostFn_t destroy;
  void* object;
};

}  // namespace warpgrade::emulator

// What the toolkit's opaque handles point to.
struct CUuserObject_st {
  std::shared_ptr<warpgrade::emulator::UserObject> object;
  unsigned references = 0;  ///< The program's own.
};
struct CUgraphNode_st {
  warpgrade::emulator::Work work;
  std::vector<CUgraphNode_st*> after;  ///< What must be done before it.
  CUgraph_st* graph = nullptr;
  bool enabled = true;
  const CUgraphNode_st* original = nullptr;  ///< The node that it copies.
  std::vector<void*> argument_pointers;      ///< As cudaGraphKernelNodeGetParams hands them out.
};
struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
  std::vector<std::shared_ptr<warpgrade::emulator::UserObject>> objects;
  std::map<cudaGraphConditionalHandle, warpgrade::emulator::Condition> conditions;
  CUgraph_st* outer = nullptr;  ///< The graph whose conditional node it is a body of, or null.
  unsigned level = 0;           ///< How many graphs it lies in.
};
/// A graph that can be launched: a copy, in an order in which its nodes can run.
struct CUgraphExec_st {
  std::unique_ptr<CUgraph_st> graph;
  std::map<const CUgraphNode_st*, CUgraphNode_st*> copy_of;  ///< By the original node.
  std::vector<CUgraphNode_st*> order;
  bool frees_first = false;  ///< A launch frees what is left of the one before.
  unsigned long long flags = 0;
  uint64_t id = 0;          ///< 1, 2, 3... in order of instantiation.
  bool is_running = false;  ///< Functions that it calls back must leave it as it is.
  const CUgraph_st* source = nullptr;
  warpgrade::emulator::Conditions conditions{};  ///< The conditions of all graphs inside it.
  double ended_ms = 0;                           ///< In modelled time: when its last launch ended.
};

namespace warpgrade::emulator {

/// A stream capture in progress: the graph it fills, and where.
struct Capture {
  CUgraph_st* graph = nullptr;  ///< Null once the capture has ended.
  bool owns_graph = true;       ///< False for one that the program made.
  CUstream_st* origin = nullptr;
  bool broken = false;  ///< A call that cannot be captured was made.
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  const void* thread = nullptr;  ///< The ThreadState that began it; compared, never followed.
  unsigned long long id = 0;     ///< Another one for each capture.
};

/// The graphs of a machine.
class Graphs {
 public:
  cudaGraph_t adopt(std::unique_ptr<CUgraph_st> graph);
  cudaGraphExec_t adopt(std::unique_ptr<CUgraphExec_st> graph);
  cudaUserObject_t adopt(std::unique_ptr<CUuserObject_st> object);
  /// Graphs inside of graphs included.
  bool is_graph(cudaGraph_t handle) const;
  /// Whether it is one, and is not running: only a function that it has called back could ask meanwhile.
  bool is_executable(cudaGraphExec_t handle) const {
    return executables_.count(handle) != 0 && !handle->is_running;
  }
  bool is_node(cudaGraphNode_t handle) const;
  size_t graph_count() const { return graphs_.size(); }
  size_t executable_count() const { return executables_.size(); }
  bool is_object(cudaUserObject_t handle) const { return objects_.count(handle) != 0; }
  /// The copy of a node that an executable graph has, or null.
  CUgraphNode_st* copy_in(cudaGraphExec_t exec, cudaGraphNode_t node) const;
  bool destroy(cudaGraph_t handle) { return graphs_.erase(handle) != 0; }
  /// The executable graph that was made of a graph and still exists, or null.
  cudaGraphExec_t instance_of(const CUgraph_st& graph) const;
  cudaGraphConditionalHandle next_condition() { return ++conditions_; }
  bool destroy(cudaGraphExec_t handle) {
    return is_executable(handle) && executables_.erase(handle) != 0;
  }
  bool destroy(cudaUserObject_t handle) { return objects_.erase(handle) != 0; }
  void begin(const std::shared_ptr<Capture>& capture) {
    capture->id = ++last_capture_id_;
    captures_.push_back(capture);
  }
  /// The captures that have not ended, broken ones included.
  std::vector<std::shared_ptr<Capture>> open_captures();

 private:
  std::map<cudaGraph_t, std::unique_ptr<CUgraph_st>> graphs_;
  std::map<cudaGraphExec_t, std::unique_ptr<CUgraphExec_st>> executables_;
  std::map<cudaUserObject_t, std::unique_ptr<CUuserObject_st>> objects_;
  std::vector<std::weak_ptr<Capture>> captures_;
  cudaGraphConditionalHandle conditions_ = 0;
  uint64_t instances_ = 0;
  unsigned long long last_capture_id_ = 0;
};

CUgraphNode_st* add_node(CUgraph_st& graph, Work work, std::vector<CUgraphNode_st*> after);
/// With the graphs inside of it. `copy_of` receives the copies by their originals.
std::unique_ptr<CUgraph_st> clone(const CUgraph_st& graph,
                                  std::map<const CUgraphNode_st*, CUgraphNode_st*>& copy_of);
/// Walks over graphs go down from one to those inside of it, so there is an end to that.
constexpr unsigned kMostGraphLevels = 128;
/// Notes how deep the graphs of a node of `outer` lie. False where that is too deep.
bool settle(const CUgraph_st& outer, const Work& work);
/// Lists the nodes of a graph, each behind all that it waits for. False where they wait for each
/// other.
bool put_in_order(const CUgraph_st& graph, std::vector<CUgraphNode_st*>& order);
/// Null where the nodes wait for each other, or conditional nodes are not as CUDA wants them.
std::unique_ptr<CUgraphExec_st> instantiate(const CUgraph_st& graph);

/// Where a stream is being captured, adds the work to its graph instead of it being done, and says what the call returns:
/// an error where an earlier one broke the capture. Nothing where the stream is not being captured.
std::optional<cudaError_t> captured(CUstream_st& stream, Work work);
/// A launch or a wait that CUDA refuses breaks the capture of its stream (measured on an H100).
void break_capture(const std::shared_ptr<Capture>& capture);
/// What a call answers that a capture cannot hold; the capture is then of no use.
cudaError_t refuse_while_captured(CUstream_st& stream);
/// What a call answers that would make a device's legacy stream depend on a stream that is being captured; the
/// capture is then of no use. Success where the queue is another one or no blocking stream is captured.
cudaError_t refuse_legacy_work(ApiCall& call, const CUstream_st& queue);
/// As cudaEventRecord for a captured stream; false where it is none.
bool record_captured(CUevent_st& event, CUstream_st& stream);
/// As cudaStreamWaitEvent where the stream or what the event stands for is captured; a wait that no capture can hold breaks
/// it. None where neither is.
std::optional<cudaError_t> wait_captured(CUstream_st& stream, const CUevent_st& event);
/// Reserves addresses for a node; an error where the parameters ask for nothing possible.
cudaError_t reserve(ApiCall& call, AllocNode& node);
cudaError_t run(ApiCall& call, const CUgraphExec_st& graph, const AllocNode& node);
/// Has the devices map what the graph's allocations need.
void map_memory(ApiCall& call, const CUgraphExec_st& graph);
/// The bytes that a graph's allocations on a device need at one time.
size_t footprint(const std::vector<CUgraphNode_st*>& order, int device);
cudaError_t run(ApiCall& call, const FreeNode& node, const CUstream_st& stream);
/// Whether an earlier launch of these nodes left memory that nothing has freed, so that no other may begin.
bool has_left_memory(ApiCall& call, const CUgraphExec_st& graph);
/// Frees what an earlier launch of these nodes left behind.
void free_left_over(ApiCall& call, const CUgraphExec_st& graph);
/// The arguments of a kernel, copied as its parameters ask.
std::vector<std::vector<std::byte>> copy_arguments(const KernelInfo& info, void** arguments);

/// The event of StreamOrder that stands for the end of the graph's last launch.
uint64_t end_event(const CUgraphExec_st& graph);
cudaError_t run(ApiCall& call, CUgraphExec_st& graph, cudaStream_t stream);
/// Runs nodes of `graph`, or of a graph inside of it.
cudaError_t run_nodes(ApiCall& call, CUgraphExec_st& graph,
                      const std::vector<CUgraphNode_st*>& order, cudaStream_t stream);
cudaError_t run(ApiCall& call, CUgraphExec_st& graph, const ConditionalNode& node,
                cudaStream_t stream);
/// Whether a graph, or one inside of it, has a conditional node. Such a graph cannot be cloned.
bool has_conditional_nodes(const CUgraph_st& graph);
/// Whether each handle has a node, and bodies hold what CUDA allows in them.
bool has_right_conditions(const CUgraph_st& graph);
/// Takes the node from its handle, which can have another one.
void leave_condition(const CUgraphNode_st& node);
/// The values of all handles of a graph and of those inside of it.
void gather_conditions(const CUgraph_st& graph, Conditions& conditions);
void apply_defaults(const CUgraph_st& graph, Conditions& conditions);

/// A callback that was given to the stream has ended. The host may learn from it that all work
/// before it is done.
void call_back_ended(ApiCall& call, const CUstream_st& stream);

}  // namespace warpgrade::emulator
