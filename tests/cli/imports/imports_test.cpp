#include "cli/imports/imports.hpp"

#include <gmock/gmock.h>

#include "aapc/topology/bound.hpp"
#include "aapc/topology/placement.hpp"
#include "aapc/topology/topology_file.hpp"

namespace aapc::imports {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string written(std::string_view tool, const std::string& text, double speed = 0) {
    auto wiring = find_importer(tool)->read({text, "given", {}});
    if (!wiring) {
        return "refused: " + to_string(wiring.error());
    }
    assume_speeds(*wiring, {speed, 0});
    const auto imported = topology_of(*wiring, "given");
    return imported ? imported->text : "refused: " + to_string(imported.error());
}

/// What is written is a topology file, of so many machines.
void expect_network(const std::string& text, int machines) {
    const auto network = read_topology(text, "written");
    ASSERT_TRUE(network) << to_string(network.error()) << "\n" << text;
    EXPECT_EQ(full_placement(*network).participants(), machines) << text;
}

// As Slurm's manual page describes it, in words of another case and with a remark.
const std::string conf =
    "# racks\nSwitchName=s0 Nodes=dev[0-5]\nswitchname=s1 nodes=dev-[6-11] LinkSpeed=100\n\n"
    "SwitchName=s2 Nodes=dev[12,14-17/2]   # half a rack\nSwitchName=s3 Switches=s[0-2]\n";

TEST(SlurmConf, BecomesATopologyFile) {
    const std::string text = written("slurm", conf, 25e9);
    EXPECT_THAT(text,
                HasSubstr("speed = \"25Gbit\"\n\n[[switch]]\nname = \"s3\"\n\n[[switch]]\nname = \"s0\"\nuplink = "
                          "\"s3\"\nmachines = \"dev[0-5]\"\n"));
    EXPECT_THAT(text, HasSubstr("LinkSpeed=100 of s1 (does it mean 100Gbit?)"));
    expect_network(text, 6 + 6 + 3);
}

TEST(SlurmConf, AnUnknownSpeedIsAskedFor) {
    const std::string text = written("slurm", conf);
    EXPECT_THAT(text, HasSubstr("\n# speed = \"25Gbit\"    # not known"));
    const auto network = read_topology(text, "written");
    ASSERT_FALSE(network) << "nobody may take an invented speed for a known one";
    EXPECT_THAT(network.error().problem, HasSubstr("no speed"));
}

TEST(SlurmConf, MistakesHaveTheirLine) {
    const std::pair<const char*, const char*> cases[] = {
        {"", "given:1: no switch is in it"},
        {"SwitchName=s0 Nodes=n[3-0]", "given:1:3: the range '3'-'0' runs backwards"},
        {"SwitchName=s0\n", "given:1: switch 's0' has neither"},
        {"\nNodes=n0\n", "given:2: a switch without a name"},
        {"SwitchName=s0 Nodes=a\nSwitchName=s0 Nodes=b", "given:2: switch 's0' is there twice"},
        {"SwitchName=s0 Nodes=a\nSwitchName=s1 Nodes=a\nSwitchName=s2 Switches=s[0-1]", "given:2: node 'a' is below"},
        {"SwitchName=s0 Nodes=a\nSwitchName=s1 Nodes=b",
         "given:2: the switches are in parts that nothing connects: 's0' and 's1'"},
        {"SwitchName=s0 Switches=s7", "given:1: there is no switch 's7'"},
        {"SwitchName=s0 Switches=s1\nSwitchName=s1 Switches=s0", "in a ring"},
        {"BlockName=b0 Nodes=n[0-3]", "given:1: it describes blocks"},
    };
    for (const auto& [text, message] : cases) {
        EXPECT_THAT(written("slurm", text), HasSubstr(message)) << text;
    }
}

// Files of sites in use: names with zeros and several brackets, tabs, empty lines, levels, switches before those above.
TEST(SlurmConf, FilesInUse) {
    const std::string text = written("slurm",
                                     "##################\n# Slurm's topology\n##################\n"
                                     "SwitchName=ib-core\tSwitches=ib-row[1-2]\r\n"
                                     "SwitchName=ib-row1 Switches=ib-r1l[01-02]\n\n"
                                     "SwitchName=ib-row2 Switches=ib-r2l01 LinkSpeed=200000\n"
                                     "SwitchName=ib-r1l01 Nodes=cn[0001-0018,0020],gpu[01-02]\n"
                                     "SwitchName=ib-r1l02 Nodes=r1c[1-2]n[1-4]\n"
                                     "SwitchName=ib-r2l01 Nodes=cn[0100-0102]\n",
                                     1e11);
    EXPECT_THAT(text, HasSubstr("name = \"ib-r1l02\"\nuplink = \"ib-row1\"\nmachines = \"r1c1n[1-4],r1c2n[1-4]\"\n"));
    expect_network(text, 19 + 2 + 8 + 3);
}

TEST(SlurmYaml, TakesTheDefaultTree) {
    const std::string text = written("slurm",
                                     "---\n- topology: first\n  block:\n    block_sizes:\n      - 4\n"
                                     "- topology: second\n  cluster_default: true\n  tree:\n    switches:\n"
                                     "      - switch: root\n        children: s[1-2]\n"
                                     "      - switch: s1\n        nodes: node[01-02]\n"
                                     "      - switch: s2\n        nodes: node[03-04]\n",
                                     1e9);
    EXPECT_THAT(text, HasSubstr("name = \"s2\"\nuplink = \"root\"\nmachines = \"node[03-04]\"\n"));
    expect_network(text, 4);
}

TEST(SlurmYaml, MistakesHaveTheirLine) {
    EXPECT_THAT(written("slurm", "a: [1\n"), HasSubstr("refused: given:2:1: it is no YAML"));
    EXPECT_THAT(written("slurm", "- topology: t\n  flat: true\n"), HasSubstr("given:1: no tree"));
    EXPECT_THAT(written("slurm", "- topology: t\n  tree:\n    switches:\n      - switch: s\n"),
                HasSubstr("given:4: a switch without a name, or with neither"));
    EXPECT_THAT(written("slurm", "a: 1"), HasSubstr("given:1: no tree"));
}

// Records as ibnetdiscover prints them: two leaves below two spines, a cable from each to each, four machines.
const std::string fabric = R"(# Topology file: generated
vendid=0x2c9
switchguid=0x10(10)
Switch	36 "S-0000000000000010"		# "leaf1" base port 0 lid 1 lmc 0
[1]	"H-00000000000000a0"[1](a1) 		# "node01 HCA-1" lid 5 4xEDR
[2]	"H-00000000000000b0"[1](b1) 		# "node02 HCA-1" lid 6 4xEDR
[31]	"S-0000000000000030"[1]		# "spine1" lid 3 4xHDR
[32]	"S-0000000000000040"[1]		# "spine2" lid 4 4xHDR

switchguid=0x20(20)
Switch	36 "S-0000000000000020"		# "leaf2" base port 0 lid 2 lmc 0
[1]	"H-00000000000000c0"[1](c1) 		# "node03 HCA-1" lid 7 4xEDR
[2]	"H-00000000000000d0"[1](d1) 		# "node04 HCA-1" lid 8 4xEDR
[31]	"S-0000000000000030"[2]		# "spine1" lid 3 4xHDR
[32]	"S-0000000000000040"[2]		# "spine2" lid 4 4xHDR

Switch	36 "S-0000000000000030"		# "spine1" base port 0 lid 3 lmc 0
[1]	"S-0000000000000010"[31]		# "leaf1" lid 1 4xHDR
[2]	"S-0000000000000020"[31]		# "leaf2" lid 2 4xHDR

Switch	36 "S-0000000000000040"		# "spine2" base port 0 lid 4 lmc 0
[1]	"S-0000000000000010"[32]		# "leaf1" lid 1 4xHDR
[2]	"S-0000000000000020"[32]		# "leaf2" lid 2 4xHDR

Ca	1 "H-00000000000000a0"		# "node01 HCA-1"
[1](a1) 	"S-0000000000000010"[1]		# lid 5 lmc 0 "leaf1" lid 1 4xEDR
Ca	1 "H-00000000000000b0"		# "node02 HCA-1"
[1](b1) 	"S-0000000000000010"[2]		# lid 6 lmc 0 "leaf1" lid 1 4xEDR
Ca	1 "H-00000000000000c0"		# "node03 HCA-1"
[1](c1) 	"S-0000000000000020"[1]		# lid 7 lmc 0 "leaf2" lid 2 4xEDR
Ca	1 "H-00000000000000d0"		# "node04 HCA-1"
[1](d1) 	"S-0000000000000020"[2]		# lid 8 lmc 0 "leaf2" lid 2 4xEDR
)";

