// SPDX-License-Identifier: MIT
#include "run/device_process.h"

#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "base/text.h"
#include "cudart/wire.h"
#include "run/program_files.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

/// Users of programs and devices are apart; there are never so many slots.
constexpr int kDeviceSlots = 10'000;
/// Limits the record of calls. The same number of calls makes it longer here than on a GPU.
constexpr size_t kRecordBytes = size_t{16} << 20;
constexpr int kOwnProcesses = 64;
/// All that the device has addresses for.
constexpr size_t kSharedBytes = size_t{1} << 40;
/// The device serves as long as its program's runs come, and each of these has a limit.
constexpr long kNoLimitMs = 1000L * 3600 * 24 * 365;
constexpr long kConnectAgainUs = 500;

/// NAME.npy of one folder becomes NAME.KIND.npy of the other.
Status copy_arrays(const fs::path& from, const fs::path& to, const char* kind) {
  std::error_code failed;
  for (const fs::directory_entry& each : fs::directory_iterator(from, failed)) {
    const fs::path copy = to / (each.path().stem().string() + '.' + kind + ".npy");
    if (!failed && each.path().extension() == ".npy") fs::copy_file(each.path(), copy, failed);
    fs::permissions(copy, fs::perms::others_read | fs::perms::group_read, fs::perm_options::add,
                    failed);
    if (failed) break;
  }
  return failed ? Status(Error{"cannot copy inputs for the device: " + failed.message()})
                : Status();
}

/// The size of the arrays, which lie in the record's folder.
uint64_t bytes_of(const OtherInputs& inputs) {
  uint64_t bytes = 0;
  for (const fs::path& folder : {inputs.given, inputs.held}) {
    std::error_code failed;
    for (const fs::directory_entry& each : fs::directory_iterator(folder, failed))
      bytes += each.file_size(failed);
  }
  return bytes;
}

fs::path beside(const fs::path& folder, const char* name) {
  return folder.parent_path() / (folder.filename().string() + name);
}

}  // namespace

DeviceProcess::DeviceProcess(const Sandbox& sandbox, const DeviceParts& parts,
                             const ProgramPlace& place, OtherInputs inputs)
    : sandbox_(sandbox),
      parts_(parts),
      slot_(place.slot + kDeviceSlots),
      inputs_(std::move(inputs)),
      door_(beside(place.folder, ".door")),
      record_(beside(place.folder, ".record")),
      thread_([this] { work(); }) {}

