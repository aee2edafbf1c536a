// SPDX-License-Identifier: MIT
#include "check/judgement.h"

#include "sentences/say.h"

namespace warpgrade {

Sentence uncomputable(const Error& error) {
  return say("rubric.formula", {{"why", error.message}});
}

}  // namespace warpgrade
