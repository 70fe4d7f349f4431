#include "offline/discovery/switch_tree.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace aapc::discovery {

namespace {

/// Shares out the directed links of a tree: two of each machine, two of each group.
class Shares {
  public:
    explicit Shares(const SwitchTree& tree) : groups_of_(tree.ports.size()) {
        for (const double port : tree.ports) {
            capacities_.insert(capacities_.end(), 2, port);
        }
        for (std::size_t group = 0; group < tree.groups.size(); ++group) {
            const bool binds = tree.groups[group].evidence == Evidence::bandwidth;
            capacities_.insert(capacities_.end(), 2,
                               binds ? tree.groups[group].bytes_per_second : std::numeric_limits<double>::infinity());
            for (const Machine machine : tree.groups[group].machines) {
                groups_of_[static_cast<std::size_t>(machine)].push_back(group);
            }
        }
    }

    std::vector<double> among(const Round& round) {
        lay_paths(round);
        std::vector<double> rates(round.size());
        std::vector<std::size_t> waiting(round.size());
        std::iota(waiting.begin(), waiting.end(), std::size_t{0});
        std::vector<std::size_t> settled;
        while (!waiting.empty()) {
            double least = std::numeric_limits<double>::infinity();
            for (const std::size_t link : links_) {
                least = users_[link] > 0 ? std::min(least, share(link)) : least;
            }
            constexpr double as_good_as_equal = 1 + 1e-9;
            settled.clear();
            std::erase_if(waiting, [&](std::size_t flow) {
                const bool is_settled = std::any_of(path_begin(flow), path_begin(flow + 1), [&](std::size_t link) {
                    return share(link) <= least * as_good_as_equal;
                });
                if (is_settled) {
                    settled.push_back(flow);
                }
                return is_settled;
            });
            for (const std::size_t flow : settled) {
                rates[flow] = least;
                std::for_each(path_begin(flow), path_begin(flow + 1), [&](std::size_t link) {
                    left_[link] = std::max(0.0, left_[link] - least);
                    --users_[link];
                });
            }
        }
        return rates;
    }

  private:
    [[nodiscard]] double share(std::size_t link) const { return left_[link] / users_[link]; }

    [[nodiscard]] std::vector<std::size_t>::const_iterator path_begin(std::size_t flow) const {
        return paths_.begin() + static_cast<std::ptrdiff_t>(first_[flow]);
    }

    void lay_paths(const Round& round) {
        left_ = capacities_;
        users_.assign(capacities_.size(), 0);
        links_.clear();
        paths_.clear();
        first_.assign(1, 0);
        for (const Flow& flow : round) {
            const auto from = static_cast<std::size_t>(flow.from);
            const auto to = static_cast<std::size_t>(flow.to);
            paths_.insert(paths_.end(), {2 * from, 2 * to + 1});
            add_crossed(groups_of_[from], groups_of_[to], 0);
            add_crossed(groups_of_[to], groups_of_[from], 1);
            first_.push_back(paths_.size());
        }
        for (const std::size_t link : paths_) {
            if (users_[link]++ == 0) {
                links_.push_back(link);
            }
        }
    }

    /// The links of the groups around one end of a flow that are not around the other as well.
    void add_crossed(const std::vector<std::size_t>& here, const std::vector<std::size_t>& there, std::size_t inward) {
        for (const std::size_t group : here) {
            if (std::find(there.begin(), there.end(), group) == there.end()) {
                paths_.push_back(2 * (groups_of_.size() + group) + inward);
            }
        }
    }

    std::vector<double> capacities_;
    std::vector<std::vector<std::size_t>> groups_of_;  ///< by machine
    // Of the round at hand:
    std::vector<double> left_;
    std::vector<int> users_;
    std::vector<std::size_t> links_;  ///< those that any flow uses
    std::vector<std::size_t> paths_;  ///< one after the other
    std::vector<std::size_t> first_;  ///< where that of each flow begins, and the end
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

std::vector<double> fair_rates(const SwitchTree& tree, const Round& round) { return Shares(tree).among(round); }

std::vector<std::vector<double>> fair_rates(const SwitchTree& tree, const std::vector<Round>& rounds) {
    Shares shares(tree);
    std::vector<std::vector<double>> rates;
    rates.reserve(rounds.size());
    for (const Round& round : rounds) {
        rates.push_back(shares.among(round));
    }
    return rates;
}

}  // namespace aapc::discovery
