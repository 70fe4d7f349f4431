/// @file
/// What the interposer keeps with a communicator.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aapc/methods/buffer_limit.hpp"
#include "aapc/methods/method.hpp"
#include "aapc/methods/timetables.hpp"
#include "aapc/mpi/agreement.hpp"
#include "aapc/mpi/exchange.hpp"
#include "aapc/mpi/machine_memory.hpp"
#include "aapc/mpi/wire.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/placement.hpp"
#include "interposer/blocks.hpp"
#include "interposer/call.hpp"
#include "interposer/decided.hpp"
#include "interposer/equal_learning.hpp"
#include "interposer/job.hpp"
#include "interposer/routines.hpp"
#include "interposer/shown.hpp"
#include "interposer/unequal_state.hpp"
#include "interposer/verdict.hpp"
#include "selection/measured_start.hpp"
#include "selection/rule.hpp"

namespace aapc::interposer {

/// The decision for one communicator and the exchanges that came of it. Used by one thread at a time, as collectives on
/// one communicator are.
class CommunicatorState {
  public:
    /// Returns the state of `comm`, and makes it at the first call that is not one of Opening. Collective over `comm`
    /// then, and at the next call, which no cache answers. `block_bytes`: of the call's blocks, nullopt if its messages
    /// are unequal. Returns null if the state cannot be created: if one rank lacks memory, all ranks return null from
    /// the second call on.
    [[nodiscard]] static CommunicatorState* of(MPI_Comm comm, Job& job, std::optional<std::int64_t> block_bytes);

    CommunicatorState(const CommunicatorState&) = delete;
    CommunicatorState& operator=(const CommunicatorState&) = delete;
    ~CommunicatorState() = default;

    /// For a well-formed call on this communicator. The exchange is made at its first use: collective then.
    [[nodiscard]] Verdict serve(const Call& call, const Refusals& refusals);

    /// Carries out the call by the exchange that it was given; its blocks have 1 to largest_scheduled_block bytes.
    /// Returns an MPI error code, for which the communicator's error handler has been called, or Exchange::declined, on
    /// all ranks: nothing has been done then.
    [[nodiscard]] int run(mpi::Exchange& exchange, const Call& call);

    /// Decides on a call of unequal messages on this communicator: collective, and on all ranks alike.
    [[nodiscard]] Verdict serve(const UnequalCall& call, Job& job);
    /// Carries out what has been decided to be exchanged. Returns an MPI error code, as above.
    [[nodiscard]] int run(const UnequalCall& call);
    /// A call of unequal messages that is measured is over on this rank.
    void note_unequal_return() { unequal_->note_return(); }

    /// Counts so many native calls of a size class, which were lent to the cache by Verdict::rest.
    void count_settled(int size_class, std::int64_t calls) {
        if (equal_) {
            equal_->chooser().skip(size_class, calls);
        }
    }
    /// A call that is measured is over on this rank.
    void note_return() { equal_->chooser().note_return(); }

    /// What the recorder, which is there, wants to know of a call that was decided on and carried out last.
    struct Noted {
        double waited_seconds = -1;  ///< for others; below 0: not known
        std::uint32_t exchange = 0;  ///< whose segments were noted; 0: none were
        Recorder::MethodNumber unequal_method = Recorder::native;
    };
    [[nodiscard]] const Noted& noted() const { return noted_; }

    /// What its calls have taught; nothing: they were not to teach anything.
    [[nodiscard]] std::optional<learning::Summary> learned() const;
    /// What calls have shown to be faster than the links are said to be, if anything was (Learner::fastest()).
    [[nodiscard]] learning::Fastest fastest() const;

    /// Why methods serve the sizes that have taken most of the time, a line each, at most so many. Throws
    /// std::bad_alloc.
    [[nodiscard]] std::vector<std::string> choices(std::size_t most) const;

    /// The same for the next job, one for each kind of messages; `this` is of a communicator's first rank. Throws
    /// std::bad_alloc.
    [[nodiscard]] std::vector<Tuning> taught() const;
    [[nodiscard]] bool is_first_rank() const { return rank_ == 0; }

    [[nodiscard]] const Placement& placement() const { return placement_; }
    /// In so many calls, here and on communicators that this one has gone on with, something has been shown.
    [[nodiscard]] std::int64_t calls_that_show(bool unequal) const;
    /// What, for other communicators. Throws std::bad_alloc.
    [[nodiscard]] Shown shown(bool unequal) const;

    /// Of one kind of messages; null if nothing is learned from them.
    [[nodiscard]] const learning::Learner* learner(bool unequal) const;

    /// What AAPC_VERBOSE=2 says at the end; empty unless this is rank 0 of a communicator that exchanged something.
    [[nodiscard]] std::vector<std::string> report() const;

    /// All calls are the MPI's own from now on.
    void leave_alone() { left_alone_ = true; }

    /// Waits for what goes on there between calls.
    void complete();
    /// Gives the exchanges back while MPI can still free their communicators.
    void release_exchanges();

