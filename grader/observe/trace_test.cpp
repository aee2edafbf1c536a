// SPDX-License-Identifier: MIT
#include "observe/trace.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

constexpr const char* kRecorded =
    R"~({"type":"session","seq":0,"version":1,"source":"emulated","devices":[{"name":"T4","major":7,"minor":5}]}
{"type":"api","seq":1,"name":"cudaMallocPitch","result":0,"device":0,"range":"padded","args":{"ptr":4096,"pitch":512,"width":132,"height":33},"file":"a.cu","line":7}
{"type":"api","seq":2,"name":"cudaMemcpyAsync","result":0,"device":0,"range":"padded","args":{"dst":1,"src":4096,"count":4,"direction":"DtoH"},"transfers":[{"direction":"DtoH","count":1,"bytes":4,"ms":0.25}]}
{"type":"launch","seq":3,"result":0,"kernel":"f(int)","mangled":"_Z1fi","device":0,"range":"padded","stream":0,"grid":[2,1,1],"block":[16,16,1],"dynamic_shared_bytes":0,"static_shared_bytes":0,"params":["2a000000"],"memory":[{"ptr":4096,"read":true,"written":false,"padding_read":true,"padding_written":false,"atomic_updates":3,"writers":2}],"metrics":{"smsp__inst_executed.sum":7},"time_ms":{"value":0.5,"source":"modelled","dram_bytes":4096},"lines":[{"file":"a.cu","line":12,"warps":4,"threads":64,"ms":0.25,"global_ld":[2,64,8],"branches":[2,1]}]}
{"type":"finding","seq":4,"checker":"memory","message":"read of 4 bytes","kernel":"f(int)","file":"a.cu","line":12,"block":[1,0,0],"thread":[3,4,0],"count":9,"race":{"object":"tile[4]","first_act":"writes","second":"thread (1,0,0)","second_act":"reads","second_file":"a.cu","second_line":14,"missing":"with no barrier between"}}
{"type":"api","seq":5,"name":"cudaFree","result":0,"device":0,"range":"","args":{"ptr":4096}}
{"type":"exit","seq":6}
)~";

TEST(ParseTrace, ReadsEveryKindOfEvent) {
  const Result<Trace> trace = parse_trace(kRecorded);
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_EQ(trace->devices.at(0).major, 7);
  EXPECT_EQ(trace->calls.at(0).number("pitch"), 512u);
  EXPECT_EQ(trace->calls.at(1).text("direction"), "DtoH");
  EXPECT_EQ(trace->calls.at(1).bytes_moved("DtoH"), 4u);
  EXPECT_EQ(trace->calls.at(1).copies(), 1u);
  EXPECT_EQ(trace->calls.at(1).transfers.at(0).ms, 0.25);
  const KernelLaunch& launch = trace->launches.at(0);
  EXPECT_TRUE(launch.ran());
  EXPECT_EQ(launch.block, (Extent3{16, 16, 1}));
  EXPECT_EQ(launch.params.at(0), std::string("\x2a\0\0\0", 4));
  EXPECT_TRUE(launch.memory.at(0).padding_read);
  EXPECT_EQ(launch.memory.at(0).atomic_updates, 3u);
  EXPECT_EQ(launch.memory.at(0).writers, 2u);
  EXPECT_EQ(launch.metrics.at("smsp__inst_executed.sum"), 7);
  EXPECT_EQ(launch.time_ms->source, "modelled");
  EXPECT_EQ(launch.time_ms->dram_bytes, 4096);
  const LineCounts line{"a.cu", 12, 4, 64, {2, 64, 8}, {}, {}, {}, 2, 1, 0.25};
  EXPECT_EQ(launch.lines.at(0), line);
  EXPECT_EQ(trace->calls.at(0).line, 7);
  EXPECT_EQ(trace->findings.at(0).line, 12);
  EXPECT_EQ(trace->findings.at(0).thread, (Extent3{3, 4, 0}));
  EXPECT_EQ(trace->findings.at(0).race->second_line, 14);
  EXPECT_EQ(trace->findings.at(0).race->missing, "with no barrier between");
  EXPECT_TRUE(trace->exited);
}

