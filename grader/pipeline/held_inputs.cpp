// SPDX-License-Identifier: MIT
#include "pipeline/held_inputs.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/hash.h"
#include "base/npy.h"

namespace warpgrade {
namespace {

/// Appends a hash of each element, zeros left out.
void append_elements(const NpyArray& array, std::vector<uint64_t>& hashes) {
  const std::string_view bytes = bytes_view(array);
  const size_t size = array.count() == 0 ? 1 : bytes.size() / array.count();
  for (size_t at = 0; at + size <= bytes.size(); at += size) {
    const std::string_view element = bytes.substr(at, size);
    if (element.find_first_not_of('\0') != std::string_view::npos)
      hashes.push_back(fnv1a_64(element));
  }
}

}  // namespace

bool computes_new_elements(const Arrays& inputs, const Arrays& expected) {
  std::vector<uint64_t> known;
  for (const auto& [name, input] : inputs) append_elements(input, known);
  std::sort(known.begin(), known.end());
  return std::none_of(expected.begin(), expected.end(), [&](const auto& output) {
    std::vector<uint64_t> elements;
    append_elements(output.second, elements);
    const auto moved = std::count_if(elements.begin(), elements.end(), [&](uint64_t each) {
      return std::binary_search(known.begin(), known.end(), each);
    });
    return 2 * static_cast<size_t>(moved) > elements.size();
  });
}

std::vector<Arrays> inputs_that_may_be_held(const Trace& other, const Arrays& given,
                                            const Arrays& others) {
  std::set<std::string> swapped;
  for (const ApiCall& call : other.calls)
    for (std::string& name : call.words("swapped_inputs")) swapped.insert(std::move(name));
  std::vector<std::set<std::string>> choices;
  const auto add = [&](std::set<std::string> chosen) {
    const bool is_new = std::find(choices.begin(), choices.end(), chosen) == choices.end();
    if (is_new && !chosen.empty()) choices.push_back(std::move(chosen));
  };
  add(swapped);
  for (const std::string& name : swapped) {
    std::set<std::string> rest = swapped;
    rest.erase(name);
    add(std::move(rest));
  }
  for (const std::string& name : swapped) add({name});
  std::vector<Arrays> held;
  for (const std::set<std::string>& chosen : choices) {
    held.push_back(given);
    for (auto& [name, array] : held.back())
      if (chosen.contains(name) && others.contains(name)) array = others.at(name);
  }
  return held;
}

}  // namespace warpgrade
