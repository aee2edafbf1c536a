// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rubric/diagnostics.h"

namespace warpgrade {

/// An item that a handout's line <!-- items: first, second --> names.
struct PassageItem {
  std::string id;
  Place place;
};

/// The paragraph or list item of a handout below such lines. It tells what the items ask.
struct HandoutPassage {
  std::vector<PassageItem> items;
  /// One line without Markdown's signs but those of code, and lines of code that it announces by a colon; empty where no
  /// text follows.
  std::string text;
};

/// Those of a handout's Markdown text, in its order.
std::vector<HandoutPassage> handout_passages(std::string_view markdown);

/// The text for an item; empty where no line names it.
std::string passage_for(const std::vector<HandoutPassage>& passages, const std::string& item);

/// Reports lines above no text, and items that are named twice or that are not among `known`.
void check_passages(const std::vector<HandoutPassage>& passages,
                    const std::vector<std::string>& known, Diagnostics& errors);

}  // namespace warpgrade
