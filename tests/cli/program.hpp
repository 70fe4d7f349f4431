/// @file
/// Runs the real program as a user would.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace aapc::test {

/// What a run of the program left behind.
struct Outcome {
    int status = -1;  ///< exit code; -1 if it was killed
    std::string out;
    std::string err;
};

/// A run that failed as it must: nothing on standard output, one line on standard error.
inline void expect_refusal(const Outcome& run, int status, const testing::Matcher<std::string>& message) {
    EXPECT_EQ(run.status, status) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(run.err, message);
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
}

inline std::string contents(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// A directory of its own for one test, removed with it.
class Scratch {
  public:
    Scratch() {
        std::string name = (std::filesystem::temp_directory_path() / "aapc-cli-XXXXXX").string();
        path_ = ::mkdtemp(name.data());
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() { std::filesystem::remove_all(path_); }

    [[nodiscard]] std::string path(const std::string& name) const { return (path_ / name).string(); }

    /// Writes a file and returns its path.
    [[nodiscard]] std::string file(const std::string& name, const std::string& text) const {
        std::ofstream(path_ / name, std::ios::binary) << text;
        return path(name);
    }

    /// The names of all files in it, but for those that run() makes.
    [[nodiscard]] std::vector<std::string> files() const {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(path_)) {
            if (const std::string name = entry.path().filename(); name != "out" && name != "err") {
                names.push_back(name);
            }
        }
        std::sort(names.begin(), names.end());
        return names;
    }

    /// `aapc` with these arguments (shell syntax), in this directory, and that file as its standard input.
    [[nodiscard]] Outcome run(const std::string& arguments, const std::string& input = "/dev/null") const {
        const std::string command =
            "cd '" + path_.string() + "' && timeout 180 '" AAPC_PROGRAM "' " + arguments + " >out 2>err <" + input;
        const int status = std::system(command.c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(path_ / "out"), contents(path_ / "err")};
    }

  private:
    std::filesystem::path path_;
};

}  // namespace aapc::test
