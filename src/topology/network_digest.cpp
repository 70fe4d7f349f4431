#include "aapc/topology/network_digest.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string_view>

#include "input/fnv1a.hpp"

namespace aapc {

namespace {

/// The network as text: one line a fact, but none for what is as it usually is, so that files keep their digest when
/// the format learns of more. Buffers and the MTU count where they are given, because segments are cut to fit them:
/// what was measured with others was measured of other schedules. Names are preceded by their lengths, so that no name
/// can pass for a fact.
std::string canonical_text(const Network& network) {
    std::string text = fmt::format("kind {}\n", to_string(network.kind()));
    const auto out = std::back_inserter(text);
    for (const NetworkVertex& vertex : network.vertices()) {
        fmt::format_to(out, "{} {}:{}\n", vertex.is_switch ? "switch" : "host", vertex.name.size(), vertex.name);
    }
    for (const Link& link : network.links()) {
        fmt::format_to(out, "link {} {} {}\n", link.lower, link.upper, link.bits_per_second);
        if (link.latency_seconds > 0) {
            fmt::format_to(out, "latency {}\n", link.latency_seconds);
        }
        if (link.cables != 1) {
            fmt::format_to(out, "cables {}\n", link.cables);
        }
        if (link.lower_buffer_bytes != 0 || link.upper_buffer_bytes != 0) {
            fmt::format_to(out, "buffers {} {}\n", link.lower_buffer_bytes, link.upper_buffer_bytes);
        }
    }
    if (network.mtu_bytes() != usual_mtu_bytes) {
        fmt::format_to(out, "mtu {}\n", network.mtu_bytes());
    }
    if (network.kind() == NetworkKind::fabric) {
        fmt::format_to(out, "paths {}\n", to_string(network.forwarding().paths));
        for (const TableEntry& entry : network.forwarding().table) {
            fmt::format_to(out, "entry {} {} {}\n", entry.at, entry.to, entry.link);
        }
    }
    for (const NetworkMachine& machine : network.machines()) {
        fmt::format_to(out, "machine {} {}\n", machine.vertex, machine.ranks);
    }
    return text;
}

}  // namespace

std::string fnv1a_text(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char character : text) {
        hash ^= static_cast<unsigned char>(character);
        hash *= 0x100000001b3;
    }
    return fmt::format("fnv1a:{:016x}", hash);
}

std::string network_digest(const Network& network) { return fnv1a_text(canonical_text(network)); }

}  // namespace aapc
