// Inputs made after public files and bug reports (tests/cli/imports/cases), each with what is right: the network that
// is read from the file that is written, its bound, and what the summary says.
#include <gmock/gmock.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "aapc/topology/bound.hpp"
#include "aapc/topology/placement.hpp"
#include "aapc/topology/topology_file.hpp"
#include "cli/imports/imports.hpp"
#include "topology/files.hpp"

namespace aapc::imports {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// What became of an input.
struct Import {
    std::string text;     ///< the topology file
    std::string summary;  ///< its lines
    std::string refusal;  ///< empty if there is none
    std::vector<std::string> machines;
    double bound = 0;  ///< milliseconds for each MB of message size

    /// The value of a key of a switch, as it is written; empty if it has none.
    [[nodiscard]] std::string of_switch(const std::string& name, const std::string& key) const {
        std::istringstream lines(text.substr(std::min(text.find("name = \"" + name + "\""), text.size())));
        std::string line;
        for (std::getline(lines, line); std::getline(lines, line) && line != "[[switch]]";) {
            if (line.starts_with(key + " = ")) {
                return line.substr(key.size() + 3);
            }
        }
        return "";
    }
};

struct Options {
    GivenSpeeds speeds{};
    std::vector<std::string> unwanted{};
    std::map<std::string, std::string> files{};  ///< that may be included
};

Import import(std::string_view tool, const std::string& text, const Options& options = {}) {
    Import result;
    const auto include = [&](const std::string& path) -> Expected<std::string> {
        const auto found = options.files.find(path);
        if (found == options.files.end()) {
            return failure("there is no such file", "");
        }
        return found->second;
    };
    auto wiring = find_importer(tool)->read({text, "given", include});
    if (!wiring) {
        result.refusal = to_string(wiring.error());
        return result;
    }
    if (const auto left = leave_out(*wiring, options.unwanted); !left) {
        result.refusal = to_string(left.error());
        return result;
    }
    assume_speeds(*wiring, options.speeds);
    const auto imported = topology_of(*wiring, "given");
    if (!imported) {
        result.refusal = to_string(imported.error());
        return result;
    }
    result.text = imported->text;
    for (const std::string& line : imported->summary) {
        result.summary += line + "\n";
    }
    const auto network = read_topology(imported->text, "written");
    EXPECT_EQ(imported->is_complete, network.has_value()) << imported->text;
    if (network) {
        const Placement placement = full_placement(*network);
        result.bound = network_bound(*network, placement).seconds_per_byte * 1e9;
        for (const NetworkVertex& vertex : network->vertices()) {
            if (!vertex.is_switch) {
                result.machines.push_back(vertex.name);
            }
        }
    }
    return result;
}

std::string case_text(const std::string& name) {
    return aapc::test::contents(AAPC_SOURCE_DIRECTORY "/tests/cli/imports/cases/" + name);
}

std::vector<std::string> numbered_names(const std::string& stem, int first, int last) {
    std::vector<std::string> names;
    for (int number = first; number <= last; ++number) {
        names.push_back(stem + std::to_string(number));
    }
    return names;
}

constexpr GivenSpeeds ten_gigabits{10e9, 0};

/// An ibnetdiscover dump of our own making: cables between named nodes, ports numbered as they come.
class FabricText {
  public:
    /// Several cables of one speed; an end is a switch if it is not described by host().
    void cable(const std::string& one, const std::string& other, const std::string& speed = "4xHDR", int count = 1) {
        for (int number = 0; number < count; ++number) {
            const int from = ++ports_[one];
            const int to = ++ports_[other];
            lines_[one] += line(from, other, to, speed);
            lines_[other] += line(to, one, from, speed);
        }
    }
    void host(const std::string& id, const std::string& description) { hosts_[id] = description; }

    [[nodiscard]] std::string text() const {
        std::string text;
        for (const auto& [node, lines] : lines_) {
            const auto host = hosts_.find(node);
            text += (host == hosts_.end() ? "Switch 40 \"S-" + node + "\" # \"" + node + "\"\n"
                                          : "Ca 1 \"H-" + node + "\" # \"" + host->second + "\"\n") +
                    lines + "\n";
        }
        return text;
    }

  private:
    [[nodiscard]] std::string line(int from, const std::string& to, int port, const std::string& speed) const {
        const auto host = hosts_.find(to);
        return "[" + std::to_string(from) + "] \"" + (host == hosts_.end() ? "S-" : "H-") + to + "\"[" +
               std::to_string(port) + "] # \"" + (host == hosts_.end() ? to : host->second) + "\" lid 1 " + speed +
               "\n";
    }

