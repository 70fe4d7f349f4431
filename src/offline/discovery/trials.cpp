#include "offline/discovery/trials.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace aapc::discovery {

namespace {

/// A test says something where so much more was offered than the link is said to carry.
constexpr double overfilled = 1.1;
/// As much as that is enough, and more streams would only disturb each other.
constexpr double well_filled = 1.6;
/// A test was passed where not even so much less passed than was offered: once by the first, or twice by the second.
constexpr double as_offered = 1.04;
constexpr double about_as_offered = 1.08;
/// So many tests confirm a link, and so many that were unable to fill it are enough.
constexpr int tests_of_a_link = 4;
constexpr int most_tests = 8;
/// So many groups, or all those of so many machines, are tested one after the other.
constexpr std::size_t few_groups = 8;
constexpr std::size_t few_machines = 32;

bool is_in(const std::vector<Machine>& group, Machine machine) {
    return std::binary_search(group.begin(), group.end(), machine);
}

std::vector<double> rates_of(const Round& round) {
    std::vector<double> rates;
    rates.reserve(round.size());
    for (const Flow& flow : round) {
        rates.push_back(flow.bytes_per_second);
    }
    return rates;
}

SwitchTree without(const SwitchTree& tree, std::size_t group) {
    SwitchTree others = tree;
    others.groups.erase(others.groups.begin() + static_cast<std::ptrdiff_t>(group));
    return others;
}

/// Adds flows across one link to a round.
class Filling {
  public:
    Filling(const SwitchTree& tree, std::size_t group, bool outward, Random& random)
        : others_(without(tree, group)),
          group_(tree.groups[group].machines),
          carries_(tree.groups[group].bytes_per_second),
          outward_(outward),
          random_(random) {}

    /// The round with as many flows more as fill the link, or as far as they can.
    Round added_to(Round round) {
        std::vector<Machine> inside;
        std::vector<Machine> outside;
        for (Machine machine = 0; machine < static_cast<Machine>(others_.ports.size()); ++machine) {
            const bool is_used = std::any_of(round.begin(), round.end(), [=](const Flow& flow) {
                return flow.from == machine || flow.to == machine;
            });
            if (!is_used) {
                (is_in(group_, machine) ? inside : outside).push_back(machine);
            }
        }
        fills_ = false;
        if (!round.empty() && std::min(together(inside), together(outside)) < overfilled * carries_) {
            return round;
        }
        double offered = 0;
        while (offered < well_filled * carries_ && !inside.empty() && !outside.empty()) {
            const Choice choice = best_choice(round, inside, outside, offered);
            constexpr double worth_a_flow = 1.01;
            if (choice.offered <= worth_a_flow * offered) {
                break;
            }
            offered = choice.offered;
            round.push_back(flow_between(inside[choice.inside], outside[choice.outside]));
            inside.erase(inside.begin() + static_cast<std::ptrdiff_t>(choice.inside));
            outside.erase(outside.begin() + static_cast<std::ptrdiff_t>(choice.outside));
        }
        fills_ = offered >= overfilled * carries_;
        return round;
    }

    /// Whether the link was filled the last time.
    [[nodiscard]] bool fills() const { return fills_; }

  private:
    struct Choice {
        std::size_t inside = 0;
        std::size_t outside = 0;
        double offered = 0;
    };

    [[nodiscard]] double together(const std::vector<Machine>& machines) const {
        return std::accumulate(machines.begin(), machines.end(), 0.0, [this](double sum, Machine machine) {
            return sum + others_.ports[static_cast<std::size_t>(machine)];
        });
    }

    [[nodiscard]] Flow flow_between(Machine inside, Machine outside) const {
        return outward_ ? Flow{inside, outside} : Flow{outside, inside};
    }

    /// Of some pairs at random the one with which most is offered, or the first that adds all that its ports carry.
    Choice best_choice(Round& round, const std::vector<Machine>& inside, const std::vector<Machine>& outside,
                       double offered) {
        constexpr int tries = 32;
        constexpr double nearly_a_port = 0.9;
        Choice best;
        for (int attempt = 0; attempt < tries; ++attempt) {
            Choice choice{random_() % inside.size(), random_() % outside.size()};
            const Machine one = inside[choice.inside];
            const Machine other = outside[choice.outside];
            round.push_back(flow_between(one, other));
            const CrossingSums sums = crossing_sums(round, fair_rates(others_, round), group_);
            round.pop_back();
            choice.offered = outward_ ? sums.out : sums.in;
            if (choice.offered > best.offered) {
                best = choice;
            }
            const double port =
                std::min(others_.ports[static_cast<std::size_t>(one)], others_.ports[static_cast<std::size_t>(other)]);
            if (choice.offered >= offered + nearly_a_port * port) {
                break;
            }
        }
        return best;
    }

