/// @file
/// What the processes of an MPI job say on standard error: one of them speaks for all.
#pragma once

#include <string>

#include "aapc/input/diagnostic.hpp"

namespace aapc::cli {

/// Remarks, complaints, and one line of progress that is written over and over where somebody watches. The other ranks
/// call the same functions, and nothing is printed.
class JobOutput {
  public:
    /// `program` is what complaints without a file begin with: "aapc bench".
    JobOutput(std::string program, bool speaks);

    [[nodiscard]] bool speaks() const { return speaks_; }
    /// Whether standard error is shown on a terminal, and this process speaks.
    [[nodiscard]] bool watched() const { return watched_; }

    void remark(const std::string& text) const;
    /// Shows the line of progress, nothing where nobody watches.
    void show_progress(const std::string& text) const;
    void clear_progress() const;
    /// Complains, and returns bad_input on all ranks.
    [[nodiscard]] int refuse(Diagnostic diagnostic) const;

  private:
    std::string program_;
    bool speaks_;
    bool watched_;
};

}  // namespace aapc::cli
