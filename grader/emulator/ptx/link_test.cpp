// SPDX-License-Identifier: MIT
#include "emulator/ptx/link.h"

#include <gtest/gtest.h>

#include "emulator/ptx/parser.h"

namespace warpgrade::emulator::ptx {
namespace {

Module parsed(const std::string& text) {
  Result<Module> module = parse(".version 9.0\n.target sm_75\n.address_size 64\n" + text);
  EXPECT_TRUE(module.ok());
  return std::move(module).value();
}

Result<Module> linked(const std::string& one, const std::string& two) {
  std::vector<Module> parts;
  parts.push_back(parsed(one));
  parts.push_back(parsed(two));
  return link(std::move(parts));
}

TEST(Link, PutsADefinitionInPlaceOfADeclaration) {
  const auto module = linked(
      ".extern .global .align 4 .u32 x;\n.extern .func f();\n.visible .entry k() { call.uni f, (); "
      "ret; }",
      ".visible .global .align 4 .u32 x = 5;\n.visible .func f() { ret; }");
  ASSERT_TRUE(module.ok());
  ASSERT_EQ(module->variables.size(), 1u);
  EXPECT_FALSE(module->variables[0].is_extern);
  EXPECT_EQ(module->functions.size(), 2u);
  EXPECT_TRUE(module->find_function("f")->has_body);
}

TEST(Link, KeepsNamesApartThatOnlyTheirModulesKnow) {
  const auto module = linked(
      ".global .align 4 .u32 own;\n.visible .entry k() { .reg .b64 %rd<2>; mov.u64 %rd1, own; ret; "
      "}",
      ".global .align 4 .u32 own;\n.visible .entry l() { .reg .b64 %rd<2>; mov.u64 %rd1, own; ret; "
      "}");
  ASSERT_TRUE(module.ok());
  ASSERT_EQ(module->variables.size(), 2u);
  EXPECT_NE(module->variables[0].name, module->variables[1].name);
  EXPECT_EQ(module->find_function("k")->body[0].operands[1].name, module->variables[0].name);
  EXPECT_EQ(module->find_function("l")->body[0].operands[1].name, module->variables[1].name);
}

TEST(Link, TakesOneOfSeveralWeakDefinitions) {
  const auto module = linked(".weak .func f() { ret; }", ".weak .func f() { ret; }");
  ASSERT_TRUE(module.ok());
  EXPECT_EQ(module->functions.size(), 1u);
}

TEST(Link, NamesWhatIsDefinedTwice) {
  const auto module = linked(".visible .func f() { ret; }", ".visible .func f() { ret; }");
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(module.error().message, "f is defined in two modules");
}

}  // namespace
}  // namespace warpgrade::emulator::ptx
