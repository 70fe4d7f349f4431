#include "discovery/fit.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "aapc/statistics/statistics.hpp"
#include "discovery/suggestions.hpp"

namespace aapc::discovery {

namespace {

/// A group that may be there.
struct Proposal {
    std::vector<Machine> machines;
    double gain = 0;
};

std::vector<Explained> explain(const std::vector<Round>& rounds, const SwitchTree& tree) {
    std::vector<Explained> explained;
    explained.reserve(rounds.size());
    for (const Round& round : rounds) {
        explained.push_back({round, fair_rates(tree, round)});
    }
    return explained;
}

/// What each port carries: of its fastest flows the middle, and of ports that are nearly alike again the middle, so
/// that neither one that was held up nor the luckiest measurement counts.
std::vector<double> port_speeds(const std::vector<Round>& rounds, Machine machines) {
    std::vector<std::vector<double>> rates(static_cast<std::size_t>(machines));
    for (const Round& round : rounds) {
        for (const Flow& flow : round) {
            rates[static_cast<std::size_t>(flow.from)].push_back(flow.bytes_per_second);
            rates[static_cast<std::size_t>(flow.to)].push_back(flow.bytes_per_second);
        }
    }
    constexpr double nearly_alike = 1.12;
    // Streams that were held up just before are now and then faster than their port.
    constexpr double but_for_a_few = 0.97;
    std::vector<double> ports;
    for (std::vector<double>& of_machine : rates) {
        const double most = of_machine.empty() ? 0 : quantile(of_machine, but_for_a_few);
        std::erase_if(of_machine, [&](double rate) { return rate * nearly_alike < most; });
        ports.push_back(of_machine.empty() ? 0 : median(of_machine));
    }
    std::vector<double> sorted = ports;
    std::sort(sorted.begin(), sorted.end());
    std::vector<double> alike = ports;
    for (std::size_t first = 0; first < sorted.size();) {
        const auto end = std::upper_bound(sorted.begin(), sorted.end(), sorted[first] * nearly_alike);
        const std::vector<double> kind(sorted.begin() + static_cast<std::ptrdiff_t>(first), end);
        for (std::size_t machine = 0; machine < ports.size(); ++machine) {
            if (ports[machine] >= kind.front() && ports[machine] <= kind.back()) {
                alike[machine] = median(kind);
            }
        }
        first = static_cast<std::size_t>(end - sorted.begin());
    }
    return alike;
}

/// The item of machine 0, which is never inside; -1 where it is outside anyway.
int fixed_item(const std::vector<Item>& items) {
    for (std::size_t item = 0; item < items.size(); ++item) {
        if (items[item].front() == 0) {
            return static_cast<int>(item);
        }
    }
    return -1;
}

/// The best sets at one switch, each from one of the most promising suggestions.
void propose(const std::vector<Explained>& rounds, const std::vector<Item>& items, std::size_t machines,
             const std::vector<std::vector<Machine>>& hints, std::vector<Proposal>& proposals) {
    const int fixed = fixed_item(items);
    if (items.size() < (fixed >= 0 ? 4U : 3U)) {
        return;
    }
    Jury jury(rounds, items, machines);
    std::vector<std::pair<double, Side>> starts;
    for (Side& side : suggestions(rounds, items, machines, fixed, hints)) {
        for (std::size_t item = 0; item < items.size(); ++item) {
            if (jury.is_inside(item) != (side[item] != 0)) {
                jury.flip(item);
            }
        }
        starts.emplace_back(jury.gain(), std::move(side));
    }
    constexpr std::size_t most_promising = 12;
    const std::size_t taken = std::min(most_promising, starts.size());
    std::partial_sort(starts.begin(), starts.begin() + static_cast<std::ptrdiff_t>(taken), starts.end(),
                      [](const auto& a, const auto& b) { return a.first > b.first; });
    for (std::size_t start = 0; start < taken; ++start) {
        const Side side = improved(jury, starts[start].second, fixed);
        const Support support = jury.support();
        const bool leaves_two = fixed < 0 || jury.inside_count() + 2 <= items.size();
        if (!support.convinces() || jury.inside_count() < 2 || jury.inside_count() == items.size() || !leaves_two) {
            continue;
        }
        Proposal proposal{{}, support.gain};
        for (std::size_t item = 0; item < items.size(); ++item) {
            if (side[item] != 0) {
                proposal.machines.insert(proposal.machines.end(), items[item].begin(), items[item].end());
            }
        }
        std::sort(proposal.machines.begin(), proposal.machines.end());
        if (std::none_of(proposals.begin(), proposals.end(),
                         [&](const Proposal& other) { return other.machines == proposal.machines; })) {
            proposals.push_back(std::move(proposal));
        }
    }
}

Group group_of(std::vector<Machine> machines, const Support& support) {
    return {std::move(machines),
            support.bytes_per_second,
            support.low,
            support.high,
            support.times_full,
            Evidence::bandwidth,
            0};
}

/// The most convincing first; of those that convince about as much the smallest: what slows down the flows of each rack
/// slows down those of several racks together as well.
void order_by_merit(std::vector<Proposal>& proposals) {
    double best = 0;
    for (const Proposal& proposal : proposals) {
        best = std::max(best, proposal.gain);
    }
    constexpr double about_as_much = 0.75;
    const auto rank = [&](const Proposal& proposal) {
        const bool near_best = proposal.gain >= about_as_much * best;
        return std::tuple(!near_best, near_best ? proposal.machines.size() : 0, -proposal.gain);
    };
    std::sort(proposals.begin(), proposals.end(),
              [&](const Proposal& a, const Proposal& b) { return rank(a) < rank(b); });
}

/// Adds the most convincing groups that are still convincing once those before them are there; whether there was one.
bool add_convincing(const std::vector<Round>& rounds, const Suspicions& suspicions, SwitchTree& tree) {
    const std::vector<Explained> explained = explain(rounds, tree);
    std::vector<Proposal> proposals;
    for (const std::vector<Item>& items : items_by_switch(tree)) {
        propose(explained, items, tree.ports.size(), suspicions.hints, proposals);
    }
    order_by_merit(proposals);
    bool added = false;
    for (const Proposal& proposal : proposals) {
        const auto refuted = std::find(suspicions.refuted.begin(), suspicions.refuted.end(), proposal.machines);
        if (refuted != suspicions.refuted.end() || !fits_into(tree, proposal.machines)) {
            continue;
        }
        // The most convincing alone is certain to be what it is; the others may have been its shadow.
        const Support support = support_of(rounds, tree, proposal.machines);
        if (support.convinces() && support.gain > proposal.gain / 2) {
            add_group(tree, group_of(proposal.machines, support));
            added = true;
        }
    }
    return added;
}

/// Each group once more, now that the others are known; what does not convince any more goes. Whether one went.
bool reconsider(const std::vector<Round>& rounds, SwitchTree& tree) {
    bool dropped = false;
    for (std::size_t index = 0; index < tree.groups.size();) {
        SwitchTree others = tree;
        others.groups.erase(others.groups.begin() + static_cast<std::ptrdiff_t>(index));
        const Support support = support_of(rounds, others, tree.groups[index].machines);
        if (support.convinces()) {
            tree.groups[index] = group_of(tree.groups[index].machines, support);
            ++index;
        } else {
            tree = std::move(others);
            dropped = true;
        }
    }
    return dropped;
}

}  // namespace

std::vector<std::vector<Item>> items_by_switch(const SwitchTree& tree) {
    std::vector<std::vector<Item>> items(tree.groups.size() + 1);
    const std::vector<int> machine_switch = switch_of(tree);
    for (std::size_t machine = 0; machine < machine_switch.size(); ++machine) {
        items[static_cast<std::size_t>(machine_switch[machine]) + 1].push_back({static_cast<Machine>(machine)});
    }
    const std::vector<int> parent = parents(tree);
    for (std::size_t group = 0; group < parent.size(); ++group) {
        items[static_cast<std::size_t>(parent[group]) + 1].push_back(tree.groups[group].machines);
    }
    return items;
}

Support support_of(const std::vector<Round>& rounds, const SwitchTree& tree, const std::vector<Machine>& machines) {
    Jury jury(explain(rounds, tree), {machines}, tree.ports.size());
    jury.flip(0);
    return jury.support();
}

bool slows_down(const std::vector<Round>& tests, const SwitchTree& tree, const std::vector<Machine>& machines) {
    // Of three tests in which others may have been busy at its other end, the one that offered most.
    std::vector<double> slowing;
    double most_offered = 0;
    Jury jury(explain(tests, tree), {machines}, tree.ports.size());
    jury.flip(0);
    for (const Crossing& crossing : jury.crossings()) {
        most_offered = std::max(most_offered, crossing.expected);
    }
    for (const Crossing& crossing : jury.crossings()) {
        constexpr double nearly_most = 0.9;
        if (crossing.expected > nearly_most * most_offered && crossing.measured > 0) {
            slowing.push_back(crossing.expected / crossing.measured);
        }
    }
    // A link that is there slows every test down; what else does, such as a busy machine, spares some.
    constexpr double slower_than_scatter = 1.08;
    constexpr double but_for_some = 0.25;
    return !slowing.empty() && quantile(slowing, but_for_some) >= slower_than_scatter;
}

bool fits_into(const SwitchTree& tree, const std::vector<Machine>& machines) {
    if (machines.size() < 2 || machines.size() + 2 > tree.ports.size() || machines.front() == 0) {
        return false;
    }
    return std::all_of(tree.groups.begin(), tree.groups.end(), [&](const Group& group) {
        std::vector<Machine> common;
        std::set_intersection(group.machines.begin(), group.machines.end(), machines.begin(), machines.end(),
                              std::back_inserter(common));
        const bool equal = common.size() == machines.size() && common.size() == group.machines.size();
        return !equal && (common.empty() || common.size() == machines.size() || common.size() == group.machines.size());
    });
}

void add_group(SwitchTree& tree, Group group) {
    const auto place = std::find_if(tree.groups.begin(), tree.groups.end(), [&](const Group& other) {
        return other.machines.size() < group.machines.size() ||
               (other.machines.size() == group.machines.size() && other.machines.front() > group.machines.front());
    });
    tree.groups.insert(place, std::move(group));
}

bool same_groups(const SwitchTree& one, const SwitchTree& other) {
    return std::equal(one.groups.begin(), one.groups.end(), other.groups.begin(), other.groups.end(),
                      [](const Group& a, const Group& b) { return a.machines == b.machines; });
}

SwitchTree fit_tree(const std::vector<Round>& rounds, Machine machines, const Suspicions& suspicions) {
    SwitchTree tree{port_speeds(rounds, machines), {}};
    constexpr int most_turns = 3;
    for (int turn = 0; turn < most_turns; ++turn) {
        constexpr int most_steps = 32;
        int step = 0;
        while (step < most_steps && add_convincing(rounds, suspicions, tree)) {
            ++step;
        }
        if (!reconsider(rounds, tree) && step == 0) {
            break;
        }
    }
    return tree;
}

}  // namespace aapc::discovery
