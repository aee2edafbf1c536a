// expect: scale-memory, scale-edges-on-device, scaled-edges, scale-copies, scale-parameters, scale-padding, scale-edges-alike
// class: P3. Asks cudaMallocPitch for columns where it takes bytes.
// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>
#include "pitched.h"

/* one block per row, its 128 threads walk along the row */
#define THREADS 128

typedef unsigned char byte;

cudaPitchedPtr allocate_matrix(int rows, int columns) {
  void* p = NULL;
  size_t pitch = 0;
  cudaMallocPitch(&p, &pitch, columns, rows);
  return make_cudaPitchedPtr(p, pitch, columns, rows);
}

void copy_matrix(cudaPitchedPtr to, cudaPitchedPtr from, cudaMemcpyKind kind) {
  cudaMemcpy2DAsync(to.ptr, to.pitch, from.ptr, from.pitch, from.xsize * sizeof(float), from.ysize,
                    kind, 0);
  cudaStreamSynchronize(0);
}

__global__ void scale_kernel(cudaPitchedPtr out, cudaPitchedPtr in, float first, float step) {
  int r = blockIdx.x;
  const float* src = (const float*)((const byte*)in.ptr + r * in.pitch);
  float* dst = (float*)((byte*)out.ptr + r * out.pitch);
  float factor = first + step * r;
  for (int c = threadIdx.x; c < (int)in.xsize; c += blockDim.x) dst[c] = factor * src[c];
}

void scale_rows(cudaPitchedPtr result, cudaPitchedPtr source, float first, float step) {
  cudaPitchedPtr in = allocate_matrix((int)source.ysize, (int)source.xsize);
  cudaPitchedPtr out = allocate_matrix((int)source.ysize, (int)source.xsize);
  copy_matrix(in, source, cudaMemcpyHostToDevice);
  scale_kernel<<<(unsigned)source.ysize, THREADS>>>(out, in, first, step);
  copy_matrix(result, out, cudaMemcpyDeviceToHost);
  cudaFree(in.ptr);
  cudaFree(out.ptr);
}

cudaPitchedPtr allocate_volume(int depth, int rows, int columns) {
  cudaPitchedPtr p = make_cudaPitchedPtr(NULL, 0, 0, 0);
  cudaExtent e = make_cudaExtent(columns * sizeof(float), rows, depth);
  if (cudaMalloc3D(&p, e) != cudaSuccess) fprintf(stderr, "no memory for the volume\n");
  p.xsize = columns;
  return p;
}

void copy_volume(cudaPitchedPtr to, cudaPitchedPtr from, int depth, cudaMemcpyKind kind) {
  cudaMemcpy3DParms p;
  memset(&p, 0, sizeof p);
  p.srcPtr = from;
  p.dstPtr = to;
  p.extent.width = from.xsize * sizeof(float);
  p.extent.height = from.ysize;
  p.extent.depth = depth;
  p.kind = kind;
  cudaMemcpy3D(&p);
}

__global__ void blend_kernel(cudaPitchedPtr out, cudaPitchedPtr in, int depth, float here,
                             float next) {
  int y = blockIdx.x, z = blockIdx.y;
  size_t slice = in.pitch * in.ysize;
  int z1 = min(z + 1, depth - 1);
  const float* a = (const float*)((const byte*)in.ptr + z * slice + y * in.pitch);
  const float* b = (const float*)((const byte*)in.ptr + z1 * slice + y * in.pitch);
  float* o = (float*)((byte*)out.ptr + z * slice + y * out.pitch);
  for (int x = threadIdx.x; x < (int)in.xsize; x += blockDim.x) o[x] = here * a[x] + next * b[x];
}

void blend_slices(cudaPitchedPtr result, cudaPitchedPtr source, int depth, float here, float next) {
  cudaPitchedPtr in = allocate_volume(depth, (int)source.ysize, (int)source.xsize);
  cudaPitchedPtr out = allocate_volume(depth, (int)source.ysize, (int)source.xsize);
  copy_volume(in, source, depth, cudaMemcpyHostToDevice);
  blend_kernel<<<dim3((unsigned)source.ysize, depth), THREADS>>>(out, in, depth, here, next);
  copy_volume(result, out, depth, cudaMemcpyDeviceToHost);
  cudaFree(in.ptr);
  cudaFree(out.ptr);
}
