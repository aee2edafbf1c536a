// SPDX-License-Identifier: MIT
#pragma once

/// What the driver of an assignment is made of. Header-only C++17, because nvcc compiles it with
/// every driver; a driver that uses it holds no expected result and judges nothing.
#include "harness/arguments.h"
#include "harness/case_folder.h"
#include "harness/guarded.h"
#include "harness/launch.h"
#include "harness/locked_rows.h"
#include "harness/questions.h"
#include "harness/range.h"
#include "harness/registered.h"
#include "harness/repetition.h"
#include "harness/reserved.h"
#include "harness/runtimes_own.h"
