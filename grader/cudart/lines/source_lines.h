// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "cudart/lines/dwarf.h"

namespace warpgrade::cudart {

/// Where the program's own source, none of the toolkit's headers or the compiler's files, has the code at an address
/// of this process. It allocates nothing once has_lines() was called, so that signal handlers may call it.
SourcePlace own_place(uint64_t address);
/// Whether the program's file can be read at all.
bool has_lines();

/// The innermost place of the program's own among the calls that are under way on this thread. A launch by <<<>>> is
/// where that stands, although a function that nvcc makes for the kernel calls the runtime.
SourcePlace calling_place();

/// `code` where that is the program's own, otherwise where the program has called what runs there. For signal handlers,
/// once calling_place() was called.
uint64_t own_code(uint64_t code);

/// Notes where <<<>>> stands, for the launch that comes of it; null: no launch comes of it any more.
void note_launch(const void* return_address);

/// The file's name without its folders.
std::string_view file_name(const SourcePlace& place);

}  // namespace warpgrade::cudart
