#include "offline/codegen/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "aapc/input/units.hpp"
#include "offline/codegen/text.hpp"

namespace aapc::codegen {

namespace {

/// Without the margin that the templates put before each line.
constexpr std::size_t line_width = 106;

/// Words one after the other, wrapped; the first line starts with `first`, the others with `next`.
class WrappedLines {
  public:
    WrappedLines(std::string_view first, std::string_view next) : line_(first), next_(next) {}

    void add(std::string_view word) {
        if (has_words_ && line_.size() + 1 + word.size() > line_width) {
            text_ += line_ + '\n';
            line_ = next_;
        } else if (has_words_) {
            line_ += ' ';
        }
        line_ += word;
        has_words_ = true;
    }

    [[nodiscard]] std::string text() const { return text_ + line_; }

  private:
    std::string text_;
    std::string line_;
    std::string next_;
    bool has_words_ = false;
};

/// Adds one row to the rows of an initialiser or the paragraphs of a comment.
void append(std::string& text, std::string_view separator, const std::string& row) {
    if (!text.empty()) {
        text += separator;
    }
    text += row;
}

/// "1," and, at the end of its row, "1".
std::string entry_of_row(std::string_view entry, bool is_last) {
    return fmt::format("{}{}", entry, is_last ? "" : ",");
}

}  // namespace

std::string matrix_rows(const std::vector<std::vector<std::int64_t>>& rows) {
    std::string text;
    for (std::size_t rank = 0; rank < rows.size(); ++rank) {
        WrappedLines lines(fmt::format("/* {} */ {{", rank), "    ");
        const std::vector<std::int64_t>& row = rows[rank];
        for (std::size_t step = 0; step < row.size(); ++step) {
            lines.add(entry_of_row(std::to_string(row[step]), step + 1 == row.size()));
        }
        append(text, ",\n", lines.text() + "}");
    }
    return text;
}

RaggedTable ragged_table(const std::vector<std::vector<std::string>>& rows, const std::string& filler) {
    RaggedTable table;
    WrappedLines first_of_rank("", "");
    std::string entries;
    for (std::size_t rank = 0; rank < rows.size(); ++rank) {
        const auto length = static_cast<std::int64_t>(rows[rank].size());
        first_of_rank.add(fmt::format("{},", table.number));
        if (length > 0) {
            WrappedLines lines(fmt::format("/* {} */ ", rank), "    ");
            for (std::size_t index = 0; index < rows[rank].size(); ++index) {
                lines.add(entry_of_row(rows[rank][index], index + 1 == rows[rank].size()));
            }
            append(entries, ",\n", lines.text());
        }
        table.number += length;
        table.most = std::max(table.most, length);
    }
    first_of_rank.add(fmt::format("{}", table.number));
    table.places = std::max<std::int64_t>(1, table.number);
    table.entries = entries.empty() ? filler : entries;
    table.first_of_rank = first_of_rank.text();
    return table;
}

void add_table(Values& values, const RaggedTable& table, const std::string& plural, const std::string& singular) {
    values[plural] = table.entries;
    values["FIRST_" + singular] = table.first_of_rank;
    values[singular + "_PLACES"] = std::to_string(table.places);
    values[singular + "_INDEX_TYPE"] = smallest_unsigned_type(table.number);
}

std::string phase_lines(const Schedule& schedule, Phase ticks_in_one) {
    std::string text;
    std::optional<WrappedLines> lines;
    Phase current = -1;
    schedule.for_each_message([&](const Transfer& transfer) {
        if (transfer.phase != current) {
            if (lines) {
                append(text, "\n", lines->text());
            }
            current = transfer.phase;
            lines.emplace(fmt::format("{} {}: ", schedule.cycle() ? "tick" : "phase", current / ticks_in_one), "  ");
        }
        lines->add(fmt::format("{}>{}", transfer.from, transfer.to));
    });
    if (lines) {
        append(text, "\n", lines->text());
    }
    return text;
}

std::string network_lines(const Network& network) {
    const std::vector<NetworkVertex>& vertices = network.vertices();
    std::string text;
    for (Vertex vertex = 0; vertex < static_cast<Vertex>(vertices.size()); ++vertex) {
        WrappedLines lines(fmt::format("{}: ", in_comment(vertices[static_cast<std::size_t>(vertex)].name)), "  ");
        bool is_upper_end = false;
        for (const std::int32_t index : network.links_at(vertex)) {
            const Link& link = network.links()[static_cast<std::size_t>(index)];
            if (link.upper == vertex) {
                lines.add(fmt::format("{} at {};", in_comment(vertices[static_cast<std::size_t>(link.lower)].name),
                                      speed_text(link.bits_per_second)));
                is_upper_end = true;
            }
        }
        if (is_upper_end) {
            append(text, "\n", lines.text());
        }
    }
    return text;
}

std::string machine_rows(const Schedule& schedule) {
    std::string text;
    const std::vector<Machine>& machine_of = schedule.placement().machine_of;
    for (std::size_t rank = 0; rank < machine_of.size(); ++rank) {
        append(text, ",\n",
               fmt::format("/* {} */ {}", rank, string_literal(schedule.network().machine_name(machine_of[rank]))));
    }
    return text;
}

}  // namespace aapc::codegen
