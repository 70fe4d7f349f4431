// `aapc topology --from`: the file on standard output, what a person can check it by on standard error.
#include "cli/imports/imports.hpp"
#include "cli/program.hpp"

namespace aapc::test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string import_case(const std::string& name) { return AAPC_SOURCE_DIRECTORY "/tests/cli/imports/cases/" + name; }

TEST(TopologyImport, EndsWithASummary) {
    const Scratch scratch;
    const Outcome run = scratch.run("topology --from ibnetdiscover " + import_case("ib-tapered-pods.txt"));
    EXPECT_EQ(run.status, 0);
    EXPECT_THAT(run.err, StartsWith("16 machines on 10 switches, from ibnetdiscover\n"
                                    "links to machines: 16 x 200 Gbit/s; cables between switches: 20 x 200 Gbit/s\n"));
    EXPECT_THAT(run.err, EndsWith("bound: 1.280 ms for each MB of message size, on agg00 - core0\n"));
    EXPECT_THAT(scratch.run("topology -", scratch.file("pods.toml", run.out)).out,
                HasSubstr("at least 1.280 ms for each MB of message size"));
}

TEST(TopologyImport, SpeedsAreThoseOfTheOptionsOrAskedFor) {
    const Scratch scratch;
    const std::string conf = scratch.file("topology.conf",
                                          "SwitchName=s0 Nodes=n[0-3]\nSwitchName=s1 Nodes=n[4-7]\n"
                                          "SwitchName=a Switches=s[0-1]\nSwitchName=b Switches=s[0-1] LinkSpeed=100\n");
    const Outcome asked = scratch.run("topology --from slurm " + conf);
    EXPECT_EQ(asked.status, 0);
    EXPECT_THAT(asked.err, AllOf(HasSubstr("Not all speeds are known"), HasSubstr("does it mean 100Gbit?"),
                                 Not(HasSubstr("bound:"))));
    expect_refusal(scratch.run("topology -", scratch.file("asked.toml", asked.out)), 2, HasSubstr("no speed"));
    const Outcome given = scratch.run("topology --from slurm " + conf + " --speed 25Gbit --uplink-speed 10Gbit");
    EXPECT_EQ(given.status, 0);
    EXPECT_THAT(given.err, HasSubstr("Assumed: 10 Gbit/s for 4 cables between switches, as --uplink-speed says.\n"));
    EXPECT_THAT(given.err, EndsWith("bound: 6.400 ms for each MB of message size, on s0 - a\n"));
}

TEST(TopologyImport, IncludesAreRelativeToTheFile) {
    const Scratch scratch;
    (void)scratch.file("racks.conf", "SwitchName=s0 Nodes=n[0-3]\n");
    const std::string conf = scratch.file("topology.conf", "Include racks.conf\n");
    EXPECT_THAT(scratch.run("topology --from slurm " + conf + " --speed 1Gbit").out,
                HasSubstr("machines = \"n[0-3]\""));
    EXPECT_THAT(scratch.run("topology --from slurm - --speed 1Gbit", conf).out, HasSubstr("machines = \"n[0-3]\""));
    const std::string missing = scratch.file("missing.conf", "\nInclude none.conf\n");
    expect_refusal(scratch.run("topology --from slurm " + missing), 2,
                   HasSubstr("missing.conf:2: cannot include 'none.conf'"));
}

TEST(TopologyImport, MistakesWriteNothing) {
    const Scratch scratch;
    const std::string mlag = import_case("lldp-mlag.json");
    expect_refusal(scratch.run("topology --from lldp " + import_case("lldp-raw-one-host.json")), 2,
                   HasSubstr("this is one host's output"));
    expect_refusal(scratch.run("topology --from lldp " + mlag + " --uplink-speed fast"), 2,
                   StartsWith("--uplink-speed: 'fast'"));
    expect_refusal(scratch.run("topology --from lldp " + mlag + " --leave-out tor9"), 2, HasSubstr("'tor9'"));
    expect_refusal(scratch.run("topology --from lldp " + mlag + " --leave-out n[1-"), 2, StartsWith("--leave-out:"));
    expect_refusal(scratch.run("topology --from lldp " + mlag + " --tables " + mlag), 2,
                   StartsWith("--tables: forwarding tables are InfiniBand's"));
    const std::string pods = import_case("ib-tapered-pods.txt");
    expect_refusal(scratch.run("topology --from ibnetdiscover " + pods + " --tables " + mlag), 2,
                   HasSubstr("lldp-mlag.json:1: no forwarding table is in it"));
    for (const std::string option : {"--speed 1Gbit", "--uplink-speed 1Gbit", "--leave-out n0", "--tables n0"}) {
        expect_refusal(scratch.run("topology " + option + " " + mlag), 2,
                       StartsWith(option.substr(0, option.find(' ')) + ": it is for --from only"));
    }
    EXPECT_THAT(scratch.run("topology --from nagios " + mlag).err, HasSubstr("nagios"));
}

TEST(TopologyImport, HelpAndCompletionNameEveryImporter) {
    const Scratch scratch;
    std::string help = scratch.run("topology --help").out;
    std::string words;
    for (const char character : help) {
        const bool is_space = character == ' ' || character == '\n';
        words += is_space && words.ends_with(' ') ? "" : std::string(1, is_space ? ' ' : character);
    }
    const std::string completion = scratch.run("completion bash").out;
    for (const imports::Importer& each : imports::importers()) {
        EXPECT_THAT(words, HasSubstr(std::string(each.name) + " (" + std::string(each.input) + ")"));
        EXPECT_THAT(words, HasSubstr(std::string(each.example)));
        EXPECT_THAT(completion, HasSubstr(std::string(each.name)));
    }
}

}  // namespace
}  // namespace aapc::test
