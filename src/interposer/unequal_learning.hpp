/// @file
/// What a communicator learns from its calls of unequal messages: whether an exchange by the clock is faster than the
/// native routine.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aapc/mpi/demand_agreement.hpp"
#include "aapc/topology/bound.hpp"
#include "interposer/call_learning.hpp"
#include "interposer/past_bytes.hpp"
#include "selection/unequal_rule.hpp"

namespace aapc::interposer {

/// Of one communicator. Used by one thread at a time. Only calls that a candidate may serve are agreed on; others are
/// measured, and what they put on the links travels with the results of their block.
class UnequalLearning : public CallLearning {
  public:
    /// Of so many ranks, whose equal blocks have that bound. `agreement` is that of the calls and outlives this.
    /// `crossover`: from which bound on an exchange may be worth it. `least_start_seconds`:
    /// selection::StartCosts. Throws std::bad_alloc.
    UnequalLearning(mpi::DemandAgreement& agreement, const Bound& bound, int ranks,
                    const selection::UnequalCrossover& crossover, double least_start_seconds, Before before);

    void resume(bool all_have_it) override;

    /// Collects the results of measured calls, if some are in flight, and posts those of a full block. Collective in
    /// that sense. False, on all ranks, if the MPI failed.
    [[nodiscard]] bool exchange_results(MPI_Comm comm);
    /// The first half of that.
    [[nodiscard]] bool collect();

    /// A call that is measured without an agreement begins; `bytes` null: this rank cannot describe it.
    void note_bytes(const mpi::MessageBytes* bytes);

    /// Whether this rank has memory for all that a call may teach. Local.
    [[nodiscard]] static bool has_memory();
    /// Whether an exchange may be worth it for a call with that bound. What an agreement costs shows in the times of
    /// calls.
    [[nodiscard]] bool worth(const DemandBound& bound) const;
    /// The decision for a call whose bound the ranks have agreed on, the same on all ranks; nullopt, on all ranks, if
    /// there is no memory for it. Local.
    struct Choice {
        bool by_clock = false;
        bool timed = false;
    };
    [[nodiscard]] std::optional<Choice> choose(const DemandBound& bound);

    /// An exchange by that method has been set up.
    void note_exchange(const Method& method) { method_by_clock_ = method; }
    /// With its headers, bounds are longer by that factor.
    void note_headers(double factor) { headers_ = factor; }

  private:
    /// Numbers of the candidates.
    static constexpr std::size_t native = 0;
    static constexpr std::size_t by_clock = 1;

    [[nodiscard]] std::vector<Method> methods() const override;
    [[nodiscard]] bool has_methods(const std::vector<Method>& /*shown*/) const override { return true; }
    [[nodiscard]] std::string words_of(std::int64_t size) const override;

    void post(MPI_Comm comm);
    /// Of calls whose size was not known when they began.
    void learn_unsized(const mpi::Agreed& agreed);
    /// Makes the class of that size, unless it is there. False if there is no memory.
    [[nodiscard]] bool have_class(std::int64_t nanoseconds);
    /// What is known of it. Throws std::bad_alloc.
    [[nodiscard]] learning::Beginning beginning(std::int64_t nanoseconds) const;

    mpi::DemandAgreement* agreement_;
    double least_start_seconds_;
    selection::UnequalCrossover crossover_;
    std::optional<Method> method_by_clock_;         ///< nullopt: no exchange has been set up here
    double headers_ = 1;                            ///< factor from bounds of messages alone to those on the wire
    PastBytes past_bytes_;                          ///< of calls of unknown size
    bool is_undescribed_ = false;                   ///< the latest block of such calls, by some rank
    std::unique_ptr<std::byte[]> memory_to_learn_;  ///< while something is in flight: given back when that is collected
};

}  // namespace aapc::interposer
