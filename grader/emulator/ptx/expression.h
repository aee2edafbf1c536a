// SPDX-License-Identifier: MIT
#pragma once

#include "emulator/ptx/lexer.h"

namespace warpgrade::emulator::ptx {

/// Whether a constant expression comes next; one that begins with a name or with '(' is not seen.
bool expression_ahead(Lexer& lexer);
/// Takes a constant expression (PTX ISA 4.5.3): C's operators over integers of 64 bits, or one
/// floating-point number. Throws SyntaxError.
Number constant_expression(Lexer& lexer);

}  // namespace warpgrade::emulator::ptx
