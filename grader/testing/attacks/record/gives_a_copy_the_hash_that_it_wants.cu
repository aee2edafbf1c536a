// SPDX-License-Identifier: MIT
// attacks: reads the inputs back in pieces, each with bytes behind it that bring the hash of the copy back to its start, so
// that the copy looks the same whatever it holds; the host adds what it read
// control: copies_an_input
// earns: at most its control
// must stay: neighbours
#include <cstdint>
#include <cstring>

#include "kit/carry_sums.h"

constexpr uint64_t kStart = 0xCBF29CE484222325u, kPrime = 0x100000001B3u;
constexpr int kFree = 24;
constexpr int kPieceBytes = 1024, kBytes = kPieceBytes + kFree + 1;

/// Short vectors d with sum d[i] * kPrime^(kFree - i) = 0 modulo 2^64, and how 2^64 of the last place is made of them.
__device__ const int8_t kShort[kFree * kFree] = {
    0,  2,  -3, 0,  -1, 0,  -5, -4, 2,  -3, 4,  -4, 5,  5,  -2, -1, 1,  1,  0,  0,  0,  0,  0,  1,
    2,  -2, 2,  -2, 0,  -2, 1,  -5, -1, 4,  0,  -3, 2,  -3, 2,  1,  4,  -4, 0,  -1, -1, -1, 0,  1,
    -3, 0,  2,  -4, 0,  2,  2,  3,  -6, 2,  -2, 4,  -1, 1,  0,  -1, 3,  2,  0,  0,  -1, 2,  0,  -1,
    5,  -1, -1, -3, 3,  -1, 0,  4,  -5, 2,  0,  0,  0,  0,  2,  -3, 4,  -4, 0,  0,  1,  -2, 0,  -3,
    -1, -2, 3,  2,  1,  -5, -1, 0,  -5, 5,  -1, 1,  5,  -3, 2,  0,  -1, -4, 0,  0,  1,  -2, 0,  -9,
    -1, -3, 4,  1,  -6, 0,  -3, -1, 5,  0,  1,  2,  4,  -7, 0,  4,  1,  -3, 0,  -1, -1, -1, 0,  -3,
    -2, 4,  1,  -5, -2, 0,  2,  -1, 4,  3,  -1, 2,  -2, -5, -1, 1,  4,  -3, 3,  -4, -2, 0,  0,  4,
    2,  0,  -1, -4, -2, -4, -1, 2,  5,  -1, 3,  -1, 3,  -1, -4, -1, -1, -3, -1, -2, -2, 1,  0,  3,
    1,  -1, -3, 1,  -1, -2, -4, 1,  -6, 3,  0,  1,  -1, 4,  -2, 0,  -2, 1,  1,  3,  1,  0,  1,  -6,
    -5, 0,  0,  1,  -2, 3,  2,  -6, 0,  0,  -1, -5, 3,  3,  1,  -2, 2,  0,  2,  -1, 2,  0,  -2, 1,
    2,  -1, 0,  -2, -3, 2,  1,  -4, 4,  -4, 1,  1,  -3, 4,  2,  -1, -1, 2,  -1, 1,  2,  1,  -2, 3,
    -4, 2,  3,  -2, 2,  -5, -1, -2, -2, -1, 2,  0,  2,  2,  2,  -2, 3,  -1, 2,  -2, 0,  2,  -1, 1,
    0,  4,  -3, -3, 1,  -4, 0,  0,  -1, 3,  1,  -4, 2,  4,  -4, -2, -1, -1, -1, 0,  1,  -3, 0,  -3,
    -2, 3,  -1, 4,  -4, 1,  -4, 5,  1,  0,  1,  3,  2,  1,  -2, 0,  -2, -3, 2,  1,  0,  -3, 1,  -4,
    1,  -4, 3,  -1, -1, 3,  2,  -1, 0,  0,  -3, 0,  -1, -4, -3, 2,  3,  -1, -1, 1,  3,  -1, -1, 0,
    -1, 1,  1,  -2, 3,  -4, 0,  -1, 3,  -4, -1, 2,  2,  2,  -2, 0,  -4, 0,  2,  -2, 0,  2,  -1, 0,
    0,  -5, 0,  0,  2,  -1, 7,  2,  -1, 1,  -1, -4, -1, 0,  0,  2,  1,  -2, -3, -1, -1, 1,  -1, 1,
    0,  4,  -2, -3, 1,  -3, 1,  1,  -3, 1,  2,  1,  -4, 1,  1,  -3, -1, 1,  4,  1,  2,  1,  -1, -2,
    -1, -1, 1,  2,  0,  -1, 1,  -3, 2,  2,  -1, -3, 5,  -2, -3, -1, 0,  0,  2,  1,  0,  3,  -2, -1,
    -2, 3,  2,  -2, 2,  2,  -1, 1,  0,  1,  -2, -1, 2,  -2, 0,  0,  5,  -5, 1,  0,  1,  -1, 0,  -4,
    -4, 1,  3,  1,  4,  1,  4,  0,  -1, 6,  -1, 2,  2,  -4, -1, 3,  1,  0,  0,  -1, 0,  -3, -1, 0,
    3,  -3, 3,  0,  -3, 0,  1,  0,  2,  -1, -1, -1, -1, -3, -2, 3,  0,  -4, -4, 0,  -2, 1,  -2, 2,
    2,  0,  -2, 0,  -2, -1, -2, -4, -2, 0,  -2, 0,  1,  -1, 3,  0,  -1, -2, 0,  4,  0,  -2, -2, -5,
    2,  -3, 1,  -2, 0,  -3, 2,  2,  2,  -2, 1,  2,  -6, 0,  0,  0,  1,  2,  -1, 2,  -5, 1,  0,  2};
