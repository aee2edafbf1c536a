// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "emulator/exec/launch.h"
#include "emulator/runtime/record/trace.h"

namespace warpgrade::emulator {

/// "_Z6matmulPf" -> "matmul(float*)"; other names as they are.
std::string demangled(const std::string& name);

/// Demangled names that fill more than a line, as those of CUB's kernels do, without their outermost
/// template arguments and parameters: "void cub::Sweep<...>(...)". Others as they are.
std::string brief_kernel(const std::string& demangled_name);

/// "memory: <message> [kernel f(float*), file.cu:12, block (0,0,0), thread (5,0,0), 17 times]"; the
/// bracket names only what is known.
std::string in_words(const Finding& finding);

/// One that names no kernel.
Finding finding_of(Sentence message);

/// The same without thread and count: "memory: <message> [kernel f(float*), file.cu:12]".
std::string without_thread(const Finding& finding);

/// Sentence, arguments that are no numbers, and place: equal for findings of several launches that say the
/// same of the same place.
std::string kind_of(const Finding& finding);

/// Those of a launch that are told: of each checker the first, at most 100. Many of one hide nothing of another.
std::vector<Finding> told_of(const std::vector<Finding>& findings);

/// Fields of its trace record.
Json to_json(const Finding& finding);

Json to_json(const Dim3& shape);
/// "(x,y,z)".
std::string text_of(const Dim3& value);

/// Counts as integers, so that they read like counts.
Json to_json(const std::map<std::string, double>& metrics);
/// What bounds a launch and the two next ones.
Json to_json(const std::vector<PipeTime>& pipes);

}  // namespace warpgrade::emulator
