// SPDX-License-Identifier: MIT
// Twins whose threads each have places of their own in a block's memory; in the racy ones, two have the same.
#include "emulator/checkers/testdata/twins.cuh"

namespace {

constexpr int kBlock = 128;

/// The second part begins one element before the first one ends.
TWIN(overlapping_parts) {
  extern __shared__ int parts[];
  int* const first = parts;
  int* const second = parts + (Racy ? kBlock - 1 : kBlock);
  const int t = threadIdx.x;
  first[t] = in[t];             // race
  second[t] = in[t + 1] + 100;  // race
  __syncthreads();
  out[t] = first[t] + second[t];
}

/// Each thread has a byte of its own; in the racy twin, two have the same.
TWIN(bytes) {
  __shared__ unsigned char letters[kBlock];
  const int t = threadIdx.x;
  letters[t] = 0;
  __syncthreads();
  letters[Racy ? t / 2 : t] = static_cast<unsigned char>(t + 1);  // race
  __syncthreads();
  out[t] = letters[t];
}

TWIN(shorts) {
  __shared__ unsigned short numbers[kBlock];
  const int t = threadIdx.x;
  numbers[t] = 0;
  __syncthreads();
  for (int round = 0; round < 3; ++round) {
    numbers[Racy ? t & ~1 : t] += static_cast<unsigned short>(t + 1);  // race
  }
  __syncthreads();
  out[t] = numbers[t];
}

/// A row is one element too long.
TWIN(rows_of_threads) {
  __shared__ int rows[kBlock * 4 + 1];
  const int t = threadIdx.x;
  for (int i = 0; i < (Racy ? 5 : 4); ++i) rows[t * 4 + i] = in[t] + i * 1000;  // race
  __syncthreads();
  out[t] = rows[t * 4] + rows[t * 4 + 3];
}

/// The index of a 16 x 8 tile with the wrong width.
TWIN(index_of_a_tile) {
  __shared__ int tile[kBlock];
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  tile[threadIdx.x] = 0;
  __syncthreads();
  tile[y * (Racy ? 15 : 16) + x] = static_cast<int>(threadIdx.x);  // race
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
}

TWIN(modulo_too_small) {
  __shared__ int slots[kBlock];
  const int t = threadIdx.x;
  slots[t] = 0;
  __syncthreads();
  slots[t * 3 % (Racy ? 96 : 128)] = t;  // race
  __syncthreads();
  out[t] = slots[t];
}

/// Four bytes written as a word by one thread, read byte by byte by others.
TWIN(word_read_as_bytes) {
  __shared__ unsigned packed[kBlock];
  const int t = threadIdx.x;
  packed[t] = static_cast<unsigned>(in[t]) * 0x01010101u;  // race
  if (!Racy) __syncthreads();
  out[t] = reinterpret_cast<unsigned char*>(packed)[t * 3 + 1];  // race
}

/// Vectors of four that overlap their neighbours' in the racy twin.
TWIN(vectors) {
  __shared__ int4 values[kBlock + 1];
  const int t = threadIdx.x;
  int* const words_of = reinterpret_cast<int*>(values);
  if (Racy) {
    for (int i = 0; i < 4; ++i) words_of[t * 4 + i + 1] = in[t] + 100 * i;  // race
  }
  if (!Racy || t % 2 == 0) values[t] = make_int4(t, t + 1, t + 2, t + 3);  // race
  __syncthreads();
  out[t] = values[t].x + values[t].w;
}

/// Two threads write the halves of a word that a third one reads.
TWIN(halves_of_a_word) {
  __shared__ unsigned pairs[kBlock];
  const int t = threadIdx.x;
  auto* const halves = reinterpret_cast<unsigned short*>(pairs);
  for (int i = t; i < 2 * kBlock; i += kBlock) {
    halves[i] = static_cast<unsigned short>(in[i]);  // race
  }
  if (!Racy) __syncthreads();
  out[t] = static_cast<int>(pairs[kBlock - 1 - t]);  // race
}

/// Fields of one structure, each updated in its own way by its own threads.
TWIN(fields_of_a_structure) {
  struct Totals {
    int count, last, most;
  };
  __shared__ Totals totals;
  const int t = threadIdx.x;
  if (t == 0) totals = {0, 0, 0};
  __syncthreads();
  atomicAdd(&totals.count, 1);
  if (t == kBlock - 1) totals.last = in[t];                          // race
  if (t < 32) atomicMax(Racy ? &totals.last : &totals.most, in[t]);  // race
  __syncthreads();
  if (t < 1) out[0] = totals.count + totals.last + totals.most;
}

}  // namespace

int main(int argc, char** argv) {
  const Case cases[] = {
      CASE(overlapping_parts, 1, kBlock, 2 * kBlock * sizeof(int)),
      CASE(bytes, 1, kBlock),
      CASE(shorts, 1, kBlock),
      CASE(rows_of_threads, 1, kBlock),
      CASE(index_of_a_tile, 1, kBlock),
      CASE(modulo_too_small, 1, kBlock),
      CASE(word_read_as_bytes, 1, kBlock),
      CASE(vectors, 1, kBlock),
      CASE(halves_of_a_word, 1, kBlock),
      CASE(fields_of_a_structure, 1, kBlock),
  };
  return run_twins(cases, argc, argv);
}
