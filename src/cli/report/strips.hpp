/// @file
/// Link use as a picture: a row for each link, time from left to right. What pages and single pictures have in common.
#pragma once

#include <string>
#include <string_view>

#include "cli/report/link_use.hpp"

namespace aapc::report {

/// The colours of the classes that strips have, for light and dark surroundings. CSS.
[[nodiscard]] std::string_view strip_style();

/// The cells of a picture as paths of SVG, a class for each kind of cell: idle ones are left out. Rows are `row_height`
/// high with a gap of 2, columns 1 wide; the first cell is at the origin.
[[nodiscard]] std::string strip_paths(const LinkUse& use, int row_height);

/// What a row comes to.
struct RowSummary {
    double busy = 0;             ///< the mean of what is used until `until_seconds`
    double fought_over = 0;      ///< the share of that time in which pieces wait
    double longest_waiting = 0;  ///< pieces, in the worst column
};
[[nodiscard]] RowSummary summary_of_row(const LinkUse& use, std::size_t row, double until_seconds);

/// "busy 94 % of the time, fought over 3 %, at most 2.1 pieces waiting".
[[nodiscard]] std::string to_string(const RowSummary& summary);

/// The text with what HTML and XML would take for their own replaced; control characters become U+FFFD.
[[nodiscard]] std::string escaped(std::string_view text);

/// Kinds of cells, with the words of a legend: class, text.
struct LegendEntry {
    const char* name;
    const char* text;
};
inline constexpr LegendEntry strip_legend[] = {
    {"idle", "idle"}, {"u1", "partly used"},         {"u3", "well used"},
    {"u4", "full"},   {"w1", "full, a piece waits"}, {"w3", "fought over: many wait"},
};

}  // namespace aapc::report
