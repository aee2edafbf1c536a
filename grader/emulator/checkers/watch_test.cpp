// SPDX-License-Identifier: MIT
#include "emulator/checkers/watch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "base/files.h"
#include "emulator/exec/launch.h"

namespace warpgrade::emulator {
namespace {

constexpr int kWatchedSm = 75;

int watched_line(const std::string& mark) {
  std::ifstream source(WARPGRADE_WATCH_KERNELS_SOURCE);
  std::string line;
  for (int number = 1; std::getline(source, line); ++number) {
    if (line.ends_with("mark: " + mark)) return number;
  }
  return -1;
}

class Watch : public testing::Test {
 protected:
  Watch() : memory_({size_t{1} << 30}) {
    memory_.watch();
    const auto ptx = RealFiles().read(WARPGRADE_WATCH_KERNELS_PTX);
    auto module = load_module(ptx.value(), 0, kWatchedSm, memory_);
    if (!module) throw std::runtime_error(module.error().message);
    module_ = std::move(module).value();
    options_.check = all_checkers();
    options_.instruction_limit = 100'000'000;
    options_.deterministic = true;
  }

  template <class... Arguments>
  LaunchResult run(const char* kernel, uint32_t grid, uint32_t block, Arguments... arguments) {
    LaunchRequest request;
    request.module = module_.get();
    request.kernel = kernel;
    request.grid = {grid, 1, 1};
    request.block = {block, 1, 1};
    request.sm = kWatchedSm;
    const KernelInfo* const info = find_kernel(*module_, kernel);
    request.parameters.resize(info->parameter_bytes);
    size_t index = 0;
    (std::memcpy(request.parameters.data() + info->parameters.at(index++).offset, &arguments,
                 sizeof arguments),
     ...);
    return launch(request, options_, memory_);
  }

  /// Sentence and arguments of each finding, under each of some orders.
  template <class... Arguments>
  std::vector<std::string> findings(const char* kernel, uint32_t grid, uint32_t block,
                                    Arguments... arguments) {
    std::vector<std::string> told;
    for (const Finding& finding : run(kernel, grid, block, arguments...).findings)
      told.push_back(finding.message.key());
    return told;
  }
  using Told = std::vector<std::string>;

  uint64_t fresh(size_t bytes) { return memory_.allocate(0, bytes, "cudaMalloc")->begin; }
  uint64_t zeros(size_t bytes) {
    const uint64_t address = fresh(bytes);
    std::memset(memory_.host_address(address, bytes), 0, bytes);
    memory_.note_written(address, bytes);
    return address;
  }

  DeviceMemory memory_;
  std::shared_ptr<LoadedModule> module_;
  LaunchOptions options_;
};

TEST_F(Watch, SeesAReadOfGlobalMemoryThatNothingHasWritten) {
  const uint64_t in = fresh(256), out = fresh(256);
  const LaunchResult result = run("copy_floats", 2, 32, in, out);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].checker, "init");
  EXPECT_EQ(result.findings[0].message,
            "init.unwritten(object=object.element_of(allocation=allocation.made(bytes=256, origin=c"
            "udaMalloc), index=0))");
  EXPECT_EQ(result.findings[0].line, watched_line("copy_floats"));
  EXPECT_EQ(result.findings[0].count, 64u);
  EXPECT_EQ(result.status, LaunchStatus::ok);
}

TEST_F(Watch, KnowsWhatKernelsAndCopiesHaveWritten) {
  const uint64_t in = fresh(256), out = fresh(256);
  EXPECT_EQ(findings("fill_floats", 2, 32, in, 63), Told{});
  EXPECT_EQ(
      findings("copy_floats", 2, 32, in, out),
      Told{"init.unwritten(object=object.element_of(allocation=allocation.made(bytes=256, origin=c"
           "udaMalloc), index=63))"});
  memory_.note_written(in + 252, 4);
  EXPECT_EQ(findings("copy_floats", 2, 32, in, out), Told{});
  memory_.note_copied(in, fresh(8), 8);
  EXPECT_EQ(run("copy_floats", 2, 32, in, out).findings.at(0).count, 2u);
  EXPECT_EQ(
      findings("count_up", 1, 1, fresh(4)),
      Told{"init.unwritten(object=object.element_of(allocation=allocation.made(bytes=4, origin=cud"
           "aMalloc), index=0))"});
}

