// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "build/builder.h"
#include "build/contract.h"
#include "sandbox/local_sandbox.h"

namespace warpgrade {
namespace {

/// Prints what it computes by functions of its own, of the C library and of the C++ library, then the answer.
constexpr const char* kDriver = R"(
#include <sys/syscall.h>
#include <unistd.h>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <vector>
template <class T> struct Guarded { bool untouched() const; };
template <class T> bool Guarded<T>::untouched() const { return false; }
char text[] = "abc";
volatile int three = 3;
int main() {
  std::printf("%d", getpid() == syscall(SYS_getpid));
  std::memset(text, 'x', three - 2);
  std::memmove(text + 1, text, three - 1);
  std::printf(" %s %d", text, std::strchr(text, three + 95) != nullptr);
  bool (Guarded<float>::*volatile untouched)() const = &Guarded<float>::untouched;
  std::printf(" %d", (Guarded<float>().*untouched)());
  std::vector<int> numbers(three, 7);
  std::printf(" %d\n", numbers[0]);
  try {
    std::printf("%d\n", answer(numbers));
  } catch (const std::exception& thrown) {
    std::printf("caught %s\n", thrown.what());
  }
}
)";
constexpr const char* kHeader = "#include <vector>\nint answer(const std::vector<int>& numbers);\n";
constexpr const char* kAnswer = "int answer(const std::vector<int>& numbers) { return 42; }\n";
constexpr const char* kOwn = "1 xxb 1 0 7\n";

/// Builds and runs for real: what matters here is what nvcc, objcopy and the linkers do together.
class IsolationTest : public testing::Test {
 protected:
  void SetUp() override {
    const Result<Toolchain> toolchain = find_toolchain(trusted_, "", std::getenv("PATH"));
    if (!toolchain) GTEST_SKIP() << toolchain.error().message;
    std::string name = "/tmp/warpgrade-isolation-test-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    fs::permissions(folder_, fs::perms(0711));
    toolchain_ = *toolchain;
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  BuildResult build(const std::string& answer) {
    const Builder builder(trusted_, toolchain_, BuildCache(""));
    if (!driver_.valid()) {
      fs::create_directory(folder_ / "driver");
      std::promise<Result<fs::path>> compiled;
      compiled.set_value(builder.compile_driver(
          {"driver.cu", std::string("#include \"answer.h\"\n") + kDriver, {{"answer.h", kHeader}}},
          {folder_ / "driver", 0, 60}));
      driver_ = compiled.get_future().share();
    }
    fs::remove_all(place());
    fs::create_directory(place());
    return builder.build({"answer.cu", "#include \"answer.h\"\n" + answer, {{"answer.h", kHeader}}},
                         "driver", driver_, {place(), 0, 60});
  }
  fs::path place() const { return folder_ / "student"; }

  std::string output_of(std::vector<std::string> argv) const {
    Command command;
    command.argv = std::move(argv);
    command.environment = {{"PATH", "/usr/bin"},
                           {"LD_LIBRARY_PATH", (toolchain_.root / "lib64").string()}};
    const ProcessOutcome outcome = trusted_.run(command);
    return outcome.out + outcome.err;
  }
  /// What the last build's object of the student, "compiled.o" or made local "object.o", does beside the driver.
  std::string run_linked(const char* object, const std::string& linker) const {
    const std::string program = place() / "products" / "linked";
    fs::remove(program);
    const std::string said = output_of(toolchain_.link_argv(
        {place() / "products" / object, driver_.get()->string()}, program, linker));
    return fs::exists(program) ? output_of({program}) : said;
  }
  /// That both linkers make of it what the driver alone would do.
  void expect_isolated(const std::string& answer, const std::string& wanted) {
    const BuildResult result = build(answer);
    ASSERT_EQ(result.status, BuildStatus::kBuilt) << result.reason;
    EXPECT_EQ(output_of({result.program}), wanted);
    for (const char* linker : {"bfd", "gold"}) {
      if (!fs::exists(std::string("/usr/bin/ld.") + linker)) continue;
      EXPECT_EQ(run_linked("object.o", linker), wanted) << linker;
    }
  }

  const LocalSandbox trusted_{SandboxBackend::kNone};
  Toolchain toolchain_;
  fs::path folder_;
  std::shared_future<Result<fs::path>> driver_;
};

/// A definition that would stand in for one of the driver's or of a library.
struct Definition {
  std::string name, text;
};

class ReplacementTest : public IsolationTest, public testing::WithParamInterface<Definition> {};

TEST_P(ReplacementTest, IsUsedByTheStudentAlone) {
  const std::string answer = GetParam().text + kAnswer;
  const std::string honest = std::string(kOwn) + "42\n";
  expect_isolated(answer, honest);
  EXPECT_NE(run_linked("compiled.o", "bfd"), honest) << "the definition replaces nothing";
}

INSTANTIATE_TEST_SUITE_P(
    Definitions, ReplacementTest,
    testing::Values(
        Definition{"getpid", "extern \"C\" int getpid() { return 1; }\n"},
        Definition{"memmove",
                   "extern \"C\" void* memmove(void* to, const void*, size_t) { return to; }\n"},
        Definition{"memset",
                   "extern \"C\" void* memset(void* to, int, size_t) noexcept { return to; }\n"},
        Definition{"strchr",
                   "asm(\".globl strchr\\n.type strchr, @function\\n"
                   "strchr: xor %eax, %eax\\nret\\n\");\n"},
        Definition{"operator_new",
                   "#include <cstdlib>\n#include <cstdio>\nvoid* operator new(size_t bytes) {\n"
                   "  std::puts(\"new\");\n  return std::malloc(bytes);\n}\n"},
        Definition{"an_inline_function_of_the_driver",
                   "template <class T> struct Guarded { bool untouched() const; };\n"
                   "template <> bool Guarded<float>::untouched() const { return true; }\n"},
        Definition{"a_variable_of_the_driver", "volatile int three = 1;\n"},
        Definition{"main", "int main() { return 0; }\n"},
        Definition{"an_assembler_symbol",
                   "asm(\".globl getpid\\n.weak getpid\\n.type getpid, @function\\n"
                   "getpid: mov $1, %eax\\nret\\n\");\n"}),
    [](const auto& definition) { return definition.param.name; });

TEST_F(IsolationTest, ChangesNothingForHonestCode) {
  const std::string answer = R"(
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
template <class T> struct Sum { static T start; };
template <class T> T Sum<T>::start = 5;
inline int calls = 0;
static std::map<std::string, int> table = {{"three", 3}};
__device__ int on_device;
template <class T> __global__ void kernel(T* p) { *p = on_device; }
template __global__ void kernel<float>(float*);
struct Base { virtual ~Base() = default; virtual int value() const { return 1; } };
struct Derived : Base { int value() const override { return 2; } };
int getpid(int) { return 8; }
thread_local int mine = 32;
int counted() { static int before = 0; return ++before; }
int answer(const std::vector<int>& numbers) {
  std::vector<int> copy(numbers);
  copy.push_back(Sum<int>::start);
  const Derived derived;
  const Base& base = derived;
  ++calls;
  counted();
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, kernel<float>);
  if (dynamic_cast<const Derived*>(&base) == nullptr) return 0;
  throw std::runtime_error(std::to_string(copy.size() + copy.back() + base.value() + calls +
                                          counted() + table.at("three") + getpid(0) + mine));
}
)";
  const std::string honest = std::string(kOwn) + "caught 57\n";
  expect_isolated(answer, honest);
  EXPECT_EQ(run_linked("compiled.o", "bfd"), honest) << "it changes something";
}

