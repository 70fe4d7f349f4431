/// @file
/// What a command writes: a file, or standard output.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "input/file_writer.hpp"

namespace aapc::cli {

/// Written piece by piece. A file is written as FileWriter does; standard output where `path` is empty or "-".
class OutputFile {
  public:
    explicit OutputFile(const std::string& path);

    /// False where it could not be written; finish() says why.
    bool write(std::string_view piece);
    /// Returns done, or bad_input with a complaint.
    int finish();

  private:
    std::optional<FileWriter> file_;  ///< nullopt: standard output
    int error_ = 0;                   ///< errno of the first failure on standard output; 0: none
};

}  // namespace aapc::cli