    std::map<std::string, std::string> hosts_;
    std::map<std::string, std::string> lines_;
    std::map<std::string, int> ports_;
};

/// Machines n<first> to n<last> below a switch.
void plug_hosts(FabricText& fabric, const std::string& leaf, int first, int last, const std::string& speed = "4xHDR") {
    for (int number = first; number <= last; ++number) {
        const std::string name = "n" + std::to_string(number);
        fabric.host(name, name + " mlx5_0");
        fabric.cable(leaf, name, speed);
    }
}

TEST(IbCases, CablesThatCameUpSlowCountForWhatTheyCarry) {
    const Import result = import("ibnetdiscover", case_text("ib-degraded-cables.txt"));
    EXPECT_EQ(result.of_switch("leaf0", "speed"), "\"410Gbit\"");
    EXPECT_EQ(result.of_switch("leaf1", "speed"), "\"410Gbit\"");
    EXPECT_EQ(result.of_switch("leaf0", "uplink_links"), "");
    EXPECT_NEAR(result.bound, 4 * 4 * 8 / 410.0, 1e-6);
    EXPECT_THAT(result.summary, HasSubstr("leaf0[7] - spine[3] (8 Gbit/s)"));
    EXPECT_THAT(result.summary, HasSubstr("leaf1[8] - spine[8] (2 Gbit/s)"));
    EXPECT_THAT(result.summary, Not(HasSubstr("leaf0[5]")));
    EXPECT_THAT(result.text, HasSubstr("# Slower than the cables beside them")) << "the file says it, too";
}

TEST(IbCases, ACableHasTheSpeedThatBothEndsKnow) {
    const std::string leaf =
        "Switch 2 \"S-a\" # \"a\"\n[1] \"H-1\"[1] # \"n1 x\" 4xEDR\n[2] \"S-b\"[2] # \"b\" 4xHDR\n";
    const std::string other =
        "Switch 2 \"S-b\" # \"b\"\n[1] \"H-2\"[1] # \"n2 x\" 4xEDR\n[2] \"S-a\"[2] # \"a\" 4xSDR\n";
    const Import result = import("ibnetdiscover", leaf + other);
    EXPECT_NEAR(result.bound, 1.0, 1e-6) << "8 Gbit/s, the slower one";
    EXPECT_THAT(result.summary, HasSubstr("The ends of 1 cables say different speeds"));
    // Seen from one end only, whichever it is.
    EXPECT_EQ(import("ibnetdiscover", leaf + "Switch 2 \"S-b\" # \"b\"\n[1] \"H-2\"[1] # \"n2 x\" 4xEDR\n").machines,
              numbered_names("n", 1, 2));
    EXPECT_EQ(import("ibnetdiscover", "Switch 2 \"S-a\" # \"a\"\n[1] \"H-1\"[1] # \"n1 x\" 4xEDR\n" + other).machines,
              numbered_names("n", 1, 2));
}

TEST(IbCases, TheCutBetweenTaperedPodsIsKept) {
    const Import result = import("ibnetdiscover", case_text("ib-tapered-pods.txt"));
    EXPECT_EQ(result.machines, numbered_names("n", 0, 15));
    EXPECT_NEAR(result.bound, 64 * 8 / 400.0, 1e-9) << "64 blocks over 400 Gbit/s";
    EXPECT_EQ(result.of_switch("leaf10", "uplinks"), "\"agg[10-11]:2\"");
    EXPECT_THAT(result.text, HasSubstr("kind = \"fabric\"\npaths = \"static\"\n"));
    EXPECT_THAT(result.summary, HasSubstr("16 machines on 10 switches, from ibnetdiscover\n"));
}

// Four levels: pods of pods, each level tapered two to one, two planes of switches above the leaves.
TEST(IbCases, EveryLevelOfATaperedTreeIsKept) {
    FabricText fabric;
    int host = 0;
    for (const std::string zone : {"x", "y"}) {
        for (const std::string pod : {"0", "1"}) {
            for (const std::string leaf : {"a", "b"}) {
                const std::string name = "leaf" + zone + pod + leaf;
                plug_hosts(fabric, name, host, host + 3);
                host += 4;
                for (const std::string plane : {"p", "q"}) {
                    fabric.cable(name, "agg" + zone + pod + plane, "4xHDR", 2);
                }
            }
            for (const std::string plane : {"p", "q"}) {
                fabric.cable("agg" + zone + pod + plane, "zone" + zone + plane, "4xHDR", 2);
            }
        }
        for (const std::string plane : {"p", "q"}) {
            fabric.cable("zone" + zone + plane, "top" + plane, "4xHDR");
        }
    }
    const Import result = import("ibnetdiscover", fabric.text());
    EXPECT_EQ(result.machines.size(), 32U);
    EXPECT_NEAR(result.bound, 16 * 16 * 8 / 400.0, 1e-9) << result.text;
    EXPECT_EQ(result.of_switch("aggx0p", "uplinks"), "\"zonexp:2\"");
    EXPECT_EQ(result.of_switch("zonexp", "uplinks"), "\"topp\"");
}

TEST(IbCases, ALeafThatLostACableHasTheOthers) {
    FabricText fabric;
    for (int leaf = 0; leaf < 4; ++leaf) {
        const std::string name = "leaf" + std::to_string(leaf);
        plug_hosts(fabric, name, 4 * leaf, 4 * leaf + 3);
        for (int spine = 0; spine < 4; ++spine) {
            if (leaf != 3 || spine != 1) {
                fabric.cable(name, "spine" + std::to_string(spine));
            }
        }
    }
    const Import result = import("ibnetdiscover", fabric.text());
    EXPECT_EQ(result.of_switch("leaf3", "uplinks"), "[\"spine0\", \"spine[2-3]\"]");
    EXPECT_EQ(result.of_switch("leaf0", "uplinks"), "\"spine[0-3]\"");
    EXPECT_THAT(result.summary, HasSubstr("their tables cannot be guessed"));
    EXPECT_THAT(result.text, HasSubstr("paths = \"sprayed\"")) << "so that the bound is one whatever they are";
    EXPECT_NEAR(result.bound, 4 * 12 * 8 / 600.0, 1e-9) << "the leaf with three cables";
}

// Switches in a row are above the same ones pair by pair: to take them for one would lose the cut in the middle.
TEST(IbCases, RingsKeepEveryCut) {
    FabricText fabric;
    for (int leaf = 0; leaf < 6; ++leaf) {
        plug_hosts(fabric, "leaf" + std::to_string(leaf), 4 * leaf, 4 * leaf + 3);
    }
    for (int spine = 0; spine < 6; ++spine) {
        fabric.cable("leaf" + std::to_string(spine), "spine" + std::to_string(spine));
        fabric.cable("leaf" + std::to_string((spine + 1) % 6), "spine" + std::to_string(spine));
    }
    // Each cable has leaf's messages to the next two leaves, and half of those to the third, of three leaves: 16 each.
    EXPECT_NEAR(import("ibnetdiscover", fabric.text()).bound, 16 * (1 + 2 + 3 / 2.0) * 8 / 200.0, 1e-9);
    FabricText ring;
    for (int leaf = 0; leaf < 4; ++leaf) {
        plug_hosts(ring, "leaf" + std::to_string(leaf), 4 * leaf, 4 * leaf + 3);
        ring.cable("leaf" + std::to_string(leaf), "leaf" + std::to_string((leaf + 1) % 4));
    }
    const Import result = import("ibnetdiscover", ring.text());
    EXPECT_NEAR(result.bound, 16 * (1 + 2 / 2.0) * 8 / 200.0, 1e-9);
    EXPECT_EQ(result.of_switch("leaf0", "uplinks"), "[\"leaf1\", \"leaf3\"]");
    EXPECT_EQ(result.of_switch("leaf3", "uplinks"), "") << "each cable once";
}

TEST(IbCases, AMachineOnASpineStaysThere) {
    const Import result = import("ibnetdiscover", case_text("ib-machine-on-spine.txt"));
    EXPECT_EQ(result.machines, (std::vector<std::string>{"n0", "n1", "n2", "n3", "store"}));
    EXPECT_EQ(result.of_switch("spine0", "machines") + result.of_switch("spine1", "machines"), "\"store\"");
    EXPECT_NEAR(result.bound, 4 * 8 / 32.0, 1e-9) << "a port; the leaves have 2 x 3 blocks on 64 Gbit/s";
}

TEST(IbCases, MachinesOnAllSpinesStayThere) {
    FabricText fabric;
    for (int leaf = 0; leaf < 3; ++leaf) {
        plug_hosts(fabric, "leaf" + std::to_string(leaf), 4 * leaf, 4 * leaf + 3);
        fabric.cable("leaf" + std::to_string(leaf), "spine0", "4xHDR", 4);
        fabric.cable("leaf" + std::to_string(leaf), "spine1", "4xHDR", 4);
    }
    plug_hosts(fabric, "spine0", 20, 20);
    plug_hosts(fabric, "spine1", 21, 21);
    const Import result = import("ibnetdiscover", fabric.text());
    EXPECT_EQ(result.of_switch("spine0", "machines"), "\"n20\"");
    EXPECT_EQ(result.of_switch("spine1", "machines"), "\"n21\"");
    EXPECT_NEAR(result.bound, 13 * 8 / 200.0, 1e-9);
}

TEST(IbCases, CablesOfOneSwitchMayDiffer) {
    FabricText fabric;
    for (const std::string leaf : {"a", "b"}) {
        plug_hosts(fabric, leaf, leaf == "a" ? 0 : 2, leaf == "a" ? 1 : 3);
        fabric.cable(leaf, "s0", "4xHDR");
        fabric.cable(leaf, "s1", "4xHDR", 2);
        fabric.cable(leaf, "s2", "4xNDR");
        fabric.cable(leaf, "s3", "4xHDR");
        fabric.cable(leaf, "s3", "4xSDR");
    }
    const Import result = import("ibnetdiscover", fabric.text());
    EXPECT_EQ(result.of_switch("a", "uplinks"), "[\"s0\", \"s1:2\", \"s[2-3]\"]");
    EXPECT_EQ(result.of_switch("a", "uplink_speeds"), "{ \"s2\" = \"400Gbit\", \"s3\" = \"208Gbit\" }");
    EXPECT_THAT(result.summary, HasSubstr("a - s3: 1 x 200 Gbit/s + 1 x 8 Gbit/s = 208 Gbit/s"));
    EXPECT_EQ(result.machines.size(), 4U) << result.text;
}

TEST(IbCases, HostsWithoutARecordAreMachines) {
    const Import result = import("ibnetdiscover", case_text("ib-no-ca-record.txt"));
    EXPECT_EQ(result.machines, numbered_names("n", 0, 3));
    EXPECT_NEAR(result.bound, 3 * 8 / 200.0, 1e-9);
    EXPECT_THAT(result.summary, HasSubstr("Machines without a Ca record, taken from their switch's lines: n2 and n3."));
}

TEST(IbCases, WhatVanishesIsSaid) {
    const std::string down = "Ca 1 \"H-9\" # \"n9 mlx5_0\"\n\n";
    const std::string router = "Rt 1 \"R-1\" # \"router\"\n[1] \"S-1\"[9] # \"a\" 4xHDR\n\n";
    const Import result =
        import("ibnetdiscover", down + router +
                                    "Switch 3 \"S-1\" # \"a\"\n[1] \"H-1\"[1] # \"n1 mlx5_0\" 4xHDR\n"
                                    "[2] \"H-2\"[1] # \"n2 mlx5_0\" 4xHDR\n[9] \"R-1\"[1] # \"router\"\n");
    EXPECT_EQ(result.machines, numbered_names("n", 1, 2));
    EXPECT_THAT(result.summary, HasSubstr("Left out, since no cable to a switch is known: n9."));
    EXPECT_THAT(result.summary, HasSubstr("1 routers to other subnets are left out."));
}

TEST(IbCases, RailsAreTheSameForAllHosts) {
    const Import result = import("ibnetdiscover", case_text("ib-two-rails.txt"));
    EXPECT_EQ(result.machines, numbered_names("gpu", 0, 3));
    EXPECT_EQ(result.of_switch("rail0", "machines"), "\"gpu[0-3]\"");
    EXPECT_NEAR(result.bound, 3 * 8 / 400.0, 1e-9);
    EXPECT_THAT(result.summary,
                HasSubstr("4 machines have up to 2 ports (rails); this is the network of mlx5_0 port 1"));
    EXPECT_THAT(result.summary,
                HasSubstr("Left out, since no message between machines passes there: switches rail1 and "
                          "spine."));
}

// One adapter with two ports, of which each host has the second one plugged in, some also the first.
TEST(IbCases, APortIsChosenForAllHostsWhateverTheOrderOfLines) {
    const std::string a =
        "Switch 9 \"S-a\" # \"a\"\n[1] \"H-1\"[1] # \"n1 mlx4_0\" 4xQDR\n[2] \"H-3\"[1] # \"n3 mlx4_0\" "
        "4xQDR\n[9] \"S-b\"[9] # \"b\" 4xQDR\n";
    const std::string b =
        "Switch 9 \"S-b\" # \"b\"\n[1] \"H-1\"[2] # \"n1 mlx4_0\" 4xQDR\n[2] \"H-2\"[2] # \"n2 mlx4_0\" "
        "4xQDR\n[3] \"H-3\"[2] # \"n3 mlx4_0\" 4xQDR\n[9] \"S-a\"[9] # \"a\" 4xQDR\n";
    for (const std::string& text : {a + b, b + a}) {
        const Import result = import("ibnetdiscover", text);
        EXPECT_EQ(result.of_switch("b", "machines"), "\"n[1-3]\"") << result.text;
        EXPECT_THAT(result.summary,
                    HasSubstr("2 machines have up to 2 ports (rails); this is the network of mlx4_0 port 2"));
    }
}

TEST(IbCases, HostsThatShareADefaultNameAreMachinesOfTheirOwn) {
    const Import result = import("ibnetdiscover", case_text("ib-same-default-name.txt"));
    EXPECT_EQ(result.machines, (std::vector<std::string>{"leaf0-p1", "leaf0-p2", "n7", "leaf1-p1", "leaf1-p2"}));
    EXPECT_NEAR(result.bound, 3 * 2 * 8 / 200.0, 1e-9);
    EXPECT_THAT(result.summary, HasSubstr("4 adapters do not say whose they are"));
}

TEST(IbCases, NamesThatNoHostWasGiven) {
    for (const std::string name :
         {"localhost mlx5_0", "localhost6 mlx5_0", "debian HCA-1", "ubuntu mlx5_0", "(none) mlx5_0", "mlx5_0", "hfi1_0",
          "HCA-1", "MT4123 ConnectX6 Mellanox Technologies", "", "node mlx5_0"}) {
        const Import result = import("ibnetdiscover", "Switch 2 \"S-a\" # \"a\"\n[3] \"H-1\"[1] # \"" + name +
                                                          "\" 4xHDR\n[4] \"H-2\"[1] # \"" + name + "\" 4xHDR\n");
        EXPECT_EQ(result.machines, numbered_names("a-p", 3, 4)) << name;
    }
}

TEST(IbCases, OtherToolsAreNamed) {
    const std::pair<const char*, const char*> cases[] = {
        {"SW     1  1 0x0002c903 4x EDR - CA     2  1 0x0002c904 ( 'leaf' - 'n0 mlx5_0' )\n",
         "given:1: it is what ibnetdiscover -p"},
        {"\nCA     2  1 0x0002c904 4x EDR 'n0 mlx5_0'\n", "given:2: it is what ibnetdiscover -p"},
        {"Switch 8 \"sw1\"\n[1] \"node1\"[1]\nHca 1 \"node1\"\n[1] \"sw1\"[1]\n",
         "given:1: node 'sw1' has no identifier"},
        {"Hca 1 \"node1\"\n[1] \"sw1\"[1]\n", "given:1: it is a network of ibsim's"},
        {"Ca\t: 0x0002c9 ports 1 \"n0 HCA-1\"\n", "given:1: it is what ibnodes"},
        {"CA: n0 mlx5_0:\n", "given:1: it is what iblinkinfo prints"},
        {"Switch: 0x0002c9 leaf:\n", "given:1: it is what iblinkinfo prints"},
        {"Switch 8 \"S-1\" # \"a\"\n", "given:1: no machine is in it"},
        {"Ca 1 \"H-1\" # \"n0 x\"\n", "given:1: no switch is in it"},
    };
    for (const auto& [text, message] : cases) {
        EXPECT_THAT(import("ibnetdiscover", text).refusal, HasSubstr(message)) << text;
    }
    EXPECT_THAT(import("ibnetdiscover", cases[0].first).refusal,
                HasSubstr("give what ibnetdiscover prints without options"));
}

TEST(LldpCases, AManagementNetworkIsKnownByItsSpeed) {
    const Import result = import("lldp", case_text("lldp-management-network.json"));
    EXPECT_EQ(result.of_switch("tor0", "machines"), "\"h[0-1]\"");
    EXPECT_EQ(result.of_switch("tor1", "machines"), "\"h[2-3]\"");
    EXPECT_EQ(result.machines.size(), 0U) << "the trunk's speed is to be filled in";
    EXPECT_THAT(result.summary, HasSubstr("Links to mgmt (1 Gbit/s) are left out"));
    EXPECT_THAT(result.summary, HasSubstr("What connects tor0 and tor1 is not known"));
    const Import filled = import("lldp", case_text("lldp-management-network.json"), {.speeds = {0, 50e9}});
    EXPECT_EQ(filled.machines, numbered_names("h", 0, 3));
    EXPECT_NEAR(filled.bound, 4 * 8 / 50.0, 1e-9);
}

TEST(LldpCases, AHostMayHaveTwoNeighbours) {
    const Import result = import("lldp", case_text("lldp-one-host-with-two-neighbours.json"));
    EXPECT_EQ(result.machines, numbered_names("h", 0, 2));
    EXPECT_NEAR(result.bound, 2 * 8 / 10.0, 1e-9);
    EXPECT_THAT(result.summary, HasSubstr("Links to mgmt (1 Gbit/s) are left out, since faster ones lead elsewhere (a "
                                          "management network?): of h0."));
}

TEST(LldpCases, TwoSwitchesOfTheSameHostsAreOne) {
    const Import result = import("lldp", case_text("lldp-mlag.json"));
    EXPECT_EQ(result.machines, numbered_names("h", 0, 3));
    EXPECT_NEAR(result.bound, 3 * 8 / 50.0, 1e-9) << "both cables of a host count";
    EXPECT_THAT(result.summary, HasSubstr("tor0 and tor1 are one switch here"));
    EXPECT_THAT(result.summary, HasSubstr("--leave-out"));
    const Import one = import("lldp", case_text("lldp-mlag.json"), {.unwanted = {"tor1"}});
    EXPECT_NEAR(one.bound, 3 * 8 / 25.0, 1e-9);
    EXPECT_THAT(import("lldp", case_text("lldp-mlag.json"), {.unwanted = {"tor9"}}).refusal,
                HasSubstr("--leave-out: no switch or machine is called 'tor9'"));
}

/// An entry of a host's interfaces, the type of medium empty if it is not known.
std::string sees(const std::string& interface, const std::string& neighbour, const std::string& type = "",
                 const std::string& capability = "") {
    return "{\"" + interface + "\": {\"chassis\": {\"" + neighbour + "\": {" +
           (capability.empty() ? "" : R"("capability": {"type": ")" + capability + R"(", "enabled": true})") +
           "}}, \"port\": {\"auto-negotiation\": {\"current\": \"" + type + "\"}}}}";
}

std::string host_entry(const std::string& name, const std::string& entries) {
    return "\"" + name + "\": {\"lldp\": {\"interface\": [" + entries + "]}}";
}

// The same two switches, asked themselves: they see the hosts and each other.
TEST(LldpCases, SwitchesThatWereAskedAreNoHosts) {
    std::string hosts;
    std::string seen;
    for (const std::string name : {"h0", "h1", "h2"}) {
        hosts += host_entry(name, sees("e0", "tor0", "25GbaseSR") + "," + sees("e1", "tor1", "25GbaseSR")) + ",";
        seen += sees("p" + name, name, "25GbaseSR") + ",";
    }
    const Import result = import("lldp", "{" + hosts + host_entry("tor0", seen + sees("up", "tor1")) + "," +
                                             host_entry("tor1", seen + sees("up", "tor0")) + "}");
    EXPECT_EQ(result.machines, numbered_names("h", 0, 2)) << result.refusal << result.text;
    EXPECT_NEAR(result.bound, 2 * 8 / 50.0, 1e-9);
}

// Two racks, and a storage network of the same speed that all hosts are plugged into: to take all three switches for
// one would lose the cut between the racks.
TEST(LldpCases, NetworksThatShareHostsAreNotOne) {
    std::string hosts;
    for (const auto& [name, tor] : {std::pair("h0", "tor0"), std::pair("h1", "tor0"), std::pair("h2", "tor1")}) {
        hosts += std::string(hosts.empty() ? "" : ",") +
                 host_entry(name, sees("e0", tor, "25GbaseSR") + "," + sees("e1", "storage", "25GbaseSR"));
    }
    EXPECT_THAT(import("lldp", "{" + hosts + "}").refusal,
                AllOf(HasSubstr("machine 'h0' is plugged into"), HasSubstr("--leave-out")));
    const Import racks = import("lldp", "{" + hosts + "}", {.speeds = {0, 10e9}, .unwanted = {"storage"}});
    EXPECT_NEAR(racks.bound, 2 * 8 / 10.0, 1e-9) << racks.refusal;
}

// Two networks, each of a leaf per rack and a spine; every host has a cable to both.
TEST(LldpCases, RailsAreAFabricOfPairs) {
    std::string hosts;
    std::string switches;
    for (const std::string rack : {"0", "1"}) {
        for (const std::string host : {"a", "b"}) {
            hosts += host_entry(host + rack,
                                sees("e0", "red" + rack, "25GbaseSR") + "," + sees("e1", "blue" + rack, "25GbaseSR")) +
                     ",";
        }
        for (const std::string rail : {"red", "blue"}) {
            std::string entries;
            entries += sees("1", "a" + rack, "25GbaseSR") + "," + sees("2", "b" + rack, "25GbaseSR") + ",";
            entries += sees("9", rail + "spine", "40GbaseSR4");
            switches += (switches.empty() ? "" : ",") + host_entry(rail + rack, entries);
        }
    }
    const Import result = import("lldp", "{" + hosts + switches + "}");
    EXPECT_EQ(result.machines.size(), 4U) << result.refusal << result.text;
    EXPECT_THAT(result.text, HasSubstr("kind = \"fabric\"\npaths = \"hashed\"\n"));
    EXPECT_THAT(result.text, HasSubstr("uplinks = [\"bluespine\", \"redspine\"]"));
    EXPECT_NEAR(result.bound, 3 * 8 / 50.0, 1e-9) << "a host's two cables; a rack has 4 messages for 80 Gbit/s";
}

// A pair of switches whose uplinks differ: half of the messages have the slower ones.
TEST(LldpCases, APairWithUnequalUplinksKeepsThem) {
    std::string hosts;
    for (const std::string host : {"a", "b", "c", "d"}) {
        hosts += host_entry(host, sees("e0", "tor0", "25GbaseSR") + "," + sees("e1", "tor1", "25GbaseSR")) + ",";
        hosts += host_entry("far" + host, sees("e0", "tor2", "100GbaseSR4")) + ",";
    }
    const auto tor = [](const std::string& name, const std::string& type, const std::string& first) {
        return host_entry(name, sees("1", first, type == "" ? "100GbaseSR4" : "25GbaseSR") + "," +
                                    sees("9", "spine", type == "" ? "100GbaseSR4" : type));
    };
    const Import result = import("lldp", "{" + hosts + tor("tor0", "100GbaseSR4", "a") + "," +
                                             tor("tor1", "40GbaseSR4", "a") + "," + tor("tor2", "", "fara") + "}");
    EXPECT_EQ(result.of_switch("tor0-pair", "uplinks"), "\"tor[0-1]:4\"") << result.refusal << result.text;
    EXPECT_THAT(result.summary, HasSubstr("'tor0-pair' stands for the ports of the machines that are plugged into tor0 "
                                          "and tor1 together (MLAG)"));
    EXPECT_NEAR(result.bound, 8 * 8 / 40.0, 1e-9) << "half of 16 messages over 40 Gbit/s";
}

TEST(LldpCases, ASwitchThatDoesNotSpeakLldpIsSaid) {
    EXPECT_THAT(import("lldp", "{" + host_entry("h0", sees("e0", "h1") + "," + sees("e0", "h2")) + "," +
                                   host_entry("h1", sees("e0", "h0") + "," + sees("e0", "h2")) + "," +
                                   host_entry("h2", sees("e0", "h0") + "," + sees("e0", "h1")) + "}")
                    .refusal,
                HasSubstr("several neighbours are seen at 'e0 of h0'"));
}

TEST(LldpCases, OnlySwitchesWereAsked) {
    const auto station = [](const std::string& port, const std::string& name) {
        return sees(port, name, "10GigBaseSR", "Station");
    };
    const Import result = import(
        "lldp",
        "{" + host_entry("s0", station("1", "n0") + "," + station("2", "n1") + "," + sees("9", "s1", "40GbaseSR4")) +
            "," + host_entry("s1", station("1", "n2") + "," + sees("9", "s0", "40GbaseSR4")) + "}");
    EXPECT_EQ(result.machines, numbered_names("n", 0, 2)) << result.refusal;
    EXPECT_NEAR(result.bound, 2 * 8 / 10.0, 1e-9);
    EXPECT_EQ(result.of_switch("s1", "speed"), "\"40Gbit\"");
}

TEST(LldpCases, LongAndShortNamesAreOneHost) {
    const Import result = import(
        "lldp", "{" + host_entry("n0", sees("e0", "sw.site", "10GigBaseSR")) + "," +
                    host_entry("n1", sees("e0", "sw.site", "10GigBaseSR")) + "," +
                    host_entry("sw", sees("1", "n0.site", "10GigBaseSR") + "," + sees("2", "n1.site", "10GigBaseSR")) +
                    "}");
    EXPECT_EQ(result.machines, numbered_names("n", 0, 1)) << result.refusal;
    EXPECT_NEAR(result.bound, 8 / 10.0, 1e-9);
}

TEST(LldpCases, AHostThatSeesNoSwitchIsNamed) {
    const Import result =
        import("lldp", "{" + host_entry("n0", sees("e0", "sw", "10GigBaseSR")) + "," +
                           host_entry("n1", sees("e0", "sw", "10GigBaseSR")) + R"(, "n2": {"lldp": {}}})");
    EXPECT_EQ(result.machines, numbered_names("n", 0, 1));
    EXPECT_THAT(result.summary, HasSubstr("Left out, since no cable to a switch is known: n2."));
}

TEST(LldpCases, OtherFormsOfLldpctl) {
    EXPECT_EQ(import("lldp", case_text("lldp-json0.json"), {.speeds = ten_gigabits}).machines,
              std::vector<std::string>{"h0"});
    const Import nameless = import("lldp", R"({"h0": {"lldp": [{"interface": [{"name": "e0", "chassis": [{"id": [
        {"type": "mac", "value": "02:00:00:00:00:01"}]}], "port": [{"auto-negotiation": [{"current": [
        {"value": "25GbaseSR"}]}]}]}]}]}})");
    EXPECT_EQ(nameless.of_switch("02-00-00-00-00-01", "machines"), "\"h0\"");
    EXPECT_THAT(nameless.text, HasSubstr("speed = \"25Gbit\""));
    const std::string raw =
        "given:1: this is one host's output, and other hosts' are missing; put it under the host's name";
    EXPECT_THAT(import("lldp", case_text("lldp-raw-one-host.json")).refusal, HasSubstr(raw));
    EXPECT_THAT(import("lldp", R"({"lldp": [{"interface": [{"name": "e0"}]}]})").refusal, HasSubstr(raw));
    EXPECT_THAT(import("lldp", R"({"lldp": {}})").refusal, HasSubstr(raw));
    for (const std::string text :
         {"-------------------------------------------------------------------------------\nLLDP neighbors:\n",
          "lldp.eth0.via=LLDP\n", "<?xml version=\"1.0\"?>\n<lldp label=\"LLDP neighbors\"/>\n"}) {
        EXPECT_THAT(import("lldp", text).refusal, AllOf(HasSubstr("given:1: it is what lldpctl prints on one host"),
                                                        HasSubstr("lldpctl -f json on each")));
    }
    EXPECT_THAT(import("lldp", "{\"n0\": 7}").refusal, HasSubstr("host 'n0' has no \"lldp\""));
}

