// SPDX-License-Identifier: MIT
// Precompiled for the ops of each instruction set, as exec.h is for emulator_exec.

#include <algorithm>
#include <array>
#include <cmath>

#include "emulator/exec/ops/half.h"
#include "emulator/exec/ops/lane_traffic.h"
#include "emulator/exec/ops/lanes.h"
#include "emulator/exec/scheduling.h"
#include "emulator/exec/worker.h"
