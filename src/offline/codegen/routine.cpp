#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "aapc/offline/generator.hpp"
#include "aapc/offline/plan_from_schedule.hpp"
#include "aapc/offline/synchronise.hpp"
#include "aapc/plan/pacing.hpp"
#include "aapc/plan/plan.hpp"
#include "offline/codegen/direct.hpp"
#include "offline/codegen/forwarded.hpp"
#include "offline/codegen/render.hpp"
#include "offline/codegen/tables.hpp"
#include "offline/codegen/templates.hpp"
#include "offline/codegen/text.hpp"

namespace aapc {

namespace {

using codegen::Values;
using Kind = Synchronisation::Kind;

/// Above this many ranks the list of all phases in a comment is no longer something that people read.
constexpr Rank most_ranks_with_listed_phases = 32;

/// Of the busiest link. A routine has no controller that could try whether more is possible, so it stays a little below
/// the pace that one starts with (PaceController).
constexpr double fixed_pace = 0.96;

/// How many ticks of the schedule's cycle are one of the routine's: as many as divide the cycle and all starting times,
/// which makes small numbers of those of slots. 1 for phases.
Phase ticks_in_one(const Schedule& schedule) {
    if (!schedule.cycle()) {
        return 1;
    }
    Phase divisor = schedule.ticks();
    schedule.for_each_message([&divisor](const Transfer& transfer) { divisor = std::gcd(divisor, transfer.phase); });
    return divisor;
}

/// Phases, or the routine's ticks of a cycle.
Phase phases_of(const Schedule& schedule) {
    return schedule.cycle() ? schedule.ticks() / ticks_in_one(schedule) : static_cast<Phase>(schedule.phases().size());
}

/// Phases that the routine keeps apart from the next ones as a block; 0: it does not.
Phase phases_in_block(const Schedule& schedule, const Synchronisation& synchronisation) {
    const Phase asked_for =
        synchronisation.kind == Kind::window ? synchronisation.block_phases : phases_between_barriers(synchronisation);
    return std::min(asked_for, phases_of(schedule));
}

void count_in(Phase ticks_in_one, Plan& plan) {
    plan.phases /= ticks_in_one;
    for (std::vector<Transfer>* const transfers : {&plan.sends, &plan.receives}) {
        for (Transfer& transfer : *transfers) {
            transfer.phase /= ticks_in_one;
        }
    }
}

/// Lines of a comment: what the phases promise.
std::string_view guarantee_lines(Guarantee guarantee) {
    switch (guarantee) {
        case Guarantee::shortest:
        case Guarantee::contention_free:
            return "Every message has a phase, and no two messages of one phase share a link in the same direction\n"
                   "(A. Faraj, X. Yuan: Message scheduling for all-to-all personalized communication on Ethernet\n"
                   "switched clusters, 2005).";
        case Guarantee::within_capacity:
            return "Every message starts at its tick of a cycle, in which no link is asked for more than it carries.";
        case Guarantee::one_port:
            return "Every message has a phase; in a phase, a rank sends one message at most and receives one at most.";
        case Guarantee::nothing:
            break;
    }
    return "Every message has a phase; in a phase, a rank sends one message at most.";
}

constexpr std::string_view forwarding_lines =
    "\nA message carries blocks of several ranks, which are forwarded until they are where they belong.";

/// The template of the way in which the routine runs.
std::string_view template_of(const Schedule& schedule, const Synchronisation& synchronisation) {
    if (schedule.forwards()) {
        return "forwarding.c";
    }
    if (synchronisation.kind == Kind::timed) {
        return "timed.c";
    }
    return synchronisation.kind == Kind::window ? "windows.c" : "one_at_a_time.c";
}

/// Where messages start at so many different ticks that each has its own, a list of them says no more than the table.
bool lists_phases(const Schedule& schedule) {
    return schedule.placement().participants() <= most_ranks_with_listed_phases &&
           (!schedule.cycle() || phases_of(schedule) < schedule.messages());
}

/// What the templates ask for with `#if`.
void add_conditions(Values& values, const Schedule& schedule, const Synchronisation& synchronisation) {
    const auto add = [&values](const char* name, bool holds) { values[name] = holds ? "1" : "0"; };
    const TokenGiver giver = token_giver(synchronisation);
    add("LISTS_PHASES", lists_phases(schedule));
    add("CYCLE", schedule.cycle().has_value());
    add("BARRIERS", phases_between_barriers(synchronisation) > 0);
    add("DUMMIES", synchronisation.kind == Kind::dummy);
    add("TOKENS", giver != TokenGiver::nobody);
    add("SENDER_TOKENS", giver == TokenGiver::sender);
    add("RECEIVER_TOKENS", giver == TokenGiver::receiver);
}

std::string_view summary_of(const Synchronisation& synchronisation) {
    for (const SynchronisationEntry& entry : synchronisations()) {
        if (entry.kind == synchronisation.kind) {
            return entry.summary;
        }
    }
    return {};
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

/// "9 phases (bound: 9)", "a cycle of 24 ticks, 1 times as long as the bound".
std::string length_text(const Schedule& schedule) {
    if (schedule.cycle()) {
        return fmt::format("a cycle of {} ticks, {:.4g} times as long as the bound", phases_of(schedule),
                           schedule.cycle()->over_bound());
    }
    const std::string bound = schedule.bound().has_value() ? fmt::format("bound: {}", *schedule.bound()) : "no bound";
    return fmt::format("{} phases ({})", schedule.phases().size(), bound);
}

Values head_values(const Schedule& schedule, const Synchronisation& synchronisation, const std::vector<Edge>& edges,
                   std::string_view stamp) {
    Values values;
    values["STAMP"] = codegen::in_comment(stamp, stamp.size());
    values["ALGORITHM"] = codegen::in_comment(schedule.algorithm());
    values["VARIANT"] = codegen::in_comment(schedule.variant());
    values["SYNCHRONISATION"] = to_string(synchronisation);
    values["SUMMARY"] = summary_of(synchronisation);
    values["GUARANTEE"] = guarantee_lines(schedule.guarantee());
    if (schedule.forwards()) {
        values["GUARANTEE"] += forwarding_lines;
    }
    values["COST"] = fmt::format("{}, {} messages, {}", length_text(schedule), schedule.messages(),
                                 synchronisation_cost(schedule, synchronisation, edges));
    values["NETWORK"] = codegen::network_lines(schedule.network());
    return values;
}

void add_schedule_values(Values& values, const Schedule& schedule, const Synchronisation& synchronisation,
                         std::int64_t minimum_bytes) {
    const Rank ranks = schedule.placement().participants();
    values["RANKS"] = std::to_string(ranks);
    values["PHASES"] = std::to_string(phases_of(schedule));
    values["MINIMUM_BYTES"] = std::to_string(minimum_bytes);
    values["RANK_TYPE"] = codegen::smallest_unsigned_type(ranks - 1);
    values["PHASE_TYPE"] = codegen::smallest_unsigned_type(phases_of(schedule));
    if (lists_phases(schedule)) {
        values["PHASE_LINES"] = codegen::phase_lines(schedule, ticks_in_one(schedule));
    }
    values["MACHINES"] = codegen::machine_rows(schedule);
    values["BLOCK_PHASES"] = std::to_string(phases_in_block(schedule, synchronisation));
}

void add_timing_values(Values& values, const Synchronisation& timed, const Cadence& cadence, Phase ticks_in_one) {
    // A message of many segments shows how long one is; the routine cuts every message like that.
    const Segmentation longest =
        segment_message(std::numeric_limits<std::int32_t>::max(), cadence, timed.segment_bytes);
    const WireFormat& wire = cadence.wire;
    const double own_pace = std::min(1.0, fixed_pace * cadence.cycle_over_bound);
    values["SEGMENT_BYTES"] = std::to_string(longest.segment_bytes);
    values["PACE"] = timed.pace > 0 ? fmt::format("{}", timed.pace) : fmt::format("{:.4g}", own_pace);
    values["BITS_PER_SECOND"] = fmt::format("{:#}", cadence.slowest_bits_per_second);
    values["TICK_SECONDS_PER_BYTE"] =
        fmt::format("{:#}", cadence.tick_seconds_per_byte * static_cast<double>(ticks_in_one));
    values["PAYLOAD_PER_FRAME"] = std::to_string(wire.payload_per_frame);
    values["FRAME_OVERHEAD"] = std::to_string(wire.frame_overhead);
    values["MESSAGE_HEADER"] = std::to_string(wire.message_header);
    values["ACKNOWLEDGEMENT_PER_FRAME"] = std::to_string(wire.acknowledgement_per_frame);
}

}  // namespace

Expected<std::string> generate_routine(const Schedule& schedule, const Synchronisation& asked_for,
                                       const std::vector<Edge>& edges, const RoutineSettings& settings) {
    if (const auto fits = check_synchronisation_fits(schedule.guarantee(), schedule.forwards(), asked_for); !fits) {
        return failure(fits.error());
    }
    if (uses_tickets(asked_for)) {
        return failure(fmt::format("synchronisation '{}' needs memory that the ranks of a machine share, and a routine "
                                   "has messages alone",
                                   name_of(asked_for.kind)),
                       "choose window:W, or run the schedule with aapc exec");
    }
    if (asked_for.on_grid) {
        return failure("a routine has no clock that all ranks share",
                       "choose timed, or run the schedule with aapc exec");
    }
    Synchronisation synchronisation = asked_for;
    const Rank ranks = schedule.placement().participants();
    Values values;
    if (synchronisation.kind == Kind::timed) {
        if (settings.cadence.known()) {
            add_timing_values(values, synchronisation, settings.cadence, ticks_in_one(schedule));
        } else {
            synchronisation = Synchronisation::none;  // no message crosses a link, so there is no time to keep
        }
    }
    values.merge(head_values(schedule, synchronisation, edges, settings.stamp));
    if (ranks < 2) {
        return codegen::render(codegen::templates(), "alone.c", values);
    }
    std::vector<Plan> plans = plans_from_schedule(schedule, edges, synchronisation);
    for (Plan& plan : plans) {
        count_in(ticks_in_one(schedule), plan);
    }
    add_conditions(values, schedule, synchronisation);
    add_schedule_values(values, schedule, synchronisation, settings.minimum_bytes);
    if (schedule.forwards()) {
        codegen::add_forwarding_values(values, plans);
    } else {
        codegen::add_direct_values(values, plans, phases_in_block(schedule, synchronisation));
    }
    return codegen::render(codegen::templates(), template_of(schedule, synchronisation), values);
}

}  // namespace aapc
