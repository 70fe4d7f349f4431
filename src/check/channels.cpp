#include "check/channels.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace aapc::check {

Channels::Channels(const Network& network, const Placement& placement)
    : network_(&network),
      placement_(&placement),
      links_(2 * network.links().size()),
      climbs_(network.vertices().size()) {}

Expected<Channels, Violation> Channels::find(const Network& network, const Placement& placement) {
    Channels channels(network, placement);
    const std::size_t vertices = network.vertices().size();
    if (network.kind() == NetworkKind::torus) {
        if (!channels.find_rings()) {
            return tl::unexpected(Violation{fmt::format(
                "The network is not a torus: its {} links do not make rings of its {} machines in each of one, two or "
                "three dimensions.",
                network.links().size(), network.machines().size())});
        }
    } else if (network.kind() == NetworkKind::fabric) {
        Expected<FabricWays, Violation> ways = FabricWays::find(network);
        if (!ways) {
            return tl::unexpected(std::move(ways.error()));
        }
        channels.fabric_ = std::move(*ways);
    } else if (network.links().size() + 1 != vertices || !channels.walk()) {
        return tl::unexpected(
            Violation{fmt::format("The network is not a tree: its {} vertices are not connected by exactly {} links.",
                                  vertices, vertices == 0 ? 0 : vertices - 1)});
    }
    if (std::optional<Violation> violation = check_placement(network, placement)) {
        return tl::unexpected(std::move(*violation));
    }
    return channels;
}

/// Breadth first from vertex 0; true if it reaches every vertex. With one link less than vertices, that makes a tree.
bool Channels::walk() {
    std::vector<Vertex> reached{0};
    reached.reserve(climbs_.size());
    climbs_[0].depth = 0;
    for (std::size_t next = 0; next < reached.size(); ++next) {
        const Vertex parent = reached[next];
        for (const std::int32_t link : network_->links_at(parent)) {
            const bool parent_is_lower = network_->links()[static_cast<std::size_t>(link)].lower == parent;
            const Vertex child = network_->other_end(link, parent);
            Climb& climb = climbs_[static_cast<std::size_t>(child)];
            if (climb.depth < 0) {
                climb = {parent, climbs_[static_cast<std::size_t>(parent)].depth + 1,
                         2 * link + (parent_is_lower ? 1 : 0), 2 * link + (parent_is_lower ? 0 : 1)};
                reached.push_back(child);
            }
        }
    }
    return reached.size() == climbs_.size();
}

/// Tries every way to number the machines of a grid row by row; true if the links are those of one.
bool Channels::find_rings() {
    const auto machines = static_cast<std::int32_t>(network_->machines().size());
    if (machines < 1 || network_->machines().size() != network_->vertices().size()) {
        return false;
    }
    for (std::int32_t planes = 1; planes <= machines; ++planes) {
        for (std::int32_t rows = 1; machines % planes == 0 && rows <= machines / planes; ++rows) {
            if (machines / planes % rows == 0 && find_rings({planes, rows, machines / planes / rows})) {
                return true;
            }
        }
    }
    return false;
}

/// Every machine next to the one behind it in each ring, and no link besides.
bool Channels::find_rings(const std::vector<std::int32_t>& sides) {
    dimensions_.clear();
    const auto machines = static_cast<Machine>(network_->machines().size());
    std::size_t links = 0;
    std::int32_t stride = machines;
    for (const std::int32_t side : sides) {
        stride /= side;
        if (side == 1) {
            continue;
        }
        Dimension& dimension = dimensions_.emplace_back(Dimension{side, stride, {}});
        links += static_cast<std::size_t>(side == 2 ? machines / 2 : machines);
        for (Machine machine = 0; machine < machines; ++machine) {
            const bool is_last = machine / stride % side == side - 1;
            const Machine next = is_last ? machine - (side - 1) * stride : machine + stride;
            const Vertex here = network_->machines()[static_cast<std::size_t>(machine)].vertex;
            const Vertex there = network_->machines()[static_cast<std::size_t>(next)].vertex;
            const std::vector<std::int32_t>& cables = network_->links_at(here);
            const auto cable = std::find_if(cables.begin(), cables.end(), [&](std::int32_t link) {
                return network_->other_end(link, here) == there;
            });
            if (cable == cables.end()) {
                return false;
            }
            const bool from_lower = network_->links()[static_cast<std::size_t>(*cable)].lower == here;
            dimension.upward.push_back(2 * *cable + (from_lower ? 0 : 1));
        }
    }
    return links == network_->links().size();
}