TEST_F(Watch, NotesTheWriterOfEachByteThatAKernelStores) {
  const OriginId kernel = options_.writer = memory_.origins().of_kernel("sum", "add");
  const auto writers = [&](uint64_t address, size_t bytes) {
    OriginRuns runs;
    memory_.add_origins(address, bytes, runs);
    return runs.runs();
  };
  using Runs = std::vector<OriginRun>;
  const uint64_t floats = fresh(256), counter = zeros(8), largest = zeros(4), bytes = zeros(64);
  run("fill_floats", 2, 32, floats, 63);
  EXPECT_EQ(writers(floats, 256), (Runs{{252, kernel}, {4, Origins::kNothing}}));
  run("count_up", 2, 32, counter);
  EXPECT_EQ(writers(counter, 8), (Runs{{4, kernel}, {4, Origins::kNothing}})) << "atomics";
  run("plain_count", 1, 1, largest);
  EXPECT_EQ(writers(largest, 4), (Runs{{4, kernel}}));
  run("bytes_in_place", 1, 32, bytes, 0);
  EXPECT_EQ(writers(bytes, 64), (Runs{{32, kernel}, {32, Origins::kNothing}}));
  const uint64_t rows = fresh(16 * 32);
  run("fill_xyz", 1, 32, rows);
  EXPECT_EQ(writers(rows, 32),
            (Runs{{12, kernel}, {4, Origins::kNothing}, {12, kernel}, {4, Origins::kNothing}}));
  const OriginId other = options_.writer = memory_.origins().of_kernel("sum", "copy");
  run("copy_floats", 1, 32, floats, floats);
  EXPECT_EQ(writers(floats, 256), (Runs{{128, other}, {124, kernel}, {4, Origins::kNothing}}))
      << "the last of them";
}

TEST_F(Watch, SeesUnwrittenSharedAndLocalMemory) {
  const uint64_t out = zeros(256);
  const LaunchResult shared = run("shared_unwritten", 1, 64, out);
  ASSERT_EQ(shared.findings.size(), 1u);
  EXPECT_EQ(shared.findings[0].message,
            "init.unwritten(object=object.element(array=tile, index=5))");
  EXPECT_EQ(shared.findings[0].thread.x, 5u);
  EXPECT_EQ(shared.findings[0].line, watched_line("shared_unwritten"));
  EXPECT_EQ(findings("local_unwritten", 1, 32, out, 8), Told{});
  EXPECT_EQ(findings("local_unwritten", 1, 32, out, 7), Told{"init.local(bytes=4)"});
}

TEST_F(Watch, LetsPaddingBeCopied) {
  const uint64_t in = fresh(512), out = fresh(512);
  EXPECT_EQ(findings("fill_padded", 1, 32, in), Told{});
  EXPECT_EQ(findings("copy_padded", 1, 32, in, out), Told{});
}

TEST_F(Watch, LetsMembersBeLoadedThatNobodyUses) {
  const uint64_t in = fresh(512), out = fresh(512);
  EXPECT_EQ(findings("fill_xyz", 1, 32, in), Told{});
  EXPECT_EQ(findings("copy_float4", 1, 32, in, out), Told{});
  EXPECT_EQ(findings("length_xyz", 1, 32, in, out), Told{});
  for (const char* const uses_w : {"length_xyzw", "store_w"})
    EXPECT_EQ(
        findings(uses_w, 1, 32, in, out),
        Told{
            "init.unwritten(object=object.element_of(allocation=allocation.made(bytes=512, origin=c"
            "udaMalloc), index=3))"});
  EXPECT_EQ(
      findings("copy_float4", 1, 32, fresh(512), out),
      Told{"init.unwritten(object=object.element_of(allocation=allocation.made(bytes=512, origin=c"
           "udaMalloc), index=0))"});
}

