// SPDX-License-Identifier: MIT
// Kernels that try to read or write the emulator's own memory, to hang it or to use it all up. Each
// must end in a finding or be refused; run them under -Db_sanitize=address,undefined as well.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "emulator/exec/launch.h"

namespace warpgrade::emulator {
namespace {

constexpr int kHostileSm = 90;

struct Attack {
  const char* name;
  const char* body;  ///< The kernel's body; %rd0 is the address of 256 bytes of global memory.
  /// Part of the first finding's key, or of why the module is refused; empty: no finding, and no harm done.
  const char* message;
  const char* before = "";  ///< Variables and functions of the module.
};

std::ostream& operator<<(std::ostream& out, const Attack& attack) { return out << attack.name; }

std::string module_of(const Attack& attack) {
  return fmt::format(R"(
.version 8.0
.target sm_75
.address_size 64
.shared .align 16 .b8 tile[64];
{}
.visible .entry attack(.param .u64 out)
{{
  .reg .pred %p<8>;
  .reg .b16 %h<8>;
  .reg .b32 %r<16>;
  .reg .b64 %rd<16>;
  .reg .f32 %f<40>;
  .reg .b128 %q<4>;
  .local .align 16 .b8 mine[16];
  ld.param.u64 %rd0, [out];
  mov.u32 %r0, %tid.x;
  mov.u32 %r15, tile;
{}
  ret;
}}
)",
                     attack.before, attack.body);
}

class Hostile : public testing::TestWithParam<Attack> {};

TEST_P(Hostile, EndsInAFindingOrIsRefused) {
  DeviceMemory memory({size_t{1} << 30});
  const uint64_t out = memory.allocate(0, 256, "cudaMalloc")->begin;
  DeviceHeap heap(memory.allocate(0, 4096, "the heap")->begin, 4096);
  const auto module = load_module(module_of(GetParam()), 0, kHostileSm, memory);
  if (!module) {
    EXPECT_NE(std::string(GetParam().message), "") << module.error().message;
    EXPECT_NE(module.error().message.find(GetParam().message), std::string::npos)
        << module.error().message;
    return;
  }
  LaunchRequest request;
  request.module = module->get();
  request.kernel = "attack";
  request.block = {40, 1, 1};
  request.sm = kHostileSm;
  request.heap = &heap;
  request.parameters.resize(find_kernel(**module, "attack")->parameter_bytes);
  std::memcpy(request.parameters.data(), &out, sizeof out);
  LaunchOptions options;
  options.instruction_limit = 1'000'000;
  options.threads = 1;
  const LaunchResult result = launch(request, options, memory);
  const std::string told = result.findings.empty() ? "" : result.findings.front().message.key();
  if (*GetParam().message == '\0')
    EXPECT_EQ(told, "");
  else
    EXPECT_NE(told.find(GetParam().message), std::string::npos) << told;
}

// Four lanes whose distances wrap around 2^64, so that lowest + extent lies in the allocation.
constexpr char kFarApart[] = R"(
  and.b32 %r1, %r0, 3;
  setp.eq.u32 %p0, %r1, 0;
  setp.eq.u32 %p1, %r1, 1;
  mov.b64 %rd1, %rd0;
  @%p0 add.s64 %rd1, %rd0, 0x8000000000000000;
  @%p1 add.s64 %rd1, %rd0, -16;
  st.global.u32 [%rd1], %r0;)";

