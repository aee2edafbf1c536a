// SPDX-License-Identifier: MIT
// The arguments of the driver's calls that have an equivalent in the Runtime API.
#include <cupti.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "observe/injection/decoded_call.h"

namespace warpgrade::injection {
namespace {

struct Equivalent {
  const char* name;
  void (*decode)(CallToDecode&);
};

uint64_t number(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }
uint64_t number(CUdeviceptr pointer) { return pointer; }

template <class Params>
void note_stream_of(CallToDecode& call, const Params& p) {
  if constexpr (requires { p.hStream; }) {
    call.note_stream(p.hStream);
  } else {
    call.note("stream", 0);
  }
}

/// Whatever the parameter is called that says where to put the pointer.
template <class Params>
void memory(CallToDecode& call) {
  const auto& p = call.as<Params>();
  if constexpr (requires { p.hStream; }) note_stream_of(call, p);
  uint64_t address = 0;
  if constexpr (requires { p.dptr; }) {
    if (call.succeeded && p.dptr != nullptr) address = *p.dptr;
  } else {
    if (call.succeeded && p.pp != nullptr) address = number(*p.pp);
  }
  call.note("ptr", address);
  call.note("size", p.bytesize);
}

void pitched_memory(CallToDecode& call) {
  const auto& p = call.as<cuMemAllocPitch_v2_params>();
  call.note("ptr", call.succeeded && p.dptr != nullptr ? *p.dptr : 0);
  call.note("pitch", call.succeeded && p.pPitch != nullptr ? *p.pPitch : 0);
  call.note("width", p.WidthInBytes);
  call.note("height", p.Height);
}

void freed(CallToDecode& call) { call.note("ptr", call.as<cuMemFree_v2_params>().dptr); }

void freed_host(CallToDecode& call) { call.note_pointer("ptr", call.as<cuMemFreeHost_params>().p); }

void freed_in_stream(CallToDecode& call) {
  const auto& p = call.as<cuMemFreeAsync_params>();
  note_stream_of(call, p);
  call.note("ptr", p.dptr);
}

/// cuMemcpy, cuMemcpyHtoD and their like, whatever they call their two ends.
template <class Params>
void linear_copy(CallToDecode& call) {
  const auto& p = call.as<Params>();
  Copy copy;
  copy.width = p.ByteCount;
  if constexpr (requires { p.dst; }) {
    copy.to.address = p.dst;
    copy.from.address = p.src;
  }
  if constexpr (requires { p.dstDevice; }) copy.to.address = p.dstDevice;
  if constexpr (requires { p.dstHost; }) copy.to.address = number(p.dstHost);
  if constexpr (requires { p.srcDevice; }) copy.from.address = p.srcDevice;
  if constexpr (requires { p.srcHost; }) copy.from.address = number(p.srcHost);
  call.note("dst", copy.to.address);
  call.note("src", copy.from.address);
  call.note("count", p.ByteCount);
  note_stream_of(call, p);
  call.out.copy = copy;
}

CopySide side_of(CUmemorytype type, const void* host, CUdeviceptr device, size_t x, size_t y,
                 size_t z, size_t pitch, size_t rows) {
  if (type == CU_MEMORYTYPE_ARRAY) return {0, 0, 0, true};
  const uint64_t start = type == CU_MEMORYTYPE_HOST ? number(host) : number(device);
  return {start + z * pitch * rows + y * pitch + x, pitch, pitch * rows};
}

template <class Params>
void shaped_copy(CallToDecode& call) {
  const auto& p = call.as<Params>();
  if (p.pCopy == nullptr) return;
  const auto& c = *p.pCopy;
  Copy copy;
  copy.width = c.WidthInBytes;
  copy.height = c.Height;
  size_t to_z = 0, from_z = 0, to_rows = 0, from_rows = 0;
  if constexpr (requires { c.Depth; }) {
    copy.depth = c.Depth;
    to_z = c.dstZ;
    from_z = c.srcZ;
    to_rows = c.dstHeight;
    from_rows = c.srcHeight;
  }
  copy.to = side_of(c.dstMemoryType, c.dstHost, c.dstDevice, c.dstXInBytes, c.dstY, to_z,
                    c.dstPitch, to_rows);
  copy.from = side_of(c.srcMemoryType, c.srcHost, c.srcDevice, c.srcXInBytes, c.srcY, from_z,
                      c.srcPitch, from_rows);
  call.note("dst", copy.to.address);
  call.note("dpitch", copy.to.pitch);
  call.note("src", copy.from.address);
  call.note("spitch", copy.from.pitch);
  call.note("width", copy.width);
  call.note("height", copy.height);
  if constexpr (requires { c.Depth; }) call.note("depth", copy.depth);
  note_stream_of(call, p);
  call.out.copy = copy;
}

template <class Params>
uint64_t fill_value(const Params& p, size_t& element_bytes) {
  if constexpr (requires { p.uc; }) {
    element_bytes = 1;
    return p.uc;
  } else if constexpr (requires { p.us; }) {
    element_bytes = 2;
    return p.us;
  } else {
    element_bytes = 4;
    return p.ui;
  }
}

template <class Params>
void fill(CallToDecode& call) {
  const auto& p = call.as<Params>();
  size_t element_bytes = 1;
  call.note("ptr", p.dstDevice);
  call.note("value", fill_value(p, element_bytes));
  call.note("count", p.N * element_bytes);
  note_stream_of(call, p);
}

template <class Params>
void fill_2d(CallToDecode& call) {
  const auto& p = call.as<Params>();
  size_t element_bytes = 1;
  call.note("ptr", p.dstDevice);
  call.note("pitch", p.dstPitch);
  call.note("value", fill_value(p, element_bytes));
  call.note("width", p.Width * element_bytes);
  call.note("height", p.Height);
  note_stream_of(call, p);
}

template <class Params>
void made_stream(CallToDecode& call) {
  const auto& p = call.as<Params>();
  if (call.succeeded && p.phStream != nullptr) call.note_stream(*p.phStream);
}

void about_stream(CallToDecode& call) {
  call.note_stream(call.as<cuStreamSynchronize_params>().hStream);
}

void destroyed_stream(CallToDecode& call) {
  const CUstream stream = call.as<cuStreamDestroy_v2_params>().hStream;
  call.note("stream",
            call.succeeded ? call.handles.forget_stream(stream) : call.handles.stream(stream));
}

void wait_for_event(CallToDecode& call) {
  const auto& p = call.as<cuStreamWaitEvent_params>();
  note_stream_of(call, p);
  call.note_event("event", p.hEvent);
}

void made_event(CallToDecode& call) {
  const auto& p = call.as<cuEventCreate_params>();
  if (call.succeeded && p.phEvent != nullptr) call.note_event("event", *p.phEvent);
}

template <class Params>
void recorded_event(CallToDecode& call) {
  const auto& p = call.as<Params>();
  call.note_event("event", p.hEvent);
  note_stream_of(call, p);
}

void about_event(CallToDecode& call) {
  call.note_event("event", call.as<cuEventQuery_params>().hEvent);
}

void destroyed_event(CallToDecode& call) {
  const CUevent event = call.as<cuEventDestroy_v2_params>().hEvent;
  call.note("event", call.succeeded ? call.handles.forget_event(event) : call.handles.event(event));
}

void elapsed_time(CallToDecode& call) {
  const auto& p = call.as<cuEventElapsedTime_v2_params>();
  call.note_event("start", p.hStart);
  call.note_event("end", p.hEnd);
  if (call.succeeded && p.pMilliseconds != nullptr) call.out.args["ms"] = *p.pMilliseconds;
}

/// A launch is told of as a launch; these are the arguments of one that went into a graph.
template <class Params>
void in_stream(CallToDecode& call) {
  note_stream_of(call, call.as<Params>());
}

void configured_launch(CallToDecode& call) {
  const auto& p = call.as<cuLaunchKernelEx_params>();
  if (p.config != nullptr) call.note_stream(p.config->hStream);
}

void no_arguments(CallToDecode&) {}

using Equivalents = std::unordered_map<std::string_view, Equivalent>;

void add_memory(Equivalents& table) {
  table.insert({{"cuMemAlloc", {"cudaMalloc", memory<cuMemAlloc_v2_params>}},
                {"cuMemAllocManaged", {"cudaMallocManaged", memory<cuMemAllocManaged_params>}},
                {"cuMemAllocHost", {"cudaMallocHost", memory<cuMemAllocHost_v2_params>}},
                {"cuMemHostAlloc", {"cudaHostAlloc", memory<cuMemHostAlloc_params>}},
                {"cuMemAllocAsync", {"cudaMallocAsync", memory<cuMemAllocAsync_params>}},
                {"cuMemAllocFromPoolAsync",
                 {"cudaMallocFromPoolAsync", memory<cuMemAllocFromPoolAsync_params>}},
                {"cuMemAllocPitch", {"cudaMallocPitch", pitched_memory}},
                {"cuMemFree", {"cudaFree", freed}},
                {"cuMemFreeHost", {"cudaFreeHost", freed_host}},
                {"cuMemFreeAsync", {"cudaFreeAsync", freed_in_stream}},
                {"cuMemsetD8", {"cudaMemset", fill<cuMemsetD8_v2_params>}},
                {"cuMemsetD16", {"cudaMemset", fill<cuMemsetD16_v2_params>}},
                {"cuMemsetD32", {"cudaMemset", fill<cuMemsetD32_v2_params>}},
                {"cuMemsetD8Async", {"cudaMemsetAsync", fill<cuMemsetD8Async_params>}},
                {"cuMemsetD16Async", {"cudaMemsetAsync", fill<cuMemsetD16Async_params>}},
                {"cuMemsetD32Async", {"cudaMemsetAsync", fill<cuMemsetD32Async_params>}},
                {"cuMemsetD2D8", {"cudaMemset2D", fill_2d<cuMemsetD2D8_v2_params>}},
                {"cuMemsetD2D16", {"cudaMemset2D", fill_2d<cuMemsetD2D16_v2_params>}},
                {"cuMemsetD2D32", {"cudaMemset2D", fill_2d<cuMemsetD2D32_v2_params>}}});
}

void add_copies(Equivalents& table) {
  table.insert(
      {{"cuMemcpy", {"cudaMemcpy", linear_copy<cuMemcpy_params>}},
       {"cuMemcpyAsync", {"cudaMemcpyAsync", linear_copy<cuMemcpyAsync_params>}},
       {"cuMemcpyHtoD", {"cudaMemcpy", linear_copy<cuMemcpyHtoD_v2_params>}},
       {"cuMemcpyDtoH", {"cudaMemcpy", linear_copy<cuMemcpyDtoH_v2_params>}},
       {"cuMemcpyDtoD", {"cudaMemcpy", linear_copy<cuMemcpyDtoD_v2_params>}},
       {"cuMemcpyHtoDAsync", {"cudaMemcpyAsync", linear_copy<cuMemcpyHtoDAsync_v2_params>}},
       {"cuMemcpyDtoHAsync", {"cudaMemcpyAsync", linear_copy<cuMemcpyDtoHAsync_v2_params>}},
       {"cuMemcpyDtoDAsync", {"cudaMemcpyAsync", linear_copy<cuMemcpyDtoDAsync_v2_params>}},
       {"cuMemcpy2D", {"cudaMemcpy2D", shaped_copy<cuMemcpy2D_v2_params>}},
       {"cuMemcpy2DUnaligned", {"cudaMemcpy2D", shaped_copy<cuMemcpy2DUnaligned_v2_params>}},
       {"cuMemcpy2DAsync", {"cudaMemcpy2DAsync", shaped_copy<cuMemcpy2DAsync_v2_params>}},
       {"cuMemcpy3D", {"cudaMemcpy3D", shaped_copy<cuMemcpy3D_v2_params>}},
       {"cuMemcpy3DAsync", {"cudaMemcpy3DAsync", shaped_copy<cuMemcpy3DAsync_v2_params>}}});
}

void add_order(Equivalents& table) {
  table.insert(
      {{"cuStreamCreate", {"cudaStreamCreateWithFlags", made_stream<cuStreamCreate_params>}},
       {"cuStreamCreateWithPriority",
        {"cudaStreamCreateWithPriority", made_stream<cuStreamCreateWithPriority_params>}},
       {"cuStreamDestroy", {"cudaStreamDestroy", destroyed_stream}},
       {"cuStreamSynchronize", {"cudaStreamSynchronize", about_stream}},
       {"cuStreamQuery", {"cudaStreamQuery", about_stream}},
       {"cuStreamBeginCapture", {"cudaStreamBeginCapture", about_stream}},
       {"cuStreamEndCapture", {"cudaStreamEndCapture", about_stream}},
       {"cuStreamWaitEvent", {"cudaStreamWaitEvent", wait_for_event}},
       {"cuEventCreate", {"cudaEventCreateWithFlags", made_event}},
       {"cuEventRecord", {"cudaEventRecord", recorded_event<cuEventRecord_params>}},
       {"cuEventRecordWithFlags",
        {"cudaEventRecordWithFlags", recorded_event<cuEventRecordWithFlags_params>}},
       {"cuEventQuery", {"cudaEventQuery", about_event}},
       {"cuEventSynchronize", {"cudaEventSynchronize", about_event}},
       {"cuEventDestroy", {"cudaEventDestroy", destroyed_event}},
       {"cuEventElapsedTime", {"cudaEventElapsedTime", elapsed_time}},
       {"cuCtxSynchronize", {"cudaDeviceSynchronize", no_arguments}},
       {"cuLaunchKernel", {"cudaLaunchKernel", in_stream<cuLaunchKernel_params>}},
       {"cuLaunchKernelEx", {"cudaLaunchKernelExC", configured_launch}},
       {"cuLaunchCooperativeKernel",
        {"cudaLaunchCooperativeKernel", in_stream<cuLaunchCooperativeKernel_params>}},
       {"cuLaunchHostFunc", {"cudaLaunchHostFunc", in_stream<cuLaunchHostFunc_params>}},
       {"cuGraphLaunch", {"cudaGraphLaunch", in_stream<cuGraphLaunch_params>}}});
}

const Equivalents& equivalents() {
  static const auto& table = *new Equivalents([] {
    Equivalents all;
    add_memory(all);
    add_copies(all);
    add_order(all);
    return all;
  }());
  return table;
}

/// Calls that ask, look up or make current, as libraries do by the hundred before they begin.
bool only_prepares(std::string_view name) {
  constexpr std::string_view kQuiet[] = {
      "cuInit",        "cuDriverGet",  "cuDeviceGet", "cuDeviceTotal", "cuDeviceCan",
      "cuDevicePrim",  "cuCtxGet",     "cuCtxSet",    "cuCtxPush",     "cuCtxPop",
      "cuGet",         "cuModule",     "cuLibrary",   "cuKernel",      "cuFuncGet",
      "cuPointerGet",  "cuStreamGet",  "cuStreamIs",  "cuMemGet",      "cuOccupancy",
      "cuThreadExcha", "cuFuncIsLoad", "cuFuncLoad",  "cuLink",        "cuCtxCreate",
      "cuCtxDestroy",  "cuCtxRecord",  "cuCtxAttach", "cuCtxDetach",   "cuCtxReset"};
  return std::any_of(std::begin(kQuiet), std::end(kQuiet), [&](std::string_view beginning) {
    return name.substr(0, beginning.size()) == beginning;
  });
}

}  // namespace

std::optional<DecodedCall> decode_driver_call(const std::string& name, const void* params,
                                              bool succeeded, Handles& handles) {
  if (only_prepares(name)) return std::nullopt;
  DecodedCall decoded;
  decoded.name = name;
  const auto found = equivalents().find(name);
  if (found == equivalents().end() || params == nullptr) return decoded;
  decoded.name = found->second.name;
  CallToDecode call{params, succeeded, handles, decoded};
  found->second.decode(call);
  return decoded;
}

}  // namespace warpgrade::injection
