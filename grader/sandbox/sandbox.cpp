// SPDX-License-Identifier: MIT
#include "sandbox/sandbox.h"

namespace warpgrade {
namespace {

/// A sandbox of its own for each command.
class OneByOne final : public Room {
 public:
  explicit OneByOne(const Sandbox& sandbox) : sandbox_(sandbox) {}
  ProcessOutcome run(const Command& command) override { return sandbox_.run(command); }

 private:
  const Sandbox& sandbox_;
};

}  // namespace

std::unique_ptr<Room> Sandbox::open(const Command&) const {
  return std::make_unique<OneByOne>(*this);
}

}  // namespace warpgrade
