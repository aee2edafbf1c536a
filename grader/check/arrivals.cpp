// SPDX-License-Identifier: MIT
#include "check/arrivals.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "base/content_hash.h"
#include "base/hash.h"

namespace warpgrade {
namespace {

std::string hash_of(std::string_view bytes) { return hex64(content_hash(bytes)); }

/// Copies of the same bytes, and places in a row where the array may have arrived, that are compared. More show nothing new.
constexpr size_t kMostSources = 64, kMostPlaces = 64;

/// What was copied, by its hash.
using BySum = std::map<std::string, Sources>;

BySum copied_bytes(const std::vector<const ApiCall*>& copies) {
  std::map<std::string, std::vector<CopiedBytes>> found;
  const auto add = [&found](const std::string& hash, CopiedBytes bytes) {
    std::vector<CopiedBytes>& sources = found[hash];
    if (sources.size() < kMostSources) sources.push_back(bytes);
  };
  // What the driver wrote is more likely to be of a late copy than of an early one.
  for (auto copy = copies.rbegin(); copy != copies.rend(); ++copy) {
    add((*copy)->text("content_hash"), {*copy, 0});
    const size_t width = (*copy)->number("width");
    size_t row = 0;
    for (const std::string& hash : (*copy)->words("row_hashes")) add(hash, {*copy, width * row++});
  }
  BySum shared;
  for (auto& [hash, sources] : found)
    shared[hash] = std::make_shared<const std::vector<CopiedBytes>>(std::move(sources));
  return shared;
}

std::optional<Arrival> by_rows(const NpyArray& array, const BySum& copied) {
  const std::string_view bytes = bytes_view(array);
  const size_t rows = array.shape.empty() ? 1 : array.shape[0];
  if (rows < 2) return std::nullopt;
  const size_t row_bytes = bytes.size() / rows;
  Arrival arrival;
  for (size_t begin = 0; begin < rows * row_bytes; begin += row_bytes) {
    const auto found = copied.find(hash_of(bytes.substr(begin, row_bytes)));
    if (found == copied.end()) return std::nullopt;
    arrival.push_back({begin, row_bytes, found->second});
  }
  return arrival;
}

struct Piece {
  uint64_t begin, bytes;
  const ApiCall* copy;
};

/// The last copy to each place of the host, by address.
std::vector<Piece> pieces_of(const std::vector<const ApiCall*>& copies) {
  std::map<uint64_t, Piece> pieces;
  for (const ApiCall* copy : copies) {
    if (copy->args.contains("width") || !copy->args.contains("dst")) continue;
    const uint64_t begin = copy->number("dst");
    pieces[begin] = {begin, copy->number("count"), copy};
  }
  std::vector<Piece> sorted;
  for (const auto& [begin, piece] : pieces) sorted.push_back(piece);
  return sorted;
}

/// The array as the pieces [first, end), where these are what they moved.
std::optional<Arrival> joined(const NpyArray& array, const Piece* first, const Piece* end) {
  Arrival arrival;
  for (const Piece* piece = first; piece != end; ++piece) {
    const size_t begin = piece->begin - first->begin;
    const std::string_view part = bytes_view(array).substr(begin, piece->bytes);
    if (hash_of(part) != piece->copy->text("content_hash")) return std::nullopt;
    arrival.push_back({begin, part.size(),
                       std::make_shared<const std::vector<CopiedBytes>>(
                           std::vector<CopiedBytes>{{piece->copy, 0}})});
  }
  return arrival;
}

/// Runs of several pieces without a gap that are as long as the array.
void add_pieces(const NpyArray& array, const std::vector<Piece>& pieces,
                std::vector<Arrival>& arrivals) {
  size_t first = 0, places = 0;
  uint64_t bytes = 0;
  for (size_t last = 0; last < pieces.size() && places < kMostPlaces; ++last) {
    const bool goes_on =
        last > first && pieces[last - 1].begin + pieces[last - 1].bytes == pieces[last].begin;
    if (!goes_on) {
      first = last;
      bytes = 0;
    }
    bytes += pieces[last].bytes;
    while (bytes > array.bytes.size()) bytes -= pieces[first++].bytes;
    if (bytes != array.bytes.size() || first == last || first > last) continue;
    ++places;
    if (auto arrival = joined(array, &pieces[first], &pieces[last] + 1))
      arrivals.push_back(std::move(*arrival));
  }
}

}  // namespace

bool is_read_back(const ApiCall& call) {
  return call.result == 0 && call.alike().starts_with("cudaMemcpy") &&
         call.text("direction") == "DtoH";
}

std::vector<Arrival> arrivals_of(const NpyArray& array, const Trace& trace,
                                 const std::string& range) {
  std::vector<const ApiCall*> copies;
  for (const ApiCall& call : trace.calls) {
    if (is_read_back(call) && (range.empty() || call.range == range)) copies.push_back(&call);
  }
  const BySum copied = copied_bytes(copies);
  std::vector<Arrival> arrivals;
  const auto whole = copied.find(hash_of(bytes_view(array)));
  if (whole != copied.end()) arrivals.push_back({{0, array.bytes.size(), whole->second}});
  if (auto rows = by_rows(array, copied)) arrivals.push_back(std::move(*rows));
  add_pieces(array, pieces_of(copies), arrivals);
  return arrivals;
}

}  // namespace warpgrade
