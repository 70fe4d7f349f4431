/// @file
/// A program whose calls take as long as a function says, and a learner that is fed with it.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
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
    double share_of_ranks = 1;             ///< of the program's, that the communicator has
    double set_up_takes_more_seconds = 0;  ///< than the learner expects
    std::function<double(std::int64_t)> least_seconds = [](std::int64_t) { return 0.0; };
    double candidate_takes_more_seconds = 0;  ///< than the least, as is known
    double candidate_spread_seconds = 0;      ///< and up to so much more than that, as is known
    /// A candidate's calls are agreed on, and near sizes share a class wherever they are.
    bool unequal = false;
    /// Factor of a native call where its ranks begin together. Nothing makes them: no agreement precedes a native call.
    double own_after_agreement = 1;
    /// What a native call behind another one takes less where a candidate's call follows. Of equal messages.
    double last_own_less_seconds = 0;
    /// Times as long the MPI's own takes behind somebody else's call, which leaves nothing in the ports.
    double own_behind_another = 1;
    double another_behind_own = 1;  ///< the reverse
    std::size_t behind_from = 0;    ///< both are so from that call on
};

/// What came of a program's calls.
struct Outcome {
    double seconds = 0;               ///< all of it
    std::vector<double> by_one;       ///< had each candidate served all calls
    std::vector<std::size_t> served;  ///< who served each call
    std::vector<double> took;         ///< seconds of each call, with all that came with it
    std::vector<double> share;        ///< of learning in the time so far, after each call
    std::int64_t agreements = 0;

    /// Against the better of the MPI's own and the best single one.
    [[nodiscard]] double regret() const { return seconds / *std::min_element(by_one.begin(), by_one.end()); }
};

inline Trials& begin_class(Learner& learner, const World& world, std::int64_t size,
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
    beginning.agreement_seconds = world.agreement_seconds;
    beginning.share_of_ranks = world.share_of_ranks;
    beginning.publishes_early = world.unequal;
    beginning.opens_early = !world.unequal;
    return learner.begin(beginning);
}

/// The blocks of a communicator: filled call by call, published with the next call, known with the one after.
class Blocks {
  public:
    /// Before each call. Returns true if the ranks post an agreement in it.
    bool enter() {
        if (Trials* const of = std::exchange(in_flight_, nullptr)) {
            of->learn(flight_);
        }
        if (latest_ == nullptr || !latest_->has_full_block()) {
            return false;
        }
        in_flight_ = latest_;
        flight_ = std::exchange(filled_[latest_], {});
        latest_->publish();
        waits_ = latest_->awaits_result();
        if (waits_) {
            std::exchange(in_flight_, nullptr)->learn(flight_);
        }
        return true;
    }
    /// Whether the latest agreement was waited for.
    [[nodiscard]] bool waits() const { return waits_; }
    void leave(Trials& of, const Trial& trial, double seconds, double set_up_seconds, double to_class_size) {
        latest_ = &of;
        if (trial.measured) {
            Block& block = filled_[&of];
            block.seconds[block.calls++] = seconds;
            block.set_up_seconds += set_up_seconds;
            block.to_class_size = to_class_size;
        }
    }

  private:
    std::map<Trials*, Block> filled_;
    Trials* latest_ = nullptr;
    Trials* in_flight_ = nullptr;
    Block flight_;
    bool waits_ = false;
};

inline Outcome run(const World& world, const std::vector<std::int64_t>& sizes) {
    Learner learner;
    Outcome outcome;
    outcome.by_one.assign(world.candidates, 0);
    std::vector<bool> is_set_up(world.candidates, false);
    is_set_up[0] = true;
    Blocks blocks;
    for (std::size_t call = 0; call < sizes.size(); ++call) {
        const std::int64_t size = sizes[call];
        const bool posts = blocks.enter();
        Trials* found = world.unequal ? learner.find_near(size) : learner.find(class_of(size));
        if (found == nullptr) {
            found = &begin_class(learner, world, size, is_set_up);
        }
        Trial trial{found->winner(), false};
        if (found->resting()) {
            found->skip();
        } else {
            trial = learner.next(*found);
        }
        // Unequal messages that are exchanged by the clock have to be agreed on, in every call.
        const bool agrees = world.unequal && trial.candidate != 0;
        outcome.agreements += (posts ? 1 : 0) + (agrees ? 1 : 0);
        const double set_up = is_set_up[trial.candidate] ? 0 : world.set_up_seconds + world.set_up_takes_more_seconds;
        is_set_up[trial.candidate] = true;
        const std::vector<std::size_t>& served = outcome.served;
        // Nothing is under way behind a native call any more where a candidate's ranks wait for each other.
        if (!world.unequal && trial.candidate != 0 && served.size() > 1 && served.back() == 0 &&
            served[served.size() - 2] == 0) {
            outcome.seconds -= world.last_own_less_seconds;
        }
        const bool is_own = trial.candidate == 0;
        const bool follows_own = !served.empty() && served.back() == 0;
        const double follows = served.empty() || call < world.behind_from || is_own == follows_own ? 1
                               : is_own ? world.own_behind_another
                                        : world.another_behind_own;
        const double seconds = follows * world.time_of(size, static_cast<int>(call), trial.candidate);
        const double own_agreement = agrees ? world.agreement_seconds : 0;
        // What is posted is reduced beside the call, and waited for if it takes longer.
        const double beside = posts && blocks.waits() ? 0 : seconds;
        const double waits = posts ? std::max(world.agreement_seconds - beside, 0.0) : 0;
        const double to_class_size = world.unequal ? static_cast<double>(found->size()) / static_cast<double>(size) : 1;
        blocks.leave(*found, trial, seconds + own_agreement, set_up, to_class_size);
        outcome.took.push_back(seconds + set_up + own_agreement + waits);
        outcome.seconds += outcome.took.back();
        outcome.served.push_back(trial.candidate);
        for (std::size_t one = 0; one < world.candidates; ++one) {
            outcome.by_one[one] += world.time_of(size, static_cast<int>(call), one);
        }
        const Budget budget = learner.budget();
        outcome.share.push_back(budget.seconds > 0 ? budget.spent_seconds / budget.seconds : 0);
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