    SwitchTree others_;
    const std::vector<Machine>& group_;
    double carries_;
    bool outward_;
    bool fills_ = false;
    Random& random_;
};

}  // namespace

CrossingSums crossing_sums(const Round& round, const std::vector<double>& rates, const std::vector<Machine>& group) {
    CrossingSums sums;
    for (std::size_t index = 0; index < round.size(); ++index) {
        const bool leaves = is_in(group, round[index].from);
        if (leaves != is_in(group, round[index].to)) {
            (leaves ? sums.out : sums.in) += rates[index];
        }
    }
    return sums;
}

std::vector<Round> Trials::plan(const SwitchTree& tree, const std::vector<std::size_t>& groups, Random& random) {
    std::vector<Round> rounds;
    planned_.clear();
    const bool alone = groups.size() <= few_groups || tree.ports.size() <= few_machines;
    std::vector<bool> directions = {true, false};
    if (!alone) {
        // What is shared costs little, and fitting the tree of many machines once more costs much.
        directions.insert(directions.end(), {true, false});
    }
    for (const bool outward : directions) {
        const std::size_t first = rounds.size();
        for (const std::size_t group : groups) {
            Filling filling(tree, group, outward, random);
            const std::vector<Machine>& machines = tree.groups[group].machines;
            bool has_place = false;
            for (std::size_t index = first; index < rounds.size() && !alone && !has_place; ++index) {
                Round round = filling.added_to(rounds[index]);
                if (filling.fills()) {
                    rounds[index] = std::move(round);
                    planned_[index].push_back(machines);
                    has_place = true;
                }
            }
            if (!has_place) {
                rounds.push_back(filling.added_to({}));
                planned_.push_back({machines});
            }
        }
    }
    return rounds;
}

void Trials::add(const std::vector<Round>& measured) {
    for (std::size_t index = 0; index < measured.size(); ++index) {
        for (const std::vector<Machine>& group : planned_[index]) {
            tests_[group].push_back(measured[index]);
        }
    }
}

std::vector<Verdict> Trials::judge(const SwitchTree& tree) const {
    std::vector<Verdict> verdicts(tree.groups.size(), Verdict::open);
    SwitchTree certain{tree.ports, {}};
    for (std::size_t group = 0; group < tree.groups.size(); ++group) {
        const Outcome outcome = outcome_of(tree.groups[group], without(tree, group));
        if (outcome.informative >= tests_of_a_link && !outcome.passed()) {
            verdicts[group] = Verdict::confirmed;
            certain.groups.push_back(tree.groups[group]);
        } else if (outcome.tests >= most_tests) {
            verdicts[group] = Verdict::untestable;
        }
    }
    for (std::size_t group = 0; group < tree.groups.size(); ++group) {
        if (verdicts[group] != Verdict::confirmed && outcome_of(tree.groups[group], certain).passed()) {
            verdicts[group] = Verdict::refuted;
        }
    }
    return verdicts;
}

bool Trials::Outcome::passed() const { return least < as_offered || second < about_as_offered; }

Trials::Outcome Trials::outcome_of(const Group& group, const SwitchTree& others) const {
    Outcome outcome;
    const auto found = tests_.find(group.machines);
    if (found == tests_.end()) {
        return outcome;
    }
    const std::vector<std::vector<double>> expected = fair_rates(others, found->second);
    for (const Round& round : found->second) {
        const CrossingSums offered =
            crossing_sums(round, expected[static_cast<std::size_t>(outcome.tests++)], group.machines);
        const CrossingSums carried = crossing_sums(round, rates_of(round), group.machines);
        const bool outward = offered.out > offered.in;
        const double most_offered = outward ? offered.out : offered.in;
        if (most_offered >= overfilled * group.bytes_per_second) {
            ++outcome.informative;
            const double slowing = most_offered / (outward ? carried.out : carried.in);
            outcome.second = std::min(outcome.second, std::max(outcome.least, slowing));
            outcome.least = std::min(outcome.least, slowing);
        }
    }
    return outcome;
}

double Trials::carried(const std::vector<Machine>& group) const {
    double most = 0;
    if (const auto found = tests_.find(group); found != tests_.end()) {
        for (const Round& round : found->second) {
            const CrossingSums sums = crossing_sums(round, rates_of(round), group);
            most = std::max({most, sums.out, sums.in});
        }
    }
    return most;
}

}  // namespace aapc::discovery
