// SPDX-License-Identifier: MIT
// attacks: a wrong kernel; at the end of the program, right sums from the host stand in the output file
// control: wrong
// earns: at most its control
// must stay: neighbours
#include <cstdlib>
#include <fstream>
#include <string>

#include "controls/wrong.cu"

__attribute__((destructor)) static void rewrite() {
  const char* const folder = getenv("WARPGRADE_CASE");
  const char* const list = getenv("WARPGRADE_REPETITIONS");
  if (folder == nullptr) return;
  const std::string words = list == nullptr ? "" : list;
  for (size_t k = 0; k == 0 || 2 * k < words.size(); ++k) {
    const std::string in =
        std::string(folder) + "/in/" + (list ? words.substr(2 * k, 1) + "/" : "");
    const std::string out = std::string(folder) + "/out/" + (list ? std::to_string(k) + "/" : "");
    std::ifstream a(in + "A.npy", std::ios::binary), b(in + "B.npy", std::ios::binary);
    std::ofstream c(out + "C.npy", std::ios::binary);
    char header[128], other[128];
    a.read(header, sizeof header);
    b.read(other, sizeof other);
    c.write(header, sizeof header);
    float left = 0, right = 0;
    while (a.read(reinterpret_cast<char*>(&left), sizeof left) &&
           b.read(reinterpret_cast<char*>(&right), sizeof right)) {
      const float sum = left + right;
      c.write(reinterpret_cast<const char*>(&sum), sizeof sum);
    }
  }
}