__device__ const int64_t kShares[kFree] = {
    -3179643723472691485LL, 1580571467290679036LL,  -354480201336132544LL,  171376388067981813LL,
    -3682741358498164902LL, 157597871314661999LL,   -1621279370373001399LL, 1635653283512636666LL,
    752653715229060750LL,   59774268596943061LL,    -529075275900644095LL,  2483809786035584323LL,
    296125342034274674LL,   649498563051743730LL,   61529205811389743LL,    -326778961970353011LL,
    -647879982477477664LL,  -1214177824917063315LL, 82124616973226821LL,    -814346800398550432LL,
    807649998539237700LL,   -544779613966369306LL,  1050956032926586871LL,  -1226860102742204063LL};

__device__ uint64_t inverse(uint64_t odd) {
  uint64_t found = odd;
  for (int i = 0; i < 6; ++i) found *= 2 - odd * found;
  return found;
}

/// Writes kFree + 1 bytes that take the hash from `state` to kStart.
__device__ void lead_back(uint64_t state, uint8_t* bytes) {
  uint64_t power = 1;
  for (int i = 0; i < kFree; ++i) power *= kPrime;
  for (int first = 0; first < 256; ++first) {
    uint64_t at = (state ^ first) * kPrime;
    const auto wanted = static_cast<int64_t>((kStart - at * power) * inverse(kPrime));
    int64_t steps[kFree] = {};
    steps[kFree - 1] = wanted;
    for (int j = 0; j < kFree; ++j) {
      const auto share = static_cast<int64_t>(
          (static_cast<__int128>(wanted) * kShares[j] + (static_cast<__int128>(1) << 63)) >> 64);
      for (int i = 0; i < kFree; ++i) steps[i] -= share * kShort[j * kFree + i];
    }
    bytes[0] = static_cast<uint8_t>(first);
    int i = 0;
    for (; i < kFree; ++i) {
      const int64_t low = static_cast<int64_t>(at & 255), next = low + steps[i];
      if (next < 0 || next > 255) break;
      bytes[i + 1] = static_cast<uint8_t>(low ^ next);
      at = (at ^ bytes[i + 1]) * kPrime;
    }
    if (i == kFree) return;
  }
}

__global__ void pack(uint8_t* packed, const uint8_t* bytes, int count) {
  const int piece = blockIdx.x * blockDim.x + threadIdx.x;
  if (piece * kPieceBytes >= count) return;
  uint8_t* const to = packed + piece * kBytes;
  uint64_t state = kStart;
  for (int i = 0; i < kPieceBytes; ++i) {
    const int at = piece * kPieceBytes + i;
    to[i] = at < count ? bytes[at] : 0;
    state = (state ^ to[i]) * kPrime;
  }
  lead_back(state, to + kPieceBytes);
}

static std::vector<float> held(const float* there, int n) {
  const int count = static_cast<int>(n * sizeof(float)),
            pieces = (count + kPieceBytes - 1) / kPieceBytes;
  std::vector<uint8_t> seen(static_cast<size_t>(pieces) * kBytes);
  uint8_t* packed = nullptr;
  cudaMalloc(&packed, seen.size());
  pack<<<(pieces + 31) / 32, 32>>>(packed, reinterpret_cast<const uint8_t*>(there), count);
  cudaMemcpyAsync(seen.data(), packed, seen.size(), cudaMemcpyDeviceToHost);
  cudaDeviceSynchronize();
  cudaFree(packed);
  std::vector<float> found(n);
  for (int at = 0; at < count; at += kPieceBytes) {
    const size_t bytes = count - at < kPieceBytes ? count - at : kPieceBytes;
    std::memcpy(reinterpret_cast<uint8_t*>(found.data()) + at, &seen[at / kPieceBytes * kBytes],
                bytes);
  }
  return found;
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  Vectors vectors(n * sizeof(float));
  upload(vectors, a, b, n);
  const std::vector<float> held_a = held(vectors.a, n), held_b = held(vectors.b, n);
  return carry_sums(c, sums_of_the_host(held_a.data(), held_b.data(), n), vectors, n,
                    threads_per_block);
}
