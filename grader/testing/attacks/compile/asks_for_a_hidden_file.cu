// SPDX-License-Identifier: MIT
// attacks: the preprocessor asks whether a file of the host is there, one bit for each question
// control: honest
// earns: exactly its control
// must stay: secret
// undefended: running reaches it
#include "kit/attack.h"

static void attack() {
#if __has_include("@SECRET_FILE@") || __has_include("@COURSE@/reference/vecadd/vecadd.cu") || \
                                                    __has_include("/etc/shadow")
  reach(true, "the compiler saw a hidden file");
#endif
}

#include "kit/attack_first.cu"
