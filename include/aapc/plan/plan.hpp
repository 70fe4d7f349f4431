/// @file
/// The plan: what one rank does, computed by that rank alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "aapc/timetable/synchronisation.hpp"
#include "aapc/timetable/timetable.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc {

/// A synchronisation message at one end. Only their order distinguishes the tokens between an ordered pair of ranks
/// (both ends list them in the same order), so one tag serves all.
struct Token {
    std::int32_t step = 0;  ///< index into Plan::sends or Plan::receives, as the field that holds the token says
    Rank peer = -1;         ///< the other process

    friend bool operator==(const Token&, const Token&) = default;
    friend auto operator<=>(const Token&, const Token&) = default;
};

/// Blocks that lie one after the other in one of the executor's buffers.
struct BlockRun {
    enum class Buffer : std::uint8_t {
        send,     ///< the program's send buffer: the block for rank `first`
        receive,  ///< the program's receive buffer: the block from rank `first`
        transit,  ///< the executor's buffer for forwarded blocks: place `first`
    };
    Buffer buffer = Buffer::send;
    std::int32_t first = 0;
    std::int32_t blocks = 0;

    friend bool operator==(const BlockRun&, const BlockRun&) = default;
};

/// Store-and-forward: where the blocks of each message lie. A rank goes through its phases in order. It starts the send
/// of a phase only when all blocks that it receives in earlier phases are in their places. It puts the blocks that it
/// receives in a phase in their places only when the send of that phase has been packed. Places in transit are reused
/// accordingly.
struct Forwarding {
    std::vector<std::vector<BlockRun>> of_send;     ///< [step of Plan::sends], in the order of the message
    std::vector<std::vector<BlockRun>> of_receive;  ///< [step of Plan::receives], in the order of the message
    std::int32_t transit_blocks = 0;                ///< places that are needed, no more
    std::int32_t largest_message_blocks = 0;        ///< sent or received

    friend bool operator==(const Forwarding&, const Forwarding&) = default;
};

/// What one rank does, in order.
struct Plan {
    Rank rank = -1;
    Rank participants = 0;
    Phase phases = 0;            ///< ticks, where there is a cycle
    std::optional<Cycle> cycle;  ///< the timetable's; nullopt if it has phases
    Synchronisation synchronisation = Synchronisation::none;
    std::vector<Transfer> sends;     ///< in order of phase; P-1 of them unless blocks are forwarded
    std::vector<Transfer> receives;  ///< in order of phase, then sender; P-1 of them unless blocks are forwarded
    /// Before sends[step] starts, a token from `peer` must have arrived. Sorted by step.
    std::vector<Token> waits;
    /// `sender`: once sends[step] and all earlier sends are locally complete, a token goes to `peer`. `receiver`: once
    /// receives[step] and all earlier receives are complete. Sorted by step. A token to oneself is a condition, not a
    /// message, and is in both lists.
    std::vector<Token> signals;
    /// `dummy`: messages of as many bytes whose content is ignored, in order of phase. Those to oneself are in both
    /// lists.
    std::vector<Transfer> dummy_sends;
    std::vector<Transfer> dummy_receives;
    std::optional<Forwarding> forwarding;  ///< nullopt if each message is the block from its sender to its receiver
    /// The participating ranks on the machine of `rank`, itself included, ascending. Empty if not known.
    std::vector<Rank> ranks_of_machine;
    /// `ports`: places in the machine's queues. One queue has the messages that its ranks send to other machines,
    /// another one those that they receive, each in the order of Transfer.
    struct Tickets {
        std::vector<std::int64_t> of_send;     ///< for each of the sends to other machines: how many precede it
        std::vector<std::int64_t> of_receive;  ///< the same for the receives
        std::int64_t machine_sends = 0;        ///< all of the queue
        std::int64_t machine_receives = 0;

        friend bool operator==(const Tickets&, const Tickets&) = default;
    };
    std::optional<Tickets> tickets;

    /// Heap bytes held, for the memory promise.
    [[nodiscard]] std::size_t bytes() const;
};

/// Computes the plan of `rank` from the timetable alone, without the table of all messages; tokens by the pair rule.
/// check_synchronisation_fits() holds. O(P·D·log P) time, O(P) space plus the tokens; `dummy` O(N·S) time
/// and bits on the way for S ranks on the switch, O(N) space to keep for N phases; store-and-forward O(blocks that the
/// rank handles · log P).
[[nodiscard]] Plan make_plan(const Timetable& timetable, Rank rank, const Synchronisation& synchronisation);

/// The same with data of the rank's machine for the executor: its ranks and, for `ports`, the tickets. `placement` is
/// that of the timetable. The tickets take O(n·P·log P) time more for n ranks on the machine.
[[nodiscard]] Plan make_plan(const Timetable& timetable, const Placement& placement, Rank rank,
                             const Synchronisation& synchronisation);

}  // namespace aapc
