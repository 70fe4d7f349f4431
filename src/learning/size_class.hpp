/// @file
/// Learns in a program's own calls of about one size which of several candidates is the fastest (after STAR-MPI, Faraj
/// et al. 2006). A state machine that knows no clock and no MPI: whose turn it is follows from the times that it has
/// been fed, so ranks that feed it the same agree on every turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "learning/budget.hpp"
#include "learning/digest.hpp"
#include "learning/prospect.hpp"

namespace aapc::learning {

/// Whose turn a call is.
struct Turn {
    std::size_t candidate = 0;  ///< index into the prospects
    bool measured = false;      ///< whether its time is wanted
    /// Nobody waits for others before it: ranks note when they began and when they ended. Otherwise those of a measured
    /// turn begin together.
    bool apart = false;
    /// The MPI's own is to be measured, and this call begins with an agreement: it is the winner's, unmeasured, and the
    /// next call is the MPI's own.
    bool own_next = false;
};

/// What a measured call took; the same numbers on all ranks.
struct Measured {
    double seconds = 0;            ///< the exchange on the slowest rank; > 0
    double agreement_seconds = 0;  ///< the agreement before it, without waiting for the last rank; >= 0
    double set_up_seconds = 0;     ///< what had to be set up for it
    double to_class_size = 1;      ///< times this the exchange would have taken for the size that the class began with
};

/// Turns whose times are on their way, at most.
inline constexpr std::size_t most_pending = 4;

/// One size class. Not for concurrent use.
class SizeClass {
  public:
    explicit SizeClass(Beginning beginning);

    /// Whether the next call is the winner's and nobody measures: skip() is all that it takes then.
    [[nodiscard]] bool resting() const { return resting_ > 0; }
    /// How many calls in a row are such, the next one included; 0 if it is not.
    [[nodiscard]] std::int64_t resting_calls() const { return resting_; }
    /// Counts so many of such calls, at most resting_calls(). O(1), a few instructions.
    void skip(std::int64_t calls = 1) {
        resting_ -= calls;
        calls_ += calls;
        unmeasured_ += calls;
    }

    /// Turns that were measured and are yet to be told of by next(), at most most_pending.
    [[nodiscard]] std::size_t pending() const { return pending_.size(); }
    /// Whether next() needs to be told of them: whose turn the next call is depends on their times.
    [[nodiscard]] bool awaits_times() const { return !pending_.empty() && !own_goes_on(); }

    /// Of a class that has had no call: whether the first one is the MPI's own, without an agreement before it.
    [[nodiscard]] bool begins_unasked() const { return winner_ == 0 && (resting() || measures_apart()); }
    /// What the pending turns took will not be told.
    void forget_pending();

    /// Whose turn the next call is, when not resting. `told` is what the pending turns took, in their order; empty: it
    /// is not known, and where awaits_times() it is not asked for again. `others` is the account of everything else
    /// that the same purse pays for. O(candidates · samples² log samples).
    [[nodiscard]] Turn next(std::span<const Measured> told, const Budget& others);
    /// So many calls have been the MPI's own, measured apart, as `own_next` of a turn said, or before anybody was
    /// asked; nothing is pending, and `turns` is at most most_pending. Where next() sees to that itself, as it does for
    /// who does not agree in every call, it is not needed.
    void take_own_apart(std::size_t turns = 1);
    /// Whether that is how the MPI's own is to be measured.
    [[nodiscard]] bool measures_apart() const { return least_seconds_ >= shortest_seconds_apart; }
    /// How many of its turns in a row are of use then, 1 to most_pending.
    [[nodiscard]] std::size_t own_turns_wanted() const;

    /// The turn that next() gave cannot be taken, now or ever: the MPI's own takes the call, unmeasured.
    void withdraw(std::size_t candidate);

    /// Index into the prospects of the fastest so far, the MPI's own where there is no difference beyond the noise.
    [[nodiscard]] std::size_t winner() const { return winner_; }
    [[nodiscard]] const std::vector<Prospect>& prospects() const { return prospects_; }
    /// Of the call that it began with.
    [[nodiscard]] std::int64_t size() const { return size_; }
    /// No exchange takes less, as far as is known, in seconds; 0 if nothing is known.
    [[nodiscard]] double least_seconds() const { return least_seconds_; }
    [[nodiscard]] Budget budget() const;

    /// The class for another communicator whose ranks sit alike: what was seen of everybody, whose turn it is when, and
    /// the account go on; exchanges have to be set up there again, each in so many seconds, and the turns that are
    /// pending are lost. Nothing: there is nothing to go on with, or the winner would not earn its set-up in as many
    /// calls as communicators have had. Throws std::bad_alloc.
    [[nodiscard]] std::optional<SizeClass> continued(double set_up_seconds) const;
    /// Of such a class, before its first call: where the MPI's own has won and nobody else is due, it rests for as many
    /// calls as have shown that, within limits, without having been measured here. `others` as for next().
    void trust(const Budget& others);
    /// Of the calls on this communicator alone.
    [[nodiscard]] Budget budget_here() const;
    /// Adds all that decides about turns to come.
    void add_to(Digest& digest) const;

