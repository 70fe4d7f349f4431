/// @file
/// A program whose calls take as long as a function says, and a learner that is fed with it.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "learning/learner.hpp"

namespace aapc::learning {

/// What a call takes by a candidate: (size, index of the call, candidate) -> seconds.
using TimeOf = std::function<double(std::int64_t, int, std::size_t)>;

struct World {
    std::size_t candidates = 2;
    TimeOf time_of;
    double agreement_seconds = 0;
    double set_up_seconds = 0;
    std::function<double(std::int64_t)> least_seconds = [](std::int64_t) { return 0.0; };
    double candidate_takes_more_seconds = 0;  ///< than the least, as is known
    double candidate_spread_seconds = 0;      ///< and up to so much more than that, as is known
    bool unequal = false;                     ///< every call agrees, and near sizes share a class wherever they are
    double own_after_agreement = 1;           ///< times as long the MPI's own takes where the ranks begin together
    /// That a call of the MPI's own takes less before an agreement if another one was before it: nothing is under way
    /// behind it any more. Of equal messages.
    double last_own_less_seconds = 0;
    /// Times as long the MPI's own takes behind somebody else's call, which leaves nothing in the ports.
    double own_behind_another = 1;
    double another_behind_own = 1;  ///< the reverse
};

/// What came of a program's calls.
struct Outcome {
    double seconds = 0;               ///< all of it
    std::vector<double> by_one;       ///< had each candidate served all calls
    std::vector<std::size_t> served;  ///< who served each call
    std::vector<double> share;        ///< of learning in the time so far, after each call
    std::int64_t agreements = 0;

    /// Against the better of the MPI's own and the best single one.
    [[nodiscard]] double regret() const { return seconds / *std::min_element(by_one.begin(), by_one.end()); }
};

inline SizeClass& begin_class(Learner& learner, const World& world, std::int64_t size,
                              const std::vector<bool>& is_set_up) {
    Beginning beginning;
    for (std::size_t method = 0; method < world.candidates; ++method) {
        beginning.prospects.push_back({method, is_set_up[method] ? 0 : world.set_up_seconds});
        if (method > 0) {
            beginning.prospects.back().least_seconds = world.least_seconds(size) + world.candidate_takes_more_seconds;
            beginning.prospects.back().spread_seconds = world.candidate_spread_seconds;
        }
    }
    beginning.least_seconds = world.least_seconds(size);
    beginning.size = size;
    beginning.agrees_anyway = world.unequal;
    return learner.begin(beginning);
}

/// Calls of unequal messages that nobody asks about: the first ones, those that a class has asked for, and those of a
/// class that rests. As the interposer has them, for sizes that stay.
class Unasked {
  public:
    explicit Unasked(bool opens) : left_(opens ? opening_calls : 0), opens_(opens) {}

    /// Whether the next call, of that class, is the MPI's own and measured apart.
    bool takes_apart(SizeClass& found) {
        if (left_ == 0 && resting_ == &found && taken_.empty() && !found.resting() && found.measures_apart()) {
            left_ = found.own_turns_wanted();
        }
        if (left_ == 0) {
            return false;
        }
        --left_;
        resting_ = nullptr;
        taken_[&found] += measures(found) ? 1 : 0;
        return true;
    }
    [[nodiscard]] bool measures(const SizeClass& found) const { return opens_ || found.measures_apart(); }
    [[nodiscard]] bool passes(const SizeClass& found) const {
        return resting_ == &found && found.resting() && taken_.empty();
    }
    /// The ranks agree.
    void tell() {
        opens_ = false;
        for (const auto& [one, turns] : std::exchange(taken_, {})) {
            if (turns > 0) {
                one->take_own_apart(turns);
            }
        }
    }
    void note(const SizeClass& found, const Turn& turn) {
        left_ = turn.own_next ? found.own_turns_wanted() : 0;
        resting_ = found.resting() && found.winner() == 0 ? &found : nullptr;
    }

