// SPDX-License-Identifier: MIT
// Precompiled for emulator_exec: most of a compiler's time on these files goes to what they all include. Each file still
// names what it uses; `meson setup -Db_pch=false` builds without.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/exec/block.h"
#include "emulator/exec/launch.h"
#include "emulator/exec/worker.h"
#include "emulator/sentences/say.h"
