#include "discovery/switch_tree.hpp"

#include <algorithm>
#include <limits>

namespace aapc::discovery {

namespace {

/// The directed links that flows of a round use: two of each machine, two of each group.
class Shares {
  public:
    Shares(const SwitchTree& tree, const Round& round)
        : left_(2 * tree.ports.size() + 2 * tree.groups.size()), users_(left_.size()) {
        const std::size_t machines = tree.ports.size();
        std::vector<std::vector<char>> inside;
        for (std::size_t machine = 0; machine < machines; ++machine) {
            left_[2 * machine] = left_[2 * machine + 1] = tree.ports[machine];
        }
        for (std::size_t group = 0; group < tree.groups.size(); ++group) {
            const std::size_t link = 2 * (machines + group);
            const bool binds = tree.groups[group].evidence == Evidence::bandwidth;
            left_[link] = left_[link + 1] =
                binds ? tree.groups[group].bytes_per_second : std::numeric_limits<double>::infinity();
            inside.emplace_back(machines, 0);
            for (const Machine machine : tree.groups[group].machines) {
                inside.back()[static_cast<std::size_t>(machine)] = 1;
            }
        }
        for (const Flow& flow : round) {
            const auto from = static_cast<std::size_t>(flow.from);
            const auto to = static_cast<std::size_t>(flow.to);
            std::vector<std::size_t> path = {2 * from, 2 * to + 1};
            for (std::size_t group = 0; group < inside.size(); ++group) {
                if (inside[group][from] != inside[group][to]) {
                    path.push_back(2 * (machines + group) + (inside[group][from] != 0 ? 0 : 1));
                }
            }
            for (const std::size_t link : path) {
                ++users_[link];
            }
            paths_.push_back(std::move(path));
        }
    }

    std::vector<double> fill() {
        std::vector<double> rates(paths_.size(), -1);
        for (std::size_t waiting = rates.size(); waiting > 0;) {
            double least = std::numeric_limits<double>::infinity();
            for (std::size_t link = 0; link < left_.size(); ++link) {
                least = users_[link] > 0 ? std::min(least, share(link)) : least;
            }
            constexpr double as_good_as_equal = 1 + 1e-9;
            std::vector<std::size_t> settled;
            for (std::size_t flow = 0; flow < rates.size(); ++flow) {
                if (rates[flow] < 0 && std::any_of(paths_[flow].begin(), paths_[flow].end(), [&](std::size_t link) {
                        return share(link) <= least * as_good_as_equal;
                    })) {
                    settled.push_back(flow);
                }
            }
            for (const std::size_t flow : settled) {
                rates[flow] = least;
                for (const std::size_t link : paths_[flow]) {
                    left_[link] = std::max(0.0, left_[link] - least);
                    --users_[link];
                }
            }
            waiting -= settled.size();
        }
        return rates;
    }

  private:
    [[nodiscard]] double share(std::size_t link) const { return left_[link] / users_[link]; }

    std::vector<double> left_;
    std::vector<int> users_;
    std::vector<std::vector<std::size_t>> paths_;
};

bool contains(const Group& outer, const Group& inner) {
    return outer.machines.size() > inner.machines.size() &&
           std::binary_search(outer.machines.begin(), outer.machines.end(), inner.machines.front());
}

}  // namespace

std::vector<int> parents(const SwitchTree& tree) {
    std::vector<int> parents;
    for (const Group& group : tree.groups) {
        int parent = -1;
        for (std::size_t other = 0; other < tree.groups.size(); ++other) {
            if (contains(tree.groups[other], group) &&
                (parent < 0 ||
                 tree.groups[other].machines.size() < tree.groups[static_cast<std::size_t>(parent)].machines.size())) {
                parent = static_cast<int>(other);
            }
        }
        parents.push_back(parent);
    }
    return parents;
}

std::vector<int> switch_of(const SwitchTree& tree) {
    std::vector<int> switches(tree.ports.size(), -1);
    std::vector<std::size_t> sizes(tree.ports.size(), std::numeric_limits<std::size_t>::max());
    for (std::size_t group = 0; group < tree.groups.size(); ++group) {
        for (const Machine machine : tree.groups[group].machines) {
            const auto index = static_cast<std::size_t>(machine);
            if (tree.groups[group].machines.size() < sizes[index]) {
                sizes[index] = tree.groups[group].machines.size();
                switches[index] = static_cast<int>(group);
            }
        }
    }
    return switches;
}

std::vector<double> fair_rates(const SwitchTree& tree, const Round& round) { return Shares(tree, round).fill(); }

}  // namespace aapc::discovery