TEST_F(Watch, NamesBothSidesOfARaceInSharedMemory) {
  const uint64_t out = zeros(1024);
  EXPECT_EQ(findings("neighbours", 1, 256, out, 1), Told{});
  const LaunchResult result = run("neighbours", 1, 256, out, 0);
  const auto reading =
      std::find_if(result.findings.begin(), result.findings.end(), [](const Finding& one) {
        return one.checker == "race" && one.line == watched_line("neighbours");
      });
  ASSERT_NE(reading, result.findings.end());
  EXPECT_EQ(reading->message,
            fmt::format("race.between(act=act.reads, advice=advice.warp_barrier, "
                        "object=object.element(array=tile, index=1), other_act=act.writes, "
                        "where=in.line(line={}), who=who.thread_of_warp(thread=(1,0,0)))",
                        watched_line("neighbours_write")));
  EXPECT_EQ(reading->other_line, watched_line("neighbours_write"));
  ASSERT_TRUE(reading->race);
  const RaceAccesses& race = *reading->race;
  EXPECT_EQ(race.object, "tile[1]");
  EXPECT_EQ(race.first_act, "reads");
  EXPECT_EQ(race.second, "thread (1,0,0) of the same warp");
  EXPECT_EQ(race.second_act, "writes");
  EXPECT_EQ(race.second_line, watched_line("neighbours_write"));
  EXPECT_EQ(race.missing,
            "with no __syncthreads() between, or __syncwarp() where one warp works alone");
}

TEST_F(Watch, SeesAMissingSecondBarrier) {
  const uint64_t out = zeros(1024);
  EXPECT_EQ(findings("second_barrier", 1, 256, out, 1), Told{});
  const LaunchResult result = run("second_barrier", 1, 256, out, 0);
  ASSERT_GE(result.findings.size(), 1u);
  for (const Finding& finding : result.findings) {
    EXPECT_TRUE(finding.line == watched_line("second_barrier") ||
                finding.line == watched_line("second_barrier_read"));
  }
}

TEST_F(Watch, FollowsTheLanesOfAWarp) {
  const uint64_t out = zeros(1024);
  EXPECT_EQ(findings("warp_step", 1, 32, out, 1), Told{});
  EXPECT_EQ(run("warp_step", 1, 32, out, 0).findings.at(0).line, watched_line("warp_step"));
  EXPECT_EQ(findings("half_tiles", 1, 32, out, 16), Told{});
  EXPECT_FALSE(findings("half_tiles", 1, 32, out, 8).empty());
}

TEST_F(Watch, SeesBlocksThatReadWhatOthersWrite) {
  const uint64_t data = zeros(4096), out = zeros(4096);
  EXPECT_EQ(findings("block_halo", 4, 256, data, out, 0), Told{});
  EXPECT_FALSE(findings("block_halo", 4, 256, data, out, 1).empty());
}

TEST_F(Watch, TellsTheBytesOfAWordApart) {
  const uint64_t data = zeros(1024);
  EXPECT_EQ(findings("bytes_in_place", 4, 256, data, 0), Told{});
  EXPECT_FALSE(findings("bytes_in_place", 4, 256, data, 1).empty());
}

TEST_F(Watch, IsSilentAboutEqualValues) {
  const uint64_t flag = zeros(4);
  EXPECT_EQ(findings("same_value", 2, 64, flag, 0), Told{});
  EXPECT_EQ(run("same_value", 2, 64, flag, 1).findings.at(0).line, watched_line("same_value"));
}

