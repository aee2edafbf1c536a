// SPDX-License-Identifier: MIT
// attacks: sequences that command a terminal, in its output and in the message of its end
// control: 0
// earns: at most its control
// must stay: reports
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "kit/attack.h"

static void attack() {
  const std::string commands =
      "\x1b]0;title\x07\x1b[2J\x1b[31m \xc2\x9b31m \xc2\x9d0;title\xc2\x9c \xe2\x80\xae sdrawkcab "
      "\xe2\x81\xa6 \r\b\x7f\x0e";
  std::fputs(commands.c_str(), stderr);
  std::puts(commands.c_str());
  std::fflush(nullptr);
  throw std::runtime_error(commands);
}

#include "kit/attack_first.cu"
