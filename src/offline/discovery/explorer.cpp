#include "offline/discovery/explorer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "aapc/input/statistics.hpp"
#include "offline/discovery/fit.hpp"
#include "offline/discovery/rounds.hpp"

namespace aapc::discovery {

namespace {

constexpr int most_steps_in_parts = 8;
constexpr int most_steps_of_tests = 24;
/// So many rounds show every port with few others.
constexpr Machine sparse_rounds = 8;
/// Up to so many switches are measured one after the other.
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
    const SwitchTree tree = confirmed();
    auto levels = parts_by_depth(tree);
    std::vector<std::vector<Machine>> by_switch = machines_by_switch(tree);
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
    add_hinted(rounds);
    return rounds;
}

void Explorer::add_hinted(std::vector<Round>& rounds) {
    std::vector<std::vector<Machine>> hints;
    for (const std::vector<Machine>& hint : suspicions_.hints) {
        if (followed_.insert(hint).second) {
            hints.push_back(hint);
        }
    }
    constexpr int turns = 3;
    for (int turn = 0; turn < turns; ++turn) {
        std::vector<Round> best = best_filling(hints);
        std::move(best.begin(), best.end(), std::back_inserter(rounds));
    }
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
        for (const std::vector<double>& rates : fair_rates(others, rounds)) {
            offered += std::accumulate(rates.begin(), rates.end(), 0.0);
        }
        if (offered > most) {
            most = offered;
            best = std::move(rounds);
        }
    }
    return best;
}

void Explorer::fit() {
    // What is refuted may have stood in for what is there. Unless others wait for tests, that is looked for at once.
    constexpr int most_fits = 8;
    bool again = true;
    for (int turn = 0; turn < most_fits && again; ++turn) {
        findings_.tree = fit_tree(rounds_, machines_, suspicions_);
        verdicts_ = trials_.judge(findings_.tree);
        again = drop_refuted();
        if (again) {
            verdicts_ = trials_.judge(findings_.tree);
            again = indices(Verdict::open).empty();
        }
    }
}

bool Explorer::drop_refuted() {
    const std::vector<std::size_t> refuted = indices(Verdict::refuted);
    for (auto group = refuted.rbegin(); group != refuted.rend(); ++group) {
        const auto place = findings_.tree.groups.begin() + static_cast<std::ptrdiff_t>(*group);
        suspicions_.refuted[place->machines] = trials_.carried(place->machines);
        findings_.tree.groups.erase(place);
    }
    return !refuted.empty();
}

std::vector<std::size_t> Explorer::indices(Verdict wanted) const {
    std::vector<std::size_t> groups;
    for (std::size_t group = 0; group < verdicts_.size(); ++group) {
        if (verdicts_[group] == wanted) {
            groups.push_back(group);
        }
    }
    return groups;
}

SwitchTree Explorer::confirmed() const {
    SwitchTree tree{findings_.tree.ports, {}};
    for (const std::size_t group : indices(Verdict::confirmed)) {
        tree.groups.push_back(findings_.tree.groups[group]);
    }
    return tree;
}

void Explorer::choose_step() {
    std::vector<std::vector<Machine>> groups;
    for (const Group& group : confirmed().groups) {
        groups.push_back(group.machines);
    }
    // Of many machines, one may have come to be on the wrong side, which more rounds show; and these, within what is
    // certain, tell more than tests of guesses.
    constexpr Machine few = 24;
    const int times = machines_ <= few ? 1 : 2;
    const int most_tests_in_a_row = machines_ <= few ? 2 : 1;
    const bool may_test = !indices(Verdict::open).empty() && tests_ < most_steps_of_tests;
    if (may_test && tests_in_a_row_ < most_tests_in_a_row) {
        step_ = Step::tests;
    } else if (parts_ < most_steps_in_parts && divided_[groups] < times) {
        step_ = Step::parts;
        ++divided_[groups];
    } else {
        step_ = may_test ? Step::tests : Step::verification;
    }
    parts_ += step_ == Step::parts ? 1 : 0;
    tests_ += step_ == Step::tests ? 1 : 0;
    tests_in_a_row_ = step_ == Step::tests ? tests_in_a_row_ + 1 : 0;
}

std::vector<Round> Explorer::next() {
    switch (step_) {
        case Step::ports:
            return first_rounds();
        case Step::tests:
            return trials_.plan(findings_.tree, indices(Verdict::open), random_);
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
    std::vector<Round> carried = measured;
    for (Round& round : carried) {
        std::erase_if(round, [](const Flow& flow) { return !(flow.bytes_per_second > 0); });
    }
    if (step_ == Step::tests) {
        trials_.add(carried);
    }
    std::move(carried.begin(), carried.end(), std::back_inserter(rounds_));
    fit();
    choose_step();
    if (step_ == Step::verification) {
        findings_.tree = confirmed();
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
