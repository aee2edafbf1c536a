// SPDX-License-Identifier: MIT
#include "build/device_code.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "base/hash.h"
#include "build/toolchain.h"
#include "sandbox/local_sandbox.h"

namespace warpgrade {
namespace {

using Names = std::vector<std::string>;

template <class T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// A region without a payload, as fatbinary writes it.
std::string region(uint16_t kind, uint32_t sm) {
  std::string bytes;
  append(bytes, kind);
  append(bytes, uint16_t{0x101});
  append(bytes, uint32_t{64});
  bytes.append(20, '\0');
  append(bytes, sm);
  bytes.append(32, '\0');
  return bytes;
}
std::string ptx(uint32_t sm) { return region(1, sm); }
std::string machine_code(uint32_t sm) { return region(2, sm); }

std::string container(const std::string& regions) {
  std::string bytes;
  append(bytes, uint32_t{0xBA55ED50});
  append(bytes, uint16_t{1});
  append(bytes, uint16_t{16});
  append(bytes, uint64_t{regions.size()});
  return bytes + regions;
}

/// An ELF file of one section of this name and one of names.
std::string elf(const std::string& name, const std::string& section) {
  const std::string names = std::string(1, '\0') + name + '\0';
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_shoff = sizeof header;
  header.e_shnum = 2;
  header.e_shstrndx = 1;
  const uint64_t contents = sizeof header + 2 * sizeof(Elf64_Shdr);
  Elf64_Shdr code = {}, strings = {};
  code.sh_name = 1;
  code.sh_offset = contents;
  code.sh_size = section.size();
  strings.sh_offset = contents + section.size();
  strings.sh_size = names.size();
  std::string bytes;
  append(bytes, header);
  append(bytes, code);
  append(bytes, strings);
  return bytes + section + names;
}

TEST(DeviceCode, NamesEachKindOnceOfAllContainers) {
  const std::string containers = container(ptx(75) + machine_code(90)) + std::string(16, '\0') +
                                 container(ptx(75) + ptx(80)) + std::string(8, '\0');
  for (const char* section : {".nv_fatbin", "__nv_relfatbin"}) {
    const Result<Names> code = device_code_in(elf(section, containers));
    ASSERT_TRUE(code.ok()) << code.error().message;
    EXPECT_EQ(*code, (Names{"compute_75", "compute_80", "sm_90"}));
  }
}

TEST(DeviceCode, HasAHashOfEachContainerWhereverItLies) {
  const std::string first = container(ptx(75)), second = container(ptx(80));
  const Result<Names> both =
      code_hashes_in(elf(".nv_fatbin", first + std::string(8, '\0') + second));
  ASSERT_TRUE(both.ok()) << both.error().message;
  EXPECT_EQ(*both, (Names{sha256_hex(first), sha256_hex(second)}));
  EXPECT_FALSE(code_hashes_in("no program").ok());
}

TEST(DeviceCode, IsNoneInAProgramOfTheHost) {
  EXPECT_EQ(*device_code_in(elf(".text", container(ptx(75)))), Names{});
}

TEST(DeviceCode, IsAnErrorInAFileThatIsCutOffAnywhere) {
  const std::string whole = elf(".nv_fatbin", container(ptx(75)) + container(machine_code(90)));
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(device_code_in(whole.substr(0, size)).ok()) << size;
  EXPECT_TRUE(device_code_in(whole).ok());
}

TEST(DeviceCode, IsAnErrorWhereAContainerIsDamaged) {
  EXPECT_EQ(device_code_in(elf(".nv_fatbin", "not a container!")).error().message,
            "the program's embedded device code cannot be read: its header is unknown");
  EXPECT_EQ(device_code_in("#!/bin/sh\n").error().message,
            "the program is no file that the linker makes");
}

/// A bomb: a few bytes that say they unpack to a quarter of a gigabyte, again and again.
TEST(DeviceCode, IsNamedWithoutUnpackingIt) {
  std::string bomb = ptx(75);
  const uint64_t zstd = 0x8000, unpacked_bytes = uint64_t{256} << 20;
  std::memcpy(bomb.data() + 40, &zstd, sizeof zstd);
  std::memcpy(bomb.data() + 56, &unpacked_bytes, sizeof unpacked_bytes);
  std::string bombs;
  for (int i = 0; i < 1000; ++i) bombs += bomb;
  const Result<Names> code = device_code_in(elf(".nv_fatbin", container(bombs)));
  ASSERT_TRUE(code.ok()) << code.error().message;
  EXPECT_EQ(*code, Names{"compute_75"});
}

TEST(DeviceCode, IsAnErrorForMoreArchitecturesThanThereAre) {
  std::string many;
  for (uint32_t sm = 1; sm < 1000; ++sm) many += ptx(sm);
  EXPECT_EQ(device_code_in(elf(".nv_fatbin", container(many))).error().message,
            "the program's embedded device code cannot be read: it is for too many architectures");
}

TEST(MissingCode, SaysWhatIsThereAndWhatIsWanted) {
  EXPECT_EQ(missing_code({"compute_75", "sm_90"}, {"sm_90"}), "");
  EXPECT_EQ(missing_code({"compute_75"}, {"sm_90", "compute_75", "compute_80"}),
            "the program carries compute_75, and the assignment wants sm_90, compute_80");
  EXPECT_EQ(missing_code({}, {"sm_90"}),
            "the program carries no device code, and the assignment wants sm_90");
}

TEST(DeviceCode, IsExpectedWhereASourceHasAWordForNvcc) {
  EXPECT_FALSE(may_have_device_code("#include <vector>\nint main() { cudaFree(nullptr); }\n"));
  EXPECT_TRUE(may_have_device_code("k<<<1, 32>>>();\n"));
  EXPECT_TRUE(may_have_device_code("__global__ void k();\n"));
  EXPECT_TRUE(may_have_device_code("#include <thrust/sort.h>\n"));
}

/// What nvcc writes today, compressed or not, whole or still to be linked.
TEST(DeviceCode, IsReadFromWhatNvccMakes) {
  const LocalSandbox sandbox(SandboxBackend::kNone);
  const Result<Toolchain> toolchain = find_toolchain(sandbox, "", std::getenv("PATH"));
  if (!toolchain) GTEST_SKIP() << toolchain.error().message;
  std::string folder = "/tmp/warpgrade-device-code-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  std::ofstream(folder + "/k.cu") << "__global__ void k(int* p) { *p = 1; }\n";
  const auto code = [&](std::vector<std::string> flags) {
    Command command;
    command.argv = {toolchain->nvcc().string(), "-c", folder + "/k.cu", "-o", folder + "/k.o"};
    command.argv.insert(command.argv.end(), flags.begin(), flags.end());
    command.environment = toolchain->environment(folder);
    EXPECT_TRUE(sandbox.run(command).succeeded());
    return *device_code_in(*RealFiles().read(folder + "/k.o"));
  };
  EXPECT_EQ(code({"-rdc=true", "-gencode", "arch=compute_75,code=[compute_75,sm_75]"}),
            (Names{"compute_75", "sm_75"}));
  const Names stripped = code({"--no-compress", "-gencode", "arch=compute_75,code=sm_75"});
  EXPECT_EQ(missing_code(stripped, {"sm_90", "compute_75"}),
            "the program carries sm_75, and the assignment wants sm_90, compute_75");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace warpgrade