TEST(Ibnetdiscover, SeveralSpinesAreAFabricAndSpeedsAreWhatLinksCarry) {
    const std::string text = written("ibnetdiscover", fabric);
    EXPECT_THAT(text,
                HasSubstr("taken to be destination-modulo, as OpenSM's ftree routes full fat trees; give --tables"));
    EXPECT_THAT(text, HasSubstr("kind = \"fabric\"\npaths = \"static\"\nspeed = \"100Gbit\"\n\n[[switch]]\nname = "
                                "\"leaf1\"\nuplinks = \"spine[1-2]\"\nuplink_speed = \"200Gbit\"\nmachines = "
                                "\"node[01-02]\"\n"));
    expect_network(text, 4);
}

/// An entry of a table as ibroute prints it.
std::string entry(const std::string& lid, const std::string& port) {
    return "0x00" + lid + " 0" + port + " : (Channel Adapter portguid 0x1: 'what it is')\n";
}

std::string table(const std::string& guid, const std::string& entries) {
    return "Unicast lids [0x0-0x8] of switch Lid 1 guid 0x" + guid + " (what it is):\n" + entries;
}

std::string written_with(const std::string& tables, const std::vector<std::string>& unwanted = {}) {
    auto wiring = find_importer("ibnetdiscover")->read({fabric, "given", {}});
    if (const auto left = leave_out(*wiring, unwanted); !left) {
        return "refused: " + to_string(left.error());
    }
    if (const auto added = add_forwarding(*wiring, tables, "lfts.txt"); !added) {
        return "refused: " + to_string(added.error());
    }
    return topology_of(*wiring, "given")->text;
}

