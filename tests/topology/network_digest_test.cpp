#include "aapc/topology/network_digest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/topology/topology_file.hpp"

namespace aapc {
namespace {

std::string digest_of(std::string_view text) {
    const auto network = read_topology(text, "test.toml");
    EXPECT_TRUE(network) << (network ? "" : to_string(network.error())) << "\n" << text;
    return network ? network_digest(*network) : "";
}

constexpr std::string_view base = R"([[switch]]
name = "s0"
machines = ["n[0-1]"]
[[switch]]
name = "s1"
uplink = "s0"
speed = "1Gbit"
machines = ["n2:2"]
[network]
speed = "100Mbit"
)";

TEST(NetworkDigest, IsWhatFilesOfOtherVersionsHold) {
    // Worked out by another program from the canonical text.
    const Network network(NetworkKind::tree, {{"s", true}, {"a", false}, {"b", false}}, {{1, 0, 1e8}, {2, 0, 2.5e9}},
                          {{1, 1}, {2, 3}});
    EXPECT_EQ(network_digest(network), "fnv1a:6256219bd259ca22");
}

TEST(NetworkDigest, DoesNotSeeHowTheFileIsWritten) {
    EXPECT_THAT(digest_of(base), testing::MatchesRegex("fnv1a:[0-9a-f]{16}"));
    EXPECT_EQ(digest_of(R"(# the same
[network]
kind = "tree"
speed = "100000kbit"
[[switch]]
name = "s0"
machines = ["n0", "n1"]
[[switch]]
machines = "n[2-2]:2"
speed = "1000Mbit"
uplink = "s0"
name = "s1"
)"),
              digest_of(base));
}

TEST(NetworkDigest, SeesEverythingElse) {
    struct Change {
        std::string_view from;
        std::string_view to;
    };
    const std::vector<Change> changes = {
        {"\"s1\"", "\"s9\""},  {"n2:2", "n2"},       {"n2:2", "n3:2"}, {"n[0-1]", "n1\", \"n0"},
        {"n[0-1]", "n[0-2]x"}, {"100Mbit", "1Gbit"}, {"n[0-1]", "n0"}, {"100Mbit", "100.00000001Mbit"},
        {"1Gbit", "1.5Gbit"},
    };
    std::set<std::string> seen = {digest_of(base)};
    for (const Change& change : changes) {
        std::string text(base);
        text.replace(text.find(change.from), change.from.size(), change.to);
        EXPECT_TRUE(seen.insert(digest_of(text)).second) << text;
    }
}

TEST(NetworkDigest, NamesCannotPassForFacts) {
    const auto with_names = [](const std::string& first, const std::string& second) {
        return network_digest(Network(NetworkKind::tree, {{first, true}, {second, true}}, {}, {}));
    };
    EXPECT_NE(with_names("a\nswitch 1:b", "c"), with_names("a", "b\nswitch 1:c"));
}

}  // namespace
}  // namespace aapc
