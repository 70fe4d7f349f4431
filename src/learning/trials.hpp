/// @file
/// Learns in a program's own calls of about one size which of several candidates is the fastest (after STAR-MPI, Faraj
/// et al. 2006). It knows no clock and no MPI: every decision follows from the results that it was given, so ranks that
/// give it the same ones decide the same. The model, the states and the reasons are in trials.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "learning/budget.hpp"
#include "learning/digest.hpp"
#include "learning/evidence.hpp"
#include "learning/prospect.hpp"

namespace aapc::learning {

/// Calls whose times travel in one agreement.
inline constexpr std::size_t longest_block = 8;
/// The decision for one call.
struct Trial {
    std::size_t candidate = 0;  ///< index into the prospects
    bool measured = false;      ///< its time belongs to the block that is being filled
};

/// The result of a block: calls one after the other by one candidate. The same on all ranks.
struct Block {
    std::size_t calls = 0;                        ///< as many as were measured, at most longest_block
    std::array<double, longest_block> seconds{};  ///< the cost of each, > 0
    double set_up_seconds = 0;                    ///< what had to be set up for it
    double to_class_size = 1;                     ///< factor from these costs to costs for the size of the class
};

/// The states of a class.
enum class State : std::uint8_t {
    opening,  ///< the native routine serves the first calls, and is measured
    choose,   ///< the evidence is complete: the next call decides who is tried or how long the winner is exploited
    try_,     ///< a block of a challenger is filled or in flight
    exploit,  ///< the winner serves; no call is measured
    watch,    ///< a block of the winner is filled or in flight
};

enum class Standing : std::uint8_t;  // reasons.hpp

/// The trials of one size. Not for concurrent use.
class Trials {
  public:
    /// Throws std::bad_alloc.
    explicit Trials(Beginning beginning);

    /// Decides one call, unless resting() says it already. `others`: of all that shares the budget. O(candidates *
    /// samples).
    [[nodiscard]] Trial next(const Budget& others);
    /// True after the last call of a block: it is to be published before the next call of any class.
    [[nodiscard]] bool has_full_block() const { return filled_ > 0 && filled_ == wanted_; }
    /// Measured calls of the block that is being filled.
    [[nodiscard]] std::size_t filled() const { return filled_; }
    /// That block is in flight from now on: learn() or lose() follows before the next one is published.
    void publish();
    /// True if the result of the block in flight is needed before the next decision: it is waited for.
    [[nodiscard]] bool awaits_result() const { return in_flight_ && flight_opens_ && opens_early_; }
    /// The result of the block in flight.
    void learn(const Block& block);
    /// The result of the block in flight will never be known.
    void lose();
    /// Times of the block that is being filled were lost.
    void drop();

    /// True if the next call is the winner's and not measured: skip() is all that it takes.
    [[nodiscard]] bool resting() const { return resting_ > 0; }
    /// How many calls in a row are such.
    [[nodiscard]] std::int64_t resting_calls() const { return resting_; }
    /// Counts so many of them, at most resting_calls(). A few instructions.
    void skip(std::int64_t calls = 1) {
        resting_ -= calls;
        calls_ += calls;
        unmeasured_ += calls;
    }

    /// The call that next() decided last could not be served by that candidate, now or ever; the native routine served
    /// it. Not measured.
    void withdraw(std::size_t candidate);

    [[nodiscard]] State state() const { return state_; }
    /// Index of the fastest candidate so far: the native routine unless another one is faster beyond the noise.
    [[nodiscard]] std::size_t winner() const { return winner_; }
    [[nodiscard]] const std::vector<Prospect>& prospects() const { return prospects_; }
    [[nodiscard]] const Evidence& evidence(std::size_t candidate) const { return candidates_[candidate]; }
    [[nodiscard]] std::int64_t size() const { return size_; }
    [[nodiscard]] double least_seconds() const { return least_seconds_; }
    /// What keeps that candidate from serving, or that it serves; for people (reasons.hpp).
    [[nodiscard]] Standing standing(std::size_t candidate, const Budget& others) const;
    /// Calls until a candidate that has lost may be tried again.
    [[nodiscard]] std::int64_t calls_until_look(std::size_t candidate) const {
        return candidates_[candidate].next_look - calls_;
    }
    /// True if the first call of all is the only sample of the native routine.
    [[nodiscard]] bool is_native_unknown() const { return candidates_[0].is_cold && candidates_[0].measured == 1; }
    /// By how much more than its least time a call by that candidate takes at most, by its prior.
    [[nodiscard]] double prior_spread_seconds(std::size_t candidate) const;
    /// Calls and their costs so far.
    [[nodiscard]] Budget budget() const;
    /// Seconds that trials may have cost when that has been called. A job's communicators of other ranks, such as the
    /// other rows of a grid, have trials of their own, and each trial delays all ranks that wait for these: each has
    /// its share of what the job may lose.
    [[nodiscard]] double allowed_seconds(const Budget& together) const { return share_of_ranks_ * allowance(together); }
    [[nodiscard]] double share_of_ranks() const { return share_of_ranks_; }
    /// The same without what was inherited.
    [[nodiscard]] Budget budget_here() const;
    /// Typical cost of a candidate; nullopt if it has no sample.
    [[nodiscard]] std::optional<double> typical_seconds(std::size_t candidate) const;
    /// Expected cost of a call by a candidate: by its samples, else by its prior; nullopt if there is neither.
    [[nodiscard]] std::optional<double> expected_seconds(std::size_t candidate) const;

