// SPDX-License-Identifier: MIT
#include "emulator/device/served_thread.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "emulator/device/dispatch.h"
#include "emulator/runtime/api.h"
#include "emulator/runtime/program/fatbin.h"
#include "emulator/runtime/program/registration.h"
#include "emulator/runtime/record/graders_range.h"
#include "emulator/runtime/record/ranges.h"
#include "emulator/runtime/stream/waiting_kernels.h"
#include "emulator/runtime/unsupported.h"

namespace warpgrade::emulator {
namespace {

using cudart::Message;
using cudart::Reader;
using cudart::Writer;

constexpr int kNonsenseExit = 98;
/// How long a program makes no call before kernels that wait look again.
constexpr int kIdleMs = 2;
/// Functions that a stream calls back may make calls, which may call back. Each has a place on this thread's stack.
constexpr int kMostNested = 64;
constexpr size_t kMostContainers = 4096;
constexpr size_t kMostContainerBytes = size_t{256} << 20;

thread_local Host* threads_host = nullptr;

[[noreturn]] void refuse_nonsense() {
  fmt::print(stderr, "warpgrade: the program sent the emulated device what no libcudart sends\n");
  end_program(kNonsenseExit);
}

[[noreturn]] void refuse_nesting() {
  fmt::print(stderr, "warpgrade: more than {} calls of the program are inside each other\n",
             kMostNested);
  end_program(kNonsenseExit);
}

const void* pointer(uint64_t address) { return reinterpret_cast<const void*>(address); }

}  // namespace

Host& host() { return *threads_host; }
bool has_host() { return threads_host != nullptr; }
void serve(Host* host) { threads_host = host; }

void ServedThread::run() {
  emulator::serve(this);
  while (true) {
    // A program that makes no call may wait for a kernel that waits for the program.
    while (kernels_wait() && !cudart::wait_for_turn(channel_, cudart::Turn::devices, kIdleMs))
      let_waiting_kernels_go_on();
    const Received received = receive();
    if (received.message == Message::thread_ends) break;
    serve(received);
  }
  ::munmap(&channel_, sizeof channel_);
}

ServedThread::Received ServedThread::receive() {
  cudart::wait_for_turn(channel_, cudart::Turn::devices, -1);
  // The program can write while this reads: each field is read once, and the body is copied.
  const auto message = static_cast<Message>(__atomic_load_n(&channel_.message, __ATOMIC_RELAXED));
  const uint64_t bytes = __atomic_load_n(&channel_.bytes, __ATOMIC_RELAXED);
  if (bytes > cudart::kMessageBytes) refuse_nonsense();
  return {message, {channel_.body, channel_.body + bytes}};
}

void ServedThread::send(Message message, std::span<const std::byte> body) {
  if (body.size() > cudart::kMessageBytes) refuse_nonsense();
  channel_.message = static_cast<uint32_t>(message);
  channel_.bytes = body.size();
  std::copy(body.begin(), body.end(), channel_.body);
  cudart::give_turn(channel_, cudart::Turn::programs);
}

std::vector<std::byte> ServedThread::ask(Message what, const Writer& body) {
  sent_ = {};
  send(what, body.bytes());
  while (true) {
    Received received = receive();
    if (received.message == Message::answer) return std::move(received.body);
    if (++nested_ > kMostNested) refuse_nesting();
    serve(received);
    --nested_;
  }
}

void ServedThread::serve(const Received& received) {
  Writer result;
  if (!answer(received, result)) refuse_nonsense();
  send_result(result);
}

bool ServedThread::answer(const Received& received, Writer& result) {
  Reader message(received.body);
  switch (received.message) {
    case Message::call:
      return make_call(message, result);
    case Message::unsupported:
      touch_ = message.take<Touch>();
      result.put(refuse_call(message.take_text()));
      return message.ok();
    case Message::registration:
      return take_registration(message, result);
    case Message::layout: {
      const auto sizes = parameter_sizes(pointer(message.take<uint64_t>()));
      result.put(uint8_t{sizes.has_value()});
      result.put(static_cast<uint32_t>(sizes ? sizes->size() : 0));
      for (const uint32_t size : sizes.value_or(std::vector<uint32_t>())) result.put(size);
      return message.ok();
    }
    case Message::range:
      return take_range(message, result);
    case Message::error_seen:
      note_error_seen();
      return true;
    case Message::goodbye: {
      touch_ = message.take<Touch>();
      finish_waiting_kernels();
      Machine& all = machine();
      const std::lock_guard lock(all.mutex);
      for (const Finding& finding : all.stream_races.lift_guard(range_of_call(all.settings.graded)))
        all.report(finding);
      result.put(int32_t{all.close()});
      return message.ok();
    }
    default:
      return false;
  }
}

bool ServedThread::make_call(Reader& message, Writer& result) {
  touch_ = message.take<Touch>();
  sent_ = message.take<cudart::Sent>();
  if (sent_.bytes > cudart::kBulkBytes) return false;
  const auto id = message.take<uint32_t>();
  return message.ok() && serve_call(id, message, result);
}

bool ServedThread::take_registration(Reader& message, Writer& result) {
  const auto what = message.take<cudart::Registration>();
  const auto image = message.take<uint64_t>();
  switch (what) {
    case cudart::Registration::image:
      return take_image(image, message);
    case cudart::Registration::remove_image:
      remove_image(image);
      return message.ok();
    case cudart::Registration::load_image:
      load_image(image);
      return message.ok();
    case cudart::Registration::texture:
      bind_reference(pointer(message.take<uint64_t>()), image);
      return message.ok();
    case cudart::Registration::extent:
      result.put(bytes_from(image));
      return message.ok();
    default:
      break;
  }
  const void* const named = pointer(message.take<uint64_t>());
  const auto bytes = message.take<uint64_t>();
  std::string name = message.take_text();
  if (!message.ok()) return false;
  switch (what) {
    case cudart::Registration::kernel:
      register_kernel(image, named, std::move(name));
      return true;
    case cudart::Registration::variable:
      register_variable(image, named, std::move(name), bytes);
      return true;
    case cudart::Registration::managed:
      result.put(register_managed(image, named, std::move(name), bytes));
      return true;
    default:
      return false;
  }
}

bool ServedThread::take_image(uint64_t handle, Reader& message) {
  DeviceCode code;
  code.magic = message.take<uint32_t>();
  const auto count = message.take<uint64_t>();
  if (count > kMostContainers || !message.has(count, sizeof(uint64_t))) return false;
  for (uint64_t i = 0; i < count; ++i) {
    const auto address = message.take<uint64_t>();
    std::string container(toolkit::kFatbinHeaderBytes, '\0');
    read({{address, reinterpret_cast<uint8_t*>(container.data()), container.size()}});
    const Result<size_t> bytes = fatbin_size(container);
    // What has no header of a container is looked at when it is needed, and said then.
    if (bytes && *bytes <= kMostContainerBytes) {
      container.resize(*bytes);
      read({{address, reinterpret_cast<uint8_t*>(container.data()), container.size()}});
    }
    code.containers.push_back(std::move(container));
  }
  register_image(handle, std::move(code));
  return true;
}

bool ServedThread::take_range(Reader& message, Writer& result) {
  const auto event = message.take<cudart::RangeEvent>();
  const auto id = message.take<uint64_t>();
  const std::string name = message.take_text();
  if (!message.ok()) return false;
  int32_t depth = 0;
  switch (event) {
    case cudart::RangeEvent::make_domain:
      graders_ranges().make();
      break;
    case cudart::RangeEvent::push:
      depth = this_threads_ranges().push(name);
      break;
    case cudart::RangeEvent::pop:
      depth = this_threads_ranges().pop();
      break;
    case cudart::RangeEvent::start:
      this_threads_ranges().start(id, name);
      break;
    case cudart::RangeEvent::end:
      this_threads_ranges().end(id);
      break;
    case cudart::RangeEvent::push_graders:
      depth = begin_graders_range(machine(), name);
      break;
    case cudart::RangeEvent::pop_graders:
      depth = end_graders_range(machine());
      break;
    default:
      return false;
  }
  result.put(depth);
  return true;
}

/// The pieces of the program's memory whose bytes lie in the bulk area; none are left.
void ServedThread::put_writes(Writer& list) {
  list.put(static_cast<uint32_t>(writes_.size()));
  for (const auto& [address, bytes] : writes_) {
    list.put(address);
    list.put(bytes);
  }
  writes_.clear();
  written_bytes_ = 0;
}

void ServedThread::send_result(const Writer& result) {
  Writer whole;
  put_writes(whole);
  whole.put(static_cast<uint32_t>(guarded_.size()));
  whole.put(guarded_.data(), guarded_.size() * sizeof(GuardedPages));
  guarded_.clear();
  whole.put(result.bytes().data(), result.bytes().size());
  send(Message::result, whole.bytes());
}

void ServedThread::flush_writes() {
  if (writes_.empty()) return;
  Writer list;
  put_writes(list);
  ask(Message::write, list);
}

// As many pieces at a time as fit into the bulk area and a list of half a message.
void ServedThread::read(const std::vector<HostPiece>& pieces) {
  const cudart::Sent sent = std::exchange(sent_, cudart::Sent{});
  if (pieces.size() == 1 && pieces[0].address == sent.address && pieces[0].bytes == sent.bytes) {
    std::memcpy(pieces[0].here, channel_.bulk, sent.bytes);
    return;
  }
  constexpr size_t kMostPieces = cudart::kMessageBytes / 2 / sizeof(HostPiece);
  flush_writes();
  std::vector<HostPiece> fetched;
  size_t room = cudart::kBulkBytes;
  const auto fetch = [&] {
    Writer list;
    list.put(static_cast<uint32_t>(fetched.size()));
    for (const HostPiece& piece : fetched) {
      list.put(piece.address);
      list.put(uint64_t{piece.bytes});
    }
    ask(Message::read, list);
    const std::byte* from = channel_.bulk;
    for (const HostPiece& piece : fetched) {
      std::memcpy(piece.here, from, piece.bytes);
      from += piece.bytes;
    }
    fetched.clear();
    room = cudart::kBulkBytes;
  };
  for (HostPiece left : pieces) {
    while (left.bytes > 0) {
      const size_t bytes = std::min(left.bytes, room);
      fetched.push_back({left.address, left.here, bytes});
      left = {left.address + bytes, left.here + bytes, left.bytes - bytes};
      room -= bytes;
      if (room == 0 || fetched.size() == kMostPieces) fetch();
    }
  }
  if (!fetched.empty()) fetch();
}

void ServedThread::write(const std::vector<HostPiece>& pieces) {
  sent_ = {};
  constexpr size_t kMostPieces = cudart::kMessageBytes / 4 / sizeof(HostPiece);
  for (HostPiece left : pieces) {
    while (left.bytes > 0) {
      if (written_bytes_ == cudart::kBulkBytes || writes_.size() == kMostPieces) flush_writes();
      const size_t bytes = std::min(left.bytes, cudart::kBulkBytes - written_bytes_);
      std::memcpy(channel_.bulk + written_bytes_, left.here, bytes);
      writes_.emplace_back(left.address, bytes);
      written_bytes_ += bytes;
      left = {left.address + bytes, left.here + bytes, left.bytes - bytes};
    }
  }
}

void ServedThread::call(cudaHostFn_t function, void* data) {
  flush_writes();
  Writer body;
  body.put(function);
  body.put(data);
  ask(Message::call_host, body);
}

void ServedThread::call(cudaStreamCallback_t function, cudaStream_t stream, cudaError_t status,
                        void* data) {
  flush_writes();
  Writer body;
  body.put(function);
  body.put(stream);
  body.put(status);
  body.put(data);
  ask(Message::call_stream, body);
}

void ServedThread::print(Output where, std::string_view text) {
  flush_writes();
  while (!text.empty()) {
    const std::string_view part = text.substr(0, cudart::kBulkBytes);
    std::memcpy(channel_.bulk, part.data(), part.size());
    Writer body;
    body.put(where);
    body.put(uint64_t{part.size()});
    ask(Message::print, body);
    text.remove_prefix(part.size());
  }
}

bool ServedThread::has_other_threads() {
  const std::vector<std::byte> answer = ask(Message::threads, Writer());
  return Reader(answer).take<uint32_t>() > 1;
}

HostPlace ServedThread::place(uint64_t address) {
  Writer body;
  body.put(address);
  const std::vector<std::byte> answer = ask(Message::place, body);
  Reader reader(answer);
  const std::string file = reader.take_text();
  const auto line = reader.take<uint32_t>();
  return reader.ok() ? HostPlace::from(file, line) : HostPlace{};
}

bool ServedThread::write_file(const std::string& path, std::string_view text) {
  flush_writes();
  Writer body;
  body.put_text(path);
  body.put_text(text);
  const std::vector<std::byte> answer = ask(Message::write_file, body);
  return Reader(answer).take<uint8_t>() != 0;
}

Result<uint8_t*> ServedThread::share(Message how, uint64_t begin, size_t bytes) {
  flush_writes();
  const auto [memory, descriptor] = make_shared_memory(bytes);
  if (memory == nullptr) return static_cast<uint8_t*>(nullptr);
  Writer body;
  body.put(link_.send_memory(descriptor));
  ::close(descriptor);
  body.put(begin);
  body.put(uint64_t{bytes});
  const std::vector<std::byte> answer = ask(how, body);
  const auto shared = Reader(answer).take<cudart::Adoption>();
  if (shared == cudart::Adoption::done) return static_cast<uint8_t*>(memory);
  ::munmap(memory, bytes);
  if (shared == cudart::Adoption::no_access) return Error{"the program may not read these pages"};
  return static_cast<uint8_t*>(nullptr);
}

void ServedThread::withdraw(uint64_t begin, size_t bytes) {
  flush_writes();
  Writer body;
  body.put(begin);
  body.put(uint64_t{bytes});
  ask(Message::withdraw, body);
}

namespace {

class SharedPages final : public HostPages {
 public:
  uint8_t* expose(uint64_t begin, size_t bytes) override {
    const Result<uint8_t*> host = served().share(Message::expose, begin, bytes);
    return host ? *host : nullptr;
  }
  Result<uint8_t*> adopt(uint64_t begin, size_t bytes) override {
    return served().share(Message::adopt, begin, bytes);
  }
  void withdraw(uint64_t begin, uint8_t* at, size_t bytes, bool from_program) override {
    if (from_program) served().withdraw(begin, bytes);
    ::munmap(at, bytes);
  }

 private:
  static ServedThread& served() { return static_cast<ServedThread&>(host()); }
};

}  // namespace

std::unique_ptr<HostPages> shared_pages() { return std::make_unique<SharedPages>(); }

}  // namespace warpgrade::emulator
