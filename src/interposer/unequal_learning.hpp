/// @file
/// Learning in one communicator's calls of unequal messages, by the time of their bound. Their times are agreed on in
/// the reduction that these calls begin with anyway, so all ranks have the same numbers and agree on every turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "aapc/mpi/demand_agreement.hpp"
#include "aapc/selection/tuning.hpp"
#include "learning/learner.hpp"

namespace aapc::interposer {

/// The MPI's own routine against the clock. Used by one thread at a time.
class UnequalLearning {
  public:
    /// Numbers of the candidates.
    static constexpr std::size_t own = 0;
    static constexpr std::size_t by_clock = 1;

    /// `before`: what earlier jobs have learned on a communicator like this, null: nothing; it outlives this.
    /// `seconds_per_byte` is that of the bound of equal messages, > 0: sizes in tunings are those of such.
    /// `set_up_seconds` is what setting the exchange up is expected to take, `start_seconds` what a start costs at
    /// least.
    UnequalLearning(const Tuning* before, double seconds_per_byte, double set_up_seconds, double start_seconds)
        : before_(before),
          seconds_per_byte_(seconds_per_byte),
          set_up_seconds_(set_up_seconds),
          start_seconds_(start_seconds) {}

    /// Whose turn a call is.
    struct Turn {
        bool by_clock = false;
        bool measured = false;  ///< note_call() wants to know what it takes
        bool settled = false;   ///< nothing is to be found out in the next calls of such a bound
    };

    /// Whether there is memory for a turn. To be asked before the ranks agree, so that all can take what follows.
    [[nodiscard]] static bool has_memory_for_a_turn();
    /// What this rank has to say in the agreement.
    void tell(mpi::DemandClaim& claim) const;
    /// What the agreement came to.
    void hear(const mpi::AgreedDemand& agreed);
    /// Whose turn the call of that bound (> 0) is, on all ranks alike. `made`: the exchange by the clock is there.
    /// Calls whose bounds differ by a quarter at most learn together. Throws std::bad_alloc.
    [[nodiscard]] Turn take_turn(const mpi::AgreedDemand& agreed, bool made);
    /// What this rank took for the call of the latest turn, if that was to be measured, from the agreement on.
    void note_call(std::int64_t nanoseconds) { call_nanoseconds_ = nanoseconds; }
    /// The same for making its exchange.
    void note_set_up(std::int64_t nanoseconds) { set_up_nanoseconds_ = nanoseconds; }
    /// From now on bounds are of what is on the wire: the same call's was `before`, and is `now`.
    void note_headers(const DemandBound& before, const DemandBound& now);

    [[nodiscard]] const learning::Learner& learner() const { return learner_; }
    /// The size of equal messages whose bound is `nanoseconds`; at least 1.
    [[nodiscard]] std::int64_t size_of(std::int64_t nanoseconds) const;

  private:
    struct Class {
        learning::SizeClass* size_class = nullptr;  ///< sizes are bounds of the messages alone, in nanoseconds
        std::optional<learning::Measured> agreed;   ///< what its latest turn took, when that has been told
    };
    [[nodiscard]] Class& class_of(std::int64_t nanoseconds, bool made);
    [[nodiscard]] Class& begun(std::int64_t nanoseconds, bool made);

    const Tuning* before_;
    double seconds_per_byte_;
    double set_up_seconds_;
    double start_seconds_;
    learning::Learner learner_;
    std::map<const learning::SizeClass*, Class> classes_;
    double headers_ = 1;                     ///< how many times as long bounds are as those of the messages alone
    Class* measured_ = nullptr;              ///< whose turn is measured and not yet told of
    std::int64_t measured_nanoseconds_ = 0;  ///< its bound
    std::size_t candidate_ = own;
    std::int64_t call_nanoseconds_ = 0;
    std::int64_t set_up_nanoseconds_ = 0;
};

}  // namespace aapc::interposer
