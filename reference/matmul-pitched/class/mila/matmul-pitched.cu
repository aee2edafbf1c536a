/* Mila */
#include "matmul-pitched.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef float Type;

#define get_elem(array, Row, Column) (((Type*)((char*)(array).ptr + (Row) * (array).pitch))[(Column)])

__global__ void matmul(cudaPitchedPtr A, cudaPitchedPtr B, cudaPitchedPtr C)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;   /* column */
    int i = blockIdx.y * blockDim.y + threadIdx.y;   /* row */
    int n = (int)A.xsize;
    Type tmp = 0;

    for (int k = 0; k < n; k++)
        tmp += get_elem(A, i, k) * get_elem(B, k, j);
    get_elem(C, i, j) = tmp;
}

cudaPitchedPtr wrap_dense(float *elements, int rows, int columns)
{
    return make_cudaPitchedPtr(elements, columns * sizeof(Type), columns, rows);
}

void fill_random(cudaPitchedPtr M)
{
    for (int i = 0; i < (int)M.ysize; i++)
        for (int j = 0; j < (int)M.xsize; j++)
            get_elem(M, i, j) = (Type)rand() / (Type)RAND_MAX;
}

int select_device(int required_major)
{
    int n;
    cudaGetDeviceCount(&n);
    for (int d = 0; d < n; d++) {
        cudaDeviceProp prop;
        cudaGetDeviceProperties(&prop, d);
        if (prop.major == required_major) {
            cudaSetDevice(d);
            return d;
        }
    }
    return -1;
}

static float run_kernel(cudaPitchedPtr dA, cudaPitchedPtr dB, cudaPitchedPtr dC, int block_height)
{
    cudaEvent_t start, stop;
    float ms;
    dim3 threads(32, block_height);
    dim3 blocks((dC.xsize + threads.x - 1) / threads.x, (dC.ysize + threads.y - 1) / threads.y);

    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start, 0);
    matmul<<<blocks, threads>>>(dA, dB, dC);
    cudaGetLastError();
    cudaEventRecord(stop, 0);
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(&ms, start, stop);
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    return ms;
}

float multiply_dense(cudaPitchedPtr C, cudaPitchedPtr A, cudaPitchedPtr B, int block_height)
{
    cudaPitchedPtr dA = make_cudaPitchedPtr(0, A.xsize * sizeof(Type), A.xsize, A.ysize);
    cudaPitchedPtr dB = make_cudaPitchedPtr(0, B.xsize * sizeof(Type), B.xsize, B.ysize);
    cudaPitchedPtr dC = make_cudaPitchedPtr(0, C.xsize * sizeof(Type), C.xsize, C.ysize);
    cudaMalloc(&dA.ptr, dA.pitch * dA.ysize);
    cudaMalloc(&dB.ptr, dB.pitch * dB.ysize);
    cudaMalloc(&dC.ptr, dC.pitch * dC.ysize);

    /* the host rows may have gaps, so no plain cudaMemcpy */
    cudaMemcpy2D(dA.ptr, dA.pitch, A.ptr, A.pitch, A.xsize * sizeof(Type), A.ysize, cudaMemcpyHostToDevice);
    cudaMemcpy2D(dB.ptr, dB.pitch, B.ptr, B.pitch, B.xsize * sizeof(Type), B.ysize, cudaMemcpyHostToDevice);
    float ms = run_kernel(dA, dB, dC, block_height);
    cudaMemcpy2D(C.ptr, C.pitch, dC.ptr, dC.pitch, C.xsize * sizeof(Type), C.ysize, cudaMemcpyDeviceToHost);

    cudaFree(dA.ptr);
    cudaFree(dB.ptr);
    cudaFree(dC.ptr);
    return ms;
}

float multiply_padded(cudaPitchedPtr C, cudaPitchedPtr A, cudaPitchedPtr B, int block_height)
{
    cudaPitchedPtr dA = make_cudaPitchedPtr(0, 0, A.xsize, A.ysize);
    cudaPitchedPtr dB = make_cudaPitchedPtr(0, 0, B.xsize, B.ysize);
    cudaPitchedPtr dC = make_cudaPitchedPtr(0, 0, C.xsize, C.ysize);
    cudaMallocPitch(&dA.ptr, &dA.pitch, A.xsize * sizeof(Type), A.ysize);
    cudaMallocPitch(&dB.ptr, &dB.pitch, B.xsize * sizeof(Type), B.ysize);
    cudaMallocPitch(&dC.ptr, &dC.pitch, C.xsize * sizeof(Type), C.ysize);

    cudaMemcpy2D(dA.ptr, dA.pitch, A.ptr, A.pitch, A.xsize * sizeof(Type), A.ysize, cudaMemcpyHostToDevice);
    cudaMemcpy2D(dB.ptr, dB.pitch, B.ptr, B.pitch, B.xsize * sizeof(Type), B.ysize, cudaMemcpyHostToDevice);
    float ms = run_kernel(dA, dB, dC, block_height);
    cudaMemcpy2D(C.ptr, C.pitch, dC.ptr, dC.pitch, C.xsize * sizeof(Type), C.ysize, cudaMemcpyDeviceToHost);

    cudaFree(dA.ptr);
    cudaFree(dB.ptr);
    cudaFree(dC.ptr);
    return ms;
}

bool product_is_right(cudaPitchedPtr C, cudaPitchedPtr A, cudaPitchedPtr B)
{
    for (int i = 0; i < (int)C.ysize; i++)
        for (int j = 0; j < (int)C.xsize; j++) {
            double sum = 0;
            for (int k = 0; k < (int)A.xsize; k++)
                sum += (double)get_elem(A, i, k) * get_elem(B, k, j);
            double diff = fabs(sum - get_elem(C, i, j));
            if (!(diff <= 1e-4 * (1 + fabs(sum)))) {
                printf("wrong at [%d, %d]: %f instead of %f\n", i, j, get_elem(C, i, j), sum);
                return false;
            }
        }
    return true;
}