// Both switches of the leaves send all that is for the other leaf over spine2; spines are known by their numbers alone.
TEST(Ibnetdiscover, ForwardingTablesBecomeRoutes) {
    const std::string leaf1 =
        table("10", entry("05", "01") + entry("06", "02") + entry("07", "32") + entry("08", "32"));
    const std::string leaf2 =
        table("0020", entry("05", "32") + entry("06", "32") + entry("07", "01") + entry("08", "02"));
    const std::string down = entry("05", "01") + entry("06", "01") + entry("07", "02") + entry("08", "02");
    const std::string all = leaf1 + leaf2 + table("30", down) + table("40", down);
    const std::string text = written_with(all);
    EXPECT_THAT(text, HasSubstr("machines = \"node[01-02]\"\n[switch.routes]\n\"spine2\" = \"node[03-04]\"\n"));
    EXPECT_THAT(text, HasSubstr("name = \"spine1\"\n[switch.routes]\n\"leaf1\" = \"node[01-02]\"\n\"leaf2\" = "
                                "\"node[03-04]\"\n"));
    EXPECT_THAT(text, HasSubstr("their paths are those of the forwarding tables."));
    const auto network = read_topology(text, "written");
    ASSERT_TRUE(network) << to_string(network.error()) << text;
    EXPECT_NEAR(network_bound(*network, full_placement(*network)).seconds_per_byte * 1e9, 3 * 8 / 100.0, 1e-9)
        << "a port; a cable of 200 Gbit/s has 4 messages";
    // A switch that is left out, and what is left is a tree: it has routes nevertheless.
    EXPECT_THAT(written_with(all, {"spine1"}), HasSubstr("[switch.routes]\n\"spine2\" = \"node[03-04]\"\n"));
    const std::pair<std::string, const char*> mistakes[] = {
        {"", "lfts.txt:1: no forwarding table is in it"},
        {leaf1 + leaf2 + table("30", down),
         "lfts.txt: there is no table of switch 'spine2', number 0x0000000000000040"},
        {leaf1 + table("20", entry("05", "32")) + table("30", down) + table("40", down),
         "lfts.txt:6: the table of switch 'leaf2' has 1 of 4 machines"},
        {leaf1 + leaf2 + table("30", entry("05", "09")) + table("40", down),
         "lfts.txt:11: switch 'spine1' sends what is for machine 'node01' out of port 9, where no cable is known"},
    };
    for (const auto& [tables, message] : mistakes) {
        EXPECT_THAT(written_with(tables), HasSubstr(message));
    }
    EXPECT_THAT(written_with(all, {"spine2"}),
                HasSubstr("lfts.txt:1: switch 'leaf1' sends what is for machine 'node03'"));
}

