#include "cli/check_unequal.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "aapc/input/units.hpp"
#include "aapc/methods/unequal_exchange.hpp"
#include "aapc/topology/demand.hpp"
#include "aapc/topology/placement.hpp"
#include "console/output.hpp"
#include "input/wording.hpp"

namespace aapc::cli {

namespace {

using nlohmann::json;

/// A program is asked for more than this by accident alone: a matrix of it takes 2 GB.
constexpr std::size_t most_participants = 16384;
/// The precision of times in documents.
constexpr double rounding = 1e-6;

/// What a document says.
struct UnequalDocument {
    Placement placement;
    Demand demand{0};
    std::int64_t messages = 0;
    std::int64_t segments = 0;
    double bound_seconds = 0;
    double cycle_seconds = 0;
};

tl::unexpected<Diagnostic> wrong(std::string problem) {
    return failure(std::move(problem), "docs/unequal.md has the format; aapc schedule --demand writes it");
}

Expected<double> seconds_in(const json& document, const char* key) {
    const auto found = document.find(key);
    if (found == document.end() || !found->is_number() || !(found->get<double>() >= 0)) {
        return wrong(fmt::format("'{}' is missing or no time", key));
    }
    return found->get<double>();
}

Expected<Placement> read_participants(const json& document, const Network& network) {
    const auto participants = document.find("participants");
    if (participants == document.end() || !participants->is_array() || participants->size() > most_participants) {
        return wrong(fmt::format("'participants' is missing or no list of {} at most", most_participants));
    }
    Placement placement;
    for (const json& participant : *participants) {
        const auto machine = participant.is_object() ? participant.find("machine") : participant.end();
        if (machine == participant.end() || !machine->is_string()) {
            return wrong(fmt::format("participant {} has no machine", placement.machine_of.size()));
        }
        const Machine found = network.find_machine(machine->get<std::string>());
        if (found < 0) {
            return wrong(fmt::format("machine {} is not in the topology", in_quotes(machine->get<std::string>())));
        }
        placement.machine_of.push_back(found);
    }
    return placement;
}

/// A whole number from `least` to `most`; nullopt if it is none.
std::optional<std::int64_t> whole_number(const json& table, const char* key, std::int64_t least, std::int64_t most) {
    const auto found = table.is_object() ? table.find(key) : table.end();
    if (found == table.end() || !found->is_number_integer()) {
        return std::nullopt;
    }
    const auto value = found->get<std::int64_t>();
    return value < least || value > most ? std::nullopt : std::optional(value);
}

Expected<void> read_messages(const json& document, UnequalDocument& read) {
    const auto messages = document.find("messages");
    if (messages == document.end() || !messages->is_array()) {
        return wrong("'messages' is missing or no list");
    }
    constexpr std::int64_t most_bytes = INT64_MAX / 1024;
    const Rank last = read.placement.participants() - 1;
    for (const json& message : *messages) {
        const auto from = whole_number(message, "from", 0, last);
        const auto to = whole_number(message, "to", 0, last);
        const auto bytes = whole_number(message, "bytes", 1, most_bytes);
        const auto segments = bytes ? whole_number(message, "segments", 1, *bytes) : std::nullopt;
        const auto at = message.is_object() ? message.find("at") : message.end();
        if (!from || !to || *from == *to || !segments || at == message.end() || !at->is_number() ||
            !(at->get<double>() >= 0 && at->get<double>() < 1)) {
            return wrong(
                fmt::format("message {} has no two ranks, bytes, segments of a byte at least, or start in the "
                            "cycle",
                            read.messages));
        }
        const auto sender = static_cast<Rank>(*from);
        const auto receiver = static_cast<Rank>(*to);
        if (read.demand.bytes(sender, receiver) != 0) {
            return wrong(fmt::format("there are two messages from {} to {}", *from, *to));
        }
        read.demand.set(sender, receiver, *bytes);
        ++read.messages;
        read.segments += *segments;
    }
    return {};
}

Expected<UnequalDocument> read_document(const std::string& text, const Network& network) {
    const json document = json::parse(text, nullptr, false);
    if (!document.is_object()) {
        return wrong("it is no JSON document");
    }
    UnequalDocument read;
    auto placement = read_participants(document, network);
    if (!placement) {
        return failure(placement.error());
    }
    read.placement = std::move(*placement);
    read.demand = Demand(read.placement.participants());
    const auto bound = seconds_in(document, "bound_seconds");
    const auto cycle = seconds_in(document, "cycle_seconds");
    if (!bound || !cycle) {
        return failure(bound ? cycle.error() : bound.error());
    }
    read.bound_seconds = *bound;
    read.cycle_seconds = *cycle;
    if (auto messages = read_messages(document, read); !messages) {
        return failure(std::move(messages.error()));
    }
    return read;
}

int violated(const std::string& name, std::string what) {
    complain({.file = name, .problem = std::move(what)});
    return check_failed;
}

}  // namespace

bool is_unequal_document(std::string_view text) {
    constexpr std::size_t beginning = 256;
    return text.substr(0, beginning).find("\"aapc-unequal/1\"") != std::string_view::npos;
}

int check_unequal(const std::string& text, const std::string& name, const Network& network) {
    const auto about = [&](Diagnostic diagnostic) {
        diagnostic.file = name;
        return diagnostic;
    };
    const auto document = read_document(text, network);
    if (!document) {
        return complain(about(document.error()));
    }
    const auto bound = demand_bound(network, document->placement, document->demand);
    if (!bound) {
        return complain(about(bound.error()));
    }
    const auto time = [](double seconds) { return duration_text(seconds, significant(6)); };
    if (std::abs(bound->seconds() - document->bound_seconds) > rounding * bound->seconds() + 1e-9) {
        return violated(name, fmt::format("it says that the bound is {}, and the busiest link needs {}",
                                          time(document->bound_seconds), time(bound->seconds())));
    }
    if (document->cycle_seconds < bound->seconds() * (1 - rounding)) {
        return violated(name, fmt::format("a cycle of {} asks a link for more than it carries, which takes {}",
                                          time(document->cycle_seconds), time(bound->seconds())));
    }
    return write_output("", fmt::format("certified: {} participants, {} messages in {} segments; every pair once at "
                                        "most; bound {}; no link asked for more than it carries in a cycle of {}\n",
                                        document->placement.participants(), document->messages, document->segments,
                                        time(bound->seconds()), time(document->cycle_seconds)));
}

}  // namespace aapc::cli
