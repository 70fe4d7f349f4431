/// @file
/// Calls of unequal messages on a communicator: who decides on them, and what carries them out.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "aapc/mpi/demand_agreement.hpp"
#include "aapc/mpi/unequal_exchange.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"
#include "interposer/exchange_maker.hpp"
#include "interposer/refusals.hpp"
#include "interposer/routines.hpp"
#include "interposer/unequal_buffers.hpp"
#include "interposer/unequal_learning.hpp"
#include "interposer/verdict.hpp"
#include "selection/measured_start.hpp"
#include "selection/settings.hpp"
#include "selection/start.hpp"

namespace aapc::interposer {

/// The agreement on each call and the exchange that carries out those that are worth it. Used by one thread at a time.
class UnequalMessages {
  public:
    /// Of a communicator on which there is something to schedule; local. `before`: what is known of such calls.
    /// Network, placement and `maker`, which gives what exchanges share, outlive this. Throws std::bad_alloc.
    UnequalMessages(MPI_Comm comm, const Placement& placement, const selection::Configuration& configuration,
                    CallLearning::Before before, ExchangeMaker& maker);

    /// After all ranks have made theirs: resumes from what other communicators have shown if that is the same on all
    /// ranks. Local. Before any call, or after one that was decided on before the ranks had agreed on that.
    void begin(bool all_were_shown_the_same);

    /// Makes the exchange if such a call may be worth one. Collective.
    void plan_ahead(const UnequalCall& call, const Refusals& refusals);

    /// Decides on a call, on all ranks alike: exchanged, or passed through and why. Collective, unless this call is one
    /// that nobody asks about.
    [[nodiscard]] Verdict decide(const UnequalCall& call, const Refusals& refusals);
    /// Carries out the call that was decided to be exchanged. Returns an MPI error code, for which the communicator's
    /// error handler has been called, or mpi::Exchange::declined on all ranks: nothing has been received.
    [[nodiscard]] int run(const UnequalCall& call);

    /// How long this rank waited for others in the call that was decided on or run last; below 0: not known.
    [[nodiscard]] double waited_seconds() const { return waited_seconds_; }
    /// Of what has been decided to be exchanged.
    [[nodiscard]] const Plan& plan() const { return exchange_->plan(); }
    /// What carries out calls; empty: nothing yet.
    [[nodiscard]] const std::string& method() const { return method_; }

    /// Null: nothing is learned from its calls.
    [[nodiscard]] UnequalLearning* learning() const { return learning_.get(); }
    /// What AAPC_VERBOSE=2 says at the end; empty unless this is rank 0 and something was exchanged.
    [[nodiscard]] std::string report() const;

    /// Gives the exchange back while MPI can still free its communicator.
    void release() { exchange_.reset(); }

  private:
    /// One reduction. What is against exchanging the call; nothing: nothing but its size.
    std::optional<Outcome> agree(const UnequalCall& call, const Refusals& refusals);
    /// Makes the exchange for the call that was agreed on, and agrees once more, with what is on the wire. Collective.
    /// Returns what is against exchanging the call.
    std::optional<Outcome> make_ready(const UnequalCall& call, const Refusals& refusals);
    /// The same for a call that is to be exchanged now.
    [[nodiscard]] Verdict set_up(const UnequalCall& call, const Refusals& refusals);
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
    const Tuning* tuning_ = nullptr;     ///< that decides; null: none
    double equal_seconds_per_byte_ = 0;  ///< of the bound of equal messages
    bool says_start_;                    ///< the user says what a start costs
    selection::StartCosts start_costs_;
    selection::MeasuredStart start_;  ///< where the user says nothing and calls do not show it
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
    ExchangeMaker& maker_;
    std::unique_ptr<UnequalLearning> learning_;  ///< null: the bound decides
};

}  // namespace aapc::interposer
