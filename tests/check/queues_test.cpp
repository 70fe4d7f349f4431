// The certificate of queues: by hand, exhaustively in the small, and held against two slow definitions.
#include "aapc/check/queues.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/offline/tabulate.hpp"
#include "aapc/topology/detection.hpp"
#include "check/cycles.hpp"
#include "check/queue_opinion.hpp"
#include "support/networks.hpp"
#include "support/schedules.hpp"
#include "support/torus.hpp"

namespace aapc {
namespace {

using test::Queues;
using test::Started;
using test::TreeBuilder;
using testing::HasSubstr;

/// One byte a second on every link.
constexpr double slow = 8;

Schedule checked(ScheduleDraft draft, const Network& network, const Placement& placement) {
    auto schedule = check_schedule(std::move(draft), network, placement);
    EXPECT_TRUE(schedule) << schedule.error().what;
    return std::move(*schedule);
}

QueueCertificate certified(const Schedule& schedule, const QueueRequest& request = {}) {
    auto certificate = certify_queues(schedule, request);
    EXPECT_TRUE(certificate) << certificate.error().what;
    return std::move(*certificate);
}

/// "s0->s1"
std::string name(const Network& network, DirectedLink directed) {
    const Link& link = network.links()[static_cast<std::size_t>(directed / 2)];
    const auto vertex = [&](Vertex at) { return network.vertices()[static_cast<std::size_t>(at)].name; };
    return vertex(directed % 2 == 0 ? link.lower : link.upper) + "->" +
           vertex(directed % 2 == 0 ? link.upper : link.lower);
}

std::vector<Started> started(const Schedule& schedule) {
    std::vector<Started> messages;
    for (const Transfer& message : schedule.transfers()) {
        messages.push_back(
            {message.from, message.to, static_cast<double>(message.phase) / static_cast<double>(schedule.ticks())});
    }
    return messages;
}

/// Every link as the second opinion has it.
void expect_queues(const QueueCertificate& certificate, const Network& network, const Queues& queues) {
    double longest = 0;
    ASSERT_EQ(certificate.links.size(), queues.size());
    for (const LinkQueue& link : certificate.links) {
        const std::string ends = name(network, link.link);
        const std::size_t arrow = ends.find("->");
        const double expected = queues.at({ends.substr(0, arrow), ends.substr(arrow + 2)});
        EXPECT_NEAR(link.queue_bytes, expected, 1e-7 * std::max(1.0, expected)) << ends;
        longest = std::max(longest, expected);
    }
    EXPECT_NEAR(certificate.longest.queue_bytes, longest, 1e-7 * std::max(1.0, longest));
}

/// Switches s0 and s1 with machines at the given speed and a trunk between them.
Network two_switches(int left, int right, double port, double trunk) {
    TreeBuilder tree;
    tree.add_switch(-1);
    tree.add_switch(0, trunk);
    for (int machine = 0; machine < left + right; ++machine) {
        tree.add_machine(machine < left ? 0 : 1, 1, port);
    }
    return tree.build();
}

/// All at once: of four messages on the trunk it serves one while all four flow in.
TEST(Queues, AllAtOnce) {
    const Network network = two_switches(2, 2, slow, slow);
    const Placement placement = full_placement(network);
    const QueueCertificate certificate =
        certified(checked(test::random_cycle(network, placement, 1, 1, 0), network, placement));
    EXPECT_DOUBLE_EQ(certificate.cycle_seconds, 4);
    EXPECT_DOUBLE_EQ(certificate.bound_seconds, 4);
    EXPECT_DOUBLE_EQ(certificate.segments(), 3);
    EXPECT_EQ(name(network, certificate.longest.link), "s1->s0");
    EXPECT_DOUBLE_EQ(certificate.longest.at, 0.25) << "when all have flowed in";
    EXPECT_EQ(certificate.longest.segments, 4);
    EXPECT_TRUE(certificate.exact);
    EXPECT_EQ(to_string(certificate, network),
              "cycle 1 of the bound; longest queue 3 messages on s1->s0, at 0.25 of the cycle; all links");
}

/// A message that comes in at twice the speed of the trunk: half of it waits.
TEST(Queues, FromAFastLinkIntoASlowOne) {
    const Network network = two_switches(1, 1, 2 * slow, slow);
    const Placement placement = full_placement(network);
    const QueueCertificate certificate =
        certified(checked(test::random_cycle(network, placement, 1, 1, 0), network, placement));
    EXPECT_DOUBLE_EQ(certificate.segments(), 0.5);
    EXPECT_EQ(name(network, certificate.longest.link), "s1->s0");
    EXPECT_DOUBLE_EQ(certificate.longest.at, 0.5);
}

/// Two slots of two messages on a trunk of twice the speed.
TEST(Queues, SlotsWithinCapacityAreNoQueue) {
    const Network network = two_switches(2, 2, slow, 2 * slow);
    const Placement placement = full_placement(network);
    ScheduleDraft draft = test::random_cycle(network, placement, 3, 1, 0);
    draft.transfers = {{0, 0, 2}, {0, 1, 3}, {0, 2, 0}, {0, 3, 1}, {1, 0, 3}, {1, 1, 2},
                       {1, 2, 1}, {1, 3, 0}, {2, 0, 1}, {2, 1, 0}, {2, 2, 3}, {2, 3, 2}};
    const QueueCertificate certificate = certified(checked(draft, network, placement));
    EXPECT_EQ(certificate.longest.queue_bytes, 0);
    EXPECT_EQ(to_string(certificate, network), "cycle 1 of the bound; no queue; all links");
    draft.transfers[0].phase = 1;  // n0 sends two at once
    std::sort(draft.transfers.begin(), draft.transfers.end());
    EXPECT_DOUBLE_EQ(certified(checked(draft, network, placement)).segments(), 1);
}

/// What starts near the end of a cycle flows on in the next.
TEST(Queues, TheCycleGoesRound) {
    const Network network = two_switches(1, 2, slow, slow);
    const Placement placement = full_placement(network);
    ScheduleDraft draft = test::random_cycle(network, placement, 16, 1, 0);
    EXPECT_DOUBLE_EQ(draft.cycle->bound_seconds_per_byte, 2);
    draft.transfers = {{0, 0, 2}, {0, 2, 1}, {8, 1, 0}, {8, 2, 0}, {12, 0, 1}, {14, 1, 2}};
    const QueueCertificate certificate = certified(checked(draft, network, placement));
    expect_queues(certificate, network,
                  test::longest_queues(network, placement, started(checked(draft, network, placement)), 2));
    // n0->n1 starts at 12 of 16 and is half through when n0->n2 starts.
    const auto trunk = std::find_if(certificate.links.begin(), certificate.links.end(),
                                    [&](const LinkQueue& link) { return name(network, link.link) == "s0->s1"; });
    ASSERT_NE(trunk, certificate.links.end());
    EXPECT_DOUBLE_EQ(trunk->queue_bytes, 0.5);
    EXPECT_DOUBLE_EQ(trunk->at, 4.0 / 16);
}

/// Half of what crosses one cable of a bundle flows on at the speed of a cable.
TEST(Queues, AMessageHasOneCableOfABundle) {
    const Network plain = two_switches(2, 1, 4 * slow, 2 * slow);
    std::vector<Link> links = plain.links();
    links[2].cables = 2;
    const Network bundle(NetworkKind::tree, plain.vertices(), links, plain.machines());
    for (const Network* network : {&plain, &bundle}) {
        const Placement placement = full_placement(*network);
        const Schedule schedule = checked(test::random_cycle(*network, placement, 1, 1, 0), *network, placement);
        expect_queues(certified(schedule), *network,
                      test::longest_queues(*network, placement, started(schedule), schedule.cycle()->seconds_per_byte));
    }
}

/// Every way to put six messages on three ticks, on trunks slower and faster than the ports.
TEST(Queues, ExhaustivelyInTheSmall) {
    for (const double trunk : {0.5, 1.0, 2.0}) {
        const Network network = two_switches(1, 2, slow, trunk * slow);
        const Placement placement = full_placement(network);
        ScheduleDraft draft = test::random_cycle(network, placement, 3, 1.1, 0);
        for (int code = 0; code < 729; ++code) {
            int left = code;
            for (Transfer& message : draft.transfers) {
                message.phase = left % 3;
                left /= 3;
            }
            ScheduleDraft sorted = draft;
            std::sort(sorted.transfers.begin(), sorted.transfers.end());
            const Schedule schedule = checked(std::move(sorted), network, placement);
            expect_queues(
                certified(schedule), network,
                test::longest_queues(network, placement, started(schedule), schedule.cycle()->seconds_per_byte));
            ASSERT_FALSE(HasFailure()) << "trunk " << trunk << ", code " << code;
        }
    }
}

/// The same tree with links of several speeds and some bundles.
Network with_speeds(const Network& network, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    constexpr double speeds[] = {0.4, 1, 1, 2, 2.5, 4, 10};
    std::vector<Link> links = network.links();
    for (Link& link : links) {
        link.bits_per_second = 1e8 * speeds[random() % std::size(speeds)];
        link.cables = random() % 4 == 0 ? 2 : 1;
    }
    return {network.kind(), network.vertices(), links, network.machines()};
}

TEST(Queues, RandomTreesAsTheSecondOpinionSays) {
    std::int64_t messages = 0;
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        const Network network = with_speeds(test::random_tree(seed, 2, 9).build(), seed);
        Placement placement = test::random_part(full_placement(network), seed);
        placement.machine_of.resize(std::min<std::size_t>(placement.machine_of.size(), 9));
        const Phase ticks = seed % 3 == 0 ? 7 : Phase{1} << (seed % 2 == 0 ? 20U : 52U);
        const Schedule schedule =
            checked(test::random_cycle(network, placement, ticks, seed % 2 == 0 ? 1 : 1.05, seed), network, placement);
        expect_queues(certified(schedule), network,
                      test::longest_queues(network, placement, started(schedule), schedule.cycle()->seconds_per_byte));
        ASSERT_FALSE(HasFailure()) << "seed " << seed;
        messages += schedule.messages();
    }
    EXPECT_GT(messages, 1000);
}

TEST(Queues, ToriAsTheSecondOpinionSays) {
    std::uint64_t seed = 0;
    for (const test::Sides& sides : {test::Sides{5}, {2, 2}, {3, 3}, {2, 4}, {4, 3}, {2, 2, 2}, {1, 3, 2}}) {
        const Network network = test::torus_of(sides, 1, slow);
        const Placement placement = full_placement(network);
        const Schedule schedule =
            checked(test::random_cycle(network, placement, 1000, 1.03, ++seed), network, placement);
        expect_queues(certified(schedule), network,
                      test::longest_queues(network, placement, started(schedule), schedule.cycle()->seconds_per_byte));
        ASSERT_FALSE(HasFailure()) << test::text(sides);
    }
}

TEST(Queues, AsTimeSteppingSays) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        const Network network = two_switches(3, 3, slow, 2.5 * slow);
        const Placement placement = full_placement(network);
        const Schedule schedule = checked(test::random_cycle(network, placement, 100, 1.02, seed), network, placement);
        const double cycle = schedule.cycle()->seconds_per_byte;
        std::vector<test::Inflow> trunk;  // from s0: at the speed of a port
        for (const Started& message : started(schedule)) {
            if (message.from < 3 && message.to >= 3) {
                trunk.push_back({message.at, message.at + 1 / cycle, cycle});
            }
        }
        const QueueCertificate certificate = certified(schedule);
        const auto found = std::find_if(certificate.links.begin(), certificate.links.end(),
                                        [&](const LinkQueue& link) { return name(network, link.link) == "s0->s1"; });
        ASSERT_NE(found, certificate.links.end());
        EXPECT_NEAR(found->queue_bytes, test::stepped_queue(trunk, 2.5 * cycle, 10'000), 0.01) << "seed " << seed;
    }
}

TEST(Queues, ContentionFreePhasesOfEqualLinksHaveNone) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const Network network = test::random_tree(seed, 2, 20).build();
        const Placement placement = test::random_part(full_placement(network), seed);
        const test::Built built = test::build_tree_schedule(network, placement, seed % 2 == 0 ? "merged" : "paper");
        ASSERT_TRUE(built.schedule);
        const QueueCertificate certificate = certified(*built.schedule);
        EXPECT_EQ(certificate.longest.queue_bytes, 0) << "seed " << seed;
        EXPECT_NEAR(certificate.cycle_over_bound(), 1, 1e-9) << "seed " << seed;
    }
}

