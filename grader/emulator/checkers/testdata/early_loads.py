#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a CUDA program of kernels without a race. Each thread changes its own elements of shared memory, and then one
thread alone reads what it has written, under conditions of many forms. Compilers let all threads load it.

usage: early_loads.py SEED KERNELS
"""
import random
import sys

# Each holds for thread 0 of the block's 64 and for no other; n is 64, and more than 2 and 3.
CONDITIONS = ['t == 0', '!t', 't < 1', 't == 0 && n > 3', '(t | lane) == 0', 'lane == 0 && t < 32',
              '(n > 2 || flag) && t == 0', 't == n - 64', '!(t > 0)', 't * 2 < 1', 't % 64 == 0',
              'threadIdx.x + threadIdx.y == 0', 't == 0 || t == 4096']
FIRST_ELEMENTS = ['sums[0]', 'carved[0]', 'words[0]', 'pair.one', 'pair.many[0]', 'sums[t]', '(int)(reals[0] * 2.0f)']

KERNEL = """
__global__ void kernel_{number}(int* out, const int* in, int n, bool flag) {{
  extern __shared__ int carved[];
  __shared__ int sums[256], words[64];
  __shared__ float reals[64];
  __shared__ struct {{ int one; int many[64]; }} pair;
  const int t = threadIdx.x;
  [[maybe_unused]] const int lane = t % 32;
  int r = in[t];
  for (int i = t; i < 256; i += 64) sums[i] = in[0];
  carved[t] = words[t] = in[t];
  reals[t] = in[t];
  pair.many[t] = 1;
  if (t == 0) pair.one = 2;
  __syncthreads();
  sums[t] += 1;
  carved[t] += 2;
  words[t] *= 3;
  reals[t] += 1.5f;
  pair.many[t] ^= 3;
  if (t == 0) {{
    pair.one += 1;
    sums[64] += 1;
    sums[128] = 4;
  }}
  {statements}
  if (t == 0) {{
    sums[0] = carved[0] = words[0] = r;
    reals[0] = 1;
    pair.one = pair.many[0] = 3;
  }}
  out[t] = r;
}}"""

MAIN = """
int main() {{
  int *in, *out;
  cudaMalloc(&in, 64 * sizeof(int));
  cudaMalloc(&out, 128 * sizeof(int));
  cudaMemset(in, 0, 64 * sizeof(int));
  cudaMemset(out, 0, 128 * sizeof(int));
  {launches}
  const cudaError_t status = cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return status != cudaSuccess;
}}"""


class Writer:
    def __init__(self, seed):
        self.pick = random.Random(seed).choice

    def value(self, depth=0):
        first = self.pick(FIRST_ELEMENTS)
        if depth == 2:
            return first
        return self.pick([
            lambda: first,
            lambda: f"({self.value(depth + 1)} {self.pick('+*^-&|')} {self.pick(['n', '3', 't', first])})",
            lambda: f"max({self.value(depth + 1)}, {self.pick(['n', '0', 'r'])})",
        ])()

    def test(self):
        return f"{self.value()} {self.pick(['>', '<', '==', '!=', '>='])} {self.pick(['0', 'n', 'r', '7', self.value()])}"

    def statement(self):
        condition, test, value = self.pick(CONDITIONS), self.test(), self.value()
        return self.pick([
            f'if ({condition} && {test}) r = {value};',
            f'if ({condition}) {{ if ({test}) r += {value}; else r -= {self.value()}; }}',
            f'r = ({condition}) ? {value} : r;',
            f'{{ bool ok = {condition}; ok = ok && {test}; r |= ok; }}',
            f'if (!({condition})) r += 1; else if ({test}) r += 2;',
            f'if (!({condition}) || {test}) r ^= 5;',
            f'for (int i = 0; i < n && ({condition}) && {test}; ++i) r += i;',
            f'r = ({condition}) && {test} && {self.test()} ? 1 : r;',
            f'if ({condition}) for (int i = 0; i < 3; ++i) r += sums[i * 64];',
            f'{{ int v = 0; if ({condition}) v = {value}; if (n > 3) r += v; }}',
            f'if ({condition}) out[64] = {value};',
            f'if (({condition}) && {test}) atomicAdd(out + 65, {value});',
            f'if ({condition}) switch ({value} & 3) {{ case 0: r += 1; break; case 1: r -= 2; break; default: r = {value}; }}',
        ])


def main():
    seed, kernels = int(sys.argv[1]), int(sys.argv[2])
    writer = Writer(seed)
    for number in range(kernels):
        statements = '\n  '.join(writer.statement() for _ in range(writer.pick([1, 2, 3])))
        print(KERNEL.format(number=number, statements=statements))
    launches = '\n  '.join(f'kernel_{number}<<<1, 64, 64 * sizeof(int)>>>(out, in, 64, false);' for number in range(kernels))
    print(MAIN.format(launches=launches))


if __name__ == '__main__':
    main()
