#include "aapc/timetable/synchronisation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "input/numbers.hpp"
#include "input/wording.hpp"

namespace aapc {

namespace {

using Kind = Synchronisation::Kind;

constexpr SynchronisationEntry table[] = {
    {Kind::none, "none", "none", false, "phase order at each sender, nothing more"},
    {Kind::dummy, "dummy", "dummy", false,
     "as none, and ranks that are idle in a phase send to a neighbour or themselves"},
    {Kind::sender, "sender", "sender", false,
     "a message waits until the sends it would meet are complete at their senders"},
    {Kind::sender_partial, "sender-partial", "sender-partial:BS", true, "as sender, between blocks of BS phases only"},
    {Kind::receiver, "receiver", "receiver", false,
     "a message waits until the messages it would meet have been received"},
    {Kind::receiver_partial, "receiver-partial", "receiver-partial:BS", true,
     "as receiver, between blocks of BS phases only"},
    {Kind::barrier, "barrier", "barrier", false, "a barrier between every two phases"},
    {Kind::barrier_partial_none, "barrier-partial-none", "barrier-partial-none:BS", true,
     "a barrier every BS phases, nothing in between"},
    {Kind::barrier_partial_sender, "barrier-partial-sender", "barrier-partial-sender:BS", true,
     "a barrier every BS phases, as sender in between"},
    {Kind::barrier_partial_receiver, "barrier-partial-receiver", "barrier-partial-receiver:BS", true,
     "a barrier every BS phases, as receiver in between"},
    {Kind::window, "window", "window:W", true, "a rank's messages of W phases all at once, then those of the next W"},
    {Kind::ports, "ports", "ports:K", true,
     "a machine carries on K messages a direction with other machines at a time, in the order of the phases"},
    {Kind::timed, "timed", "timed[-grid][:SEGMENT][@PACE]", false,
     "segments start by the clock, in their phase's slot; no synchronisation messages"},
};

/// Of `timed` without a common start.
constexpr std::string_view name_on_grid = "timed-grid";

Expected<Synchronisation> with_blocks(const SynchronisationEntry& entry, std::string_view parameter) {
    const std::optional<Phase> phases = parameter == "all" ? all_phases : parse_number<Phase>(parameter);
    if (!phases || *phases < 1) {
        return failure(parameter.empty() ? fmt::format("'{}' does not say how many phases make a block", entry.name)
                                         : fmt::format("'{}' is no number of phases", parameter),
                       fmt::format("write {0}, for example {1}:8", entry.form, entry.name));
    }
    return Synchronisation::with_blocks(entry.kind, *phases);
}

Expected<Synchronisation> parse_timed(std::string_view segment, std::string_view pace, bool has_segment,
                                      bool has_pace) {
    Synchronisation timed = Synchronisation::timed;
    if (has_segment) {
        const auto bytes = parse_number<std::int64_t>(segment);
        if (!bytes || *bytes < 1) {
            return failure(fmt::format("'{}' is no size of a segment", segment), "give bytes, for example timed:8688");
        }
        timed.segment_bytes = *bytes;
    }
    if (has_pace) {
        const auto value = parse_number<double>(pace);
        constexpr double fastest = 100;  // links may be a hundred times faster than declared, but not endlessly
        if (!value || !(*value > 0 && *value <= fastest)) {
            return failure(fmt::format("'{}' is no pace", pace),
                           "give a fraction of the links' speed above 0, for example timed@0.95");
        }
        timed.pace = *value;
    }
    return timed;
}

}  // namespace

std::span<const SynchronisationEntry> synchronisations() { return table; }

std::string_view name_of(Synchronisation::Kind kind) { return table[static_cast<std::size_t>(kind)].name; }

std::string to_string(const Synchronisation& synchronisation) {
    std::string text(synchronisation.on_grid ? name_on_grid : name_of(synchronisation.kind));
    if (synchronisation.block_phases == all_phases) {
        text += ":all";
    } else if (synchronisation.block_phases > 0) {
        text += fmt::format(":{}", synchronisation.block_phases);
    }
    if (synchronisation.segment_bytes > 0) {
        text += fmt::format(":{}", synchronisation.segment_bytes);
    }
    if (synchronisation.pace > 0) {
        text += fmt::format("@{}", synchronisation.pace);
    }
    return text;
}

Expected<Synchronisation> parse_synchronisation(std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::size_t at = text.find('@');
    const bool on_grid = text.substr(0, std::min(colon, at)) == name_on_grid;
    const std::string_view name = on_grid ? name_of(Kind::timed) : text.substr(0, std::min(colon, at));
    const auto entry = std::find_if(std::begin(table), std::end(table),
                                    [&](const SynchronisationEntry& row) { return row.name == name; });
    if (entry == std::end(table)) {
        std::vector<std::string_view> forms;
        for (const SynchronisationEntry& row : table) {
            forms.push_back(row.form);
        }
        return failure(fmt::format("there is no synchronisation '{}'", text), choice_of(text, forms));
    }
    const bool has_segment = colon < at;
    const std::string_view parameter =
        has_segment ? text.substr(colon + 1, at == std::string_view::npos ? at : at - colon - 1) : std::string_view();
    const std::string_view pace = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
    if (entry->kind == Kind::timed) {
        auto timed = parse_timed(parameter, pace, has_segment, at != std::string_view::npos);
        if (timed) {
            timed->on_grid = on_grid;
        }
        return timed;
    }
    if (at != std::string_view::npos || (has_segment && !entry->has_blocks)) {
        return failure(fmt::format("synchronisation '{}' takes no parameter as in '{}'", name, text),
                       fmt::format("write {}", entry->form));
    }
    return entry->has_blocks ? with_blocks(*entry, parameter) : Synchronisation{entry->kind, 0, 0, 0};
}

TokenGiver token_giver(const Synchronisation& synchronisation) {
    switch (synchronisation.kind) {
        case Kind::sender:
        case Kind::sender_partial:
        case Kind::barrier_partial_sender:
            return TokenGiver::sender;
        case Kind::receiver:
        case Kind::receiver_partial:
        case Kind::barrier_partial_receiver:
            return TokenGiver::receiver;
        default:
            return TokenGiver::nobody;
    }
}

bool uses_edges(const Synchronisation& synchronisation) { return token_giver(synchronisation) != TokenGiver::nobody; }

bool has_token_between(const Synchronisation& synchronisation, Phase after, Phase before) {
    if (synchronisation.block_phases == 0) {
        return uses_edges(synchronisation);
    }
    const bool same_block = after / synchronisation.block_phases == before / synchronisation.block_phases;
    switch (synchronisation.kind) {
        case Kind::sender_partial:
        case Kind::receiver_partial:
            return !same_block;
        case Kind::barrier_partial_sender:
        case Kind::barrier_partial_receiver:
            return same_block;
        default:
            return false;
    }
}

Phase phases_between_barriers(const Synchronisation& synchronisation) {
    switch (synchronisation.kind) {
        case Kind::barrier:
            return 1;
        case Kind::barrier_partial_none:
        case Kind::barrier_partial_sender:
        case Kind::barrier_partial_receiver:
            return synchronisation.block_phases;
        default:
            return 0;
    }
}

bool uses_tickets(const Synchronisation& synchronisation) { return synchronisation.kind == Kind::ports; }

bool needs_contention_free_phases(const Synchronisation& synchronisation) {
    return uses_edges(synchronisation) || synchronisation.kind == Kind::dummy || synchronisation.kind == Kind::timed;
}

bool orders_single_messages(const Synchronisation& synchronisation) {
    return needs_contention_free_phases(synchronisation) || uses_tickets(synchronisation);
}

bool fits_cycles(const Synchronisation& synchronisation) {
    return synchronisation.kind == Kind::none || synchronisation.kind == Kind::window ||
           synchronisation.kind == Kind::timed;
}

Expected<void> check_synchronisation_fits(Guarantee guarantee, bool forwards, const Synchronisation& synchronisation) {
    if (guarantee == Guarantee::within_capacity) {
        if (fits_cycles(synchronisation)) {
            return {};
        }
        return failure(fmt::format("synchronisation '{}' keeps phases apart, and the messages of this algorithm start "
                                   "at times of a cycle, which has none",
                                   name_of(synchronisation.kind)),
                       "choose timed, none or window:W");
    }
    if (needs_contention_free_phases(synchronisation) && !is_contention_free(guarantee)) {
        return failure(fmt::format("synchronisation '{}' keeps contention-free phases apart, and this algorithm has "
                                   "none on this network",
                                   name_of(synchronisation.kind)),
                       "choose none, window:W, barrier or barrier-partial-none:BS");
    }
    if (forwards && orders_single_messages(synchronisation)) {
        return failure(fmt::format("synchronisation '{}' orders single messages, and this algorithm forwards blocks, "
                                   "which orders them already",
                                   name_of(synchronisation.kind)),
                       "choose none, window:1, barrier or barrier-partial-none:BS");
    }
    return {};
}

Rank signaller(const Synchronisation& synchronisation, const Edge& edge) {
    return token_giver(synchronisation) == TokenGiver::receiver ? edge.after.to : edge.after.from;
}

}  // namespace aapc