TEST(ParseTrace, TellsLaunchesThatFaultedFromThoseThatCudaRefused) {
  const auto launch = [](const std::string& result) {
    return R"({"type":"launch","seq":0,"kernel":"f","device":0,"range":"","stream":0,)"
           R"("grid":[1,1,1],"block":[1,1,1],"params":[],"memory":[],)" +
           result + "}\n";
  };
  const Trace refused = *parse_trace(launch(R"("result":1)"));
  const Trace faulted = *parse_trace(launch(R"("result":719,"faulted":true)"));
  EXPECT_TRUE(launches_run_in(refused, "").empty());
  EXPECT_EQ(launches_run_in(faulted, "").size(), 1u);
  EXPECT_TRUE(launches_in(faulted, "").empty());
}

TEST(ParseTrace, KnowsTheRangeThatWasOpenWhenTheRecordEnded) {
  const std::string
      begins = R"({"type":"range","seq":0,"name":"filter","begins":true})"
               "\n",
      ends = R"({"type":"range","seq":2,"name":"filter","begins":false})"
             "\n",
      finding = R"({"type":"finding","seq":1,"checker":"race","message":"","range":"filter"})"
                "\n";
  EXPECT_EQ(open_range(*parse_trace(begins + finding)), "filter");
  EXPECT_EQ(parse_trace(begins + finding)->findings.at(0).range, "filter");
  EXPECT_EQ(open_range(*parse_trace(begins + finding + ends)), "");
}

