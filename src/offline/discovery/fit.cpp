#include "offline/discovery/fit.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "aapc/input/statistics.hpp"
#include "offline/discovery/suggestions.hpp"

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
    std::vector<std::vector<double>> expected = fair_rates(tree, rounds);
    for (std::size_t round = 0; round < rounds.size(); ++round) {
        explained.push_back({rounds[round], std::move(expected[round])});
    }
    return explained;
}

Support support_in(const std::vector<Explained>& rounds, const std::vector<Machine>& group, std::size_t machines) {
    Jury jury(rounds, {group}, machines);
    jury.flip(0);
    return jury.support();
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

std::vector<Machine> machines_inside(const std::vector<Item>& items, const Side& side) {
    std::vector<Machine> machines;
    for (std::size_t item = 0; item < items.size(); ++item) {
        if (side[item] != 0) {
            machines.insert(machines.end(), items[item].begin(), items[item].end());
        }
    }
    std::sort(machines.begin(), machines.end());
    return machines;
}

/// A dozen of those that gain most, no two of them nearly the same.
std::vector<Side> most_promising(std::vector<std::pair<double, Side>> starts) {
    constexpr std::size_t dozen = 12;
    std::stable_sort(starts.begin(), starts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<Side> chosen;
    for (auto& start : starts) {
        Side& side = start.second;
        const auto nearly_the_same = [&side](const Side& other) {
            std::size_t both = 0;
            std::size_t either = 0;
            for (std::size_t item = 0; item < side.size(); ++item) {
                both += side[item] != 0 && other[item] != 0 ? 1 : 0;
                either += side[item] != 0 || other[item] != 0 ? 1 : 0;
            }
            constexpr double most_in_common = 0.8;
            return static_cast<double>(both) > most_in_common * static_cast<double>(either);
        };
        if (std::none_of(chosen.begin(), chosen.end(), nearly_the_same)) {
            chosen.push_back(std::move(side));
        }
        if (chosen.size() == dozen) {
            break;
        }
    }
    return chosen;
}

/// improved(), or the same of the other side where that explains more: what is behind a link with machine 0 is named by
/// what is not, and without machine 0 it explains nearly as much. The jury is left with what is returned.
Side improved_on_its_side(Jury& jury, const Side& start, int fixed) {
    Side side = improved(jury, start, fixed);
    if (fixed < 0) {
        return side;
    }
    const double gain = jury.gain();
    Side other = side;
    for (std::size_t item = 0; item < other.size(); ++item) {
        other[item] = other[item] == 0 && static_cast<int>(item) != fixed ? 1 : 0;
    }
    other = improved(jury, other, fixed);
    return jury.gain() > gain ? other : improved(jury, side, fixed);
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
    for (const Side& start : most_promising(std::move(starts))) {
        const Side side = improved_on_its_side(jury, start, fixed);
        const Support support = jury.support();
        const bool leaves_two = fixed < 0 || jury.inside_count() + 2 <= items.size();
        if (!support.convinces() || jury.inside_count() < 2 || jury.inside_count() == items.size() || !leaves_two) {
            continue;
        }
        Proposal proposal{machines_inside(items, side), support.gain};
        if (std::none_of(proposals.begin(), proposals.end(),
                         [&](const Proposal& other) { return other.machines == proposal.machines; })) {
            proposals.push_back(std::move(proposal));
        }
    }
}

bool is_refuted(const Suspicions& suspicions, const std::vector<Machine>& machines, const Support& support) {
    const auto found = suspicions.refuted.find(machines);
    return found != suspicions.refuted.end() && support.bytes_per_second < found->second;
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
    std::vector<Explained> explained = explain(rounds, tree);
    std::vector<Proposal> proposals;
    for (const std::vector<Item>& items : items_by_switch(tree)) {
        propose(explained, items, tree.ports.size(), suspicions.hints, proposals);
    }
    order_by_merit(proposals);
    bool added = false;
    for (const Proposal& proposal : proposals) {
        if (!fits_into(tree, proposal.machines)) {
            continue;
        }
        // The most convincing alone is certain to be what it is; the others may have been its shadow.
        const Support support = support_in(explained, proposal.machines, tree.ports.size());
        if (support.convinces() && support.gain > proposal.gain / 2 &&
            !is_refuted(suspicions, proposal.machines, support)) {
            add_group(tree, group_of(proposal.machines, support));
            explained = explain(rounds, tree);
            added = true;
        }
    }
    return added;
}

/// A group with the machines that explain most now that the other groups are known: among many, one or two may have
/// come to be on the wrong side before that.
std::vector<Machine> refined(const std::vector<Explained>& explained, const SwitchTree& others,
                             const std::vector<Machine>& group) {
    constexpr std::size_t few = 24;  // of these, all steps were tried
    for (const std::vector<Item>& items : items_by_switch(others)) {
        Side side(items.size(), 0);
        std::size_t covered = 0;
        for (std::size_t item = 0; item < items.size(); ++item) {
            side[item] = std::binary_search(group.begin(), group.end(), items[item].front()) ? 1 : 0;
            covered += side[item] != 0 ? items[item].size() : 0;
        }
        if (covered != group.size() || items.size() <= few) {
            continue;
        }
        Jury jury(explained, items, others.ports.size());
        side = improved(jury, side, fixed_item(items));
        std::vector<Machine> machines = machines_inside(items, side);
        return jury.inside_count() >= 2 && fits_into(others, machines) ? machines : group;
    }
    return group;
}

/// Each group once more, now that the others are known; what does not convince any more goes. Whether one went.
bool reconsider(const std::vector<Round>& rounds, const Suspicions& suspicions, SwitchTree& tree) {
    bool dropped = false;
    for (std::size_t index = 0; index < tree.groups.size();) {
        SwitchTree others = tree;
        others.groups.erase(others.groups.begin() + static_cast<std::ptrdiff_t>(index));
        const std::vector<Explained> explained = explain(rounds, others);
        std::vector<Machine> machines = refined(explained, others, tree.groups[index].machines);
        Support support = support_in(explained, machines, others.ports.size());
        if (is_refuted(suspicions, machines, support)) {
            machines = tree.groups[index].machines;
            support = support_in(explained, machines, others.ports.size());
        }
        if (support.convinces() && !is_refuted(suspicions, machines, support)) {
            tree.groups[index] = group_of(machines, support);
            ++index;
        } else {
            tree = std::move(others);
            dropped = true;
        }
    }
    std::vector<Group> groups = std::move(tree.groups);
    tree.groups.clear();
    for (Group& group : groups) {
        add_group(tree, std::move(group));
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
    return support_in(explain(rounds, tree), machines, tree.ports.size());
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

std::vector<double> ports_by_few(const std::vector<Round>& rounds, std::vector<double> ports) {
    constexpr std::size_t few = 4;  // one machine in so many
    std::vector<double> best(ports.size(), 0);
    for (const Round& round : rounds) {
        for (const Flow& flow : round) {
            if (few * round.size() <= ports.size()) {
                for (const Machine machine : {flow.from, flow.to}) {
                    double& most = best[static_cast<std::size_t>(machine)];
                    most = std::max(most, flow.bytes_per_second);
                }
            }
        }
    }
    // The middle of ports that are alike, so that neither one that was held up nor the luckiest stream counts.
    const std::vector<double> before = ports;
    for (std::size_t port = 0; port < ports.size(); ++port) {
        std::vector<double> alike;
        for (std::size_t other = 0; other < before.size(); ++other) {
            if (before[other] == before[port]) {
                alike.push_back(best[other]);
            }
        }
        ports[port] = std::max(ports[port], median(alike));
    }
    return ports;
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
        if (!reconsider(rounds, suspicions, tree) && step == 0) {
            break;
        }
    }
    return tree;
}

}  // namespace aapc::discovery