constexpr Attack kAddresses[] = {
    {"NullPointer", "mov.b64 %rd1, 0; st.global.u32 [%rd1], %r0;", "where.null"},
    {"LastAddress", "mov.b64 %rd1, -4; st.global.u32 [%rd1], %r0;", "where.not_device"},
    {"WrapsAround", "mov.b64 %rd1, -8; ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%rd1+8];",
     "where.null"},
    {"FarApart", kFarApart, "act=act.writes, bytes=4"},
    {"SharedBehind", "mov.b64 %rd1, 64; st.shared.u32 [%rd1], %r0;",
     "where.right_past(allocation=allocation.shared(array=tile, bytes=64))"},
    {"SharedBefore", "mov.b64 %rd1, -4; st.shared.u32 [%rd1], %r0;", "allocation.shared("},
    {"SharedFarApart", "cvt.u64.u32 %rd1, %r0; shl.b64 %rd1, %rd1, 60; st.shared.u32 [%rd1], %r0;",
     "allocation.shared("},
    {"SharedWindow", "mov.b64 %rd1, 0x300000000040; st.u32 [%rd1], %r0;", "past("},
    {"LocalBehind", "mov.b64 %rd1, mine; st.local.u32 [%rd1+16], %r0;", "where.local("},
    {"LocalBefore", "mov.b64 %rd1, mine; ld.local.u32 %r1, [%rd1+-4];", "where.local("},
    {"LocalMisaligned", "mov.b64 %rd1, mine; ld.local.u32 %r1, [%rd1+13];", "alignment=4"},
    {"LocalAtomic",
     "mov.b64 %rd1, mine; cvta.local.u64 %rd1, %rd1; atom.add.u64 %rd2, [%rd1+8], %rd1;",
     "memory.split("},
    {"LocalCopy",
     "mov.b64 %rd1, mine; cvta.local.u64 %rd1, %rd1; mov.b32 %r1, tile;"
     "cp.async.cg.shared.global [%r1], [%rd1], 16;",
     "memory.split("},
    {"LocalMatrix",
     "mov.b64 %rd1, mine; cvta.local.u64 %rd1, %rd1;"
     "wmma.load.c.sync.aligned.row.m16n16k16.f32 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, [%rd1];",
     "memory.split("},
    {"LocalWindowEnd", "mov.b64 %rd1, 0x31FFFFFFFFFC; st.u32 [%rd1], %r0;", "where.local("},
    {"ParameterWindowWrite", "mov.b64 %rd1, 0x320000000000; st.u32 [%rd1], %r0;",
     "act=act.writes, bytes=4"},
    {"ParameterWindowBehind", "mov.b64 %rd1, 0x320000000008; ld.u32 %r1, [%rd1];",
     "act=act.reads, bytes=4"},
    {"AtomicOutside", "atom.global.cas.b128 %q0, [%rd0+256], %q1, %q2;", "where.right_past("},
    {"AtomicMisaligned", "atom.global.add.u32 %r1, [%rd0+2], %r0;", "alignment=4"},
    {"AtomicVector", "red.global.add.v4.f32 [%rd0+248], {%f0,%f1,%f2,%f3};", "alignment=16"},
    {"CopyTarget", "mov.b32 %r1, tile; cp.async.ca.shared.global [%r1+64], [%rd0], 4;", "past("},
    {"CopySize",
     "mov.b32 %r1, tile; mov.b32 %r2, -1; cp.async.ca.shared.global [%r1], [%rd0+252], 4, %r2;",
     ""},
    {"BulkCopy",
     "mov.b32 %r1, tile; mov.b32 %r2, 0x40000000;"
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd0], %r2, [%r1];",
     "bytes=1073741824"},
    {"MbarrierOutside", "mov.b32 %r1, 4096; mbarrier.init.shared.b64 [%r1], 1;", "past("},
    {"MatrixRows",
     "mov.b32 %r1, 0x7FFFFFFF;"
     "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, [%rd0], "
     "%r1;",
     "act=act.reads, bytes=64"},
    {"Tiles", "mov.b32 %r1, 56; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1];",
     "act=act.reads, bytes=16"},
};

constexpr Attack kRegisters[] = {
    {"Sink", "add.s32 _, %r0, 1; ld.global.u32 _, [%rd0]; mov.b64 {%r1, _}, %rd0;", ""},
    {"SinkPredicate", "setp.eq.u32 _, %r0, 1; vote.sync.all.pred _, %p0, -1;", ""},
    {"TooNarrow", "st.global.b64 [%rd0], %h7; add.f64 %f39, %f39, %f39; mov.b128 %q3, %q3;", ""},
    {"NarrowAsWide", "add.u64 %h7, %h6, %h7; mul.wide.u32 %h7, %r0, %r0;", ""},
    {"PredicateAsWide", "mov.b64 %p7, %p6; cvt.u64.u8 %p7, %p7;", ""},
    {"ShuffleLane", "mov.b32 %r1, -1; shfl.sync.idx.b32 %r2, %r0, %r1, -1, -1;", ""},
    {"VideoSelector", "vadd.s32.s32.s32 %r0, %r0.b1, %r0;", "the selector .b1 is not emulated"},
    {"ShuffleEmptyPair", "shfl.sync.idx.b32 {}, %r0, %r0, 31, -1;", "is not emulated"},
    {"SurfaceWithoutCoordinates", "sust.b.3d.b32.trap [%rd0, {%r0}], {%r0};", "is not emulated"},
    {"SurfaceOfTooWideElements", "suld.b.1d.b128.trap %q0, [%rd0, {%r0}];", "is not emulated"},
    {"TextureHandle", "suld.b.2d.b32.clamp {%r1}, [%rd0, {%r0,%r0}];", "memory.no_texture"},
    {"MatrixOfNoShape",
     "mma.sync.aligned.m4n8k64.row.col.s32.s4.s4.s32 {%r1}, {%r2}, {%r3,%r4}, {%r5};",
     "is not emulated"},
    {"MatrixTooWide",
     "mma.sync.aligned.m16n16k8.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, "
     "{%r1,%r2}, {%r3,%r4}, {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7};",
     "is not emulated"},
    {"BarrierNumber", "mov.b32 %r1, 0x7FFFFFF3; bar.sync %r1;", ""},
    {"BarrierCount", "mov.b32 %r1, 4096; bar.sync 1, %r1;", "sync.deadlock("},
    {"VectorOfThree", "ld.global.v4.u32 {%r1,%r2,%r3}, [%rd0];", "is not emulated"},
};

