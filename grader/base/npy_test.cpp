// SPDX-License-Identifier: MIT
#include "base/npy.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/npy_io.h"

namespace warpgrade {
namespace {

/// A file with this dictionary and this many bytes of elements.
std::string file_of(std::string_view dictionary, size_t element_bytes) {
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(dictionary.size() & 0xFF);
  file += static_cast<char>(dictionary.size() >> 8);
  file += dictionary;
  return file + std::string(element_bytes, '\0');
}

std::string message_of(std::string_view file) {
  const Result<NpyArray> array = parse_npy(file);
  return array ? "" : array.error().message;
}

TEST(Npy, GivesBackWhatItWrote) {
  for (const NpyArray& array :
       {make_npy<float>({2, 3}, {1, 2, 3, 4, 5, 6}), make_npy<double>({2}, {0.5, -0.25}),
        make_npy<int32_t>({}, {-7}), make_npy<uint64_t>({0, 4}, {}),
        make_npy<uint8_t>({1, 1, 1}, {255})}) {
    const Result<NpyArray> read = parse_npy(format_npy(array));
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(*read, array);
  }
}

TEST(Npy, WritesTheBytesThatNumPyWrites) {
  const std::string file = format_npy(make_npy<float>({3}, {0, 0, 0}));
  const std::string wanted = file_of(
      "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }" + std::string(60, ' ') + '\n',
      12);
  EXPECT_EQ(file, wanted);
}

TEST(Npy, ShowsItsElementsOnlyAsTheirOwnType) {
  const NpyArray array = make_npy<int32_t>({3}, {1, -2, 3});
  EXPECT_EQ(array.as<int32_t>().size(), 3u);
  EXPECT_TRUE(array.as<float>().empty());
  EXPECT_EQ(array.as_doubles(), (std::vector<double>{1, -2, 3}));
  EXPECT_EQ(array.count(), 3u);
}

TEST(Npy, RefusesFilesThatAreNotWhole) {
  EXPECT_EQ(message_of(""), "not a version 1.0 .npy file");
  EXPECT_EQ(message_of("\x93NUMPY\x02"), "not a version 1.0 .npy file");
  EXPECT_EQ(message_of(std::string("\x93NUMPY\x01\x00\x10", 9)), "the header is cut short");
  EXPECT_EQ(message_of(std::string("\x93NUMPY\x01\x00\xff\xff{", 11)), "the header is cut short");
  const std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  EXPECT_EQ(message_of(file_of(dictionary, 24)), "");
  EXPECT_EQ(message_of(file_of(dictionary, 23)),
            "shape (2, 3) does not fit its 23 bytes of elements");
  EXPECT_EQ(message_of(file_of(dictionary, 25)),
            "shape (2, 3) does not fit its 25 bytes of elements");
}

TEST(Npy, RefusesShapesTooLargeToBeTrue) {
  EXPECT_EQ(message_of(file_of(
                "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387905,)}", 4)),
            "shape (4611686018427387905) does not fit its 4 bytes of elements");
  EXPECT_EQ(message_of(file_of(
                "{'descr': '|u1', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", 0)),
            "shape (4294967296, 4294967296) does not fit its 0 bytes of elements");
}

TEST(Npy, RefusesOtherHeaders) {
  const std::string other = "the header is not that of an array in C order";
  for (const char* dictionary :
       {"", "{", "{}", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': True, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1 1)}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': ()} x",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}"}) {
    EXPECT_EQ(message_of(file_of(dictionary, 4)), other) << dictionary;
  }
  EXPECT_EQ(message_of(file_of("{'descr': '>f4', 'fortran_order': False, 'shape': ()}", 4)),
            "element type '>f4' is none of <f4 <f8 <i4 <i8 <u4 <u8 |u1");
}

TEST(NpyIo, SharesItsFilesWithTheGrader) {
  const std::string path = testing::TempDir() + "warpgrade-npy-io.npy";
  const std::vector<float> values = {1.5f, -2, 3, 4, 5, 6};
  npy_io::write<float>(path, {3, 2}, values.data());
  const Result<std::string> file = RealFiles().read(path);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(*file, format_npy(make_npy<float>({3, 2}, values)));
  const npy_io::Array<float> read = npy_io::read<float>(path);
  EXPECT_EQ(read.shape, (std::vector<size_t>{3, 2}));
  EXPECT_EQ(read.values, values);
}

TEST(NpyIoDeathTest, EndsTheProgramWithASentence) {
  EXPECT_EXIT(npy_io::read<float>("/nowhere/a.npy"), testing::ExitedWithCode(98),
              "driver: /nowhere/a.npy: cannot be opened");
}

}  // namespace
}  // namespace warpgrade
