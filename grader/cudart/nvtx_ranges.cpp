// SPDX-License-Identifier: MIT
// The program's NVTX ranges, which the device keeps.
#include "cudart/client.h"
#include "cudart/nvtx.h"

namespace warpgrade::cudart {
namespace {

constexpr int kNoPushPop = -2;

int say(RangeEvent event, uint64_t id = 0, const std::string& name = "") {
  Client* const client = Client::connected();
  if (client == nullptr) return kNoPushPop;
  Writer body;
  body.put(event);
  body.put(id);
  body.put_text(name);
  return client->exchange(Message::range, body).take<int32_t>();
}

}  // namespace

void graders_domain_made() { say(RangeEvent::make_domain); }
int range_pushed(std::string name) { return say(RangeEvent::push, 0, name); }
int range_popped() { return say(RangeEvent::pop); }
int graders_range_pushed(std::string name) { return say(RangeEvent::push_graders, 0, name); }
int graders_range_popped() { return say(RangeEvent::pop_graders); }
void range_started(uint64_t id, std::string name) { say(RangeEvent::start, id, name); }
void range_ended(uint64_t id) { say(RangeEvent::end, id); }

}  // namespace warpgrade::cudart
