/// @file
/// Store-and-forward where the ranks of a machine share memory: one message a machine pair, straight out of a depot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi/depot_memory.hpp"
#include "mpi/execution.hpp"
#include "mpi/pending.hpp"
#include "plan/intranode/depot.hpp"
#include "plan/intranode/depot_plan.hpp"

namespace aapc::mpi {

/// Carries out a depot plan (plan/intranode/depot_plan.hpp) with `window:W`: a rank's own blocks are copied once, from
/// the send buffer to where they are sent from, and what is for it once, from where it was received to the receive
/// buffer. Of the parcels that a rank sends and receives, those of W phases are under way at a time. Blocks longer than
/// the depot's pieces go in several rounds; what a rank puts for the next one it puts while this one's parcels are on
/// the wire.
///
/// That it cannot deadlock, and which flag orders what, stands in plan/intranode/depot.hpp. With windows: of the
/// parcels of a round that are incomplete anywhere take one of the earliest phase; both its ends have completed all
/// parcels of earlier windows, so it is sent once it is filled, and is received.
class DepotExecution : public Execution {
  public:
    /// `memory` is shared and laid out. Blocks of copied_from bytes and more between ranks of the machine are those of
    /// `copies` (null: there are none), which the caller has started. `looks`: as advance_until() has them. Throws
    /// std::bad_alloc.
    DepotExecution(const Transport& transport, const Plan& plan, const machine::DepotPlan& depot_plan,
                   DepotMemory& memory, LocalCopies* copies, int looks);
    [[nodiscard]] int run(const Blocks& blocks) override;

    /// Longer ones are copied once, straight from send to receive buffer, shorter ones twice, without a system call.
    static constexpr std::size_t copied_from = std::size_t{8} << 10;

  private:
    /// A piece of all blocks.
    struct Round {
        std::size_t offset = 0;
        std::size_t bytes = 0;
    };
    /// A parcel that this rank sends or receives.
    struct Carried {
        std::size_t index = 0;  ///< into DepotPlan::out or ::in
        Trouble trouble;        ///< of its message
    };

    [[nodiscard]] Round piece_from(std::size_t offset) const;
    [[nodiscard]] int run_round(const Round& round);
    void begin(const Round& round);
    [[nodiscard]] int advance(int& progress);
    [[nodiscard]] bool is_ready(int& progress);
    void put(const Round& round, std::uint64_t number);
    void put_ahead(int& progress);
    void take_runs(const std::vector<machine::DepotRun>& runs);
    [[nodiscard]] int post_receives(int& progress);
    [[nodiscard]] int send_parcels(int& progress);
    [[nodiscard]] machine::Depot::Came pass_on(std::size_t parcel) const;
    [[nodiscard]] int test_messages(int& progress);
    void take(int& progress);
    void take_local(int& progress);
    [[nodiscard]] bool complete() const;
    /// Parcels of this phase and later ones must not start yet.
    [[nodiscard]] Phase closed_from() const;
    [[nodiscard]] bool takes_local_blocks() const { return blocks_.bytes < copied_from || copies_ == nullptr; }
    [[nodiscard]] std::byte* place(std::int64_t index) const {
        return half_ + static_cast<std::size_t>(index) * round_.bytes;
    }
    [[nodiscard]] bool has_blocks(std::size_t rank) const {
        return memory_.depot().block_bytes_of(rank) == blocks_.bytes;
    }

    const Transport& transport_;
    const machine::DepotPlan& plan_;
    DepotMemory& memory_;
    LocalCopies* copies_;
    int looks_;
    Phase block_phases_;
    std::vector<Carried> out_;                ///< what this rank sends, in order
    std::vector<Carried> in_;                 ///< what it receives, in order
    std::vector<std::size_t> carrier_of_in_;  ///< for each parcel that comes in: who receives it, on the machine

    // Of the round under way.
    Blocks blocks_{};
    Round round_;
    std::byte* half_ = nullptr;
    bool has_put_ = false;                    ///< this rank's blocks are in the half
    bool has_put_ahead_ = false;              ///< and those of the next round are in the other one
    bool ready_ = false;                      ///< the half is free, and this rank's blocks are in it
    bool has_memory_ = false;                 ///< the machine has it for this round
    std::size_t posted_ = 0;                  ///< of in_
    std::size_t received_ = 0;                ///< of in_
    std::size_t started_ = 0;                 ///< of out_
    std::size_t sent_ = 0;                    ///< of out_
    std::vector<std::size_t> to_take_;        ///< parcels whose blocks are still to be taken, the next one last
    std::vector<std::size_t> to_take_local_;  ///< ranks of the machine
    Pending receives_;
    Pending sends_;
};

}  // namespace aapc::mpi