TEST(Ibnetdiscover, ASingleSwitchAndMistakes) {
    const std::string one =
        fabric.substr(0, fabric.find("[31]")) + fabric.substr(fabric.find("Ca	1 \"H-00000000000000a0"));
    expect_network(written("ibnetdiscover", one.substr(0, one.find("Ca	1 \"H-00000000000000c0"))), 2);
    EXPECT_THAT(written("ibnetdiscover", ""), HasSubstr("no switch is in it"));
    EXPECT_THAT(written("ibnetdiscover", "\n[1]\t\"S-1\"[2]\n"), HasSubstr("given:2: a port before any switch"));
    // Two in a ring and one that nothing connects have as many cables as a tree.
    EXPECT_THAT(written("ibnetdiscover",
                        "Switch 2 \"S-1\" # \"a\"\n[1] \"S-2\"[1]\n[2] \"S-3\"[2]\nSwitch 2 \"S-2\" # \"b\"\n[2] "
                        "\"S-3\"[1]\nSwitch 2 \"S-3\" # \"c\"\nSwitch 2 \"S-4\" # \"d\"\n[1] \"H-1\"[1]\n"
                        "Ca 1 \"H-1\" # \"n1 x\"\n[1] \"S-4\"[1]\nSwitch 2 \"S-5\" # \"e\"\n[1] \"H-2\"[1]\n"
                        "Ca 1 \"H-2\" # \"n2 x\"\n[1] \"S-5\"[1]\n"),
                HasSubstr("in parts that nothing connects: 'd' and 'e'"));
    EXPECT_THAT(written("ibnetdiscover", "Switch\t36 \"S-1\"\t# \"s\"\n[1] what\n"), HasSubstr("given:2: a port that"));
}

// What fabrics in use print besides: names of managed switches and chips of directors, external ports, nodes that only
// reduce, adapters of which nobody has said whose they are, links at less than they could, and more words behind them.
TEST(Ibnetdiscover, DumpsOfFabricsInUse) {
    const std::string text = written("ibnetdiscover", R"(#
# Topology file: generated on Tue Jan  2 03:04:05 2024
#
# Initiated from node 08c0eb030000a0 port 08c0eb030000a0

vendid=0x2c9
devid=0xd2f0
sysimgguid=0x10
switchguid=0x10(10)
Switch	41 "S-0010"		# "MF0;leaf1:MQM8700/U1" enhanced port 0 lid 1 lmc 0
[1]	"H-00a0"[1](a0) 		# "cn001 mlx5_0" lid 5 2xHDR SpeedActive/Supported: HDR
[2]	"H-00b0"[1](b0) 		# "cn002 mlx5_0" lid 6 4xEDR
[3]	"H-00c0"[1](c0) 		# "MT4123 ConnectX6   Mellanox Technologies" lid 7 4xHDR
[21](ext 11)	"S-0020"[4](ext 2)		# "MF0;director:CS8500/L01/U1" lid 3 4xHDR
[41]	"H-00e0"[1](e0) 		# "Mellanox Technologies Aggregation Node" lid 9 4xHDR

Switch	40 "S-0020"		# "MF0;director:CS8500/L01/U1" enhanced port 0 lid 3 lmc 0
[4](ext 2)	"S-0010"[21](ext 11)		# "MF0;leaf1:MQM8700/U1" lid 1 4xHDR
[9]	"S-0030"[9]		# "Quantum Mellanox Technologies" lid 4 4xHDR

Switch	40 "S-0030"		# "Quantum Mellanox Technologies" base port 0 lid 4 lmc 0
[9]	"S-0020"[9]		# "MF0;director:CS8500/L01/U1" lid 3 4xHDR
[1]	"H-00d0"[2](d1) 		# "cn003 HCA-1" lid 8 1xFDR10

caguid=0xe0
Ca	1 "H-00e0"		# "Mellanox Technologies Aggregation Node"
[1](e0) 	"S-0010"[41]		# lid 9 lmc 0 "MF0;leaf1:MQM8700/U1" lid 1 4xHDR

Ca	1 "H-00a0"		# "cn001 mlx5_0"
[1](a0) 	"S-0010"[1]		# lid 5 lmc 0 "MF0;leaf1:MQM8700/U1" lid 1 2xHDR
Ca	1 "H-00b0"		# "cn002 mlx5_0"
[1](b0) 	"S-0010"[2]		# lid 6 lmc 0 "MF0;leaf1:MQM8700/U1" lid 1 4xEDR
Ca	1 "H-00c0"		# "MT4123 ConnectX6   Mellanox Technologies"
[1](c0) 	"S-0010"[3]		# lid 7 lmc 0 "MF0;leaf1:MQM8700/U1" lid 1 4xHDR
Ca	2 "H-00d0"		# "cn003 HCA-1"
[2](d1) 	"S-0030"[1]		# lid 8 lmc 0 "Quantum Mellanox Technologies" lid 4 1xFDR10
)");
    EXPECT_THAT(text,
                HasSubstr("# 1 aggregation nodes of switches are left out.\n# 1 adapters do not say whose they are"));
    EXPECT_THAT(text, HasSubstr("name = \"director-L01-U1\"\n"));
    EXPECT_THAT(
        text,
        HasSubstr("name = \"leaf1\"\nuplink = \"director-L01-U1\"\nspeed = \"200Gbit\"\nmachines = \"cn[001-002]\"\n"));
    EXPECT_THAT(text, HasSubstr("name = \"leaf1-p3-port\"\nuplink = \"leaf1\"\nspeed = \"200Gbit\"\nmachines = "
                                "\"leaf1-p3\"\nmachine_speed = "));
    EXPECT_THAT(text, HasSubstr("machines = \"cn003\"\nmachine_speed = \"10Gbit\"\n"));
    expect_network(text, 4);
}