DeviceProcess::~DeviceProcess() {
  wait_for_end();
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

Result<bool> DeviceProcess::lay_out(const RunStep& step) {
  std::error_code failed;
  if (is_running() && command_for(step) == started_ && (fs::remove(trace(), failed), !failed))
    return false;
  wait_for_end();
  const auto hand_over = [this](const fs::path& folder) {
    return sandbox_.hand_over(folder, slot_);
  };
  const Result<bool> door = door_.renew(hand_over);
  if (!door) return door.error();
  const Result<bool> record = record_.renew(hand_over);
  if (!record) return record.error();
  renewed_ = *door || *record;
  for (const auto& [folder, kind] : {std::pair(inputs_.given, "given"), {inputs_.held, "held"}}) {
    if (folder.empty()) continue;
    if (Status copied = copy_arrays(folder, record_.path(), kind); !copied) return copied.error();
  }
  return *door;
}

Command DeviceProcess::view() const {
  Command command;
  // With its libraries.
  command.readable = {parts_.program.parent_path(), parts_.ptxas};
  command.writable = {door_.path(), record_.path()};
  command.slot = slot_;
  return command;
}

Command DeviceProcess::command_for(const RunStep& step) const {
  Command command = view();
  command.argv = {parts_.program.string(), "--listen", socket().string(), control().string()};
  command.environment = {
      {"WARPGRADE_TRACE", trace().string()},
      {"WARPGRADE_DEVICES", join(step.devices, ",")},
      {"WARPGRADE_PTXAS", step.timed ? parts_.ptxas.string() : "none"},
      {"WARPGRADE_CHECK", step.fences ? "all,padding,fences" : "all,padding"},
      {"WARPGRADE_DETERMINISTIC", "1"},
      {"WARPGRADE_LANGUAGE", spoken_language()},
      {"WARPGRADE_ORDER", std::to_string(step.order)},
      {"WARPGRADE_SAMPLE_KEY", std::to_string(parts_.sample_key)},
      {"WARPGRADE_INSTRUCTION_LIMIT", std::to_string(step.limits.launch_instructions)},
      {"WARPGRADE_TRACE_LIMIT", std::to_string(kRecordBytes)},
      {"WARPGRADE_GRADED", "1"},
      {"WARPGRADE_QUIET", "1"},
      {"LC_ALL", "C"}};
  if (!inputs_.held.empty())
    command.environment["WARPGRADE_SWAPPED_INPUTS"] = record_.path().string();
  if (!inputs_.withheld.empty()) command.environment["WARPGRADE_WITHHELD"] = inputs_.withheld;
  if (inputs_.elements_may_move) command.environment["WARPGRADE_SWAPPED_ELEMENTS"] = "1";
  if (parts_.shares_cores) command.environment.emplace(cudart::kSharesCoresVariable, "1");
  command.folder = record_.path();
  command.limits =
      process_limits(step.limits, {kRecordBytes, 2 * kRecordBytes + bytes_of(inputs_), 0});
  // Memory that it shares with the program is a file, too, and mostly holes. What is touched of it counts as memory.
  command.limits.file_bytes = kSharedBytes;
  command.limits.wall_ms = kNoLimitMs;
  command.limits.processes += kOwnProcesses;
  command.patience = patience_;
  return command;
}

void DeviceProcess::start(const RunStep& step) {
  if (is_running()) return;
  const std::lock_guard lock(mutex_);
  outcome_.reset();
  started_ = command_for(step);
  to_run_ = started_;
  changed_.notify_all();
}

void DeviceProcess::work() {
  std::unique_ptr<Room> room;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stop_ || to_run_; });
    if (stop_) return;
    const Command command = *std::exchange(to_run_, std::nullopt);
    if (renewed_ || room == nullptr) room = sandbox_.open(view());
    lock.unlock();
    ProcessOutcome outcome = room->run(command);
    lock.lock();
    outcome_ = std::move(outcome);
    changed_.notify_all();
  }
}

/// Whether the device was started and has not ended.
bool DeviceProcess::is_running() {
  const std::lock_guard lock(mutex_);
  return !started_.argv.empty() && !outcome_;
}

/// Waits until the device listens. False where it ends before that.
bool DeviceProcess::connect() {
  const cudart::SocketAddress address(control().string());
  Descriptor connection(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  while (is_running()) {
    if (::connect(connection.get(), address.get(), cudart::SocketAddress::size()) == 0) {
      control_ = std::move(connection);
      return true;
    }
    ::usleep(kConnectAgainUs);
  }
  return false;
}

ProcessOutcome DeviceProcess::finish_run() {
  cudart::RunOver over;
  const bool answered = (control_ || connect()) &&
                        ::send(control_.get(), &over, sizeof over, MSG_NOSIGNAL) == sizeof over &&
                        ::recv(control_.get(), &over, sizeof over, 0) == sizeof over;
  if (!answered) return wait_for_end();
  ProcessOutcome outcome;
  outcome.ending = Ending::kExited;
  outcome.max_rss_bytes = over.max_rss_bytes;
  return outcome;
}

/// Ends the device where it runs. How it ended.
ProcessOutcome DeviceProcess::wait_for_end() {
  if (started_.argv.empty()) return {};
  if (!control_) connect();
  control_ = Descriptor();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return outcome_.has_value(); });
  return *outcome_;
}

}  // namespace warpgrade