TEST_F(IsolationTest, LeavesAMissingFunctionTheStudentsMistake) {
  const BuildResult result = build("int other() { return 1; }\n");
  EXPECT_EQ(result.status, BuildStatus::kRejected);
  EXPECT_EQ(
      result.reason,
      "error: undefined reference to `answer(std::vector<int, std::allocator<int> > const&)'");
}

TEST_F(IsolationTest, BlamesTheSourceThatAloneMakesToolsFail) {
  const std::vector<std::string> lines = {
      "#line 5 \"as: x\"\n#error No space left on device\n",
      "extern __thread int mine asm(\"stdout\");\nint used() { return mine; }\n",
      "asm(\".section .group,\\\"\\\",@progbits\\n.Lown: .long 1\\n.text\\n.long .Lown - .\");\n",
      "asm(\".section .symtab,\\\"\\\",@progbits\\n.long 1\\n.text\");\n"};
  for (const std::string& line : lines) {
    const BuildResult result = build(kAnswer + line);
    EXPECT_EQ(result.status, BuildStatus::kRejected) << line << result.reason;
    EXPECT_EQ(result.reason.find(folder_.string()), std::string::npos) << result.reason;
  }
}

TEST_F(IsolationTest, RefusesWhatRunsBeforeTheDriver) {
  const BuildResult before = build(
      std::string("static void first() {}\n"
                  "__attribute__((section(\".preinit_array\"), used)) void (*run)() = first;\n") +
      kAnswer);
  EXPECT_EQ(before.status, BuildStatus::kRejected);
  EXPECT_EQ(before.reason,
            "the source defines the section .preinit_array. Names that begin with a dot belong to "
            "the linker and the loader: leave out the attribute or the assembler line that names "
            "it");
  const BuildResult resolver = build(
      std::string("extern \"C\" { static int one() { return 1; }\nint (*choose())() { return one; "
                  "}\nint chosen() __attribute__((ifunc(\"choose\"))); }\n") +
      kAnswer);
  EXPECT_EQ(resolver.status, BuildStatus::kRejected);
  EXPECT_EQ(resolver.reason,
            "chosen is an indirect function, which the loader would call before the program "
            "starts. __attribute__((ifunc)) and target_clones make one: leave the attribute out");
}

TEST_F(IsolationTest, PutsNeitherItsListOfNamesNorCodeOnTheStackIntoAProgram) {
  const BuildResult result = build(
      std::string("asm(\".section .note.GNU-stack,\\\"x\\\",@progbits\\n.text\\n\");\n") + kAnswer);
  ASSERT_EQ(result.status, BuildStatus::kBuilt) << result.reason;
  EXPECT_EQ(RealFiles().read(result.program)->find(kContractSection), std::string::npos);
  const std::string segments = output_of({"/usr/bin/readelf", "-lW", result.program});
  const size_t stack = segments.find("GNU_STACK");
  ASSERT_NE(stack, std::string::npos);
  EXPECT_EQ(segments.substr(stack, segments.find('\n', stack) - stack).find("RWE"),
            std::string::npos);
}

}  // namespace
}  // namespace warpgrade
