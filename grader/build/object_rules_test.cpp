// SPDX-License-Identifier: MIT
#include "build/object_rules.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/files.h"
#include "sandbox/local_sandbox.h"

namespace warpgrade {
namespace {

/// Objects that the assembler made of a few lines.
class ObjectRulesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = "/tmp/warpgrade-object-rules-test-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string assemble(const std::string& lines) const {
    std::ofstream(folder_ / "a.s", std::ios::trunc) << lines << '\n';
    Command command;
    command.argv = {"/usr/bin/as", folder_ / "a.s", "-o", folder_ / "a.o"};
    const ProcessOutcome outcome = LocalSandbox(SandboxBackend::kNone).run(command);
    EXPECT_TRUE(outcome.succeeded()) << outcome.err;
    return *RealFiles().read(folder_ / "a.o");
  }
  std::string refusal(const std::string& lines) const {
    const std::string object = assemble(lines);
    const Result<ElfFile> elf = ElfFile::open(object);
    return elf ? refusal_of(*elf).key() : elf.error().message;
  }

  fs::path folder_;
};

TEST_F(ObjectRulesTest, TakeWhatCompilersMake) {
  EXPECT_EQ(refusal(".text\nf: ret\n.section .text._Z1fv,\"axG\",@progbits,_Z1fv,comdat\n"
                    ".weak _Z1fv\n_Z1fv: call g\nret\n"
                    ".section .rodata.str1.8,\"aMS\",@progbits,1\n.string \"a\"\n"
                    ".section .init_array.00101,\"aw\"\n.quad f\n"
                    ".section .fini_array,\"aw\"\n.quad f\n"
                    ".section .data.rel.ro.local,\"aw\"\n.quad f\n"
                    ".section .debug_line,\"\",@progbits\n.quad 0\n"
                    ".section .tbss,\"awT\",@nobits\n.zero 8\n"
                    ".section .nvFatBinSegment,\"aw\"\n.quad 0\n"
                    ".section __nv_module_id,\"a\"\n.quad 0\n"
                    ".section mine,\"aw\"\n.quad 0\n"
                    ".section .note.GNU-stack,\"\",@progbits\n"),
            "");
}

TEST_F(ObjectRulesTest, RefuseSectionsOfTheLinkerAndTheLoader) {
  for (const std::string name :
       {".preinit_array", ".init", ".fini", ".interp", ".dynamic", ".got.plt", ".plt",
        ".gnu.linkonce.t.f", ".gnu.warning.f", ".gnu.version_r", ".note.ABI-tag", ".deplibs",
        ".textual", ".data_of_mine"}) {
    EXPECT_EQ(refusal(".section " + name + ",\"aw\",@progbits\n.quad 0\n"),
              "build.section(name=" + name + ")");
  }
}

TEST_F(ObjectRulesTest, RefuseTypesOfTheLinkerAndTheLoader) {
  EXPECT_EQ(refusal(".section mine,\"aw\",@preinit_array\n.quad 0\n"),
            "build.section_type(name=mine)");
  EXPECT_EQ(refusal(".section mine,\"aw\",@6\n.quad 0\n"), "build.section_type(name=mine)")
      << "SHT_DYNAMIC";
}

TEST_F(ObjectRulesTest, RefuseIndirectFunctionsThatAreLocalToo) {
  const std::string function = ".type f, @gnu_indirect_function\nf: ret\n";
  EXPECT_EQ(refusal(".globl f\n" + function), "build.ifunc(name=f)");
  EXPECT_EQ(refusal(function + ".data\n.quad f\n"), "build.ifunc(name=f)");
}

#ifdef __x86_64__
TEST_F(ObjectRulesTest, RefuseRelocationsThatLinkersWriteForLoaders) {
  EXPECT_EQ(refusal(".data\nx: .quad 0\n.reloc x, R_X86_64_IRELATIVE, y\n"),
            "build.relocation(type=37)");
  EXPECT_EQ(refusal(".data\nx: .quad 0\n.reloc x, R_X86_64_COPY, y\n"), "build.relocation(type=5)");
}
#endif

TEST_F(ObjectRulesTest, RefuseSymbolsThatStayVisible) {
  EXPECT_EQ(refusal(".comm stdout,8\n"), "build.shared_symbol(name=stdout)");
  EXPECT_EQ(refusal(".data\n.globl x\n.type x, @gnu_unique_object\nx: .quad 0\n"),
            "build.shared_symbol(name=x)");
}

TEST_F(ObjectRulesTest, ShowNoControlsInNames) {
  EXPECT_EQ(refusal(".data\n.globl \"a\033[2J\"\n.type \"a\033[2J\", @gnu_unique_object\n"
                    "\"a\033[2J\": .quad 0\n"),
            "build.shared_symbol(name=a\\x1b[2J)");
}

TEST_F(ObjectRulesTest, FindASymbolBeyondTheContract) {
  const std::string object =
      assemble(".globl wanted\nwanted: ret\nhelper: ret\n.weak getpid\ngetpid: call other\nret\n");
  const Result<ElfFile> elf = ElfFile::open(object);
  ASSERT_TRUE(elf.ok());
  EXPECT_EQ(symbol_beyond(*elf, {"wanted"}), "getpid");
  EXPECT_EQ(symbol_beyond(*elf, {"wanted", "getpid"}), "");
}

}  // namespace
}  // namespace warpgrade
