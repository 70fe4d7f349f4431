/// @file
/// Of several mistakes in a file, the first is reported.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "aapc/input/diagnostic.hpp"

namespace aapc {

/// Where something stands in the file, from 1.
struct Position {
    int line = 1;
    int column = 1;

    friend auto operator<=>(const Position&, const Position&) = default;
};

/// Keeps the mistake that comes first in the file.
class FirstMistake {
  public:
    explicit FirstMistake(std::string_view file) : file_(file) {}

    void add(Position position, std::string problem, std::string advice);
    [[nodiscard]] const std::optional<Diagnostic>& found() const { return first_; }

  private:
    std::string file_;
    std::optional<Diagnostic> first_;
};

}  // namespace aapc