void Channels::route(Rank from, Rank to, std::vector<Channel>& channels) {
    const Machine source = placement_->machine_of[static_cast<std::size_t>(from)];
    const Machine target = placement_->machine_of[static_cast<std::size_t>(to)];
    channels.clear();
    channels.push_back(static_cast<Channel>(links_) + Channel{2} * from);
    if (network_->kind() == NetworkKind::torus) {
        route_in_torus(source, target, channels);
    } else if (fabric_) {
        const auto connection = (static_cast<std::uint64_t>(from) << 32U) | static_cast<std::uint32_t>(to);
        fabric_->append(source, target, draw_, connection, channels);
    } else {
        route_in_tree(network_->machines()[static_cast<std::size_t>(source)].vertex,
                      network_->machines()[static_cast<std::size_t>(target)].vertex, channels);
    }
    channels.push_back(static_cast<Channel>(links_) + Channel{2} * to + 1);
}

void Channels::crossings(Rank from, Rank to, std::vector<Crossing>& crossings) {
    crossings.clear();
    if (!has_several_ways()) {
        route(from, to, scratch_);
        for (const Channel channel : scratch_) {
            crossings.push_back({channel, 1});
        }
        return;
    }
    crossings.push_back({static_cast<Channel>(links_) + Channel{2} * from, 1});
    fabric_->spread(placement_->machine_of[static_cast<std::size_t>(from)],
                    placement_->machine_of[static_cast<std::size_t>(to)], shares_);
    for (const FabricWays::Share& share : shares_) {
        crossings.push_back({share.link, share.part});
    }
    crossings.push_back({static_cast<Channel>(links_) + Channel{2} * to + 1, 1});
}

void Channels::route_in_tree(Vertex source, Vertex target, std::vector<Channel>& channels) {
    descent_.clear();
    while (source != target) {
        const Climb& at_source = climbs_[static_cast<std::size_t>(source)];
        const Climb& at_target = climbs_[static_cast<std::size_t>(target)];
        if (at_source.depth >= at_target.depth) {
            channels.push_back(at_source.up);
            source = at_source.parent;
        } else {
            descent_.push_back(at_target.down);
            target = at_target.parent;
        }
    }
    channels.insert(channels.end(), descent_.rbegin(), descent_.rend());
}

void Channels::route_in_torus(Machine from, Machine to, std::vector<Channel>& channels) const {
    for (auto dimension = dimensions_.rbegin(); dimension != dimensions_.rend(); ++dimension) {
        const std::int32_t side = dimension->side;
        const std::int32_t start = from / dimension->stride % side;
        const std::int32_t end = to / dimension->stride % side;
        const std::int32_t above = start <= end ? end - start : end - start + side;
        const std::int32_t below = above == 0 ? 0 : side - above;
        const bool in_odd_quarter = start * 4 / side == 0 || start * 4 / side == 2;
        const bool goes_up = above < below || (above == below && in_odd_quarter);
        const Machine ring = from - start * dimension->stride;  // the first machine of it
        std::int32_t place = start;
        for (std::int32_t hop = 0; hop < std::min(above, below); ++hop) {
            const std::int32_t next = ((goes_up ? place + 1 : place - 1) + side) % side;
            const Machine lower = ring + (goes_up ? place : next) * dimension->stride;
            const DirectedLink upward = dimension->upward[static_cast<std::size_t>(lower)];
            channels.push_back(goes_up ? upward : upward ^ 1);
            place = next;
        }
        from = ring + end * dimension->stride;
    }
}

std::string Channels::name(Channel channel) const {
    if (channel >= static_cast<Channel>(links_)) {
        const Channel port = channel - static_cast<Channel>(links_);
        return port_name(*network_, *placement_, static_cast<Rank>(port / 2), port % 2 == 0);
    }
    const Link& link = network_->links()[static_cast<std::size_t>(channel / 2)];
    const auto vertex_name = [&](Vertex vertex) { return network_->vertices()[static_cast<std::size_t>(vertex)].name; };
    return channel % 2 == 0 ? fmt::format("the link {}->{}", vertex_name(link.lower), vertex_name(link.upper))
                            : fmt::format("the link {}->{}", vertex_name(link.upper), vertex_name(link.lower));
}

std::optional<Violation> check_placement(const Network& network, const Placement& placement) {
    const auto machines = static_cast<Machine>(network.machines().size());
    for (std::size_t rank = 0; rank < placement.machine_of.size(); ++rank) {
        const Machine machine = placement.machine_of[rank];
        if (machine < 0 || machine >= machines) {
            return Violation{fmt::format("Participant {} sits on machine {}, but the network has {} machines.", rank,
                                         machine, machines)};
        }
    }
    return std::nullopt;
}

std::string port_name(const Network& network, const Placement& placement, Rank rank, bool sending) {
    return fmt::format("the {} port of {}", sending ? "sending" : "receiving",
                       participant_names(network, placement)[static_cast<std::size_t>(rank)]);
}

std::string message_name(const Network& network, const Placement& placement, Rank from, Rank to) {
    const std::vector<std::string> names = participant_names(network, placement);
    return fmt::format("{}->{}", names[static_cast<std::size_t>(from)], names[static_cast<std::size_t>(to)]);
}

}  // namespace aapc::check
