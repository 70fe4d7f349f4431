#include "cli/report/strips.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace aapc::report {

namespace {

constexpr double waits_from = 0.3;  // pieces; less means only that a message is slightly early

constexpr std::array class_names = {"", "u1", "u2", "u3", "u4", "w1", "w2", "w3"};

/// Index into class_names; 0: idle.
std::size_t kind_of(const LinkUse::Cell& cell) {
    if (cell.waiting >= waits_from) {
        return cell.waiting < 1.5 ? 5 : cell.waiting < 4 ? 6 : 7;
    }
    return cell.used < 0.03 ? 0 : cell.used < 0.4 ? 1 : cell.used < 0.75 ? 2 : cell.used < 0.96 ? 3 : 4;
}

std::string_view replacement(char character) {
    switch (character) {
        case '&':
            return "&amp;";
        case '<':
            return "&lt;";
        case '>':
            return "&gt;";
        case '"':
            return "&quot;";
        case '\'':
            return "&#39;";
        default:
            break;
    }
    const auto byte = static_cast<unsigned char>(character);
    return byte < 0x20 || byte == 0x7f ? "\xef\xbf\xbd" : std::string_view();
}

}  // namespace

std::string_view strip_style() {
    return ":root{--idle:#e9edf1;--u1:#c3daef;--u2:#7db0db;--u3:#3f86c6;--u4:#0d4a86;--w1:#f3b65f;--w2:#e76f3c;"
           "--w3:#b5152b}\n"
           "@media "
           "(prefers-color-scheme:dark){:root{--idle:#232a32;--u1:#24405c;--u2:#2c6291;--u3:#3f8fd4;--u4:#9ccfff;"
           "--w1:#c98a2e;--w2:#ec7a45;--w3:#ff4d5e}}\n"
           ".idle{fill:var(--idle)}.u1{fill:var(--u1)}.u2{fill:var(--u2)}.u3{fill:var(--u3)}.u4{fill:var(--u4)}"
           ".w1{fill:var(--w1)}.w2{fill:var(--w2)}.w3{fill:var(--w3)}\n";
}

std::string strip_paths(const LinkUse& use, int row_height) {
    std::array<std::string, class_names.size()> paths;
    for (std::size_t row = 0; row < use.links.size(); ++row) {
        std::size_t column = 0;
        while (column < use.columns) {
            const std::size_t kind = kind_of(use.at(row, column));
            const std::size_t first = column;
            while (column < use.columns && kind_of(use.at(row, column)) == kind) {
                ++column;
            }
            paths[kind] += fmt::format("M{} {}h{}v{}h-{}z", first, row * static_cast<std::size_t>(row_height),
                                       column - first, row_height - 2, column - first);
        }
    }
    std::string text = fmt::format(R"(<path class="idle" d="{}"/>)", paths[0]);
    for (std::size_t kind = 1; kind < paths.size(); ++kind) {
        if (!paths[kind].empty()) {
            text += fmt::format(R"(<path class="{}" d="{}"/>)", class_names[kind], paths[kind]);
        }
    }
    return text;
}

RowSummary summary_of_row(const LinkUse& use, std::size_t row, double until_seconds) {
    const double columns = static_cast<double>(use.columns) * std::min(1.0, until_seconds / use.seconds);
    RowSummary summary;
    for (std::size_t column = 0; column < use.columns; ++column) {
        const LinkUse::Cell& cell = use.at(row, column);
        summary.busy += cell.used / columns;
        summary.fought_over += cell.waiting >= waits_from ? 1 / columns : 0;
        summary.longest_waiting = std::max(summary.longest_waiting, cell.waiting);
    }
    summary.busy = std::min(summary.busy, 1.0);
    summary.fought_over = std::min(summary.fought_over, 1.0);
    return summary;
}

std::string to_string(const RowSummary& summary) {
    return fmt::format("busy {:.0f} % of the time, fought over {:.0f} %, at most {:.1f} pieces waiting",
                       100 * summary.busy, 100 * summary.fought_over, summary.longest_waiting);
}

std::string escaped(std::string_view text) {
    std::string out;
    for (const char character : text) {
        const std::string_view other = replacement(character);
        out.append(other.empty() ? std::string_view(&character, 1) : other);
    }
    return out;
}

}  // namespace aapc::report
