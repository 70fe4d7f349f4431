// A decision within a limit of buffers, against what every size would need by itself.
#include "selection/buffers.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "support/clusters.hpp"
#include "support/torus.hpp"

namespace aapc::selection {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Method method_of(std::string_view text, NetworkKind kind = NetworkKind::torus) {
    return parse_method(text, kind).value();
}

Decision rule(const Network& network) {
    const Placement placement = full_placement(network);
    return decide(network, placement, network_bound(network, placement), {}, nullptr);
}

Decision forced(const Network& network, std::string_view text) {
    const Placement placement = full_placement(network);
    return decide(network, placement, network_bound(network, placement), {method_of(text, network.kind()), {}},
                  nullptr);
}

/// Of a decision, limited or not.
template <typename AnyDecision>
std::vector<BufferedMethod> needs_of(const Network& network, const AnyDecision& decision) {
    const Placement placement = full_placement(network);
    Timetables timetables(network, placement);
    return forwarding_methods(timetables, decision, largest_buffer_blocks);
}

Decision limited(const Network& network, const LimitedDecision& decision, std::int64_t limit) {
    return within_limit(decision, needs_of(network, decision), limit);
}

/// What the torus needs for so many divisions, from its timetable.
std::int64_t blocks(const Network& network, int divisions) {
    const Method wanted = method_of(fmt::format("torus/divisions-{}", divisions));
    return largest_buffer_blocks(**build_timetable(*wanted.algorithm, wanted.variant, network, full_placement(network)),
                                 wanted.synchronisation);
}

TEST(Buffers, EveryDivisionThatCouldTakeOverIsAskedFor) {
    const Network network = test::torus_of({8, 8});
    const auto needs = needs_of(network, LimitedDecision{forced(network, "torus/divisions-2"), rule(network)});
    ASSERT_EQ(needs.size(), 3U);
    for (int divisions = 0; divisions <= 2; ++divisions) {
        const BufferedMethod& need = needs[static_cast<std::size_t>(2 - divisions)];
        EXPECT_EQ(need.method, method_of(fmt::format("torus/divisions-{}", divisions)));
        EXPECT_EQ(need.buffer_blocks, blocks(network, divisions));
    }
    EXPECT_TRUE(needs_of(network, LimitedDecision{rule(network), rule(network)}).empty())
        << "torus-direct forwards nothing";
    const auto alone = needs_of(network, forced(network, "torus/divisions-2"));
    ASSERT_EQ(alone.size(), 1U);
    EXPECT_EQ(alone.front().buffer_blocks, blocks(network, 2));
}

TEST(Buffers, DividesAsOftenAsFitsThenSendsDirectly) {
    const Network network = test::torus_of({8, 8});
    const std::int64_t limit = 2'000'000;
    const Decision chosen = limited(network, {forced(network, "torus/divisions-2"), rule(network)}, limit);
    EXPECT_EQ(chosen.basis(), Decision::Basis::forced);
    std::int64_t from = 1;
    for (const int divisions : {2, 1, 0}) {
        const std::int64_t last = limit / blocks(network, divisions);
        ASSERT_LT(from, last);
        EXPECT_EQ(chosen.at(from), method_of(fmt::format("torus/divisions-{}", divisions)));
        EXPECT_EQ(chosen.at(last), method_of(fmt::format("torus/divisions-{}", divisions)));
        from = last + 1;
    }
    ASSERT_GE(from, rule(network).crossover()->block_bytes);
    EXPECT_EQ(chosen.at(from), method_of("torus-direct"));
    EXPECT_EQ(chosen.at(largest_scheduled_block), method_of("torus-direct"));
    EXPECT_TRUE(chosen.at(largest_scheduled_block + 1).native());
    EXPECT_TRUE(chosen.at(0).native());
    EXPECT_EQ(explain(full_placement(network), chosen),
              fmt::format("communicator of 64 ranks on 64 machines: native; from 1 bytes torus/divisions-2+window:1 "
                          "with buffers of {} blocks; from {} bytes torus/divisions-1+window:1 with buffers of {} "
                          "blocks; from {} bytes torus/divisions-0+window:1 with buffers of {} blocks; from {} bytes "
                          "torus-direct/plain+timed (bound 64 messages on t0-t8 at 100 Mbit/s; buffers of at most "
                          "2000000 bytes; worth a start of 3.9 ms from 22.1 ms of bound on)",
                          blocks(network, 2), limit / blocks(network, 2) + 1, blocks(network, 1),
                          limit / blocks(network, 1) + 1, blocks(network, 0), from));
}

TEST(Buffers, BelowTheRulesSmallestBlockTheMpiTakesOver) {
    const Network network = test::torus_of({8, 8});
    const Decision chosen = limited(network, {forced(network, "torus/divisions-2"), rule(network)}, 0);
    EXPECT_TRUE(chosen.at(1).native());
    const std::int64_t first = rule(network).crossover()->block_bytes;
    EXPECT_TRUE(chosen.at(first - 1).native());
    EXPECT_EQ(chosen.at(first), method_of("torus-direct"));
    EXPECT_EQ(chosen.crossover()->block_bytes, first);
    EXPECT_EQ(chosen.ranges().size(), 3U) << "neighbours that are alike are one";
}

TEST(Buffers, WithoutADirectExchangeTheLatticeTakesOver) {
    for (const test::Sides& sides : {test::Sides{4, 4}, test::Sides{3, 5}}) {
        const Network network = test::torus_of(sides);
        const Decision chosen = limited(network, {forced(network, "torus"), rule(network)}, 100 * blocks(network, 0));
        EXPECT_EQ(chosen.at(100), method_of("torus"));
        EXPECT_TRUE(chosen.at(101).native());
        EXPECT_EQ(chosen.at(largest_scheduled_block), method_of("lattice"));
    }
}

TEST(Buffers, WhatForwardsNothingIsNotTouched) {
    const Network network = test::torus_of({8, 8});
    for (const char* text : {"torus-direct+sender", "ring", "linear", "native"}) {
        const Decision wanted = forced(network, text);
        const Decision chosen = limited(network, {wanted, rule(network)}, 0);
        EXPECT_EQ(chosen.at(1), wanted.at(1)) << text;
        EXPECT_EQ(chosen.ranges().size(), wanted.ranges().size()) << text;
        EXPECT_THAT(chosen.reason(), Not(HasSubstr("buffers"))) << text;
    }
}

TEST(Buffers, OtherAlgorithmsThatForwardAreLimited) {
    const Network network = test::torus_of({8, 8});
    const Decision bruck = limited(network, {forced(network, "bruck"), rule(network)}, 1'000'000);
    EXPECT_EQ(bruck.at(1), method_of("bruck"));
    EXPECT_EQ(bruck.at(largest_scheduled_block), method_of("torus-direct"));
    // What would take over may forward, too: where that does not fit either, there is nothing but the MPI's own.
    const Network clusters = test::clusters_of({3, 7});
    const Decision gathering = forced(clusters, "local-group");
    for (const char* wanted : {"local-group", "bruck"}) {
        const Decision chosen = limited(clusters, {forced(clusters, wanted), gathering}, 1'000'000);
        EXPECT_EQ(chosen.at(1), method_of(wanted, NetworkKind::clusters));
        EXPECT_TRUE(chosen.at(1'000'001).native()) << wanted;
    }
}

TEST(Buffers, AMethodThatCannotBeHadStaysForOthersToRefuse) {
    const Network network = test::torus_of({4, 4});
    const Decision wanted = forced(network, "torus/divisions-7");
    EXPECT_EQ(limited(network, {wanted, rule(network)}, 10).at(1), wanted.at(1));
}

/// The leads of a tuning belong to what was measured.
TEST(Buffers, OnlyWhatWasMeasuredKeepsItsLead) {
    const Network network = test::torus_of({8, 8});
    const Decision tuned({{0, Method{}, ""}, {1, method_of("torus/divisions-1"), "twice as fast"}}, "tuned",
                         Decision::Basis::tuning);
    const Decision chosen = limited(network, {tuned, rule(network)}, 100'000);
    ASSERT_EQ(chosen.ranges()[1].method, method_of("torus/divisions-1"));
    EXPECT_EQ(chosen.ranges()[1].lead, "twice as fast");
    EXPECT_EQ(chosen.ranges()[2].lead, "");
    EXPECT_EQ(chosen.basis(), Decision::Basis::tuning);
    EXPECT_THAT(chosen.reason(), AllOf(StartsWith("tuned"), HasSubstr("100000 bytes")));
    const auto needs = needs_of(network, tuned);
    const Decision shown = with_buffers(tuned, needs);
    EXPECT_EQ(shown.ranges()[1].buffer_blocks, blocks(network, 1));
    EXPECT_EQ(shown.ranges()[1].lead, "twice as fast");
    EXPECT_EQ(shown.ranges()[0].buffer_blocks, 0);
    EXPECT_EQ(shown.reason(), "tuned");
}

/// What one size should come to, without looking at any other.
Method expected_at(const LimitedDecision& decision, const std::vector<BufferedMethod>& needs, std::int64_t limit,
                   std::int64_t bytes) {
    for (const Decision* const one : {&decision.wanted, &decision.otherwise}) {
        for (std::optional next = one->at(bytes); next; next = with_smaller_buffers(*next)) {
            const auto need = std::find_if(needs.begin(), needs.end(),
                                           [&](const BufferedMethod& known) { return known.method == *next; });
            if (need == needs.end() || need->buffer_blocks <= limit / std::max<std::int64_t>(bytes, 1)) {
                return *next;
            }
        }
    }
    return Method{};
}

TEST(Buffers, EverySizeGetsWhatItWouldGetAlone) {
    const Network network = test::torus_of({8, 8});
    const std::vector<Method> methods = {Method{},
                                         method_of("torus/divisions-0"),
                                         method_of("torus/divisions-1"),
                                         method_of("torus/divisions-2"),
                                         method_of("bruck"),
                                         method_of("torus-direct"),
                                         method_of("ring")};
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937_64 random(seed);
        const auto below = [&](std::uint64_t end) { return static_cast<std::int64_t>(random() % end); };
        const auto random_decision = [&] {
            std::vector<Decision::Range> ranges;
            for (std::int64_t from = 0; from < 3000; from += 1 + below(1500)) {
                ranges.push_back({from, methods[random() % methods.size()], ""});
            }
            return Decision(std::move(ranges), "random", Decision::Basis::tuning);
        };
        const LimitedDecision decision{random_decision(), random_decision()};
        // Buffers need not grow with the divisions for this to hold.
        std::vector<BufferedMethod> needs;
        for (std::size_t index = 1; index <= 4; ++index) {
            needs.push_back({methods[index], below(5) == 0 ? 0 : 1 + below(300)});
        }
        const std::int64_t limit = below(200'000);
        const Decision chosen = within_limit(decision, needs, limit);
        for (std::int64_t bytes = 0; bytes < 4000; ++bytes) {
            ASSERT_EQ(chosen.at(bytes), expected_at(decision, needs, limit, bytes)) << bytes << " bytes";
            const auto need = std::find_if(needs.begin(), needs.end(), [&](const BufferedMethod& known) {
                return known.method == chosen.at(bytes);
            });
            ASSERT_EQ(chosen.ranges()[chosen.range_of(bytes)].buffer_blocks,
                      need == needs.end() ? 0 : need->buffer_blocks);
        }
    }
}

}  // namespace
}  // namespace aapc::selection
