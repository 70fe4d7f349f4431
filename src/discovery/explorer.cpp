#include "discovery/explorer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "aapc/statistics/statistics.hpp"
#include "discovery/fit.hpp"
#include "discovery/rounds.hpp"

namespace aapc::discovery {

namespace {

constexpr int most_passes = 8;
/// So many rounds show every port with few others.
constexpr Machine sparse_rounds = 8;
/// Up to so many groups are tested one after the other, and parts measured.
constexpr std::size_t few_at_once = 8;
/// Splits by latency that are tried by bandwidth.
constexpr std::size_t most_hints = 32;

std::vector<Machine> all_of(Machine machines) {
    std::vector<Machine> all(static_cast<std::size_t>(machines));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

std::size_t logarithm(Machine machines) {
    return static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(machines - 1)));
}

/// Groups at each depth of the tree, and with them, as one more part, the machines that are in none of these.
std::vector<std::vector<std::vector<Machine>>> parts_by_depth(const SwitchTree& tree) {
    const std::vector<int> parent = parents(tree);
    std::vector<std::vector<std::vector<Machine>>> levels;
    std::vector<std::size_t> depth(tree.groups.size(), 0);
    for (std::size_t group = 0; group < tree.groups.size(); ++group) {
        depth[group] = parent[group] < 0 ? 0 : depth[static_cast<std::size_t>(parent[group])] + 1;
        levels.resize(std::max(levels.size(), depth[group] + 1));
        levels[depth[group]].push_back(tree.groups[group].machines);
    }
    for (auto& parts : levels) {
        std::vector<char> covered(tree.ports.size(), 0);
        for (const auto& part : parts) {
            for (const Machine machine : part) {
                covered[static_cast<std::size_t>(machine)] = 1;
            }
        }
        std::vector<Machine> others = all_of(static_cast<Machine>(covered.size()));
        std::erase_if(others, [&](Machine machine) { return covered[static_cast<std::size_t>(machine)] != 0; });
        parts.push_back(std::move(others));
    }
    return levels;
}

/// The machines plugged into each switch itself.
std::vector<std::vector<Machine>> machines_by_switch(const SwitchTree& tree) {
    std::vector<std::vector<Machine>> machines(tree.groups.size() + 1);
    const std::vector<int> switches = switch_of(tree);
    for (std::size_t machine = 0; machine < switches.size(); ++machine) {
        machines[static_cast<std::size_t>(switches[machine]) + 1].push_back(static_cast<Machine>(machine));
    }
    return machines;
}

}  // namespace

