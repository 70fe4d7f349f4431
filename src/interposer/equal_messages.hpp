/// @file
/// Calls of equal blocks on a communicator: who decides on them, and what carries them out.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "aapc/mpi/exchange.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/placement.hpp"
#include "interposer/call.hpp"
#include "interposer/decided.hpp"
#include "interposer/decider.hpp"
#include "interposer/equal_buffers.hpp"
#include "interposer/equal_learning.hpp"
#include "interposer/exchange_maker.hpp"
#include "interposer/job.hpp"
#include "interposer/verdict.hpp"
#include "selection/measured_start.hpp"
#include "selection/start.hpp"

namespace aapc::interposer {

/// The decision by size and the exchanges that came of it. Used by one thread at a time.
class EqualMessages {
  public:
    /// Of ranks of our world; local. `why_native`: why calls are native where the decision says so. All references
    /// outlive this. Throws std::bad_alloc.
    EqualMessages(MPI_Comm comm, const Job& job, const Placement& placement, ExchangeMaker& maker, Outcome why_native);

    /// Begins the class of a first call of such blocks, which comes before the ranks have agreed on anything; local.
    /// Throws std::bad_alloc.
    void begin_first_class(std::int64_t block_bytes);
    /// Whether that call is native whatever they agree on, so that none need be waited for.
    [[nodiscard]] bool passes_first_call(std::int64_t block_bytes);
    /// Keeps the decision within the limit of buffers. Collective over `comm` if methods need some: ranks need
    /// different ones, and the one that needs most counts. False on all ranks if one has no memory left.
    [[nodiscard]] bool keep_within_limit(MPI_Comm comm);

    /// Sets up the exchanges that may serve calls of such blocks. Collective over `comm`, after the ranks have agreed
    /// on what this communicator begins with.
    void plan_ahead(MPI_Comm comm, std::int64_t block_bytes);

    /// Decides on a well-formed call. Collective where something is measured, agreed on or set up, else local.
    /// `has_begun`: the ranks have agreed on what this communicator begins with.
    [[nodiscard]] Verdict decide(const Call& call, const Refusals& refusals, bool has_begun);
    /// What carries out the calls that are exchanged.
    [[nodiscard]] EqualBuffers& buffers() { return buffers_; }

    /// How long this rank waited for others in the call that was decided on last; below 0: not known.
    [[nodiscard]] double waited_seconds() const { return waited_seconds_; }
    [[nodiscard]] const selection::Decision& decision() const { return decided_.decision; }
    /// Null: the decision is followed.
    [[nodiscard]] EqualLearning* learning() const { return learning_.get(); }
    /// What AAPC_VERBOSE=2 says at the end; empty unless this is rank 0 and something was exchanged.
    [[nodiscard]] std::string report() const;

    /// Gives the exchanges back while MPI can still free their communicators.
    void release();

  private:
    /// Where the program's own calls decide. Collective unless the class of the call's size rests.
    [[nodiscard]] Verdict decide_by_learning(const Call& call, const Refusals& refusals, bool has_begun);
    [[nodiscard]] Verdict choose_slot(Slot& slot, const Call& call, const Refusals& refusals);
    /// What became of that method, made at its first use: collective then.
    Slot& made(MPI_Comm comm, Slot& slot);
    /// Whether what a start costs is to be measured before a call of such blocks, which no rank refuses: it is not
    /// known yet, or it forbids what the bound promises and may be no more than a bad moment.
    [[nodiscard]] bool start_is_due(std::int64_t block_bytes);
    /// Measures what a start costs on this communicator and decides again, on all ranks or on none. Collective.
    void learn_start(MPI_Comm comm);

    const Job* job_;
    const Placement* placement_;
    ExchangeMaker* maker_;
    Outcome why_native_;
    Decider decider_;
    selection::StartCosts start_costs_;
    Decided decided_;
    /// The smallest block for which it matters what a start costs, as long as nobody has measured it.
    std::int64_t start_matters_from_ = std::numeric_limits<std::int64_t>::max();
    selection::MeasuredStart start_;
    std::unique_ptr<EqualLearning> learning_;
    EqualBuffers buffers_;
    double waited_seconds_ = -1;
};

}  // namespace aapc::interposer
