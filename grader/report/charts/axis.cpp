// SPDX-License-Identifier: MIT
#include "report/charts/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warpgrade {
namespace {

constexpr double kMostLinear = 20;
constexpr double kWantedSteps = 5;
constexpr double kBelowAxis = 16, kLeftOfAxis = 6, kHalfLetter = 4;

/// 1, 2 or 5 times a power of ten.
double round_step(double wide) {
  const double power = std::pow(10, std::floor(std::log10(wide)));
  return power * (wide <= power ? 1 : wide <= 2 * power ? 2 : wide <= 5 * power ? 5 : 10);
}

}  // namespace

AxisScale axis_scale_for(std::pair<double, double> span) {
  const bool is_wide = span.first > 0 && span.second / span.first > kMostLinear;
  return is_wide ? AxisScale::kLogarithmic : AxisScale::kLinear;
}

Axis::Axis(std::pair<double, double> span, AxisScale scale, double from, double to)
    : from_(from), to_(to), is_logarithmic_(scale == AxisScale::kLogarithmic) {
  const auto [least, most] = span;
  if (is_logarithmic_) {
    low_ = std::floor(std::log10(least));
    high_ = std::max(std::ceil(std::log10(most)), low_ + 1);
    return;
  }
  low_ = std::min(least, 0.0);
  step_ = round_step(std::max(most - low_, 1e-9) / kWantedSteps);
  high_ = low_ + step_ * std::max(std::ceil((most - low_) / step_), 1.0);
}

double Axis::at(double value) const {
  const double place = is_logarithmic_ ? std::log10(value) : value;
  return from_ + (place - low_) / (high_ - low_) * (to_ - from_);
}

std::vector<double> Axis::ticks() const {
  std::vector<double> values;
  for (double tick = low_; tick <= high_ + step_ / 2; tick += step_)
    values.push_back(is_logarithmic_ ? std::pow(10, tick) : tick);
  return values;
}

std::string axes_grid(const Axis& x, const Axis& y) {
  std::string out;
  for (const double tick : x.ticks())
    out += fmt::format(
        "<path class=\"grid\" d=\"M{0:.1f} {1}V{2}\"/><text x=\"{0:.1f}\" y=\"{3}\" "
        "text-anchor=\"middle\">{4:g}</text>",
        x.at(tick), y.to(), y.from(), y.from() + kBelowAxis, tick);
  for (const double tick : y.ticks())
    out += fmt::format(
        "<path class=\"grid\" d=\"M{0} {1:.1f}H{2}\"/><text x=\"{3}\" y=\"{4:.1f}\" "
        "text-anchor=\"end\">{5:g}</text>",
        x.from(), y.at(tick), x.to(), x.from() - kLeftOfAxis, y.at(tick) + kHalfLetter, tick);
  return out;
}

}  // namespace warpgrade