TEST(SimgridCases, AHostThatPassesMessagesOnIsNamed) {
    EXPECT_THAT(import("simgrid", case_text("simgrid-hosts-in-a-tree.xml")).refusal,
                HasSubstr("given:2: host 'h0' passes others' messages on"));
}

TEST(SlurmCases, SpacesQuotesAndContinuedLines) {
    for (const std::string name : {"slurm-spaces.conf", "slurm-quotes.conf", "slurm-continuation.conf"}) {
        const Import result = import("slurm", case_text(name), {.speeds = ten_gigabits});
        EXPECT_EQ(result.machines, numbered_names("n", 0, 3)) << name << result.refusal;
        EXPECT_NEAR(result.bound, 3 * 8 / 10.0, 1e-9);
    }
    const std::pair<const char*, std::size_t> more[] = {
        {"SwitchName = \"s0\"   Nodes\t=\"n[0-1],n7\" # a remark\r\n", 3},
        {"SwitchName=s0 \\\r\n  LinkSpeed = 100 \\\n  Nodes=n[0-1]\nSwitchName=s1 Nodes=n2\nSwitchName=s2 "
         "Switches=s[0-1]\n",
         3},
        {"switchname=s0 nodes=n[0-1] \\", 2},
        {"# a remark that ends so \\\nSwitchName=s0 Nodes=n[0-1]\n", 2},
    };
    for (const auto& [text, machines] : more) {
        const Import result = import("slurm", text, {.speeds = ten_gigabits});
        EXPECT_EQ(result.machines.size(), machines) << text << result.refusal;
    }
    EXPECT_THAT(import("slurm", "\nSwitchName=s0 Nodes=\"n0\n").refusal,
                HasSubstr("given:2: the quotation mark after Nodes= is not closed"));
    EXPECT_THAT(import("slurm", "SwitchName=s0 Nodes=n0 \\\nColour=red").refusal,
                HasSubstr("given:1: unknown key 'colour'"));
}

