#include "aapc/methods/cadence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "aapc/check/queues.hpp"

namespace aapc {

namespace {

constexpr std::int64_t least_buffer_bytes = 32768;
constexpr double assumed_buffer_seconds = 1e-3;
constexpr double share_of_buffer = 0.75;

constexpr Rank most_ranks_certified = 128;
constexpr double queue_probability = 1e-3;
constexpr int draws_sampled = 2;
constexpr Rank most_ranks_drawn = 64;
constexpr Rank most_ranks_sampled = 1024;

/// Whether what waits there is held back by its sender, so that nothing is lost.
bool is_port_of_sender(const Network& network, DirectedLink directed) {
    const Link& link = network.links()[static_cast<std::size_t>(directed / 2)];
    const Vertex from = directed % 2 == 0 ? link.lower : link.upper;
    return network.kind() != NetworkKind::torus && !network.vertices()[static_cast<std::size_t>(from)].is_switch;
}

std::int64_t buffer_of(const Network& network, DirectedLink directed) {
    const std::int64_t said = network.buffer_bytes(directed);
    const Link& link = network.links()[static_cast<std::size_t>(directed / 2)];
    return said > 0 ? said : assumed_buffer_bytes(link.bits_per_second);
}

/// The most bytes of a segment on the wire for a queue of `queue_messages` of them.
double room_for(const Network& network, DirectedLink directed, double queue_messages) {
    return share_of_buffer * static_cast<double>(buffer_of(network, directed)) / (queue_messages + 1);
}

/// The queue that one segment in a thousand exceeds under a hash. Sampled where there are few ranks, otherwise by the
/// formula for random offsets, whose queues are no shorter than a lattice's.
double hashed_queue_messages(const Network& network, const Placement& placement, const Bound& bound,
                             const Timetable& timetable) {
    if (placement.participants() <= most_ranks_drawn) {
        if (const auto queues =
                certify_hashed_queues(timetable, network, placement, draws_sampled, queue_probability)) {
            return queues->segments;
        }
    }
    const LinkLoad* fullest = nullptr;  // of those between switches
    for (const LinkLoad& load : bound.links) {
        const Link& link = network.links()[static_cast<std::size_t>(load.link)];
        const bool is_between = network.vertices()[static_cast<std::size_t>(link.lower)].is_switch;
        if (is_between && (fullest == nullptr || load.seconds_per_byte > fullest->seconds_per_byte)) {
            fullest = &load;
        }
    }
    if (fullest == nullptr) {
        return assumed_queue_messages;
    }
    const std::optional<Cycle> cycle = timetable.cycle();
    const double utilisation = cycle ? fullest->seconds_per_byte / cycle->seconds_per_byte : 1;
    return evenly_paced_queue(static_cast<double>(fullest->messages), utilisation, queue_probability);
}

std::int64_t most_wire_bytes(const Network& network, const Placement& placement, const Bound& bound,
                             const Timetable& timetable) {
    double room = std::numeric_limits<double>::infinity();
    const auto look_at = [&](DirectedLink directed, double queue_messages) {
        if (!is_port_of_sender(network, directed)) {
            room = std::min(room, room_for(network, directed, queue_messages));
        }
    };
    double longest = assumed_queue_messages;
    if (network.has_hashed_paths()) {
        longest = hashed_queue_messages(network, placement, bound, timetable);
        for (const LinkLoad& load : bound.links) {
            look_at(2 * load.link, longest);
            look_at(2 * load.link + 1, longest);
        }
    } else if (placement.participants() <=
               (network.kind() == NetworkKind::fabric ? most_ranks_certified : most_ranks_sampled)) {
        QueueRequest request;
        request.most_ranks_exact = most_ranks_certified;
        request.links_per_level = 2;
        if (const auto certificate = certify_queues(timetable, network, placement, request)) {
            for (const LinkQueue& link : certificate->links) {
                look_at(link.link, link.queue_bytes);
            }
            longest = certificate->longest.queue_bytes;
        }
    }
    if (placement.participants() > most_ranks_certified || room == std::numeric_limits<double>::infinity()) {
        for (const LinkLoad& load : bound.links) {
            look_at(2 * load.link, longest);
            look_at(2 * load.link + 1, longest);
        }
    }
    return std::max<std::int64_t>(static_cast<std::int64_t>(std::min(room, 1e15)), 1);
}

}  // namespace

std::int64_t assumed_buffer_bytes(double bits_per_second) {
    return std::max(least_buffer_bytes, static_cast<std::int64_t>(assumed_buffer_seconds * bits_per_second / 8));
}

std::int64_t port_buffer_bytes(const Network& network, DirectedLink directed) {
    return is_port_of_sender(network, directed) ? 0 : buffer_of(network, directed);
}

Cadence find_cadence(const Network& network, const Placement& placement, const Bound& bound,
                     const Timetable& timetable) {
    const WireFormat wire = wire_format(network.mtu_bytes());
    const std::optional<Cycle> cycle = timetable.cycle();
    if (!cycle) {
        return cadence_of_phases(bound.slowest_bits_per_second, wire);
    }
    if (!(bound.slowest_bits_per_second > 0) || !(cycle->seconds_per_byte > 0)) {
        return {};
    }
    return cadence_of_cycle(*cycle, timetable.phases(), bound.slowest_bits_per_second,
                            most_wire_bytes(network, placement, bound, timetable), wire);
}

double unequal_queue_segments(std::int64_t messages) {
    return 1.5 * std::sqrt(static_cast<double>(std::max<std::int64_t>(messages, 0)));
}

Cadence cadence_for_unequal(const Network& network, const Bound& bound, const Cadence& cadence) {
    constexpr std::int64_t fewest_frames = 3;
    double room = std::numeric_limits<double>::infinity();
    for (const LinkLoad& load : bound.links) {
        for (const DirectedLink directed : {2 * load.link, 2 * load.link + 1}) {
            if (!is_port_of_sender(network, directed)) {
                room = std::min(room, room_for(network, directed, unequal_queue_segments(load.messages)));
            }
        }
    }
    Cadence unequal = cadence;
    if (room < std::numeric_limits<double>::infinity()) {
        const WireFormat& wire = cadence.wire;
        const std::int64_t frame = wire.payload_per_frame + wire.frame_overhead + wire.acknowledgement_per_frame;
        const std::int64_t most = std::max(static_cast<std::int64_t>(std::min(room, 1e15)), fewest_frames * frame);
        unequal.most_wire_bytes = cadence.most_wire_bytes > 0 ? std::min(cadence.most_wire_bytes, most) : most;
    }
    return unequal;
}

}  // namespace aapc
