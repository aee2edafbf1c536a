// SPDX-License-Identifier: MIT
//
// A libnvidia-ml.so.1 with two GPUs that are not there, for tests of gpu-probe. FAKE_NVML says what is wrong with it:
// "none" (no GPU), "broken" (no driver module), "lost" (the second GPU has fallen off the bus), "hang", "old" (nothing
// of what newer drivers can tell).
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kNotSupported = 3, kNotFound = 6, kNotLoaded = 9, kLost = 15;
constexpr const char* kUuids[] = {"GPU-11111111-aaaa", "GPU-22222222-bbbb"};

bool is(const char* fault) {
  const char* value = std::getenv("FAKE_NVML");
  return value != nullptr && std::strcmp(value, fault) == 0;
}

/// Handles are the index plus one.
size_t index_of(const void* device) { return reinterpret_cast<size_t>(device) - 1; }

int say(char* text, unsigned size, const char* what) {
  std::snprintf(text, size, "%s", what);
  return 0;
}

int fill(unsigned* value, unsigned what) {
  *value = what;
  return 0;
}

struct Process {
  unsigned pid;
  unsigned long long bytes;
  unsigned gpu_instance, compute_instance;
};

}  // namespace

extern "C" {

int nvmlInit_v2() {
  if (is("hang")) ::pause();
  return is("broken") ? kNotLoaded : 0;
}
const char* nvmlErrorString(int error) {
  if (error == kLost) return "GPU is lost";
  return error == kNotLoaded ? "Driver Not Loaded" : "Not Found";
}
int nvmlSystemGetDriverVersion(char* text, unsigned size) { return say(text, size, "580.1"); }
int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  *version = 13000;
  return 0;
}
int nvmlSystemGetProcessName(unsigned pid, char* text, unsigned size) {
  return say(text, size, pid == 77 ? "/usr/bin/python3" : "Xorg");
}
int nvmlDeviceGetCount_v2(unsigned* count) { return fill(count, is("none") ? 0 : 2); }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  if (is("lost") && index == 1) return kLost;
  *device = reinterpret_cast<void*>(static_cast<size_t>(index) + 1);
  return 0;
}
int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  for (unsigned i = 0; i < 2; ++i) {
    if (std::strcmp(uuid, kUuids[i]) == 0) return nvmlDeviceGetHandleByIndex_v2(i, device);
  }
  return kNotFound;
}
// The nodes are in the other order than the indices.
int nvmlDeviceGetMinorNumber(void* device, unsigned* number) {
  return fill(number, static_cast<unsigned>(1 - index_of(device)));
}
int nvmlDeviceGetUUID(void* device, char* text, unsigned size) {
  return say(text, size, kUuids[index_of(device)]);
}
int nvmlDeviceGetName(void* device, char* text, unsigned size) {
  return say(text, size, index_of(device) == 0 ? "NVIDIA H100 80GB HBM3" : "Tesla T4");
}
int nvmlDeviceGetCudaComputeCapability(void* device, int* major, int* minor) {
  *major = index_of(device) == 0 ? 9 : 7;
  *minor = index_of(device) == 0 ? 0 : 5;
  return 0;
}
int nvmlDeviceGetPciInfo_v3(void* device, void* info) {
  constexpr size_t kBusIdOffset = 36, kBusIdBytes = 32;
  return say(static_cast<char*>(info) + kBusIdOffset, kBusIdBytes,
             index_of(device) == 0 ? "00000000:0A:00.0" : "00000000:0B:00.0");
}
int nvmlDeviceGetMemoryInfo(void* device, unsigned long long* info) {
  info[0] = index_of(device) == 0 ? 85899345920ull : 16106127360ull;
  return 0;
}
int nvmlDeviceGetNumGpuCores(void* device, unsigned* cores) {
  if (is("old")) return kNotSupported;
  return fill(cores, index_of(device) == 0 ? 16896 : 2560);
}
int nvmlDeviceGetMaxClockInfo(void* device, int type, unsigned* mhz) {
  if (type == 1) return fill(mhz, index_of(device) == 0 ? 1980 : 1590);
  return fill(mhz, index_of(device) == 0 ? 2619 : 5001);
}
int nvmlDeviceGetClockInfo(void*, int type, unsigned* mhz) {
  return fill(mhz, type == 1 ? 1755 : 2619);
}
int nvmlDeviceGetMemoryBusWidth(void* device, unsigned* bits) {
  return fill(bits, index_of(device) == 0 ? 5120 : 256);
}
int nvmlDeviceGetComputeMode(void* device, int* mode) {
  *mode = index_of(device) == 0 ? 0 : 3;
  return 0;
}
int nvmlDeviceGetPersistenceMode(void* device, int* mode) {
  *mode = index_of(device) == 0 ? 1 : 0;
  return 0;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, Process* found) {
  *count = index_of(device) == 0 ? 1 : 0;
  if (*count == 1) found[0] = {77, 524288000, 0, 0};
  return 0;
}
int nvmlDeviceGetGraphicsRunningProcesses_v3(void* device, unsigned* count, Process* found) {
  *count = index_of(device) == 0 ? 2 : 0;
  if (*count == 0) return 0;
  found[0] = {77, 524288000, 0, 0};
  found[1] = {78, ~0ull, 0, 0};
  return 0;
}
int nvmlDeviceGetMigMode(void* device, unsigned* mode, unsigned* pending) {
  if (index_of(device) == 1) return kNotSupported;
  *pending = 0;
  return fill(mode, 0);
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  *reasons = 0x44;
  return 0;
}
int nvmlDeviceGetTemperature(void*, int, unsigned* degrees) { return fill(degrees, 61); }
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) { return fill(milliwatts, 412500); }

}  // extern "C"
