/// @file
/// Learning in one communicator's calls of unequal messages, by the time of their bound. Their times are agreed on in
/// the reduction that these calls begin with anyway, so all ranks have the same numbers and agree on every turn. The
/// MPI's own routine is measured in calls that do not begin with one: it would have all ranks begin at the same moment,
/// and they hinder each other then as they do not by themselves.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "aapc/mpi/demand_agreement.hpp"
#include "aapc/selection/tuning.hpp"
#include "interposer/expectations.hpp"
#include "learning/learner.hpp"

namespace aapc::interposer {

/// What an exchange by the clock is expected to take beside its bound before one has been seen.
struct ExpectedByClock {
    double set_up_seconds = 0;
    double agreement_seconds = 0;  ///< before each call
    double start_seconds = 0;      ///< at least
};

/// The MPI's own routine against the clock. Used by one thread at a time.
class UnequalLearning {
  public:
    /// Numbers of the candidates.
    static constexpr std::size_t own = 0;
    static constexpr std::size_t by_clock = 1;

    /// `before`: what earlier jobs have learned on a communicator like this, null: nothing; it outlives this.
    /// `seconds_per_byte` is that of the bound of equal messages, > 0: sizes in tunings are those of such.
    UnequalLearning(const Tuning* before, double seconds_per_byte, const ExpectedByClock& expected);
    /// Goes on with what other communicators have shown, which is something. Where the MPI's own has won whenever
    /// anybody was asked, nobody is for as many calls, within limits. Throws std::bad_alloc.
    UnequalLearning(const Tuning* before, double seconds_per_byte, const ExpectedByClock& expected,
                    learning::UnequalLearner shown);

    /// How a call begins. What is not asked about is the MPI's own.
    enum class Opening : std::uint8_t {
        asked,
        passed,  ///< nothing is to be found out in it
        apart,   ///< each rank notes its bytes and its time, and tells of them later
    };
    /// After the first call, which was taken apart: nothing is known of it after all, and the next one is the first.
    void begin_again();
    /// Once for each call, on all ranks alike. O(1).
    [[nodiscard]] Opening begin_call();
    /// Whether each rank tells first, without waiting for anybody, what it has noted so far.
    [[nodiscard]] bool tells_in_passing() const { return tells_in_passing_; }
    /// If something was told in passing: hear_in_passing() before begin_call() of the next call.
    [[nodiscard]] bool hears_before_next_call() const { return passes_before_hearing_ == 0; }
    /// What was told of calls that were taken apart, and with it whose turn the next call seems to be: it is asked
    /// about if that is not the MPI's own, or is measured with all beginning together. `made` as for take_turn().
    /// Throws std::bad_alloc.
    void hear_in_passing(const mpi::AgreedPast& past, bool made);
    /// The same where no call of these could be worth an exchange: while nobody has seen another one here, nobody is
    /// asked, and some calls are told of in passing now and then. Whether that is so; otherwise nothing has been heard.
    [[nodiscard]] bool hear_in_vain();

    /// Whose turn a call is that was asked about.
    struct Turn {
        bool by_clock = false;
        bool measured = false;  ///< note_call() wants to know what it takes
    };

    /// More than a turn needs; null: there is none. To be asked for before the ranks agree, so that all can take what
    /// follows, and given back before the turn.
    [[nodiscard]] static std::unique_ptr<std::byte[]> memory_for_a_turn();
    /// What this rank has to say in the agreement.
    void tell(mpi::DemandClaim& claim) const;
    /// What the agreement came to of the turn before.
    void hear(const mpi::AgreedDemand& agreed);
    /// What it came to of the calls before that were taken apart. They teach in the next take_turn().
    void hear_past(const mpi::AgreedDemand& agreed);
    /// Whose turn the call of that bound (> 0) is, on all ranks alike. `made`: the exchange by the clock is there.
    /// Calls whose bounds differ by a quarter at most learn together. Throws std::bad_alloc.
    [[nodiscard]] Turn take_turn(const mpi::AgreedDemand& agreed, bool made);
    /// What this rank took for the call of the latest turn, if that was to be measured, from the agreement on.
    void note_call(std::int64_t nanoseconds) { call_nanoseconds_ = nanoseconds; }
    /// The same for making its exchange.
    void note_set_up(std::int64_t nanoseconds) { set_up_nanoseconds_ = nanoseconds; }
    /// From now on bounds are of what is on the wire: the same call's was `before`, and is `now`.
    void note_headers(const DemandBound& before, const DemandBound& now);

