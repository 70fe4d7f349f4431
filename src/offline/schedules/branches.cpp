#include "offline/schedules/branches.hpp"

#include <algorithm>

namespace aapc::documents {

namespace {

class Branches {
  public:
    Branches(const Network& network, const Placement& placement)
        : network_(network),
          placement_(placement),
          ranks_at_(network.vertices().size()),
          parent_(network.vertices().size(), -1),
          below_(network.vertices().size(), 0) {
        for (std::size_t rank = 0; rank < placement.machine_of.size(); ++rank) {
            const auto machine = static_cast<std::size_t>(placement.machine_of[rank]);
            ranks_at_[index(network.machines()[machine].vertex)].push_back(static_cast<Rank>(rank));
        }
        order_from(0);
        for (auto vertex = order_.rbegin(); vertex != order_.rend(); ++vertex) {
            below_[index(*vertex)] += ranks_at_[index(*vertex)].size();
            if (parent_[index(*vertex)] >= 0) {
                below_[index(parent_[index(*vertex)])] += below_[index(*vertex)];
            }
        }
    }

    std::vector<std::vector<Rank>> at_centre() {
        Vertex centre = -1;
        std::size_t fewest = 0;
        for (Vertex vertex = 0; index(vertex) < ranks_at_.size(); ++vertex) {
            const std::size_t count = balanced_branch_count(vertex);
            const bool better = count >= 3 ? fewest < 3 || count < fewest : fewest < 3 && count > fewest;
            if (better) {
                centre = vertex;
                fewest = count;
            }
        }
        return centre < 0 ? std::vector<std::vector<Rank>>() : branches_of(centre);
    }

  private:
    static std::size_t index(Vertex vertex) { return static_cast<std::size_t>(vertex); }

    /// Every vertex after its parent, depth first.
    void order_from(Vertex root) {
        order_.clear();
        std::vector<Vertex> open{root};
        parent_[index(root)] = -1;
        while (!open.empty()) {
            const Vertex vertex = open.back();
            open.pop_back();
            order_.push_back(vertex);
            for (const std::int32_t link : network_.links_at(vertex)) {
                const Vertex end = network_.other_end(link, vertex);
                if (end != parent_[index(vertex)]) {
                    parent_[index(end)] = vertex;
                    open.push_back(end);
                }
            }
        }
    }

    /// How many branches with participants a vertex has, or 0 if one of them holds more than half of all. Each rank on
    /// a machine is a branch of that machine.
    [[nodiscard]] std::size_t balanced_branch_count(Vertex vertex) const {
        const std::size_t all = placement_.machine_of.size();
        std::size_t count = ranks_at_[index(vertex)].size();
        for (const std::int32_t link : network_.links_at(vertex)) {
            const Vertex end = network_.other_end(link, vertex);
            const std::size_t beyond = end == parent_[index(vertex)] ? all - below_[index(vertex)] : below_[index(end)];
            if (2 * beyond > all) {
                return 0;
            }
            count += beyond > 0 ? 1 : 0;
        }
        return count;
    }

    std::vector<std::vector<Rank>> branches_of(Vertex centre) {
        std::vector<std::vector<Rank>> branches;
        for (const Rank rank : ranks_at_[index(centre)]) {
            branches.push_back({rank});
        }
        order_from(centre);
        for (const Vertex vertex : order_) {  // depth first: the vertices of a branch follow each other
            if (parent_[index(vertex)] == centre) {
                branches.emplace_back();
            }
            if (vertex != centre) {
                branches.back().insert(branches.back().end(), ranks_at_[index(vertex)].begin(),
                                       ranks_at_[index(vertex)].end());
            }
        }
        std::erase_if(branches, [](const std::vector<Rank>& branch) { return branch.empty(); });
        for (std::vector<Rank>& branch : branches) {
            std::sort(branch.begin(), branch.end());
        }
        std::sort(branches.begin(), branches.end(), [](const std::vector<Rank>& left, const std::vector<Rank>& right) {
            return left.size() != right.size() ? left.size() > right.size() : left.front() < right.front();
        });
        return branches;
    }

    const Network& network_;
    const Placement& placement_;
    std::vector<std::vector<Rank>> ranks_at_;  ///< of each vertex: the participants on it
    std::vector<Vertex> order_;
    std::vector<Vertex> parent_;      ///< in order_
    std::vector<std::size_t> below_;  ///< of each vertex: participants on it and on its descendants, seen from vertex 0
};

}  // namespace

std::vector<std::vector<Rank>> balanced_branches(const Network& network, const Placement& placement) {
    if (!is_tree(network.kind()) || placement.machine_of.empty()) {
        return {};
    }
    return Branches(network, placement).at_centre();
}

}  // namespace aapc::documents
