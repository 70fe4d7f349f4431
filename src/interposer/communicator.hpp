/// @file
/// What the interposer keeps with a communicator.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aapc/mpi/agreement.hpp"
#include "aapc/mpi/exchange.hpp"
#include "aapc/topology/placement.hpp"
#include "aapc/topology/siblings.hpp"
#include "interposer/call.hpp"
#include "interposer/call_notes.hpp"
#include "interposer/equal_messages.hpp"
#include "interposer/exchange_maker.hpp"
#include "interposer/job.hpp"
#include "interposer/members.hpp"
#include "interposer/routines.hpp"
#include "interposer/shown.hpp"
#include "interposer/unequal_messages.hpp"
#include "interposer/verdict.hpp"

namespace aapc::interposer {

/// Sets up what serves its calls, together with its other ranks, and hands each call to the part for its kind of
/// messages. Used by one thread at a time, as collectives on one communicator are.
class CommunicatorState {
  public:
    /// Returns the state of `comm`, and makes it at the first call that is not one of Opening. Collective over `comm`
    /// then, and at the next call, which no cache answers. `block_bytes`: of the call's blocks, nullopt if its messages
    /// are unequal. Returns null if the state cannot be created: if one rank lacks memory, all ranks return null from
    /// the second call on.
    [[nodiscard]] static CommunicatorState* of(MPI_Comm comm, Job& job, std::optional<std::int64_t> block_bytes);

    /// Sets up what calls of such blocks on `comm` will need, with a thorough search for timetables if the communicator
    /// has no state yet. Collective over `comm`.
    static void plan_ahead(MPI_Comm comm, Job& job, std::int64_t block_bytes);
    /// The same for such a call of unequal messages.
    static void plan_ahead(const UnequalCall& call, Job& job);

    CommunicatorState(const CommunicatorState&) = delete;
    CommunicatorState& operator=(const CommunicatorState&) = delete;
    ~CommunicatorState() = default;

    /// Decides on a well-formed call on this communicator. The exchange is made at its first use: collective then.
    [[nodiscard]] Verdict serve(const Call& call, const Refusals& refusals);
    /// Carries it out by the exchange that it was given, as EqualBuffers::run().
    [[nodiscard]] int run(mpi::Exchange& exchange, const Call& call);

    /// Decides on a call of unequal messages on this communicator: collective, and on all ranks alike.
    [[nodiscard]] Verdict serve(const UnequalCall& call, Job& job);
    /// Carries out what has been decided to be exchanged, as UnequalMessages::run().
    [[nodiscard]] int run(const UnequalCall& call);

    /// A call that is measured is over on this rank.
    void note_return(bool unequal) { learning(unequal)->chooser().note_return(); }
    /// Counts so many native calls of a size class, which were lent to the cache by Verdict::rest.
    void count_settled(int size_class, std::int64_t calls) {
        if (CallLearning* const equal = learning(false)) {
            equal->chooser().skip(size_class, calls);
        }
    }

    /// Of the call that was decided on and carried out last.
    [[nodiscard]] const CallNotes::Noted& noted() const { return notes_.noted(); }

    [[nodiscard]] const Placement& placement() const { return placement_; }
    [[nodiscard]] bool is_first_rank() const { return rank_ == 0; }
    [[nodiscard]] int rank() const { return rank_; }
    /// What is learned from calls of one kind of messages; null if nothing is.
    [[nodiscard]] CallLearning* learning(bool unequal) const;
    /// What its calls have shown to be faster than its links are said to be, if anything was (Learner::fastest()).
    [[nodiscard]] learning::Fastest fastest() const;
    /// Siblings are taken to exchange at the same time, so its bound is that of all of them.
    [[nodiscard]] bool shares_links() const { return shared_.has_value(); }
    /// In so many calls, here and on communicators that this one has gone on with, something has been shown.
    [[nodiscard]] std::int64_t calls_that_show(bool unequal) const;

    /// What AAPC_VERBOSE=2 says at the end; empty unless this is rank 0 of a communicator that exchanged something.
    [[nodiscard]] std::vector<std::string> report() const;

    /// Keeps in the record what was learned of paths. Local; once, before exchanges are given back.
    void note_paths() const {
        if (maker_) {
            notes_.note_paths(maker_->wire(), rank_);
        }
    }

