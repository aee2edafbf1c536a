// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string>

#include "sentences/words.h"

namespace warpgrade {

/// Tells the finding that explains a loss in full once; later losses name its place alone.
class Explanations {
 public:
  explicit Explanations(const std::string& language);

  /// An item's reason in that language, with its finding, or with the place of one that was told before.
  std::string tell(const std::string& reason);

 private:
  Words words_;
  std::string mark_;
  std::set<std::string> told_;
};

}  // namespace warpgrade
