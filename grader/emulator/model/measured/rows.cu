// SPDX-License-Identifier: MIT
// Times rows of equal work in one stream between two events: medians on a GPU, where a kernel holds the stream until
// the host has queued all; one row on the emulated device.
// usage: rows [REPETITIONS]

#include "emulator/model/measured/variants.cuh"

namespace {

__global__ void do_nothing() {}

__global__ void wait(long long clocks) {
  const long long start = clock64();
  while (clock64() - start < clocks) {
  }
}

__global__ void add(const float* a, const float* b, float* c, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) c[i] = a[i] + b[i];
}

template <int kBlocks>
void launch_nothing(const Buffers&) {
  do_nothing<<<kBlocks, 256>>>();
}
template <int kCount>
void launch_add(const Buffers& buffers) {
  add<<<kCount / 256, 256>>>(buffers.a, buffers.b, buffers.large, kCount);
}
void record(const Buffers&) {
  static cudaEvent_t event;
  if (event == nullptr) must(cudaEventCreate(&event));
  must(cudaEventRecord(event));
}
void fill(const Buffers& buffers) { must(cudaMemsetAsync(buffers.large, 0, 4096)); }
void copy(const Buffers& buffers) {
  must(cudaMemcpyAsync(buffers.large, buffers.a, 4096, cudaMemcpyDeviceToDevice));
}
void launch_and_record(const Buffers& buffers) {
  launch_nothing<1>(buffers);
  record(buffers);
}
void launch_and_fill(const Buffers& buffers) {
  launch_nothing<1>(buffers);
  fill(buffers);
}
void launch_and_copy(const Buffers& buffers) {
  launch_nothing<1>(buffers);
  copy(buffers);
}

class Rows {
 public:
  explicit Rows(int repetitions) : repetitions_(repetitions), buffers_(make_buffers()) {
    must(cudaEventCreate(&start_));
    must(cudaEventCreate(&end_));
  }

  float median_us(void (*work)(const Buffers&), int count) {
    std::vector<float> times;
    for (int repetition = 0; repetition < repetitions_; ++repetition) {
      if (repetitions_ > 1) wait<<<1, 1>>>(4'000'000);
      must(cudaEventRecord(start_));
      for (int i = 0; i < count; ++i) work(buffers_);
      must(cudaEventRecord(end_));
      must(cudaDeviceSynchronize());
      float ms = 0;
      must(cudaEventElapsedTime(&ms, start_, end_));
      times.push_back(1000 * ms);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  }

 private:
  int repetitions_;
  Buffers buffers_;
  cudaEvent_t start_{}, end_{};
};

}  // namespace

int main(int argc, char** argv) {
  Rows rows(argc > 1 ? std::max(std::atoi(argv[1]), 1) : 1);
  const struct {
    const char* name;
    void (*once)(const Buffers&);
  } kinds[] = {{"events", record},
               {"empty kernels of 1 block", launch_nothing<1>},
               {"empty kernels of 1056 blocks", launch_nothing<1056>},
               {"empty kernels of 8448 blocks", launch_nothing<8448>},
               {"sums of 2^16 floats", launch_add<1 << 16>},
               {"sums of 2^20 floats", launch_add<1 << 20>},
               {"fills of 4 KB", fill},
               {"copies of 4 KB", copy},
               {"empty kernels each with an event", launch_and_record},
               {"empty kernels each with a fill", launch_and_fill},
               {"empty kernels each with a copy", launch_and_copy}};
  std::puts("row,1,4,16,32");
  for (const auto& kind : kinds) {
    std::printf("%s", kind.name);
    for (const int count : {1, 4, 16, 32}) std::printf(",%.2f", rows.median_us(kind.once, count));
    std::puts("");
  }
  return 0;
}