TEST(Queues, PhasesLastAsLongAsAMessageOnTheSlowestLink) {
    const Network network = two_switches(2, 2, slow, 4 * slow);
    const Placement placement = full_placement(network);
    const test::Built built = test::build_tree_schedule(network, placement, "merged");
    const QueueCertificate certificate = certified(*built.schedule);
    EXPECT_DOUBLE_EQ(certificate.cycle_seconds, 4) << "four phases of a second";
    EXPECT_DOUBLE_EQ(certificate.bound_seconds, 3);
    EXPECT_EQ(certificate.longest.queue_bytes, 0);
    // From ports into a slower trunk even a message alone leaves something waiting.
    const Network narrow = two_switches(2, 2, 4 * slow, slow);
    EXPECT_DOUBLE_EQ(certified(*test::build_tree_schedule(narrow, placement, "merged").schedule).segments(), 0.75);
}

TEST(Queues, PhasesThatContendHaveThem) {
    const Network network = test::chain_of({4, 4}).build();
    const Placement placement = full_placement(network);
    const auto timetable = build_timetable(**find_algorithm("ring"), "", network, placement);
    ASSERT_TRUE(timetable) << to_string(timetable.error());
    const Schedule schedule = checked(tabulate(**timetable, "ring", "", std::nullopt), network, placement);
    const QueueCertificate certificate = certified(schedule);
    EXPECT_GT(certificate.segments(), 1);
    EXPECT_NEAR(certificate.cycle_over_bound(), 1, 1e-9) << "no shorter than the trunk needs";
}