TEST_F(Watch, NamesTheAtomicThatAnUpdateNeeds) {
  const LaunchResult result = run("plain_count", 1, 64, zeros(4));
  ASSERT_FALSE(result.findings.empty());
  for (const Finding& finding : result.findings) {
    EXPECT_EQ(finding.line, watched_line("plain_count"));
    EXPECT_EQ(finding.message.args.at("advice"), "advice.atomic_for_both(function=atomicAdd())");
  }
  const LaunchResult across = run("plain_count", 4, 1, zeros(4));
  ASSERT_FALSE(across.findings.empty());
  EXPECT_EQ(across.findings[0].message.args.at("advice"),
            "advice.atomic_for_both(function=atomicAdd())");
  const auto largest = run("plain_largest", 1, 32, zeros(256), zeros(4)).findings;
  EXPECT_TRUE(std::any_of(largest.begin(), largest.end(), [](const Finding& one) {
    return one.message.args.at("advice").ends_with("(function=atomicMax())");
  }));
}

TEST_F(Watch, AdvisesABarrierWhereOneWarpAddsUpWhatAnotherChanges) {
  const LaunchResult result = run("add_up", 1, 128, zeros(4));
  ASSERT_FALSE(result.findings.empty());
  for (const Finding& finding : result.findings) {
    EXPECT_EQ(finding.line, watched_line("add_up"));
    EXPECT_EQ(finding.message.args.at("advice"), "advice.barrier") << finding.message.key();
  }
}

TEST_F(Watch, CountsElementsByTheirOwnWidth) {
  const LaunchResult result = run("plain_count_wide", 1, 64, zeros(48));
  ASSERT_FALSE(result.findings.empty());
  for (const Finding& finding : result.findings) {
    EXPECT_NE(finding.message.args.at("object").find("index=2"), std::string::npos)
        << finding.message.key();
    EXPECT_EQ(finding.message.args.at("advice"), "advice.atomic_for_both(function=atomicAdd())");
  }
}

TEST_F(Watch, NamesTheLineOfTheAccessToThatCell) {
  const LaunchResult result = run("two_counters", 1, 64, zeros(8), zeros(8));
  ASSERT_EQ(result.findings.size(), 2u);
  EXPECT_EQ(result.findings[0].race->second_line, watched_line("first_counter"));
  EXPECT_EQ(result.findings[1].race->second_line, watched_line("second_counter"));
}

TEST_F(Watch, FitsTheAdviceToWhoWritesAndWhoReads) {
  const auto advice = [](const LaunchResult& result) {
    return result.findings.empty() ? "" : result.findings[0].message.args.at("advice");
  };
  EXPECT_EQ(advice(run("same_value", 1, 32, zeros(4), 1)), "advice.one_writer");
  EXPECT_EQ(advice(run("hand_over", 2, 32, zeros(256), zeros(256))), "advice.blocks");
  EXPECT_EQ(advice(run("set_then_added_to", 2, 32, zeros(4), zeros(4))), "advice.other_launch");
  EXPECT_EQ(advice(run("set_then_added_to", 2, 32, zeros(4), uint64_t{0})), "advice.other_launch");
}

TEST_F(Watch, FollowsFencesAndAtomics) {
  const uint64_t in = zeros(256), out = zeros(256);
  EXPECT_EQ(findings("last_block", 8, 64, in, zeros(256), zeros(4), out, 1), Told{});
  EXPECT_FALSE(findings("last_block", 8, 64, in, zeros(256), zeros(4), out, 0).empty());
  EXPECT_EQ(findings("locked", 4, 64, zeros(4), zeros(4), 1), Told{});
  EXPECT_FALSE(findings("locked", 4, 64, zeros(4), zeros(4), 0).empty());
  EXPECT_EQ(findings("flags", 4, 32, zeros(4), zeros(4), out, 1), Told{});
  EXPECT_FALSE(findings("flags", 4, 32, zeros(4), zeros(4), out, 0).empty());
}

TEST_F(Watch, FindsALockWithoutAFenceBehindItsStartWhereFencesAreAskedFor) {
  options_.check.fences = true;
  ASSERT_FALSE(findings("locked", 4, 64, zeros(4), zeros(4), 1).empty());
  EXPECT_EQ(findings("locked", 4, 64, zeros(4), zeros(4), 2), Told{});
  EXPECT_EQ(run("locked", 4, 64, zeros(4), zeros(4), 1).findings[0].message.args.at("advice"),
            "advice.or_fences(advice=advice.atomic_for_both(function=atomicAdd()))");
}

