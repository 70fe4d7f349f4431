#include <fmt/format.h>

#include <limits>
#include <utility>
#include <vector>

#include "aapc/bound.hpp"
#include "aapc/generator.hpp"
#include "aapc/plan.hpp"
#include "aapc/timed.hpp"
#include "generate/pieces.hpp"
#include "generate/render.hpp"
#include "generate/tables.hpp"
#include "generate/text.hpp"

namespace aapc {

namespace {

using generate::Values;

/// Above this many ranks the list of all phases in a comment is no longer something that people read.
constexpr Rank most_ranks_with_listed_phases = 32;

using Rows = std::vector<std::vector<std::int64_t>>;

/// One row a plan, one number a transfer.
template <class Number>
std::string rows_of(const std::vector<Plan>& plans, std::vector<Transfer> Plan::*transfers, Number Transfer::*number) {
    Rows rows;
    for (const Plan& plan : plans) {
        std::vector<std::int64_t>& row = rows.emplace_back();
        for (const Transfer& transfer : plan.*transfers) {
            row.push_back(transfer.*number);
        }
    }
    return generate::matrix_rows(rows);
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
    if (schedule.demand().participants() > most_ranks_with_listed_phases) {
        return {};
    }
    return "/* The schedule; 2>5 is the message from rank 2 to rank 5.\n" + generate::phase_lines(schedule) + "\n */\n";
}

std::int64_t token_messages(const std::vector<Edge>& edges, const Synchronisation& synchronisation) {
    std::int64_t number = 0;
    for (const Edge& edge : edges) {
        number += signaller(synchronisation, edge) == edge.before.from ? 0 : 1;
    }
    return number;
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
    values["token_messages"] = std::to_string(token_messages(edges, synchronisation));
    values["network"] = generate::network_lines(schedule.network());
    return values;
}

void add_schedule_values(Values& values, const Schedule& schedule, const std::vector<Plan>& plans) {
    const Rank ranks = schedule.demand().participants();
    values["ranks"] = std::to_string(ranks);
    values["rank_type"] = generate::smallest_unsigned_type(ranks - 1);
    values["phase_type"] = generate::smallest_unsigned_type(static_cast<std::int64_t>(schedule.phases().size()));
    values["phase_comment"] = phase_comment(schedule);
    values["send_to"] = rows_of(plans, &Plan::sends, &Transfer::to);
    values["receive_from"] = rows_of(plans, &Plan::receives, &Transfer::from);
    values["send_phase"] = rows_of(plans, &Plan::sends, &Transfer::phase);
    values["machines"] = generate::machine_rows(schedule);
}

void add_token_values(Values& values, const std::vector<Plan>& plans) {
    const generate::TokenTable waits = generate::token_table(plans, &Plan::waits);
    const generate::TokenTable signals = generate::token_table(plans, &Plan::signals);
    values["waits"] = waits.entries;
    values["first_wait"] = waits.first_of_rank;
    values["wait_places"] = std::to_string(waits.places);
    values["wait_index_type"] = generate::smallest_unsigned_type(waits.number);
    values["most_waits"] = std::to_string(waits.most);
    values["signals"] = signals.entries;
    values["first_signal"] = signals.first_of_rank;
    values["signal_places"] = std::to_string(signals.places);
    values["signal_index_type"] = generate::smallest_unsigned_type(signals.number);
    values["most_signals"] = std::to_string(signals.most);
}

void add_timing_values(Values& values, double bits_per_second) {
    // A message of many segments shows how long one is; the routine cuts every message like that.
    const Segmentation longest = segment_message(std::numeric_limits<std::int32_t>::max(), bits_per_second);
    const WireFormat wire;
    values["segment_bytes"] = std::to_string(longest.segment_bytes);
    values["bits_per_second"] = fmt::format("{:#}", bits_per_second);
    values["payload_per_frame"] = std::to_string(wire.payload_per_frame);
    values["frame_overhead"] = std::to_string(wire.frame_overhead);
    values["message_header"] = std::to_string(wire.message_header);
    values["acknowledgement_per_frame"] = std::to_string(wire.acknowledgement_per_frame);
}

}  // namespace

std::string generate_routine(const Schedule& schedule, const Synchronisation& asked_for, const std::vector<Edge>& edges,
                             std::string_view stamp) {
    Synchronisation synchronisation = asked_for;
    const Rank ranks = schedule.demand().participants();
    const double slowest = tree_bound(schedule.network(), schedule.demand()).slowest_bits_per_second;
    if (synchronisation.kind == Synchronisation::Kind::timed && slowest <= 0) {
        synchronisation = Synchronisation::none;  // no message crosses a link, so there is no time to keep
    }
    Values values = head_values(schedule, synchronisation, edges, stamp);
    const std::string_view condition = name_of(synchronisation.kind);
    const auto rendered = [&](std::string_view piece) { return generate::render(piece, values, condition); };
    if (ranks < 2) {
        return rendered(generate::pieces::head) + rendered(generate::pieces::alone);
    }
    std::vector<Plan> plans;
    plans.reserve(static_cast<std::size_t>(ranks));
    for (Rank rank = 0; rank < ranks; ++rank) {
        plans.push_back(plan_from_schedule(schedule, edges, rank, synchronisation));
    }
    add_schedule_values(values, schedule, plans);
    if (uses_edges(synchronisation)) {
        add_token_values(values, plans);
    }
    if (synchronisation.kind == Synchronisation::Kind::timed) {
        add_timing_values(values, slowest);
    }
    return rendered(generate::pieces::head) + rendered(generate::pieces::settings) +
           rendered(generate::pieces::tables) + rendered(generate::pieces::communicator) +
           rendered(generate::pieces::blocks) +
           rendered(synchronisation.kind == Synchronisation::Kind::timed ? generate::pieces::segments
                                                                         : generate::pieces::whole_messages) +
           rendered(generate::pieces::entry);
}

}  // namespace aapc