    [[nodiscard]] Seen seen(std::size_t candidate) const;
    /// A typical time of a candidate now; nothing: none is known.
    [[nodiscard]] std::optional<double> typical_seconds(std::size_t candidate) const;

  private:
    struct Candidate {
        std::vector<double> samples;  ///< of this spell, at most most_samples
        std::int64_t measured = 0;    ///< since the beginning
        std::int64_t explored = 0;    ///< turns of this spell while another was the winner
        double explored_seconds = 0;  ///< that these took
        std::int64_t next_look = 0;   ///< the call from which on it may be tried
        std::size_t look_turns = 0;   ///< of the look that is under way
        bool was_set_up = false;
        bool led_before = false;  ///< it was the winner when conditions changed
        bool withdrawn = false;
    };

    [[nodiscard]] Turn turn_after(bool agreed, const Budget& others);
    [[nodiscard]] bool own_goes_on() const;
    void observe(std::size_t index, const Measured& measured, double in_general);
    void count_agreement(std::span<const Measured> told);
    void end_look(Candidate& candidate);
    void judge();
    void look_at_who_seems_faster();
    [[nodiscard]] bool beats(std::size_t challenger) const;
    [[nodiscard]] bool native_takes_over() const;
    void crown(std::size_t candidate);
    [[nodiscard]] bool winner_has_changed() const;
    [[nodiscard]] bool seems_changed() const;
    void begin_spell();
    [[nodiscard]] Turn choose(const Budget& others);
    [[nodiscard]] bool watches(const Budget& others) const;
    [[nodiscard]] std::optional<std::size_t> due_challenger(const Budget& others) const;
    [[nodiscard]] bool saves_up(const Budget& others) const;
    [[nodiscard]] double expected_excess(std::size_t candidate) const;
    [[nodiscard]] double seen_excess(std::size_t candidate) const;
    [[nodiscard]] double expected_price(std::size_t candidate) const;
    [[nodiscard]] double possible_gain(std::size_t candidate, double usual) const;
    [[nodiscard]] double expected_gain(std::size_t candidate) const;
    [[nodiscard]] bool nobody_can_gain() const;
    [[nodiscard]] bool worth_its_price(std::size_t candidate) const;
    [[nodiscard]] bool affordable(std::size_t candidate, const Budget& others) const;
    [[nodiscard]] bool hopeless(const Candidate& candidate) const;
    [[nodiscard]] bool surely_slower(const Candidate& candidate) const;
    [[nodiscard]] bool always_slower(const Candidate& candidate) const;
    [[nodiscard]] std::int64_t rest() const;
    [[nodiscard]] std::int64_t rest_undisturbed() const;
    [[nodiscard]] std::int64_t rest_until_somebody_is_due(std::int64_t most) const;
    [[nodiscard]] std::int64_t expected_calls() const;
    [[nodiscard]] std::int64_t calls_that_pay(std::size_t candidate) const;
    /// Whether a turn of its disturbs the exchanges of the winner, so that one has to do.
    [[nodiscard]] bool disturbs(const Candidate& candidate) const {
        return &candidate == &candidates_.front() && winner_ != 0 && measures_apart();
    }
    /// Whether each look at the next call would be a nuisance to the winner.
    [[nodiscard]] bool is_disturbed() const { return winner_ == 0 && measures_apart(); }
    [[nodiscard]] double price_of_agreement() const;
    [[nodiscard]] double price_of_measuring() const { return agrees_anyway_ ? 0 : price_of_agreement(); }
    [[nodiscard]] double winner_seconds() const;
    [[nodiscard]] std::size_t times_wanted() const;

    std::vector<Prospect> prospects_;
    double least_seconds_;
    std::int64_t size_;
    bool agrees_anyway_;
    std::vector<Candidate> candidates_;
    std::size_t winner_ = 0;
    std::vector<std::size_t> pending_;  ///< candidates, the latest last; has room for all
    std::int64_t resting_ = 0;
    std::int64_t calls_ = 0;
    std::int64_t unmeasured_ = 0;   ///< of this winner since it was measured last
    std::int64_t spell_began_ = 0;  ///< the call
    double past_seconds_ = 0;       ///< of former spells and winners, and of all measured calls
    double past_spent_ = 0;         ///< of former spells, of setting up and agreeing
    double agreement_seconds_ = 0;  ///< the cheapest so far
    std::int64_t agreements_ = 0;   ///< in this spell
    bool agreed_once_ = false;
    bool has_agreed_ = false;        ///< on the times of the turns before, at the beginning of the call
    bool opens_session_ = false;     ///< the latest turn had an agreement of its own
    std::size_t watched_ = 0;        ///< the winner's measured calls since the last rest
    std::vector<double> reference_;  ///< the winner's first times in this spell
    // Of communicators before this one whose class this goes on with.
    Budget inherited_;
    std::int64_t inherited_calls_ = 0;
    std::int64_t inherited_from_ = 0;  ///< so many had calls
    std::int64_t usual_calls_ = 0;     ///< that each of them had
};

}  // namespace aapc::learning
