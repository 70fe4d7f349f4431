#include "algorithms/lattice/choice.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "algorithms/lattice/queue_meter.hpp"

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
constexpr int most_trials_by_switch = 192;

/// Ports are taken to hold eight messages, and trials miss up to two: they play a part of the cables. Where no lattice
/// by switch keeps to it, so many times the work is worth it.
constexpr std::int64_t queue_wanted = 6 * parts_of_message;
constexpr int times_for_queue_wanted = 2;

constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

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

template <class Candidate>
struct Trial {
    Candidate candidate;
    std::int64_t queue = 0;  ///< in parts of a message
};

/// Trials whose queues were the shortest, at most `finalists`, the shortest first.
template <class Candidate>
class Finalists {
  public:
    /// A queue that is not shorter need not be exact.
    [[nodiscard]] std::int64_t enough() const { return best_.size() < finalists ? no_limit : best_.back().queue; }
    [[nodiscard]] const Trial<Candidate>& first() const { return best_.front(); }

    void add(const Candidate& candidate, std::int64_t queue) {
        if (queue < enough()) {
            const auto behind =
                std::upper_bound(best_.begin(), best_.end(), queue,
                                 [](std::int64_t left, const Trial<Candidate>& right) { return left < right.queue; });
            best_.insert(behind, {candidate, queue});
            best_.resize(std::min(best_.size(), finalists));
        }
    }

    /// The best of them by play(candidate, enough).
    template <class Play>
    [[nodiscard]] Trial<Candidate> best_by(Play play) const {
        Trial<Candidate> winner{first().candidate, no_limit};
        for (const Trial<Candidate>& finalist : best_) {
            const std::int64_t queue = play(finalist.candidate, winner.queue);
            if (queue < winner.queue) {
                winner = {finalist.candidate, queue};
            }
        }
        return winner;
    }

  private:
    std::vector<Trial<Candidate>> best_;
};

/// Plays lattices of so many positions.
class Players {
  public:
    explicit Players(std::int64_t positions)
        : in_order_(static_cast<std::size_t>(positions)), receiver_in_slot_(in_order_.size()) {
        std::iota(in_order_.begin(), in_order_.end(), 0);
        by_stagger_ = in_order_;
        const LatticeFormula any(positions, Multipliers{});
        std::sort(by_stagger_.begin(), by_stagger_.end(), [&](Position left, Position right) {
            return any.departure(left) % ticks_in_slot < any.departure(right) % ticks_in_slot;
        });
    }

    /// The longest queue of that lattice; more than `enough` need not be exact.
    std::int64_t play(const Multipliers& multipliers, QueueMeter& meter, std::int64_t enough) {
        const std::vector<Position>& senders = multipliers.staggered ? by_stagger_ : in_order_;
        const LatticeFormula formula(static_cast<std::int64_t>(senders.size()), multipliers);
        const std::int64_t positions = formula.positions();
        meter.clear();
        for (const Position to : in_order_) {
            receiver_in_slot_[static_cast<std::size_t>(formula.arrival(to) / ticks_in_slot)] = to;
        }
        next_.clear();
        for (const Position from : senders) {
            next_.push_back((positions - formula.departure(from) / ticks_in_slot) % positions);
        }
        for (std::int64_t slot = 0; slot < positions; ++slot) {
            for (std::size_t index = 0; index < senders.size(); ++index) {
                const Position from = senders[index];
                const Position to = receiver_in_slot_[static_cast<std::size_t>(next_[index])];
                if (to != from) {
                    meter.add(from, to, slot * ticks_in_slot + formula.departure(from) % ticks_in_slot);
                }
                next_[index] = next_[index] + 1 < positions ? next_[index] + 1 : 0;
            }
        }
        return meter.longest(enough);
    }

  private:
    std::vector<Position> in_order_;
    std::vector<Position> by_stagger_;
    std::vector<Position> receiver_in_slot_;  ///< of the sender whose offset is 0; scratch, as what follows
    std::vector<std::int64_t> next_;          ///< by index of the sender: a slot of that one
};

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

SwitchSteps draw_switch_steps(const Seats& seats, Generator& generator) {
    const auto positions = static_cast<std::int64_t>(seats.by_position.size());
    const std::int64_t largest = *std::max_element(seats.ranks_at.begin(), seats.ranks_at.end());
    // Places leave messages between two switches that are so far from each other.
    const std::int64_t distances = std::min(largest * largest, std::int64_t{1} << 31U);
    const Tick distance = positions * ticks_in_slot / distances;
    const Multipliers within = random_multipliers(positions, 0, generator);
    const auto step = [&](std::int64_t multiplier) {
        return generator.draw(distances) * distance + multiplier * ticks_in_slot / distances;
    };
    return {step(within.sender), step(within.receiver)};
}

Choice best_of_trials(const Traffic& traffic, std::int64_t slack, std::int64_t work) {
    const std::int64_t positions = traffic.positions();
    QueueMeter meter(traffic, positions * ticks_in_slot, slack, messages_of_a_trial);
    Players players(positions);
    Generator generator(positions);
    Finalists<Multipliers> best;
    Multipliers next = theoretical_multipliers(positions, 16);
    std::int64_t spent = 0;
    for (int number = 0; number < most_trials && (number == 0 || spent < work); ++number) {
        const std::int64_t before = meter.work();
        best.add(next, players.play(next, meter, best.enough()));
        if (best.first().queue == 0) {
            break;
        }
        // To look through all ways costs a part of what it costs to play a message on a channel.
        spent += meter.work() - before + traffic.hops() / 16 + 16 * positions;
        next = random_multipliers(positions, number, generator);
    }
    Trial<Multipliers> winner = best.first();
    if (!meter.is_complete()) {
        QueueMeter all(traffic, positions * ticks_in_slot, slack);
        winner = best.best_by([&](const Multipliers& multipliers, std::int64_t enough) {
            return players.play(multipliers, all, enough);
        });
    }
    return {LatticeFormula(positions, winner.candidate), winner.queue};
}

Choice best_of_trials(BusyChannels& channels, const Seats& seats, std::int64_t work) {
    using Steps = std::optional<SwitchSteps>;  // nullopt: plain shifts
    const auto positions = static_cast<std::int64_t>(seats.by_position.size());
    const auto formula_of = [&](const Steps& steps) {
        return steps ? LatticeFormula(seats, *steps) : LatticeFormula(positions, shift_multipliers(positions));
    };
    Generator generator(positions);
    Finalists<Steps> best;
    Steps next;
    std::int64_t choosing = 0;  // what it takes to draw steps, in messages
    const auto goes_on = [&](int number) {
        const int times = number > 0 && best.first().queue > queue_wanted ? times_for_queue_wanted : 1;
        return number == 0 || (number < times * most_trials_by_switch && channels.work() + choosing < times * work);
    };
    for (int number = 0; goes_on(number); ++number) {
        best.add(next, channels.longest(formula_of(next), messages_of_a_trial, best.enough()));
        if (best.first().queue == 0) {
            break;
        }
        next = draw_switch_steps(seats, generator);
        choosing += 2 * std::min(positions, 2 * most_waves);
    }
    const Trial<Steps> winner = best.best_by(
        [&](const Steps& steps, std::int64_t enough) { return channels.longest(formula_of(steps), no_limit, enough); });
    return {formula_of(winner.candidate), winner.queue};
}

}  // namespace aapc::lattice
