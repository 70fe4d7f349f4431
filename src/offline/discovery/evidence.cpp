#include "offline/discovery/evidence.hpp"

#include <algorithm>
#include <cmath>

#include "aapc/input/statistics.hpp"

namespace aapc::discovery {

namespace {

/// A link counts as full where so much more should have passed than it carries.
constexpr double overfull = 1.1;
/// No single round decides.
constexpr double largest_error = 1;

double squared_error(double expected, double measured) {
    const double error = std::clamp(std::log(expected / measured), -largest_error, largest_error);
    return error * error;
}

}  // namespace

bool Support::convinces() const {
    constexpr int often = 3;
    constexpr double least_gain = 0.06;
    constexpr double slower_than_scatter = 1.12;
    return times_full >= often && gain >= least_gain && least_slowing >= slower_than_scatter;
}

Jury::Jury(const std::vector<Explained>& rounds, const std::vector<Item>& items, std::size_t machines)
    : uses_(items.size()), inside_(items.size(), 0), crossings_(2 * rounds.size()) {
    std::vector<int> item_of(machines, -1);
    for (std::size_t item = 0; item < items.size(); ++item) {
        for (const Machine machine : items[item]) {
            item_of[static_cast<std::size_t>(machine)] = static_cast<int>(item);
        }
    }
    for (std::size_t round = 0; round < rounds.size(); ++round) {
        for (std::size_t index = 0; index < rounds[round].round.size(); ++index) {
            const Flow& flow = rounds[round].round[index];
            const int from = item_of[static_cast<std::size_t>(flow.from)];
            const int to = item_of[static_cast<std::size_t>(flow.to)];
            if (from == to) {
                continue;
            }
            const double expected = rounds[round].expected[index];
            if (from >= 0) {
                uses_[static_cast<std::size_t>(from)].push_back({round, to, true, expected, flow.bytes_per_second});
            }
            if (to >= 0) {
                uses_[static_cast<std::size_t>(to)].push_back({round, from, false, expected, flow.bytes_per_second});
            }
        }
    }
}

void Jury::flip(std::size_t item) {
    const bool was_inside = inside_[item] != 0;
    for (const Use& use : uses_[item]) {
        const bool other_inside = use.other_item >= 0 && inside_[static_cast<std::size_t>(use.other_item)] != 0;
        // It crosses before or after, and never both.
        const bool crossed = was_inside != other_inside;
        const bool out = crossed ? was_inside == use.leaves : was_inside != use.leaves;
        Crossing& crossing = crossings_[2 * use.round + (out ? 0 : 1)];
        const double sign = crossed ? -1 : 1;
        crossing.expected += sign * use.expected;
        crossing.measured += sign * use.measured;
    }
    inside_[item] = was_inside ? 0 : 1;
    inside_count_ += was_inside ? std::size_t(-1) : 1;
}

double Jury::capacity() const {
    // The second most that ever passed: one round may be wrong.
    double most = 0;
    double second = 0;
    for (const Crossing& crossing : crossings_) {
        if (crossing.measured > most) {
            second = most;
            most = crossing.measured;
        } else {
            second = std::max(second, crossing.measured);
        }
    }
    return second;
}

double Jury::gain() const {
    const double carries = capacity();
    double gain = 0;
    for (const Crossing& crossing : crossings_) {
        if (carries > 0 && crossing.expected > overfull * carries && crossing.measured > 0) {
            gain += squared_error(crossing.expected, crossing.measured) - squared_error(carries, crossing.measured);
        }
    }
    return gain;
}

Support Jury::support() const {
    const double carries = capacity();
    Support support;
    support.gain = gain();
    support.bytes_per_second = carries;
    std::vector<double> seen;
    std::vector<double> slowing;
    for (const Crossing& crossing : crossings_) {
        if (carries > 0 && crossing.expected > overfull * carries && crossing.measured > 0) {
            seen.push_back(crossing.measured);
            slowing.push_back(crossing.expected / crossing.measured);
        }
    }
    support.times_full = static_cast<int>(seen.size());
    if (!seen.empty()) {
        support.low = quantile(seen, 0.25);
        support.high = quantile(seen, 0.75);
        support.least_slowing = median(slowing);
        // Not the most: what waited in a port's buffer when a round began to count was carried before.
        support.bytes_per_second = quantile(seen, 0.6);
    }
    return support;
}

std::vector<char> improved(Jury& jury, const std::vector<char>& start, int fixed) {
    for (std::size_t item = 0; item < jury.items(); ++item) {
        if (jury.is_inside(item) != (start[item] != 0)) {
            jury.flip(item);
        }
    }
    // Of few items the one that gains most goes first. Of many each that gains at all, since looking at all of them for
    // every single step takes too long.
    constexpr std::size_t few = 24;
    double best = jury.gain();
    for (bool better = true; better;) {
        better = false;
        std::size_t best_item = 0;
        for (std::size_t item = 0; item < jury.items(); ++item) {
            if (static_cast<int>(item) == fixed) {
                continue;
            }
            jury.flip(item);
            const double gain = jury.gain();
            const bool gains = gain > best * (1 + 1e-9) + 1e-12;
            if (gains) {
                best = gain;
                best_item = item;
                better = true;
            }
            if (!gains || jury.items() <= few) {
                jury.flip(item);
            }
        }
        if (better && jury.items() <= few) {
            jury.flip(best_item);
        }
    }
    std::vector<char> inside(jury.items());
    for (std::size_t item = 0; item < inside.size(); ++item) {
        inside[item] = jury.is_inside(item) ? 1 : 0;
    }
    return inside;
}

}  // namespace aapc::discovery
