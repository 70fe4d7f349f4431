// What becomes of a file that is written, and of everything that is none.
#include "input/file_writer.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {

namespace fs = std::filesystem;
using aapc::FileWriter;
using aapc::Patience;

/// A directory for one test, removed with it.
class FileWriting : public testing::Test {
  protected:
    FileWriting() {
        std::string name = (fs::temp_directory_path() / "aapc-writer-XXXXXX").string();
        directory_ = fs::canonical(::mkdtemp(name.data()));
    }
    ~FileWriting() override { fs::remove_all(directory_); }

    [[nodiscard]] std::string path(const std::string& name) const { return (directory_ / name).string(); }
    [[nodiscard]] static std::string contents(const std::string& file) {
        std::ifstream stream(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }
    [[nodiscard]] std::size_t files() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory_), {}));
    }
    [[nodiscard]] static mode_t mode(const std::string& file) {
        struct stat status {};
        return stat(file.c_str(), &status) == 0 ? status.st_mode & 07777U : 0;
    }

  private:
    fs::path directory_;
};

/// What finish() says after `text` was written; empty: it is written.
std::string written(const std::string& path, const std::string& text, Patience patience = Patience::endless) {
    FileWriter writer(path, patience);
    writer.write(text);
    const auto result = writer.finish();
    return result ? "" : to_string(result.error());
}

TEST_F(FileWriting, AllOrNothing) {
    const std::string large(300'000, 'x');
    EXPECT_EQ(written(path("new"), large), "");
    EXPECT_EQ(contents(path("new")), large);
    {
        FileWriter unfinished(path("new"));
        EXPECT_TRUE(unfinished.write("other"));
    }
    EXPECT_EQ(contents(path("new")), large);
    EXPECT_EQ(files(), 1U);
}

TEST_F(FileWriting, AFileKeepsItsModeAndANewOneHasThatOfTheMask) {
    const mode_t before = umask(0027);
    EXPECT_EQ(written(path("new"), "text"), "");
    umask(before);
    EXPECT_EQ(mode(path("new")), 0640U);
    for (const mode_t kept : {0600U, 0664U, 0444U | 0200U}) {
        ASSERT_EQ(chmod(path("new").c_str(), kept), 0);
        EXPECT_EQ(written(path("new"), "again"), "");
        EXPECT_EQ(mode(path("new")), kept);
    }
    if (geteuid() == 0) {
        ASSERT_EQ(chown(path("new").c_str(), 12345, 23456), 0);
        EXPECT_EQ(written(path("new"), "root's"), "");
        struct stat status {};
        ASSERT_EQ(stat(path("new").c_str(), &status), 0);
        EXPECT_EQ(status.st_uid, 12345U);
        EXPECT_EQ(status.st_gid, 23456U);
        EXPECT_EQ(contents(path("new")), "root's");
    }
}

TEST_F(FileWriting, ALinkStaysAndTheFileThatItNamesIsWritten) {
    std::ofstream(path("file")) << "before";
    fs::create_symlink("file", path("link"));
    EXPECT_EQ(written(path("link"), "after"), "");
    EXPECT_TRUE(fs::is_symlink(path("link")));
    EXPECT_EQ(contents(path("file")), "after");
}

TEST_F(FileWriting, ALinkThatWasPreparedUnderTheOldTemporaryNameIsNotFollowed) {
    std::ofstream(path("victim")) << "victim";
    fs::create_symlink("victim", path("file." + std::to_string(getpid()) + ".tmp"));
    EXPECT_EQ(written(path("file"), "text"), "");
    EXPECT_EQ(contents(path("victim")), "victim");
    EXPECT_EQ(contents(path("file")), "text");
}

TEST_F(FileWriting, ADeviceStaysADevice) {
    EXPECT_EQ(written("/dev/null", "text"), "");
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    EXPECT_EQ(written("/dev/full", "text"),
              "/dev/full: cannot be written: No space left on device; make room or give another file");
    EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(FileWriting, APipeIsWrittenInto) {
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
    const int reader = ::open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    EXPECT_EQ(written(path("pipe"), "text", Patience::bounded), "");
    char text[8] = {};
    EXPECT_EQ(::read(reader, text, sizeof text), 4);
    EXPECT_STREQ(text, "text");
    EXPECT_TRUE(fs::is_fifo(path("pipe")));
    ::close(reader);
    EXPECT_EQ(written(path("pipe"), "text", Patience::bounded),
              path("pipe") +
                  ": cannot be written: no program reads from this pipe; start the program that reads it "
                  "first");
    EXPECT_EQ(files(), 1U);
}

TEST_F(FileWriting, AReaderThatGoesAwayIsAnErrorAndNoSignal) {
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
    const int reader = ::open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    FileWriter writer(path("pipe"), Patience::bounded);
    ::close(reader);
    EXPECT_FALSE(writer.write(std::string(100'000, 'x')));
    EXPECT_EQ(to_string(writer.finish().error()),
              path("pipe") + ": cannot be written: Broken pipe; make room or give another file");
}

TEST_F(FileWriting, WhatCannotBeWrittenIsSaid) {
    EXPECT_EQ(written(path("none/file"), "text"), path("none/file") +
                                                      ": cannot be written: No such file or directory; give a file in "
                                                      "a directory that exists and can be written");
    EXPECT_EQ(written(path(""), "text"), path("") +
                                             ": cannot be written: Is a directory; give a file in a directory that "
                                             "exists and can be written");
    const std::string longest(250, 'n');
    EXPECT_EQ(written(path(longest), "text"), "");
    EXPECT_EQ(contents(path(longest)), "text");
}

}  // namespace
