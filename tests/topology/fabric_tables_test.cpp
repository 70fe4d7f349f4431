// Forwarding tables beside a topology file: what ibroute, dump_lfts.sh and OpenSM print.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "aapc/topology/fabric.hpp"
#include "aapc/topology/topology_file.hpp"
#include "topology/files.hpp"

namespace {

using aapc::Expected;
using aapc::Machine;
using aapc::Network;
using testing::HasSubstr;

/// A directory of its own with a topology file and its tables.
class Beside {
  public:
    Beside() {
        std::string name = (std::filesystem::temp_directory_path() / "aapc-tables-XXXXXX").string();
        directory_ = ::mkdtemp(name.data());
    }
    ~Beside() { std::filesystem::remove_all(directory_); }
    Beside(const Beside&) = delete;
    Beside& operator=(const Beside&) = delete;

    [[nodiscard]] Expected<Network> read(const std::string& topology, const std::string& tables) const {
        std::ofstream(directory_ / "fabric.toml") << topology;
        std::ofstream(directory_ / "lfts.txt") << tables;
        return aapc::read_topology_file((directory_ / "fabric.toml").string());
    }
    /// What is wrong, without the directory.
    [[nodiscard]] std::string complaint(const std::string& topology, const std::string& tables) const {
        const auto network = read(topology, tables);
        return network ? "" : to_string(network.error()).substr(directory_.string().size() + 1);
    }

