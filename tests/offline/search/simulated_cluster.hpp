/// @file
/// A cluster that is not there: what each method takes is known, and noise comes from a seed, so that what the search
/// finds can be held against the truth.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "aapc/offline/search.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/placement.hpp"
#include "aapc/topology/topology_file.hpp"

namespace aapc::test {

inline Network chain() { return *read_topology_file(AAPC_SOURCE_DIRECTORY "/examples/chain-4x4.toml"); }

/// Uniform in [0, 1), the same with every standard library.
inline double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11U) * 0x1p-53; }

inline double normal(std::mt19937_64& random) {
    double sum = -6;
    for (int term = 0; term < 12; ++term) {
        sum += uniform(random);
    }
    return sum;
}

/// What a method takes: so long for a message of no size, and so long for each byte.
struct Cost {
    double seconds = 0;
    double seconds_per_byte = 0;

    [[nodiscard]] double at(std::int64_t bytes) const {
        return seconds + seconds_per_byte * static_cast<double>(bytes);
    }
};

struct Noise {
    double relative = 0.02;         ///< standard deviation of the logarithm
    double accident_share = 0.02;   ///< of calls that meet one
    double accident_seconds = 0.2;  ///< up to so much longer: TCP's time-out
    double slow_first_calls = 1.3;  ///< of a method that finds its pace, for three calls at a size
    double cold_first_call = 1;     ///< of every method at a size: what it sets up, connections that were idle
};

/// A cluster that is not there.
class SimulatedCluster {
  public:
    SimulatedCluster(const std::vector<Method>& candidates, Noise noise, std::uint64_t seed)
        : noise_(noise), random_(seed) {
        for (const Method& method : candidates) {
            names_.push_back(to_string(method));
            costs_[names_.back()] = {};
        }
    }

    /// Every method's cost at random around what real ones take on the chain of examples/.
    void draw_costs(double native_efficiency_low, double native_efficiency_high) {
        constexpr double bound = 64 * 8 / 1e8;
        for (const std::string& name : names_) {
            const bool native = name == "native";
            const double low = native ? native_efficiency_low : 0.2;
            const double high = native ? native_efficiency_high : 0.95;
            costs_[name] = {0.002 * std::exp(2.0 * uniform(random_)), bound / (low + (high - low) * uniform(random_))};
        }
    }
    void set_cost(const std::string& name, Cost cost) { costs_[name] = cost; }
    void set_all_costs(Cost cost) {
        for (const std::string& name : names_) {
            costs_[name] = cost;
        }
    }

    [[nodiscard]] double truth(const Method& method, std::int64_t bytes) const {
        return costs_.at(to_string(method)).at(bytes);
    }
    [[nodiscard]] double best(std::int64_t bytes) const {
        double least = costs_.begin()->second.at(bytes);
        for (const auto& [name, cost] : costs_) {
            least = std::min(least, cost.at(bytes));
        }
        return least;
    }

    Search::Measurement run(const Search::Trial& trial) {
        const std::string name = to_string(trial.method);
        double seconds = costs_.at(name).at(trial.block_bytes) * std::exp(noise_.relative * normal(random_));
        if (uniform(random_) < noise_.accident_share) {
            seconds += noise_.accident_seconds * uniform(random_);
        }
        const bool finds_its_pace =
            trial.method.synchronisation.kind == Synchronisation::Kind::timed && trial.method.synchronisation.pace <= 0;
        const int calls = calls_[{name, trial.block_bytes}]++;
        if (calls < 3 && finds_its_pace) {
            seconds *= noise_.slow_first_calls;
        }
        if (calls == 0) {
            seconds *= noise_.cold_first_call;
        }
        return {seconds, seconds * 1.1 + 0.001};
    }

    [[nodiscard]] const std::map<std::pair<std::string, std::int64_t>, int>& calls() const { return calls_; }
    [[nodiscard]] int calls(const std::string& name, std::int64_t bytes) const {
        const auto found = calls_.find({name, bytes});
        return found == calls_.end() ? 0 : found->second;
    }

  private:
    Noise noise_;
    std::mt19937_64 random_;
    std::vector<std::string> names_;
    std::map<std::string, Cost> costs_;
    std::map<std::pair<std::string, std::int64_t>, int> calls_;
};

inline SearchSettings settings_of_chain() {
    const Network network = chain();
    const Bound bound = tree_bound(network, full_placement(network));
    SearchSettings settings;
    settings.bound_seconds_per_byte = bound.seconds_per_byte;
    settings.slowest_bits_per_second = bound.slowest_bits_per_second;
    return settings;
}

inline const std::vector<Method>& candidates_of_chain() {
    static const std::vector<Method> candidates = [] {
        const Network network = chain();
        return candidate_methods(network, full_placement(network));
    }();
    return candidates;
}

/// The chain's candidates, which all take the same until something else is said.
inline SimulatedCluster without_accidents(Cost everybody, std::uint64_t seed,
                                          double slow_first_calls = Noise{}.slow_first_calls) {
    Noise quiet;
    quiet.accident_share = 0;
    quiet.slow_first_calls = slow_first_calls;
    SimulatedCluster cluster(candidates_of_chain(), quiet, seed);
    cluster.set_all_costs(everybody);
    return cluster;
}

inline Search begin(const SearchSettings& settings, const std::vector<Method>& candidates, Foreknowledge known = {}) {
    auto search = Search::create(settings, candidates, std::move(known));
    EXPECT_TRUE(search) << to_string(search.error());
    return std::move(*search);
}

inline Search::Result play(Search& search, SimulatedCluster& cluster) {
    while (!search.finished()) {
        search.observe(cluster.run(search.next()));
    }
    return search.result();
}

inline const Method& method_for(const Search::Result& result, std::int64_t bytes) {
    const auto after = std::find_if(result.ranges.begin(), result.ranges.end(),
                                    [&](const TunedRange& range) { return range.from_bytes > bytes; });
    return std::prev(after)->method;
}

inline std::vector<MeasuredSize> all_measured(const Search::Result& result) {
    std::vector<MeasuredSize> all;
    for (const TunedRange& range : result.ranges) {
        all.insert(all.end(), range.measured.begin(), range.measured.end());
    }
    return all;
}

inline std::string text_of(const Search::Result& result) {
    std::string text = fmt::format("{} {}\n", result.measurements, result.spent_seconds);
    for (const TunedRange& range : result.ranges) {
        text += fmt::format("from {} {}\n", range.from_bytes, to_string(range.method));
        for (const MeasuredSize& size : range.measured) {
            text += fmt::format("  {} {} {} {} {} {} {} {} {}\n", size.bytes, size.native_seconds, size.chosen_seconds,
                                size.lead.ratio, size.lead.low, size.lead.high, size.spread, size.repeats,
                                size.runner_up ? to_string(size.runner_up->method) : "nobody");
        }
    }
    return text;
}

}  // namespace aapc::test