TEST(SlurmCases, FilesAreIncluded) {
    const Options options{.speeds = ten_gigabits,
                          .unwanted = {},
                          .files = {{"racks/one.conf", "SwitchName=s0 Nodes=n[0-1]\nInclude \"two.conf\"\n"},
                                    {"two.conf", "SwitchName=s1 Nodes=n[2-3]\n"},
                                    {"wrong.conf", "\nSwitchName=s1 Nodes=n[3-2]\n"},
                                    {"itself.conf", "Include itself.conf\n"}}};
    const Import result = import("slurm", "include racks/one.conf  # both\nSwitchName=top Switches=s[0-1]\n", options);
    EXPECT_EQ(result.machines, numbered_names("n", 0, 3)) << result.refusal;
    const std::pair<const char*, const char*> mistakes[] = {
        {"SwitchName=s0 Nodes=a\nInclude none.conf\n", "given:2: cannot include 'none.conf': there is no such file"},
        {"Include wrong.conf\n", "wrong.conf:2:3: the range"},
        {"Include itself.conf\n", "files include one another more than 16 times"},
        {"Include\n", "given:1: Include without a file"},
    };
    for (const auto& [text, message] : mistakes) {
        EXPECT_THAT(import("slurm", text, options).refusal, HasSubstr(message)) << text;
    }
}