TEST(Queues, UnequalMessagesInSegments) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const Network network = with_speeds(test::random_tree(seed, 2, 5).build(), seed);
        const Placement placement = full_placement(network);
        if (placement.participants() < 2 || placement.participants() > 6) {
            continue;
        }
        const Schedule schedule = checked(test::random_cycle(network, placement, 1000, 1.03, seed), network, placement);
        QueueRequest request;
        request.bytes = [](Rank from, Rank to) { return (from * 7 + to * 3) % 5 == 0 ? 0.0 : 100.0 * from + 37 * to; };
        request.segment_bytes = seed % 2 == 0 ? 64 : 0;
        const QueueCertificate certificate = certified(schedule, request);
        std::vector<Started> segments;
        double largest = 0;
        std::map<std::pair<std::string, std::string>, double> loads;
        for (const Started& message : started(schedule)) {
            const double bytes = request.bytes(message.from, message.to);
            int pieces = 1;
            while (seed % 2 == 0 && bytes / pieces > 64) {
                ++pieces;
            }
            for (int piece = 0; piece < pieces && bytes > 0; ++piece) {
                segments.push_back({message.from, message.to, (piece + message.at) / pieces, bytes / pieces});
                largest = std::max(largest, bytes / pieces);
            }
            for (const test::Hop& hop : test::hops(network, placement, message.from, message.to)) {
                loads[hop.name] += bytes / hop.link_speed;
            }
        }
        double bound = 0;
        for (const auto& [link, seconds] : loads) {
            bound = std::max(bound, seconds);
        }
        EXPECT_NEAR(certificate.bound_seconds, bound, 1e-9 * bound);
        EXPECT_NEAR(certificate.cycle_seconds, 1.03 * bound, 1e-9 * bound);
        EXPECT_NEAR(certificate.largest_segment_bytes, largest, 1e-9 * largest);
        expect_queues(certificate, network,
                      test::longest_queues(network, placement, segments, certificate.cycle_seconds));
        ASSERT_FALSE(HasFailure()) << "seed " << seed;
    }
}