  private:
    std::filesystem::path directory_;
};

/// Two leaves of two machines, with `cables` to each of two spines.
std::string two_leaves(const std::string& uplinks, const std::string& of_leaf0 = "",
                       const std::string& of_spines = "") {
    return "[network]\nkind = 'fabric'\nspeed = '100Gbit'\npaths = 'static'\ntables = 'lfts.txt'\n"
           "[[switch]]\nname = 'leaf0'\nuplinks = " +
           uplinks + "\nmachines = 'n[0-1]'\n" + of_leaf0 + "[[switch]]\nname = 'leaf1'\nuplinks = " + uplinks +
           "\nmachines = 'n[2-3]'\n[[switch]]\nname = 'spine0'\n" + of_spines + "[[switch]]\nname = 'spine1'\n" +
           of_spines;
}

// As ibroute prints it, a table for each kind of header: by address, by route, and OpenSM's with quotation marks. The
// spines' tables send n0 and n2 by the first port, n1 and n3 by the second. Unlike destination-modulo, leaf0 sends both
// machines of leaf1 over spine1.
const std::string leaf0 =
    "Unicast lids [0x0-0x8] of switch Lid 5 guid 0x0002c90000000001 (MF0;leaf0:MSX6036/U1):\n"
    "  Lid  Out   Destination\n       Port     Info \n"
    "0x0001 001 : (Channel Adapter portguid 0x0002c90000000011: 'n0 mlx5_0')\n"
    "0x0002 002 : (Channel Adapter portguid 0x0002c90000000012: 'n1 mlx5_0')\n"
    "0x0003 022 : (Channel Adapter portguid 0x0002c90000000013: 'n2 mlx5_0')\n"
    "0x0004 022 : (Channel Adapter portguid 0x0002c90000000014: 'n3 mlx5_0')\n"
    "0x0005 000 : (Switch portguid 0x0002c90000000001: 'MF0;leaf0:MSX6036/U1')\n"
    "0x0006 021 : (Switch portguid 0x0002c90000000002: 'leaf1 x')\n"
    "0x0007 021 : (Switch portguid 0x0002c90000000003: 'spine0')\n"
    "0x0008 022 : (Switch portguid 0x0002c90000000004: 'spine1')\n"
    "8 valid lids dumped \n"
    "Multicast mlids [0xc000-0xc3ff] of switch Lid 5 guid 0x0002c90000000001 (leaf0):\n0xc000 what is this\n";
const std::string leaf1 =
    "Unicast lids [0x0-0x8] of switch DR path slid 0; dlid 0; 0,1,21 guid 0x0002c90000000002 (leaf1 x):\n"
    "0x0001 021 : (Channel Adapter portguid 0x0002c90000000011: 'n0 mlx5_0')\n"
    "0x0002 022 : (Channel Adapter portguid 0x0002c90000000012: 'n1 mlx5_0')\n"
    "0x0003 001 : (Channel Adapter portguid 0x0002c90000000013: 'n2 mlx5_0')\n"
    "0x0004 002 : (Channel Adapter portguid 0x0002c90000000014: 'n3 mlx5_0')\n"
    "0x0007 021 : (Switch portguid 0x0002c90000000003: 'spine0')\n"
    "0x0008 022 : (Switch portguid 0x0002c90000000004: 'spine1')\n";
std::string spine(const std::string& name) {
    return "Unicast lids [0-8] of switch Lid 7 guid 0x0002c90000000003 (\"" + name +
           "\"):\n"
           "0x0001 001 # Channel Adapter portguid 0x0002c90000000011: 'n0 mlx5_0'\n"
           "0x0002 001 # Channel Adapter portguid 0x0002c90000000012: 'n1 mlx5_0'\n"
           "0x0003 002 # Channel Adapter portguid 0x0002c90000000013: 'n2 mlx5_0'\n"
           "0x0004 002 # Channel Adapter portguid 0x0002c90000000014: 'n3 mlx5_0'\n"
           "0x0005 001 # Switch portguid 0x0002c90000000001: 'leaf0'\n"
           "0x0006 002 # Switch portguid 0x0002c90000000002: 'leaf1'\n"
           "0x0007 000 # Switch portguid 0x0002c90000000003: '" +
           name + "'\n0x0009 UNREACHABLE\n";
}
const std::string all = leaf0 + leaf1 + spine("spine0") + "\n" + spine("spine1");
const std::string one_each = "'spine[0-1]'";

/// The switches on the way between two machines.
std::string way(const Network& network, Machine from, Machine to) {
    const auto routes = aapc::FabricRoutes::find(network);
    std::vector<aapc::DirectedLink> links;
    routes->append(from, to, 0, links);
    std::string text;
    for (std::size_t hop = 0; hop + 1 < links.size(); ++hop) {
        const aapc::Link& link = network.links()[static_cast<std::size_t>(links[hop] / 2)];
        const aapc::Vertex head = links[hop] % 2 == 0 ? link.upper : link.lower;
        text += (hop == 0 ? "" : " ") + network.vertices()[static_cast<std::size_t>(head)].name;
    }
    return text;
}

TEST(FabricTables, RoutesAreThoseOfTheTables) {
    const Beside beside;
    const auto network = beside.read(two_leaves(one_each), all);
    ASSERT_TRUE(network) << to_string(network.error());
    EXPECT_EQ(network->forwarding().table.size(), 2 * 2 + 2 * 4);
    EXPECT_EQ(way(*network, 0, 2), "leaf0 spine1 leaf1");
    EXPECT_EQ(way(*network, 0, 3), "leaf0 spine1 leaf1");
    EXPECT_EQ(way(*network, 2, 0), "leaf1 spine0 leaf0");
    EXPECT_EQ(way(*network, 2, 1), "leaf1 spine1 leaf0");
}

TEST(FabricTables, TravelWithTheText) {
    const Beside beside;
    ASSERT_TRUE(beside.read(two_leaves(one_each), all));
    // Whoever gets the text has no file beside it.
    const auto text = aapc::with_tables("# nothing of the kind\n", "/nowhere/fabric.toml");
    ASSERT_TRUE(text);
    EXPECT_EQ(*text, "# nothing of the kind\n");
    const auto alone = aapc::read_topology(two_leaves(one_each), "fabric.toml");
    ASSERT_FALSE(alone);
    EXPECT_THAT(to_string(alone.error()), HasSubstr("fabric.toml:5:10: the tables 'lfts.txt' were not read"));
    const auto missing = aapc::with_tables(two_leaves(one_each), "/nowhere/fabric.toml");
    ASSERT_FALSE(missing);
    EXPECT_THAT(to_string(missing.error()), HasSubstr("/nowhere/fabric.toml:5:10: the tables 'lfts.txt': "));
}

TEST(FabricTables, ParallelCablesAreSaidByTheirPorts) {
    const Beside beside;
    const std::string two_each = "'spine[0-1]:2'";
    EXPECT_EQ(beside.complaint(two_leaves(two_each), leaf0 + leaf1 + spine("spine0") + spine("spine1")), "")
        << "of every bundle one cable is in use";
    std::string three_ports = leaf0;
    three_ports.replace(three_ports.find("0x0003 022"), 10, "0x0003 023");
    EXPECT_EQ(
        beside.complaint(two_leaves(two_each), three_ports + leaf1 + spine("spine0") + spine("spine1")),
        "lfts.txt:1: which cable port 23 of switch 'leaf0' has cannot be seen from the tables; say it at that switch "
        "of the topology file: ports = { 21 = \"spine0\", 22 = \"spine0:2\" }");
    const auto said = beside.read(two_leaves(two_each, "ports = { 23 = 'spine1:2' }\n"),
                                  three_ports + leaf1 + spine("spine0") + spine("spine1"));
    ASSERT_TRUE(said) << to_string(said.error());
    EXPECT_EQ(way(*said, 0, 2), "leaf0 spine1 leaf1");
    EXPECT_NE(said->forwarding().table[0].link, said->forwarding().table[1].link)
        << "n2 by the second, n3 by the first";
    // One neighbour with two cables: the rest are to that one.
    const auto inferred =
        beside.read(two_leaves("['spine0', 'spine1:2']"), three_ports + leaf1 + spine("spine0") + spine("spine1"));
    ASSERT_TRUE(inferred) << to_string(inferred.error());
    EXPECT_EQ(way(*inferred, 0, 2), "leaf0 spine1 leaf1");
}

TEST(FabricTables, OfAMachinesAddressesTheOneThatIsPluggedInCounts) {
    const Beside beside;
    std::string rails = all;
    // Another port of n2 is in another fabric; its address is lower, and leaf1 sends it up.
    for (const auto& [before, added] : {std::pair("0x0003 022", "0x0001 021"), {"0x0003 001", "0x0001 021"}}) {
        rails.insert(rails.find(before), std::string(added) + " : (Channel Adapter portguid 0x99: 'n2 mlx5_0')\n");
    }
    const auto network = beside.read(two_leaves(one_each), rails);
    ASSERT_TRUE(network) << to_string(network.error());
    EXPECT_EQ(way(*network, 0, 2), "leaf0 spine1 leaf1");
}

TEST(FabricTables, MistakesHaveTheirLine) {
    const Beside beside;
    const auto complaint = [&](const std::string& tables) { return beside.complaint(two_leaves(one_each), tables); };
    EXPECT_THAT(complaint("what else\n"), HasSubstr("lfts.txt:1: no forwarding table is in it; give what ibroute"));
    EXPECT_THAT(complaint("\n0x0001 001 : what\n"), HasSubstr("lfts.txt:2: an entry before the first table"));
    EXPECT_THAT(complaint(leaf0 + "Unicast lids what\n"), HasSubstr("lfts.txt:15: the first line of a table"));
    EXPECT_THAT(complaint(spine("a") + "0x0001 up\n"), HasSubstr("lfts.txt:10:7: an entry of a forwarding table"));
    EXPECT_THAT(complaint(spine("a") + "0xfffff 001\n"), HasSubstr("lfts.txt:10: an entry of a forwarding table"));
    EXPECT_THAT(complaint(leaf0 + leaf1 + spine("spine0")),
                HasSubstr("lfts.txt: there is no table of switch 'spine1'"));
    std::string incomplete = all;
    incomplete.replace(incomplete.find("n3 mlx5_0"), 9, "n4 mlx5_0");
    EXPECT_THAT(complaint(incomplete),
                HasSubstr("lfts.txt:1: the table of switch 'leaf0' has no port for machine 'n3'"));
    std::string both = all;
    both.replace(both.find("0x0008 022"), 10, "0x0008 021");
    EXPECT_THAT(complaint(both), HasSubstr("port 21 of switch 'leaf0' leads to both 'spine0' and 'spine1'"));
    std::string circle = all;
    circle.replace(circle.rfind("0x0003 002"), 10, "0x0003 001");
    EXPECT_THAT(complaint(circle), HasSubstr("in a circle"));
    const std::string topology = two_leaves(one_each);
    const std::pair<std::string, std::string> topologies[] = {
        {two_leaves(one_each, "routes = { spine0 = 'n2' }\n"), "fabric.toml:10:10: both routes and tables are given"},
        {two_leaves(one_each, "ports = 3\n"), "fabric.toml:10:9: ports "},
        {two_leaves(one_each, "ports = { a = 'spine0' }\n"), "fabric.toml:10:15: port 'a' has no number or no cable"},
        {two_leaves(one_each, "ports = { 3 = 'spine0:2' }\n"), "fabric.toml:10:15: switch 'leaf0' has only 1 cable"},
        {"[network]\nkind = 'fabric'\ntables = 'lfts.txt'\n[[switch]]\nname = 's'\nmachines = 'n'\n",
         "fabric.toml:3:10: tables are for static paths only"},
        {"[network]\nkind = 'fabric'\nspeed = '1bit'\npaths = 'static'\n[[switch]]\nname = 's'\nmachines = 'n'\nports "
         "= {}\n",
         "fabric.toml:8:9: ports say which cables the ports of tables have"},
    };
    for (const auto& [text, message] : topologies) {
        EXPECT_THAT(beside.complaint(text, all), HasSubstr(message)) << text;
    }
}

}  // namespace
