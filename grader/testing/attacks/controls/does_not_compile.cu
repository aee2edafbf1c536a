// SPDX-License-Identifier: MIT
// Earns nothing.
#error this file does not compile
