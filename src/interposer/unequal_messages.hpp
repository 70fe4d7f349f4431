/// @file
/// What the interposer keeps with a communicator for its unequal messages.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "aapc/mpi/demand_agreement.hpp"
#include "aapc/mpi/unequal_exchange.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"
#include "interposer/chooser.hpp"
#include "interposer/past_bytes.hpp"
#include "interposer/refusals.hpp"
#include "interposer/routines.hpp"
#include "interposer/shown.hpp"
#include "interposer/unequal_buffers.hpp"
#include "interposer/verdict.hpp"
#include "selection/measured_start.hpp"
#include "selection/settings.hpp"

namespace aapc::interposer {

/// The agreement on each call and the exchange that carries out those that are worth it. Used by one thread at a time.
class UnequalState {
  public:
    /// Of a communicator on which there is something to schedule; local. `learned_before` is what earlier jobs have
    /// learned there, null: nothing; network, placement and it outlive this. `shown` is what this rank has from other
    /// communicators. `machine_memory` gives what the ranks of a machine share, null: nothing; collective, called once
    /// at most. Throws std::bad_alloc.
    UnequalState(MPI_Comm comm, const Network& network, const Placement& placement,
                 const selection::Configuration& configuration, const Tuning* learned_before, const Shown& shown,
                 std::function<mpi::MachineMemory*()> machine_memory);

    /// Of what other communicators have shown this rank; 0: nothing.
    [[nodiscard]] std::uint64_t shown_digest() const { return shown_digest_; }
    /// After all ranks have made theirs: goes on with what other communicators have shown if that is the same on all
    /// ranks. Local. Before any call, or after one that was decided on before the ranks had agreed on that.
    void begin(bool all_were_shown_the_same);
    /// A call on the communicator begins, of whichever kind. Local.
    void note_entry() {
        if (learning_) {
            learning_->note_entry();
        }
    }

    /// Decides on a call, on all ranks alike: exchanged, or passed through and why. Collective, unless this call is one
    /// that nobody asks about.
    [[nodiscard]] Verdict decide(const UnequalCall& call, const Refusals& refusals);
    /// A call that is measured is over on this rank.
    void note_return() { learning_->note_return(); }
    /// Waits for what goes on between calls.
    void complete() {
        if (learning_) {
            learning_->complete();
        }
    }
    /// Carries out the call that was decided to be exchanged. Returns an MPI error code, for which the communicator's
    /// error handler has been called.
    [[nodiscard]] int run(const UnequalCall& call);

    /// How long this rank waited for others in the call that was decided on or run last; below 0: not known.
    [[nodiscard]] double waited_seconds() const { return waited_seconds_; }
    /// Of what has been decided to be exchanged.
    [[nodiscard]] const Plan& plan() const { return exchange_->plan(); }
    /// What carries out calls; empty: nothing yet.
    [[nodiscard]] const std::string& method() const { return method_; }

    /// What AAPC_VERBOSE=2 says at the end; empty unless this is rank 0 and something was exchanged.
    [[nodiscard]] std::string report() const;

    /// What its calls have taught, without a fingerprint; nothing: nothing. Throws std::bad_alloc.
    [[nodiscard]] std::optional<Tuning> taught() const;
    /// Null: its calls are not to teach anything.
    [[nodiscard]] const learning::Learner* learner() const { return learning_ ? &learning_->learner() : nullptr; }
    /// What they have shown so far. Throws std::bad_alloc.
    [[nodiscard]] Shown shown() const;

    /// Gives the exchange back while MPI can still free its communicator.
    void release() { exchange_.reset(); }

  private:
    /// Throws std::bad_alloc.
    void begin_to_learn(const Bound& bound, const Tuning* learned_before, const Shown& shown);
    void say_what_was_shown() const;
    /// What exchanges by the clock go by, here or where this has gone on.
    [[nodiscard]] const Method& method_by_clock() const { return exchange_ ? exchange_->method() : method_before_; }
    /// One reduction. What is against exchanging the call; nothing: nothing but its size.
    std::optional<Outcome> agree(const UnequalCall& call, const Refusals& refusals);
    /// Numbers of the candidates.
    static constexpr std::size_t native = 0;
    static constexpr std::size_t by_clock = 1;

