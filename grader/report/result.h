// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "check/wrong_map.h"
#include "intake/identity.h"
#include "observe/trace.h"
#include "report/charts/plot.h"
#include "report/decision.h"
#include "report/measurement.h"
#include "report/program_work.h"
#include "score/late.h"
#include "score/score.h"

namespace warpgrade {

/// One launch of the student's program.
struct KernelRow {
  std::string case_id;
  std::string name;
  Extent3 grid{}, block{};
  std::map<std::string, double> metrics;  ///< By ncu's names.
  std::optional<KernelTime> time_ms;
};

/// What the launches of a kernel in one case did on one line of the student's source.
struct LineRow {
  std::string case_id;
  std::string kernel;
  LineCounts counts;
};

/// Where an output is wrong that an item asks for.
struct WrongOutput {
  std::string case_id;
  std::string item_id;
  WrongMap map;
};

/// A checker's finding and the case that showed it.
struct CaseFinding {
  std::string case_id;
  Finding finding;
};

/// What confined a submission's programs.
struct Confinement {
  std::string isolation = {};  ///< "bubblewrap", or "rlimits" where nothing hid the machine.
  std::string limits = {};     ///< What held them together: "cgroup2", "cgroup1" or "polling".
  bool is_unsafe = false;  ///< Graded without a sandbox, since --unsafe-no-sandbox allowed that.
};

/// All that is known about one graded submission: what results/<student>.json holds.
struct SubmissionResult {
  static constexpr int kSchema = 1;

  std::string assignment;
  std::string student;
  Identity identity;            ///< Who that is in the LMS.
  std::string language = "en";  ///< The reasons are in it, and so is what is made of the result.
  double score = 0;             ///< What the items earned, less what lateness took.
  double max_score = 0;
  std::optional<Lateness> late;  ///< Where a date is due and the time of submission is known.
  bool provisional = false;      ///< Some item waits for a GPU, or was judged by the time model.
  std::string device_kind;       ///< "emulated" or "gpu".
  std::vector<std::string> devices;
  std::map<std::string, std::string>
      inputs;  ///< SHA-256 of submission, rubric, grader, toolchain and seed, by these names.
  Confinement sandbox;
  std::string diagnostics;  ///< What the compiler said, cut to a readable length.
  std::vector<ItemResult> items;
  std::vector<AppliedDecision> decisions;  ///< What persons decided; `items` and `score` hold it.
  std::vector<std::string> hidden_cases;   ///< Their ids: not for students.
  std::vector<CaseFinding> findings;
  std::vector<KernelRow> kernels;
  std::vector<LineRow> lines;              ///< By kernel and line; of public cases alone.
  std::vector<WrongOutput> wrong_outputs;  ///< Public cases alone.
  std::string modelled_device;             ///< Whose time was modelled; empty in earlier results.
  std::vector<ProgramWork> baseline_work;  ///< In public cases, by the same model.
  std::vector<DrawnPlot> plots;            ///< By the same model, of public cases.
  std::vector<Measurement> measurements;   ///< All samples that speed was judged by.
  std::vector<Speed> speeds;  ///< The performance items' speeds, modelled and measured.
  std::vector<Disagreement> disagreements;  ///< For the staff; they move no points.
  Compared compared;                        ///< The verdicts that they are of.
  std::vector<Unobserved> unobserved;       ///< For the staff: where a GPU said nothing.
  std::vector<GpuHold> gpu_holds;           ///< In the order of time.

  void set_score(Score graded);
  /// Takes back what earlier times of submission took, and applies these.
  void set_late(std::optional<Lateness> judged);
  double undiminished_score() const { return late ? late->undiminished_score : score; }
  /// It ran on a GPU where nothing at all of it was recorded: the emulated device's grade stands alone.
  bool is_unseen_by_gpu() const { return device_kind != "gpu" && !unobserved.empty(); }
  /// A person has to look at it: a flag, an item without a verdict, a GPU that disagrees or saw nothing.
  bool is_flagged() const;
  /// Some item could not be judged: the score is no grade.
  bool has_system_error() const;
};

/// Indented JSON whose keys always come in the same order, with a newline at the end.
std::string format_json(const SubmissionResult& result);

/// format_json's text with a last key, `hash`: SHA-256 of all the others in canonical JSON. It shows
/// an edit or damage; it stops no forger.
std::string seal_result(const std::string& json);

/// Reads seal_result's text back. An Error where the hash is missing or does not fit.
Result<SubmissionResult> open_sealed_result(std::string_view text);

/// Reads format_json's text back. An Error for anything else, a later schema included.
Result<SubmissionResult> parse_result(std::string_view json);

}  // namespace warpgrade
