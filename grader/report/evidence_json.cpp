// SPDX-License-Identifier: MIT
#include "report/evidence_json.h"

#include <nlohmann/json.hpp>

namespace warpgrade {
namespace {

using Json = nlohmann::ordered_json;

// Each struct has its keys in two places that stand together: to_json and from_json.

Json to_json(const AccessCounts& counts) {
  return {counts.requests, counts.transfers, counts.fewest};
}

void from_json(const Json& json, AccessCounts& counts) {
  json.at(0).get_to(counts.requests);
  json.at(1).get_to(counts.transfers);
  json.at(2).get_to(counts.fewest);
}

constexpr std::pair<const char*, AccessCounts LineCounts::*> kAccesses[] = {
    {"global_loads", &LineCounts::global_loads},
    {"global_stores", &LineCounts::global_stores},
    {"shared_loads", &LineCounts::shared_loads},
    {"shared_stores", &LineCounts::shared_stores}};

Json to_json(const RaceAccesses& race) {
  return {{"object", race.object},           {"first_act", race.first_act},
          {"second", race.second},           {"second_act", race.second_act},
          {"second_file", race.second_file}, {"second_line", race.second_line},
          {"missing", race.missing}};
}

void from_json(const Json& json, RaceAccesses& race) {
  json.at("object").get_to(race.object);
  json.at("first_act").get_to(race.first_act);
  json.at("second").get_to(race.second);
  json.at("second_act").get_to(race.second_act);
  json.at("second_file").get_to(race.second_file);
  json.at("second_line").get_to(race.second_line);
  json.at("missing").get_to(race.missing);
}

}  // namespace

Json to_json(const CaseFinding& each) {
  const Finding& finding = each.finding;
  Json json = {
      {"case", each.case_id},     {"checker", finding.checker}, {"message", finding.message},
      {"kernel", finding.kernel}, {"file", finding.file},       {"line", finding.line},
      {"block", finding.block},   {"thread", finding.thread},   {"count", finding.count}};
  if (finding.race) json["race"] = to_json(*finding.race);
  if (finding.id.empty()) return json;
  json["id"] = finding.id;
  json["arguments"] = finding.arguments;
  return json;
}

void from_json(const Json& json, CaseFinding& each) {
  Finding& finding = each.finding;
  json.at("case").get_to(each.case_id);
  json.at("checker").get_to(finding.checker);
  json.at("message").get_to(finding.message);
  json.at("kernel").get_to(finding.kernel);
  json.at("file").get_to(finding.file);
  json.at("line").get_to(finding.line);
  json.at("block").get_to(finding.block);
  json.at("thread").get_to(finding.thread);
  json.at("count").get_to(finding.count);
  if (json.contains("race")) from_json(json.at("race"), finding.race.emplace());
  finding.id = json.value("id", "");
  finding.arguments = json.value("arguments", finding.arguments);
}

Json to_json(const KernelRow& kernel) {
  Json json = {{"case", kernel.case_id},
               {"name", kernel.name},
               {"grid", kernel.grid},
               {"block", kernel.block},
               {"metrics", kernel.metrics}};
  if (kernel.time_ms)
    json["time_ms"] = {{"value", kernel.time_ms->value},
                       {"source", kernel.time_ms->source},
                       {"dram_bytes", kernel.time_ms->dram_bytes}};
  return json;
}

void from_json(const Json& json, KernelRow& kernel) {
  json.at("case").get_to(kernel.case_id);
  json.at("name").get_to(kernel.name);
  json.at("grid").get_to(kernel.grid);
  json.at("block").get_to(kernel.block);
  json.at("metrics").get_to(kernel.metrics);
  if (!json.contains("time_ms")) return;
  const Json& time = json.at("time_ms");
  kernel.time_ms = KernelTime{time.at("value").get<double>(), time.at("source").get<std::string>(),
                              time.value("dram_bytes", 0.0)};
}

Json to_json(const LineRow& row) {
  const LineCounts& counts = row.counts;
  Json json = {{"case", row.case_id},         {"kernel", row.kernel},
               {"file", counts.file},         {"line", counts.line},
               {"warps", counts.warps},       {"threads", counts.threads},
               {"branches", counts.branches}, {"divergent", counts.divergent}};
  for (const auto& [key, accesses] : kAccesses) {
    if ((counts.*accesses).requests != 0) json[key] = to_json(counts.*accesses);
  }
  if (counts.ms > 0) json["ms"] = counts.ms;
  return json;
}

void from_json(const Json& json, LineRow& row) {
  LineCounts& counts = row.counts;
  json.at("case").get_to(row.case_id);
  json.at("kernel").get_to(row.kernel);
  json.at("file").get_to(counts.file);
  json.at("line").get_to(counts.line);
  json.at("warps").get_to(counts.warps);
  json.at("threads").get_to(counts.threads);
  json.at("branches").get_to(counts.branches);
  json.at("divergent").get_to(counts.divergent);
  counts.ms = json.value("ms", 0.0);
  for (const auto& [key, accesses] : kAccesses) {
    if (json.contains(key)) from_json(json.at(key), counts.*accesses);
  }
}

Json to_json(const ProgramWork& work) {
  return {{"case", work.case_id},
          {"program", work.program},
          {"flops", work.flops},
          {"dram_bytes", work.dram_bytes},
          {"ms", work.ms}};
}

void from_json(const Json& json, ProgramWork& work) {
  json.at("case").get_to(work.case_id);
  json.at("program").get_to(work.program);
  json.at("flops").get_to(work.flops);
  json.at("dram_bytes").get_to(work.dram_bytes);
  json.at("ms").get_to(work.ms);
}

Json to_json(const DrawnPlot& plot) {
  Json lines = Json::array();
  for (const PlotLine& line : plot.lines) {
    Json points = Json::array();
    for (const PlotPoint& point : line.points) points.push_back({point.x, point.y});
    lines.push_back(
        {{"name", line.name}, {"baseline", line.is_baseline}, {"points", std::move(points)}});
  }
  return {{"shows", plot.shows}, {"against", plot.against}, {"lines", std::move(lines)}};
}

void from_json(const Json& json, DrawnPlot& plot) {
  json.at("shows").get_to(plot.shows);
  json.at("against").get_to(plot.against);
  for (const Json& each : json.at("lines")) {
    PlotLine line{each.at("name"), each.at("baseline"), {}};
    for (const Json& point : each.at("points"))
      line.points.push_back({point.at(0).get<double>(), point.at(1).get<double>()});
    plot.lines.push_back(std::move(line));
  }
}

Json to_json(const WrongOutput& output) {
  const WrongMap& map = output.map;
  return {{"case", output.case_id},
          {"item", output.item_id},
          {"array", map.array},
          {"rows", map.rows},
          {"columns", map.columns},
          {"cell_rows", map.cell_rows},
          {"cell_columns", map.cell_columns},
          {"folded", map.is_folded},
          {"cells", map.cells},
          {"places", map.places}};
}

void from_json(const Json& json, WrongOutput& output) {
  WrongMap& map = output.map;
  json.at("case").get_to(output.case_id);
  json.at("item").get_to(output.item_id);
  json.at("array").get_to(map.array);
  json.at("rows").get_to(map.rows);
  json.at("columns").get_to(map.columns);
  json.at("cell_rows").get_to(map.cell_rows);
  json.at("cell_columns").get_to(map.cell_columns);
  json.at("folded").get_to(map.is_folded);
  json.at("cells").get_to(map.cells);
  json.at("places").get_to(map.places);
}

}  // namespace warpgrade