TEST(Ibnetdiscover, NumbersThatNoPortHas) {
    EXPECT_THAT(written("ibnetdiscover", "Switch 36 \"S-1\" # \"s\"\n[99999999999] \"S-2\"[1]\n"),
                HasSubstr("given:2: a port that"));
}

std::string seen(const std::string& interface, const std::string& neighbour, const std::string& type) {
    return "{\"" + interface + "\": {\"chassis\": {\"" + neighbour +
           "\": {}}, \"port\": {\"auto-negotiation\": " + "{\"current\": \"" + type + "\"}}}}";
}

TEST(Lldp, MachinesFromTheirOwnAndTrunksFromTheSwitches) {
    const std::string document = "{\"n0\": {\"lldp\": {\"interface\": " + seen("eth0", "sw1", "10GigBaseSR") + "}}," +
                                 "\"n1\": {\"lldp\": {\"interface\": [" + seen("eth0", "sw1", "10GigBaseSR") + "]}}," +
                                 "\"n2\": {\"lldp\": {\"interface\": [" + seen("eth0", "sw2", "1000BaseTFD") + "]}}," +
                                 "\"sw1\": {\"lldp\": {\"interface\": [" + seen("p1", "sw2", "") + "," +
                                 seen("p2", "sw2", "") + "," + seen("p3", "n0", "10GigBaseSR") + "]}}}";
    const std::string text = written("lldp", document, 40e9);
    EXPECT_THAT(text, HasSubstr("uplink_links = 2\nspeed = \"40Gbit\"\n"));
    EXPECT_THAT(text, HasSubstr("speed = \"10Gbit\"\n\n[[switch]]\nname = \"sw1\"\nmachines = \"n[0-1]\"\n"));
    EXPECT_THAT(text, HasSubstr("machines = \"n2\"\nmachine_speed = \"1Gbit\"\n"));
    expect_network(text, 3);
    EXPECT_THAT(written("lldp", document), HasSubstr("# speed = ")) << "that of the trunk is not known";
}

// Neighbours that tell no name, interfaces without neighbours, types of media as standards spell them.
TEST(Lldp, DumpsOfSwitchesInUse) {
    const std::string nameless = R"({"eth1": {"via": "LLDP", "age": "0 day, 08:40:40",
        "chassis": {"id": {"type": "mac", "value": "f4:8e:38:00:00:01"}, "descr": "a switch"},
        "port": {"id": {"type": "local", "value": "512"}, "ttl": "120"}}})";
    const std::string named = R"({"enp1s0": {"via": "LLDP",
        "chassis": {"tor1": {"id": {"type": "mac", "value": "00:1c:0f:00:00:02"}, "mgmt-ip": ["192.0.2.1", "2001:db8::1"],
                             "capability": [{"type": "Bridge", "enabled": true}, {"type": "Router", "enabled": true}]}},
        "port": {"id": {"type": "ifname", "value": "Eth1/7"}, "aggregation": "5",
                 "auto-negotiation": {"supported": true, "enabled": false, "advertised": [{"type": "1000Base-T", "fd": true}],
                                      "current": "100GbaseCR4 - 100GBASE-CR4 PCS/PMA over 4 lane shielded copper"}}}})";
    const std::string document = R"({"n0": {"lldp": {"interface": )" + named + R"(}}, "n1": {"lldp": {"interface": [)" +
                                 named + R"(, {"lo": {}}]}}, "n2": {"lldp": {}}})";
    const std::string text = written("lldp", document);
    EXPECT_THAT(text, HasSubstr("speed = \"100Gbit\"\n\n[[switch]]\nname = \"tor1\"\nmachines = \"n[0-1]\"\n"));
    EXPECT_THAT(written("lldp", R"({"n0": {"lldp": {"interface": )" + nameless + "}}}", 1e9),
                HasSubstr("name = \"f4-8e-38-00-00-01\"\nmachines = \"n0\"\n"));
    EXPECT_THAT(written("lldp", R"({"n0": {"lldp": {"interface": [7, {"e": {"chassis": {"s": {}},
        "port": {"auto-negotiation": {"current": 7}}}}]}}})",
                        1e9),
                HasSubstr("machines = \"n0\""));
}

