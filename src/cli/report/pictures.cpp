#include "cli/report/pictures.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "aapc/check/queues.hpp"
#include "aapc/plan/pacing.hpp"
#include "aapc/topology/bound.hpp"
#include "cli/report/strips.hpp"

namespace aapc::report {

namespace {

constexpr Rank most_ranks = 512;
constexpr std::size_t most_pieces = 2000000;

/// Where the parts of the single picture are.
constexpr int picture_left = 170;
constexpr int picture_top = 64;
constexpr int picture_row_height = 13;
constexpr int picture_columns = 720;

/// Messages of a byte each, and when they start in the cycle.
struct Messages {
    std::vector<Piece> pieces;
    double cycle_seconds = 0;
};

double speed_or_one(double bits_per_second) { return bits_per_second > 0 ? bits_per_second / 8 : 1; }

Messages messages_of(const Schedule& schedule, const Ways& ways) {
    Messages messages;
    const bool cyclic = schedule.cycle().has_value();
    const auto moments = static_cast<double>(cyclic ? schedule.ticks() : static_cast<Phase>(schedule.phases().size()));
    double slowest = 0;
    schedule.for_each_message([&](const Transfer& message) {
        for (const DirectedLink link : ways.of(message.from, message.to)) {
            const double speed =
                speed_or_one(ways.network().links()[static_cast<std::size_t>(link / 2)].flow_bits_per_second());
            slowest = slowest == 0 ? speed : std::min(slowest, speed);
        }
        messages.pieces.push_back({message.from, message.to, static_cast<double>(message.phase) / moments, 1});
    });
    messages.cycle_seconds = cyclic ? schedule.cycle()->seconds_per_byte : moments / std::max(slowest, 1e-30);
    for (Piece& piece : messages.pieces) {
        piece.start_seconds *= messages.cycle_seconds;
    }
    return messages;
}

void append_text(std::string& out, int x, int y, const char* more, const std::string& words) {
    out += fmt::format("<text x=\"{}\" y=\"{}\"{}>{}</text>\n", x, y, more, escaped(words));
}

void append_legend(std::string& out, int y) {
    int x = picture_left;
    for (const LegendEntry& entry : strip_legend) {
        out +=
            fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"12\" height=\"11\"/>\n", entry.name, x, y - 10);
        append_text(out, x + 17, y, "", entry.text);
        x += 34 + 6 * static_cast<int>(std::string_view(entry.text).size());
    }
}

std::string heading(const Schedule& schedule) {
    return fmt::format(
        "{}/{}, {} ranks: {}", schedule.algorithm(), schedule.variant(), schedule.placement().participants(),
        schedule.cycle() ? std::string("one cycle") : fmt::format("{} phases", schedule.phases().size()));
}

}  // namespace