TEST(SlurmCases, WhatScontrolShows) {
    const Import result = import("slurm", case_text("slurm-scontrol-show-topology.txt"), {.speeds = ten_gigabits});
    EXPECT_EQ(result.machines, numbered_names("n", 0, 3)) << result.refusal;
    EXPECT_NEAR(result.bound, 4 * 8 / 10.0, 1e-9);
    EXPECT_THAT(result.summary, HasSubstr("from scontrol show topology"));
    EXPECT_THAT(result.summary, Not(HasSubstr("LinkSpeed"))) << "1 is what scontrol shows where nobody wrote one";
    EXPECT_EQ(import("slurm",
                     "SwitchName=root Level=1 LinkSpeed=1 \n   Nodes=n[0-3]\n   Switches=s[0-1]\nSwitchName=s0 Level=0 "
                     "LinkSpeed=1 Nodes=n[0-1] Switches=(null)\nSwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[2-3]\n",
                     {.speeds = ten_gigabits})
                  .machines,
              numbered_names("n", 0, 3));
    EXPECT_THAT(
        import("slurm", "SwitchName=r Level=1 Nodes=n[0-2] Switches=s0\nSwitchName=s0 Level=0 Nodes=n[0-1]\n").refusal,
        HasSubstr("given:1: node 'n2' of switch 'r' is below none of its switches"));
    EXPECT_THAT(import("slurm", "SwitchName=r Nodes=n[0-1] Switches=s0\nSwitchName=s0 Nodes=n[0-1]\n").refusal,
                HasSubstr("given:1: switch 'r' has both nodes and switches"));
}

