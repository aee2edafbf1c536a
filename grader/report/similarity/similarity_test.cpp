// SPDX-License-Identifier: MIT
#include "report/similarity/similarity.h"

#include <gtest/gtest.h>

#include "report/similarity/tokens.h"

namespace warpgrade {
namespace {

constexpr const char* kSkeleton =
    "void run(const float* a, const float* b, float* c, int n) {\n"
    "  // TODO: allocate, copy, launch, copy back.\n"
    "}\n";

constexpr const char* kAnswer =
    "__global__ void add(const float* a, const float* b, float* c, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) c[i] = a[i] + b[i];\n"
    "}\n"
    "static int blocks_for(int n, int threads) { return (n + threads - 1) / threads; }\n"
    "void run(const float* a, const float* b, float* c, int n) {\n"
    "  float *x, *y, *z;\n"
    "  cudaMalloc(&x, n * sizeof(float));\n"
    "  cudaMalloc(&y, n * sizeof(float));\n"
    "  cudaMalloc(&z, n * sizeof(float));\n"
    "  cudaMemcpy(x, a, n * sizeof(float), cudaMemcpyHostToDevice);\n"
    "  cudaMemcpy(y, b, n * sizeof(float), cudaMemcpyHostToDevice);\n"
    "  add<<<blocks_for(n, 256), 256>>>(x, y, z, n);\n"
    "  cudaMemcpy(c, z, n * sizeof(float), cudaMemcpyDeviceToHost);\n"
    "  cudaFree(x);\n"
    "  cudaFree(y);\n"
    "  cudaFree(z);\n"
    "}\n";

/// kAnswer with other names, comments, layout, braces and qualifiers, and its functions in another order.
constexpr const char* kDisguised =
    "#include <cstdio>\n"
    "int grid(int count, int width)\n{\n  return (count + width - 1) / width;  // round up\n}\n"
    "/* my own\n   kernel */\n"
    "__global__ void vector_sum(float const* __restrict__ p, float const* q, float* r, int count)\n"
    "{\n    const int me = blockIdx.x*blockDim.x\n        + threadIdx.x;\n"
    "    if (me < count)\n    {\n        r[me] = p[me] + q[me];\n    }\n}\n"
    "void run(const float* in1, const float* in2, float* out, int count) {\n"
    "  float *d1, *d2, *d3;\n"
    "  cudaMalloc(&d1, count * sizeof(float)); cudaMalloc(&d2, count * sizeof(float));\n"
    "  cudaMalloc(&d3, count * sizeof(float));\n"
    "  cudaMemcpy(d1, in1, count * sizeof(float), cudaMemcpyHostToDevice);\n"
    "  cudaMemcpy(d2, in2, count * sizeof(float), cudaMemcpyHostToDevice);\n"
    "  vector_sum<<<grid(count, 128), 128>>>(d1, d2, d3, count);\n"
    "  cudaMemcpy(out, d3, count * sizeof(float), cudaMemcpyDeviceToHost);\n"
    "  cudaFree(d1); cudaFree(d2); cudaFree(d3);\n"
    "}\n";

/// The same task by somebody else.
constexpr const char* kHonest =
    "template <class T> struct Buffer {\n"
    "  explicit Buffer(size_t count) : bytes(count * sizeof(T)) { cudaMallocAsync(&data, bytes, "
    "0); }\n"
    "  ~Buffer() { cudaFreeAsync(data, 0); }\n"
    "  T* data = nullptr;\n"
    "  size_t bytes;\n"
    "};\n"
    "__global__ void sum(float* result, const float* left, const float* right, size_t count) {\n"
    "  const size_t step = size_t{gridDim.x} * blockDim.x;\n"
    "  for (size_t at = threadIdx.x + size_t{blockIdx.x} * blockDim.x; at < count; at += step)\n"
    "    result[at] = left[at] + right[at];\n"
    "}\n"
    "void run(const float* a, const float* b, float* c, int n) {\n"
    "  if (n <= 0) return;\n"
    "  Buffer<float> left(n), right(n), result(n);\n"
    "  for (auto [to, from] : {std::pair{left.data, a}, std::pair{right.data, b}})\n"
    "    cudaMemcpyAsync(to, from, left.bytes, cudaMemcpyDefault, 0);\n"
    "  sum<<<64, 512>>>(result.data, left.data, right.data, n);\n"
    "  cudaMemcpyAsync(c, result.data, result.bytes, cudaMemcpyDefault, 0);\n"
    "  cudaStreamSynchronize(0);\n"
    "}\n";

/// Every pair, however unlike.
std::vector<SimilarPrograms> all_pairs(const std::vector<std::string>& sources) {
  return similar_programs(sources, {kSkeleton, 0, 50});
}

double similarity_of(const std::string& a, const std::string& b) {
  const auto pairs = all_pairs({a, b});
  return pairs.empty() ? 0 : pairs[0].similarity;
}

TEST(Tokens, LeaveOutWhatSaysNothingOfWhoWroteIt) {
  EXPECT_EQ(read_tokens("#include <cstdio>\n// words\nconst int a = 1; /* more\nwords */"),
            read_tokens("static int\nother=0x2'0;"));
  EXPECT_EQ(read_tokens("if (a) { b(); }"), read_tokens("if (c) d();"));
  EXPECT_EQ(read_tokens("f(\"a // b\", 'c');"), read_tokens("g(R\"(x\")\", \"\\\"\");"));
  EXPECT_FALSE(read_tokens("cudaFree(a)") == read_tokens("cudaMalloc(a)"));
  EXPECT_FALSE(read_tokens("threadIdx.x") == read_tokens("blockIdx.x"));
}

TEST(Tokens, KnowTheirLines) {
  const std::vector<Token> tokens = read_tokens("a\n/* \n */ b \\\n c");
  ASSERT_EQ(tokens.size(), 3u);
  EXPECT_EQ(tokens[0].line, 1u);
  EXPECT_EQ(tokens[1].line, 3u);
  EXPECT_EQ(tokens[2].line, 4u);
}

TEST(Tokens, EndWhereASourceIsTorn) {
  for (const char* torn :
       {"\"no end", "'", "/* no end", "R\"(no end", "R\"", "#", "x \\", "// \\\n"})
    EXPECT_LE(read_tokens(torn).size(), 2u) << torn;
}

TEST(SimilarPrograms, AreFoundBehindNamesLayoutCommentsAndOrder) {
  EXPECT_GE(similarity_of(kAnswer, kDisguised), 0.7);
}

TEST(SimilarPrograms, AreNotTwoWhoSolvedTheSameTask) {
  EXPECT_LE(similarity_of(kAnswer, kHonest), 0.1);
  EXPECT_LE(similarity_of(kDisguised, kHonest), 0.1);
}

TEST(SimilarPrograms, ComeByLikenessWithTheLongestPassageFirst) {
  const auto pairs = all_pairs({kHonest, kAnswer, kDisguised});
  ASSERT_FALSE(pairs.empty());
  EXPECT_EQ(pairs[0].a, 1u);
  EXPECT_EQ(pairs[0].b, 2u);
  ASSERT_FALSE(pairs[0].passages.empty());
  EXPECT_EQ(pairs[0].longest_tokens, pairs[0].passages[0].tokens);
  EXPECT_EQ(pairs[0].passages[0].a.last, 17u) << "the end of run(); braces do not count";
}

TEST(SimilarPrograms, ShareNothingByTheSkeleton) {
  EXPECT_TRUE(similar_programs({kAnswer, kAnswer}, {kAnswer, 0, 50}).empty());
}

TEST(SimilarPrograms, ShareNothingThatMostOfTheClassHas) {
  std::vector<std::string> sources(kClassForCommon, kAnswer);
  EXPECT_TRUE(all_pairs(sources).empty());
  sources.resize(kClassForCommon - 1);
  EXPECT_FALSE(all_pairs(sources).empty()) << "few who copied are not most of a class";
}

TEST(SimilarPrograms, HaveSomethingOfTheirOwn) {
  EXPECT_TRUE(all_pairs({"int main() { return 0; }", "int main() { return 0; }"}).empty());
  EXPECT_TRUE(all_pairs({"", ""}).empty());
}

TEST(SimilarPrograms, KeepFewRunsOfWhatIsWrittenToHaveMany) {
  std::string one, two;
  for (int i = 0; i < 6000; ++i) {
    const std::string same = "+-*/%^&|!<>=?:,;+";
    one += same + (i % 3 == 0 ? "if" : "for");
    two += same + (i % 2 == 0 ? "while" : "do");
  }
  const auto pairs = similar_programs({one, two}, {"", 0, 1});
  for (const SimilarPrograms& pair : pairs) EXPECT_LE(pair.passages.size(), 1u << 12);
}

TEST(SimilarPrograms, AreAsManyAsAskedFor) {
  EXPECT_EQ(similar_programs({kAnswer, kAnswer, kAnswer}, {"", 0, 2}).size(), 2u);
}

}  // namespace
}  // namespace warpgrade
