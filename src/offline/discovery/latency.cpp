#include "offline/discovery/latency.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "aapc/input/statistics.hpp"

namespace aapc::discovery {

namespace {

using Matrix = std::vector<double>;

/// The sets of machines that neighbour joining puts together one after the other.
std::vector<std::vector<Machine>> joined_sets(Matrix distance, std::size_t machines) {
    std::vector<std::vector<Machine>> sets;
    std::vector<std::size_t> active;
    std::vector<std::vector<Machine>> members(machines);
    std::vector<double> sums(machines, 0);
    const auto at = [&](std::size_t one, std::size_t other) -> double& { return distance[one * machines + other]; };
    for (std::size_t machine = 0; machine < machines; ++machine) {
        active.push_back(machine);
        members[machine] = {static_cast<Machine>(machine)};
    }
    while (active.size() > 3) {
        for (const std::size_t one : active) {
            sums[one] = 0;
            for (const std::size_t other : active) {
                sums[one] += at(one, other);
            }
        }
        double best = std::numeric_limits<double>::infinity();
        std::size_t first = 0;
        std::size_t second = 0;
        for (const std::size_t one : active) {
            for (const std::size_t other : active) {
                const double q = static_cast<double>(active.size() - 2) * at(one, other) - sums[one] - sums[other];
                if (one < other && q < best) {
                    best = q;
                    first = one;
                    second = other;
                }
            }
        }
        for (const std::size_t other : active) {
            at(first, other) = at(other, first) = (at(first, other) + at(second, other) - at(first, second)) / 2;
        }
        at(first, first) = 0;
        members[first].insert(members[first].end(), members[second].begin(), members[second].end());
        std::sort(members[first].begin(), members[first].end());
        sets.push_back(members[first]);
        active.erase(std::find(active.begin(), active.end(), second));
    }
    return sets;
}

/// Without machine 0; empty where less than two are on either side.
std::vector<Machine> normalised(const std::vector<Machine>& set, std::size_t machines) {
    std::vector<Machine> other;
    if (set.size() < 2 || set.size() + 2 > machines) {
        return other;
    }
    if (set.front() != 0) {
        return set;
    }
    for (std::size_t machine = 0; machine < machines; ++machine) {
        if (!std::binary_search(set.begin(), set.end(), static_cast<Machine>(machine))) {
            other.push_back(static_cast<Machine>(machine));
        }
    }
    return other;
}

/// What passing from one side to the other adds, by quartets of two machines on each side: of all of them, and of those
/// with the machine that sees least of it.
struct Added {
    double seconds = 0;
    double least_seen = 0;
    double quartets_agree = 0;  ///< the share in which it is more than nothing, of that machine's likewise
};

Added added_by_quartets(const Matrix& distance, std::size_t machines, const std::vector<Machine>& inside) {
    std::vector<Machine> outside;
    for (std::size_t machine = 0; machine < machines; ++machine) {
        if (!std::binary_search(inside.begin(), inside.end(), static_cast<Machine>(machine))) {
            outside.push_back(static_cast<Machine>(machine));
        }
    }
    std::mt19937_64 random(inside.size() * machines);
    const auto two_of = [&](const std::vector<Machine>& side) {
        const std::size_t one = random() % side.size();
        const std::size_t other = (one + 1 + random() % (side.size() - 1)) % side.size();
        return std::pair(static_cast<std::size_t>(side[one]), static_cast<std::size_t>(side[other]));
    };
    const auto at = [&](std::size_t one, std::size_t other) { return distance[one * machines + other]; };
    std::vector<double> all;
    std::vector<std::vector<double>> seen_by(machines);
    const std::size_t samples = 40 * machines;
    for (std::size_t sample = 0; sample < samples; ++sample) {
        const auto [a, b] = two_of(inside);
        const auto [c, d] = two_of(outside);
        all.push_back((std::min(at(a, c) + at(b, d), at(a, d) + at(b, c)) - at(a, b) - at(c, d)) / 2);
        for (const std::size_t machine : {a, b, c, d}) {
            seen_by[machine].push_back(all.back());
        }
    }
    Added added{median(all), std::numeric_limits<double>::infinity(), 1};
    for (const std::vector<double>& seen : seen_by) {
        if (!seen.empty()) {
            const auto agree = std::count_if(seen.begin(), seen.end(), [](double seconds) { return seconds > 0; });
            added.least_seen = std::min(added.least_seen, quantile(seen, 0.25));
            added.quartets_agree =
                std::min(added.quartets_agree, static_cast<double>(agree) / static_cast<double>(seen.size()));
        }
    }
    return added;
}

/// What two measurements of the same round trip differ by.
double noise_of(const RoundTrips& trips) {
    std::vector<double> differences;
    for (std::size_t index = 0; index < trips.first.size(); ++index) {
        if (trips.first[index] > 0) {
            differences.push_back(std::abs(trips.first[index] - trips.second[index]));
        }
    }
    return quantile(differences, 0.75);
}

}  // namespace

std::vector<LatencySplit> splits_by_latency(const RoundTrips& trips, Machine machines) {
    const auto count = static_cast<std::size_t>(machines);
    if (!trips.known() || count < 4) {
        return {};
    }
    Matrix least = trips.first;
    for (std::size_t index = 0; index < least.size(); ++index) {
        least[index] = std::min(least[index], trips.second[index]);
    }
    // What is shorter than a small part of a round trip may be a cable's or a card's.
    constexpr double telling_share = 0.03;
    const double least_telling = std::max(3 * noise_of(trips), telling_share * median(least));
    std::vector<LatencySplit> splits;
    for (const std::vector<Machine>& set : joined_sets(least, count)) {
        const std::vector<Machine> inside = normalised(set, count);
        if (inside.empty()) {
            continue;
        }
        const Added added = added_by_quartets(least, count, inside);
        // Of two machines all quartets share the round trip between these, and its noise.
        const double telling = (inside.size() == 2 || inside.size() + 2 == count ? 2 : 1) * least_telling;
        // A machine that belongs to the other side sees nothing in half of its quartets or more.
        const bool beyond_noise = added.seconds > telling && added.least_seen > telling / 2;
        // Noise is each round trip's own: where many take part, all agree although each is off by as much as a hop.
        const bool many = count >= 12 && inside.size() >= 4 && inside.size() + 4 <= count;
        constexpr double nearly_all = 0.97;
        const bool unanimous =
            many && added.quartets_agree >= nearly_all && added.seconds > telling_share * median(least);
        splits.push_back({inside, added.seconds, added.quartets_agree, beyond_noise || unanimous});
    }
    return splits;
}

}  // namespace aapc::discovery
