#include "imports/imports.hpp"

#include <gmock/gmock.h>

#include "aapc/topology/placement.hpp"
#include "aapc/topology/topology_file.hpp"

namespace aapc::imports {
namespace {

using testing::HasSubstr;
using testing::Not;

using Reader = Expected<FoundTree> (*)(std::string_view, const std::string&);

std::string written(Reader read, const std::string& text, double speed = 0) {
    const auto tree = read(text, "given");
    return tree ? topology_text(*tree, speed) : "refused: " + to_string(tree.error());
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
    const std::string text = written(read_slurm_conf, conf, 25e9);
    EXPECT_THAT(text,
                HasSubstr("speed = \"25Gbit\"\n\n[[switch]]\nname = \"s3\"\n\n[[switch]]\nname = \"s0\"\nuplink = "
                          "\"s3\"\nmachines = \"dev[0-5]\"\n"));
    EXPECT_THAT(text, HasSubstr("# s1: LinkSpeed=100\n"));
    expect_network(text, 6 + 6 + 3);
}

TEST(SlurmConf, AnUnknownSpeedIsAskedFor) {
    const std::string text = written(read_slurm_conf, conf);
    EXPECT_THAT(text, HasSubstr("\n# speed = \"25Gbit\"    # not known"));
    const auto network = read_topology(text, "written");
    ASSERT_FALSE(network) << "nobody may take an invented speed for a known one";
    EXPECT_THAT(network.error().problem, HasSubstr("no speed"));
}

TEST(SlurmConf, MistakesHaveTheirLine) {
    const std::pair<const char*, const char*> cases[] = {
        {"", "given:1: it describes no switch"},
        {"SwitchName=s0 Nodes=n[3-0]", "given:1:3: the range '3'-'0' runs backwards"},
        {"SwitchName=s0\n", "given:1: switch 's0' has neither"},
        {"\nNodes=n0\n", "given:2: a switch without a name"},
        {"SwitchName=s0 Nodes=a\nSwitchName=s0 Nodes=b", "given:2: switch 's0' is there twice"},
        {"SwitchName=s0 Nodes=a\nSwitchName=s1 Nodes=a\nSwitchName=s2 Switches=s[0-1]", "given:2: node 'a' is below"},
        {"SwitchName=s0 Nodes=a\nSwitchName=s1 Nodes=b", "given:2: switch 's1' is below no other"},
        {"SwitchName=s0 Switches=s7", "given:1: there is no switch 's7'"},
        {"SwitchName=s0 Switches=s1\nSwitchName=s1 Switches=s0", "in a ring"},
        {"BlockName=b0 Nodes=n[0-3]", "given:1: 'blockname' is no word"},
    };
    for (const auto& [text, message] : cases) {
        EXPECT_THAT(written(read_slurm_conf, text), HasSubstr(message)) << text;
    }
}

TEST(SlurmYaml, TakesTheDefaultTree) {
    const std::string text = written(read_slurm_yaml,
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
    EXPECT_THAT(written(read_slurm_yaml, "a: [1\n"), HasSubstr("refused: given:2:1: it is no YAML"));
    EXPECT_THAT(written(read_slurm_yaml, "- topology: t\n  flat: true\n"), HasSubstr("given:1: no tree"));
    EXPECT_THAT(written(read_slurm_yaml, "- topology: t\n  tree:\n    switches:\n      - switch: s\n"),
                HasSubstr("given:4: a switch without a name, or with neither"));
    EXPECT_THAT(written(read_slurm_yaml, ""), HasSubstr("given:1: no tree"));
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

TEST(Ibnetdiscover, SpinesBecomeOneAndSpeedsAreWhatLinksCarry) {
    const std::string text = written(read_ibnetdiscover, fabric);
    EXPECT_THAT(text, HasSubstr("# 2 switches without machines are taken as one, 'core'"));
    EXPECT_THAT(text, HasSubstr("speed = \"100Gbit\"\n\n[[switch]]\nname = \"core\"\n\n[[switch]]\nname = \"leaf1\"\n"
                                "uplink = \"core\"\nuplink_links = 2\nspeed = \"200Gbit\"\nmachines = "
                                "\"node[01-02]\"\n"));
    expect_network(text, 4);
}

TEST(Ibnetdiscover, ASingleSwitchAndMistakes) {
    const std::string one =
        fabric.substr(0, fabric.find("[31]")) + fabric.substr(fabric.find("Ca	1 \"H-00000000000000a0"));
    expect_network(written(read_ibnetdiscover, one.substr(0, one.find("Ca	1 \"H-00000000000000c0"))), 2);
    EXPECT_THAT(written(read_ibnetdiscover, ""), HasSubstr("no switch is in it"));
    EXPECT_THAT(written(read_ibnetdiscover, "\n[1]\t\"S-1\"[2]\n"), HasSubstr("given:2: a port before any switch"));
    EXPECT_THAT(written(read_ibnetdiscover, "Switch\t36 \"S-1\"\t# \"s\"\n[1] what\n"),
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
    const std::string text = written(read_lldp, document, 40e9);
    EXPECT_THAT(text, HasSubstr("uplink_links = 2\n"));
    EXPECT_THAT(text, HasSubstr("machines = \"n[0-1]\"\nmachine_speed = \"10Gbit\"\n"));
    EXPECT_THAT(text, HasSubstr("machines = \"n2\"\nmachine_speed = \"1Gbit\"\n"));
    expect_network(text, 3);
    EXPECT_THAT(written(read_lldp, document), HasSubstr("# speed = ")) << "that of the trunk is not known";
}

TEST(Lldp, Mistakes) {
    EXPECT_THAT(written(read_lldp, "[]"), HasSubstr("no JSON object with hosts"));
    EXPECT_THAT(written(read_lldp, "{"), HasSubstr("no JSON object with hosts"));
    EXPECT_THAT(written(read_lldp, "{\"n0\": 7}"), HasSubstr("host 'n0' has no \"lldp\""));
    EXPECT_THAT(written(read_lldp, "{\"n0\": {\"lldp\": {}}}"), HasSubstr("no switch is in it"));
}

TEST(HostlistText, IsShortAndReadsBack) {
    EXPECT_EQ(hostlist_text({"n0", "n1", "n2", "m", "n4"}), "n[0-2],m,n4");
    EXPECT_EQ(hostlist_text({"n08", "n09", "n10", "n12"}), "n[08-10],n12");
    EXPECT_EQ(hostlist_text({"n01", "n02", "7", "8"}), "n[01-02],[7-8]");
    EXPECT_EQ(hostlist_text({}), "");
}

}  // namespace
}  // namespace aapc::imports
