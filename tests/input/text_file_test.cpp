#include "input/text_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <streambuf>

namespace {

using aapc::FileKind;
using aapc::read_text;
using aapc::read_text_file;
using aapc::to_string;

/// The same letter for ever.
class Endless : public std::streambuf {
  protected:
    int_type underflow() override {
        given += sizeof letters_;
        setg(letters_, letters_, letters_ + sizeof letters_);
        return traits_type::to_int_type(letters_[0]);
    }

  public:
    std::size_t given = 0;

  private:
    char letters_[4096] = {};

  public:
    Endless() { std::fill(std::begin(letters_), std::end(letters_), 'a'); }
};

TEST(TextFile, AnEndlessOneEndsAtTheLimit) {
    Endless endless;
    std::istream stream(&endless);
    const auto text = read_text(stream, "f", {"a thing", 1});
    ASSERT_FALSE(text);
    EXPECT_EQ(to_string(text.error()), "f: it is larger than 1 MiB; give a thing");
    EXPECT_LT(endless.given, std::size_t{2} << 20U);
}

TEST(TextFile, HasAsManyBytesAsTheLimitAllows) {
    const std::string most(std::size_t{1} << 20U, 'x');
    std::istringstream fits(most);
    EXPECT_EQ(read_text(fits, "f", {"a thing", 1}).value(), most);
    std::istringstream larger(most + "x");
    EXPECT_FALSE(read_text(larger, "f", {"a thing", 1}));
    std::istringstream nothing;
    EXPECT_EQ(read_text(nothing, "f", {"a thing", 1}).value(), "");
}

TEST(TextFile, ZeroBytesAreNoTextAndThereReadingEnds) {
    std::istringstream stream(std::string("one\ntwo\0three", 13));
    const auto text = read_text(stream, "f", {"a thing"});
    ASSERT_FALSE(text);
    EXPECT_EQ(to_string(text.error()), "f:2:4: a zero byte; give a thing, which is text");
    const auto zeros = read_text_file("/dev/zero", {"a thing", std::size_t{1} << 20U});
    ASSERT_FALSE(zeros);
    EXPECT_EQ(to_string(zeros.error()), "/dev/zero:1:1: a zero byte; give a thing, which is text");
}

}  // namespace
