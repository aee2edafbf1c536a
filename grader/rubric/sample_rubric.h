// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "rubric/rubric.h"

namespace warpgrade {

/// A right rubric that uses every kind of item.
inline constexpr std::string_view kRubric = R"(assignment: matmul
title: Matrix product
submission: matmul.cu
limits: {wall_s: 5}
devices: [T4, H100]
cases:
  - id: small
    visibility: public
    args: {N: 17, M: 33, mode: verify}
    family: integers
  - id: large
    args: {N: 100, M: 200, mode: fast}
    family: fractions
    devices: [H100]
items:
  - id: builds
    title: Builds
    kind: build
    points: 0
  - id: product
    title: The product is right
    kind: correctness
    points: 40.5
    needs: [pitch]
    cases: [small]
    outputs:
      - {array: C, tolerance: {dot_product: N}, layout: matrix}
      - {array: x}
    hint: >
      Look at
      the edges
  - id: pitch
    title: Lives in pitched memory
    kind: requirement
    points: 50
    cases: all
    rules:
      - allocations: {range: padded, api: cudaMallocPitch, shapes: [{width: N*4, height: M}, {size: 8}]}
      - block: {range: padded, x: [8, 16], y: M/2}
      - no_findings: {}
  - id: coalesced
    title: Loads are coalesced
    kind: efficiency
    points: 9.5
    cases: [large]
    metric: {range: padded, name: sectors_per_global_load, at_most: 4.5}
)";

/// kRubric with one place changed.
inline std::string with(std::string_view from, std::string_view to) {
  std::string text(kRubric);
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// The whole message, empty where there is none.
inline std::string errors_of(std::string_view text) {
  const Result<Rubric> rubric = parse_rubric(text, "r.yaml");
  return rubric ? "" : rubric.error().message;
}

}  // namespace warpgrade
