// SPDX-License-Identifier: MIT
#include "commands/program.h"

int main(int argc, char** argv) { return warpgrade::run_program(argc, argv); }
