#include "check/channels.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace aapc::check {

Channels::Channels(const Network& network, const Demand& demand)
    : network_(&network), demand_(&demand), links_(2 * network.links().size()), climbs_(network.vertices().size()) {}

Expected<Channels, Violation> Channels::find(const Network& network, const Demand& demand) {
    Channels channels(network, demand);
    const std::size_t vertices = network.vertices().size();
    if (network.links().size() + 1 != vertices || !channels.walk()) {
        return tl::unexpected(
            Violation{fmt::format("The network is not a tree: its {} vertices are not connected by exactly {} links.",
                                  vertices, vertices == 0 ? 0 : vertices - 1)});
    }
    if (std::optional<Violation> violation = check_placement(network, demand)) {
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

void Channels::route(Rank from, Rank to, std::vector<Channel>& channels) {
    const auto vertex_of = [&](Rank rank) {
        const Machine machine = demand_->machine_of[static_cast<std::size_t>(rank)];
        return network_->machines()[static_cast<std::size_t>(machine)].vertex;
    };
    Vertex source = vertex_of(from);
    Vertex target = vertex_of(to);
    channels.clear();
    descent_.clear();
    channels.push_back(static_cast<Channel>(links_) + Channel{2} * from);
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
    channels.push_back(static_cast<Channel>(links_) + Channel{2} * to + 1);
}

std::string Channels::name(Channel channel) const {
    if (channel >= static_cast<Channel>(links_)) {
        const Channel port = channel - static_cast<Channel>(links_);
        return port_name(*network_, *demand_, static_cast<Rank>(port / 2), port % 2 == 0);
    }
    const Link& link = network_->links()[static_cast<std::size_t>(channel / 2)];
    const auto vertex_name = [&](Vertex vertex) { return network_->vertices()[static_cast<std::size_t>(vertex)].name; };
    return channel % 2 == 0 ? fmt::format("the link {}->{}", vertex_name(link.lower), vertex_name(link.upper))
                            : fmt::format("the link {}->{}", vertex_name(link.upper), vertex_name(link.lower));
}

std::optional<Violation> check_placement(const Network& network, const Demand& demand) {
    const auto machines = static_cast<Machine>(network.machines().size());
    for (std::size_t rank = 0; rank < demand.machine_of.size(); ++rank) {
        const Machine machine = demand.machine_of[rank];
        if (machine < 0 || machine >= machines) {
            return Violation{fmt::format("Participant {} sits on machine {}, but the network has {} machines.", rank,
                                         machine, machines)};
        }
    }
    return std::nullopt;
}

std::string port_name(const Network& network, const Demand& demand, Rank rank, bool sending) {
    return fmt::format("the {} port of {}", sending ? "sending" : "receiving",
                       participant_names(network, demand)[static_cast<std::size_t>(rank)]);
}

std::string message_name(const Network& network, const Demand& demand, Rank from, Rank to) {
    const std::vector<std::string> names = participant_names(network, demand);
    return fmt::format("{}->{}", names[static_cast<std::size_t>(from)], names[static_cast<std::size_t>(to)]);
}

}  // namespace aapc::check
