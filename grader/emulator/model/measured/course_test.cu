// SPDX-License-Identifier: MIT
// Kernels as courses have them, the ground truth's, on data large enough to time. They were written
// and measured after the time model; nothing here is used to fit it.
#include "emulator/model/measured/variants.cuh"
#include "testing/ground_truth/course/collectives.cuh"
#include "testing/ground_truth/course/elementwise.cuh"
#include "testing/ground_truth/course/irregular.cuh"
#include "testing/ground_truth/course/tiles.cuh"

namespace {

using namespace course;

constexpr int kMany = 4 * kMegabyte, kSide = 2048, kSmallSide = 512, kCells = 128;
constexpr dim3 kSquare(16, 16), kFlat(32, 8);

template <class T>
T* as(void* memory) {
  return static_cast<T*>(memory);
}

dim3 cover(int width, int height, dim3 block) {
  return dim3((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
}

const std::vector<Variant> kVariants = {
    {"saxpy", "stride 8",
     [](const Buffers& b) {
       saxpy_strided<<<kMegabyte / 256, 256>>>(kMegabyte, 2, b.a, 8, b.b, 8);
     }},
    {"saxpy", "stride 2",
     [](const Buffers& b) {
       saxpy_strided<<<kMegabyte / 256, 256>>>(kMegabyte, 2, b.a, 2, b.b, 2);
     }},
    {"saxpy", "stride 1",
     [](const Buffers& b) { saxpy<<<kMegabyte / 256, 256>>>(kMegabyte, 2, b.a, b.b); }},
    {"sum", "16 neighbours a thread",
     [](const Buffers& b) { add_blocked<<<kMany / 4096, 256>>>(b.a, b.b, b.large, kMany, 16); }},
    {"sum", "4 neighbours a thread",
     [](const Buffers& b) { add_blocked<<<kMany / 1024, 256>>>(b.a, b.b, b.large, kMany, 4); }},
    {"sum", "vec4",
     [](const Buffers& b) { add_vec4<<<kMany / 1024, 256>>>(b.a, b.b, b.large, kMany); }},
    {"daxpy", "grid-stride loop",
     [](const Buffers& b) { daxpy<<<528, 256>>>(kMany, 2, as<double>(b.a), as<double>(b.b)); }},
    {"bodies", "array of structs",
     [](const Buffers& b) { move_aos<<<kMegabyte / 256, 256>>>(as<Body>(b.large), 1, kMegabyte); }},
    {"bodies", "struct of arrays",
     [](const Buffers& b) {
       float* const x = b.large;
       move_soa<<<kMegabyte / 256, 256>>>({x, x + kMegabyte, x + 2 * kMegabyte, x + 3 * kMegabyte,
                                           x + 4 * kMegabyte, x + 5 * kMegabyte, x},
                                          1, kMegabyte);
     }},
    {"complex", "product",
     [](const Buffers& b) {
       multiply_complex<<<1024, 256>>>(as<float2>(b.a), as<float2>(b.b), as<float2>(b.large),
                                       kMany);
     }},
    {"half", "half2 axpy",
     [](const Buffers& b) {
       half_axpy<<<kMany / 256, 256>>>(as<__half2>(b.a), as<__half2>(b.b), 2, kMany);
     }},
    {"half", "float to int8",
     [](const Buffers& b) { quantise<<<2048, 256>>>(b.a, as<int8_t>(b.b), 3, kMany); }},
    {"polynomial", "double",
     [](const Buffers& b) {
       polynomial<<<kMegabyte / 256, 256>>>(as<double>(b.a), as<double>(b.b), kMegabyte,
                                            as<double>(b.large), 32);
     }},
    {"look-up", "bytes",
     [](const Buffers& b) {
       look_up<<<kMany / 256, 256>>>(as<unsigned char>(b.random), b.a, b.b, kMany);
     }},
    {"stencil", "line",
     [](const Buffers& b) { stencil_line<4><<<kMany / 256, 256>>>(b.a, b.b, kMany); }},
    {"stencil", "heat 32x8",
     [](const Buffers& b) {
       heat<<<cover(kSide, kSide, kFlat), kFlat>>>(b.a, b.b, kSide, kSide, 0.1f);
     }},
    {"stencil", "heat 4x32",
     [](const Buffers& b) {
       heat<<<cover(kSide, kSide, dim3(4, 32)), dim3(4, 32)>>>(b.a, b.b, kSide, kSide, 0.1f);
     }},
    {"stencil", "wave in 3 dimensions",
     [](const Buffers& b) {
       wave_3d<<<cover(kCells, kCells, kFlat), kFlat>>>(
           as<double>(b.a), as<double>(b.b), as<double>(b.large), kCells, kCells, kCells);
     }},
    {"stencil", "laplace in 3 dimensions",
     [](const Buffers& b) { laplace_3d<<<dim3(8, 32), kFlat>>>(b.a, b.b, 258, 258, 64); }},
    {"stencil", "jacobi in a tile",
     [](const Buffers& b) {
       jacobi<<<dim3(96, 96), kSquare>>>(as<double>(b.a), as<double>(b.b), 96 * 16 + 2);
     }},
    {"image", "grey of uchar3",
     [](const Buffers& b) {
       grey_of_rgb<<<cover(kSide, kSide, kSquare), kSquare>>>(as<uchar3>(b.a),
                                                              as<unsigned char>(b.b), kSide, kSide);
     }},
    {"image", "grey of uchar4",
     [](const Buffers& b) {
       grey_of_rgba<<<cover(kSide, kSide, kSquare), kSquare>>>(
           as<uchar4>(b.a), as<unsigned char>(b.b), kSide, kSide);
     }},
    {"image", "blur of radius 3",
     [](const Buffers& b) {
       blur<<<cover(1024, 1024, kSquare), kSquare>>>(as<uchar4>(b.a), as<uchar4>(b.b), 1024, 1024,
                                                     3);
     }},
    {"image", "sobel",
     [](const Buffers& b) {
       sobel<<<cover(kSide, kSide, kFlat), kFlat>>>(as<unsigned char>(b.random),
                                                    as<unsigned char>(b.b), kSide, kSide);
     }},
    {"image", "life",
     [](const Buffers& b) {
       life<<<cover(kSide, kSide, kSquare), kSquare>>>(as<unsigned char>(b.random),
                                                       as<unsigned char>(b.b), kSide, kSide);
     }},
    {"image", "life in a tile",
     [](const Buffers& b) {
       life_tile<<<cover(kSide, kSide, dim3(32, 16)), dim3(32, 16)>>>(
           as<unsigned char>(b.random), as<unsigned char>(b.b), kSide, kSide);
     }},
    {"image", "plane convolution",
     [](const Buffers& b) {
       convolve_plane<<<cover(kSide, kSide, kSquare), dim3(20, 20)>>>(b.a, b.b, kSide, kSide);
     }},
    {"image", "line convolution",
     [](const Buffers& b) { convolve_line<<<kMany / 256, 256>>>(b.a, b.b, kMany); }},
    {"matmul", "swapped",
     [](const Buffers& b) {
       matmul_swapped<<<cover(kSmallSide, kSmallSide, kSquare), kSquare>>>(b.a, b.b, b.large,
                                                                           kSmallSide);
     }},
    {"matmul", "plain",
     [](const Buffers& b) {
       matmul_rectangular<<<cover(kSmallSide, kSmallSide, kSquare), kSquare>>>(
           b.a, b.b, b.large, kSmallSide, kSmallSide, kSmallSide);
     }},
    {"matmul", "tiles of 32",
     [](const Buffers& b) {
       matmul_tiled<32, 0>
           <<<dim3(16, 16), dim3(32, 32)>>>(b.a, b.b, b.large, kSmallSide, kSmallSide, kSmallSide);
     }},
    {"matmul", "rectangular tiles",
     [](const Buffers& b) {
       matmul_rectangles<<<dim3(16, 16), kFlat>>>(b.a, b.b, b.large, kSmallSide);
     }},
    {"matmul tiles", "of 8",
     [](const Buffers& b) {
       matmul_tiled<8, 0>
           <<<dim3(64, 64), dim3(8, 8)>>>(b.a, b.b, b.large, kSmallSide, kSmallSide, kSmallSide);
     }},
    {"matmul tiles", "transposed",
     [](const Buffers& b) {
       matmul_transposed_tile<<<dim3(32, 32), kSquare>>>(b.a, b.b, b.large, kSmallSide);
     }},
    {"matmul tiles", "doubles",
     [](const Buffers& b) {
       matmul_doubles<<<dim3(32, 32), kSquare, 4096>>>(as<double>(b.a), as<double>(b.b),
                                                       as<double>(b.large), kSmallSide);
     }},
    {"matvec", "a row a thread",
     [](const Buffers& b) {
       matvec<<<kSide / 128, 128>>>(as<double>(b.a), as<double>(b.b), as<double>(b.large), kSide,
                                    kSide);
     }},
    {"matvec", "a row a warp",
     [](const Buffers& b) {
       matvec_by_warps<<<kSide / 4, 128>>>(b.a, b.b, b.large, kSide, kSide);
     }},
    {"matvec", "column sums",
     [](const Buffers& b) { column_sums<<<kSide / 64, 64>>>(b.a, b.b, kSide, kSide); }},
    {"transpose", "plain",
     [](const Buffers& b) {
       transpose_plain<<<cover(kSide, kSide, kFlat), kFlat>>>(b.a, b.b, kSide, kSide);
     }},
    {"transpose", "tile",
     [](const Buffers& b) {
       transpose_tile<float, 32, 8, 0><<<dim3(64, 64), kFlat>>>(b.a, b.b, kSide, kSide);
     }},
    {"transpose", "padded tile",
     [](const Buffers& b) {
       transpose_tile<float, 32, 8, 1><<<dim3(64, 64), kFlat>>>(b.a, b.b, kSide, kSide);
     }},
    {"transpose", "diagonal order",
     [](const Buffers& b) { transpose_diagonal<<<dim3(64, 64), kFlat>>>(b.a, b.b, kSide); }},
    {"reduction", "0",
     [](const Buffers& b) { reduce0<float><<<kMany / 256, 256, 1024>>>(b.a, b.b, kMany); }},
    {"reduction", "1",
     [](const Buffers& b) { reduce1<float><<<kMany / 256, 256, 1024>>>(b.a, b.b, kMany); }},
    {"reduction", "2",
     [](const Buffers& b) { reduce2<float><<<kMany / 256, 256, 1024>>>(b.a, b.b, kMany); }},
    {"reduction", "3",
     [](const Buffers& b) { reduce3<float><<<kMany / 512, 256, 1024>>>(b.a, b.b, kMany); }},
    {"reduction", "4",
     [](const Buffers& b) { reduce4<float><<<kMany / 512, 256, 1024>>>(b.a, b.b, kMany); }},
    {"reduction", "5",
     [](const Buffers& b) { reduce5<float, 256><<<kMany / 512, 256>>>(b.a, b.b, kMany); }},
    {"reduction", "6", [](const Buffers& b) { reduce6<float><<<528, 256>>>(b.a, b.b, kMany); }},
    {"reduction", "dot product",
     [](const Buffers& b) { dot<<<264, 256>>>(b.a, b.b, b.large, kMany); }},
    {"scan", "tree",
     [](const Buffers& b) { scan_tree<false><<<2048, 256, 2048>>>(b.random, b.sums, 512); }},
    {"scan", "padded tree",
     [](const Buffers& b) { scan_tree<true><<<2048, 256, 2112>>>(b.random, b.sums, 512); }},
    {"scan", "shuffles",
     [](const Buffers& b) {
       scan_shuffles<<<4096, 256>>>(b.random, b.sums, as<int>(b.a), kMegabyte);
     }},
    {"histogram", "global",
     [](const Buffers& b) {
       histogram_global<<<528, 256>>>(as<unsigned char>(b.random), as<unsigned>(b.sums), kMany);
     }},
    {"histogram", "shared",
     [](const Buffers& b) {
       histogram_shared<<<528, 256>>>(as<unsigned char>(b.random), as<unsigned>(b.sums), kMany);
     }},
    {"histogram", "of warps",
     [](const Buffers& b) {
       histogram_of_warps<<<528, 256>>>(as<uchar4>(b.random), as<unsigned>(b.sums), kMegabyte);
     }},
    {"sort", "bitonic step",
     [](const Buffers& b) { bitonic_step<<<kMany / 256, 256>>>(b.a, 4096, 8192); }},
    {"sort", "bitonic blocks", [](const Buffers& b) { bitonic_block<<<2048, 256>>>(b.random); }},
    {"bodies", "tiled",
     [](const Buffers& b) {
       bodies_tiled<<<64, 128, 2048>>>(as<float4>(b.a), as<float4>(b.b), 8192);
     }},
    {"rows", "softmax", [](const Buffers& b) { softmax<<<2048, 128>>>(b.a, b.b, 1024); }},
    {"search", "binary",
     [](const Buffers& b) {
       find<<<kMegabyte / 256, 256>>>(b.keys, kMegabyte, b.random, b.sums, kMegabyte);
     }},
    {"atomics", "count",
     [](const Buffers& b) { count_matches<<<kMany / 256, 256>>>(b.random, kMany, 3, b.sums); }},
    {"compaction", "a ticket a thread",
     [](const Buffers& b) {
       compact<<<kMegabyte / 256, 256>>>(b.random, as<int>(b.a), b.sums, kMegabyte);
     }},
    {"compaction", "by warps",
     [](const Buffers& b) {
       compact_by_warps<<<kMegabyte / 256, 256>>>(b.random, as<int>(b.a), b.sums + 32, kMegabyte);
     }},
    {"paths", "odd and even",
     [](const Buffers& b) { odd_and_even<<<kMany / 256, 256>>>(b.a, b.b, kMany); }},
    {"paths", "mandelbrot",
     [](const Buffers& b) {
       mandelbrot<<<cover(1024, 1024, kSquare), kSquare>>>(as<unsigned char>(b.a), 1024, 1024, 200);
     }},
    {"paths", "primes",
     [](const Buffers& b) { primes<<<1024, 256>>>(as<unsigned char>(b.a), 1024 * 256); }},
    {"paths", "common divisors",
     [](const Buffers& b) {
       common_divisors<<<2048, 256>>>(as<unsigned>(b.random), as<unsigned>(b.random) + kMegabyte,
                                      as<unsigned>(b.a), 2048 * 256);
     }},
    {"paths", "random walks",
     [](const Buffers& b) { random_walks<<<2048, 128>>>(7, 200, as<int>(b.a)); }},
    {"own arrays", "median of 11",
     [](const Buffers& b) { median<<<2048, 256>>>(b.random, as<int>(b.a), 2048 * 256, 11); }},
    {"own arrays", "histogram",
     [](const Buffers& b) {
       local_histogram<<<512, 128>>>(as<unsigned char>(b.random), as<unsigned>(b.a), 64);
     }},
    {"shuffles", "broadcasts",
     [](const Buffers& b) { broadcast_rows<<<4096, 256>>>(b.a, b.b, 32); }},
};

}  // namespace

int main(int argc, char** argv) { return run_variants("course", kVariants, argc, argv); }