Explorer::Explorer(Machine machines, const RoundTrips& trips, std::uint64_t seed)
    : machines_(machines), latency_(splits_by_latency(trips, machines)), random_(seed) {
    std::sort(latency_.begin(), latency_.end(), [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
    latency_.resize(std::min(latency_.size(), most_hints));
    for (const LatencySplit& split : latency_) {
        suspicions_.hints.push_back(split.machines);
    }
}

std::vector<Round> Explorer::first_rounds() {
    std::vector<Round> rounds;
    const Machine stride = std::min(machines_, sparse_rounds);
    rounds.reserve(static_cast<std::size_t>(stride));
    for (Machine first = 0; first < stride; ++first) {
        rounds.push_back(sparse(machines_, first, stride));
    }
    const std::vector<std::vector<Machine>> whole = {all_of(machines_)};
    for (std::size_t distance = static_cast<std::size_t>(machines_) / 2; distance > 0; distance /= 2) {
        rounds.push_back(shifted(whole, distance));
    }
    for (std::size_t round = 0; round < 4 * logarithm(machines_) && machines_ > 2; ++round) {
        rounds.push_back(at_random(whole, random_));
    }
    return rounds;
}

int Explorer::rounds_at_random(const std::vector<std::vector<Machine>>& parts) {
    // Few machines are found by trying all rows, and sets that a few flows link.
    constexpr std::size_t few = 24;
    int rounds = 2;
    for (const std::vector<Machine>& part : parts) {
        if (part.size() > few && explored_.insert(part).second) {
            rounds = std::max(rounds, static_cast<int>(4 * logarithm(static_cast<Machine>(part.size()))));
        }
    }
    return rounds;
}

std::vector<Round> Explorer::rounds_in_parts() {
    std::vector<Round> rounds;
    const auto add = [&rounds](Round round) {
        if (!round.empty()) {
            rounds.push_back(std::move(round));
        }
    };
    auto levels = parts_by_depth(findings_.tree);
    std::vector<std::vector<Machine>> by_switch = machines_by_switch(findings_.tree);
    if (by_switch.size() <= few_at_once) {
        // Each alone, where streams go at their ports' speed: with all at once, what slows them down may be the
        // machines.
        for (std::vector<Machine>& machines : by_switch) {
            levels.push_back({std::move(machines)});
        }
    } else {
        levels.push_back(std::move(by_switch));
    }
    for (const auto& parts : levels) {
        // Twice the same: what is there shows again, what held a flow up does not.
        add(shifted_by_half(parts));
        add(shifted_by_half(parts));
        for (int turns = rounds_at_random(parts); turns > 0; --turns) {
            add(at_random(parts, random_));
        }
    }
    add_tests(rounds);
    return rounds;
}

void Explorer::add_tests(std::vector<Round>& rounds) {
    on_trial_.clear();
    const auto put_on_trial = [this](const std::vector<Machine>& group) {
        if (std::find(tested_.begin(), tested_.end(), group) == tested_.end()) {
            tested_.push_back(group);
            on_trial_.push_back(group);
        }
    };
    for (const Group& group : findings_.tree.groups) {
        put_on_trial(group.machines);
    }
    const std::size_t found = on_trial_.size();
    for (const std::vector<Machine>& hint : suspicions_.hints) {
        put_on_trial(hint);
    }
    const std::size_t before = rounds.size();
    const auto fill = [&](const std::vector<std::vector<Machine>>& groups) {
        std::vector<Round> best = best_filling(groups);
        std::move(best.begin(), best.end(), std::back_inserter(rounds));
    };
    // Once all together. Then a few each alone: what many streams at once slow down is no link of a group.
    constexpr int turns = 2;
    fill(on_trial_);
    for (int turn = 0; turn < turns; ++turn) {
        if (found > few_at_once) {
            fill(on_trial_);
            continue;
        }
        for (std::size_t group = 0; group < found; ++group) {
            fill({on_trial_[group]});
        }
        fill({on_trial_.begin() + static_cast<std::ptrdiff_t>(found), on_trial_.end()});
    }
    tests_ = rounds.size() - before;
}

std::vector<Round> Explorer::best_filling(const std::vector<std::vector<Machine>>& groups) {
    SwitchTree others = findings_.tree;
    std::erase_if(others.groups, [&](const Group& group) {
        return std::find(groups.begin(), groups.end(), group.machines) != groups.end();
    });
    std::vector<Round> best;
    double most = 0;
    constexpr int tries = 8;
    for (int attempt = 0; attempt < tries; ++attempt) {
        std::vector<Round> rounds = filling(groups, machines_, random_);
        double offered = 0;
        for (const Round& round : rounds) {
            const std::vector<double> rates = fair_rates(others, round);
            offered += std::accumulate(rates.begin(), rates.end(), 0.0);
        }
        if (offered > most) {
            most = offered;
            best = std::move(rounds);
        }
    }
    return best;
}

void Explorer::judge_tests(std::size_t first_of_tests) {
    const std::vector<Round> tests(rounds_.begin() + static_cast<std::ptrdiff_t>(first_of_tests), rounds_.end());
    for (const std::vector<Machine>& group : on_trial_) {
        SwitchTree others = findings_.tree;
        std::erase_if(others.groups, [&](const Group& other) { return other.machines == group; });
        if (others.groups.size() < findings_.tree.groups.size() && !slows_down(tests, others, group)) {
            // One test can go wrong like any measurement: a group has two.
            if (std::find(doubted_.begin(), doubted_.end(), group) != doubted_.end()) {
                suspicions_.refuted.push_back(group);
            } else {
                doubted_.push_back(group);
                std::erase(tested_, group);
            }
        }
    }
}

std::vector<Round> Explorer::next() {
    switch (step_) {
        case Step::ports:
            return first_rounds();
        case Step::parts:
            return rounds_in_parts();
        case Step::verification: {
            const std::vector<std::vector<Machine>> whole = {all_of(machines_)};
            return {at_random(whole, random_), at_random(whole, random_), at_random(whole, random_)};
        }
        case Step::done:
            break;
    }
    return {};
}

void Explorer::add(const std::vector<Round>& measured) {
    findings_.rounds += static_cast<int>(measured.size());
    if (step_ == Step::verification) {
        verify(measured);
        step_ = Step::done;
        return;
    }
    for (Round round : measured) {
        std::erase_if(round, [](const Flow& flow) { return !(flow.bytes_per_second > 0); });
        rounds_.push_back(std::move(round));
    }
    if (step_ == Step::parts) {
        judge_tests(rounds_.size() - tests_);
    }
    findings_.tree = fit_tree(rounds_, machines_, suspicions_);
    const auto is_tested = [this](const Group& group) {
        return std::find(tested_.begin(), tested_.end(), group.machines) != tested_.end();
    };
    const bool settled =
        step_ == Step::parts && std::all_of(findings_.tree.groups.begin(), findings_.tree.groups.end(), is_tested);
    step_ = settled || ++passes_ >= most_passes ? Step::verification : Step::parts;
    if (!settled && step_ == Step::verification) {
        std::erase_if(findings_.tree.groups, [&](const Group& group) { return !is_tested(group); });
    }
    if (step_ == Step::verification) {
        findings_.tree.ports = ports_by_few(rounds_, std::move(findings_.tree.ports));
        add_what_latency_shows();
    }
}

void Explorer::add_what_latency_shows() {
    for (const LatencySplit& split : latency_) {
        if (split.clear && fits_into(findings_.tree, split.machines)) {
            const Support seen = support_of(rounds_, findings_.tree, split.machines);
            add_group(findings_.tree, {split.machines, seen.bytes_per_second, seen.bytes_per_second,
                                       seen.bytes_per_second, 0, Evidence::latency, split.quartets_agree});
            ++findings_.seen_by_latency_alone;
        }
    }
    for (const LatencySplit& split : latency_) {
        // The quartets of two machines share the round trip between these, and its noise.
        constexpr std::size_t least_machines = 4;
        constexpr double worth_a_word = 0.9;
        const std::size_t inside = split.machines.size();
        const bool tells = inside >= least_machines && inside + least_machines <= findings_.tree.ports.size();
        if (tells && split.quartets_agree >= worth_a_word && fits_into(findings_.tree, split.machines)) {
            findings_.hinted.push_back(split);
        }
    }
    std::sort(findings_.hinted.begin(), findings_.hinted.end(),
              [](const auto& a, const auto& b) { return a.quartets_agree > b.quartets_agree; });
    constexpr std::size_t most_hinted = 4;
    findings_.hinted.resize(std::min(findings_.hinted.size(), most_hinted));
}

void Explorer::verify(const std::vector<Round>& measured) {
    std::vector<double> flows;
    std::vector<double> totals;
    for (const Round& round : measured) {
        const std::vector<double> expected = fair_rates(findings_.tree, round);
        double total_measured = 0;
        for (std::size_t index = 0; index < round.size(); ++index) {
            flows.push_back(std::abs(round[index].bytes_per_second / expected[index] - 1));
            total_measured += round[index].bytes_per_second;
        }
        totals.push_back(std::abs(total_measured / std::accumulate(expected.begin(), expected.end(), 0.0) - 1));
    }
    findings_.flow_error = median(flows);
    findings_.total_error = median(totals);
}

}  // namespace aapc::discovery
