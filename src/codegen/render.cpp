#include "codegen/render.hpp"

#include <cstddef>

namespace aapc::generate {

namespace {

bool names_condition(std::string_view words, const Conditions& conditions) {
    while (!words.empty()) {
        const std::size_t space = words.find(' ');
        if (conditions.contains(words.substr(0, space))) {
            return true;
        }
        words.remove_prefix(space == std::string_view::npos ? words.size() : space + 1);
    }
    return false;
}

void append_filled_in(std::string& result, std::string_view line, const Values& values) {
    while (!line.empty()) {
        const std::size_t start = line.find('@');
        result += line.substr(0, start);
        if (start == std::string_view::npos) {
            return;
        }
        line.remove_prefix(start);
        const std::size_t stop = line.find('@', 1);
        const auto value = stop == std::string_view::npos ? values.end() : values.find(line.substr(1, stop - 1));
        if (value == values.end()) {
            result += '@';
            line.remove_prefix(1);
        } else {
            result += value->second;
            line.remove_prefix(stop + 1);
        }
    }
}

}  // namespace

std::string render(std::string_view piece, const Values& values, const Conditions& conditions) {
    constexpr std::string_view if_mark = "@if ";
    std::string result;
    bool kept = true;
    while (!piece.empty()) {
        const std::size_t length = piece.find('\n');
        const std::string_view line = piece.substr(0, length);
        piece.remove_prefix(length == std::string_view::npos ? piece.size() : length + 1);
        if (line.starts_with(if_mark)) {
            kept = names_condition(line.substr(if_mark.size()), conditions);
        } else if (line == "@end") {
            kept = true;
        } else if (kept) {
            append_filled_in(result, line, values);
            result += '\n';
        }
    }
    return result;
}

}  // namespace aapc::generate