/// A sample says of its links what all of them together say.
void expect_sample_of(const Network& network, std::uint64_t seed, const std::string& which) {
    const Placement placement = test::random_part(full_placement(network), seed);
    if (placement.participants() < 2) {
        return;
    }
    const ScheduleDraft draft = test::random_cycle(network, placement, 1000, 1.03, seed);
    const Schedule schedule = checked(draft, network, placement);
    const test::WrittenTimetable timetable(draft, placement.participants());
    const QueueCertificate exact = certified(schedule);
    const auto asked_all = certify_queues(timetable, network, placement);
    ASSERT_TRUE(asked_all) << asked_all.error().what;
    EXPECT_EQ(asked_all->longest.queue_bytes, exact.longest.queue_bytes);
    EXPECT_EQ(asked_all->longest.at, exact.longest.at);
    QueueRequest request;
    request.most_ranks_exact = 1;
    request.links_per_level = 2;
    for (const bool from_timetable : {true, false}) {
        const auto sample =
            from_timetable ? certify_queues(timetable, network, placement, request) : certify_queues(schedule, request);
        ASSERT_TRUE(sample) << sample.error().what << " seed " << seed;
        EXPECT_FALSE(sample->exact);
        EXPECT_THAT(sample->sample, HasSubstr(which));
        if (network.kind() == NetworkKind::tree) {
            EXPECT_NEAR(sample->bound_seconds, exact.bound_seconds, 1e-9 * exact.bound_seconds);
        }
        for (const LinkQueue& link : sample->links) {
            const auto same = std::find_if(exact.links.begin(), exact.links.end(),
                                           [&](const LinkQueue& other) { return other.link == link.link; });
            ASSERT_NE(same, exact.links.end());
            EXPECT_NEAR(link.queue_bytes, same->queue_bytes, 1e-9) << name(network, link.link) << " seed " << seed;
            EXPECT_EQ(link.segments, same->segments) << name(network, link.link);
        }
    }
}

