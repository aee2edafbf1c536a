// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace warpgrade::emulator::ptx {

/// The names of registers and variables of one function; `{ }` in a body opens a nested scope.
class Scopes {
 public:
  void open() { levels_.emplace_back(); }
  void close() { levels_.pop_back(); }
  size_t depth() const { return levels_.size(); }

  void declare(std::string_view name, int reg) { levels_.back().names[name] = reg; }
  void declare_variable(std::string_view name, int variable) {
    levels_.back().variables[name] = variable;
  }
  /// `%r<4>`: prefix0 to prefix3.
  void declare_range(std::string_view prefix, int first, uint32_t count);

  /// The register called `name`, -1 where there is none.
  int find(std::string_view name) const;
  /// The variable declared in this function as `name`, -1 where there is none.
  int find_variable(std::string_view name) const;

 private:
  struct Range {
    int first;
    uint32_t count;
  };
  struct Level {
    std::unordered_map<std::string_view, int> names;
    std::unordered_map<std::string_view, int> variables;
    std::unordered_map<std::string_view, Range> ranges;
    bool digits_in_prefix = false;  ///< of any range
  };
  static int find_in_range(const Level& level, std::string_view name);

  std::vector<Level> levels_;
};

}  // namespace warpgrade::emulator::ptx