TEST(Lldp, Mistakes) {
    EXPECT_THAT(written("lldp", "[]"), HasSubstr("no JSON object with hosts"));
    EXPECT_THAT(written("lldp", "{"), HasSubstr("no JSON object with hosts"));
    EXPECT_THAT(written("lldp", "{\"n0\": 7}"), HasSubstr("host 'n0' has no \"lldp\""));
    EXPECT_THAT(written("lldp", "{\"n0\": {\"lldp\": {}}}"), HasSubstr("no switch is in it"));
}

// Platform files as SimGrid's reference describes them, of our own making.
std::string platform(const std::string& inside) {
    return "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"simgrid.dtd\">\n<platform version=\"4.1\">\n" + inside +
           "\n</platform>\n";
}

std::string cluster(const std::string& name, const std::string& numbers, const std::string& more = "") {
    return "<cluster id=\"" + name + "\" prefix=\"" + name + "-\" radical=\"" + numbers +
           "\" suffix=\".x\" speed=\"1Gf\" bw=\"125MBps\" lat=\"50us\" " + more + "/>";
}

std::string link(const std::string& name, const std::string& more = "sharing_policy='SPLITDUPLEX'") {
    return "<link id='" + name + "' bandwidth='1.25GBps' latency='1us' " + more + "/>";
}

std::string hosts(const std::string& names) {
    std::string text;
    for (const char name : names) {
        text += std::string("<host id='") + name + "' speed='1f'/>";
    }
    return text;
}

/// From one to another by links, all of one letter; of zones where there are gateways.
std::string route(const std::string& from, const std::string& to, const std::string& links,
                  const std::string& gateways = "") {
    const std::string tag = gateways.empty() ? "route" : "zoneRoute";
    std::string text = "<" + tag + " src='" + from + "' dst='" + to + "' " + gateways + ">";
    for (const char name : links) {
        text += std::string("<link_ctn id='") + name + "'/>";
    }
    return text + "</" + tag + ">";
}

TEST(Simgrid, ClustersAndTheWayBetweenThem) {
    const std::string way = "gw_src='a-a_router.x' gw_dst='b-b_router.x'";
    const std::string text =
        written("simgrid", platform("<zone id='all' routing='Full'>" + cluster("a", "0-3") + cluster("b", "0-1,7") +
                                    link("t") + route("a", "b", "t", way) + "</zone>"));
    EXPECT_THAT(text, HasSubstr("speed = \"1Gbit\"\n\n[[switch]]\nname = \"a\"\nmachines = \"a-[0-3].x\""));
    EXPECT_THAT(text, HasSubstr("name = \"b\"\nuplink = \"a\"\nspeed = \"10Gbit\"\nmachines = \"b-[0-1].x,b-7.x\"\n"));
    EXPECT_THAT(text, HasSubstr("# Not said below, since there is no word for it: a latency of 1 µs of link 't'.\n"));
    EXPECT_THAT(text, HasSubstr("a latency of 50 µs of the links of 'a' and the links of 'b'.\n"));
    expect_network(text, 7);
}

TEST(Simgrid, LatenciesOfManyAreCounted) {
    std::string inside = "<zone id='z' routing='Full'>" + hosts("pq");
    for (const char name : std::string_view("abcdefghi")) {
        inside += link(std::string(1, name));
    }
    const std::string text =
        written("simgrid", platform(inside + route("p", "q", "a") + "</zone>" +
                                    "<cluster id='c' radical='0-1' bw='1GBps' lat='never' speed='1f'/>"));
    EXPECT_THAT(text, HasSubstr("'never' is no latency"));
    EXPECT_THAT(
        written("simgrid", platform(inside + route("p", "q", "a") + "</zone>")),
        HasSubstr("a latency of 1 µs of link 'a', link 'b', link 'c', link 'd', link 'e', link 'f' and 3 others."));
}

