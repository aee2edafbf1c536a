// SPDX-License-Identifier: MIT
#include "rubric/sample_rubric.h"
#include "testing/fake_files.h"

namespace warpgrade {
namespace {

/// One changed place, and all that is said about it.
struct KnownMistake {
  const char* name;
  std::string_view from, to;
  std::string_view message;
};

class ReadRubricMistake : public testing::TestWithParam<KnownMistake> {};

TEST_P(ReadRubricMistake, IsExplainedInFull) {
  EXPECT_EQ(errors_of(with(GetParam().from, GetParam().to)), GetParam().message);
}

const KnownMistake kMistakes[] = {
    {"UnknownKey", "points: 50", "pionts: 50",
     R"(r.yaml:32:5: error: item 'pitch' has no 'points'; add 'points:' with a number from 0 to 100
  - id: pitch
    ^
r.yaml:35:5: error: unknown key 'pionts' in item 'pitch'; did you mean 'points'?
    pionts: 50
    ^
)"},
    {"UnknownKeyLikeNone", "points: 50", "points: 50\n    colour: red",
     R"(r.yaml:36:5: error: unknown key 'colour' in item 'pitch'; it takes id, title, points, needs, where_passed, hint, leaves_out, kind, cases, rules
    colour: red
    ^
)"},
    {"UnknownEvidence", "    hint: >\n      Look at\n      the edges\n",
     "    hint: [{fits: [patern.zeros], text: Copy it back}]\n",
     R"(r.yaml:29:20: error: unknown reason or finding 'patern.zeros'; did you mean 'pattern.zeros'?
    hint: [{fits: [patern.zeros], text: Copy it back}]
                   ^
)"},
    {"MissingKey", "    family: integers\n", "",
     R"(r.yaml:7:5: error: case 'small' has no 'family'; add 'family:' with a name of letters, digits and '_'
  - id: small
    ^
)"},
    {"MissingTopLevelKey", "submission: matmul.cu\n", "",
     R"(r.yaml:1:1: error: the rubric has no 'submission'; add 'submission:' with a name of at most 64 letters, digits, '.', '_' and '-'
assignment: matmul
^
)"},
    {"MissingValue", "title: Matrix product",
     "title:", R"(r.yaml:2:1: error: 'title' must be a text, not nothing
title:
^
)"},
    {"NotANumber", "points: 50", "points: .nan",
     R"(r.yaml:35:13: error: 'points' must be a number from 0 to 100, not '.nan'
    points: .nan
            ^
)"},
    {"Infinite", "points: 50", "points: .inf",
     R"(r.yaml:35:13: error: 'points' must be a number from 0 to 100, not '.inf'
    points: .inf
            ^
)"},
    {"QuotedNumber", "points: 50", "points: \"50\"",
     R"(r.yaml:35:13: error: 'points' must be a number from 0 to 100, not the text "50"
    points: "50"
            ^
)"},
    {"NegativePoints", "points: 50", "points: -50",
     R"(r.yaml:35:13: error: 'points' must be a number from 0 to 100, not '-50'
    points: -50
            ^
)"},
    {"OctalArgument", "N: 17", "N: 017",
     R"(r.yaml:9:15: error: 'N' must be a whole number or a word, not '017'
    args: {N: 017, M: 33, mode: verify}
              ^
)"},
    {"FractionalLimit", "wall_s: 5", "wall_s: 2.5",
     R"(r.yaml:4:18: error: 'wall_s' must be a whole number from 1 to 3600, not '2.5'
limits: {wall_s: 2.5}
                 ^
)"},
    {"ListForAText", "title: Builds", "title: [Builds]",
     R"(r.yaml:17:12: error: 'title' must be a text, not a list
    title: [Builds]
           ^
)"},
    {"TextForAList", "devices: [T4, H100]", "devices: T4",
     R"(r.yaml:5:10: error: 'devices' must be a list of devices, each one of T4, V100, A100, RTX 3090, RTX 4090, H100, H200, not 'T4'
devices: T4
         ^
)"},
    {"UnknownDevice", "devices: [T4, H100]", "devices: [T4, H1000]",
     R"(r.yaml:5:15: error: this element must be one of T4, V100, A100, RTX 3090, RTX 4090, H100, H200, not 'H1000'
devices: [T4, H1000]
              ^
)"},
    {"EmptyList", "devices: [T4, H100]", "devices: []",
     R"(r.yaml:5:10: error: 'devices' must be a list of devices, each one of T4, V100, A100, RTX 3090, RTX 4090, H100, H200, not an empty list
devices: []
         ^
)"},
    {"MapForACase", "  - id: small", "  - small\n  - id: small",
     R"(r.yaml:7:5: error: this element must be a map of 'key: value', not 'small'
  - small
    ^
)"},
    {"DuplicateKey", "title: Builds", "title: Builds\n    title: Builds too",
     R"(r.yaml:18:5: error: the key 'title' stands on line 17 already; remove one of them
    title: Builds too
    ^
)"},
    {"UnclosedQuote", "title: Builds", "title: \"Builds",
     R"(r.yaml:17:12: error: the text is not closed on its line; end it with "
    title: "Builds
           ^
)"},
    {"UnclosedLastQuote", "at_most: 4.5}", "at_most: \"4.5}",
     R"(r.yaml:46:69: error: the text is not closed on its line; end it with "
    metric: {range: padded, name: sectors_per_global_load, at_most: "4.5}
                                                                    ^
)"},
    {"UnclosedBracket", "[8, 16]", "[8, 16",
     R"(r.yaml:39:49: error: '}' closes what was not opened with '{'; add the missing ']' before it, or remove one too many
      - block: {range: padded, x: [8, 16, y: M/2}
                                                ^
)"},
    {"MissingColon", "cases:\n", "cases\n",
     R"(r.yaml:7:7: error: this line goes on with 'cases' of a line above; end that one with ':'
  - id: small
      ^
)"},
    {"MissingColonBeforeAValue", "    title: Builds", "    title Builds",
     R"(r.yaml:18:9: error: this line goes on with 'title Builds' of a line above; write 'title:' there
    kind: build
        ^
)"},
    {"TabIndent", "    title: Builds", "\ttitle: Builds",
     R"(r.yaml:17:1: error: a tab indents this line; use spaces
	title: Builds
^
)"},
    {"Tag", "points: 50", "points: !!float 50",
     R"(r.yaml:35:13: error: remove the tag 'tag:yaml.org,2002:float'
    points: !!float 50
            ^
)"},
    {"MergeKey", "title: Builds", "title: Builds\n    <<: {points: 3}",
     R"(r.yaml:18:5: error: merge keys are not allowed; write each key out
    <<: {points: 3}
    ^
)"},
    {"SecondDocument", "cases:\n", "---\ncases:\n",
     R"(r.yaml:6:1: error: a second document begins; the file is one document, so remove '---' or '...'
---
^
)"},
    {"KeyThatIsNoWord", "title: Builds", "title: Builds\n    ? [a]\n    : b",
     R"(r.yaml:18:7: error: a key must be a word
    ? [a]
      ^
)"},
    {"UnsafeName", "submission: matmul.cu", "submission: ../matmul.cu",
     R"(r.yaml:3:13: error: 'submission' must be a name of at most 64 letters, digits, '.', '_' and '-', not '../matmul.cu'
submission: ../matmul.cu
            ^
)"},
    {"UnknownCase", "cases: [small]", "cases: [smal]",
     R"(r.yaml:25:13: error: there is no case 'smal'; did you mean 'small'?
    cases: [smal]
            ^
)"},
    {"UnknownNeed", "needs: [pitch]", "needs: [pich]",
     R"(r.yaml:24:13: error: there is no item 'pich'; did you mean 'pitch'?
    needs: [pich]
            ^
)"},
    {"UnknownItemInWherePassed", "needs: [pitch]", "where_passed: [pich]",
     R"(r.yaml:24:20: error: there is no item 'pich'; did you mean 'pitch'?
    where_passed: [pich]
                   ^
)"},
    {"NeedsItself", "kind: requirement", "kind: requirement\n    needs: [product]",
     R"(r.yaml:24:12: error: item 'product' needs itself, by way of what it needs; remove one of these
    needs: [pitch]
           ^
r.yaml:35:12: error: item 'pitch' needs itself, by way of what it needs; remove one of these
    needs: [product]
           ^
)"},
    {"DuplicateCase", "id: large", "id: small",
     R"(r.yaml:11:9: error: the case of line 7 is called 'small' too; give this one an id of its own
  - id: small
        ^
r.yaml:45:13: error: there is no case 'large'; the cases are small, small
    cases: [large]
            ^
)"},
    {"DuplicateItem", "id: coalesced", "id: pitch",
     R"(r.yaml:41:9: error: the item of line 32 is called 'pitch' too; give this one an id of its own
  - id: pitch
        ^
)"},
    {"PointsThatDoNotAddUp", "points: 50", "points: 49",
     R"(r.yaml:16:3: error: the items' points add up to 99; make it 100
  - id: builds
  ^
)"},
    {"UnknownKind", "kind: build", "kind: bild",
     R"(r.yaml:18:11: error: 'kind' must be one of build, correctness, requirement, efficiency, performance, not 'bild'
    kind: bild
          ^
)"},
    {"KeyOfAnotherKind", "kind: build", "kind: build\n    cases: all",
     R"(r.yaml:19:5: error: unknown key 'cases' in item 'builds'; it takes id, title, points, needs, where_passed, hint, leaves_out, kind
    cases: all
    ^
)"},
    {"UnknownRule",
     "- block:", "- blok:", R"(r.yaml:39:9: error: unknown rule 'blok'; did you mean 'block'?
      - blok: {range: padded, x: [8, 16], y: M/2}
        ^
)"},
    {"TwoRulesInOne", "- no_findings: {}", "- no_findings: {}\n        device: {major: 8}",
     R"(r.yaml:40:9: error: this element must be a rule, written '<name>: {<its fields>}', not a map
      - no_findings: {}
        ^
)"},
    {"UnknownTolerance", "{dot_product: N}", "{dot: N}",
     R"(r.yaml:27:32: error: unknown tolerance 'dot'; the tolerances are dot_product, relative, absolute
      - {array: C, tolerance: {dot: N}, layout: matrix}
                               ^
)"},
    {"UnknownName", "width: N*4", "width: K*4",
     R"(r.yaml:38:77: error: unknown name 'K' at column 1 of 'K*4'; case 'small' has the numbers M, N
      - allocations: {range: padded, api: cudaMallocPitch, shapes: [{width: K*4, height: M}, {size: 8}]}
                                                                            ^
)"},
    {"WordInAFormula", "y: M/2", "y: mode",
     R"(r.yaml:39:47: error: unknown name 'mode' at column 1 of 'mode'; case 'small' has the numbers M, N
      - block: {range: padded, x: [8, 16], y: mode}
                                              ^
)"},
    {"FormulaThatIsNone", "y: M/2", "y: M/",
     R"(r.yaml:39:47: error: not a formula: a value is missing at column 3 of 'M/'
      - block: {range: padded, x: [8, 16], y: M/}
                                              ^
)"},
    {"DivisionByZero", "y: M/2", "y: M/(N-100)",
     R"(r.yaml:39:47: error: division by zero at column 2 of 'M/(N-100)'; case 'large' has the numbers M, N
      - block: {range: padded, x: [8, 16], y: M/(N-100)}
                                              ^
)"},
    {"NegativeSize", "width: N*4", "width: N-17",
     R"(r.yaml:38:77: error: 'N-17' is 0 in case 'small'; it must be at least 1
      - allocations: {range: padded, api: cudaMallocPitch, shapes: [{width: N-17, height: M}, {size: 8}]}
                                                                            ^
)"},
    {"MetricWithoutABound", ", at_most: 4.5", "",
     R"(r.yaml:46:13: error: the metric has no bound; add 'at_most:' or 'at_least:' to it, or a curve to the item
    metric: {range: padded, name: sectors_per_global_load}
            ^
)"},
    // Demands on GPUs.
    {"CapabilityWithoutQuotes", "devices: [T4, H100]",
     "devices: [T4, H100]\nrequires: {compute_capability: 9.0}",
     R"(r.yaml:6:32: error: '9.0' is a number; to make it a text, put it into quotes
requires: {compute_capability: 9.0}
                               ^
)"},
    {"CapabilityThatIsNone", "devices: [T4, H100]",
     "devices: [T4, H100]\nrequires: {compute_capability: '>=8'}",
     R"(r.yaml:6:32: error: 'compute_capability' must be bounds in quotes, such as '>=8.0' or '>=8.0 <10.0', not the text ">=8"
requires: {compute_capability: '>=8'}
                               ^
)"},
    {"RequiresNothing", "devices: [T4, H100]", "devices: [T4, H100]\nrequires: {}",
     R"(r.yaml:6:11: error: 'requires' has none of 'compute_capability', 'major', 'binary'; add one
requires: {}
          ^
)"},
    {"UnknownArchitecture", "devices: [T4, H100]",
     "devices: [T4, H100]\nrequires: {binary: [sm_90, compute_70]}",
     R"(r.yaml:6:28: error: this element must be one of sm_75, sm_80, sm_86, sm_87, sm_88, sm_89, sm_90, sm_100, sm_103, sm_110, sm_120, sm_121, compute_75, compute_80, compute_86, compute_87, compute_88, compute_89, compute_90, compute_100, compute_103, compute_110, compute_120, compute_121, not 'compute_70'
requires: {binary: [sm_90, compute_70]}
                           ^
)"},
    {"CapabilitiesThatExcludeEachOther", "devices: [T4, H100]",
     "devices: [T4, H100]\nrequires: {compute_capability: '>=8.0 <9.0', major: 9}",
     R"(r.yaml:6:11: error: no device is >=8.0 <9.0, major 9; widen 'compute_capability' or change 'major'
requires: {compute_capability: '>=8.0 <9.0', major: 9}
          ^
)"},
    {"EmulatedDevicesThatAreRefused", "devices: [T4, H100]",
     "devices: [T4, V100]\nrequires: {compute_capability: '>=8.0'}",
     R"(r.yaml:5:10: error: the emulated devices are T4 (7.5), V100 (7.0), and 'requires' wants >=8.0; name a device that meets it
devices: [T4, V100]
         ^
)"},
    {"CaseOnADeviceThatIsRefused", "devices: [T4, H100]", "devices: [T4]\nrequires: {major: 7}",
     R"(r.yaml:15:14: error: case 'large' runs on H100 (9.0), and 'requires' wants major 7; name a device that meets it
    devices: [H100]
             ^
)"},
    {"OnGpuWithoutAnArgument", "devices: [H100]", "on_gpu: {}",
     R"(r.yaml:14:13: error: 'on_gpu' must be a map of at least one of the arguments, not an empty map
    on_gpu: {}
            ^
)"},
    {"OnGpuOfAnUnknownArgument", "devices: [H100]", "on_gpu: {n: 4096}",
     R"(r.yaml:14:14: error: there is no argument 'n'; did you mean 'N'?
    on_gpu: {n: 4096}
             ^
)"},
    {"OnGpuOfAnotherKind", "devices: [H100]", "on_gpu: {N: big}",
     R"(r.yaml:14:17: error: 'N' is a whole number in 'args'; it must be one here too
    on_gpu: {N: big}
                ^
)"},
    {"OnGpuOfACaseThatIsNotTimed", "devices: [H100]", "on_gpu: {N: 4096}",
     R"(r.yaml:14:13: error: case 'large' is never timed, so 'on_gpu' has no use; judge a performance item by the case, or remove it
    on_gpu: {N: 4096}
            ^
)"},
    {"SanitizerWithoutTools", "- no_findings: {}", "- sanitizer: {}",
     R"(r.yaml:40:20: error: rule 'sanitizer' has no 'tools'; add 'tools:' with a list of at least one
      - sanitizer: {}
                   ^
)"},
    {"UnknownSanitizerTool", "- no_findings: {}", "- sanitizer: {tools: [memchek]}",
     R"(r.yaml:40:29: error: this element must be one of memcheck, racecheck, initcheck, synccheck, not 'memchek'
      - sanitizer: {tools: [memchek]}
                            ^
)"},
    {"CounterThatOnlyHardwareHas", "name: sectors_per_global_load", "name: dram_bytes",
     R"(r.yaml:46:35: error: only a GPU counts dram_bytes; add 'source: hardware', or take one of sectors_per_global_load, sectors_per_global_store, global_loads_per_warp, global_stores_per_warp, global_load_sectors, global_load_requests, global_store_sectors, shared_load_conflicts, shared_store_conflicts, global_atomics_per_block, shared_atomics_per_block, addresses_per_constant_load, multiplications_per_thread, floating_point_additions, different_launches, atomic_updates, writing_threads
    metric: {range: padded, name: dram_bytes, at_most: 4.5}
                                  ^
)"},
    {"CounterThatHardwareHasNot", "name: sectors_per_global_load",
     "name: global_loads_per_warp, source: hardware",
     R"(r.yaml:46:35: error: 'source: hardware' has no global_loads_per_warp; it has global_load_efficiency, global_store_efficiency, sectors_per_global_load, sectors_per_global_store, shared_bank_conflicts_per_access, achieved_occupancy, dram_bytes, dram_read_bytes, dram_write_bytes, l1_hit_rate, l2_hit_rate, branch_uniformity, active_threads_per_warp, local_memory_instructions, tensor_instructions
    metric: {range: padded, name: global_loads_per_warp, source: hardware, at_most: 4.5}
                                  ^
)"},
    {"ArrayOfACounterOfAllMemory", "at_most: 4.5}", "at_most: 4.5, array: c}",
     R"(r.yaml:46:81: error: sectors_per_global_load is not counted array by array; that are atomic_updates and writing_threads
    metric: {range: padded, name: sectors_per_global_load, at_most: 4.5, array: c}
                                                                                ^
)"},
    {"CounterThatNoDeviceHas", "name: sectors_per_global_load", "name: l1tex__foo.sum",
     R"(r.yaml:46:35: error: no device counts 'l1tex__foo.sum'; `warpgrade run --metrics csv PROGRAM` shows the names of its counters
    metric: {range: padded, name: l1tex__foo.sum, at_most: 4.5}
                                  ^
)"},
    {"CounterOfAMistypedName", "name: sectors_per_global_load", "name: ptx__inst_exceuted.sum",
     R"(r.yaml:46:35: error: no device counts 'ptx__inst_exceuted.sum'; did you mean 'ptx__inst_executed.sum'?
    metric: {range: padded, name: ptx__inst_exceuted.sum, at_most: 4.5}
                                  ^
)"},
    {"MistypedCall", "api: cudaMallocPitch", "api: cudaMallocPich",
     R"(r.yaml:38:43: error: CUDA has no call 'cudaMallocPich'; did you mean 'cudaMallocPitch'?
      - allocations: {range: padded, api: cudaMallocPich, shapes: [{width: N*4, height: M}, {size: 8}]}
                                          ^
)"},
    {"KeyOneSpaceShort", "    points: 50", "   points: 50",
     R"(r.yaml:35:4: error: this line is indented by 3 spaces; indent it by 4, like its neighbours
   points: 50
   ^
)"},
    {"KeyOneSpaceTooFar", "    points: 50", "     points: 50",
     R"(r.yaml:35:6: error: this line is indented by 5 spaces; indent it by 4, like its neighbours
     points: 50
     ^
)"},
    {"FirstKeyOneSpaceShort", "    visibility: public", "   visibility: public",
     R"(r.yaml:8:4: error: this line is indented by 3 spaces; indent it by 4, like its neighbours
   visibility: public
   ^
)"},
    {"ElementOneSpaceShort", "      - block:", "     - block:",
     R"(r.yaml:39:6: error: this line is indented by 5 spaces; indent it by 6, like its neighbours
     - block: {range: padded, x: [8, 16], y: M/2}
     ^
)"},
    {"UnknownSource", "name: sectors_per_global_load", "name: l1_hit_rate, source: hardwear",
     R"(r.yaml:46:35: error: only a GPU counts l1_hit_rate; add 'source: hardware', or take one of sectors_per_global_load, sectors_per_global_store, global_loads_per_warp, global_stores_per_warp, global_load_sectors, global_load_requests, global_store_sectors, shared_load_conflicts, shared_store_conflicts, global_atomics_per_block, shared_atomics_per_block, addresses_per_constant_load, multiplications_per_thread, floating_point_additions, different_launches, atomic_updates, writing_threads
    metric: {range: padded, name: l1_hit_rate, source: hardwear, at_most: 4.5}
                                  ^
r.yaml:46:56: error: 'source' must be one of emulated, hardware, not 'hardwear'
    metric: {range: padded, name: l1_hit_rate, source: hardwear, at_most: 4.5}
                                                       ^
)"},
    {"LeastBytesOfACounter", "at_most: 4.5}", "at_most: 4.5, least_bytes: N}",
     R"(r.yaml:46:74: error: unknown key 'least_bytes' in a metric; it takes range, name, at_least, at_most, array, source
    metric: {range: padded, name: sectors_per_global_load, at_most: 4.5, least_bytes: N}
                                                                         ^
)"},
};

INSTANTIATE_TEST_SUITE_P(, ReadRubricMistake, testing::ValuesIn(kMistakes),
                         [](const auto& instance) { return instance.param.name; });

constexpr std::string_view kTimed = R"(assignment: a
title: A
submission: a.cu
cases: [{id: s, family: i, args: {N: 17, M: 1, way: fast}, on_gpu: {N: 4096}}]
items:
  - {id: right, title: R, kind: correctness, points: 50, cases: all, outputs: [{array: x}]}
  - id: speed
    title: S
    kind: performance
    points: 50
    needs: [right]
    cases: all
    metric: {range: r, name: speedup, over: copy, least_bytes: 8*N, least_flop: N/M}
    curve: {interpolation: linear, points: [[0, 0], [1, 1]]}
    without_gpu: model
)";

std::string timed_with(std::string_view from, std::string_view to) {
  std::string text(kTimed);
  return text.replace(text.find(from), from.size(), to);
}

TEST(ReadRubric, TakesOtherSizesForTheTimedRunsOnAGpu) {
  const Result<Rubric> rubric = parse_rubric(kTimed, "r.yaml");
  ASSERT_TRUE(rubric.ok()) << rubric.error().message;
  const Case& small = rubric->cases[0];
  EXPECT_EQ(small.words(), (std::vector<std::string>{"17", "1", "fast"}));
  EXPECT_EQ(small.timed_on_gpu().words(), (std::vector<std::string>{"4096", "1", "fast"}));
  const Metric& metric = *rubric->items[1].metric;
  EXPECT_EQ(metric.least_bytes->text(), "8*N");
  EXPECT_EQ(metric.least_flop->text(), "N/M");
}

TEST(ReadRubric, PaysForNoSpeedWhereNoOutputIsComparedOnAGpu) {
  EXPECT_NE(errors_of(timed_with("{array: x}", "{array: x, judged_on: emulated}"))
                .find("item 'speed' would pay for the speed of a wrong answer"),
            std::string::npos);
  EXPECT_EQ(errors_of(timed_with("{array: x}", "{array: x}, {array: y, judged_on: emulated}")), "");
}

TEST(ReadRubric, SaysOfAnUnknownNeedThatItIsUnknownAndNoMore) {
  const std::string errors = errors_of(timed_with("needs: [right]", "needs: [rihgt]"));
  EXPECT_NE(errors.find("did you mean 'right'"), std::string::npos) << errors;
  EXPECT_EQ(errors.find("would pay for"), std::string::npos) << errors;
}

TEST(ReadRubric, CountsCallsWhoseNamesBeginAlikeWhereThereAreAny) {
  const auto counting = [](const char* api) {
    return errors_of(with("rules:\n", fmt::format("rules:\n      - calls: {{range: padded, api: "
                                                  "{}, at_most: 1}}\n",
                                                  api)));
  };
  EXPECT_EQ(counting("cudaMemcpy*"), "");
  EXPECT_NE(counting("cudaMemcopy*").find("CUDA has no call 'cudaMemcopy*'"), std::string::npos);
}

TEST(ReadRubric, TimesNoAnswerThatTheOracleHasToMakeFirst) {
  EXPECT_NE(errors_of(timed_with("{array: x}", "{array: x}, {array: y, made_from: [x]}"))
                .find("item 'speed' is timed and needs this one"),
            std::string::npos);
  EXPECT_NE(errors_of(timed_with("cases: all, outputs: [{array: x}]}",
                                 "cases: all, needs: [facts], outputs: [{array: x}]}\n"
                                 "  - {id: facts, title: F, kind: correctness, points: 0, cases: "
                                 "all, outputs: [{array: y, made_from: [x]}]}"))
                .find("item 'speed' is timed and needs this one"),
            std::string::npos)
      << "by way of 'right'";
}

TEST(ReadRubric, AsksNoKernelForAnOutputThatTheOracleMakes) {
  const std::string errors =
      errors_of(timed_with("{array: x}", "{array: y, made_from: [x], computed_in: work}"));
  EXPECT_NE(errors.find("no kernel writes an output that is made from others"), std::string::npos)
      << errors;
}

TEST(ReadRubric, ComputesFormulasOfTimesWithTheGpuSizesToo) {
  EXPECT_EQ(errors_of(timed_with("least_bytes: 8*N", "least_bytes: 100-N")),
            R"(r.yaml:13:64: error: '100-N' is -3996 in case 's' on a GPU; it must be at least 1
    metric: {range: r, name: speedup, over: copy, least_bytes: 100-N, least_flop: N/M}
                                                               ^
)");
  EXPECT_EQ(
      errors_of(timed_with("on_gpu: {N: 4096}", "on_gpu: {N: 4096, M: 0}")),
      R"(r.yaml:13:81: error: division by zero at column 2 of 'N/M'; case 's' on a GPU has the numbers M, N
    metric: {range: r, name: speedup, over: copy, least_bytes: 8*N, least_flop: N/M}
                                                                                ^
)");
}

TEST(ReadRubric, HoldsTheAssignmentToTheNameOfTheFile) {
  FakeFiles files;
  files.contents = {{"rubrics/matmul.yaml", std::string(kRubric)},
                    {"rubrics/transpose.yaml", std::string(kRubric)}};
  EXPECT_TRUE(read_rubric(files, "rubrics/matmul.yaml").ok());
  EXPECT_EQ(read_rubric(files, "rubrics/transpose.yaml").error().message,
            "rubrics/transpose.yaml:1:13: error: the file is transpose.yaml, so the assignment is "
            "'transpose'\n"
            "assignment: matmul\n"
            "            ^\n");
}

}  // namespace
}  // namespace warpgrade