TEST(SlurmCases, TheDefaultTopologyIsTrueInAnyCase) {
    EXPECT_EQ(import("slurm", case_text("slurm-default-in-capitals.yaml"), {.speeds = ten_gigabits}).machines,
              numbered_names("new", 1, 4));
    const auto topology = [](const std::string& name, const std::string& is_default) {
        return "- topology: " + name + "\n  cluster_default: " + is_default +
               "\n  tree:\n    switches:\n      - switch: s" + name + "\n        nodes: " + name + "[1-4]\n";
    };
    for (const std::string word : {"true", "TRUE", "yes", "Yes", "on", "ON", "\"true\"", "'True'", "\"yes\""}) {
        EXPECT_EQ(import("slurm", topology("old", "no") + topology("new", word), {.speeds = ten_gigabits}).machines,
                  numbered_names("new", 1, 4))
            << word;
    }
    for (const std::string word : {"false", "False", "no", "off", "\"false\""}) {
        EXPECT_EQ(import("slurm", topology("old", word) + topology("new", word), {.speeds = ten_gigabits}).machines,
                  numbered_names("old", 1, 4))
            << word;
    }
    EXPECT_THAT(import("slurm", topology("old", "true") + topology("new", "True")).refusal,
                HasSubstr("given:7: a second topology is the default"));
}

