#include "algorithms/lattice/choice.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "algorithms/lattice/queue_meter.hpp"
#include "algorithms/lattice/random.hpp"

namespace aapc::lattice {

namespace {

/// 2^30 times the fractional parts of 2cos(2π/7) and of 2cos(4π/7).
constexpr std::int64_t alpha = 265192330;
constexpr std::int64_t beta = 595881756;
constexpr unsigned fraction_bits = 30;

/// How many waves tell one lattice from another: what later ones add is small.
constexpr std::int64_t most_waves = 4096;

/// Of so many random pairs the most even one goes to trial.
constexpr int pairs_for_a_trial = 6;

/// A trial plays some of the busiest channels that carry so many messages together.
constexpr std::int64_t messages_of_a_trial = 50'000;

/// So many that were best on a part of the channels are played on all.
constexpr std::size_t finalists = 5;

/// More trials than that bring next to nothing, however few the ranks.
constexpr int most_trials = 96;

/// The first number from `start` on, around, that is coprime to `positions`.
std::int64_t coprime_from(std::int64_t start, std::int64_t positions) {
    if (positions <= 2) {
        return 1;
    }
    std::int64_t value = start % positions;
    while (std::gcd(value, positions) != 1) {
        value = (value + 1) % positions;
    }
    return value;
}

std::int64_t distance(std::int64_t value, std::int64_t positions) {
    return std::max<std::int64_t>(std::min(value, positions - value), 1);
}

/// Plays lattices of so many positions.
class Players {
  public:
    explicit Players(std::int64_t positions) : in_order_(static_cast<std::size_t>(positions)) {
        std::iota(in_order_.begin(), in_order_.end(), 0);
        by_stagger_ = in_order_;
        const LatticeFormula any(positions, Multipliers{});
        std::sort(by_stagger_.begin(), by_stagger_.end(),
                  [&](Position left, Position right) { return any.stagger(left) < any.stagger(right); });
    }

    /// The longest queue of that lattice; more than `enough` need not be exact.
    std::int64_t play(const Multipliers& multipliers, QueueMeter& meter, std::int64_t enough) const {
        const std::vector<Position>& senders = multipliers.staggered ? by_stagger_ : in_order_;
        const LatticeFormula formula(static_cast<std::int64_t>(senders.size()), multipliers);
        const std::int64_t positions = formula.positions();
        meter.clear();
        std::vector<Position> receiver;
        receiver.reserve(senders.size());
        for (const Position from : senders) {
            receiver.push_back(formula.first_receiver(from));
        }
        const auto step = static_cast<Position>(formula.receiver_step() % positions);
        for (std::int64_t slot = 0; slot < positions; ++slot) {
            for (std::size_t index = 0; index < senders.size(); ++index) {
                const Position from = senders[index];
                if (receiver[index] != from) {
                    meter.add(from, receiver[index], slot * ticks_in_slot + formula.stagger(from));
                }
                receiver[index] = static_cast<Position>((std::int64_t{receiver[index]} + step) % positions);
            }
        }
        return meter.longest(enough);
    }