TEST(Simgrid, ABackboneIsDividedAmongThoseWhoShareIt) {
    const std::string shared = written("simgrid", platform(cluster("c", "0-19", "bb_bw='1.25GBps' bb_lat='1us'")));
    EXPECT_THAT(
        shared,
        HasSubstr("# c: all messages share a backbone of 10 Gbit/s; each machine has its part of it, 500 Mbit/s"));
    EXPECT_THAT(shared, HasSubstr("speed = \"500Mbit\""));
    for (const char* const ample : {"bb_bw='2.5GBps'", "bb_bw='1GBps' bb_sharing_policy='FATPIPE'"}) {
        EXPECT_THAT(written("simgrid", platform(cluster("c", "0-19", ample))), HasSubstr("speed = \"1Gbit\"")) << ample;
    }
    EXPECT_THAT(written("simgrid", platform(cluster("c", "0-1", "sharing_policy='SHARED'"))), HasSubstr("\"500Mbit\""));
}

// Four hosts, two on each side of the link m, every route listed but the last.
const std::string dumb_bell = route("p", "q", "ab") + route("p", "r", "amc") + route("p", "s", "amd") +
                              route("q", "r", "bmc") + route("q", "s", "bmd");

TEST(Simgrid, TheTreeIsFoundBehindTheRoutes) {
    const std::string links = link("a") + link("b") + link("c") + link("d");
    const std::string text = written(
        "simgrid", platform("<zone id='z' routing='Full'>" + hosts("pqrs") + links +
                            link("m", "sharing_policy='SHARED'") + dumb_bell + route("r", "s", "cd") + "</zone>"));
    EXPECT_THAT(text,
                HasSubstr("speed = \"10Gbit\"\n\n[[switch]]\nname = \"z\"\nmachines = \"p,q\"\n\n[[switch]]\nname = "
                          "\"z-1\"\nuplink = \"z\"\nspeed = \"5Gbit\"\nmachines = \"r,s\"\n"));
    EXPECT_THAT(text, HasSubstr("# Zone z: SHARED links, which both directions use, count as half"));
    expect_network(text, 4);
}

TEST(Simgrid, RoutesOfOneCableAndHostLinks) {
    const std::string routed = "<zone id='z' routing='Floyd'>" + hosts("pq") + "<router id='u'/><router id='v'/>" +
                               link("a") + link("b") + link("m") + route("p", "u", "a") + route("u", "v", "m") +
                               route("v", "q", "b") + "</zone>";
    expect_network(written("simgrid", platform(routed)), 2);
    const std::string star =
        "<zone id='z' routing='Cluster'>" + hosts("pq") + link("l") + link("up") + link("down") +
        "<host_link id='p' up='l_UP' down='l_DOWN'/><host_link id='q' up='up' down='down'/></zone>";
    EXPECT_THAT(written("simgrid", platform(star)),
                HasSubstr("speed = \"10Gbit\"\n\n[[switch]]\nname = \"z\"\nmachines = \"p,q\"\n"));
}

TEST(Simgrid, FatTreesAndTori) {
    const std::string fat =
        written("simgrid", platform(cluster("f", "0-15", "topology='FAT_TREE' topo_parameters='2;4,4;1,2;1,2'")));
    EXPECT_THAT(fat, HasSubstr("name = \"f-1-0\"\nuplink = \"f\"\nuplink_links = 4\nmachines = \"f-[0-3].x"));
    expect_network(fat, 16);
    const std::string torus =
        written("simgrid", platform(cluster("t", "0-11", "topology='TORUS' topo_parameters='4,3'")));
    EXPECT_THAT(torus, HasSubstr("kind = \"torus\"\nspeed = \"1Gbit\"\nsides = [3, 4]\n"));
    expect_network(torus, 12);
}

TEST(Simgrid, MachinesOfAnotherSpeedHaveASwitchOfTheirOwn) {
    const std::string text = written(
        "simgrid", platform("<zone id='z' routing='Cluster'>" + hosts("pqr") + link("a") + link("b") +
                            "<link id='c' bandwidth='1Gbps' sharing_policy='SPLITDUPLEX'/>"
                            "<host_link id='p' up='a_UP' down='a_DOWN'/><host_link id='q' up='b_UP' down='b_DOWN'/>"
                            "<host_link id='r' up='c_UP' down='c_DOWN'/></zone>"));
    EXPECT_THAT(
        text,
        HasSubstr(
            "name = \"r-port\"\nuplink = \"z\"\nspeed = \"1Gbit\"\nmachines = \"r\"\nmachine_speed = \"1Gbit\"\n"));
    expect_network(text, 3);
}

