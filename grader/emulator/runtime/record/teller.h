// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "emulator/checkers/checkers.h"
#include "emulator/exec/launch.h"

namespace warpgrade::emulator {

enum class Audience {
  nobody,  ///< stderr stays silent
  tools,   ///< each finding is a line, as it comes
  people,  ///< a cause is a line; what follows from it is only counted; a summary ends the run
};

/// Says findings on stderr.
class Teller {
 public:
  explicit Teller(Audience audience) : audience_(audience) {}

  /// `launches` is how many kernels ran before. Equal findings of later launches are only counted. For people,
  /// what kernels did waits for end_of_launch().
  void tell(const Finding& finding, uint64_t launches);
  /// A call of the program has failed, unseen, before kernels find something: the cause comes first.
  void tell_cause(const Finding& cause);
  /// Says the causes among what a launch found.
  void end_of_launch();
  /// How often findings came again, and for people how many problems there are.
  void end(const Checkers& checkers);
  bool has_problems() const { return problems_ > 0; }

 private:
  bool is_told_again(const Finding& finding, uint64_t launches);
  bool follows_call(const Finding& finding);
  bool is_told_here(const Finding& finding);
  void say_problem(const std::string& words);

  struct Told {
    uint64_t in_launch = 0;  ///< the latest
    uint64_t again = 0;      ///< launches after the first
    std::string first;       ///< what was said of it
    bool is_said = false;    ///< and did not only count as what follows from another
  };
  const Audience audience_;
  std::map<std::string, Told> told_;  ///< findings of kernels, by kind
  std::vector<Finding> found_;        ///< by the launch in hand
  std::set<std::string> said_;        ///< keys of sentences
  std::set<std::string> places_;      ///< where kernels have problems
  bool call_failed_ = false;          ///< so that what it should have done is missing
  uint64_t problems_ = 0, consequences_ = 0;
};

}  // namespace warpgrade::emulator