TEST(Queues, ASampleOfATree) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        expect_sample_of(with_speeds(test::random_tree(seed, 2, 12).build(), seed), seed, "at every distance from s0");
    }
}

TEST(Queues, ASampleOfATorus) {
    std::uint64_t seed = 100;
    for (const test::Sides& sides : {test::Sides{7}, {4, 4}, {2, 5}, {3, 2, 4}, {2, 2, 2}}) {
        for (int round = 0; round < 5; ++round) {
            expect_sample_of(test::torus_of(sides, round % 2 + 1), ++seed, "of every dimension");
        }
    }
}

/// Of racks at one switch the sample asks few ranks, and each of its links has its queue.
TEST(Queues, ASampleAsksFewRanks) {
    TreeBuilder tree;
    tree.add_switch(-1);
    for (int rack = 1; rack <= 16; ++rack) {
        tree.add_switch(0, 4e8);
        for (int machine = 0; machine < 16; ++machine) {
            tree.add_machine(rack);
        }
    }
    const Network network = tree.build();
    const Placement placement = full_placement(network);
    const test::WrittenTimetable timetable(test::random_cycle(network, placement, 1 << 20, 1.02, 1),
                                           placement.participants());
    QueueRequest request;
    request.most_ranks_exact = 16;
    const auto certificate = certify_queues(timetable, network, placement, request);
    ASSERT_TRUE(certificate) << certificate.error().what;
    EXPECT_EQ(certificate->links.size(), 16U) << "four racks and four ports, both ways";
    EXPECT_EQ(timetable.asked, 4 * 2 * 16 + 4 * 2);
    EXPECT_EQ(certificate->sample,
              "a sample of 16 of 544 directed links, up to 4 links at every distance from s0, both ways");
}

