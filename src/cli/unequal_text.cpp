// What is said of unequal messages, for people and for programs.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "aapc/input/units.hpp"
#include "aapc/topology/placement.hpp"
#include "aapc/topology/siblings.hpp"
#include "cli/unequal_report.hpp"

namespace aapc::cli {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t most_loaded_shown = 5;

std::string unequal_time(double seconds) { return duration_text(seconds, significant(4)); }

/// The links that need longest, those first.
std::vector<LinkQueue> busiest(const UnequalLine& line) {
    std::vector<LinkQueue> links = line.exchange.queues.links;
    std::stable_sort(links.begin(), links.end(), [](const LinkQueue& left, const LinkQueue& right) {
        return left.load_seconds > right.load_seconds;
    });
    links.resize(std::min(links.size(), most_loaded_shown));
    return links;
}

/// The link that needs longest.
std::string busiest_link(const Network& network, const UnequalLine& line) {
    const std::vector<LinkQueue> links = busiest(line);
    return links.empty() ? "no link" : link_name(network, links.front().link);
}

std::string queue_of(const Network& network, const QueueCertificate& queues) {
    return queues.longest.queue_bytes > 0
               ? fmt::format("{} on {}, at {:.2f} of the cycle", rounded_size_text(queues.longest.queue_bytes),
                             link_name(network, queues.longest.link), queues.longest.at)
               : "none";
}

std::string line_text(const Network& network, const UnequalLine& line) {
    const double fraction = line.predicted_seconds > 0 ? line.bound.seconds() / line.predicted_seconds : 1;
    const std::string native = line.native_seconds ? unequal_time(line.native_seconds->value) : "-";
    return fmt::format("{:<32}  {:>12}  {:>12}  {:>10}  {:>10}  {:>9.2f}  {:>10}  {:<12}  {}\n", line.name, line.bytes,
                       line.longest, unequal_time(line.bound.seconds()), unequal_time(line.predicted_seconds), fraction,
                       native, line.exchanged ? "by the clock" : "by the MPI", queue_of(network, line.exchange.queues));
}

ordered_json queue_json(const Network& network, const QueueCertificate& queues) {
    const LinkQueue& longest = queues.longest;
    if (longest.link < 0 || !(longest.queue_bytes > 0)) {
        return {{"bytes", 0}, {"from", nullptr}, {"to", nullptr}, {"at", nullptr}};
    }
    const Link& link = network.links()[static_cast<std::size_t>(longest.link / 2)];
    const auto name = [&](Vertex vertex) { return network.vertices()[static_cast<std::size_t>(vertex)].name; };
    const bool up = longest.link % 2 == 0;
    return {{"bytes", longest.queue_bytes},
            {"from", name(up ? link.lower : link.upper)},
            {"to", name(up ? link.upper : link.lower)},
            {"at", longest.at}};
}

ordered_json line_json(const Network& network, const UnequalLine& line) {
    ordered_json native;
    if (line.native_seconds) {
        const Estimate& seconds = *line.native_seconds;
        native = {{"seconds", seconds.value}, {"interval", {seconds.interval.low, seconds.interval.high}}};
    }
    return {{"demand", line.name},
            {"messages", line.messages},
            {"bytes", line.bytes},
            {"longest_message_bytes", line.longest},
            {"bound_seconds", line.bound.seconds()},
            {"busiest_link", busiest_link(network, line)},
            {"cycle_seconds", line.exchange.cycle_seconds},
            {"predicted_seconds", line.predicted_seconds},
            {"native", std::move(native)},
            {"exchanged", line.exchanged},
            {"segments", line.exchange.segments.sent.size()},
            {"queue", queue_json(network, line.exchange.queues)}};
}

/// A message with its segments.
struct Message {
    Rank from = -1;
    Rank to = -1;
    std::int64_t bytes = 0;
    std::int64_t segments = 0;
    double start_seconds = 0;
};

/// All messages of an exchange in the order in which they start.
std::vector<Message> messages_of(const UnequalLine& line) {
    std::vector<StartedSegment> segments = line.exchange.segments.sent;
    std::stable_sort(segments.begin(), segments.end(), [](const StartedSegment& left, const StartedSegment& right) {
        return std::pair(left.from, left.to) < std::pair(right.from, right.to);
    });
    std::vector<Message> messages;
    for (const StartedSegment& segment : segments) {
        if (messages.empty() || messages.back().from != segment.from || messages.back().to != segment.to) {
            messages.push_back({segment.from, segment.to, 0, 0, segment.start_seconds});
        }
        messages.back().bytes += segment.bytes;
        ++messages.back().segments;
    }
    std::stable_sort(messages.begin(), messages.end(), [](const Message& left, const Message& right) {
        return left.start_seconds < right.start_seconds;
    });
    return messages;
}

std::string crossover_text(const selection::UnequalCrossover& crossover) {
    return fmt::format(
        "exchanged by the clock where the bound with headers is {} or more, or {} where one link needs "
        "twice as long as all others;\nby the MPI below that\n",
        unequal_time(crossover.usual_seconds), unequal_time(crossover.at_one_link_seconds));
}

/// A tuning counts in sizes of equal messages whose bound is as long.
double tuned_bound_seconds(const UnequalMethod& method, std::int64_t bytes) {
    return static_cast<double>(bytes) * method.equal_seconds_per_byte;
}

std::string tuned_text(const UnequalMethod& method) {
    const Fingerprint& made_for = method.tuning->fingerprint;
    std::string text = fmt::format("decided by tuning for {} ({}), placement {}; nothing is learned\n", made_for.mpi,
                                   made_for.mpi_version, compact_hostlist(made_for.machine_of));
    std::string measured;
    for (const TunedRange& range : method.tuning->ranges) {
        text += fmt::format("from a bound of {}: {}\n", unequal_time(tuned_bound_seconds(method, range.from_bytes)),
                            range.method.native() ? "by the MPI" : "by the clock");
        for (const MeasuredSize& size : range.measured) {
            measured +=
                fmt::format("{:>12}  {:>10}  {:>10}  {:>12}  {:.2f} ({:.2f} to {:.2f})\n",
                            unequal_time(tuned_bound_seconds(method, size.bytes)), unequal_time(size.native_seconds),
                            unequal_time(size.chosen_seconds), range.method.native() ? "by the MPI" : "by the clock",
                            size.lead.ratio, size.lead.low, size.lead.high);
        }
    }
    return measured.empty() ? text
                            : text +
                                  fmt::format("\n{:>12}  {:>10}  {:>10}  {:>12}  {}\n", "bound", "native", "chosen",
                                              "which is", "times as fast") +
                                  measured;
}

ordered_json tuned_json(const UnequalMethod& method) {
    ordered_json ranges = ordered_json::array();
    for (const TunedRange& range : method.tuning->ranges) {
        ordered_json measured = ordered_json::array();
        for (const MeasuredSize& size : range.measured) {
            measured.push_back({{"bound_seconds", tuned_bound_seconds(method, size.bytes)},
                                {"native_seconds", size.native_seconds},
                                {"chosen_seconds", size.chosen_seconds},
                                {"native_over_chosen", size.lead.ratio}});
        }
        ranges.push_back({{"from_bound_seconds", tuned_bound_seconds(method, range.from_bytes)},
                          {"method", to_string(range.method)},
                          {"measured", std::move(measured)}});
    }
    return {{"ranges", std::move(ranges)}};
}

}  // namespace

