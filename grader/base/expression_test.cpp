// SPDX-License-Identifier: MIT
#include "base/expression.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

const Expression::Values kValues = {{"M", 33}, {"N", 17}, {"height", 16}};

/// The value of `text`, or the Error's message.
std::string evaluated(std::string_view text) {
  const Result<Expression> expression = Expression::parse(text);
  if (!expression) return expression.error().message;
  const Result<long> value = expression->value(kValues);
  return value ? std::to_string(*value) : value.error().message;
}

TEST(Expression, KeepsTheUsualPrecedence) {
  EXPECT_EQ(evaluated("2 + 3 * 4"), "14");
  EXPECT_EQ(evaluated("(2 + 3) * 4"), "20");
  EXPECT_EQ(evaluated("20 - 5 - 3"), "12");
  EXPECT_EQ(evaluated("24 / 4 / 2"), "3");
  EXPECT_EQ(evaluated("-2 * -(3 - 1)"), "4");
}

TEST(Expression, TakesNamesAndFunctions) {
  EXPECT_EQ(evaluated("M*4"), "132");
  EXPECT_EQ(evaluated("ceil_div(M, height)"), "3");
  EXPECT_EQ(evaluated("ceil_div(32, height)"), "2");
  EXPECT_EQ(evaluated("ceil_div(0-7, 2)"), "-3");
  EXPECT_EQ(evaluated("max(M, N) - min(M, N)"), "16");
}

TEST(Expression, TruncatesItsDivision) {
  EXPECT_EQ(evaluated("7 / 2"), "3");
  EXPECT_EQ(evaluated("-7 / 2"), "-3");
}

TEST(Expression, SaysWhereItsTextIsWrong) {
  EXPECT_EQ(evaluated("M *"), "a value is missing at column 4 of 'M *'");
  EXPECT_EQ(evaluated(""), "a value is missing at column 1 of ''");
  EXPECT_EQ(evaluated("M N"), "unexpected 'N' at column 3 of 'M N'");
  EXPECT_EQ(evaluated("(M"), "')' is missing at column 3 of '(M'");
  EXPECT_EQ(evaluated("min(M)"), "',' is missing at column 6 of 'min(M)'");
  EXPECT_EQ(evaluated("2M"), "a name cannot begin with a digit at column 1 of '2M'");
  EXPECT_EQ(evaluated("sqrt(M)"),
            "unknown function 'sqrt' (known: ceil_div, min, max) at column 1 of 'sqrt(M)'");
  EXPECT_EQ(evaluated("99999999999999999999"),
            "the number is too large at column 1 of '99999999999999999999'");
}

TEST(Expression, RefusesDeepNestingInsteadOfOverflowingTheStack) {
  const std::string message = evaluated(std::string(100000, '('));
  EXPECT_EQ(message.substr(0, 33), "nesting is too deep at column 65 ");
}

TEST(Expression, NamesWhatItCannotCompute) {
  EXPECT_EQ(evaluated("M*K"), "unknown name 'K' at column 3 of 'M*K'");
  EXPECT_EQ(evaluated("M/(N-17)"), "division by zero at column 2 of 'M/(N-17)'");
  EXPECT_EQ(evaluated("ceil_div(1, 0)"), "division by zero at column 1 of 'ceil_div(1, 0)'");
  EXPECT_EQ(evaluated("9223372036854775807 + 1"),
            "overflow at column 21 of '9223372036854775807 + 1'");
  EXPECT_EQ(evaluated("(-9223372036854775807 - 1) / -1"),
            "overflow at column 28 of '(-9223372036854775807 - 1) / -1'");
  EXPECT_EQ(evaluated("-(-9223372036854775807 - 1)"),
            "overflow at column 1 of '-(-9223372036854775807 - 1)'");
}

TEST(Expression, ListsItsNamesOnce) {
  const std::vector<std::string> names = {"N", "M"};
  EXPECT_EQ(Expression::parse("N*M + N")->names(), names);
  EXPECT_TRUE(Expression(5).names().empty());
}

TEST(Expression, IsAConstantWhereBuiltFromOne) {
  EXPECT_EQ(*Expression(-5).value({}), -5);
  EXPECT_EQ(Expression(-5).text(), "-5");
}

}  // namespace
}  // namespace warpgrade
