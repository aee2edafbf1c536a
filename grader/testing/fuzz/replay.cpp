// SPDX-License-Identifier: MIT
// Runs a fuzzer's function once for each file of a folder: no input may crash it or take long.
//
// usage: replay CORPUS_FOLDER [LIMIT_SECONDS]

#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "base/files.h"
#include "testing/fuzz/fuzzer.h"

namespace {

void limit_processor_time(unsigned seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = seconds;
  setitimer(ITIMER_PROF, &timer, nullptr);
}

}  // namespace

int main(int count, char** arguments) {
  constexpr unsigned kLimitSeconds = 10;
  if (count != 2 && count != 3)
    return std::fputs("usage: replay CORPUS_FOLDER [LIMIT_SECONDS]\n", stderr), 2;
  const unsigned limit_seconds =
      count == 3 ? static_cast<unsigned>(std::atoi(arguments[2])) : kLimitSeconds;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(arguments[1]))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) {
    const auto bytes = warpgrade::RealFiles().read(path);
    if (!bytes) return std::fprintf(stderr, "%s\n", bytes.error().message.c_str()), 1;
    std::fprintf(stderr, "%s\n", path.filename().c_str());
    // SIGPROF ends the program, and the last name told is the culprit's. It counts time on a core,
    // whatever else the machine does; SIGALRM ends what waits for nothing.
    limit_processor_time(limit_seconds);
    alarm(60 * limit_seconds);
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size());
  }
  limit_processor_time(0);
  alarm(0);
  std::fprintf(stderr, "%zu inputs\n", paths.size());
  return paths.empty() ? 1 : 0;
}