std::string unequal_text(const Network& network, const UnequalMethod& method, const std::vector<UnequalLine>& lines) {
    std::string text = fmt::format("{}, unequal messages; one reduction finds the bound: {} sums and {} maximum\n",
                                   to_string(method.prepared.method), method.sums, method.maxima);
    if (method.siblings > 1) {
        text += sharing_text(method.siblings) + "; so bounds are those of all their messages\n";
    }
    if (!method.tuning_rejected.empty()) {
        text += fmt::format("tuning rejected: {}\n", method.tuning_rejected);
    }
    text += method.tuning != nullptr ? tuned_text(method) : crossover_text(method.crossover);
    if (lines.empty()) {
        return text;
    }
    text += '\n';
    text += fmt::format("{:<32}  {:>12}  {:>12}  {:>10}  {:>10}  {:>9}  {:>10}  {:<12}  {}\n", "demand", "bytes",
                        "longest", "bound", "predicted", "of bound", "native", "exchanged", "longest queue");
    for (const UnequalLine& line : lines) {
        text += line_text(network, line);
    }
    if (lines.back().exchange.queues.links.empty()) {
        return text;
    }
    text += fmt::format("\n{:<24}  {:>10}  {:>12}\n", "busiest links of the last", "needs", "queue");
    for (const LinkQueue& link : busiest(lines.back())) {
        text += fmt::format("{:<24}   {:>10}  {:>12}\n", link_name(network, link.link), unequal_time(link.load_seconds),
                            link.queue_bytes > 0 ? rounded_size_text(link.queue_bytes) : "-");
    }
    return text + "The bound is of the bytes alone; everything else is with headers and acknowledgements.\n";
}

