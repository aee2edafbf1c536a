// SPDX-License-Identifier: MIT
#include "emulator/sentences/say.h"

#include <gtest/gtest.h>

#include "testing/golden.h"

namespace warpgrade::emulator {
namespace {

Sentence array(const char* name, int index) {
  return say("object.element", {{"array", name}, {"index", index}});
}

Sentence allocation(int bytes) {
  return say("allocation.made", {{"bytes", bytes}, {"origin", "cudaMalloc"}});
}

/// Findings as kernels and calls make them, with the sentences that fill their places.
std::vector<Sentence> findings() {
  const Sentence past = say("where.past", {{"bytes", 1}, {"allocation", allocation(1001)}});
  const Sentence freed =
      say("where.freed_by", {{"where", say("where.start", {{"allocation", allocation(40)}})},
                             {"call", "cudaFree after launch 1"}});
  const std::vector<Sentence> waits = {
      say("waits.threads", {{"threads", 64}, {"place", say("place.line", {{"line", 12}})}}),
      say("waits.threads", {{"threads", 1}, {"place", say("place.line", {{"line", 14}})}})};
  return {say("memory.outside", {{"act", say("act.reads")}, {"bytes", 1}, {"where", past}}),
          say("memory.outside",
              {{"act", say("act.writes")}, {"bytes", 4}, {"where", say("where.null")}}),
          say("memory.missing_sizeof", {{"act", say("act.reads")},
                                        {"bytes", 4},
                                        {"where", past},
                                        {"size", 257},
                                        {"held", 64},
                                        {"element_bytes", 4},
                                        {"elements", 257},
                                        {"needed", 1028}}),
          say("memory.bad_pointer", {{"call", "cudaFree"}, {"where", freed}}),
          say("memory.wrong_direction", {{"call", "cudaMemcpy"},
                                         {"act", say("act.writes_to")},
                                         {"kind", "cudaMemcpyHostToDevice"}}),
          say("init.unwritten", {{"object", array("tile", 5)}}),
          say("race.between", {{"act", say("act.reads")},
                               {"object", array("tile", 1)},
                               {"who", say("who.thread_of_warp", {{"thread", "(1,0,0)"}})},
                               {"other_act", say("act.writes")},
                               {"where", say("in.line", {{"line", 40}})},
                               {"advice", say("advice.warp_barrier")}}),
          say("race.between",
              {{"act", say("act.writes")},
               {"object", say("object.array", {{"array", "total"}})},
               {"who", say("who.other_block")},
               {"other_act", say("act.writes")},
               {"where", Sentence()},
               {"advice", say("advice.atomic_for_both", {{"function", "atomicAdd()"}})}}),
          say("sync.deadlock", {listed("waits", waits, "; ")}),
          say("sync.part_of_warp", {{"lanes", say("lanes.listed", {{"lanes", "16-31"}})}}),
          say("api.not_launched",
              {{"kernel", "add(float*)"},
               {"why", say("misfit.threads",
                           {{"block", "2048 x 1 x 1"}, {"threads", 2048}, {"most", 1024}})}}),
          say("api.not_destroyed",
              {{"objects", say("objects.events", {{"count", 2}})}, {"verb", say("verb.were")}}),
          say("limit.instructions", {{"instructions", 100000}})};
}

// The wording of all other sentences stands in en.txt alone. WARPGRADE_UPDATE_GOLDEN=1 writes the file anew.
TEST(DevicesSentences, SayWhatTheGoldenFileHolds) {
  std::string text;
  for (const Sentence& finding : findings()) text += finding.text + '\n';
  EXPECT_TRUE(matches_golden(text, "devices_sentences.txt"));
}

TEST(DevicesSentences, BelongToTheCheckerThatTheirIdBeginsWith) {
  EXPECT_EQ(checker_of(say("race.host", {{"act", ""},
                                         {"object", ""},
                                         {"first", ""},
                                         {"first_stream", ""},
                                         {"other_act", ""},
                                         {"where", ""}})),
            "race");
  EXPECT_EQ(checker_of(Sentence()), "");
}

}  // namespace
}  // namespace warpgrade::emulator
