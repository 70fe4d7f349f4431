#include "cli/report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "aapc/input/units.hpp"
#include "cli/report/wording.hpp"
#include "input/on_one_line.hpp"

namespace aapc::report {

namespace {

constexpr std::size_t most_lines = 12;

std::string table_of(const Figures& figures) {
    std::string text = fmt::format("{:<16} {:>6} {:>18} {:>7} {:>9} {:>9} {:>9} {:>9}  {}\n", "routine", "ranks",
                                   "to each", "calls", "time", "median", "bound", "of bound", "served by");
    for (std::size_t index = 0; index < std::min(most_lines, figures.groups.size()); ++index) {
        const Group& group = figures.groups[index];
        const bool known = group.bound_seconds && group.median_seconds > 0;
        text +=
            fmt::format("{:<16} {:>6} {:>18} {:>7} {:>9} {:>9} {:>9} {:>9}  {}\n", on_one_line(group.routine),
                        group.ranks, size_range(group), group.calls, time_text(group.seconds),
                        time_text(group.median_seconds), group.bound_seconds ? time_text(*group.bound_seconds) : "-",
                        known ? fmt::format("{:.2f}", *group.bound_seconds / group.median_seconds) : "-",
                        on_one_line(group.method));
    }
    if (figures.groups.size() > most_lines) {
        text += fmt::format("and {} more kinds of calls\n", figures.groups.size() - most_lines);
    }
    return text;
}

std::string table_of(const LearnedPaths& learned) {
    std::string text = fmt::format("{:<16} {:<16} {:>11} {:>10} {:>10} {:>18}\n", "paths from", "to", "connections",
                                   "late, mean", "late, most", "load of the latest");
    for (std::size_t index = 0; index < std::min(most_lines, learned.pairs.size()); ++index) {
        const LearnedPaths::LeafPair& pair = learned.pairs[index];
        text +=
            fmt::format("{:<16} {:<16} {:>11} {:>10} {:>10} {:>18.2f}\n", on_one_line(pair.from), on_one_line(pair.to),
                        pair.connections, percent(pair.mean_late), percent(pair.most_late), pair.latest_load);
    }
    if (learned.pairs.size() > most_lines) {
        text += fmt::format("and {} more pairs of leaf switches\n", learned.pairs.size() - most_lines);
    }
    return text;
}

}  // namespace

std::string text_of(const Record& record, const Figures& figures) {
    const RecordHead& head = record.head;
    std::string text = fmt::format(
        "{}: {} ranks on {}, {}, aapc {}{}{}\n", on_one_line(head.program), head.hosts.size(),
        on_one_line(machines_text(head.hosts)), on_one_line(library_text(head.library)), on_one_line(head.aapc),
        head.date.empty() ? "" : ", " + on_one_line(head.date), head.job.empty() ? "" : ", " + on_one_line(head.job));
    if (!head.command.empty()) {
        text += on_one_line(head.command) + "\n";
    }
    text += headline(figures) + "\n";
    for (const std::string& result : figures.results) {
        text += on_one_line(result) + "\n";
    }
    if (!figures.groups.empty()) {
        text += "\n" + table_of(figures);
    }
    if (figures.paths && !figures.paths->pairs.empty()) {
        text += "\n" + table_of(*figures.paths);
    }
    text += "\nWhat to do next:\n";
    for (const std::string& step : figures.next_steps) {
        text += "* " + on_one_line(step) + "\n";
    }
    return text;
}

}  // namespace aapc::report