  private:
    std::size_t left_;
    bool opens_;
    std::map<SizeClass*, std::size_t> taken_;
    const SizeClass* resting_ = nullptr;
};

/// Whose turn a call is, and whether the ranks agree for it.
struct Served {
    Turn turn;
    bool agrees = false;
};

inline Served serve(const Learner& learner, SizeClass& found, std::vector<Measured>& waiting, Unasked* unasked) {
    if (unasked != nullptr && unasked->takes_apart(found)) {
        return {{0, unasked->measures(found), true}, false};
    }
    const bool passes = unasked != nullptr && unasked->passes(found);
    if (unasked != nullptr && !passes) {
        unasked->tell();
    }
    Served served{{found.winner(), false}, unasked != nullptr && !passes};
    if (found.resting()) {
        found.skip();
    } else {
        std::vector<Measured> told;
        if (found.awaits_times()) {
            told.swap(waiting);
            served.agrees = true;
        }
        served.turn = learner.next(found, told);
        served.agrees = served.agrees || (served.turn.measured && !served.turn.apart);
    }
    if (unasked != nullptr) {
        unasked->note(found, served.turn);
    }
    return served;
}

inline Outcome run(const World& world, const std::vector<std::int64_t>& sizes) {
    Learner learner;
    Outcome outcome;
    outcome.by_one.assign(world.candidates, 0);
    std::vector<bool> is_set_up(world.candidates, false);
    is_set_up[0] = true;
    std::map<const SizeClass*, std::vector<Measured>> waiting;
    Unasked unasked(world.unequal);
    for (std::size_t call = 0; call < sizes.size(); ++call) {
        const std::int64_t size = sizes[call];
        SizeClass* found = world.unequal ? learner.find_near(size) : learner.find(class_of(size));
        if (found == nullptr) {
            found = &begin_class(learner, world, size, is_set_up);
        }
        // The ranks agree before this call, so nothing was under way behind the one before.
        const std::vector<std::size_t>& served = outcome.served;
        if (!world.unequal && !found->resting() && found->awaits_times() && served.size() > 1 && served.back() == 0 &&
            served[served.size() - 2] == 0) {
            outcome.seconds -= world.last_own_less_seconds;
            waiting[found].back().seconds -= world.last_own_less_seconds;
        }
        const auto [turn, agrees] = serve(learner, *found, waiting[found], world.unequal ? &unasked : nullptr);
        const double agreeing = agrees ? world.agreement_seconds : 0;
        outcome.agreements += agrees ? 1 : 0;
        const double set_up = is_set_up[turn.candidate] ? 0 : world.set_up_seconds;
        is_set_up[turn.candidate] = true;
        const double disturbed = turn.candidate == 0 && agreeing > 0 ? world.own_after_agreement : 1;
        const bool is_own = turn.candidate == 0;
        const bool follows_own = !served.empty() && served.back() == 0;
        const double follows = served.empty() || is_own == follows_own ? 1
                               : is_own                                ? world.own_behind_another
                                                                       : world.another_behind_own;
        const double seconds = disturbed * follows * world.time_of(size, static_cast<int>(call), turn.candidate);
        const double own_agreement = world.unequal && turn.candidate != 0 ? world.agreement_seconds : 0;
        const double to_class_size = world.unequal ? static_cast<double>(found->size()) / static_cast<double>(size) : 1;
        if (turn.measured) {
            waiting[found].push_back({seconds + own_agreement, world.agreement_seconds, set_up, to_class_size});
        }
        outcome.seconds += seconds + set_up + agreeing;
        outcome.served.push_back(turn.candidate);
        for (std::size_t one = 0; one < world.candidates; ++one) {
            outcome.by_one[one] += world.time_of(size, static_cast<int>(call), one);
        }
        const Account account = learner.account();
        outcome.share.push_back(account.seconds > 0 ? account.spent_seconds / account.seconds : 0);
    }
    return outcome;
}

inline Outcome run(const World& world, int calls, std::int64_t size = 65536) {
    return run(world, std::vector<std::int64_t>(static_cast<std::size_t>(calls), size));
}

/// The same for the same arguments: a factor that scatters about 1 as running times do, with a tail.
inline double scatter(int call, std::size_t candidate, std::uint64_t seed, double spread) {
    std::mt19937_64 source(seed * 1000003 + static_cast<std::uint64_t>(call) * 31 + candidate);
    const auto uniform = [&] { return (static_cast<double>(source() >> 11) + 0.5) / 9007199254740992.0; };
    const double normal = std::sqrt(-2 * std::log(uniform())) * std::cos(6.283185307179586 * uniform());
    const double accident = uniform() < 0.02 ? 1 + 5 * spread : 1.0;
    return std::exp(spread * normal) * accident;
}

/// Candidates that take these times at any size, scattered.
inline World steady(std::vector<double> seconds, double spread = 0, std::uint64_t seed = 1) {
    World world;
    world.candidates = seconds.size();
    world.time_of = [seconds = std::move(seconds), spread, seed](std::int64_t, int call, std::size_t one) {
        return seconds[one] * scatter(call, one, seed, spread);
    };
    return world;
}

}  // namespace aapc::learning
