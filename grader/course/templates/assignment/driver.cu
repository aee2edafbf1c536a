// SPDX-License-Identifier: MIT
// The trusted program around a student's @slug@.cu. By hand it prints a few results. Under
// WARPGRADE_CASE it reads that folder's in/ and writes what the student's function did to out/. It
// holds no expected result and judges nothing: that is for oracle.cpp and the rubric.
#include <cstdio>
#include <optional>
#include <vector>

#include "harness/harness.h"
// The contract that @slug@.cu implements.
#include "@slug@.h"

namespace {

using warpgrade::harness::Arguments;
using warpgrade::harness::CaseFolder;
using warpgrade::harness::Guarded;
using warpgrade::harness::Range;

// Whatever the rubric says about calls, kernels and counters, it says of a range by its name.
void run(Guarded<float>& y, float a, Guarded<float>& x) {
  const Range range("saxpy");
  saxpy(y.data(), a, x.data(), static_cast<int>(x.size()));
}

void run_case(const CaseFolder& folder) {
  // Guarded memory has poison around it, and inside it until something is assigned.
  Guarded<float> x(folder.input<float>("x").values), y(folder.input<float>("y").values);
  run(y, folder.input<float>("a").values.at(0), x);
  // Each output is written as soon as it is there: it counts even if the program crashes later.
  folder.output("y", y.values());
  folder.output<int>("guards", {x.untouched(), y.untouched()});
}

void run_by_hand(int n) {
  Guarded<float> x(std::vector<float>(static_cast<size_t>(n), 2.0f));
  Guarded<float> y(std::vector<float>(static_cast<size_t>(n), 1.0f));
  run(y, 3.0f, x);
  if (n > 0) std::printf("y[0] = %g, y[%d] = %g\n", y.data()[0], n - 1, y.data()[n - 1]);
}

int program(int argc, char** argv) {
  // A case's args come as words on the command line, in the rubric's order.
  Arguments args(argc, argv, "N\n  N  elements of each vector");
  const int n = args.number("N", 0);
  args.done();
  if (const std::optional<CaseFolder> folder = CaseFolder::from_environment()) {
    run_case(*folder);
  } else {
    run_by_hand(n);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return warpgrade::harness::repeat(program, argc, argv); }
