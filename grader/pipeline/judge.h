// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/arrays.h"
#include "check/judgement.h"
#include "observe/trace.h"
#include "pipeline/instruments.h"
#include "run/runner.h"
#include "score/score.h"

namespace warpgrade {

/// A judgement as the verdict of one case on one item.
CaseVerdict verdict_of(const std::string& case_id, const Item& item, const Judgement& judgement);

/// How a process ended; empty where it ended as it should. Names the line where a finding does.
Sentence describe_end(const ProcessOutcome& process, const Limits& limits, const Trace& trace);

/// Whether the program wrote to the record of its run, played the grader, or called the CUDA runtime
/// without end: then nothing that it left counts, neither its outputs nor its times. Empty = no.
Sentence spoilt_by(const RunResult& run, const Result<Trace>& trace);

/// How the run ended; empty where it ended as it should.
Sentence bad_end_of(const RunResult& run, const Limits& limits, const Trace& trace);

/// The verdict on an item that a bad end kept from being judged.
CaseVerdict failed_by(const std::string& case_id, const std::string& item_id, const Sentence& end);

/// What one run says about each item that is judged by its case. `inputs` reads the case's arrays. A run that did not end as it should says no to all of them.
std::vector<CaseVerdict> judge_run(const Rubric& rubric, const RunStep& step, const RunResult& run,
                                   const Result<Trace>& trace, const Arrays& expected,
                                   const std::map<std::string, BaselineTimes>& baselines,
                                   const InstrumentReadings& readings = {},
                                   const InputReader& inputs = {});

/// The same verdict about each of them.
std::vector<CaseVerdict> judge_all(const Rubric& rubric, const std::string& case_id,
                                   Outcome outcome, const Sentence& why);

}  // namespace warpgrade