Expected<std::string> timetable_svg(const Schedule& schedule, std::size_t most_rows) {
    if (schedule.forwards()) {
        return failure("blocks are forwarded, so that messages are not of one size", "ask for a table");
    }
    if (schedule.placement().participants() > most_ranks) {
        return failure(fmt::format("{} ranks are too many for a picture", schedule.placement().participants()),
                       fmt::format("take {} or less", most_ranks));
    }
    const auto ways = Ways::find(schedule.network(), schedule.placement());
    if (!ways) {
        return failure(ways.error());
    }
    const Messages messages = messages_of(schedule, *ways);
    const std::vector<DirectedLink> links = shown_links(*ways, most_rows);
    const LinkUse use = use_of_pieces(*ways, messages.pieces, {links, messages.cycle_seconds, picture_columns, true});
    const int height = picture_top + picture_row_height * static_cast<int>(links.size()) + 66;
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
        "font-family=\"system-ui, DejaVu Sans, Arial, sans-serif\" font-size=\"11\">\n<title>{2}</title>\n"
        "<desc>A row for each direction of a link, time from left to right.</desc>\n<style>{3}"
        "svg{{background:#fff;fill:#1c2730}}@media "
        "(prefers-color-scheme:dark){{svg{{background:#14191f;fill:#e3e9ef}}}}"
        "</style>\n",
        picture_left + picture_columns + 24, height, escaped(heading(schedule)), strip_style());
    append_text(out, picture_left, 26, " font-size=\"17\" font-weight=\"600\"", heading(schedule));
    append_text(out, picture_left, 46, "",
                fmt::format("{} of {} links that carry messages, each direction", links.size() / 2,
                            network_bound(schedule.network(), schedule.placement()).links.size()));
    out += fmt::format("<g transform=\"translate({} {})\">{}</g>\n", picture_left, picture_top,
                       strip_paths(use, picture_row_height));
    for (std::size_t row = 0; row < links.size(); ++row) {
        const int y = picture_top + picture_row_height * static_cast<int>(row);
        out += fmt::format(
            "<g><title>{}</title><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"11\" fill-opacity=\"0\"/></g>\n",
            escaped(link_name(schedule.network(), links[row]) + ": " +
                    to_string(summary_of_row(use, row, use.seconds))),
            picture_left, y, picture_columns);
        append_text(out, picture_left - 8, y + 9, " text-anchor=\"end\"", link_name(schedule.network(), links[row]));
    }
    const int bottom = picture_top + picture_row_height * static_cast<int>(links.size());
    append_text(out, picture_left, bottom + 16, "", "0");
    append_text(out, picture_left + picture_columns, bottom + 16, " text-anchor=\"end\"",
                schedule.cycle() ? "one cycle" : fmt::format("{} phases", schedule.phases().size()));
    append_legend(out, bottom + 44);
    return out + "</svg>\n";
}

std::optional<std::vector<Piece>> scheduled_pieces(const Prepared& prepared, std::int64_t block_bytes) {
    const Timetable& timetable = *prepared.timetable;
    const Cadence& cadence = prepared.cadence;
    const Segmentation cut = segment_message(block_bytes, cadence, prepared.method.synchronisation.segment_bytes);
    const auto ranks = static_cast<std::size_t>(timetable.participants());
    if (ranks > most_ranks || ranks * ranks * static_cast<std::size_t>(cut.segments) > most_pieces) {
        return std::nullopt;
    }
    const double given = prepared.method.synchronisation.pace;
    const double pace = given > 0 ? given : cadence.initial_pace();
    std::vector<Piece> pieces;
    for (Rank rank = 0; rank < timetable.participants(); ++rank) {
        for (const Transfer& transfer : timetable.sends_of(rank)) {
            for (std::int64_t segment = 0; segment < cut.segments; ++segment) {
                const std::int64_t bytes = segment + 1 == cut.segments ? cut.last_segment_bytes : cut.segment_bytes;
                pieces.push_back({rank, transfer.to,
                                  cut.start_seconds(segment, transfer.phase, timetable.phases()) / pace,
                                  static_cast<double>(wire_bytes(bytes, cadence.wire))});
            }
        }
    }
    return pieces;
}

std::vector<Piece> recorded_pieces(const Record& record, const std::string& communicator, std::int64_t exchange,
                                   const WireFormat& wire) {
    std::vector<Piece> pieces;
    double first = 0;
    for (const RecordedSegments& line : record.segments) {
        if (line.communicator != communicator || line.exchange != exchange) {
            continue;
        }
        for (std::size_t index = 0; index < line.to.size(); ++index) {
            if (line.bytes[index] > 0) {
                const double start = line.due[index] + line.late[index];
                first = pieces.empty() ? start : std::min(first, start);
                pieces.push_back({static_cast<Rank>(line.rank), line.to[index], start,
                                  static_cast<double>(wire_bytes(line.bytes[index], wire))});
            }
        }
    }
    for (Piece& piece : pieces) {
        piece.start_seconds -= first;
    }
    return pieces;
}

}  // namespace aapc::report