    /// Collects the results of measured calls, if some are in flight, and posts those of a full block. Collective in
    /// that sense. False, on all ranks, if the MPI failed.
    [[nodiscard]] bool exchange_results(MPI_Comm comm);
    [[nodiscard]] bool collect();
    void post(MPI_Comm comm);
    void note_bytes(const UnequalCall& call, const Refusals& refusals);
    /// Of calls whose size was not known when they began.
    void learn_unsized(const mpi::Agreed& agreed);
    /// Makes the class of that size, unless it is there. False if there is no memory.
    [[nodiscard]] bool have_class(std::int64_t nanoseconds);
    /// What is known of it. Throws std::bad_alloc.
    [[nodiscard]] learning::Beginning beginning(std::int64_t nanoseconds) const;
    /// Size of equal messages whose bound is as long; at least 1.
    [[nodiscard]] std::int64_t equal_size(std::int64_t nanoseconds) const;
    [[nodiscard]] bool worth(const DemandBound& bound) const;
    /// Whether the call that was agreed on is to be exchanged, and whether it is measured.
    Verdict choose();
    /// Collective. Without one rank 0 says why, and everything is passed through from now on.
    void make_exchange(MPI_Comm comm);
    /// Returns true if the measured start forbids this call although its bound promises a gain, and is to be measured
    /// again. The same on all ranks.
    [[nodiscard]] bool start_is_due();
    /// Measures what a start costs, where no setting says it and calls do not show it. Collective.
    void learn_start(MPI_Comm comm);

    const Network& network_;
    const Placement& placement_;
    selection::UnequalUse use_;
    selection::Inquiry inquiry_;
    const Tuning* tuning_ = nullptr;       ///< that decides; null: none
    double equal_seconds_per_byte_ = 0;    ///< of the bound of equal messages
    std::optional<double> start_seconds_;  ///< what the user says of it
    selection::MeasuredStart start_;       ///< where the user says nothing and calls do not show it
    selection::UnequalCrossover crossover_;
    bool says_more_;
    bool is_first_rank_ = false;
    bool shares_machines_;      ///< some of them have several ranks, that copy for each other
    bool unavailable_ = false;  ///< on all ranks alike
    std::unique_ptr<UnequalBuffers> buffers_;
    std::unique_ptr<mpi::DemandAgreement> agreement_;
    mpi::AgreedDemand agreed_;                        ///< on the last call that was asked about
    std::unique_ptr<mpi::UnequalExchange> exchange_;  ///< null: not needed yet
    std::string method_;
    double waited_seconds_ = -1;
    double agreements_seconds_ = 0;          ///< of calls that were exchanged
    double exchanges_seconds_ = 0;           ///< the agreements included
    double agreements_in_vain_seconds_ = 0;  ///< of calls that were left to the MPI
    std::int64_t agreements_in_vain_ = 0;
    std::function<mpi::MachineMemory*()> machine_memory_;
    const Tuning* learned_before_ = nullptr;  ///< by earlier jobs; null: nothing
    std::unique_ptr<Chooser> learning_;       ///< null: the bound decides; sizes are nanoseconds of bounds of messages
    std::unique_ptr<Chooser> shown_;          ///< by other communicators, until the ranks have agreed on it
    std::uint64_t shown_digest_ = 0;          ///< of that; 0: there is nothing
    std::int64_t shown_calls_ = 0;            ///< of other communicators; 0: this does not go on with them
    Method method_before_;                    ///< of the clock, as it was used there
    std::optional<PastBytes> past_bytes_;     ///< there if learning_ is: of calls of unknown size
    bool is_undescribed_ = false;             ///< the latest block of such calls, by some rank
    double headers_ = 1;                      ///< factor from bounds of messages alone to those on the wire
    double expected_set_up_seconds_ = 0;
    double expected_agreement_seconds_ = 0;
    std::unique_ptr<std::byte[]> memory_to_learn_;  ///< while something is in flight: given back when that is collected
};

}  // namespace aapc::interposer
