#include "algorithms/tree/rooted_tree.hpp"

#include <algorithm>
#include <limits>

namespace aapc::tree {

namespace {

/// The ranks on each vertex, ascending.
std::vector<std::vector<Rank>> ranks_by_vertex(const Network& network, const Placement& placement) {
    std::vector<std::vector<Rank>> ranks(network.vertices().size());
    for (Rank rank = 0; rank < placement.participants(); ++rank) {
        const Machine machine = placement.machine_of[static_cast<std::size_t>(rank)];
        const Vertex vertex = network.machines()[static_cast<std::size_t>(machine)].vertex;
        ranks[static_cast<std::size_t>(vertex)].push_back(rank);
    }
    return ranks;
}

/// A vertex as reached from its parent.
struct Visit {
    Vertex vertex;
    Vertex parent;
};

/// Neighbours of a vertex other than its parent: machines first, then switches, each in file order, which is the order
/// of their vertex numbers.
std::vector<Visit> children_of(const Network& network, const Visit& visit) {
    std::vector<Visit> children;
    for (const std::int32_t link : network.links_at(visit.vertex)) {
        const Vertex end = network.other_end(link, visit.vertex);
        if (end != visit.parent) {
            children.push_back({end, visit.vertex});
        }
    }
    const auto& vertices = network.vertices();
    std::sort(children.begin(), children.end(), [&](const Visit& left, const Visit& right) {
        const bool left_switch = vertices[static_cast<std::size_t>(left.vertex)].is_switch;
        const bool right_switch = vertices[static_cast<std::size_t>(right.vertex)].is_switch;
        return left_switch != right_switch ? right_switch : left.vertex < right.vertex;
    });
    return children;
}

/// Vertices in an order in which parents come before their children, without recursion: chains may be long.
std::vector<Visit> parents_first(const Network& network, Vertex start) {
    std::vector<Visit> order{{start, -1}};
    for (std::size_t next = 0; next < order.size(); ++next) {
        const Visit visit = order[next];
        for (const std::int32_t link : network.links_at(visit.vertex)) {
            const Vertex end = network.other_end(link, visit.vertex);
            if (end != visit.parent) {
                order.push_back({end, visit.vertex});
            }
        }
    }
    return order;
}

/// Behind every number of branches from three on.
constexpr std::int32_t fewest_last = std::numeric_limits<std::int32_t>::max();

/// The root: among all vertices whose branches hold at most half of the ranks each, one with three branches or more if
/// there is one (the vertex at which the papers' walk ends); among those one with the fewest branches, as in the
/// papers' examples, and then the first in file order.
Vertex find_root(const Network& network, const std::vector<std::vector<Rank>>& ranks, std::int32_t participants) {
    const std::vector<Visit> order = parents_first(network, 0);
    std::vector<std::int32_t> below(network.vertices().size());
    std::vector<std::int32_t> largest(below.size());
    std::vector<std::int32_t> branches(below.size());
    for (auto visit = order.rbegin(); visit != order.rend(); ++visit) {
        const auto vertex = static_cast<std::size_t>(visit->vertex);
        const auto own = static_cast<std::int32_t>(ranks[vertex].size());
        below[vertex] += own;
        branches[vertex] += own;
        largest[vertex] = std::max(largest[vertex], own > 0 ? 1 : 0);
        const std::int32_t above = participants - below[vertex];
        largest[vertex] = std::max(largest[vertex], above);
        branches[vertex] += above > 0 ? 1 : 0;
        if (visit->parent >= 0 && below[vertex] > 0) {
            const auto parent = static_cast<std::size_t>(visit->parent);
            below[parent] += below[vertex];
            largest[parent] = std::max(largest[parent], below[vertex]);
            ++branches[parent];
        }
    }
    Vertex root = -1;
    for (Vertex vertex = 0; vertex < static_cast<Vertex>(below.size()); ++vertex) {
        const auto index = static_cast<std::size_t>(vertex);
        if (2 * largest[index] > participants && participants > 1) {
            continue;
        }
        const auto rank_of_choice = [](std::int32_t count) { return count >= 3 ? count : fewest_last - count; };
        if (branches[index] > 0 &&
            (root < 0 || rank_of_choice(branches[index]) < rank_of_choice(branches[static_cast<std::size_t>(root)]))) {
            root = vertex;
        }
    }
    return root;
}

/// Ranks and the intervals below links of one branch, at positions counted from 0.
struct BranchLayout {
    std::vector<Rank> ranks;
    std::vector<Interval> intervals;  ///< parents not yet known; empty and repeated ones possible
};

BranchLayout lay_out_branch(const Network& network, const std::vector<std::vector<Rank>>& ranks, Visit top) {
    struct Frame {
        Visit visit;
        Position first;
        bool entered;
    };
    BranchLayout layout;
    std::vector<Frame> stack{{top, 0, false}};
    while (!stack.empty()) {
        Frame& frame = stack.back();
        const auto position = static_cast<Position>(layout.ranks.size());
        if (frame.entered) {
            layout.intervals.push_back({frame.first, position, -1});
            stack.pop_back();
            continue;
        }
        frame.entered = true;
        frame.first = position;
        const Visit visit = frame.visit;
        for (const Rank rank : ranks[static_cast<std::size_t>(visit.vertex)]) {
            const auto own = static_cast<Position>(layout.ranks.size());
            layout.intervals.push_back({own, own + 1, -1});
            layout.ranks.push_back(rank);
        }
        const std::vector<Visit> children = children_of(network, visit);
        for (auto child = children.rbegin(); child != children.rend(); ++child) {
            stack.push_back({*child, 0, false});
        }
    }
    return layout;
}

/// Sorts the intervals, drops repeated and empty ones and finds each one's parent.
void nest_intervals(RootedTree& tree) {
    auto& intervals = tree.intervals;
    std::erase_if(intervals, [](const Interval& interval) { return interval.first == interval.last; });
    const auto before = [](const Interval& left, const Interval& right) {
        return left.first != right.first ? left.first < right.first : left.last > right.last;
    };
    std::sort(intervals.begin(), intervals.end(), before);
    const auto same = [](const Interval& left, const Interval& right) {
        return left.first == right.first && left.last == right.last;
    };
    intervals.erase(std::unique(intervals.begin(), intervals.end(), same), intervals.end());
    tree.interval_of.assign(tree.rank_at.size(), -1);
    std::vector<std::int32_t> open;
    for (std::size_t index = 0; index < intervals.size(); ++index) {
        Interval& interval = intervals[index];
        while (!open.empty() && intervals[static_cast<std::size_t>(open.back())].last <= interval.first) {
            open.pop_back();
        }
        interval.parent = open.empty() ? -1 : open.back();
        open.push_back(static_cast<std::int32_t>(index));
        if (interval.last == interval.first + 1) {
            tree.interval_of[static_cast<std::size_t>(interval.first)] = static_cast<std::int32_t>(index);
        }
    }
}

}  // namespace

RootedTree root_tree(const Network& network, const Placement& placement) {
    const auto ranks = ranks_by_vertex(network, placement);
    RootedTree tree;
    tree.root = find_root(network, ranks, placement.participants());

    std::vector<BranchLayout> branches;
    for (const Rank rank : ranks[static_cast<std::size_t>(tree.root)]) {
        branches.push_back({{rank}, {{0, 1, -1}}});
    }
    for (const Visit& top : children_of(network, {tree.root, -1})) {
        BranchLayout branch = lay_out_branch(network, ranks, top);
        if (!branch.ranks.empty()) {
            branches.push_back(std::move(branch));
        }
    }
    const auto lowest = [](const BranchLayout& branch) {
        return *std::min_element(branch.ranks.begin(), branch.ranks.end());
    };
    std::stable_sort(branches.begin(), branches.end(), [&](const BranchLayout& left, const BranchLayout& right) {
        return left.ranks.size() != right.ranks.size() ? left.ranks.size() > right.ranks.size()
                                                       : lowest(left) < lowest(right);
    });

    for (const BranchLayout& branch : branches) {
        const auto offset = static_cast<Position>(tree.rank_at.size());
        tree.branch_sizes.push_back(static_cast<std::int32_t>(branch.ranks.size()));
        for (const Interval& interval : branch.intervals) {
            tree.intervals.push_back({interval.first + offset, interval.last + offset, -1});
        }
        tree.rank_at.insert(tree.rank_at.end(), branch.ranks.begin(), branch.ranks.end());
    }
    tree.position_of.resize(tree.rank_at.size());
    for (std::size_t position = 0; position < tree.rank_at.size(); ++position) {
        tree.position_of[static_cast<std::size_t>(tree.rank_at[position])] = static_cast<Position>(position);
    }
    nest_intervals(tree);
    return tree;
}

}  // namespace aapc::tree