TEST(Simgrid, WhatNoTopologyFileCanSayIsRefused) {
    const std::string four = link("a") + link("b") + link("c") + link("d") + link("m");
    const std::pair<std::string, const char*> cases[] = {
        {"", "given:1:1: it is no XML: No document element found"},
        {"<platform version='4.1'>\n<zone id='z'", "given:2:12: it is no XML"},
        {"<html/>", "given:1:2: 'html' is no platform"},
        {"<platform version='3'><AS id='a' routing='Full'/></platform>",
         "bring it to version 4.1 with simgrid_update_xml"},
        {platform(""), "given:3: no host is in it"},
        {platform(cluster("c", "0-9", "topology='DRAGONFLY'")), "given:4:2: clusters that are a 'DRAGONFLY'"},
        {platform(cluster("c", "9-0")), "'9-0' is no radical"},
        {platform(cluster("c", "0-99999")), "more than 65536 machines"},
        {platform(cluster("c", "0-9", "topology='TORUS' topo_parameters='3,3'")), "no parameters for 10 machines"},
        {platform("<zone id='z' routing='Vivaldi'/>"), "zones with routing 'Vivaldi' have no wires"},
        {platform("<zone id='z' routing='Full'><peer id='p'/></zone>"), "<peer> has no counterpart"},
        {platform("<zone id='z' routing='Full'><link id='l' bandwidth='fast'/></zone>"), "'fast' is no bandwidth"},
        {platform("<zone id='z' routing='Full'>" + link("l", "sharing_policy='WIFI'") + "</zone>"), "'WIFI'"},
        {platform("<zone id='z' routing='Full'>" + hosts("pq") + route("p", "q", "l") + "</zone>"),
         "there is no link 'l'"},
        {platform("<zone id='z' routing='Full'>" + hosts("pq") + "</zone>"), "zone 'z' has no route from 'p' to 'q'"},
        {platform("<zone id='z' routing='Full'>" + hosts("pqr") + four + route("p", "q", "a") + route("q", "r", "b") +
                  "</zone>"),
         "host 'q' passes others' messages on"},
        {platform("<zone id='z' routing='Full'>" + hosts("pqrs") + four + dumb_bell + route("r", "s", "cmd") +
                  "</zone>"),
         "the routes of zone 'z' follow no tree: that from 'r' to 's'"},
        {platform("<zone id='z' routing='Full'>" + cluster("a", "0-1") + cluster("b", "0-1") + "</zone>"),
         "no route from 'a' to 'b'"},
        {platform("<zone id='z' routing='Full'><zone id='i' routing='None'/><zone id='j' routing='None'/></zone>"),
         "no host is in it"},
        {platform(cluster("a", "0-1") + cluster("b", "0-1")), "there is no way from 'a-0.x' to 'b-0.x'"},
    };
    for (const auto& [text, message] : cases) {
        EXPECT_THAT(written("simgrid", text), HasSubstr(message)) << text;
    }
    std::string deep;
    for (int level = 0; level < 100'000; ++level) {
        deep += "<zone id='z' routing='Full'>";
    }
    EXPECT_THAT(written("simgrid", "<platform version='4.1'>" + deep), HasSubstr("it is no XML"));
    for (int level = 0; level < 100'000; ++level) {
        deep += "</zone>";
    }
    EXPECT_THAT(written("simgrid", platform(deep)), HasSubstr("within one another more than 64 times"));
}

TEST(HostlistText, IsShortAndReadsBack) {
    EXPECT_EQ(hostlist_text({"n0", "n1", "n2", "m", "n4"}), "n[0-2],m,n4");
    EXPECT_EQ(hostlist_text({"n08", "n09", "n10", "n12"}), "n[08-10],n12");
    EXPECT_EQ(hostlist_text({"n01", "n02", "7", "8"}), "n[01-02],[7-8]");
    EXPECT_EQ(hostlist_text({"n1.x2", "n2.x2", "n3.x3"}), "n[1-2].x2,n3.x3");
    EXPECT_EQ(hostlist_text({}), "");
}

}  // namespace
}  // namespace aapc::imports
