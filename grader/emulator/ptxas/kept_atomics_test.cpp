// SPDX-License-Identifier: MIT
#include "emulator/ptxas/kept_atomics.h"

#include <gtest/gtest.h>

#include "emulator/exec/program.h"

namespace warpgrade::emulator {
namespace {

/// How many atomics of two kernels and a function that the second calls stay atomics on a device of compute capability `sm`.
size_t kept(const std::string& first, const std::string& second, const std::string& callee,
            int sm) {
  const std::string registers =
      "{\n.reg .b32 %r<4>;\n.reg .b64 %rd<3>;\nld.param.u64 %rd1, [to];\n";
  const std::string text =
      ".version 9.0\n.target sm_75\n.address_size 64\n.func callee() {\n.reg .b32 %r<4>;\n.reg "
      ".b64 %rd<3>;\n" +
      callee + "ret;\n}\n.visible .entry first(.param .u64 to) " + registers + first +
      "ret;\n}\n.visible .entry second(.param .u64 to) " + registers + second +
      "{ call.uni callee; }\nret;\n}\n";
  DeviceMemory memory({size_t{1} << 20});
  const auto module = load_module(text, 0, sm, memory);
  if (!module) throw std::runtime_error(module.error().message);
  return (*module)->program.kept_atomics.size();
}

const std::string kAdds = "atom.global.add.u32 %r1, [%rd1], 1;\n";

TEST(KeptAtomics, AreThoseOfKernelsWithFences) {
  EXPECT_EQ(kept(kAdds, "", "", 90), 0);
  EXPECT_EQ(kept("membar.gl;\n" + kAdds + kAdds, kAdds, "", 90), 2);
  EXPECT_EQ(kept(kAdds + "fence.acq_rel.cta;\n", "", "", 120), 1);
  EXPECT_EQ(kept(kAdds + "bar.sync 0;\n", "", "", 90), 0);
}

TEST(KeptAtomics, AreThoseOfFunctionsThatCallFencesOrAreCalledBesideThem) {
  EXPECT_EQ(kept(kAdds, kAdds, "membar.gl;\n", 90), 1);
  EXPECT_EQ(kept(kAdds, "membar.gl;\n", kAdds, 90), 1);
}

TEST(KeptAtomics, AreNoneBeforeHopperAndNoneWhoseValueIsRead) {
  EXPECT_EQ(kept("membar.gl;\n" + kAdds, "", "", 86), 0);
  EXPECT_EQ(kept("membar.gl;\n" + kAdds + "st.global.u32 [%rd1], %r1;\n", "", "", 90), 0);
}

}  // namespace
}  // namespace warpgrade::emulator
