/// @file
/// What the interposer keeps with a communicator.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "aapc/methods/method.hpp"
#include "aapc/mpi/exchange.hpp"
#include "aapc/mpi/machine_memory.hpp"
#include "aapc/topology/placement.hpp"
#include "interposer/blocks.hpp"
#include "interposer/call.hpp"
#include "interposer/job.hpp"
#include "interposer/routines.hpp"
#include "selection/rule.hpp"

namespace aapc::interposer {

/// The decision for one communicator and the exchanges that came of it. Used by one thread at a time, as collectives on
/// one communicator are.
class CommunicatorState {
  public:
    /// The state of `comm`, made at its first use: collective over `comm` then. Null if there is none to be had, which
    /// is so on all its ranks.
    [[nodiscard]] static CommunicatorState* of(MPI_Comm comm, Job& job);

    CommunicatorState(const CommunicatorState&) = delete;
    CommunicatorState& operator=(const CommunicatorState&) = delete;
    ~CommunicatorState() = default;

    /// What becomes of a call. The exchange is null, and the call passed through, on all ranks
    /// alike, but for a rank whose arguments the MPI refuses on sight.
    struct Choice {
        mpi::Exchange* exchange;
        Outcome outcome;
    };
    /// For a well-formed call on this communicator. The exchange is made at its first use: collective then.
    [[nodiscard]] Choice choose(const Call& call, const Refusals& refusals);

    /// Carries out the call by the exchange that it was given; its blocks have 1 to largest_scheduled_block bytes.
    /// Returns an MPI error code, for which the communicator's error handler has been called.
    [[nodiscard]] int run(mpi::Exchange& exchange, const Call& call);

    /// What AAPC_VERBOSE=2 says at the end; empty unless this is rank 0 of a communicator that exchanged something.
    [[nodiscard]] std::string report() const;

    /// Gives the exchanges back while MPI can still free their communicators.
    void release_exchanges();

  private:
    explicit CommunicatorState(int ranks);
    /// Works out placement and decision for ranks of our world; local. Throws std::bad_alloc.
    void decide_for(MPI_Comm comm, const Job& job);
    /// Finds out what buffers the decision's methods take, where there is a limit or somebody wants to know, and keeps
    /// the decision within the limit. Collective over `comm` then: ranks need different buffers, and the one that needs
    /// most counts. False on all ranks if one has no memory left.
    bool look_at_buffers(MPI_Comm comm, const selection::Configuration& configuration);
    void introduce(const Job& job, MPI_Comm comm) const;

    /// Collective over `comm`; null on all ranks or on none.
    std::unique_ptr<mpi::Exchange> make_exchange(MPI_Comm comm, const Method& method);
    /// What the ranks of each machine share, made at the first use: collective over `comm` then. Null on all ranks or
    /// on none.
    mpi::MachineMemory* machine_memory(MPI_Comm comm);

    /// A buffer that grows and is kept for the next call. Null: no memory.
    struct Scratch {
        std::unique_ptr<std::byte[]> bytes;
        std::size_t size = 0;
        std::byte* at_least(std::size_t wanted);
    };

    void set_decision(selection::Decision decision);
    /// The MPI's own routine for every size.
    void leave_to_mpi(Outcome why, std::string reason);

    /// A method of the decision and what became of it.
    struct Slot {
        Method method;
        bool tried = false;
        std::unique_ptr<mpi::Exchange> exchange;
    };

    int ranks_;
    Outcome why_native_ = Outcome::size;  ///< where the decision's method is the MPI's own
    const Network* network_ = nullptr;    ///< the job's
    Placement placement_;
    SharedMemory shared_memory_ = SharedMemory::nothing;  ///< what to use where it can be had
    selection::Decision decision_;
    bool machine_memory_tried_ = false;
    std::unique_ptr<mpi::MachineMemory> machine_memory_;  ///< outlives the exchanges
    std::vector<Slot> slots_;                             ///< one for each method of the decision
    std::vector<std::size_t> slot_of_range_;              ///< index into slots_ for each range of the decision
    LayoutReader send_layout_;
    LayoutReader receive_layout_;
    Scratch packed_send_;
    Scratch packed_receive_;
};

}  // namespace aapc::interposer
