#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "aapc/codegen/generator.hpp"
#include "aapc/plan/pacing.hpp"
#include "aapc/plan/plan.hpp"
#include "aapc/schedule/plan_from_schedule.hpp"
#include "aapc/schedule/synchronise.hpp"
#include "aapc/topology/bound.hpp"
#include "codegen/direct.hpp"
#include "codegen/forwarded.hpp"
#include "codegen/pieces.hpp"
#include "codegen/render.hpp"
#include "codegen/tables.hpp"
#include "codegen/text.hpp"

namespace aapc {

namespace {

using generate::Conditions;
using generate::Values;
using Kind = Synchronisation::Kind;

/// Above this many ranks the list of all phases in a comment is no longer something that people read.
constexpr Rank most_ranks_with_listed_phases = 32;

/// As in the interposer: below it, an MPI's own algorithms for small messages need fewer messages.
constexpr std::int64_t minimum_bytes = 8192;

/// A routine has no controller that could try whether more is possible (PaceController).
constexpr double fixed_pace = 0.96;

/// Phases that the routine keeps apart from the next ones as a block; 0: it does not.
Phase phases_in_block(const Schedule& schedule, const Synchronisation& synchronisation) {
    const Phase asked_for =
        synchronisation.kind == Kind::window ? synchronisation.block_phases : phases_between_barriers(synchronisation);
    return std::min(asked_for, static_cast<Phase>(schedule.phases().size()));
}

std::string_view condition_of(Guarantee guarantee) {
    switch (guarantee) {
        case Guarantee::shortest:
        case Guarantee::contention_free:
            return "contention-free";
        case Guarantee::within_capacity:
            return "within-capacity";
        case Guarantee::one_port:
            return "one-port";
        case Guarantee::nothing:
            break;
    }
    return "no-guarantee";
}

/// The words behind `@if` in the pieces.
Conditions conditions_of(const Schedule& schedule, const Synchronisation& synchronisation) {
    Conditions conditions{std::string(condition_of(schedule.guarantee()))};
    const auto add_if = [&conditions](bool holds, std::string_view word) {
        if (holds) {
            conditions.emplace(word);
        }
    };
    const bool forwarding = schedule.forwards();
    const bool timed = synchronisation.kind == Kind::timed;
    const bool window = synchronisation.kind == Kind::window && !forwarding;
    const bool barriers = phases_between_barriers(synchronisation) > 0;
    const bool one_at_a_time = !forwarding && !timed && !window;
    const TokenGiver giver = token_giver(synchronisation);
    add_if(forwarding, "forwarding");
    add_if(timed, "timed");
    add_if(window, "window");
    add_if(one_at_a_time, "one-at-a-time");
    add_if(window || one_at_a_time, "whole");
    add_if(barriers, "barriers");
    add_if(window || (barriers && !forwarding), "phase-blocks");
    add_if(forwarding && barriers, "forwarding-barriers");
    add_if(synchronisation.kind == Kind::dummy, "dummies");
    add_if(giver != TokenGiver::nobody, "tokens");
    add_if(giver == TokenGiver::sender, "sender-tokens");
    add_if(giver == TokenGiver::receiver, "receiver-tokens");
    add_if(one_at_a_time && giver == TokenGiver::nobody, "one-at-a-time-without-tokens");
    return conditions;
}

std::string_view summary_of(const Synchronisation& synchronisation) {
    for (const SynchronisationEntry& entry : synchronisations()) {
        if (entry.kind == synchronisation.kind) {
            return entry.summary;
        }
    }
    return {};
}

std::string phase_comment(const Schedule& schedule) {
    if (schedule.placement().participants() > most_ranks_with_listed_phases) {
        return {};
    }
    return "/* The schedule; 2>5 is the message from rank 2 to rank 5.\n" + generate::phase_lines(schedule) + "\n */\n";
}

std::string synchronisation_cost(const Schedule& schedule, const Synchronisation& synchronisation,
                                 const std::vector<Edge>& edges) {
    const auto tokens = std::count_if(edges.begin(), edges.end(), [&](const Edge& edge) {
        return signaller(synchronisation, edge) != edge.before.from;
    });
    std::string text = fmt::format("{} synchronisation messages", tokens);
    if (synchronisation.kind == Kind::dummy) {
        text += fmt::format(", {} dummies", dummy_transfers(schedule, synchronisation).size());
    }
    if (const Phase between = phases_between_barriers(synchronisation); between > 0) {
        const auto phases = static_cast<Phase>(schedule.phases().size());
        text += fmt::format(", {} barriers", phases > 0 ? (phases - 1) / between : 0);
    }
    return text;
}

Values head_values(const Schedule& schedule, const Synchronisation& synchronisation, const std::vector<Edge>& edges,
                   std::string_view stamp) {
    Values values;
    values["stamp"] = generate::in_comment(stamp, stamp.size());
    values["algorithm"] = generate::in_comment(schedule.algorithm());
    values["variant"] = generate::in_comment(schedule.variant());
    values["synchronisation"] = to_string(synchronisation);
    values["summary"] = summary_of(synchronisation);
    values["phases"] = std::to_string(schedule.phases().size());
    values["bound"] = schedule.bound().has_value() ? fmt::format("bound: {}", *schedule.bound()) : "no bound";
    values["messages"] = std::to_string(schedule.messages());
    values["synchronisation_cost"] = synchronisation_cost(schedule, synchronisation, edges);
    values["network"] = generate::network_lines(schedule.network());
    return values;
}

void add_schedule_values(Values& values, const Schedule& schedule, const Synchronisation& synchronisation) {
    const Rank ranks = schedule.placement().participants();
    values["ranks"] = std::to_string(ranks);
    values["minimum_bytes"] = std::to_string(minimum_bytes);
    values["rank_type"] = generate::smallest_unsigned_type(ranks - 1);
    values["phase_type"] = generate::smallest_unsigned_type(static_cast<std::int64_t>(schedule.phases().size()));
    values["phase_comment"] = phase_comment(schedule);
    values["machines"] = generate::machine_rows(schedule);
    values["block_phases"] = std::to_string(phases_in_block(schedule, synchronisation));
}

void add_timing_values(Values& values, const Synchronisation& timed, double bits_per_second) {
    // A message of many segments shows how long one is; the routine cuts every message like that.
    const Segmentation longest =
        segment_message(std::numeric_limits<std::int32_t>::max(), bits_per_second, timed.segment_bytes);
    const WireFormat wire;
    values["segment_bytes"] = std::to_string(longest.segment_bytes);
    values["pace"] = fmt::format("{}", timed.pace > 0 ? timed.pace : fixed_pace);
    values["bits_per_second"] = fmt::format("{:#}", bits_per_second);
    values["payload_per_frame"] = std::to_string(wire.payload_per_frame);
    values["frame_overhead"] = std::to_string(wire.frame_overhead);
    values["message_header"] = std::to_string(wire.message_header);
    values["acknowledgement_per_frame"] = std::to_string(wire.acknowledgement_per_frame);
}

/// The pieces of the way in which the routine runs, in their order.
std::vector<std::string_view> pieces_of(const Schedule& schedule, const Synchronisation& synchronisation) {
    namespace pieces = generate::pieces;
    if (schedule.forwards()) {
        return {pieces::head,   pieces::settings, pieces::schedule,    pieces::messages_of_blocks, pieces::communicator,
                pieces::blocks, pieces::progress, pieces::byte_blocks, pieces::forwarding,         pieces::entry};
    }
    if (synchronisation.kind == Kind::timed) {
        return {pieces::head,   pieces::settings,    pieces::schedule, pieces::partners, pieces::communicator,
                pieces::blocks, pieces::byte_blocks, pieces::segments, pieces::entry};
    }
    return {pieces::head,
            pieces::settings,
            pieces::schedule,
            pieces::partners,
            pieces::communicator,
            pieces::blocks,
            pieces::progress,
            pieces::whole_messages,
            synchronisation.kind == Kind::window ? pieces::windows : pieces::one_at_a_time,
            pieces::whole_exchange,
            pieces::entry};
}

}  // namespace

Expected<std::string> generate_routine(const Schedule& schedule, const Synchronisation& asked_for,
                                       const std::vector<Edge>& edges, std::string_view stamp) {
    if (const auto fits = check_synchronisation_fits(schedule.guarantee(), schedule.forwards(), asked_for); !fits) {
        return failure(fits.error());
    }
    if (uses_tickets(asked_for)) {
        return failure(
            {"", 0, 0,
             fmt::format("synchronisation '{}' needs memory that the ranks of a machine share, and a routine "
                         "has messages alone",
                         name_of(asked_for.kind)),
             "choose window:W, or run the schedule with aapc exec"});
    }
    Synchronisation synchronisation = asked_for;
    const Rank ranks = schedule.placement().participants();
    Values values;
    if (synchronisation.kind == Kind::timed) {
        const double slowest = network_bound(schedule.network(), schedule.placement()).slowest_bits_per_second;
        if (slowest > 0) {
            add_timing_values(values, synchronisation, slowest);
        } else {
            synchronisation = Synchronisation::none;  // no message crosses a link, so there is no time to keep
        }
    }
    values.merge(head_values(schedule, synchronisation, edges, stamp));
    const Conditions conditions = conditions_of(schedule, synchronisation);
    const auto rendered = [&](std::string_view piece) { return generate::render(piece, values, conditions); };
    if (ranks < 2) {
        return rendered(generate::pieces::head) + rendered(generate::pieces::alone);
    }
    std::vector<Plan> plans;
    plans.reserve(static_cast<std::size_t>(ranks));
    for (Rank rank = 0; rank < ranks; ++rank) {
        plans.push_back(plan_from_schedule(schedule, edges, rank, synchronisation));
    }
    add_schedule_values(values, schedule, synchronisation);
    if (schedule.forwards()) {
        generate::add_forwarding_values(values, plans);
    } else {
        generate::add_direct_values(values, plans, phases_in_block(schedule, synchronisation));
    }
    std::string text;
    for (const std::string_view piece : pieces_of(schedule, synchronisation)) {
        text += rendered(piece);
    }
    return text;
}

}  // namespace aapc
