#include "offline/codegen/forwarded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "aapc/plan/staging.hpp"
#include "input/enumerator_names.hpp"
#include "offline/codegen/tables.hpp"
#include "offline/codegen/text.hpp"

namespace aapc::codegen {

namespace {

using TextRows = std::vector<std::vector<std::string>>;

/// In the C text.
constexpr EnumeratorNames<BlockRun::Buffer, BlockRun::Buffer::transit> buffer_names({
    {BlockRun::Buffer::send, "AAPC_SEND_BUFFER"},
    {BlockRun::Buffer::receive, "AAPC_RECEIVE_BUFFER"},
    {BlockRun::Buffer::transit, "AAPC_TRANSIT"},
});

/// All runs of all messages, one after the other, and the messages, which name theirs by index.
struct Messages {
    TextRows runs;  ///< one row a rank
    TextRows sends;
    TextRows receives;
    std::int64_t number_of_runs = 0;
    std::int64_t largest_run_number = 0;  ///< the largest `first` or `blocks`

    void add(const Plan& plan) {
        runs.emplace_back();
        add_messages(plan.sends, &Transfer::to, plan.forwarding->of_send, sends.emplace_back());
        add_messages(plan.receives, &Transfer::from, plan.forwarding->of_receive, receives.emplace_back());
    }

  private:
    void add_messages(const std::vector<Transfer>& transfers, Rank Transfer::*peer,
                      const std::vector<std::vector<BlockRun>>& of_message, std::vector<std::string>& row) {
        for (std::size_t step = 0; step < transfers.size(); ++step) {
            row.push_back(fmt::format("{{{}, {}, {}, {}}}", transfers[step].phase, transfers[step].*peer,
                                      number_of_runs, of_message[step].size()));
            for (const BlockRun& run : of_message[step]) {
                runs.back().push_back(fmt::format("{{{}, {}, {}}}", buffer_names[run.buffer], run.first, run.blocks));
                largest_run_number = std::max<std::int64_t>({largest_run_number, run.first, run.blocks});
                ++number_of_runs;
            }
        }
    }
};

/// The most that one rank receives in one phase.
struct Incoming {
    std::int64_t messages = 0;
    std::int64_t blocks = 0;
};

Incoming most_incoming(const std::vector<Plan>& plans) {
    Incoming most;
    for (const Plan& plan : plans) {
        Incoming in_phase;
        for (std::size_t step = 0; step < plan.receives.size(); ++step) {
            if (step > 0 && plan.receives[step].phase != plan.receives[step - 1].phase) {
                in_phase = {};
            }
            in_phase.messages += 1;
            in_phase.blocks += static_cast<std::int64_t>(count_blocks(plan.forwarding->of_receive[step]));
            most = {std::max(most.messages, in_phase.messages), std::max(most.blocks, in_phase.blocks)};
        }
    }
    return most;
}

}  // namespace

void add_forwarding_values(Values& values, const std::vector<Plan>& plans) {
    Messages messages;
    std::int64_t largest_message = 0;
    std::int64_t most_in_transit = 0;
    for (const Plan& plan : plans) {
        messages.add(plan);
        largest_message = std::max<std::int64_t>(largest_message, plan.forwarding->largest_message_blocks);
        most_in_transit = std::max<std::int64_t>(most_in_transit, plan.forwarding->transit_blocks);
    }
    const Incoming incoming = most_incoming(plans);
    values["LARGEST_MESSAGE"] = std::to_string(largest_message);
    values["MOST_RECEIVES"] = std::to_string(incoming.messages);
    values["MOST_INCOMING"] = std::to_string(incoming.blocks);
    values["MOST_IN_TRANSIT"] = std::to_string(most_in_transit);
    const RaggedTable runs = ragged_table(messages.runs, "{0, 0, 0}");
    values["RUNS"] = runs.entries;
    values["RUN_PLACES"] = std::to_string(runs.places);
    values["RUN_INDEX_TYPE"] = smallest_unsigned_type(runs.number);
    values["RUN_FIRST_TYPE"] = smallest_unsigned_type(messages.largest_run_number);
    add_table(values, ragged_table(messages.sends, "{0, 0, 0, 0}"), "SENDS", "SEND");
    add_table(values, ragged_table(messages.receives, "{0, 0, 0, 0}"), "RECEIVES", "RECEIVE");
}

}  // namespace aapc::codegen
