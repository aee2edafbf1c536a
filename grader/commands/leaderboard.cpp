// SPDX-License-Identifier: MIT
#include "commands/leaderboard.h"

#include <fmt/format.h>

#include <memory>

#include "base/text.h"
#include "commands/stored_class.h"
#include "pipeline/class_files.h"
#include "report/leaderboard.h"

namespace warpgrade {
namespace {

struct LeaderboardRequest {
  fs::path folder;
  bool undo = false;
};

/// Items whose points fall where their number rises.
std::vector<std::string> times_of(const Rubric& rubric) {
  std::vector<std::string> times;
  for (const Item& item : rubric.items) {
    if (item.kind != ItemKind::kPerformance || !item.curve || item.curve->points.empty()) continue;
    const std::vector<CurvePoint>& points = item.curve->points;
    if (points.front().fraction > points.back().fraction) times.push_back(item.id);
  }
  return times;
}

/// Writes the class's page and the reports anew.
Status write_all(const ResultsFolder& folder, const std::vector<SubmissionResult>& results) {
  for (const SubmissionResult& result : results) {
    if (Status written = folder.write_report(result); !written) return written;
  }
  return folder.write_class_page(results);
}

Status remove_leaderboard(const fs::path& folder) {
  for (const fs::path name : {kLeaderboardFile, "leaderboard.html"}) {
    std::error_code failed;
    fs::remove(folder / name, failed);
    if (failed)
      return Error{fmt::format("cannot remove {}: {}", (folder / name).string(), failed.message())};
  }
  return {};
}

/// Why there can be no leaderboard; empty where there can.
std::string refusal(const LeaderboardRequest& request, const StoredClass& stored,
                    const std::vector<std::string>& times) {
  if (!RealFiles().exists(request.folder / "seed"))
    return fmt::format("{} is missing, which hides who is who: put back a copy of it",
                       (request.folder / "seed").string());
  if (rankings_of(stored.results, {0, times}).empty())
    return fmt::format("no student has earned points for speed in {}: there is nothing to rank",
                       stored.assignment);
  return {};
}

int leaderboard_command(const Options& options, const LeaderboardRequest& request) {
  const Result<StoredClass> stored = read_class(request.folder);
  if (!stored) return complain(stored.error(), kUsage);
  const Result<Rubric> rubric = load_rubric(options, stored->assignment);
  if (!rubric) return complain(rubric.error(), kUsage);
  const std::vector<std::string> times = times_of(*rubric);
  const std::string refused = request.undo ? "" : refusal(request, *stored, times);
  if (!refused.empty()) return complain({refused}, kUsage);
  Status written = request.undo ? remove_leaderboard(request.folder)
                                : RealFiles().write(request.folder / kLeaderboardFile,
                                                    format_less_is_better(times));
  if (written)
    written = write_all(ResultsFolder(request.folder, stored->assignment), stored->results);
  if (!written) return complain(written.error(), kNotAll);
  fmt::print("{}\n", request.undo
                         ? "The leaderboard is gone."
                         : fmt::format("{} is for the students; the text report of each names the "
                                       "pseudonym",
                                       printable((request.folder / "leaderboard.html").string())));
  return kAllGood;
}

}  // namespace

void add_leaderboard(CLI::App& app, Options& options) {
  const auto request = std::make_shared<LeaderboardRequest>();
  CLI::App* command = add_command(
      app, options, "leaderboard", "Rank the class's speeds under pseudonyms",
      "warpgrade leaderboard results/lab1\n\nWrites DIR/leaderboard.html for students and a "
      "section "
      "of DIR/index.html for the staff; grade keeps both up to date from then on. A pseudonym "
      "comes "
      "from DIR/seed and stays the same. Exit: 0, 1 where a file could not be written, 2 usage.",
      [request](const Options& all) { return leaderboard_command(all, *request); });
  command->add_option("DIR", request->folder, "The folder that grade wrote")->required();
  command->add_flag("--undo", request->undo, "Remove it again");
}

}  // namespace warpgrade