  private:
    std::vector<Position> in_order_;
    std::vector<Position> by_stagger_;
};

/// The best of those that were best on a part of the channels, on all of them.
Choice final_of(const Traffic& traffic, std::int64_t slack, const Players& players, const std::vector<Choice>& best) {
    QueueMeter meter(traffic, std::int64_t{traffic.positions()} * ticks_in_slot, slack);
    Choice winner{best.front().multipliers, std::numeric_limits<std::int64_t>::max()};
    for (const Choice& finalist : best) {
        const std::int64_t queue = players.play(finalist.multipliers, meter, winner.queue);
        if (queue < winner.queue) {
            winner = {finalist.multipliers, queue};
        }
    }
    return winner;
}

/// Draws pairs and keeps the most even one. Every third has a receiver multiplier of 1: senders then serve destinations
/// in order, which suits some networks.
Multipliers random_multipliers(std::int64_t positions, int number, Generator& generator) {
    Multipliers best;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (int pair = 0; pair < pairs_for_a_trial; ++pair) {
        Multipliers drawn;
        drawn.sender = coprime_from(generator.draw(positions), positions);
        drawn.receiver = number % 3 == 2 ? 1 : coprime_from(generator.draw(positions), positions);
        drawn.staggered = number % 4 != 3;
        const std::int64_t uneven = unevenness(positions, drawn, most_waves);
        if (uneven < least) {
            least = uneven;
            best = drawn;
        }
    }
    return best;
}

}  // namespace

std::int64_t unevenness(std::int64_t positions, const Multipliers& multipliers, std::int64_t waves) {
    std::int64_t sum = 0;
    std::int64_t sender = 0;
    std::int64_t receiver = 0;
    const std::int64_t last = std::min(positions / 2, waves);
    for (std::int64_t wave = 1; wave <= last; ++wave) {
        sender = (sender + multipliers.sender) % positions;
        receiver = (receiver + multipliers.receiver) % positions;
        const std::int64_t product = wave * distance(sender, positions);
        sum += (std::int64_t{1} << 40U) / product / distance(receiver, positions);
    }
    return sum;
}

Multipliers theoretical_multipliers(std::int64_t positions, int candidates) {
    Multipliers best;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t sender = (positions * alpha) >> fraction_bits;
    std::int64_t receiver = (positions * beta) >> fraction_bits;
    Generator generator(positions);
    for (int candidate = 0; candidate < candidates; ++candidate) {
        Multipliers pair;
        if (candidate % 2 == 0) {
            pair = {coprime_from(sender, positions), coprime_from(receiver, positions), true};
            (candidate % 4 == 0 ? sender : receiver) += 1;
        } else {
            pair.sender = coprime_from(generator.draw(positions), positions);
            pair.receiver = coprime_from(generator.draw(positions), positions);
        }
        const std::int64_t uneven = unevenness(positions, pair, std::numeric_limits<std::int64_t>::max());
        if (uneven < least) {
            least = uneven;
            best = pair;
        }
    }
    return best;
}

Multipliers shift_multipliers(std::int64_t positions) { return {std::max<std::int64_t>(positions - 1, 1), 1, false}; }

Choice best_of_trials(const Traffic& traffic, std::int64_t slack, std::int64_t work, bool with_shifts) {
    const std::int64_t positions = traffic.positions();
    QueueMeter meter(traffic, positions * ticks_in_slot, slack, messages_of_a_trial);
    const Players players(positions);
    Generator generator(positions);
    std::vector<Choice> best;  // the shortest queue first
    Multipliers next = with_shifts ? shift_multipliers(positions) : theoretical_multipliers(positions, 16);
    std::int64_t spent = 0;
    for (int number = 0; number < most_trials && (number == 0 || spent < work); ++number) {
        const std::int64_t enough =
            best.size() < finalists ? std::numeric_limits<std::int64_t>::max() : best.back().queue;
        const std::int64_t before = meter.work();
        const std::int64_t queue = players.play(next, meter, enough);
        if (queue < enough) {
            const auto behind =
                std::upper_bound(best.begin(), best.end(), queue,
                                 [](std::int64_t left, const Choice& right) { return left < right.queue; });
            best.insert(behind, {next, queue});
            best.resize(std::min(best.size(), finalists));
        }
        if (best.front().queue == 0) {
            break;
        }
        // To look through all ways costs a part of what it costs to play a message on a channel.
        spent += meter.work() - before + traffic.hops() / 16 + 16 * positions;
        next = with_shifts && number == 0 ? theoretical_multipliers(positions, 16)
                                          : random_multipliers(positions, number, generator);
    }
    return meter.is_complete() ? best.front() : final_of(traffic, slack, players, best);
}

Choice best_of_trials(BusyChannels& channels, std::int64_t work) {
    const std::int64_t positions = channels.positions();
    Generator generator(positions);
    Choice best{shift_multipliers(positions), std::numeric_limits<std::int64_t>::max()};
    Multipliers next = best.multipliers;
    std::int64_t choosing = 0;  // what it takes to draw multipliers, in messages
    for (int number = 0; number == 0 || channels.work() + choosing < work; ++number) {
        const std::int64_t queue = channels.longest(next, best.queue);
        if (queue < best.queue) {
            best = {next, queue};
        }
        if (best.queue == 0) {
            break;
        }
        choosing += std::min(positions, 2 * most_waves);
        next = number == 0 ? theoretical_multipliers(positions, 16) : random_multipliers(positions, number, generator);
    }
    return best;
}

}  // namespace aapc::lattice
