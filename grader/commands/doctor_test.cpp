// SPDX-License-Identifier: MIT
#include "commands/doctor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace warpgrade {
namespace {

/// A machine without a GPU on which nothing is missing.
MachineFacts laptop() {
  MachineFacts facts;
  facts.toolkit = "/usr/local/cuda-13.0";
  facts.toolkit_version = "Build cuda_13.0.r13.0/compiler.36424714_0";
  facts.sandbox_limits = "cgroup2";
  facts.has_gxx = facts.sandbox_runs_nvcc = facts.sandbox_works = facts.has_bubblewrap = true;
  facts.built = {{"libcudart.so.13", true}, {"room-supervisor", true}};
  facts.build = BuildState::kUpToDate;
  facts.assignments = 14;
  facts.shared_memory_bytes = facts.temporary_bytes = facts.results_bytes = uintmax_t{8} << 30;
  facts.machine.error = "no NVIDIA driver: libnvidia-ml.so.1 was not found";
  return facts;
}

/// The same with a GPU.
MachineFacts server() {
  MachineFacts facts = laptop();
  Gpu gpu;
  gpu.uuid = "GPU-1";
  gpu.name = "NVIDIA H100 80GB HBM3";
  gpu.major = 9;
  gpu.memory_bytes = size_t{80} << 30;
  gpu.compute_mode = "default";
  gpu.persistence = true;
  facts.machine = {"580.1", "13.0", "", {gpu}, {}};
  facts.has_cupti = true;
  facts.gpu_trouble["GPU-1"] = "";
  facts.built_for_gpu = {{"libwarpgrade-trace.so", true}, {"gpu-probe", true}};
  facts.nodes = {{"/dev/nvidiactl", true, true}, {"/dev/nvidia0", true, true}};
  facts.counters_for_admins_only = false;
  facts.tools = {{"ncu", "Version 2025.3.1"}, {"compute-sanitizer", "Version 2025.3.1"}};
  return facts;
}

/// Every line that is not ok, with its remedy.
std::string complaints(const MachineFacts& facts) {
  std::string text;
  for (const DoctorLine& line : diagnose(facts)) {
    if (line.health == Health::kOk) continue;
    EXPECT_NE(line.remedy, "") << line.message;
    text += line.health == Health::kWarning ? "warn " : "missing ";
    text += line.name + ": " + line.message + " -> " + line.remedy + "\n";
  }
  return text;
}

bool grades(const MachineFacts& facts) { return can_grade(diagnose(facts)); }

TEST(Doctor, FindsNothingWrongWithAGoodServer) {
  EXPECT_EQ(complaints(server()), "");
  EXPECT_TRUE(grades(server()));
  EXPECT_EQ(conclusion(server(), diagnose(server())),
            "This machine grades on the emulated device and measures on 1 GPU.");
}

TEST(Doctor, SaysWhatAMachineWithoutAGpuCanDo) {
  EXPECT_EQ(complaints(laptop()),
            "warn GPU: no NVIDIA driver: libnvidia-ml.so.1 was not found -> none is needed, but "
            "speed is measured only on a GPU\n");
  EXPECT_TRUE(grades(laptop()));
  const std::string text = conclusion(laptop(), diagnose(laptop()));
  EXPECT_NE(text.find("grades everything on the emulated device"), std::string::npos);
  EXPECT_NE(text.find("cannot measure speed"), std::string::npos);
}

TEST(Doctor, PrintsOneLineForEachCheck) {
  const std::string text = doctor_text(laptop());
  EXPECT_EQ(text.substr(0, text.find("ok       space")),
            "ok       CUDA Toolkit: Build cuda_13.0.r13.0/compiler.36424714_0 in "
            "/usr/local/cuda-13.0\n"
            "ok       compiler: nvcc and g++ run in the sandbox\n"
            "ok       sandbox: bubblewrap\n"
            "ok       limits: cgroup2: the kernel holds each submission as a whole\n"
            "ok       build: up to date\n"
            "ok       course: 14 assignments\n");
}

TEST(Doctor, PrintsJson) {
  MachineFacts facts = server();
  facts.has_cupti = false;
  const auto json = nlohmann::json::parse(doctor_json(facts));
  EXPECT_EQ(json["can_grade"], true);
  EXPECT_EQ(json["gpus"], 1);
  const auto& checks = json["checks"];
  EXPECT_EQ(checks.size(), diagnose(facts).size());
  const auto tracing = std::find_if(checks.begin(), checks.end(),
                                    [](const auto& each) { return each["name"] == "tracing"; });
  ASSERT_NE(tracing, checks.end());
  EXPECT_EQ((*tracing)["status"], "missing");
  EXPECT_EQ((*tracing)["for"], "gpu");
}

struct Fault {
  const char* name;
  void (*make)(MachineFacts&);
  const char* complaint;
  bool can_grade;
};

class DoctorFaults : public testing::TestWithParam<Fault> {};

TEST_P(DoctorFaults, AreToldWithTheirRemedy) {
  MachineFacts facts = server();
  GetParam().make(facts);
  EXPECT_EQ(complaints(facts), GetParam().complaint);
  EXPECT_EQ(grades(facts), GetParam().can_grade);
}

const Fault kOfTheMachine[] = {
    {"NoToolkit",
     [](MachineFacts& facts) {
       facts.toolkit.clear();
       facts.toolkit_error = "nvcc was not found";
     },
     "missing CUDA Toolkit: nvcc was not found -> ./bootstrap build offers the distribution's\n",
     false},
    {"OldToolkit",
     [](MachineFacts& facts) { facts.toolkit_version = "Build cuda_10.2.r10.2/compiler.1"; },
     "missing CUDA Toolkit: Build cuda_10.2.r10.2/compiler.1 in /usr/local/cuda-13.0 is not CUDA "
     "11, 12 or 13 -> install one of these and set CUDA_HOME to its folder\n",
     false},
    {"DistributionsToolkit",
     [](MachineFacts& facts) {
       facts.toolkit = "/usr";
       facts.toolkit_version = "Build cuda_11.8.r11.8/compiler.1";
     },
     "", true},
    {"NoCompiler", [](MachineFacts& facts) { facts.has_gxx = false; },
     "missing compiler: /usr/bin/g++ is missing -> apt-get install g++\n", false},
    {"ClosedToolkit", [](MachineFacts& facts) { facts.sandbox_runs_nvcc = false; },
     "missing compiler: nvcc does not run in the sandbox -> let all users read "
     "/usr/local/cuda-13.0: chmod -R a+rX, its parent folders included\n",
     false},
    {"NoBubblewrap",
     [](MachineFacts& facts) { facts.sandbox_works = facts.has_bubblewrap = false; },
     "missing sandbox: bubblewrap is not installed, so submissions of others are not graded -> "
     "apt-get install bubblewrap\n",
     false},
    {"AppArmor",
     [](MachineFacts& facts) {
       facts.sandbox_works = false;
       facts.apparmor_restricts = true;
     },
     "missing sandbox: AppArmor forbids bubblewrap its user namespaces (as Ubuntu 24.04 does), so "
     "submissions of others are not graded -> sysctl -w "
     "kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile for /usr/bin/bwrap "
     "that allows userns\n",
     false},
    {"NoNamespaces",
     [](MachineFacts& facts) {
       facts.sandbox_works = false;
       facts.sandbox_error = "bwrap: No permissions";
     },
     "missing sandbox: bubblewrap does not work (bwrap: No permissions), so submissions of others "
     "are not graded -> sysctl -w user.max_user_namespaces=10000; in a container: run it with user "
     "namespaces allowed\n",
     false},
    {"NoControlGroups", [](MachineFacts& facts) { facts.sandbox_limits = "polling"; },
     "warn limits: this user may make no control groups, so the grader looks at the memory of a "
     "submission's processes every few milliseconds -> start it by systemd-run --user --scope -p "
     "Delegate=yes build/warpgrade ...\n",
     true},
    {"NotBuiltForOthers",
     [](MachineFacts& facts) {
       facts.built.push_back({"libcudart.so.12", false, true, "programs of CUDA 12"});
       facts.built.push_back({"warpgrade-unpack", false, true, "archives"});
     },
     "warn build: not built: libcudart.so.12 for programs of CUDA 12, warpgrade-unpack for "
     "archives "
     "-> ninja -C build\n",
     true},
    {"NotBuilt", [](MachineFacts& facts) { facts.built[0].found = false; },
     "missing build: not built: libcudart.so.13 -> ninja -C build\n", false},
    {"ClosedPrograms",
     [](MachineFacts& facts) {
       facts.engine = "engine";
       facts.built[1].may_run = false;
       facts.built.push_back({"oracle-vecadd", true, false});
     },
     "missing build: without the permission to execute: room-supervisor, oracle-vecadd -> chmod -R "
     "+x engine\n",
     false},
    {"StaleBuild", [](MachineFacts& facts) { facts.build = BuildState::kStale; },
     "warn build: the build folder is older than the sources -> ninja -C build\n", true},
    {"NoCourse", [](MachineFacts& facts) { facts.assignments = 0; },
     "missing course: there are no rubrics -> run warpgrade in the course's folder, or name it by "
     "--course\n",
     false},
    {"SmallSharedMemory",
     [](MachineFacts& facts) { facts.shared_memory_bytes = uintmax_t{64} << 20; },
     "warn space: 0.1 GiB free in /dev/shm, 8.0 GiB for temporary files, 8.0 GiB for results: "
     "grading is slower without /dev/shm -> mount -o remount,size=2G /dev/shm; in a container: "
     "--shm-size=2g\n",
     true},
    {"FullDisk", [](MachineFacts& facts) { facts.results_bytes = 0; },
     "warn space: 8.0 GiB free in /dev/shm, 8.0 GiB for temporary files, 0.0 GiB for results -> "
     "free space where results go, or name another folder by -o\n",
     true},
    {"NoSpaceAtAll",
     [](MachineFacts& facts) { facts.shared_memory_bytes = facts.temporary_bytes = 0; },
     "missing space: 0.0 GiB free in /dev/shm, 0.0 GiB for temporary files, 8.0 GiB for results -> "
     "free a gigabyte, or let TMPDIR name a folder that has one\n",
     false},
};

const Fault kOfTheGpu[] = {
    {"OldDriver", [](MachineFacts& facts) { facts.machine.cuda = "12.4"; },
     "missing driver: driver 580.1, CUDA 12.4 is too old for programs of CUDA 13 -> install the "
     "NVIDIA driver 580 or newer\n",
     true},
    {"LostGpu",
     [](MachineFacts& facts) { facts.machine.error = "GPU 1 does not answer: GPU is lost"; },
     "warn driver: driver 580.1, CUDA 13.0; GPU 1 does not answer: GPU is lost -> see `dmesg`, "
     "restart the machine\n",
     true},
    {"OldGpu", [](MachineFacts& facts) { facts.machine.gpus[0].major = 6; },
     "missing GPU 0: NVIDIA H100 80GB HBM3, compute capability 6.0, 80.0 GiB, GPU-1: CUDA 13 makes "
     "no programs for it -> a GPU of compute capability 7.5 or newer\n",
     true},
    {"Mig", [](MachineFacts& facts) { facts.machine.gpus[0].mig = true; },
     "missing GPU 0: it is split up (MIG), which is not supported -> nvidia-smi -i GPU-1 -mig 0\n",
     true},
    {"ProhibitedMode",
     [](MachineFacts& facts) { facts.machine.gpus[0].compute_mode = "prohibited"; },
     "missing GPU 0: its compute mode allows no programs -> nvidia-smi -i GPU-1 -c DEFAULT\n",
     true},
    {"ExclusiveMode",
     [](MachineFacts& facts) { facts.machine.gpus[0].compute_mode = "exclusive_process"; },
     "warn GPU 0: its compute mode allows one program at a time, so grading is slower -> "
     "nvidia-smi "
     "-i GPU-1 -c DEFAULT\n",
     true},
    {"NoPersistence", [](MachineFacts& facts) { facts.machine.gpus[0].persistence = false; },
     "warn GPU 0: persistence mode is off: programs start late -> nvidia-smi -i GPU-1 -pm 1\n",
     true},
    {"Neighbours",
     [](MachineFacts& facts) {
       facts.machine.gpus[0].processes = {{7, "train", 1}, {8, "Xorg", 0}};
     },
     "warn GPU 0: others use it, which disturbs times: train (7), Xorg (8) -> end them while "
     "grading\n",
     true},
    {"NoNode",
     [](MachineFacts& facts) {
       facts.nodes.push_back({"/dev/nvidia-uvm", false, false});
     },
     "missing device nodes: /dev/nvidia-uvm: not there -> nvidia-modprobe -c 0 -u; in a container: "
     "pass the GPU to it\n",
     true},
    {"ClosedNode", [](MachineFacts& facts) { facts.nodes[1].usable = false; },
     "missing device nodes: /dev/nvidia0: closed to graded programs -> chmod a+rw /dev/nvidia0, or "
     "the driver's option NVreg_DeviceFileMode=0666\n",
     true},
    {"NoComputing",
     [](MachineFacts& facts) { facts.gpu_trouble["GPU-1"] = "cuInit: error 304, OS call failed"; },
     "missing GPU 0: does not compute for graded programs: cuInit: error 304, OS call failed -> "
     "see "
     "`dmesg`; let all users read the driver's libraries\n",
     true},
    {"NoCupti", [](MachineFacts& facts) { facts.has_cupti = false; },
     "missing tracing: the toolkit has no libcupti.so.13 -> install the toolkit's CUPTI (package "
     "cuda-cupti-13-0)\n",
     true},
    {"NoTracer", [](MachineFacts& facts) { facts.built_for_gpu[0].found = false; },
     "missing tracing: not built: libwarpgrade-trace.so -> ninja -C build\n", true},
    {"NoTrace",
     [](MachineFacts& facts) {
       facts.tracing_trouble = "a program that is traced crashed with signal 11";
     },
     "missing tracing: a program that is traced crashed with signal 11 -> let all users read the "
     "toolkit's CUPTI, and take a driver that fits it (580 or newer); until then grade with "
     "--device emulated\n",
     true},
    {"HiddenNcu",
     [](MachineFacts& facts) {
       facts.tools[0] = {"ncu", "", "exec: /opt/x/ncu: not found", "/opt/x"};
     },
     "warn ncu: it does not run in the sandbox: exec: /opt/x/ncu: not found -> let all users read "
     "/opt/x, its parent folders included: chmod -R a+rX\n",
     true},
    {"ClosedCounters", [](MachineFacts& facts) { facts.counters_for_admins_only = true; },
     "warn hardware counters: open to root and CAP_SYS_ADMIN alone: they count as not measured -> "
     "write \"options nvidia NVreg_RestrictProfilingToAdminUsers=0\" to "
     "/etc/modprobe.d/nvidia-profiling.conf and restart the machine\n",
     true},
    {"NoNcu", [](MachineFacts& facts) { facts.tools[0].version.clear(); },
     "warn ncu: not found: what it measures counts as not measured -> install Nsight Compute "
     "(package cuda-nsight-compute-13-0)\n",
     true},
    {"NoSanitizer", [](MachineFacts& facts) { facts.tools[1].version.clear(); },
     "warn compute-sanitizer: not found: what it measures counts as not measured -> install the "
     "package cuda-sanitizer-13-0\n",
     true},
};

std::string name_of(const testing::TestParamInfo<Fault>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(OfTheMachine, DoctorFaults, testing::ValuesIn(kOfTheMachine), name_of);
INSTANTIATE_TEST_SUITE_P(OfTheGpu, DoctorFaults, testing::ValuesIn(kOfTheGpu), name_of);

TEST(Doctor, KnowsThatRootsRightToCountersIsNotThatOfGradedPrograms) {
  MachineFacts facts = server();
  facts.counters_for_admins_only = true;
  facts.is_admin = true;
  const std::string text = complaints(facts);
  EXPECT_EQ(text.substr(0, text.find(" -> ")),
            "warn hardware counters: open to this user, but not to the programs that it grades: "
            "they count as not measured");
}

TEST(Doctor, AdvisesNothingWhereTheDriverDoesNotSayWhoMayReadCounters) {
  MachineFacts facts = server();
  facts.counters_for_admins_only.reset();
  EXPECT_EQ(complaints(facts), "");
  EXPECT_NE(doctor_text(facts).find("hardware counters: the driver does not say who may read them"),
            std::string::npos);
}

TEST(Doctor, SaysThatAProgramWasObserved) {
  MachineFacts facts = server();
  facts.tracing_trouble = "";
  EXPECT_NE(doctor_text(facts).find("ok       tracing: a program was observed\n"),
            std::string::npos);
}

TEST(Doctor, DoesNotPromiseToMeasureOnAGpuThatLacksSomething) {
  MachineFacts facts = server();
  facts.has_cupti = false;
  EXPECT_EQ(conclusion(facts, diagnose(facts)),
            "This machine grades on the emulated device. Before it can measure on its 1 GPU, mend "
            "what is missing.");
  facts.has_gxx = false;
  EXPECT_EQ(conclusion(facts, diagnose(facts)),
            "This machine cannot grade yet: mend what is missing.");
}

}  // namespace
}  // namespace warpgrade