// As in Slurm's topology guide: four leaves, and four spines that each list all of them.
const std::string four_spines =
    "SwitchName=s0 Nodes=tux[0-3]\nSwitchName=s1 Nodes=tux[4-7]\nSwitchName=s2 Nodes=tux[8-11]\n"
    "SwitchName=s3 Nodes=tux[12-15]\nSwitchName=s4 Switches=s[0-3]\nSwitchName=s5 Switches=s[0-3]\n"
    "SwitchName=s6 Switches=s[0-3]\nSwitchName=s7 Switches=s[0-3]\n";

TEST(SlurmCases, SpinesThatListTheSameLeavesAreAFabric) {
    const Import asked = import("slurm", four_spines);
    EXPECT_THAT(asked.text, HasSubstr("\n# speed = \"25Gbit\"    # not known"));
    EXPECT_THAT(asked.text, HasSubstr("\n# uplink_speed = \"100Gbit\"    # not known: of the uplinks, each cable"));
    EXPECT_THAT(asked.summary, HasSubstr("give --speed and --uplink-speed"));
    const Import same = import("slurm", four_spines, {.speeds = {25e9, 0}});
    EXPECT_EQ(same.machines, numbered_names("tux", 0, 15));
    EXPECT_THAT(same.text, HasSubstr("kind = \"fabric\"\npaths = \"hashed\"\n"));
    EXPECT_EQ(same.of_switch("s0", "uplinks"), "\"s[4-7]\"");
    EXPECT_NEAR(same.bound, 15 * 8 / 25.0, 1e-9) << "a port; a leaf has 48 blocks on 4 x 25 Gbit/s";
    EXPECT_THAT(same.summary,
                HasSubstr("25 Gbit/s for 16 cables between switches, too, as --speed says. Are they faster? "
                          "Then give --uplink-speed."));
    const Import faster = import("slurm", four_spines, {.speeds = {100e9, 25e9}});
    EXPECT_EQ(faster.of_switch("s3", "uplink_speed"), "\"25Gbit\"");
    EXPECT_NEAR(faster.bound, 48 * 8 / 100.0, 1e-9) << "a leaf with 4 x 25 Gbit/s";
}