constexpr char kSquare[] = R"(
.func (.param .b64 result) square(.param .b64 x)
{
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [x];
  mul.lo.u64 %rd2, %rd1, %rd1;
  st.param.b64 [result], %rd2;
  ret;
})";
constexpr char kEndless[] = R"(
.func endless()
{
  .local .b8 much[65536];
  { call endless, (); }
  ret;
})";
constexpr char kPrint[] = R"(
.extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 arguments);
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.extern .func (.param .b64 result) malloc(.param .b64 size);
.extern .func free(.param .b64 pointer);
.global .align 1 .b8 text[17] = {37, 110, 37, 115, 37, 46, 57, 57, 57, 57, 57, 102, 37, 42, 100, 37};)";

constexpr Attack kCalls[] = {
    {"FunctionPointer",
     "mov.b64 %rd1, 0x330000000063; { prototype: .callprototype _ (); call %rd1, (), prototype; }",
     "memory.function_pointer"},
    {"CallOfTheDeviceRuntime", "{ call __cudaCDP2DeviceGetAttribute, (); }", "is not emulated",
     ".extern .func __cudaCDP2DeviceGetAttribute();"},
    {"CopyWithoutArguments", "{ call __cudaCDP2MemcpyAsync, (); }", "",
     ".extern .func __cudaCDP2MemcpyAsync();"},
    {"LaunchWithoutArguments", "{ call __cudaCDP2LaunchDeviceV2, (); }", "",
     ".extern .func __cudaCDP2LaunchDeviceV2();"},
    {"FunctionWithoutBody", "{ call nothing, (); }", "is not emulated", ".extern .func nothing();"},
    {"ParameterBehind", "{ .param .b32 p; st.param.b32 [p+4], %r0; }", "outside its parameter"},
    {"ParameterBefore", "{ .param .b32 p; ld.param.b32 %r1, [p+-4]; }", "outside its parameter"},
    {"KernelParameterBefore", "ld.param.u32 %r1, [out+-4];", "outside its parameter"},
    {"KernelParameterBehind", "ld.param.v4.u32 {%r1,%r2,%r3,%r4}, [out];", "outside its parameter"},
    {"SmallerArguments",
     "{ .param .b8 a; .param .b8 b; st.param.b8 [a], %h0; call (b), square, (a); }", "", kSquare},
    {"NoArguments", "{ call square, (); }", "", kSquare},
    {"Recursion", "{ call endless, (); }", "memory.stack", kEndless},
    {"HugeParameter", "{ .param .b8 p[4000000000]; }", "MiB a warp"},
    {"HugeLocal", "{ .local .b8 p[4000000000]; }", "local memory of attack"},
    {"HugeShared", "{ .shared .b8 p[4000000000]; }", "MiB"},
    {"ManyRegisters", "{ .reg .b64 %x<900000>; }", "registers"},
    {"HugeKernelParameter", "", "is the most", ".entry big(.param .b8 p[40000]) { ret; }"},
    {"DefinedTwice", "", "square is defined twice",
     ".func square() { ret; } .func square() { ret; }"},
    {"VariableTwice", "", "x is defined twice", ".global .u64 x[4] = {text}; .global .u8 x;"},
    {"SharedInitialiser", "", "cannot be initialised",
     ".shared .u64 x = tile2; .global .u32 tile2;"},
    {"NestedBraces", "{{{{{{{{{{{{{{{{}}}}}}}}}}}}}}}}", ""},
    {"PrintConversions",
     "setp.ne.u32 %p0, %r0, 0; @%p0 ret;"
     "{ .param .b64 a; .param .b64 b; .param .b32 c; mov.b64 %rd1, text; st.param.b64 [a], %rd1;"
     "st.param.b64 [b], 8; call (c), vprintf, (a, b); }",
     "act=act.reads, bytes=4", kPrint},
    {"PrintFormatNull",
     "{ .param .b64 a; .param .b64 b; .param .b32 c; st.param.b64 [a], 0; st.param.b64 [b], 0;"
     "call (c), vprintf, (a, b); }",
     "", kPrint},
    {"AssertWithoutText", "{ .param .b64 a; st.param.b64 [a], -1; call __assertfail, (a); }",
     "act=act.reads, bytes=1", kPrint},
    {"MallocAll", "{ .param .b64 a; .param .b64 b; st.param.b64 [a], -1; call (b), malloc, (a); }",
     "", kPrint},
    {"MallocWithoutResult", "{ .param .b8 a; .param .b8 b; call (b), malloc, (a); }", "", kPrint},
    {"FreeAnything", "{ .param .b64 a; st.param.b64 [a], %rd0; call free, (a); }",
     "memory.frees_unknown(", kPrint},
    {"RankOfNoCluster",
     "mov.b32 %r1, 0; mapa.shared::cluster.u32 %r1, %r1, -1; ld.shared::cluster.u32 %r1, [%r1];",
     "act=act.reads, bytes=4"},
    {"Branch", "mov.b32 %r1, 2; brx.idx %r1, list; list: .branchtargets here, here; here:",
     "memory.branch_index"},
    {"EndlessLoop", "here: bra here;", "limit.instructions("},
    {"EndlessSleep", "here: nanosleep.u32 1000000000; bra here;", "limit.instructions("},
};

