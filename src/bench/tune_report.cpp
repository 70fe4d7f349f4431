#include "bench/tune_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "aapc/input/units.hpp"
#include "aapc/topology/bound.hpp"

namespace aapc::bench {

namespace {

constexpr std::string_view first_line = "aapc tune state 1\n";
constexpr std::string_view between = "\n";  // an empty line ends the fingerprint

std::string fingerprint_text(const Fingerprint& fingerprint) {
    return fmt::format("aapc {}\nmpi {}\nmpi-version {}\ntopology {}\nplacement {}\n{}", fingerprint.aapc_version,
                       fingerprint.mpi, fingerprint.mpi_version, fingerprint.topology_digest,
                       compact_hostlist(fingerprint.machine_of), fingerprint.unequal ? "messages unequal\n" : "");
}

/// The first line in which the texts differ, of each.
std::pair<std::string_view, std::string_view> first_difference(std::string_view one, std::string_view other) {
    while (!one.empty() || !other.empty()) {
        const std::string_view line = one.substr(0, one.find('\n'));
        const std::string_view other_line = other.substr(0, other.find('\n'));
        if (line != other_line) {
            return {line, other_line};
        }
        one.remove_prefix(std::min(one.size(), line.size() + 1));
        other.remove_prefix(std::min(other.size(), other_line.size() + 1));
    }
    return {};
}

tl::unexpected<Diagnostic> refused(std::string problem) {
    return failure(std::move(problem), "give --restart to begin anew, or another --state");
}

std::string time_text(double seconds) { return duration_text(seconds, decimals(3), DurationUnit::milliseconds); }

}  // namespace

std::string state_file_text(const Fingerprint& fingerprint, const Search& search) {
    return fmt::format("{}{}{}{}", first_line, fingerprint_text(fingerprint), between, search.state_text());
}

Expected<Search> resume_from(std::string_view text, const Fingerprint& here, const SearchSettings& settings,
                             const std::vector<Method>& candidates, NetworkKind kind, const Foreknowledge& known) {
    const std::size_t end = text.find("\n\n");
    if (!text.starts_with(first_line) || end == std::string_view::npos) {
        return refused("this is no state of aapc tune");
    }
    const std::string_view made_for = text.substr(first_line.size(), end + 1 - first_line.size());
    const std::string ours = fingerprint_text(here);
    if (made_for != ours) {
        const auto [theirs, our_line] = first_difference(made_for, ours);
        return refused(fmt::format("the search was begun for '{}', this is '{}'", theirs, our_line));
    }
    auto search = Search::resume(text.substr(end + 2), kind, known);
    if (!search) {
        return refused("the state of the search is damaged, or it was begun with another --model");
    }
    if (search->settings() != settings || search->candidates() != candidates) {
        return refused("the search was begun with other sizes, another time or other methods");
    }
    return search;
}

std::string progress_line(const Search::Progress& progress) {
    constexpr int width = 24;
    const int filled = static_cast<int>(std::lround(width * progress.done));
    const int left = static_cast<int>(std::lround(progress.seconds_left));
    return fmt::format("[{:#<{}}{:.<{}}] {:3.0f} %, {} bytes, {} methods in the race, {}:{:02} left", "", filled, "",
                       width - filled, 100 * progress.done, progress.block_bytes, progress.in_the_race, left / 60,
                       left % 60);
}

std::string results_table(const Search::Result& result) {
    std::string text = fmt::format("{:>8}  {:>12}  {:>12}  {:>22}  {:<40}  {}\n", "bytes", "native", "chosen",
                                   "native/chosen", "chosen method", "runner-up");
    for (const TunedRange& range : result.ranges) {
        for (const MeasuredSize& size : range.measured) {
            const std::string lead = range.method.native() ? "-"
                                                           : fmt::format("{:.2f} ({:.2f} to {:.2f})", size.lead.ratio,
                                                                         size.lead.low, size.lead.high);
            const std::string second = size.runner_up ? fmt::format("{} {}", to_string(size.runner_up->method),
                                                                    time_text(size.runner_up->seconds))
                                                      : "-";
            text +=
                fmt::format("{:>8}  {:>12}  {:>12}  {:>22}  {:<40}  {}\n", size.bytes, time_text(size.native_seconds),
                            time_text(size.chosen_seconds), lead, to_string(range.method), second);
        }
    }
    return text;
}

std::string remarks_on_speeds(const Search::Result& result, double seconds_per_byte, std::string_view file) {
    std::string text;
    for (const TunedRange& range : result.ranges) {
        for (const MeasuredSize& size : range.measured) {
            const double fastest = std::min(size.native_seconds, size.chosen_seconds);
            if (const auto too_fast =
                    faster_than_wires(seconds_per_byte * static_cast<double>(size.bytes), fastest, file)) {
                text += fmt::format("{} bytes: {}\n", size.bytes, *too_fast);
            }
        }
    }
    return text;
}

}  // namespace aapc::bench
