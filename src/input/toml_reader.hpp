/// @file
/// What the readers of this project's TOML formats share: where things stand, and which complaint comes first.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "aapc/input/diagnostic.hpp"
#include "input/toml_text.hpp"

namespace aapc {

/// Reads one file and keeps the mistakes that it meets. Whoever reads goes on behind a mistake and asks for complaint()
/// at the end; only without one is what was read worth anything.
class TomlReader {
  public:
    TomlReader(Lines lines, std::string_view file)
        : lines_(std::move(lines)), file_(file), mistake_(file), absence_(file) {}

    [[nodiscard]] const std::string& file() const { return file_; }
    [[nodiscard]] Position position(const toml::node& node) { return lines_.position(node.source().begin); }
    [[nodiscard]] Position end_of_file() const { return {lines_.count(), 1}; }
    /// The position of the character at `offset` of the string `value` (Lines::inside()).
    [[nodiscard]] Position inside(const toml::value<std::string>& value, int offset) {
        return lines_.inside(position(value), value.get(), offset);
    }

    /// Something that is wrong.
    void add_mistake(Position position, std::string problem, std::string advice) {
        mistake_.add(position, std::move(problem), std::move(advice));
    }
    /// Something that is missing. It counts only where nothing is wrong: a mistyped key is both, and better answered as
    /// the first.
    void add_absence(Position position, std::string problem, std::string advice) {
        absence_.add(position, std::move(problem), std::move(advice));
    }
    /// A mistake that a function of strings found inside the string `value`.
    void add_inside(const toml::value<std::string>& value, const Diagnostic& diagnostic) {
        add_mistake(inside(value, diagnostic.column), diagnostic.problem, diagnostic.advice);
    }
    /// Adds a mistake for every key of `table` that is not `known`; `where` is "in [network]".
    void check_keys(const toml::table& table, std::string_view where, std::span<const std::string_view> known) {
        aapc::check_keys(table, where, known, lines_, mistake_);
    }

    /// The first mistake in the file, otherwise the first thing that is missing, if any.
    [[nodiscard]] std::optional<Diagnostic> complaint() const {
        return mistake_.found() ? mistake_.found() : absence_.found();
    }

  private:
    Lines lines_;
    std::string file_;
    FirstMistake mistake_;
    FirstMistake absence_;
};

}  // namespace aapc
