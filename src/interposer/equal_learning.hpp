/// @file
/// What a communicator learns from its calls of equal blocks: which of the decision's methods serves which size.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "aapc/archive/tuning.hpp"
#include "aapc/methods/method.hpp"
#include "aapc/mpi/agreement.hpp"
#include "aapc/topology/bound.hpp"
#include "interposer/chooser.hpp"
#include "interposer/decided.hpp"
#include "interposer/shown.hpp"
#include "interposer/verdict.hpp"

namespace aapc::interposer {

/// Of one communicator. Used by one thread at a time.
class EqualLearning {
  public:
    /// What is known before the first call.
    struct Before {
        std::int64_t calls = 0;  ///< that the native routine has served
        const Tuning* learned =
            nullptr;  ///< by earlier jobs on communicators like this; null if nothing. Outlives this
        Shown shown;  ///< by this rank's other communicators
    };

    /// Candidates are the slots of `decided`, which outlives this. `said_start_seconds`: what the user says of a start.
    /// Throws std::bad_alloc.
    EqualLearning(const Decided& decided, const Bound& bound, int ranks, std::optional<double> said_start_seconds,
                  Before before);

    /// Of what other communicators have shown this rank; 0 if nothing.
    [[nodiscard]] std::uint64_t shown_digest() const { return shown_digest_; }
    /// After the ranks have agreed: resumes from the evidence of other communicators, if all ranks have it, and the
    /// methods are the same as there.
    void resume(bool all_have_it);
    /// Calls on other communicators that this one resumes from.
    [[nodiscard]] std::int64_t shown_calls() const { return shown_calls_; }
    [[nodiscard]] const Tuning* learned_before() const { return learned_before_; }

    /// Whether a candidate beside the native routine may serve blocks of about so many bytes.
    [[nodiscard]] bool has_candidates(std::int64_t block_bytes) const;
    /// Makes the class of that size; local. Throws std::bad_alloc.
    void begin(std::int64_t block_bytes) { chooser_->begin(beginning(block_bytes)); }
    /// The same, and the ranks agree on whether all have it: with the next call if this one is native anyway, at once
    /// otherwise. Collective in that sense. False if the class is not to be used.
    [[nodiscard]] bool begin_with_all(MPI_Comm comm, std::int64_t block_bytes);
    /// Collects what begin_with_all() has posted. False, on all ranks, if a rank lacks memory or MPI has failed before:
    /// all calls are native from then on.
    [[nodiscard]] bool is_usable();

    /// Index of the slot that serves a call of a size of which the class is there, the same on all ranks; `timed`: to
    /// be measured. Collects and posts results: collective in that sense. nullopt, on all ranks, if the MPI failed.
    struct Choice {
        std::size_t slot = 0;
        bool timed = false;
    };
    [[nodiscard]] std::optional<Choice> choose(MPI_Comm comm, std::int64_t block_bytes);
    /// All calls are native from now on.
    void fail() { failed_ = true; }

    [[nodiscard]] Chooser& chooser() { return *chooser_; }
    [[nodiscard]] const learning::Learner& learner() const { return chooser_->learner(); }
    /// What calls have shown so far, for other communicators. Throws std::bad_alloc.
    [[nodiscard]] Shown shown() const;
    /// The same for the next job, without a fingerprint; nullopt if there is nothing. Throws std::bad_alloc.
    [[nodiscard]] std::optional<Tuning> taught() const;

    /// Waits for what goes on between calls.
    void complete() {
        beginning_.complete();
        chooser_->complete();
    }

  private:
    [[nodiscard]] learning::Prospect prospect(std::size_t slot, std::int64_t block_bytes) const;
    [[nodiscard]] learning::Beginning beginning(std::int64_t block_bytes) const;
    /// Of the method that served such blocks best in earlier jobs; nullopt if none did.
    [[nodiscard]] std::optional<std::size_t> learned_slot(std::int64_t block_bytes) const;

    const Decided* decided_;
    double seconds_per_byte_;  ///< of the bound; 0 if not known
    std::optional<double> said_start_seconds_;
    double set_up_seconds_;  ///< expected
    const Tuning* learned_before_;
    std::unique_ptr<Chooser> chooser_;
    std::unique_ptr<Chooser> shown_;     ///< by other communicators, until the ranks have agreed on it
    std::vector<Method> shown_methods_;  ///< what the candidates there stand for
    std::uint64_t shown_digest_ = 0;
    std::int64_t shown_calls_ = 0;
    mpi::Agreement beginning_;  ///< of a class; collected before anything else that ranks agree on for equal blocks
    bool failed_ = false;
};

}  // namespace aapc::interposer
