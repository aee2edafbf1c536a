// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "sentences/say.h"

namespace warpgrade {

/// Says sentences in one language, whatever is spoken: a stored result is told in the language that it was graded in.
class Words {
 public:
  explicit Words(std::string language) : language_(std::move(language)) {}

  std::string operator()(const std::string& id,
                         std::initializer_list<Filling> fillings = {}) const {
    return say_in(language_, id, fillings).text;
  }
  const std::string& language() const { return language_; }

 private:
  std::string language_;
};

}  // namespace warpgrade
