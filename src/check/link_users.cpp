// Whose messages can use a link, without looking at every pair: for networks of so many ranks that nobody could.
#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "check/channels.hpp"

namespace aapc::check {

std::vector<std::vector<DirectedLink>> Channels::levels() const {
    std::vector<std::vector<DirectedLink>> levels;
    for (std::size_t link = 0; fabric_ && link < network_->links().size(); ++link) {
        const Link& cable = network_->links()[link];
        const std::int32_t stage = std::min(fabric_->stage(cable.lower), fabric_->stage(cable.upper));
        const std::size_t level = stage < 0 ? 0 : static_cast<std::size_t>(stage) + 1;
        levels.resize(std::max(levels.size(), level + 1));
        levels[level].push_back(static_cast<DirectedLink>(2 * link));
    }
    for (const Dimension& dimension : dimensions_) {
        std::vector<DirectedLink>& links = levels.emplace_back();
        std::unordered_set<std::int32_t> seen;  // a side of two has one cable between its two machines
        std::copy_if(dimension.upward.begin(), dimension.upward.end(), std::back_inserter(links),
                     [&](DirectedLink link) { return seen.insert(link / 2).second; });
    }
    for (const Climb& climb : climbs_) {
        if (climb.depth > 0) {
            levels.resize(std::max(levels.size(), static_cast<std::size_t>(climb.depth)));
            levels[static_cast<std::size_t>(climb.depth) - 1].push_back(climb.up);
        }
    }
    return levels;
}

Channels::Users Channels::users(DirectedLink link) const {
    return network_->kind() == NetworkKind::torus ? users_in_torus(link) : users_in_tree(link);
}

Channels::Users Channels::users_in_tree(DirectedLink link) const {
    const auto below = static_cast<Vertex>(
        std::find_if(climbs_.begin(), climbs_.end(),
                     [&](const Climb& climb) { return climb.depth > 0 && climb.up / 2 == link / 2; }) -
        climbs_.begin());
    const bool upwards = climbs_[static_cast<std::size_t>(below)].up == link;
    Users users;
    for (Rank rank = 0; rank < placement_->participants(); ++rank) {
        Vertex at = vertex_of(rank);
        while (at >= 0 && at != below) {
            at = climbs_[static_cast<std::size_t>(at)].parent;
        }
        (upwards == (at == below) ? users.senders : users.receivers).push_back(rank);
    }
    return users;
}

/// Messages go through the last dimension first: in a dimension they still have the senders' coordinates of those
/// before it, and the receivers' of those behind it.
Channels::Users Channels::users_in_torus(DirectedLink link) const {
    std::size_t own = 0;
    Machine place = 0;
    for (std::size_t dimension = 0; dimension < dimensions_.size(); ++dimension) {
        const std::vector<DirectedLink>& upward = dimensions_[dimension].upward;
        const auto found =
            std::find_if(upward.begin(), upward.end(), [&](DirectedLink up) { return up / 2 == link / 2; });
        if (found != upward.end()) {
            own = dimension;
            place = static_cast<Machine>(found - upward.begin());
        }
    }
    const auto agree = [&](Machine machine, std::size_t first, std::size_t end) {
        for (std::size_t dimension = first; dimension < end; ++dimension) {
            const Dimension& at = dimensions_[dimension];
            if (machine / at.stride % at.side != place / at.stride % at.side) {
                return false;
            }
        }
        return true;
    };
    Users users;
    for (Rank rank = 0; rank < placement_->participants(); ++rank) {
        const Machine machine = placement_->machine_of[static_cast<std::size_t>(rank)];
        if (agree(machine, 0, own)) {
            users.senders.push_back(rank);
        }
        if (agree(machine, own + 1, dimensions_.size())) {
            users.receivers.push_back(rank);
        }
    }
    return users;
}

std::vector<std::int64_t> Channels::tree_loads() const {
    std::vector<std::int64_t> loads(links_, 0);
    for (Rank rank = 0; rank < placement_->participants(); ++rank) {
        for (Vertex at = vertex_of(rank); climbs_[static_cast<std::size_t>(at)].depth > 0;
             at = climbs_[static_cast<std::size_t>(at)].parent) {
            ++loads[static_cast<std::size_t>(climbs_[static_cast<std::size_t>(at)].up)];
        }
    }
    for (std::size_t link = 0; link < links_; link += 2) {
        const std::int64_t beneath = std::max(loads[link], loads[link + 1]);  // the way up is one of the two
        loads[link] = loads[link + 1] = beneath * (placement_->participants() - beneath);
    }
    return loads;
}

Vertex Channels::vertex_of(Rank rank) const {
    return network_->machines()[static_cast<std::size_t>(placement_->machine_of[static_cast<std::size_t>(rank)])]
        .vertex;
}

}  // namespace aapc::check
