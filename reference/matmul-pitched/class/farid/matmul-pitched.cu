// Farid -- plain pointers are faster
#include "matmul-pitched.h"
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define get_elem(array, Row, Column) \
    (((float*)((char*)array.ptr + (Row) * array.pitch))[(Column)])

#define CUDA(call) do { cudaError_t e = (call); if (e != cudaSuccess) { \
    fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e)); abort(); } } while (0)

__global__ void matmul(const char *a, size_t a_pitch, const char *b, size_t b_pitch, char *c, size_t c_pitch,
                       int m, int n, int p) {
    const int j = threadIdx.x + blockIdx.x * blockDim.x;
    const int i = threadIdx.y + blockIdx.y * blockDim.y;
    if (j < p && i < m) {
        float s = 0;
        for (int k = 0; k < n; k++) {
            s += ((const float*)(a + i * a_pitch))[k] * ((const float*)(b + k * b_pitch))[j];
        }
        ((float*)(c + i * c_pitch))[j] = s;
    }
}

static cudaPitchedPtr on_device(cudaPitchedPtr host, bool padding) {
    cudaPitchedPtr d = host;
    if (padding) {
        CUDA(cudaMallocPitch(&d.ptr, &d.pitch, d.xsize * sizeof(float), d.ysize));
    } else {
        d.pitch = d.xsize * sizeof(float);
        CUDA(cudaMalloc(&d.ptr, d.pitch * d.ysize));
    }
    return d;
}

static void copy(cudaPitchedPtr dst, cudaPitchedPtr src, cudaMemcpyKind kind) {
    CUDA(cudaMemcpy2D(dst.ptr, dst.pitch, src.ptr, src.pitch, src.xsize * sizeof(float), src.ysize, kind));
}

static float run(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b, int height, bool padding) {
    cudaPitchedPtr da = on_device(a, padding), db = on_device(b, padding), dc = on_device(c, padding);
    int m = (int)a.ysize, n = (int)a.xsize, p = (int)b.xsize;
    copy(da, a, cudaMemcpyHostToDevice);
    copy(db, b, cudaMemcpyHostToDevice);

    cudaEvent_t e1, e2;
    CUDA(cudaEventCreate(&e1));
    CUDA(cudaEventCreate(&e2));
    dim3 block(16, height, 1);
    dim3 grid((p + 15) / 16, (m + height - 1) / height, 1);
    CUDA(cudaEventRecord(e1));
    matmul<<<grid, block>>>((const char*)da.ptr, da.pitch, (const char*)db.ptr, db.pitch, (char*)dc.ptr, dc.pitch,
                            m, n, p);
    CUDA(cudaEventRecord(e2));
    CUDA(cudaDeviceSynchronize());
    float time;
    CUDA(cudaEventElapsedTime(&time, e1, e2));

    copy(c, dc, cudaMemcpyDeviceToHost);
    CUDA(cudaFree(da.ptr));
    CUDA(cudaFree(db.ptr));
    CUDA(cudaFree(dc.ptr));
    CUDA(cudaEventDestroy(e1));
    CUDA(cudaEventDestroy(e2));
    return time;
}

cudaPitchedPtr wrap_dense(float* elements, int rows, int columns) {
    return make_cudaPitchedPtr(elements, columns * sizeof(float), columns, rows);
}

void fill_random(cudaPitchedPtr matrix) {
    for (size_t i = 0; i < matrix.ysize; i++)
        for (size_t j = 0; j < matrix.xsize; j++)
            get_elem(matrix, i, j) = 1.0f * rand() / RAND_MAX;
}

int select_device(int required_major) {
    int n = 0;
    CUDA(cudaGetDeviceCount(&n));
    for (int i = 0; i < n; i++) {
        cudaDeviceProp p;
        CUDA(cudaGetDeviceProperties(&p, i));
        if (p.major != required_major) continue;
        CUDA(cudaSetDevice(i));
        return i;
    }
    return -1;
}

float multiply_dense(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b, int block_height) {
    return run(c, a, b, block_height, false);
}

float multiply_padded(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b, int block_height) {
    return run(c, a, b, block_height, true);
}

bool product_is_right(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
    int wrong = 0;
    for (size_t i = 0; i < c.ysize; i++) {
        for (size_t j = 0; j < c.xsize; j++) {
            float s = 0;
            for (size_t k = 0; k < a.xsize; k++) s += get_elem(a, i, k) * get_elem(b, k, j);
            if (!(fabsf(get_elem(c, i, j) - s) < 1e-3f * (1 + fabsf(s)))) wrong++;
        }
    }
    return wrong == 0;
}
