// The certificate of segments: by hand, against a second opinion, and every kind of mistake.
#include "aapc/check/segments.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <vector>

#include "check/queue_opinion.hpp"
#include "support/networks.hpp"
#include "support/torus.hpp"

namespace aapc {
namespace {

using testing::HasSubstr;

/// One byte a second.
constexpr double byte_a_second = 8;

/// Two machines left of a trunk and two on its right; rank 0 has 6 bytes for rank 2 and rank 1 has 4 for rank 3.
struct TwoSwitches {
    Network network = [] {
        test::TreeBuilder tree;
        tree.add_switch(-1);
        tree.add_switch(0, byte_a_second);
        for (const int at : {0, 0, 1, 1}) {
            tree.add_machine(at, 1, byte_a_second);
        }
        return tree.build();
    }();
    Placement placement = full_placement(network);
    SegmentedExchange exchange = [] {
        SegmentedExchange made;
        made.bytes = [](Rank from, Rank to) { return from == 0 && to == 2 ? 6 : from == 1 && to == 3 ? 4 : 0; };
        made.sent = {{0, 2, 0, 3, 0}, {1, 3, 0, 2, 2}, {0, 2, 3, 3, 5}, {1, 3, 2, 2, 7}};
        made.received = made.sent;
        made.cycle_seconds = 10;
        return made;
    }();