    /// The trials for another communicator with the same placement: all evidence and the budget are inherited, and
    /// every exchange has to be set up again, in so many seconds. nullopt if there is no evidence, or if the winner
    /// would not earn its set-up in as many calls as communicators have had. Throws std::bad_alloc.
    [[nodiscard]] std::optional<Trials> continued(double set_up_seconds) const;
    /// Of such trials, before their first call: if the native routine has won, it is exploited for as many calls as the
    /// evidence has, without a look.
    void trust(const Budget& others);
    /// Adds everything that decides about calls to come.
    void add_to(Digest& digest) const;

  private:
    [[nodiscard]] std::optional<Trial> step_opening();
    [[nodiscard]] std::optional<Trial> step_choose(const Budget& others);
    [[nodiscard]] std::optional<Trial> step_try(const Budget& others);
    [[nodiscard]] std::optional<Trial> step_exploit();
    [[nodiscard]] std::optional<Trial> step_watch();

    void begin_block(std::size_t candidate, std::size_t calls);
    [[nodiscard]] Trial fill();
    [[nodiscard]] Block without_call_behind(const Block& block);
    void observe(const Block& block);
    void observe_opening(const Block& block);
    void judge();
    void end_look(std::size_t index);
    void promote(std::size_t candidate);
    void begin_epoch();
    [[nodiscard]] bool has_changed() const;
    [[nodiscard]] bool is_in_doubt() const;
    [[nodiscard]] bool is_native_in_doubt() const;
    [[nodiscard]] bool beats(const Evidence& one, const Evidence& other) const;
    [[nodiscard]] bool seems_faster(const Evidence& one) const;
    [[nodiscard]] bool may_be_faster(std::size_t index) const;

    [[nodiscard]] double winner_seconds() const;
    [[nodiscard]] double believed_seconds(std::size_t candidate) const;
    [[nodiscard]] bool is_believed(std::size_t candidate) const;
    /// So far below the bound that links are not as described, or the time is not what a call takes.
    [[nodiscard]] bool is_too_fast(double seconds) const;
    [[nodiscard]] double possible_gain(std::size_t candidate, double usual) const;
    [[nodiscard]] double expected_gain(std::size_t candidate) const;
    [[nodiscard]] double expected_price(std::size_t candidate, std::int64_t calls) const;
    [[nodiscard]] double gain_over_price(std::size_t candidate) const;
    [[nodiscard]] bool affordable(double price, const Budget& others) const;
    [[nodiscard]] bool no_candidate_can_gain() const;
    [[nodiscard]] bool pays_by_itself(std::size_t candidate) const;
    [[nodiscard]] bool has_model(std::size_t candidate) const;
    [[nodiscard]] bool serves_in_flight(std::size_t challenger) const;
    [[nodiscard]] bool is_long() const;
    [[nodiscard]] bool is_early_trial_worth_it() const;
    [[nodiscard]] std::optional<std::size_t> due_challenger(const Budget& others) const;
    [[nodiscard]] double calls_for_an_agreement() const;
    [[nodiscard]] std::int64_t rest(const Budget& others) const;

    template <class Self, class Action>
    static void for_each_field(Self& self, Action action);

    std::vector<Prospect> prospects_;
    double least_seconds_ = 0;
    std::int64_t size_ = 1;
    double agreement_seconds_;  ///< Beginning::agreement_seconds
    double share_of_ranks_;     ///< Beginning::share_of_ranks
    bool publishes_early_ = false;
    bool opens_early_ = false;
    std::vector<Evidence> candidates_;
    State state_ = State::opening;
    std::size_t winner_ = 0;
    std::size_t previous_ = 0;  ///< the candidate of the call before
    std::size_t block_of_ = 0;
    std::size_t look_ = 0;    ///< calls by that candidate in the block that is being filled
    std::size_t wanted_ = 0;  ///< calls of that block, with one by the winner behind it if any; 0 if there is none
    std::size_t filled_ = 0;
    bool block_is_cold_ = false;  ///< its first call follows another candidate's
    bool in_flight_ = false;
    bool flight_opens_ = false;  ///< it is of the first calls
    std::size_t flight_of_ = 0;  ///< candidate of the block in flight
    std::size_t flight_calls_ = 0;
    std::size_t flight_look_ = 0;  ///< of these, by that candidate
    bool flight_is_cold_ = false;
    std::int64_t resting_ = 0;
    std::int64_t calls_ = 0;
    std::int64_t unmeasured_ = 0;   ///< calls of this winner since its latest block
    std::int64_t epoch_began_ = 0;  ///< the call
    double past_seconds_ = 0;       ///< of measured calls, former epochs and former winners
    double past_spent_ = 0;         ///< of that, for learning
    std::size_t watched_ = 0;       ///< blocks of the winner in a row
    Budget inherited_;
    std::int64_t inherited_calls_ = 0;
    std::int64_t inherited_from_ = 0;  ///< communicators
    std::int64_t usual_calls_ = 0;     ///< of each of them
};

}  // namespace aapc::learning
