#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/program.hpp"

namespace {

using aapc::test::contents;
using aapc::test::Outcome;
using aapc::test::Scratch;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string examples = AAPC_SOURCE_DIRECTORY "/examples/";

TEST(TopologyCommand, TextSaysWhatItIsWhatItCostsAndWhere) {
    const Scratch scratch;
    const Outcome run = scratch.run("topology " + examples + "chain-4x4.toml");
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(
        run.out,
        "tree      4 switches, 16 machines, 16 ranks\n"
        "bound     64 messages on the busiest directed link: at least as many phases\n"
        "          at least 5.120 s for each MB of message size; 167.772 ms for messages of 32 KiB\n"
        "\n"
        "busiest links      messages       speed   time per MB\n"
        "s2 - s1                  64     100Mbit       5.120 s\n"
        "s1 - s0                  48     100Mbit       3.840 s\n"
        "s3 - s2                  48     100Mbit       3.840 s\n"
        "n0 - s0                  15     100Mbit       1.200 s\n"
        "n1 - s0                  15     100Mbit       1.200 s\n"
        "n2 - s0                  15     100Mbit       1.200 s\n"
        "n3 - s0                  15     100Mbit       1.200 s\n"
        "n4 - s1                  15     100Mbit       1.200 s\n"
        "... and 11 links with less or the same to carry\n"
        "\n"
        "aapc exec: communicator of 16 ranks on 16 machines: native; from 3052 bytes lattice/settled+timed (bound "
        "64 messages on s2-s1 at 100 Mbit/s; worth a start of 2.6 ms from 15.6 ms of bound on)\n");
}

TEST(TopologyCommand, TextSaysWhereEqualPhasesCannotReachTheBound) {
    const Scratch scratch;
    const Outcome run = scratch.run("topology " + examples + "uneven-nodes.toml");
    EXPECT_EQ(run.status, 0);
    EXPECT_THAT(run.out, HasSubstr("3 switches, 8 machines, 22 ranks\n"));
    EXPECT_THAT(run.out, HasSubstr("Equal phases cannot reach this bound: each of the 112 phases lasts as long as a "
                                   "message on the slowest\nlink (100Mbit), 8.960 s for each MB in all, which is 1.96 "
                                   "times the bound.\n"));
    // Where all links are alike, or the busiest link is the slowest, they can.
    EXPECT_THAT(scratch.run("topology " + examples + "chain-4x4.toml").out, Not(HasSubstr("Equal phases")));
}

TEST(TopologyCommand, TextOfOneMachineAlone) {
    const Scratch scratch;
    const std::string file =
        scratch.file("one.toml", "[network]\nspeed = '1Gbit'\n[[switch]]\nname = 's'\nmachines = 'n:4'\n");
    const Outcome run = scratch.run("topology " + file);
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(
        run.out,
        "tree      1 switch, 1 machine, 4 ranks\nno message crosses a link\n\naapc exec: communicator of 4 ranks "
        "on 1 machine: native; from 1 bytes aggregate/carriers-all+window:all, if calls show that it is faster (all "
        "ranks are on one machine and no message crosses a link)\n");
    const json document = json::parse(scratch.run("topology --format json " + file).out);
    EXPECT_EQ(document.at("links"), json::array());
    EXPECT_EQ(document.at("bound").at("messages"), 3);
    EXPECT_EQ(document.at("bound").at("seconds_per_byte"), 0.0);
}

TEST(TopologyCommand, JsonHasEverything) {
    const Scratch scratch;
    const std::string file =
        scratch.file("c.toml",
                     "[network]\nspeed = '100Mbit'\n"
                     "[[switch]]\nname = 'leaf'\nuplink = 'top'\nspeed = '2.5Gbit'\nmachines = 'b:2'\n"
                     "[[switch]]\nname = 'top'\nmachine_speed = '0.5bit'\nmachines = 'a'\n");
    const Outcome run = scratch.run("topology --format json " + file);
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(run.err, "");
    json document = json::parse(run.out);
    EXPECT_THAT(document.value("exec", ""), StartsWith("communicator of 3 ranks on 2 machines: native; from "));
    document.erase("exec");
    EXPECT_EQ(document, json::parse(R"({
        "format": "aapc-topology/1",
        "kind": "tree",
        "switches": [{"name": "leaf", "uplink": "top", "speed": 2500000000},
                     {"name": "top", "uplink": null, "speed": null}],
        "machines": [{"name": "b", "switch": "leaf", "ranks": 2, "speed": 100000000},
                     {"name": "a", "switch": "top", "ranks": 1, "speed": 0.5}],
        "ranks": 3,
        "bound": {"messages": 2, "seconds_per_byte": 32.0, "slowest_bits_per_second": 0.5},
        "links": [{"lower": "a", "upper": "top", "bits_per_second": 0.5, "messages": 2, "seconds_per_byte": 32.0},
                  {"lower": "b", "upper": "leaf", "bits_per_second": 100000000, "messages": 2, "seconds_per_byte": 1.6e-7},
                  {"lower": "leaf", "upper": "top", "bits_per_second": 2500000000, "messages": 2,
                   "seconds_per_byte": 6.4e-9}]})"));
}

const std::string bundles =
    "[network]\nspeed = '25Gbit'\nmtu = 9000\nbuffer = '128KiB'\n[[switch]]\nname = 's0'\nmachines = 'a[0-31]'\n"
    "[[switch]]\nname = 's1'\nuplink = 's0'\nspeed = '10Gbit'\nuplink_links = 4\nbuffer = '1000000B'\nmachines = "
    "'b[0-31]'\n";

TEST(TopologyCommand, BuffersPacketsAndBundlesInAllFormats) {
    const Scratch scratch;
    const std::string file = scratch.file("bundles.toml", bundles);
    const Outcome text = scratch.run("topology " + file);
    EXPECT_EQ(text.status, 0) << text.err;
    EXPECT_THAT(text.out, HasSubstr("buffers   128 KiB to 1000000 bytes a port\n"
                                    "mtu       9000 bytes\n"
                                    "bundles   1 link is a bundle of cables; a message has one cable of it, and the "
                                    "bound takes them to share evenly\n"));
    EXPECT_THAT(text.out, HasSubstr("s1 - s0                1024    4x10Gbit    204.800 ms\n"));
    const json document = json::parse(scratch.run("topology --format json " + file).out);
    EXPECT_EQ(document.at("mtu_bytes"), 9000);
    const json& busiest = document.at("links").at(0);
    EXPECT_EQ(busiest.at("bits_per_second"), 40'000'000'000);
    EXPECT_EQ(busiest.at("cables"), 4);
    EXPECT_EQ(busiest.at("lower_buffer_bytes"), 1'000'000);
    EXPECT_EQ(busiest.at("upper_buffer_bytes"), 131'072);
    EXPECT_FALSE(document.at("links").at(1).contains("cables"));
    EXPECT_FALSE(document.at("links").at(1).contains("lower_buffer_bytes")) << "a machine's own port";
    EXPECT_THAT(scratch.run("topology --format dot " + file).out, HasSubstr("[label=\"4x10Gbit, 1024 messages\""));
}

TEST(TopologyCommand, BuffersOfSomePorts) {
    const Scratch scratch;
    const std::string file = scratch.file("some.toml",
                                          "[network]\nspeed = '1Gbit'\n[[switch]]\nname = 's0'\nmachines = 'a,b'\n"
                                          "[[switch]]\nname = 's1'\nuplink = 's0'\nbuffer = '2MiB'\nmachines = 'c'\n");
    EXPECT_THAT(scratch.run("topology " + file).out, HasSubstr("buffers   2 MiB a port, not known of every port\n"));
}

TEST(TopologyCommand, DotMarksTheBusiestLinks) {
    const Scratch scratch;
    const Outcome run = scratch.run("topology --format dot " + examples + "star-4+3x4.toml");
    EXPECT_EQ(run.status, 0);
    EXPECT_THAT(run.out, HasSubstr(R"("s0" -- "s1" [label="100Mbit, 48 messages", color=red, penwidth=3];)"));
    EXPECT_THAT(run.out, HasSubstr(R"("s0" -- "n0" [label="100Mbit, 15 messages"];)"));
    std::size_t marked = 0;
    for (std::size_t at = run.out.find("color=red"); at != std::string::npos; at = run.out.find("color=red", at + 1)) {
        ++marked;
    }
    EXPECT_EQ(marked, 3U);
}

TEST(TopologyCommand, TorusInAllFormats) {
    const Scratch scratch;
    const Outcome text = scratch.run("topology " + examples + "torus-8x8.toml");
    EXPECT_EQ(text.status, 0) << text.err;
    EXPECT_THAT(
        text.out,
        StartsWith("torus     8 x 8, 64 machines, 64 ranks\n"
                   "bound     64 messages on the busiest directed link: at least as many phases\n"
                   "          at least 512.000 ms for each MB of message size; 16.777 ms for messages of 32 KiB\n"
                   "\n"
                   "busiest links      messages       speed   time per MB\n"
                   "t0 - t8                  64       1Gbit    512.000 ms\n"
                   "t0 - t1                  64       1Gbit    512.000 ms\n"));
    const std::string file =
        scratch.file("t.toml", "[network]\nkind = 'torus'\nspeed = '1Mbit'\nsides = [1, 3]\nmachines = 'a:2,b,c'\n");
    const Outcome run = scratch.run("topology --format json " + file);
    EXPECT_EQ(run.status, 0) << run.err;
    json document = json::parse(run.out);
    EXPECT_THAT(document.value("exec", ""),
                StartsWith("communicator of 4 ranks on 3 machines: native; from 19884 bytes lattice"));
    document.erase("exec");
    EXPECT_EQ(document, json::parse(R"({
        "format": "aapc-topology/1",
        "kind": "torus",
        "sides": [3],
        "machines": [{"name": "a", "ranks": 2}, {"name": "b", "ranks": 1}, {"name": "c", "ranks": 1}],
        "ranks": 4,
        "bound": {"messages": 3, "seconds_per_byte": 1.6e-5, "slowest_bits_per_second": 1000000},
        "links": [{"lower": "a", "upper": "b", "bits_per_second": 1000000, "messages": 2, "seconds_per_byte": 1.6e-5},
                  {"lower": "c", "upper": "a", "bits_per_second": 1000000, "messages": 2, "seconds_per_byte": 1.6e-5},
                  {"lower": "b", "upper": "c", "bits_per_second": 1000000, "messages": 1,
                   "seconds_per_byte": 8e-6}]})"));
    const Outcome dot = scratch.run("topology --format dot " + file);
    EXPECT_EQ(dot.status, 0) << dot.err;
    EXPECT_THAT(dot.out, HasSubstr(R"("b" -- "a" [label="1Mbit, 2 messages", color=red, penwidth=3];)"));
    EXPECT_THAT(dot.out, HasSubstr(R"("c" -- "b" [label="1Mbit, 1 messages"];)"));
    const std::string alone =
        scratch.file("one.toml", "[network]\nkind = 'torus'\nspeed = '1Mbit'\nsides = [1]\nmachines = 'a'\n");
    EXPECT_EQ(
        scratch.run("topology " + alone).out,
        "torus     1 machine, 1 machine, 1 rank\nno message crosses a link\n\naapc exec: communicator of 1 rank on "
        "1 machine: native (with fewer than three ranks there is nothing to schedule)\n");
}

/// Start-ups and blocks by the formulas, buffers of the plans as `aapc schedule` has them.
TEST(TopologyCommand, TorusWithWhatItsAlgorithmsTake) {
    const Scratch scratch;
    const std::string file = examples + "torus-8x8.toml";
    const Outcome text = scratch.run("topology " + file);
    EXPECT_EQ(text.status, 0) << text.err;
    EXPECT_THAT(
        text.out,
        HasSubstr("\n\n"
                  "algorithms            start-ups  blocks sent  buffer blocks  buffers for 32 KiB\n"
                  "torus/divisions-0             6          192            113            3616 KiB\n"
                  "torus/divisions-1             7          416            232            7424 KiB\n"
                  "torus/divisions-2             8          736            475           15200 KiB\n"
                  "torus-direct/plain           64           64              0               0 KiB\n\n"
                  "aapc exec: communicator of 64 ranks on 64 machines: native; from 37403 bytes "
                  "torus-direct/plain+timed (bound 64 messages on t0-t8 at 1 Gbit/s; worth a start of 3.63 ms from "
                  "19.1 ms of bound on)\n"));
    const Outcome run = scratch.run("topology --format json " + file);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(json::parse(run.out)["algorithms"][1],
              json({{"method", "torus/divisions-1"}, {"start_ups", 7}, {"sent_blocks", 416}, {"buffer_blocks", 232}}));
    for (int divisions = 0; divisions <= 2; ++divisions) {
        const std::int64_t blocks =
            json::parse(run.out)["algorithms"][static_cast<std::size_t>(divisions)]["buffer_blocks"];
        EXPECT_THAT(scratch.run("schedule " + file + " --algorithm torus --divisions " + std::to_string(divisions)).out,
                    HasSubstr("\nbuffers for " + std::to_string(blocks) + " blocks at most on a rank"));
    }
    const std::string large = scratch.file(
        "large.toml", "[network]\nkind = 'torus'\nspeed = '1Mbit'\nsides = [20, 20]\nmachines = 't[0-399]'\n");
    const json without = json::parse(scratch.run("topology --format json " + large).out);
    EXPECT_EQ(without["algorithms"][0]["start_ups"], 12);
    EXPECT_EQ(without["algorithms"][0]["buffer_blocks"], nullptr) << "too many plans to make";
    EXPECT_EQ(without["algorithms"].back()["buffer_blocks"], 0);
}

TEST(TopologyCommand, GraphvizTakesDot) {
    if (std::system("dot -V >/dev/null 2>&1") != 0) {
        GTEST_SKIP() << "Graphviz is not installed";
    }
    const Scratch scratch;
    // Names that are words, numbers or ports to Graphviz unless they are quoted.
    const std::string file = scratch.file("odd.toml",
                                          "[network]\nspeed = '1Gbit'\n[[switch]]\nname = 'graph'\n"
                                          "machines = 'node,edge,strict,1.2.3,0-1,a.b_c-d:3,subgraph'\n");
    for (const std::string& topology :
         {file, examples + "uneven-nodes.toml", examples + "faraj-yuan-2007-figure-1.toml"}) {
        const Outcome run = scratch.run("topology --format dot " + topology);
        ASSERT_EQ(run.status, 0) << run.err;
        const std::string picture = scratch.path("picture.svg");
        const std::string dot = scratch.file("graph.dot", run.out);
        ASSERT_EQ(
            std::system(("timeout 60 dot -Tsvg -o " + picture + " " + dot + " 2>" + scratch.path("dot-err")).c_str()),
            0)
            << run.out;
        EXPECT_EQ(contents(scratch.path("dot-err")), "");
        EXPECT_THAT(contents(picture), HasSubstr("</svg>"));
    }
}

TEST(TopologyCommand, ReadsStandardInput) {
    const Scratch scratch;
    const std::string file = examples + "switch-16.toml";
    // run() gives the program no input; this one needs some.
    const std::string out = scratch.path("stdout");
    ASSERT_EQ(std::system(("timeout 60 '" AAPC_PROGRAM "' topology - <'" + file + "' >'" + out + "'").c_str()), 0);
    EXPECT_EQ(contents(out), scratch.run("topology '" + file + "'").out);
}

struct Refusal {
    const char* arguments;
    const char* message;
};

TEST(TopologyCommand, RefusesWithStatusTwoAndNothingOnStandardOutput) {
    const Scratch scratch;
    (void)scratch.file("good.toml", contents(examples + "switch-16.toml"));
    (void)scratch.file("bad.toml", "[network]\nspeed = '1Gbit'\n[[switch]]\nname = 's0'\nmachines = 'n[3-0]'\n");
    (void)scratch.file("empty.toml", "");
    const Refusal refusals[] = {
        {"topology bad.toml", "bad.toml:5:15: the range '3'-'0' runs backwards; write the smaller number first\n"},
        {"topology bad.toml --format json", "bad.toml:5:15: "},
        {"topology bad.toml --format dot", "bad.toml:5:15: "},
        {"topology empty.toml", "empty.toml:1:1: the file describes no switch"},
        {"topology -", "standard input:1:1: the file describes no switch"},
        {"topology missing.toml", "missing.toml: cannot be opened: No such file or directory"},
        {"topology .", ".: it is a directory"},
        {"topology", "FILE is required"},
        {"topology good.toml --format svg", "svg"},
        {"topology good.toml --fromat json", "--fromat"},
        {"topology good.toml bad.toml", "bad.toml"},
    };
    for (const auto& [arguments, message] : refusals) {
        const Outcome run = scratch.run(arguments);
        EXPECT_EQ(run.status, 2) << arguments;
        EXPECT_EQ(run.out, "") << arguments;
        EXPECT_THAT(run.err, HasSubstr(message)) << arguments;
    }
    EXPECT_THAT(scratch.files(), testing::ElementsAre("bad.toml", "empty.toml", "good.toml")) << "no file is written";
}

TEST(TopologyCommand, HelpNamesTheFormats) {
    const Scratch scratch;
    const Outcome run = scratch.run("topology --help");
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(run.err, "");
    for (const char* word : {"FILE", "--format", "text", "json", "dot", "docs/topology-files.md"}) {
        EXPECT_THAT(run.out, HasSubstr(word));
    }
}

}  // namespace