    [[nodiscard]] std::string complaint() const {
        const auto certificate = certify_segments(network, placement, exchange);
        return certificate ? "none" : certificate.error().what;
    }
};

TEST(Segments, QueuesAreWhereMessagesMeet) {
    const TwoSwitches given;
    const auto certificate = certify_segments(given.network, given.placement, given.exchange);
    ASSERT_TRUE(certificate) << certificate.error().what;
    EXPECT_DOUBLE_EQ(certificate->bound_seconds, 10) << "the trunk has all 10 bytes";
    EXPECT_DOUBLE_EQ(certificate->cycle_over_bound(), 1);
    EXPECT_DOUBLE_EQ(certificate->longest.queue_bytes, 1) << "from 2 s to 3 s both flow in";
    EXPECT_DOUBLE_EQ(certificate->longest.at, 0.3);
    EXPECT_EQ(certificate->longest.segments, 4);
    EXPECT_EQ(segments_text(*certificate, given.network),
              "bound 10 s; cycle 1 of the bound; longest queue 1 B on s0->s1, at 0.3 of the cycle");
}

TEST(Segments, HeadersAndAnswersCount) {
    TwoSwitches given;
    given.exchange.wire_bytes = [](std::int64_t bytes) { return bytes + 1; };
    given.exchange.answer_bytes = [](std::int64_t) { return 1; };
    given.exchange.cycle_seconds = 14;
    const auto certificate = certify_segments(given.network, given.placement, given.exchange);
    ASSERT_TRUE(certificate) << certificate.error().what;
    EXPECT_DOUBLE_EQ(certificate->bound_seconds, 14);
    const auto back = std::find_if(certificate->links.begin(), certificate->links.end(), [&](const LinkQueue& link) {
        return link_name(given.network, link.link) == "s1->s0";
    });
    ASSERT_NE(back, certificate->links.end());
    EXPECT_DOUBLE_EQ(back->load_seconds, 4);
}

TEST(Segments, EveryMistakeIsFound) {
    EXPECT_EQ(TwoSwitches().complaint(), "none");
    TwoSwitches lost;
    lost.exchange.sent.pop_back();
    EXPECT_EQ(lost.complaint(), "2 of 4 bytes of message n1->n3 are sent.");
    TwoSwitches not_received;
    not_received.exchange.received.erase(not_received.exchange.received.begin());
    EXPECT_EQ(not_received.complaint(), "After 0 bytes of message n0->n2 the one at 3 is received.");
    TwoSwitches twice;
    twice.exchange.sent.push_back(twice.exchange.sent[2]);
    EXPECT_EQ(twice.complaint(), "After 6 bytes of message n0->n2 the one at 3 is sent.");
    TwoSwitches more;
    more.exchange.sent.push_back({2, 0, 0, 1, 8});
    EXPECT_EQ(more.complaint(), "1 of 0 bytes of message n2->n0 are sent.");
    TwoSwitches cut_otherwise;
    cut_otherwise.exchange.received[0].bytes = 2;
    cut_otherwise.exchange.received[2].offset = 2;
    cut_otherwise.exchange.received[2].bytes = 4;
    EXPECT_EQ(cut_otherwise.complaint(), "The ends of message n0->n2 cut it differently, at byte 0.");
    TwoSwitches too_late;
    too_late.exchange.sent[3].start_seconds = 10.5;
    EXPECT_THAT(too_late.complaint(), HasSubstr("starts at 10.5 s"));
    TwoSwitches backwards;
    backwards.exchange.sent[2].start_seconds = -1;
    EXPECT_THAT(backwards.complaint(), HasSubstr("starts at -1 s"));
    TwoSwitches nobody;
    nobody.exchange.sent.push_back({0, 4, 0, 1, 1});
    EXPECT_THAT(nobody.complaint(), HasSubstr("from rank 0 to rank 4"));
    TwoSwitches too_short;
    too_short.exchange.cycle_seconds = 9;
    EXPECT_EQ(too_short.complaint(), "the link s0->s1 needs 10 s for what crosses it in a cycle of 9 s.");
}

TEST(Segments, WhatStaysInsideAMachineMayBeLeftOut) {
    test::TreeBuilder tree;
    tree.add_switch(-1);
    tree.add_machine(0, 2, byte_a_second);
    tree.add_machine(0, 1, byte_a_second);
    const Network network = tree.build();
    SegmentedExchange exchange;
    exchange.bytes = [](Rank from, Rank to) { return from == to ? 7 : 1; };
    for (const auto& [from, to] : std::vector<std::pair<Rank, Rank>>{{0, 2}, {2, 0}, {1, 2}, {2, 1}}) {
        exchange.sent.push_back({from, to, 0, 1, from == 1 || to == 1 ? 1.0 : 0.0});
    }
    exchange.received = exchange.sent;
    exchange.cycle_seconds = 2;
    const auto certificate = certify_segments(network, full_placement(network), exchange);
    ASSERT_TRUE(certificate) << certificate.error().what;
    EXPECT_EQ(certificate->longest.queue_bytes, 0);
}

/// Messages of any lengths in segments of any lengths at any times, on one network.
void expect_second_opinion(const Network& network, std::uint64_t seed) {
    SCOPED_TRACE(fmt::format("repeat with: AAPC_SEED={} check_test --gtest_filter='Segments.*'", seed));
    std::mt19937_64 random(seed);
    const Placement placement = full_placement(network);
    std::vector<std::int64_t> demand(placement.machine_of.size() * placement.machine_of.size(), 0);
    const auto pair = [&](Rank from, Rank to) {
        return static_cast<std::size_t>(from) * placement.machine_of.size() + static_cast<std::size_t>(to);
    };
    SegmentedExchange exchange;
    std::int64_t total = 0;
    for (Rank from = 0; from < placement.participants(); ++from) {
        for (Rank to = 0; to < placement.participants(); ++to) {
            demand[pair(from, to)] = from == to || random() % 3 == 0 ? 0 : static_cast<std::int64_t>(random() % 5000);
            total += demand[pair(from, to)];
        }
    }
    exchange.bytes = [&](Rank from, Rank to) { return demand[pair(from, to)]; };
    exchange.cycle_seconds = 8.0 * static_cast<double>(total) / 4e7;  // no link is slower, so none has more to do
    std::vector<test::Started> started;
    for (Rank from = 0; from < placement.participants(); ++from) {
        for (Rank to = 0; to < placement.participants(); ++to) {
            double start = 0;
            for (std::int64_t offset = 0; offset < demand[pair(from, to)];) {
                const auto bytes = std::min<std::int64_t>(1 + static_cast<std::int64_t>(random() % 3000),
                                                          demand[pair(from, to)] - offset);
                start += (1 - start) * static_cast<double>(random() % 100) / 300;
                exchange.sent.push_back({from, to, offset, bytes, start * exchange.cycle_seconds});
                started.push_back({from, to, start, static_cast<double>(bytes)});
                offset += bytes;
            }
        }
    }
    exchange.received = exchange.sent;
    const auto certificate = certify_segments(network, placement, exchange);
    ASSERT_TRUE(certificate) << certificate.error().what;
    const test::Queues queues = test::longest_queues(network, placement, started, exchange.cycle_seconds);
    ASSERT_EQ(certificate->links.size(), queues.size());
    for (const LinkQueue& link : certificate->links) {
        const std::string name = link_name(network, link.link);
        const std::size_t arrow = name.find("->");
        const double expected = queues.at({name.substr(0, arrow), name.substr(arrow + 2)});
        EXPECT_NEAR(link.queue_bytes, expected, 1e-6 * std::max(1.0, expected)) << name;
    }
}

TEST(Segments, AgreeWithASecondOpinion) {
    const char* const only = std::getenv("AAPC_SEED");
    const std::uint64_t first = only != nullptr ? std::stoull(only) : 0;
    for (std::uint64_t seed = first; seed < (only != nullptr ? first + 1 : 25); ++seed) {
        expect_second_opinion(seed % 5 == 0 ? test::torus_of({2, 3}) : test::random_tree(seed, 2, 5).build(), seed);
    }
}

}  // namespace
}  // namespace aapc