TEST(SlurmCases, LinkSpeedIsAQuestion) {
    const std::pair<const char*, const char*> values[] = {
        {"100", "LinkSpeed=100 of s0 (does it mean 100Gbit?)"},
        {"200000", "LinkSpeed=200000 of s0 (does it mean 200Gbit?)"},
        {"25Gbit", "LinkSpeed=25Gbit of s0 (does it mean 25Gbit?)"},
    };
    for (const auto& [value, question] : values) {
        const std::string text = std::string("SwitchName=s0 Nodes=n[0-3] LinkSpeed=") + value + "\n";
        EXPECT_THAT(import("slurm", text).summary, HasSubstr(question));
        EXPECT_THAT(import("slurm", text).text, HasSubstr(question)) << "beside the speed that is to be filled in";
        const Import given = import("slurm", text, {.speeds = ten_gigabits});
        EXPECT_THAT(given.summary, HasSubstr(question));
        EXPECT_NEAR(given.bound, 3 * 8 / 10.0, 1e-9) << "--speed counts";
    }
    EXPECT_THAT(import("slurm", "SwitchName=s0 Nodes=n[0-3] LinkSpeed=1\n").summary, Not(HasSubstr("LinkSpeed")));
}

TEST(SlurmCases, ParentsMayDiffer) {
    EXPECT_NEAR(import("slurm",
                       "SwitchName=a Nodes=a[0-3]\nSwitchName=b Nodes=b[0-3]\nSwitchName=c Nodes=c[0-3]\n"
                       "SwitchName=d Nodes=d[0-3]\nSwitchName=x Switches=a,b\nSwitchName=y Switches=b,c\n"
                       "SwitchName=z Switches=c,d\nSwitchName=w Switches=d,a\n",
                       {.speeds = ten_gigabits})
                    .bound,
                16 * (1 + 2 / 2.0) * 8 / 10.0, 1e-9);
    EXPECT_THAT(import("slurm", "SwitchName=a Nodes=n[0-3]\nSwitchName=b Nodes=n[4-7]\n").refusal,
                HasSubstr("given:2: the switches are in parts that nothing connects: 'a' and 'b'"));
    EXPECT_THAT(
        import("slurm", "SwitchName=a Nodes=n[0-3]\nSwitchName=b Nodes=n[0-3]\nSwitchName=c Switches=a,b\n").refusal,
        HasSubstr("given:2: node 'n0' is below 'a' already"));
    EXPECT_THAT(import("slurm", "SwitchName=a Nodes=n0\nSwitchName=b Switches=a,c\nSwitchName=c Switches=b\n").refusal,
                HasSubstr("given:2: switch 'b' is below itself, in a ring"));
}

TEST(AllCases, EveryImporterSaysWhatToGiveIt) {
    for (const Importer& each : importers()) {
        EXPECT_EQ(find_importer(each.name), &each);
        EXPECT_THAT(std::string(each.example), HasSubstr("aapc topology --from " + std::string(each.name)));
        const std::string topology_files = aapc::test::contents(AAPC_SOURCE_DIRECTORY "/docs/topology-files.md");
        EXPECT_THAT(topology_files, HasSubstr("| `" + std::string(each.name) + "` | " + std::string(each.input) +
                                              " | " + std::string(each.speeds) + " |"));
        EXPECT_NE(import(each.name, "").refusal, "") << each.name;
        EXPECT_NE(import(each.name, "nothing of use\n").refusal, "") << each.name;
    }
    EXPECT_EQ(find_importer("nagios"), nullptr);
    std::string names;
    std::string in_a_table;
    for (const Importer& each : importers()) {
        names += (names.empty() ? "" : "|") + std::string(each.name);
        in_a_table += (in_a_table.empty() ? "" : "\\|") + std::string(each.name);
    }
    EXPECT_THAT(aapc::test::contents(AAPC_SOURCE_DIRECTORY "/README.md"), HasSubstr("--from " + names + " FILE"));
    EXPECT_THAT(aapc::test::contents(AAPC_SOURCE_DIRECTORY "/docs/commands.md"),
                HasSubstr("--from " + in_a_table + " FILE"));
}

TEST(AllCases, EqualRemarksAreSaidOnce) {
    std::vector<std::string> remarks;
    add_remark(remarks, "one");
    add_remark(remarks, "two");
    add_remark(remarks, "one");
    EXPECT_EQ(remarks, (std::vector<std::string>{"one", "two"}));
}

TEST(AllCases, NamesAreInNaturalOrder) {
    EXPECT_TRUE(in_natural_order("n2", "n10"));
    EXPECT_FALSE(in_natural_order("n10", "n2"));
    EXPECT_TRUE(in_natural_order("n2", "n2.site"));
    EXPECT_TRUE(in_natural_order("n01", "n1"));
    EXPECT_FALSE(in_natural_order("n1", "n01"));
    EXPECT_FALSE(in_natural_order("n1", "n1"));
}

}  // namespace
}  // namespace aapc::imports
