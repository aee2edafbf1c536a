// SPDX-License-Identifier: MIT
// Kernels as courses have them. They were written, and measured, after the rules of the counters: a
// check by kernels that nobody had in mind.
#include <algorithm>

#include "testing/ground_truth/cases.cuh"
#include "testing/ground_truth/course/collectives.cuh"
#include "testing/ground_truth/course/elementwise.cuh"
#include "testing/ground_truth/course/irregular.cuh"
#include "testing/ground_truth/course/tiles.cuh"

namespace {

using namespace course;

constexpr int kCount = 9001;

constexpr const char* kDivided = "divisions of very small numbers take a slow path";
constexpr const char* kInTurn = "threads write in the order in which they came";

dim3 cover(int width, int height, dim3 block) {
  return dim3((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
}

int blocks_of(int size, int count = kCount) { return (count + size - 1) / size; }

template <class T>
std::vector<T> random(size_t count, unsigned limit) {
  std::vector<T> values(count);
  Numbers numbers;
  for (T& value : values) value = static_cast<T>(numbers.below(limit));
  return values;
}

void vectors() {
  float *const x = zeros<float>(8 * kCount), *const y = zeros<float>(8 * kCount),
               *const z = zeros<float>(8 * kCount);
  launch("saxpy", saxpy, blocks_of(256), 256, 0, {}, kCount, 2, x, y);
  launch("saxpy, blocks of 1000", saxpy, blocks_of(1000), 1000, 0, {}, kCount, 2, x, y);
  launch("saxpy, stride 2 and 1", saxpy_strided, 8, 256, 0, {}, 2000, 2, x, 2, y, 1);
  launch("saxpy, stride 5 and 3", saxpy_strided, 8, 256, 0, {}, 2000, 2, x, 5, y, 3);
  launch("saxpy, stride 1 and 32", saxpy_strided, 8, 256, 0, {}, 2000, 2, x, 1, y, 32);
  launch("daxpy in a grid-stride loop", daxpy, 6, 160, 0, {}, kCount, 2, zeros<double>(kCount),
         zeros<double>(kCount));
  launch("vec4 with a tail", add_vec4, 10, 256, 0, {}, x, y, z, kCount);
  launch("vec4, all of it aligned", add_vec4, 8, 128, 0, {}, x, y, z, 4096);
  for (const int shift : {0, 1, 3}) {
    char name[80];
    std::snprintf(name, sizeof name, "float2 off by %d", shift);
    launch(name, scale_pairs, 12, 256, 0, {}, reinterpret_cast<const float2*>(x) + shift,
           reinterpret_cast<float2*>(y) + shift, 2, 3000);
    std::snprintf(name, sizeof name, "float4 off by %d", shift);
    launch(name, scale_quads, 12, 256, 0, {}, reinterpret_cast<const float4*>(x) + shift,
           reinterpret_cast<float4*>(y), 2, 3000);
  }
  launch("4 neighbours a thread", add_blocked, 9, 256, 0, {}, x, y, z, kCount, 4);
  launch("7 neighbours a thread", add_blocked, 6, 256, 0, {}, x, y, z, kCount, 7);
  launch("array of structs", move_aos, 8, 256, 0, {}, reinterpret_cast<Body*>(x), 1, 2000);
  const Bodies bodies{x, x + 2000, x + 4000, x + 6001, x + 8002, x + 10003, x + 12004};
  launch("struct of arrays", move_soa, 8, 256, 0, {}, bodies, 1, 2000);
  launch("struct of bytes and words", keys_of_samples, 12, 256, 0, {},
         reinterpret_cast<const Sample*>(x), zeros<int>(3000), 3000);
  launch("complex numbers apart", split_complex, 12, 256, 0, {}, reinterpret_cast<const float2*>(x),
         y, z, 3000);
  launch("complex product", multiply_complex, 4, 256, 0, {}, reinterpret_cast<const float2*>(x),
         reinterpret_cast<const float2*>(y), reinterpret_cast<float2*>(z), 3000);
  launch("half2", half_axpy, 18, 256, 0, {}, reinterpret_cast<const __half2*>(x),
         reinterpret_cast<__half2*>(y), 2, kCount / 2);
  launch("half to float", widen, blocks_of(128), 128, 0, {}, reinterpret_cast<const __half*>(x), y,
         kCount);
  launch("float to int8", quantise, 7, 192, 0, {}, x, zeros<int8_t>(kCount), 3, kCount);
  launch("16-bit samples", mix_sound, blocks_of(256), 256, 0, {}, reinterpret_cast<const short*>(x),
         reinterpret_cast<const short*>(y), reinterpret_cast<short*>(z), kCount);
  launch("polynomial", polynomial, 8, 256, 0, {}, zeros<double>(2000), zeros<double>(2000), 2000,
         zeros<double>(12), 12);
  launch("table look-up", look_up, blocks_of(256), 256, 0, {},
         on_device(random<unsigned char>(kCount, 256)), x, y, kCount);
  launch("reversed ints", reverse, blocks_of(256), 256, 0, {}, reinterpret_cast<const int*>(x),
         reinterpret_cast<int*>(y), kCount);
  launch("caesar", caesar, blocks_of(512), 512, 0, {}, on_device(random<char>(kCount, 128)),
         zeros<char>(kCount), kCount, 5);
  launch("fill 16 bytes", fill_words, 5, 256, 0, {}, reinterpret_cast<uint4*>(x), 7, 1100);
  launch("line stencil, radius 1", stencil_line<1>, blocks_of(256), 256, 0,
         {"arithmetic", kDivided}, x, y, kCount);
  launch("line stencil, radius 4", stencil_line<4>, blocks_of(128), 128, 0,
         {"arithmetic", kDivided}, x, y, kCount);
}

void planes() {
  constexpr int width = 150, height = 61;
  float *const a = zeros<float>(2 * width * height), *const b = zeros<float>(2 * width * height),
               *const c = zeros<float>(2 * width * height);
  const unsigned char* const bytes = on_device(random<unsigned char>(4 * width * height, 256));
  unsigned char* const out = zeros<unsigned char>(4 * width * height);
  const dim3 square(16, 16), flat(32, 8), line(128, 1), tall(4, 32);
  launch("heat 16x16", heat, cover(width, height, square), square, 0, {}, a, b, width, height,
         0.1f);
  launch("heat 32x8", heat, cover(width, height, flat), flat, 0, {}, a, b, width, height, 0.1f);
  launch("heat 4x32", heat, cover(width, height, tall), tall, 0, {}, a, b, width, height, 0.1f);
  launch("wave in 3 dimensions", wave_3d, cover(38, 28, flat), flat, 0, {},
         zeros<double>(40 * 30 * 9), zeros<double>(40 * 30 * 9), zeros<double>(40 * 30 * 9), 40, 30,
         9);
  launch("grey of uchar3", grey_of_rgb, cover(width, height, square), square, 0, {},
         reinterpret_cast<const uchar3*>(bytes), out, width, height);
  launch("grey of uchar4", grey_of_rgba, cover(width, height, square), square, 0, {},
         reinterpret_cast<const uchar4*>(bytes), out, width, height);
  launch("blur of uchar4, radius 1", blur, cover(width, height, square), square, 0, {},
         reinterpret_cast<const uchar4*>(bytes), reinterpret_cast<uchar4*>(out), width, height, 1);
  launch("blur of uchar4, radius 3", blur, cover(width, height, flat), flat, 0, {},
         reinterpret_cast<const uchar4*>(bytes), reinterpret_cast<uchar4*>(out), width, height, 3);
  launch("gauss of rows", gauss_rows, dim3(2, height), line, 0, {}, bytes, a, width, height);
  launch("sobel", sobel, cover(width, height, flat), flat, 0, {}, bytes, out, width, height);
  launch("life", life, cover(width, height, square), square, 0, {}, bytes, out, width, height);
  launch("life, 32x4", life, cover(width, height, dim3(32, 4)), dim3(32, 4), 0, {}, bytes, out,
         width, height);
  launch("life in a tile", life_tile, cover(width, height, dim3(32, 16)), dim3(32, 16), 0, {},
         bytes, out, width, height);
  launch("matmul 50x70x30", matmul_rectangular, cover(70, 50, square), square, 0, {}, a, b, c, 50,
         70, 30);
  launch("matmul 50x70x30, 32x8", matmul_rectangular, cover(70, 50, flat), flat, 0, {}, a, b, c, 50,
         70, 30);
  launch("matmul, rows and columns swapped", matmul_swapped, cover(60, 60, square), square, 0, {},
         a, b, c, 60);
  launch("matvec of doubles", matvec, 2, 64, 0, {}, zeros<double>(100 * 45), zeros<double>(45),
         zeros<double>(100), 100, 45);
  launch("matvec by warps", matvec_by_warps, 10, 128, 0, {}, a, b, c, 39, 150);
  launch("column sums", column_sums, 2, 96, 0, {}, a, b, width, height);
  launch("triangle", triangle, cover(60, 60, square), square, 0, {}, a, 60);
  launch("floyd", floyd, dim3(1, 90), 96, 0, {}, on_device(random<int>(90 * 90, 100)), 90, 17);
  char *pa = nullptr, *pb = nullptr, *pc = nullptr;
  size_t pitch = 0;
  for (char** const p : {&pa, &pb, &pc}) {
    expect_success(cudaMallocPitch(p, &pitch, width * sizeof(float), height), "pitch");
    expect_success(cudaMemset2D(*p, pitch, 0, width * sizeof(float), height), "pitch");
  }
  launch("pitched sum", add_pitched, cover(width, height, square), square, 0, {}, pa, pb, pc, pitch,
         width, height);
  launch("mandelbrot", mandelbrot, cover(100, 60, square), square, 0, {}, out, 100, 60, 60);
}

template <class T>
void transposes(const char* type) {
  constexpr int width = 100, height = 72;
  T *const in = zeros<T>(width * height), *const out = zeros<T>(width * height);
  char name[80];
  const auto titled = [&](const char* what) {
    std::snprintf(name, sizeof name, "transpose of %s, %s", type, what);
    return name;
  };
  launch(titled("plain"), transpose_plain<T>, cover(width, height, dim3(32, 8)), dim3(32, 8), 0, {},
         in, out, width, height);
  launch(titled("tile"), transpose_tile<T, 32, 8, 0>, cover(width, height, dim3(32, 32)),
         dim3(32, 8), 0, {}, in, out, width, height);
  launch(titled("padded tile"), transpose_tile<T, 32, 8, 1>, cover(width, height, dim3(32, 32)),
         dim3(32, 8), 0, {}, in, out, width, height);
  launch(titled("tile of 16"), transpose_tile<T, 16, 16, 0>, cover(width, height, dim3(16, 16)),
         dim3(16, 16), 0, {}, in, out, width, height);
  launch(titled("padded tile of 16"), transpose_tile<T, 16, 4, 1>,
         cover(width, height, dim3(16, 16)), dim3(16, 4), 0, {}, in, out, width, height);
}

template <class T>
void exchanges(const char* type) {
  T *const in = zeros<T>(256), *const out = zeros<T>(256);
  char name[80];
  for (const int stride : {1, 2, 6, 16, 33}) {
    std::snprintf(name, sizeof name, "shared %s, stride %d", type, stride);
    launch(name, strided_exchange<T>, 1, 128, 0, {}, in, out, stride);
  }
  std::snprintf(name, sizeof name, "columns of 16 %s", type);
  launch(name, columns<T, 16>, 1, dim3(16, 16), 0, {}, in);
  std::snprintf(name, sizeof name, "columns of 17 %s", type);
  launch(name, columns<T, 17>, 1, dim3(16, 16), 0, {}, in);
}

void tiles() {
  float *const a = zeros<float>(128 * 128), *const b = zeros<float>(128 * 128),
               *const c = zeros<float>(128 * 128);
  double *const da = zeros<double>(70 * 70), *const db = zeros<double>(70 * 70),
                *const dc = zeros<double>(70 * 70);
  transposes<float>("float");
  transposes<double>("double");
  transposes<unsigned char>("bytes");
  transposes<float2>("float2");
  launch("transpose, diagonal order", transpose_diagonal, dim3(3, 3), dim3(32, 8), 0, {}, a, b, 96);
  launch("tiled matmul, tiles of 8", matmul_tiled<8, 0>, dim3(6, 5), dim3(8, 8), 0, {}, a, b, c, 37,
         45, 50);
  launch("tiled matmul, tiles of 16", matmul_tiled<16, 0>, dim3(3, 3), dim3(16, 16), 0, {}, a, b, c,
         37, 45, 50);
  launch("tiled matmul, tiles of 16 padded", matmul_tiled<16, 1>, dim3(3, 3), dim3(16, 16), 0, {},
         a, b, c, 37, 45, 50);
  launch("tiled matmul, tiles of 32", matmul_tiled<32, 0>, dim3(2, 2), dim3(32, 32), 0, {}, a, b, c,
         37, 45, 50);
  launch("matmul, transposed tile", matmul_transposed_tile, dim3(4, 4), dim3(16, 16), 0, {}, a, b,
         c, 64);
  launch("matmul, rectangular tiles", matmul_rectangles, dim3(3, 3), dim3(32, 8), 0, {}, a, b, c,
         96);
  launch("matmul of doubles", matmul_doubles, dim3(4, 4), dim3(16, 16), 2 * 256 * 8, {}, da, db, dc,
         64);
  launch("line convolution", convolve_line, 8, 256, 0, {}, a, b, 1990);
  launch("plane convolution", convolve_plane, dim3(7, 6), dim3(20, 20), 0, {}, a, b, 100, 90);
  launch("jacobi", jacobi, dim3(4, 4), dim3(16, 16), 0, {}, da, db, 66);
  launch("laplace in 3 dimensions", laplace_3d, dim3(2, 3), dim3(32, 8), 0, {},
         zeros<float>(66 * 26 * 10), zeros<float>(66 * 26 * 10), 66, 26, 10);
  launch("bodies", bodies_tiled, 4, 64, 64 * 16, {}, reinterpret_cast<const float4*>(a),
         reinterpret_cast<float4*>(b), 256);
  launch("softmax", softmax, 20, 128, 0, {}, a, b, 300);
  exchanges<unsigned char>("bytes");
  exchanges<short>("shorts");
  exchanges<float>("floats");
  exchanges<double>("doubles");
  exchanges<float4>("float4s");
}

template <class T>
void reductions(const char* type) {
  constexpr int n = 4500;
  T *const in = zeros<T>(n), *const out = zeros<T>(64);
  const struct {
    const char* name;
    void (*kernel)(const T*, T*, unsigned);
    int elements;
    size_t shared;
  } kinds[] = {{"0", reduce0<T>, 256, 256 * sizeof(T)},
               {"1", reduce1<T>, 256, 256 * sizeof(T)},
               {"2", reduce2<T>, 256, 256 * sizeof(T)},
               {"3", reduce3<T>, 512, 256 * sizeof(T)},
               {"4", reduce4<T>, 512, 256 * sizeof(T)},
               {"5", reduce5<T, 256>, 512, 0},
               {"6", reduce6<T>, 1024, 0}};
  for (const auto& [name, kernel, elements, shared] : kinds) {
    char text[80];
    std::snprintf(text, sizeof text, "reduction %s of %s", name, type);
    launch(text, kernel, blocks_of(elements, n), 256, shared, {}, in, out, n);
  }
}

void collectives() {
  reductions<float>("floats");
  reductions<int>("ints");
  reductions<double>("doubles");
  float *const x = zeros<float>(kCount), *const y = zeros<float>(kCount);
  const std::vector<int> any = random<int>(kCount, 1 << 20);
  const int* const in = on_device(any);
  int* const out = zeros<int>(kCount);
  launch("dot product", dot, 8, 256, 0, {}, x, y, zeros<float>(8), kCount);
  launch("largest element", largest_element, 6, 128, 0, {}, in, out, kCount);
  launch("scan by steps", scan_steps, 1, 512, 2 * 512 * 4, {}, x, y, 512);
  launch("scan by a tree", scan_tree<false>, 3, 256, 512 * 4, {}, in, out, 512);
  launch("scan by a tree, padded", scan_tree<true>, 3, 256, 528 * 4, {}, in, out, 512);
  launch("scan by shuffles", scan_shuffles, 8, 256, 0, {}, in, out, zeros<int>(8), 2000);
  const unsigned char* const bytes = on_device(random<unsigned char>(16384, 256));
  const unsigned char* const few = on_device(random<unsigned char>(16384, 9));
  unsigned* const bins = zeros<unsigned>(256);
  launch("histogram", histogram_global, 8, 256, 0, {}, few, bins, 5000);
  launch("shared histogram", histogram_shared, 8, 256, 0, {}, bytes, bins, kCount);
  launch("shared histogram of few values", histogram_shared, 8, 256, 0, {}, few, bins, kCount);
  launch("histogram of warps", histogram_of_warps, 2, 256, 0, {},
         reinterpret_cast<const uchar4*>(bytes), bins, 3000);
  launch("histogram of threads", histogram_of_threads, 4, 128, 0, {}, bytes, bins, 30);
  float* const floats = on_device(std::vector<float>(any.begin(), any.begin() + 2048));
  launch("bitonic step, near", bitonic_step, 8, 256, 0, {}, floats, 2, 4);
  launch("bitonic step, far", bitonic_step, 8, 256, 0, {}, floats, 64, 128);
  launch("bitonic sort of a block", bitonic_block, 4, 256, 0, {}, on_device(any));
  launch("odd-even sort", odd_even_sort, 1, 200, 400, {}, on_device(random<short>(200, 1000)), 200);
  launch("rank sort", rank_sort, 3, 128, 0, {}, floats, x, 300);
}

void sparse() {
  constexpr int rows = 500;
  std::vector<int> start = {0}, column, row;
  std::vector<float> value;
  Numbers numbers;
  for (int r = 0; r < rows; ++r) {
    for (unsigned left = numbers.below(20); left > 0; --left) {
      column.push_back(static_cast<int>(numbers.below(rows)));
      row.push_back(r);
      value.push_back(1);
    }
    start.push_back(static_cast<int>(column.size()));
  }
  const int count = static_cast<int>(column.size());
  const int *const starts = on_device(start), *const columns = on_device(column);
  float *const x = zeros<float>(rows), *const y = zeros<float>(rows);
  launch("CSR", spmv_csr, 4, 128, 0,
         {"global,bytes", "ptxas unrolls the loop again, and lanes part elsewhere"}, rows, starts,
         columns, on_device(value), x, y);
  launch("CSR by warps", spmv_csr_warps, 63, 256, 0, {}, rows, starts, columns,
         on_device(std::vector<double>(column.size(), 1)), zeros<double>(rows),
         zeros<double>(rows));
  std::vector<int> padded(size_t{rows} * 20, -1);
  for (int r = 0; r < rows; ++r)
    for (int k = start[r]; k < start[r + 1]; ++k) padded[(k - start[r]) * rows + r] = column[k];
  launch("ELL", spmv_ell, 4, 128, 0, {}, rows, 20, on_device(padded), zeros<float>(rows * 20), x,
         y);
  launch("COO", spmv_coo, blocks_of(128, count), 128, 0, {}, count, on_device(row), columns,
         on_device(value), x, y);
  std::vector<int> level(rows, -1);
  level[0] = 0;
  for (int r = 1; r < rows; r += 3) level[r] = 1;
  launch("breadth first", breadth_first, 4, 128, 0, {}, starts, columns, on_device(level),
         zeros<int>(rows), rows, 1, zeros<int>(1));
  launch("pointer chase", chase, 2, 128, 0, {}, on_device(random<int>(rows, rows)), zeros<int>(256),
         9);
  std::vector<int> sorted = random<int>(3000, 100'000);
  std::sort(sorted.begin(), sorted.end());
  launch("binary search", find, 5, 256, 0, {}, on_device(sorted), 3000,
         on_device(random<int>(1200, 100'000)), zeros<int>(1200), 1200);
}

void atomics() {
  const int* const in = on_device(random<int>(kCount, 1000));
  const int* const keys = on_device(random<int>(kCount, 40));
  const unsigned* const words = on_device(random<unsigned>(kCount, 1 << 30));
  int* const out = zeros<int>(kCount);
  launch("count of matches", count_matches, blocks_of(256), 256, 0, {}, in, kCount, 3, out);
  launch("least and most", extremes, blocks_of(128), 128, 0, {}, in, kCount, out, out + 1);
  launch("or, and, xor", flags_of, 8, 256, 0, {}, words, zeros<unsigned>(16), zeros<unsigned>(16),
         zeros<unsigned>(16), 2000);
  launch("sums of keys", sums_of_keys, 4, 256, 0, {}, keys, zeros<double>(kCount),
         zeros<double>(40), kCount);
  launch("tickets", tickets, 4, 128, 0, {}, zeros<unsigned>(1), zeros<unsigned>(4),
         zeros<unsigned>(512));
  launch("exchanges", swap_in, 4, 128, 0, {}, zeros<unsigned long long>(64),
         zeros<unsigned long long>(512), 60);
  launch("largest by compare and swap", raise_to, 4, 128, 0, {}, zeros<float>(500),
         on_device(std::vector<float>(500, 2)), 500);
  launch("compaction", compact, 8, 256, 0, {"global,bytes", kInTurn}, in, out, zeros<int>(1), 2000);
  launch("compaction by warps", compact_by_warps, 8, 256, 0, {"global,bytes", kInTurn}, in, out,
         zeros<int>(1), 2000);
}

void paths() {
  constexpr int n = 2000;
  const int* const in = on_device(random<int>(kCount, 1000));
  float *const x = zeros<float>(2 * n + 1000), *const y = zeros<float>(4 * n);
  const unsigned char* const bytes = on_device(random<unsigned char>(kCount, 256));
  std::vector<char> operations_of(n);
  for (int i = 0; i < n; ++i) operations_of[i] = "+-*?"[i * 7 % 11 % 4];
  launch("odd and even", odd_and_even, 8, 256, 0, {}, x, y, n);
  launch("by warp", by_warp, 8, 256, 0, {}, x, y);
  launch("switch over chars", operations, 8, 256, 0, {}, on_device(operations_of), x, x + n, y, n);
  launch("primes", primes, 8, 128, 0,
         {"global,bytes", "217 groups of lanes end with a store of their own, and ncu counts 216"},
         zeros<unsigned char>(1000), 1000);
  launch("common divisors", common_divisors, 4, 128, 0, {},
         on_device(random<unsigned>(500, 1 << 20)), on_device(random<unsigned>(600, 1 << 20)) + 100,
         zeros<unsigned>(500), 500);
  const std::vector<char> text = random<char>(n, 3);
  launch("search in a text", search_text, 8, 256, 0, {}, on_device(text), n, on_device(text) + 700,
         9, zeros<int>(n));
  launch("random walks", random_walks, 4, 128, 0, {}, 7, 50, zeros<int>(512));
  launch("median of 5", median, 8, 256, 0, {}, in, zeros<int>(n), n, 5);
  launch("median of 11", median, 8, 256, 0, {}, in, zeros<int>(n), n, 11);
  launch("local histogram", local_histogram, 2, 128, 0, {}, bytes, zeros<unsigned>(2048), 30);
  std::vector<int> left(31), right(31);
  for (int i = 0; i < 31; ++i) {
    left[i] = 2 * i + 1 < 31 ? 2 * i + 1 : -1;
    right[i] = 2 * i + 2 < 31 ? 2 * i + 2 : -1;
  }
  launch("tree by a stack", local_stack, 2, 96, 0, {}, on_device(left), on_device(right),
         zeros<double>(192), zeros<double>(31));
  launch("bits of bytes", rotate_bits, 8, 256, 0, {}, bytes, zeros<uint16_t>(n), n);
  launch("votes and matches", vote_and_match, 8, 128, 0, {}, in, zeros<unsigned>(1024));
  launch("broadcasts by shuffles", broadcast_rows, 4, 128, 0, {}, x, y, 32);
}

}  // namespace

int main(int count, char** arguments) {
  read_arguments(count, arguments);
  vectors();
  planes();
  tiles();
  collectives();
  sparse();
  atomics();
  paths();
}