TEST(ParseTrace, KeepsArgumentsByTheirTypes) {
  const Result<Trace> trace = parse_trace(
      R"({"type":"api","seq":0,"name":"f","result":0,"device":0,"range":"","args":{"ms":0.5,"n":7,"word":"a","words":["b","c"]}})"
      "\n");
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  const ApiCall& call = trace->calls.at(0);
  EXPECT_EQ(call.real("ms", -1), 0.5);
  EXPECT_EQ(call.real("n", -1), 7);
  EXPECT_EQ(call.real("word", -1), -1);
  EXPECT_EQ(call.number("n"), 7u);
  EXPECT_EQ(call.number("words"), 0u);
  EXPECT_EQ(call.text("word"), "a");
  EXPECT_EQ(call.text("n"), "");
  EXPECT_EQ(call.words("words"), (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(call.words("word"), std::vector<std::string>());
}

constexpr const char* kTimed =
    R"~({"type":"session","seq":0,"version":1,"source":"gpu","devices":[{"name":"NVIDIA H200","major":9,"minor":0}]}
{"type":"overhead","seq":1,"event_ms":0.0021,"wall_ms":0.013}
{"type":"timing","seq":3,"range":"device","repetition":1,"kernel_ms":2.5,"copy_ms":0.25,"busy_ms":2.75,"event_ms":2.76,"wall_ms":2.8,"outside_kernel_ms":0.125,"start_ns":4000000000000001,"end_ns":4000000002800001}
{"type":"timing","seq":2,"range":"device","repetition":0,"kernel_ms":9,"copy_ms":0,"busy_ms":9,"event_ms":9,"wall_ms":9,"outside_kernel_ms":0,"start_ns":1,"end_ns":2}
{"type":"exit","seq":4}
)~";

TEST(ParseTrace, ReadsWhatTheTimedPassMeasured) {
  const Result<Trace> trace = parse_trace(kTimed);
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  ASSERT_EQ(trace->timings.size(), 2u);
  EXPECT_EQ(trace->timings[0].repetition, 0) << "in order of seq";
  const RangeTiming& timing = trace->timings[1];
  EXPECT_EQ(timing.range, "device");
  EXPECT_EQ(timing.kernel_ms, 2.5);
  EXPECT_EQ(timing.copy_ms, 0.25);
  EXPECT_EQ(timing.busy_ms, 2.75);
  EXPECT_EQ(timing.event_ms, 2.76);
  EXPECT_EQ(timing.wall_ms, 2.8);
  EXPECT_EQ(timing.outside_kernel_ms, 0.125);
  EXPECT_EQ(timing.start_ns, 4000000000000001);
  EXPECT_EQ(timing.end_ns, 4000000002800001);
  EXPECT_EQ(trace->empty_range->event_ms, 0.0021);
  EXPECT_EQ(trace->empty_range->wall_ms, 0.013);
}

TEST(ParseTrace, PassesOnThatTheProgramCouldNotBeObserved) {
  EXPECT_EQ(parse_trace("{\"type\":\"error\",\"seq\":0,\"message\":\"another tool holds CUPTI\"}\n")
                .error()
                .message,
            "the program could not be observed: another tool holds CUPTI");
}

TEST(ParseTrace, TakesNothingForAProcessThatDidNothing) {
  const Result<Trace> trace = parse_trace("");
  ASSERT_TRUE(trace.ok());
  EXPECT_FALSE(trace->exited);
}

TEST(ParseTrace, DropsAnUnfinishedLastLine) {
  const std::string text = kRecorded;
  const Result<Trace> trace = parse_trace(text.substr(0, text.size() - 5));
  ASSERT_TRUE(trace.ok());
  EXPECT_FALSE(trace->exited);
  EXPECT_EQ(trace->findings.size(), 1u);
}

TEST(ParseTrace, RefusesWhatIsNoTrace) {
  EXPECT_EQ(parse_trace("{\"type\":\"dance\",\"seq\":0}\n").error().message,
            "line 1 of the trace cannot be understood: the unknown type \"dance\"");
  EXPECT_EQ(parse_trace("{\"type\":\"api\",\"seq\":0,\"name\":\"f\",\"result\":0,\"device\":0,"
                        "\"range\":\"\",\"args\":{\"box\":{}}}\n")
                .error()
                .message,
            "line 1 of the trace cannot be understood: an argument of an unknown type");
  EXPECT_FALSE(parse_trace("hello\n").ok());
  EXPECT_FALSE(parse_trace("{\"type\":\"launch\",\"seq\":0}\n").ok());
  EXPECT_FALSE(parse_trace("[]\n").ok());
}

TEST(ParseTrace, RefusesEventsThatSomebodyAddedOrRemoved) {
  EXPECT_EQ(
      parse_trace("{\"type\":\"exit\",\"seq\":0}\n{\"type\":\"exit\",\"seq\":0}\n").error().message,
      "the trace has two events with seq 0");
  EXPECT_EQ(
      parse_trace("{\"type\":\"exit\",\"seq\":0}\n{\"type\":\"exit\",\"seq\":2}\n").error().message,
      "the trace has gaps: some events are missing");
}

TEST(AllocationsOf, KnowsHowLongEachLived) {
  const std::vector<Allocation> allocations = allocations_of(*parse_trace(kRecorded));
  ASSERT_EQ(allocations.size(), 1u);
  EXPECT_EQ(allocation_at(allocations, 4096 + 512 * 33 - 1, 3), &allocations[0]);
  EXPECT_EQ(allocation_at(allocations, 4096 + 512 * 33, 3), nullptr);
  EXPECT_EQ(allocation_at(allocations, 4096, 0), nullptr);
  EXPECT_EQ(allocation_at(allocations, 4096, 6), nullptr);
}

TEST(CallsIn, FindsTheAsyncFormToo) {
  const Trace trace = *parse_trace(kRecorded);
  EXPECT_EQ(calls_in(trace, "padded", "cudaMemcpy").size(), 1u);
  EXPECT_EQ(calls_in(trace, "dense", "cudaMemcpy").size(), 0u);
  EXPECT_EQ(launches_in(trace, "").size(), 1u);
}

TEST(CallsIn, FindsEachCallWhoseNameBeginsSo) {
  Trace trace = *parse_trace(kRecorded);
  trace.calls.push_back(*calls_in(trace, "padded", "cudaMemcpy").front());
  trace.calls.back().name = "cudaMemcpy2DAsync";
  EXPECT_EQ(calls_in(trace, "padded", "cudaMemcpy").size(), 1u);
  EXPECT_EQ(calls_in(trace, "padded", "cudaMemcpy*").size(), 2u);
  EXPECT_EQ(calls_in(trace, "padded", "cudaMemset*").size(), 0u);
}

TEST(CallsIn, LeavesOutWhatAGraphOnlyCaptured) {
  Trace trace = *parse_trace(kRecorded);
  trace.calls.insert(trace.calls.end(), 2, *calls_in(trace, "padded", "cudaMemcpy").front());
  trace.calls.back().args["captured"] = 1;
  EXPECT_EQ(calls_in(trace, "padded", "cudaMemcpy").size(), 2u);
}

}  // namespace
}  // namespace warpgrade
