#include "offline/codegen/direct.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include "offline/codegen/tables.hpp"
#include "offline/codegen/text.hpp"

namespace aapc::codegen {

namespace {

using NumberRows = std::vector<std::vector<std::int64_t>>;

/// One row a plan, one number a transfer.
template <class Number>
std::string rows_of(const std::vector<Plan>& plans, std::vector<Transfer> Plan::*transfers, Number number_of) {
    NumberRows rows;
    for (const Plan& plan : plans) {
        std::vector<std::int64_t>& row = rows.emplace_back();
        for (const Transfer& transfer : plan.*transfers) {
            row.push_back(number_of(transfer));
        }
    }
    return codegen::matrix_rows(rows);
}

std::int64_t receiver_of(const Transfer& transfer) { return transfer.to; }
std::int64_t sender_of(const Transfer& transfer) { return transfer.from; }
std::int64_t phase_of(const Transfer& transfer) { return transfer.phase; }

void add_partner_values(Values& values, const std::vector<Plan>& plans) {
    values["SEND_TO"] = rows_of(plans, &Plan::sends, receiver_of);
    values["RECEIVE_FROM"] = rows_of(plans, &Plan::receives, sender_of);
    values["SEND_PHASE"] = rows_of(plans, &Plan::sends, phase_of);
}

void add_block_values(Values& values, const std::vector<Plan>& plans, Phase block_phases) {
    // Of the ticks of a cycle most have no message, and of the blocks that they make only those that have one count.
    std::set<Phase> used;
    for (const Plan& plan : plans) {
        for (const Transfer& transfer : plan.sends) {
            used.insert(transfer.phase / block_phases);
        }
    }
    const std::vector<Phase> in_order(used.begin(), used.end());
    const auto block_of = [&](const Transfer& transfer) -> std::int64_t {
        return std::lower_bound(in_order.begin(), in_order.end(), transfer.phase / block_phases) - in_order.begin();
    };
    const auto blocks = static_cast<std::int64_t>(in_order.size());
    values["BLOCKS"] = std::to_string(blocks);
    values["BLOCK_TYPE"] = smallest_unsigned_type(blocks - 1);
    values["SEND_BLOCK"] = rows_of(plans, &Plan::sends, block_of);
    values["RECEIVE_BLOCK"] = rows_of(plans, &Plan::receives, block_of);
}

RaggedTable token_table(const std::vector<Plan>& plans, std::vector<Token> Plan::*tokens) {
    std::vector<std::vector<std::string>> rows;
    for (const Plan& plan : plans) {
        std::vector<std::string>& row = rows.emplace_back();
        for (const Token& token : plan.*tokens) {
            row.push_back(fmt::format("{{{}, {}}}", token.step, token.peer));
        }
    }
    return ragged_table(rows, "{0, 0}");
}

void add_token_values(Values& values, const std::vector<Plan>& plans) {
    const RaggedTable waits = token_table(plans, &Plan::waits);
    const RaggedTable signals = token_table(plans, &Plan::signals);
    add_table(values, waits, "WAITS", "WAIT");
    add_table(values, signals, "SIGNALS", "SIGNAL");
    values["MOST_WAITS"] = std::to_string(waits.most);
    values["MOST_SIGNALS"] = std::to_string(signals.most);
}

/// A dummy is due before the first send of a later phase.
void add_dummy_values(Values& values, const std::vector<Plan>& plans) {
    std::vector<std::vector<std::string>> sends;
    std::vector<std::vector<std::string>> receives;
    for (const Plan& plan : plans) {
        std::vector<std::string>& row = sends.emplace_back();
        for (const Transfer& dummy : plan.dummy_sends) {
            const auto next = std::upper_bound(plan.sends.begin(), plan.sends.end(), dummy.phase,
                                               [](Phase phase, const Transfer& send) { return phase < send.phase; });
            row.push_back(fmt::format("{{{}, {}}}", next - plan.sends.begin(), dummy.to));
        }
        std::vector<std::string>& peers = receives.emplace_back();
        for (const Transfer& dummy : plan.dummy_receives) {
            peers.push_back(std::to_string(dummy.from));
        }
    }
    add_table(values, ragged_table(sends, "{0, 0}"), "DUMMY_SENDS", "DUMMY_SEND");
    add_table(values, ragged_table(receives, "0"), "DUMMY_RECEIVES", "DUMMY_RECEIVE");
}

}  // namespace

void add_direct_values(Values& values, const std::vector<Plan>& plans, Phase block_phases) {
    const Synchronisation& synchronisation = plans.front().synchronisation;
    add_partner_values(values, plans);
    if (block_phases > 0) {
        add_block_values(values, plans, block_phases);
    }
    if (uses_edges(synchronisation)) {
        add_token_values(values, plans);
    }
    if (synchronisation.kind == Synchronisation::Kind::dummy) {
        add_dummy_values(values, plans);
    }
}

}  // namespace aapc::codegen
