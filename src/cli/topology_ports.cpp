#include "cli/topology_ports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "aapc/input/units.hpp"

namespace aapc::cli {

namespace {

/// The buffers of the ports at which messages can be lost: all but those of machines in a tree.
std::vector<std::int64_t> buffers_of_ports(const Network& network) {
    std::vector<std::int64_t> buffers;
    for (DirectedLink directed = 0; directed < static_cast<DirectedLink>(2 * network.links().size()); ++directed) {
        const Link& link = network.links()[static_cast<std::size_t>(directed / 2)];
        const Vertex port_of = directed % 2 == 0 ? link.lower : link.upper;
        if (network.kind() == NetworkKind::torus || network.vertices()[static_cast<std::size_t>(port_of)].is_switch) {
            buffers.push_back(network.buffer_bytes(directed));
        }
    }
    return buffers;
}

}  // namespace

std::string speed_of(const Link& link) {
    const std::string of_one = written_speed(link.flow_bits_per_second());
    return link.cables == 1 ? of_one : fmt::format("{}x{}", link.cables, of_one);
}

std::string count_text(std::size_t count, std::string_view singular, std::string_view plural) {
    return fmt::format("{} {}", count, count == 1 ? singular : plural);
}

std::string ports_text(const Network& network) {
    std::string text;
    const std::vector<std::int64_t> buffers = buffers_of_ports(network);
    const auto [least, most] = std::minmax_element(buffers.begin(), buffers.end());
    if (!buffers.empty() && *most > 0) {
        // The least declared buffer, where some are not declared.
        std::int64_t least_said = *most;
        for (const std::int64_t buffer : buffers) {
            least_said = buffer > 0 ? std::min(least_said, buffer) : least_said;
        }
        text += fmt::format("buffers   {}{} a port{}\n", size_text(least_said),
                            least_said == *most ? "" : " to " + size_text(*most),
                            *least > 0 ? "" : ", not known of every port");
    }
    if (network.mtu_bytes() != usual_mtu_bytes) {
        text += fmt::format("mtu       {} bytes\n", network.mtu_bytes());
    }
    const auto bundles =
        std::count_if(network.links().begin(), network.links().end(), [](const Link& link) { return link.cables > 1; });
    if (bundles > 0) {
        text += fmt::format(
            "bundles   {}; a message has one cable of it, and the bound takes them to share evenly\n",
            count_text(static_cast<std::size_t>(bundles), "link is a bundle of cables", "links are bundles of cables"));
    }
    return text;
}

void add_ports(const Link& link, nlohmann::ordered_json& shown_link) {
    if (link.cables != 1) {
        shown_link["cables"] = link.cables;
    }
    if (link.lower_buffer_bytes != 0) {
        shown_link["lower_buffer_bytes"] = link.lower_buffer_bytes;
    }
    if (link.upper_buffer_bytes != 0) {
        shown_link["upper_buffer_bytes"] = link.upper_buffer_bytes;
    }
}

void add_mtu(const Network& network, nlohmann::ordered_json& document) {
    if (network.mtu_bytes() != usual_mtu_bytes) {
        document["mtu_bytes"] = network.mtu_bytes();
    }
}

}  // namespace aapc::cli