std::string unequal_json(const Network& network, const UnequalMethod& method, const std::vector<UnequalLine>& lines) {
    ordered_json document = {
        {"method", to_string(method.prepared.method)},
        {"reduction", {{"sums", method.sums}, {"maxima", method.maxima}}},
        {"communicators_together", method.siblings},
        {"crossover_seconds", method.crossover.usual_seconds},
        {"crossover_seconds_at_one_link", method.crossover.at_one_link_seconds},
        {"tuning", method.tuning != nullptr ? tuned_json(method) : ordered_json()},
        {"tuning_rejected", method.tuning_rejected.empty() ? ordered_json() : ordered_json(method.tuning_rejected)},
        {"demands", ordered_json::array()}};
    for (const UnequalLine& line : lines) {
        document["demands"].push_back(line_json(network, line));
    }
    return document.dump(2);
}

std::string unequal_schedule_text(const Network& network, const Placement& placement, const UnequalMethod& method,
                                  const UnequalLine& line) {
    const std::vector<std::string> names = participant_names(network, placement);
    const UnequalExchange& exchange = line.exchange;
    std::string text =
        fmt::format("{}: {} participants, {} messages of {} bytes together ({})\n", to_string(method.prepared.method),
                    placement.participants(), line.messages, line.bytes, line.name);
    text += fmt::format("bound {} by {}, {} with headers; cycle {}\n", unequal_time(line.bound.seconds()),
                        busiest_link(network, line), unequal_time(exchange.bound.seconds()),
                        unequal_time(exchange.cycle_seconds));
    text += fmt::format("{} segments; every byte once, both ends alike; longest queue: {}\n",
                        exchange.segments.sent.size(), queue_of(network, exchange.queues));
    text += "\n      at         bytes  segments  message\n";
    for (const Message& message : messages_of(line)) {
        const double at = exchange.cycle_seconds > 0 ? message.start_seconds / exchange.cycle_seconds : 0;
        text += fmt::format("{:.6f}  {:>12}  {:>8}  {}->{}\n", at, message.bytes, message.segments,
                            names[static_cast<std::size_t>(message.from)], names[static_cast<std::size_t>(message.to)]);
    }
    return text;
}

std::string unequal_schedule_json(const Network& network, const Placement& placement, const UnequalMethod& method,
                                  const UnequalLine& line) {
    const std::vector<std::string> names = participant_names(network, placement);
    ordered_json participants = ordered_json::array();
    for (Rank rank = 0; rank < placement.participants(); ++rank) {
        participants.push_back(
            {{"name", names[static_cast<std::size_t>(rank)]},
             {"machine", network.machine_name(placement.machine_of[static_cast<std::size_t>(rank)])}});
    }
    const UnequalExchange& exchange = line.exchange;
    ordered_json messages = ordered_json::array();
    for (const Message& message : messages_of(line)) {
        const double at = exchange.cycle_seconds > 0 ? message.start_seconds / exchange.cycle_seconds : 0;
        messages.push_back({{"from", message.from},
                            {"to", message.to},
                            {"bytes", message.bytes},
                            {"segments", message.segments},
                            {"at", at}});
    }
    const ordered_json document = {{"format", "aapc-unequal/1"},
                                   {"algorithm", method.prepared.method.algorithm->name},
                                   {"variant", method.prepared.method.variant},
                                   {"demand", line.name},
                                   {"participants", std::move(participants)},
                                   {"bound_seconds", line.bound.seconds()},
                                   {"cycle_seconds", exchange.cycle_seconds},
                                   {"queue", queue_json(network, exchange.queues)},
                                   {"messages", std::move(messages)}};
    return document.dump(2) + '\n';
}

}  // namespace aapc::cli
