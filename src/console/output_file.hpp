/// @file
/// A file that is written piece by piece, all or nothing.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace aapc::cli {

/// Written under another name beside it and renamed at the end; standard output where `path` is empty or "-". What is
/// no regular file (a pipe, /dev/null) is written to as it is, since a file in its place is not what anybody wants.
class OutputFile {
  public:
    explicit OutputFile(std::string path);
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    ~OutputFile();  ///< without finish(): nothing is left

    /// False where it could not be written; finish() says why.
    bool write(std::string_view piece);
    /// Returns done, or bad_input with a complaint.
    int finish();

  private:
    std::string path_;
    std::string temporary_;  ///< empty: none
    std::FILE* file_ = nullptr;
    int error_ = 0;  ///< of the first that failed
};

}  // namespace aapc::cli
