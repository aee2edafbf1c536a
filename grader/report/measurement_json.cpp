// SPDX-License-Identifier: MIT
#include "report/measurement_json.h"

namespace warpgrade {
namespace {

using Json = nlohmann::ordered_json;

// Each struct has its keys in two places that stand together: to_json and from_json.

Json to_json(const MeasuredOn& gpu) {
  return {{"name", gpu.name},
          {"uuid", gpu.uuid},
          {"driver", gpu.driver},
          {"peak_gb_per_s", gpu.peak_gb_per_s},
          {"peak_gflop_per_s", gpu.peak_gflop_per_s}};
}

void from_json(const Json& json, MeasuredOn& gpu) {
  json.at("name").get_to(gpu.name);
  json.at("uuid").get_to(gpu.uuid);
  json.at("driver").get_to(gpu.driver);
  json.at("peak_gb_per_s").get_to(gpu.peak_gb_per_s);
  json.at("peak_gflop_per_s").get_to(gpu.peak_gflop_per_s);
}

Json to_json(const ClockSummary& clocks) {
  return {{"readings", clocks.readings},
          {"least_sm_mhz", clocks.least_sm_mhz},
          {"median_sm_mhz", clocks.median_sm_mhz},
          {"most_sm_mhz", clocks.most_sm_mhz},
          {"median_memory_mhz", clocks.median_memory_mhz},
          {"most_temperature_c", clocks.most_temperature_c},
          {"most_power_w", clocks.most_power_w},
          {"throttled_part", clocks.throttled_part},
          {"power_capped_part", clocks.power_capped_part}};
}

void from_json(const Json& json, ClockSummary& clocks) {
  json.at("readings").get_to(clocks.readings);
  json.at("least_sm_mhz").get_to(clocks.least_sm_mhz);
  json.at("median_sm_mhz").get_to(clocks.median_sm_mhz);
  json.at("most_sm_mhz").get_to(clocks.most_sm_mhz);
  json.at("median_memory_mhz").get_to(clocks.median_memory_mhz);
  json.at("most_temperature_c").get_to(clocks.most_temperature_c);
  json.at("most_power_w").get_to(clocks.most_power_w);
  json.at("throttled_part").get_to(clocks.throttled_part);
  json.at("power_capped_part").get_to(clocks.power_capped_part);
}

Json to_json(const TimeSample& sample) {
  Json json = {{"round", sample.round},         {"repetition", sample.repetition},
               {"kernel_ms", sample.kernel_ms}, {"copy_ms", sample.copy_ms},
               {"busy_ms", sample.busy_ms},     {"event_ms", sample.event_ms},
               {"wall_ms", sample.wall_ms},     {"outside_kernel_ms", sample.outside_kernel_ms},
               {"start_ns", sample.start_ns},   {"end_ns", sample.end_ns},
               {"accepted", sample.accepted}};
  if (!sample.accepted) json["why_not"] = sample.why_not;
  return json;
}

void from_json(const Json& json, TimeSample& sample) {
  json.at("round").get_to(sample.round);
  json.at("repetition").get_to(sample.repetition);
  json.at("kernel_ms").get_to(sample.kernel_ms);
  json.at("copy_ms").get_to(sample.copy_ms);
  json.at("busy_ms").get_to(sample.busy_ms);
  json.at("event_ms").get_to(sample.event_ms);
  json.at("wall_ms").get_to(sample.wall_ms);
  json.at("outside_kernel_ms").get_to(sample.outside_kernel_ms);
  json.at("start_ns").get_to(sample.start_ns);
  json.at("end_ns").get_to(sample.end_ns);
  json.at("accepted").get_to(sample.accepted);
  if (!sample.accepted) json.at("why_not").get_to(sample.why_not);
}

}  // namespace

Json to_json(const Measurement& measurement) {
  Json samples = Json::array();
  for (const TimeSample& sample : measurement.samples) samples.push_back(to_json(sample));
  Json json = {{"case", measurement.case_id},
               {"range", measurement.range},
               {"program", measurement.program},
               {"gpu", to_json(measurement.gpu)},
               {"clocks", to_json(measurement.clocks)},
               {"empty_event_ms", measurement.empty_event_ms},
               {"again", measurement.again},
               {"samples", std::move(samples)}};
  if (!measurement.other_work) return json;
  json["judged_work"] = measurement.other_work->judged;
  json["timed_work"] = measurement.other_work->timed;
  return json;
}

void from_json(const Json& json, Measurement& measurement) {
  json.at("case").get_to(measurement.case_id);
  json.at("range").get_to(measurement.range);
  json.at("program").get_to(measurement.program);
  from_json(json.at("gpu"), measurement.gpu);
  from_json(json.at("clocks"), measurement.clocks);
  json.at("empty_event_ms").get_to(measurement.empty_event_ms);
  json.at("again").get_to(measurement.again);
  for (const Json& sample : json.at("samples"))
    from_json(sample, measurement.samples.emplace_back());
  if (!json.contains("judged_work")) return;
  json.at("judged_work").get_to(measurement.other_work.emplace().judged);
  json.at("timed_work").get_to(measurement.other_work->timed);
}

Json to_json(const Speed& speed) {
  const auto number = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json();
  };
  return {{"item", speed.item_id},
          {"case", speed.case_id},
          {"modelled", number(speed.modelled)},
          {"measured", number(speed.measured)}};
}

void from_json(const Json& json, Speed& speed) {
  json.at("item").get_to(speed.item_id);
  json.at("case").get_to(speed.case_id);
  if (!json.at("modelled").is_null()) speed.modelled = json.at("modelled").get<double>();
  if (!json.at("measured").is_null()) speed.measured = json.at("measured").get<double>();
}

Json to_json(const GpuHold& hold) {
  return {{"gpu", hold.gpu},
          {"alone", hold.alone},
          {"start_ms", hold.start_ms},
          {"end_ms", hold.end_ms}};
}

void from_json(const Json& json, GpuHold& hold) {
  json.at("gpu").get_to(hold.gpu);
  json.at("alone").get_to(hold.alone);
  json.at("start_ms").get_to(hold.start_ms);
  json.at("end_ms").get_to(hold.end_ms);
}

Json to_json(const Disagreement& disagreement) {
  return {{"kind", disagreement.kind},    {"item", disagreement.item_id},
          {"case", disagreement.case_id}, {"emulated", disagreement.emulated},
          {"gpu", disagreement.gpu},      {"checker", disagreement.checker}};
}

void from_json(const Json& json, Disagreement& disagreement) {
  disagreement.kind = json.value("kind", "");  // results of earlier graders have none
  json.at("item").get_to(disagreement.item_id);
  json.at("case").get_to(disagreement.case_id);
  json.at("emulated").get_to(disagreement.emulated);
  json.at("gpu").get_to(disagreement.gpu);
  json.at("checker").get_to(disagreement.checker);
}

Json to_json(const Unobserved& unobserved) {
  return {{"case", unobserved.case_id}, {"why", unobserved.why}};
}

void from_json(const Json& json, Unobserved& unobserved) {
  json.at("case").get_to(unobserved.case_id);
  json.at("why").get_to(unobserved.why);
}

}  // namespace warpgrade