TEST_F(Watch, NamesTheFencesThatALockLacksToThreadsOfOneWarp) {
  EXPECT_EQ(run("push_without_fences", 1, 32, zeros(4), zeros(4), zeros(128))
                .findings.at(0)
                .message.args.at("advice"),
            "advice.or_fences(advice=advice.warp_barrier)");
}

TEST_F(Watch, LetsOneThreadDoWhatAllDoToOneElement) {
  EXPECT_EQ(run("halve_by_all", 1, 32, zeros(4)).findings.at(0).message.args.at("advice"),
            "advice.or_one_thread(advice=advice.atomic_for_both(function=atomicCAS()))");
}

TEST_F(Watch, FindsALockWhoseFenceBehindItsStartIsForItsBlockAlone) {
  options_.check.fences = true;
  EXPECT_FALSE(findings("locked", 4, 64, zeros(4), zeros(4), 3).empty());
  EXPECT_EQ(findings("locked", 1, 64, zeros(4), zeros(4), 3), Told{});
}

TEST_F(Watch, FindsUpdatesThatVolatileAccessesLose) {
  enum {
    plainly,
    under_a_lock,
    under_a_lock_without_fences,
    under_a_lock_without_its_last_fence,
    same_by_all,
    in_turn
  };
  const auto found = [&](int how) {
    return findings("volatile_updates", 4, 32, zeros(4), zeros(4), how);
  };
  ASSERT_FALSE(found(plainly).empty());
  EXPECT_NE(found(plainly)[0].find("(function=atomicAdd())"), std::string::npos)
      << found(plainly)[0];
  EXPECT_FALSE(found(under_a_lock_without_fences).empty());
  EXPECT_FALSE(found(under_a_lock_without_its_last_fence).empty());
  EXPECT_EQ(found(under_a_lock), Told{});
  EXPECT_EQ(found(same_by_all), Told{});
  EXPECT_EQ(found(in_turn), Told{});
}

TEST_F(Watch, TakesAtomicsForWhatTheyAre) {
  const uint64_t in = zeros(1024), bins = zeros(128);
  EXPECT_EQ(findings("histogram", 8, 256, in, bins, in, 0), Told{});
  EXPECT_FALSE(findings("histogram", 8, 256, in, bins, in, 1).empty());
}

TEST_F(Watch, FollowsNamedBarriers) {
  const uint64_t out = zeros(1024);
  EXPECT_EQ(findings("producer_consumer", 2, 128, out, 1), Told{});
  EXPECT_FALSE(findings("producer_consumer", 2, 128, out, 0).empty());
}

TEST(BlockClock, TakesAllForOrderedOnceTooMuchWasReleased) {
  HappensBefore happens_before;
  BlockClock clock;
  clock.start(happens_before, 7, 64);
  const EarlierAccess access{7, clock.time(), 0, EarlierAccess::By::thread};
  const auto release = [&] {
    clock.note_accesses(0, 1);
    clock.release(256, true, 0, 1, true, true);
  };
  for (int i = 0; i < 1'000'000; ++i) release();
  EXPECT_FALSE(clock.is_ordered(access, 32));
  EXPECT_FALSE(clock.knows_others(32));
  for (int i = 0; i < 100'000; ++i) release();
  EXPECT_TRUE(clock.is_ordered(access, 32));
  EXPECT_TRUE(clock.knows_others(32));
}

TEST_F(Watch, TellsThatItGaveUp) {
  const uint64_t sum = zeros(4);
  LaunchResult result = run("add_behind_many_fences", 4, 1, sum, 100);
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].checker, "race");
  EXPECT_FALSE(result.may_race);
  result = run("add_behind_many_fences", 4, 1, sum, 30'000);
  EXPECT_TRUE(result.findings.empty());
  EXPECT_TRUE(result.may_race);
}

}  // namespace
}  // namespace warpgrade::emulator
