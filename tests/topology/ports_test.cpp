// What a topology file says of ports: buffers, the MTU, bundles of cables.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "aapc/topology/bound.hpp"
#include "aapc/topology/network_digest.hpp"
#include "aapc/topology/placement.hpp"
#include "aapc/topology/topology_file.hpp"

namespace aapc {
namespace {

Network read_ports(const std::string& text) {
    Expected<Network> network = read_topology(text, "test.toml");
    EXPECT_TRUE(network) << (network ? "" : to_string(network.error())) << text;
    return network ? std::move(*network) : Network(NetworkKind::tree, {}, {}, {});
}

/// "s1-s0 4x1e9 32768/65536": every link with its cables and the buffers at its lower and upper end.
std::string ports(const Network& network) {
    std::string text;
    for (const Link& link : network.links()) {
        const auto name = [&](Vertex vertex) { return network.vertices()[static_cast<std::size_t>(vertex)].name; };
        text += fmt::format("{}-{} {}x{} {}/{}\n", name(link.lower), name(link.upper), link.cables,
                            link.flow_bits_per_second(), link.lower_buffer_bytes, link.upper_buffer_bytes);
    }
    return text;
}

TEST(Ports, NothingIsSaid) {
    const Network network = read_ports("[network]\nspeed = '1bit'\n[[switch]]\nname = 's'\nmachines = 'a'\n");
    EXPECT_EQ(network.mtu_bytes(), 1500);
    EXPECT_EQ(ports(network), "a-s 1x1 0/0\n");
}

TEST(Ports, TheNearestWordCounts) {
    const Network network = read_ports(R"(
[network]
speed = "1bit"
buffer = "1KiB"
mtu = 9000
[[switch]]
name = "s0"
machines = "a"
[[switch]]
name = "s1"
uplink = "s0"
buffer = "2KiB"
machines = "b"
[[switch]]
name = "s2"
uplink = "s1"
uplink_buffer = "3kB"
machine_buffer = "4KiB"
machines = "c"
)");
    EXPECT_EQ(network.mtu_bytes(), 9000);
    EXPECT_EQ(ports(network),
              "a-s0 1x1 0/1024\n"
              "s1-s0 1x1 2048/1024\n"
              "b-s1 1x1 0/2048\n"
              "s2-s1 1x1 3000/3000\n"
              "c-s2 1x1 0/4096\n");
    EXPECT_EQ(network.buffer_bytes(2), 2048) << "from s1 to s0 it is the port of s1";
    EXPECT_EQ(network.buffer_bytes(3), 1024);
}

TEST(Ports, OfClusters) {
    const Network network = read_ports(R"(
[network]
kind = "clusters"
speed = "1bit"
buffer = "1KiB"
mtu = 1400
[[cluster]]
name = "x"
machines = "a"
uplink_links = 2
[[cluster]]
name = "y"
machines = "b"
buffer = "2KiB"
machine_buffer = "3KiB"
[wide_area]
speed = "10bit"
buffer = "8KiB"
)");
    EXPECT_EQ(network.mtu_bytes(), 1400);
    EXPECT_EQ(ports(network),
              "x-wide-area 2x10 1024/8192\n"
              "a-x 1x1 0/1024\n"
              "y-wide-area 1x10 2048/8192\n"
              "b-y 1x1 0/3072\n");
}

TEST(Ports, OfATorusWhoseMachinesForward) {
    const Network network = read_ports(
        "[network]\nkind = 'torus'\nspeed = '1bit'\nsides = [2]\nmachines = 'a,b'\nbuffer = '64KiB'\nmtu = 9000\n");
    EXPECT_EQ(network.mtu_bytes(), 9000);
    EXPECT_EQ(ports(network), "a-b 1x1 65536/65536\n");
}

constexpr const char* bundle =
    "[network]\nspeed = '1Gbit'\n[[switch]]\nname = 's0'\nmachines = 'a[0-3]'\n"
    "[[switch]]\nname = 's1'\nuplink = 's0'\nspeed = '2Gbit'\nuplink_links = 4\nmachines = 'b[0-3]'\n";

TEST(Ports, ABundleHasTheSpeedOfItsCablesTogether) {
    const Network network = read_ports(bundle);
    const Link& link = network.links()[4];
    EXPECT_EQ(link.cables, 4);
    EXPECT_EQ(link.bits_per_second, 8e9);
    EXPECT_EQ(link.flow_bits_per_second(), 2e9);
    // 7 messages at 1 Gbit/s, not 16 at 8.
    EXPECT_DOUBLE_EQ(network_bound(network, full_placement(network)).seconds_per_byte, 7 * 8 / 1e9);
}

TEST(Ports, APhaseHasOneCableOfABundle) {
    const Network network = read_ports(
        "[network]\nspeed = '1Gbit'\n[[switch]]\nname = 's0'\nmachines = 'a'\n"
        "[[switch]]\nname = 's1'\nuplink = 's0'\nspeed = '0.5Gbit'\nuplink_links = 4\nmachines = 'b'\n");
    EXPECT_DOUBLE_EQ(network_bound(network, full_placement(network)).slowest_bits_per_second, 5e8);
}

TEST(Ports, TheDigestSeesWhatIsSaidAndOnlyThat) {
    const auto digest = [](std::string text, const std::string& behind, const std::string& more) {
        text.insert(text.find(behind) + behind.size(), more);
        return network_digest(read_ports(text));
    };
    const std::string plain = network_digest(read_ports(bundle));
    EXPECT_EQ(digest(bundle, "'1Gbit'\n", "mtu = 1500\n"), plain) << "what is the usual is as if it were not said";
    EXPECT_EQ(digest(bundle, "uplink = 's0'\n", "machine_speed = '1Gbit'\n"), plain);
    EXPECT_NE(digest(bundle, "'1Gbit'\n", "mtu = 9000\n"), plain);
    EXPECT_NE(digest(bundle, "'1Gbit'\n", "buffer = '1KiB'\n"), plain);
    EXPECT_NE(digest(bundle, "'1Gbit'\n", "buffer = '1KiB'\n"), digest(bundle, "'1Gbit'\n", "buffer = '2KiB'\n"));
    std::string one_cable = bundle;
    one_cable.replace(one_cable.find("'2Gbit'\nuplink_links = 4"), 24, "'8Gbit'\nuplink_links = 1");
    EXPECT_NE(network_digest(read_ports(one_cable)), plain);
}

}  // namespace
}  // namespace aapc
