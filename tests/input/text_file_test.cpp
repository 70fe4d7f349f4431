#include "input/text_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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

/// A directory for one test, removed with it.
class TextFileKinds : public testing::Test {
  protected:
    TextFileKinds() {
        std::string name = (std::filesystem::temp_directory_path() / "aapc-input-XXXXXX").string();
        directory_ = ::mkdtemp(name.data());
    }
    ~TextFileKinds() override { std::filesystem::remove_all(directory_); }

    [[nodiscard]] std::string path(const std::string& name) const { return (directory_ / name).string(); }
    static std::string refusal(const std::string& path, aapc::Pipes pipes = aapc::Pipes::refused) {
        const auto text = read_text_file(path, {"a thing", 1}, pipes);
        return text ? "read: " + *text : to_string(text.error());
    }

  private:
    std::filesystem::path directory_;
};

TEST_F(TextFileKinds, APipeIsNotWaitedFor) {
    const std::string pipe = path("pipe");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_EQ(refusal(pipe), pipe + ": it is a pipe; give the name of a thing");
    EXPECT_EQ(refusal(pipe, aapc::Pipes::read), pipe + ": no program writes into this pipe; give the name of a thing");
}

TEST_F(TextFileKinds, ACommandReadsAPipeToItsEnd) {
    const std::string pipe = path("pipe");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    // Open for both, so that neither end waits for the other; the second line comes while the first is being read.
    const int both = ::open(pipe.c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_EQ(::write(both, "one\n", 4), 4);
    const pid_t writer = fork();
    if (writer == 0) {
        usleep(50'000);
        _exit(::write(both, "two\n", 4) == 4 ? 0 : 1);
    }
    ASSERT_EQ(::close(both), 0);
    EXPECT_EQ(refusal(pipe, aapc::Pipes::read), "read: one\ntwo\n");
}

TEST_F(TextFileKinds, WhatIsNoFileIsRefusedAtOnce) {
    EXPECT_EQ(refusal(path("")), path("") + ": it is a directory; give the name of a thing");
    EXPECT_EQ(
        refusal(path("none")),
        path("none") + ": cannot be opened: No such file or directory; give the name of a thing that can be read");
    EXPECT_EQ(refusal("/dev/null"), "read: ");
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    ASSERT_TRUE(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
    const std::string name = ptsname(terminal);
    EXPECT_EQ(refusal(name), name + ": it is a device with nothing to read; give the name of a thing");
    ::close(terminal);
}

TEST_F(TextFileKinds, AHugeFileIsRefusedWithoutReadingIt) {
    const std::string huge = path("huge");
    std::ofstream(huge) << "text";
    std::filesystem::resize_file(huge, std::uintmax_t{1} << 40U);
    EXPECT_EQ(refusal(huge), huge + ": it is larger than 1 MiB; give a thing");
}

TEST_F(TextFileKinds, BytesMayBeZeroWhereTheyAreNoText) {
    std::ofstream(path("bytes"), std::ios::binary) << std::string("a\0b", 3);
    EXPECT_EQ(read_text_file(path("bytes"), {"a thing", 1, aapc::Content::bytes}).value(), std::string("a\0b", 3));
}

}  // namespace
