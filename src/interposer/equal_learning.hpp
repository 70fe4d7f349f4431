/// @file
/// What a communicator learns from its calls of equal blocks: which of the decision's methods serves which size.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aapc/methods/method.hpp"
#include "aapc/mpi/agreement.hpp"
#include "aapc/topology/bound.hpp"
#include "interposer/call_learning.hpp"
#include "interposer/decided.hpp"
#include "selection/start.hpp"

namespace aapc::interposer {

/// Of one communicator. Used by one thread at a time.
class EqualLearning : public CallLearning {
  public:
    /// Candidates are the slots of `decided`, which outlives this. `least_start_seconds`: selection::StartCosts.
    /// Throws std::bad_alloc.
    EqualLearning(const Decided& decided, const Bound& bound, int ranks, double least_start_seconds, Before before);

    /// True if the class of such blocks is there.
    [[nodiscard]] bool knows(std::int64_t block_bytes) { return chooser().knows(size_of_blocks(block_bytes)); }
    /// The key of that class; nullopt if it is not there.
    [[nodiscard]] std::optional<int> key_of(std::int64_t block_bytes) {
        return chooser().key_of(size_of_blocks(block_bytes));
    }
    /// True if the next call of that class is native whatever other ranks know of it.
    [[nodiscard]] bool begins_native(std::int64_t block_bytes) {
        return chooser().begins_native(size_of_blocks(block_bytes));
    }
    /// The slot of the winner if such a call is neither measured nor the time for an agreement; nullopt otherwise.
    /// Local, a few instructions.
    [[nodiscard]] std::optional<std::size_t> resting_slot(std::int64_t block_bytes) {
        return chooser().resting_method(size_of_blocks(block_bytes));
    }
    /// Whether a candidate beside the native routine may serve blocks of about so many bytes.
    [[nodiscard]] bool has_candidates(std::int64_t block_bytes) const;
    /// Makes the class of that size; local. Throws std::bad_alloc.
    void begin_class(std::int64_t block_bytes) { chooser().begin(beginning(block_bytes)); }
    /// The same, and the ranks agree on whether all have it: with the next call if this one is native anyway, at once
    /// otherwise. Collective in that sense. False if the class is not to be used.
    [[nodiscard]] bool begin_class_with_all(MPI_Comm comm, std::int64_t block_bytes);
    /// Collects what begin_class_with_all() has posted. False, on all ranks, if a rank lacks memory or MPI has failed
    /// before: all calls are native from then on.
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

    void complete() override {
        beginning_.complete();
        CallLearning::complete();
    }

  private:
    [[nodiscard]] std::vector<Method> methods() const override;
    [[nodiscard]] bool has_methods(const std::vector<Method>& shown) const override;
    [[nodiscard]] std::string words_of(std::int64_t size) const override;

    /// Collects the result of the block in flight. False, on all ranks, if the MPI failed.
    [[nodiscard]] bool learn_result();
    [[nodiscard]] learning::Prospect prospect(std::size_t slot, std::int64_t block_bytes) const;
    [[nodiscard]] learning::Beginning beginning(std::int64_t block_bytes) const;
    /// Of the method that served such blocks best in earlier jobs; nullopt if none did.
    [[nodiscard]] std::optional<std::size_t> learned_slot(std::int64_t block_bytes) const;

    const Decided* decided_;
    double seconds_per_byte_;  ///< of the bound; 0 if not known
    double least_start_seconds_;
    mpi::Agreement beginning_;  ///< of a class; collected before anything else that ranks agree on for equal blocks
    bool failed_ = false;
};

}  // namespace aapc::interposer