TEST(Queues, WhereSpeedsAreNotKnownAllLinksAreAlike) {
    const auto [network, placement] = detect_network({{0, "a"}, {1, "b"}, {2, "c"}}, 0);
    ScheduleDraft draft = test::random_cycle(network, placement, 1, 1, 0);
    EXPECT_EQ(draft.cycle, (Cycle{0, 0}));
    const QueueCertificate certificate = certified(checked(draft, network, placement));
    EXPECT_DOUBLE_EQ(certificate.bound_seconds, 2) << "messages";
    EXPECT_DOUBLE_EQ(certificate.cycle_seconds, 2);
    EXPECT_DOUBLE_EQ(certificate.segments(), 1) << "a machine sends two at once";
}

TEST(Queues, WrongTimetablesAreComplainedOf) {
    const Network network = two_switches(2, 2, slow, slow);
    const Placement placement = full_placement(network);
    const ScheduleDraft good = test::random_cycle(network, placement, 10, 1, 1);
    const auto complaint = [&](const ScheduleDraft& draft, bool sampled = false) {
        QueueRequest request;
        request.most_ranks_exact = sampled ? 1 : 2048;
        const auto result = certify_queues(test::WrittenTimetable(draft, 4), network, placement, request);
        return result ? "" : result.error().what;
    };
    EXPECT_EQ(complaint(good), "");
    ScheduleDraft draft = good;
    draft.transfers[0].phase = 10;
    EXPECT_THAT(complaint(draft), HasSubstr("at 10 of 10"));
    draft = good;
    draft.transfers[0].to = 4;
    EXPECT_THAT(complaint(draft), HasSubstr("to rank 4"));
    draft = good;
    draft.cycle->seconds_per_byte *= 0.9;
    EXPECT_EQ(complaint(draft), "The cycle takes 3.6 s, but its bound is 4 s.");
    draft = good;
    draft.transfers.pop_back();
    draft.transfers.pop_back();
    EXPECT_THAT(complaint(draft, true), HasSubstr("have to cross"));
}

TEST(Queues, BlocksAreNotCertified) {
    const Network network = test::chain_of({4}).build();
    const Placement placement = full_placement(network);
    const auto timetable = build_timetable(**find_algorithm("bruck"), "", network, placement);
    ASSERT_TRUE(timetable);
    const auto certificate =
        certify_queues(checked(tabulate(**timetable, "bruck", "", std::nullopt), network, placement));
    ASSERT_FALSE(certificate);
    EXPECT_THAT(certificate.error().what, HasSubstr("forwards blocks"));
    EXPECT_FALSE(certify_queues(**timetable, network, placement));
}

TEST(Queues, NothingToSend) {
    const Network network = two_switches(1, 1, slow, slow);
    const Placement alone{{0}};
    ScheduleDraft draft = test::random_cycle(network, alone, 1, 1, 0);
    const QueueCertificate certificate = certified(checked(draft, network, alone));
    EXPECT_EQ(certificate.longest.link, -1);
    EXPECT_EQ(certificate.segments(), 0);
    EXPECT_EQ(to_string(certificate, network), "cycle 1 of the bound; no queue; all links");
    const Placement together{{0, 0}};  // on one machine
    EXPECT_EQ(certified(checked(test::random_cycle(network, together, 5, 1, 0), network, together)).longest.link, -1);
}

}  // namespace
}  // namespace aapc