std::string attack_name(const testing::TestParamInfo<Attack>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Addresses, Hostile, testing::ValuesIn(kAddresses), attack_name);
INSTANTIATE_TEST_SUITE_P(Registers, Hostile, testing::ValuesIn(kRegisters), attack_name);
INSTANTIATE_TEST_SUITE_P(Calls, Hostile, testing::ValuesIn(kCalls), attack_name);

TEST(HostileGrid, OfMillionsOfBlocksThatAllFaultEndsSoon) {
  constexpr Attack kFault = {"fault", "st.global.u32 [%rd0 + 4096], %r0;", ""};
  constexpr uint32_t kBlocks = 4'000'000;
  DeviceMemory memory({size_t{1} << 30});
  const uint64_t out = memory.allocate(0, 256, "cudaMalloc")->begin;
  const auto module = load_module(module_of(kFault), 0, kHostileSm, memory);
  LaunchRequest request;
  request.module = module->get();
  request.kernel = "attack";
  request.grid = {kBlocks, 1, 1};
  request.sm = kHostileSm;
  request.parameters.resize(find_kernel(**module, "attack")->parameter_bytes);
  std::memcpy(request.parameters.data(), &out, sizeof out);
  LaunchOptions options;
  options.threads = 1;
  const LaunchResult result = launch(request, options, memory);
  ASSERT_EQ(result.findings.size(), 1);
  EXPECT_GT(result.findings.front().count, 100'000);
  EXPECT_LT(result.findings.front().count, kBlocks / 2);
}

std::string repeated(std::string_view text, int count) {
  std::string all;
  for (int n = 0; n < count; ++n) all += text;
  return all;
}

std::string refusal_of(const std::string& ptx) {
  DeviceMemory memory({size_t{1} << 30});
  const auto module = load_module(ptx, 0, kHostileSm, memory);
  return module ? "" : module.error().message;
}

TEST(HostileText, MayNotNestWithoutEnd) {
  EXPECT_NE(refusal_of(".global .u32 x = " + repeated("{", 100'000)).find("nested braces"),
            std::string::npos);
  EXPECT_NE(refusal_of(".func f() { mov " + repeated("{", 100'000)).find("nested braces"),
            std::string::npos);
  EXPECT_NE(refusal_of(".func f() " + repeated("{", 100'000)).find("nested blocks"),
            std::string::npos);
  EXPECT_NE(refusal_of(".func f() { mov " + repeated("1?", 100'000)).find("too deep"),
            std::string::npos);
}

TEST(HostileText, MayNotAskForMoreRegistersThanItIsLong) {
  std::string ptx;
  for (int n = 0; n < 100; ++n) ptx += fmt::format(".func f{}() {{ .reg .b32 %r<60000>; }}", n);
  EXPECT_NE(refusal_of(ptx).find("too many registers"), std::string::npos);
}

TEST(HostileText, MayDoubleItsRegistersAsOftenAsItLikes) {
  std::string ptx = ".entry k(.param .u64 p) { .reg .b64 %rd<101>; ld.param.u64 %rd0, [p];";
  for (int n = 0; n < 100; ++n) ptx += fmt::format("add.u64 %rd{}, %rd{}, %rd{};", n + 1, n, n);
  EXPECT_EQ(refusal_of(ptx + "red.global.add.u32 [%rd30], 1; ret; }"), "");
}

TEST(HostileText, MayCallInChainsOfAnyLength) {
  std::string ptx = ".entry k() { call f0, (); }";
  for (int n = 0; n < 2'000; ++n) ptx += fmt::format(".func f{}() {{ call f{}, (); }}", n, n + 1);
  EXPECT_EQ(refusal_of(ptx), "");
  for (int n = 0; n < 2'000; ++n) ptx += fmt::format(".entry k{}() {{ call f0, (); }}", n);
  EXPECT_EQ(refusal_of(ptx), "its kernels may call too many functions");
}

}  // namespace
}  // namespace warpgrade::emulator