    /// What connections of ours leave for the next job. Throws std::bad_alloc.
    [[nodiscard]] mpi::Wire::Kept kept_connections() const {
        return maker_ ? maker_->wire().kept() : mpi::Wire::Kept();
    }

    /// All calls are native from now on.
    void leave_alone() { left_alone_ = true; }

    /// Waits for what goes on there between calls.
    void complete();
    /// Gives the exchanges back while MPI can still free their communicators.
    /// `at_once`: ports are not left in use; nothing is on its way.
    void release_exchanges(bool at_once);

  private:
    CommunicatorState(int rank, int ranks, const Job& job);
    /// What a communicator begins with.
    enum class First : std::uint8_t {
        call,  ///< what is searched for is to be found soon
        plan,  ///< of calls to come
    };
    /// As of().
    [[nodiscard]] static CommunicatorState* find_or_make(MPI_Comm comm, Job& job,
                                                         std::optional<std::int64_t> block_bytes, First first);
    /// Works out placement, links and decision for ranks of our world; local. Throws std::bad_alloc.
    void decide_for(MPI_Comm comm, Job& job, Effort effort);
    /// Takes the rest of the class of such blocks back from the cache, before a call of it is decided on.
    void end_rest(MPI_Comm comm, CallCache& cache, std::int64_t block_bytes) const;
    /// What the first call needs, which comes before the ranks have agreed on anything; local. Throws std::bad_alloc.
    void prepare_first_call(MPI_Comm comm, Job& job, std::optional<std::int64_t> block_bytes);
    /// What leaves every call of unequal messages to the MPI, on all ranks alike; nothing: each is decided on.
    [[nodiscard]] std::optional<Outcome> against_unequal() const;
    /// As of(), of a communicator whose ranks have agreed on it: collective over `comm` in any case.
    [[nodiscard]] static CommunicatorState* begun_for_plan(MPI_Comm comm, Job& job,
                                                           std::optional<std::int64_t> block_bytes);
    /// What calls of unequal messages need, before the ranks have agreed on it; local. Throws std::bad_alloc.
    void make_unequal(MPI_Comm comm, Job& job);
    /// The same with all ranks, unless it is there. False, on all ranks, if one of them has no memory for it.
    [[nodiscard]] bool have_unequal(MPI_Comm comm, Job& job);
    /// Of what other communicators have shown this rank of both kinds of messages; 0: nothing.
    [[nodiscard]] std::uint64_t shown_digest() const;
    void introduce() const;
    /// Begins with what the ranks have agreed on, or forgets `state` on all of them: false then. Collective over `comm`
    /// where there is a limit of buffers. `state` is null on a rank that has no memory for one.
    [[nodiscard]] static bool begin(MPI_Comm comm, Job& job, CommunicatorState* state, const mpi::Agreed& agreed);
    /// The same for what has been begun in passing, at the second call mostly.
    [[nodiscard]] bool begin_later(MPI_Comm comm, Job& job) { return begin(comm, job, this, beginning_.collect()); }
    /// Closes the measured call before, of whichever kind.
    void note_entry();

    /// Finds out which links ranks of our world have, and makes what decides on calls. Throws std::bad_alloc.
    void make_parts(MPI_Comm comm, Job& job, Effort effort);
    /// A call was faster than links allow that are shared with siblings. The same on all ranks.
    [[nodiscard]] bool has_links_alone() const;
    /// Begins again with links that no sibling uses. Collective over `comm`; as begin().
    [[nodiscard]] bool take_links_alone(MPI_Comm comm, Job& job);

    int ranks_;
    int rank_ = 0;
    const Job* job_;  ///< outlives this
    bool left_alone_ = false;
    bool has_begun_ = false;              ///< the ranks have agreed on it
    mpi::Agreement beginning_;            ///< or are about to
    bool first_call_passed_ = false;      ///< as a native one: the next one is the second one of all ranks
    Outcome why_native_ = Outcome::size;  ///< where no decision says otherwise
    Placement placement_;
    std::optional<SharedLinks> shared_;         ///< outlives the maker; nullopt: no sibling uses these links
    bool has_left_siblings_ = false;            ///< calls have shown that siblings do not exchange at the same time
    std::unique_ptr<ExchangeMaker> maker_;      ///< outlives the exchanges; null where nothing is decided
    std::unique_ptr<EqualMessages> equal_;      ///< the same
    std::unique_ptr<UnequalMessages> unequal_;  ///< null: nobody has called
    CallNotes notes_;
};

}  // namespace aapc::interposer
