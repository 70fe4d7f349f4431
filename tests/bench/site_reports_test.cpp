// What `aapc doctor` and `aapc discover` write, from facts made up here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <tuple>

#include "aapc/topology/topology_file.hpp"
#include "bench/discover_options.hpp"
#include "bench/doctor_report.hpp"
#include "bench/tune_report.hpp"
#include "offline/discovery/fit.hpp"

namespace aapc::bench {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

RankFacts healthy(const std::string& host) {
    RankFacts facts;
    host.copy(facts.host.data(), facts.host.size() - 1);
    std::string("cubic").copy(facts.congestion_control.data(), facts.congestion_control.size() - 1);
    facts.interposer = facts.in_topology = 1;
    facts.slow_start_after_idle = 0;
    facts.path_mtu = 1500;
    facts.send_buffer = facts.receive_buffer = 4 << 20;
    facts.shared_memory_free = std::int64_t{1} << 30;
    facts.clock_resolution = 1e-9;
    facts.drift_uncertainty = 1e-6;
    facts.late = 1e-5;
    facts.late_sometimes = 5e-5;
    return facts;
}

DoctorFacts healthy_cluster() {
    DoctorFacts facts{"Open MPI v4.1.4", "libaapc-openmpi.so", "cluster.toml", 1500, false, 0, {}, {}};
    for (const char* host : {"n0", "n1", "n2", "n3"}) {
        facts.ranks.push_back(healthy(host));
    }
    facts.speeds = {{"n0", "n1", 1e9, 0.98e9}, {"n1", "n2", 1e9, 0.99e9}};
    facts.reduction_seconds = 90e-6;
    facts.start_seconds = 0.8e-3;
    return facts;
}

/// The line of a check.
DoctorLine line_of(const DoctorFacts& facts, const std::string& check) {
    for (const DoctorLine& line : diagnose(facts)) {
        if (line.check == check) {
            return line;
        }
    }
    ADD_FAILURE() << check;
    return {};
}

TEST(Tune, NamesEachSizeThatIsFasterThanTheWires) {
    Search::Result result;
    TunedRange range;
    for (const auto& [bytes, native, chosen] : {std::tuple(1000, 0.9, 0.8), {2000, 4.0, 1.0}, {4000, 2.0, 3.0}}) {
        MeasuredSize size;
        size.bytes = bytes;
        size.native_seconds = native;
        size.chosen_seconds = chosen;
        range.measured.push_back(size);
    }
    result.ranges.push_back(range);
    // A bound of 0.5, 1 and 2 s.
    EXPECT_THAT(remarks_on_speeds(result, 0.0005, "cluster.toml"), IsEmpty());
    // A bound of 2, 4 and 8 s: the faster of native and chosen counts.
    EXPECT_EQ(remarks_on_speeds(result, 0.002, "cluster.toml"),
              "1000 bytes: 2.50 times as fast as the wires in cluster.toml allow: the speeds there are too low\n"
              "2000 bytes: 4.00 times as fast as the wires in cluster.toml allow: the speeds there are too low\n"
              "4000 bytes: 4.00 times as fast as the wires in cluster.toml allow: the speeds there are too low\n");
    EXPECT_THAT(remarks_on_speeds(result, 0, "cluster.toml"), IsEmpty()) << "no bound is known";
}

TEST(Doctor, FindsNothingWrongWithAHealthyCluster) {
    for (const DoctorLine& line : diagnose(healthy_cluster())) {
        EXPECT_EQ(line.finding, Finding::good) << line.check << ": " << line.found;
        EXPECT_THAT(line.advice, IsEmpty()) << line.check;
    }
    EXPECT_THAT(doctor_table(diagnose(healthy_cluster())),
                AllOf(HasSubstr("Open MPI v4.1.4; 4 ranks on n[0-3]"), HasSubstr("wake-ups")));
}

TEST(Doctor, NamesTheRanksThatDiffer) {
    struct Case {
        std::string check;
        Finding finding;
        std::string named;
        void (*spoil)(RankFacts&);
    };
    const std::vector<Case> cases = {
        {"interposer", Finding::bad, "not loaded on n2", [](RankFacts& rank) { rank.interposer = 0; }},
        {"machines", Finding::bad, "cluster.toml does not have n2", [](RankFacts& rank) { rank.in_topology = 0; }},
        {"path MTU", Finding::bad, "1500 bytes; on n2: 9000 bytes", [](RankFacts& rank) { rank.path_mtu = 9000; }},
        {"path MTU", Finding::bad, "on n2: the next machine's name", [](RankFacts& rank) { rank.path_mtu = -1; }},
        {"TCP buffers", Finding::bad, "on n2: sends 64 KiB", [](RankFacts& rank) { rank.send_buffer = 64 << 10; }},
        {"congestion control", Finding::bad, "cubic; on n2: reno",
         [](RankFacts& rank) {
             rank.congestion_control = {'r', 'e', 'n', 'o'};
         }},
        {"slow start after idle", Finding::remark, "off; on n2: on",
         [](RankFacts& rank) { rank.slow_start_after_idle = 1; }},
        {"shared memory", Finding::bad, "left on n2", [](RankFacts& rank) { rank.shared_memory_free = 1 << 20; }},
        {"clock: resolution", Finding::bad, "on n2", [](RankFacts& rank) { rank.clock_resolution = 4e-3; }},
        {"clock: offset", Finding::remark, "(n2)", [](RankFacts& rank) { rank.wall_offset = -3; }},
        {"clock: drift", Finding::bad, "(n2)", [](RankFacts& rank) { rank.clock_drift = -3e-4; }},
        {"wake-ups", Finding::remark, "worst: n2", [](RankFacts& rank) { rank.late_sometimes = 4e-3; }},
    };
    for (const Case& each : cases) {
        DoctorFacts facts = healthy_cluster();
        each.spoil(facts.ranks[2]);
        const DoctorLine line = line_of(facts, each.check);
        EXPECT_EQ(line.finding, each.finding) << each.check;
        EXPECT_THAT(line.found, HasSubstr(each.named));
        EXPECT_FALSE(line.advice.empty()) << each.check;
    }
}

TEST(Doctor, SaysWhatReductionsAndStartsTake) {
    DoctorFacts facts = healthy_cluster();
    EXPECT_EQ(line_of(facts, "reductions").found,
              "one of 8 bytes over all ranks takes 90 µs: 2 messages in a row of 45 µs");
    EXPECT_EQ(line_of(facts, "start").found,
              "a scheduled exchange takes 800 µs beyond its schedule; 5 reductions, which is usual, take 450 µs");
    facts.ranks.push_back(facts.ranks[0]);
    EXPECT_THAT(line_of(facts, "reductions").found, HasSubstr("3 messages in a row of 30 µs"));
    EXPECT_EQ(line_of(facts, "start").finding, Finding::good);
    facts.start_seconds = 1.4e-3;
    EXPECT_EQ(line_of(facts, "start").finding, Finding::remark);
    facts.start_seconds = -1;
    facts.reduction_seconds = -1;
    EXPECT_THAT(line_of(facts, "start").found, HasSubstr("not measured: that takes a topology file"));
    EXPECT_EQ(line_of(facts, "reductions").found, "one rank; there are none");
    const auto json = nlohmann::json::parse(doctor_json(facts, diagnose(facts)));
    EXPECT_TRUE(json["start_seconds"].is_null());
    EXPECT_TRUE(json["reduction_seconds"].is_null());
}

TEST(Doctor, TellsProgramsTheSame) {
    DoctorFacts facts = healthy_cluster();
    facts.ranks[2].congestion_control = {'r', 'e', 'n', 'o'};
    facts.ranks[3].shared_memory_free = -1;
    const auto lines = diagnose(facts);
    const auto json = nlohmann::json::parse(doctor_json(facts, lines));
    EXPECT_EQ(json["format"], "aapc-doctor/1");
    EXPECT_EQ(json["start_seconds"], 0.8e-3);
    EXPECT_EQ(json["reduction_seconds"], 90e-6);
    ASSERT_EQ(json["checks"].size(), lines.size());
    for (std::size_t index = 0; index < lines.size(); ++index) {
        const bool wrong = lines[index].check == "congestion control";
        EXPECT_EQ(json["checks"][index]["check"], lines[index].check);
        EXPECT_EQ(json["checks"][index]["finding"], wrong ? "wrong" : "good") << lines[index].check;
        EXPECT_EQ(json["checks"][index]["advice"].is_null(), !wrong);
    }
    ASSERT_EQ(json["ranks"].size(), 4U);
    EXPECT_EQ(json["ranks"][2]["congestion_control"], "reno");
    EXPECT_EQ(json["ranks"][2]["send_buffer_bytes"], 4 << 20);
    EXPECT_TRUE(json["ranks"][3]["shared_memory_free_bytes"].is_null());
    EXPECT_EQ(json["streams"][1]["measured_bits_per_second"], 0.99e9);
}

TEST(Doctor, HoldsSpeedsAgainstTheDeclaredOnes) {
    DoctorFacts facts = healthy_cluster();
    facts.speeds[1].measured = 1e8;
    EXPECT_EQ(line_of(facts, "speeds").finding, Finding::bad);
    EXPECT_THAT(line_of(facts, "speeds").found, HasSubstr("n1 to n2: 100 Mbit/s instead of 1 Gbit/s"));
    facts.speeds[0].measured = 2.004e10;
    facts.speeds[1].measured = 2.02e10;
    EXPECT_THAT(line_of(facts, "speeds").found,
                HasSubstr("2 streams from n[0-1] to n[1-2]: 20 Gbit/s to 20.2 Gbit/s instead of 1 Gbit/s"));
    facts = healthy_cluster();
    facts.declared_mtu = 9000;
    EXPECT_EQ(line_of(facts, "path MTU").finding, Finding::remark);
    facts.topology.clear();
    facts.speeds = {{"n0", "n1", 0, 1e9}};
    EXPECT_THAT(line_of(facts, "speeds").found, HasSubstr("none is declared"));
    EXPECT_EQ(line_of(facts, "machines").finding, Finding::remark);
    facts.several_on_a_machine = true;
    EXPECT_EQ(line_of(facts, "shared memory").finding, Finding::remark);
}

TEST(Discovered, SpeedsAreWhatPeopleCallThem) {
    EXPECT_EQ(nominal_speed(0.936 * 25e6 / 8), 25e6);
    EXPECT_EQ(nominal_speed(0.956 * 100e9 / 8), 100e9);
    EXPECT_EQ(nominal_speed(0.95 * 75e9 / 8, 25e9), 75e9);
    EXPECT_NEAR(nominal_speed(0.946 * 137e6 / 8), 137e6, 1e6);
}

TEST(Discovered, FileSaysWhatWasFound) {
    discovery::Findings findings;
    findings.tree.ports.assign(6, 0.94 * 1e9 / 8);
    discovery::add_group(findings.tree,
                         {{2, 3, 4, 5}, 0.95 * 2e9 / 8, 2.3e8, 2.4e8, 17, discovery::Evidence::bandwidth});
    discovery::add_group(findings.tree, {{4, 5}, 0.95 * 2e9 / 8, 0, 0, 0, discovery::Evidence::latency, 0.96});
    findings.hinted = {{{1, 3, 4}, 1e-6, 0.8, false}};
    findings.seen_by_latency_alone = 1;
    const std::string text = discovered_topology(
        findings, {{"a0", "a1", "a2", "a3", "b0", "b1"}, {1, 1, 1, 1, 4, 4}, "MPICH 4.0.2", "today", 12});
    const auto network = read_topology(text, "found.toml");
    ASSERT_TRUE(network) << to_string(network.error()) << text;
    ASSERT_EQ(network->machines().size(), 6U);
    EXPECT_EQ(network->machines()[5].ranks, 4);
    EXPECT_EQ(network->machine_name(5), "b1");
    const Link& uplink = network->links()[2];
    EXPECT_EQ(uplink.bits_per_second, 2e9);
    EXPECT_THAT(text, AllOf(HasSubstr("17 times that it was full"), HasSubstr("At least that: 1.9 Gbit/s passed"),
                            HasSubstr("send 1.88 Gbit/s together"), HasSubstr("96 % of quartets agree"),
                            HasSubstr("hint at a switch for a1,a3,b0 alone (80 % of quartets"),
                            HasSubstr("latency: 1 of the links")));
}

}  // namespace
}  // namespace aapc::bench
