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

/// The formula's messages in order of tick, played.
std::int64_t play(const LatticeFormula& formula, const std::vector<Position>& by_stagger, QueueMeter& meter,
                  std::int64_t enough) {
    const std::int64_t positions = formula.positions();
    meter.clear();
    std::vector<Position> receiver;
    for (const Position from : by_stagger) {
        receiver.push_back(formula.first_receiver(from));
    }
    const auto step = static_cast<Position>(formula.receiver_step() % positions);
    for (std::int64_t slot = 0; slot < positions; ++slot) {
        for (std::size_t index = 0; index < by_stagger.size(); ++index) {
            const Position from = by_stagger[index];
            if (receiver[index] != from) {
                meter.add(from, receiver[index], slot * ticks_in_slot + formula.stagger(from));
            }
            receiver[index] = static_cast<Position>((std::int64_t{receiver[index]} + step) % positions);
        }
    }
    return meter.longest(enough);
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

Choice best_of_trials(const Traffic& traffic, std::int64_t slack, std::int64_t work) {
    const std::int64_t positions = traffic.positions();
    QueueMeter meter(traffic, positions * ticks_in_slot, slack);
    std::vector<Position> in_order(static_cast<std::size_t>(positions));
    std::iota(in_order.begin(), in_order.end(), 0);
    std::vector<Position> by_stagger = in_order;
    const LatticeFormula any(positions, Multipliers{});
    std::sort(by_stagger.begin(), by_stagger.end(),
              [&](Position left, Position right) { return any.stagger(left) < any.stagger(right); });
    Generator generator(positions);
    Choice best{theoretical_multipliers(positions, 16), std::numeric_limits<std::int64_t>::max()};
    Multipliers next = best.multipliers;
    std::int64_t spent = 0;
    for (int number = 0; best.queue > 0 && number < most_trials && (number == 0 || spent < work); ++number) {
        const LatticeFormula formula(positions, next);
        const std::int64_t before = meter.work();
        const std::int64_t queue = play(formula, next.staggered ? by_stagger : in_order, meter, best.queue);
        if (queue < best.queue) {
            best = {next, queue};
        }
        // A message is put on its channels, for about as much as it costs to play it there.
        spent += (meter.work() - before + traffic.hops()) / 2 + 16 * positions;
        next = random_multipliers(positions, number, generator);
    }
    return best;
}

}  // namespace aapc::lattice