    [[nodiscard]] const learning::UnequalLearner& learner() const { return learner_; }
    /// The size of equal messages whose bound is `nanoseconds`; at least 1.
    [[nodiscard]] std::int64_t size_of(std::int64_t nanoseconds) const;

  private:
    struct Class {
        learning::SizeClass* size_class = nullptr;  ///< sizes are bounds of the messages alone, in nanoseconds
        /// What its latest turns took, when that has been told.
        std::array<learning::Measured, mpi::PastClaim::most_calls> told{};
        std::size_t turns_told = 0;
        std::int64_t latest_call = 0;  ///< its number on the communicator; 0: there was none
    };
    [[nodiscard]] Class& class_of(std::int64_t nanoseconds, bool made);
    [[nodiscard]] Class& begun(std::int64_t nanoseconds, bool made, std::int64_t calls);
    /// The class of these calls; null: there is none, or it has no use for them.
    Class* learn_from(const mpi::AgreedPast& past, double agreement_seconds, bool made);
    /// With what was told of the first calls before, if anything was.
    [[nodiscard]] mpi::AgreedPast with_first(const mpi::AgreedPast& past);
    [[nodiscard]] bool can_tell_in_passing() const;
    /// What an exchange by the clock of that bound takes in all likelihood, its agreement included.
    [[nodiscard]] UnequalByClock by_clock_takes(std::int64_t nanoseconds) const;
    /// Whose turn the next call of a class is, if it does not rest.
    [[nodiscard]] learning::Turn next_turn(Class& of);
    /// Takes the MPI's own next turns apart, where its class has the next calls.
    void take_apart(const Class& of, std::int64_t distance);
    /// Lets the calls of a class that rests pass.
    void rest(Class& of);

    const Tuning* before_;
    double seconds_per_byte_;
    ExpectedByClock expected_;
    learning::UnequalLearner learner_;
    std::map<const learning::SizeClass*, Class> classes_;
    double headers_ = 1;                     ///< how many times as long bounds are as those of the messages alone
    Class* measured_ = nullptr;              ///< whose turn is measured and not yet told of
    std::int64_t measured_nanoseconds_ = 0;  ///< its bound
    std::size_t candidate_ = own;
    std::int64_t call_nanoseconds_ = 0;
    std::int64_t set_up_nanoseconds_ = 0;
    std::int64_t calls_ = 0;             ///< on the communicator
    std::int64_t apart_from_ = 1;        ///< the first call that is taken apart
    std::size_t apart_left_ = 0;         ///< so many are
    std::int64_t latest_apart_ = 0;      ///< the latest one
    bool has_to_tell_ = false;           ///< of calls that were taken apart
    bool tells_in_passing_ = false;      ///< of these, with the latest call
    int passes_before_hearing_ = 0;      ///< so many calls pass before what was told is heard
    mpi::AgreedPast first_past_;         ///< of the first calls but the last one; no calls: nothing was told of them
    bool first_are_fast_ = false;        ///< so that nobody is asked about the call after them
    bool in_a_row_ = false;              ///< these are, and the call after them will be of the same class
    bool clocks_agree_ = true;           ///< as far as has been told, so that nobody has to begin together
    Class* granted_ = nullptr;           ///< whose next turn has to be asked about, as was heard in passing
    learning::Turn granted_turn_;        ///< that turn
    bool is_in_vain_ = false;            ///< to ask, as far as has been told
    bool opened_ = false;                ///< the first calls have been told of, or there were none
    mpi::AgreedPast past_;               ///< that has not taught yet
    double past_agreement_seconds_ = 0;  ///< what the agreement on it took
    Class* resting_ = nullptr;           ///< whose calls pass
    std::int64_t passes_left_ = 0;
};

}  // namespace aapc::interposer