  private:
    CommunicatorState(int rank, int ranks, const Job& job);
    /// Works out placement and decision for ranks of our world; local. Throws std::bad_alloc.
    void decide_for(MPI_Comm comm, Job& job);
    /// What the first call needs, which comes before the ranks have agreed on anything; local. Throws std::bad_alloc.
    void prepare_first_call(MPI_Comm comm, Job& job, std::optional<std::int64_t> block_bytes);
    /// Whether that call is the MPI's own whatever they agree on, so that nobody need wait for it.
    [[nodiscard]] bool passes_first_call(std::optional<std::int64_t> block_bytes);
    /// What leaves every call of unequal messages to the MPI, on all ranks alike; nothing: each is decided on.
    [[nodiscard]] std::optional<Outcome> against_unequal() const;
    /// What calls of unequal messages need, before the ranks have agreed on it; local. Throws std::bad_alloc.
    void make_unequal(MPI_Comm comm, Job& job);
    /// Of what other communicators have shown this rank of both kinds of messages; 0: nothing.
    [[nodiscard]] std::uint64_t shown_digest() const;
    /// The decision where a start costs so much, with the buffers that are known of; nothing: nobody has measured it.
    /// Throws std::bad_alloc.
    [[nodiscard]] selection::Decision decided(std::optional<double> start_seconds);
    /// What is decided where nobody insists on a method, for what does not keep within a limit of buffers. As above.
    [[nodiscard]] selection::Decision decided_otherwise(const Bound& bound, std::optional<double> start_seconds);
    /// What buffers the decision's methods take on this rank, where there is a limit or somebody wants to know; empty:
    /// nothing is forwarded, or nobody asks. The same methods on all ranks, in the same order; local. Throws
    /// std::bad_alloc.
    [[nodiscard]] std::vector<BufferedMethod> own_needs(MPI_Comm comm);
    /// Keeps the decision within the limit of buffers. Collective over `comm` if there are needs: ranks have different
    /// ones, and the one that needs most counts. False on all ranks if one has no memory left.
    bool keep_within_limit(MPI_Comm comm);
    void introduce(MPI_Comm comm) const;
    /// Begins to learn, if the decision is the rule's and there is something to learn. Throws std::bad_alloc.
    void begin_to_learn(const Bound& bound, std::int64_t calls_before);
    /// Begins with what the ranks have agreed on, or forgets `state` on all of them: false then. Collective over `comm`
    /// where there is a limit of buffers. `state` is null on a rank that has no memory for one.
    [[nodiscard]] static bool begin(MPI_Comm comm, Job& job, CommunicatorState* state, const mpi::Agreed& agreed);
    /// The same for what has been begun in passing, at the second call mostly.
    [[nodiscard]] bool begin_later(MPI_Comm comm, Job& job);
    /// Closes the measured call before, of whichever kind.
    void note_entry();
    /// choose() where the program's own calls decide. Collective over `comm` unless the class of the call's size rests.
    [[nodiscard]] Verdict choose_by_learning(const Call& call, const Refusals& refusals);
    /// Whether what a start costs is to be measured before a call of such blocks, which no rank refuses: it is not
    /// known yet, or it forbids what the bound promises and may be no more than a bad moment.
    [[nodiscard]] bool start_is_due(std::int64_t block_bytes);
    /// Measures what a start costs on this communicator and decides again, on all ranks or on none. Collective.
    void learn_start(MPI_Comm comm);

    /// Collective over `comm`; null on all ranks or on none.
    std::unique_ptr<mpi::Exchange> make_exchange(MPI_Comm comm, const Method& method);
    /// What the ranks of each machine share, made at the first use: collective over `comm` then. Null on all ranks or
    /// on none.
    mpi::MachineMemory* machine_memory(MPI_Comm comm);

    /// Begins to note the segments of an exchange by the clock, if they are wanted.
    [[nodiscard]] std::optional<mpi::SegmentLog::Noting> note_segments(const Plan& plan);

    /// A buffer that grows and is kept for the next call. Null: no memory.
    struct Scratch {
        std::unique_ptr<std::byte[]> bytes;
        std::size_t size = 0;
        std::byte* at_least(std::size_t wanted);
    };

    [[nodiscard]] Verdict choose_slot(Slot& slot, const Call& call, const Refusals& refusals);
    /// What became of that method, made at its first use: collective then.
    Slot& made(MPI_Comm comm, Slot& slot);

    void set_decision(selection::Decision decision) { decided_.follow(Decided(std::move(decision))); }
    /// The MPI's own routine for every size.
    void leave_to_mpi(Outcome why, std::string reason);

    int ranks_;
    int rank_ = 0;
    const Job* job_;  ///< outlives this
    bool left_alone_ = false;
    bool has_begun_ = false;              ///< the ranks have agreed on it
    mpi::Agreement beginning_;            ///< or are about to
    bool first_call_passed_ = false;      ///< as the MPI's own: the next one is the second one of all ranks
    Outcome why_native_ = Outcome::size;  ///< where the decision's method is the MPI's own
    Placement placement_;
    bool shares_machines_ = false;          ///< some machine has two of its ranks; to find out takes memory
    std::optional<Timetables> timetables_;  ///< until an exchange has been made of them; nothing: nothing was decided
    /// Of the rank that needs most, once the ranks have agreed; empty: nothing is forwarded, or nobody asked.
    std::vector<BufferedMethod> needs_;
    /// The smallest block for which it matters what a start costs, as long as nobody has measured it.
    std::int64_t start_matters_from_ = std::numeric_limits<std::int64_t>::max();
    selection::MeasuredStart start_;
    Decided decided_;
    std::unique_ptr<EqualLearning> equal_;  ///< null if the decision is followed
    bool machine_memory_tried_ = false;
    std::unique_ptr<mpi::MachineMemory> machine_memory_;  ///< outlives the exchanges
    mpi::Wire wire_;                                      ///< the same; no connection unless AAPC_WIRE asks for it
    std::int64_t recorded_name_ = -1;                     ///< for segments; below 0: they are not noted
    std::uint32_t exchanges_noted_ = 0;                   ///< by the clock, noted or not
    Noted noted_;
    std::unique_ptr<UnequalState> unequal_;  ///< null: nobody has called
    LayoutReader send_layout_;
    LayoutReader receive_layout_;
    Scratch packed_send_;
    Scratch packed_receive_;
};

}  // namespace aapc::interposer
