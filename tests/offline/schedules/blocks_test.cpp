// Kinds with blocks: reduce first, then drop (2007, section 5).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "aapc/offline/synchronise.hpp"
#include "check/second_opinion.hpp"
#include "support/networks.hpp"
#include "support/schedules.hpp"

namespace aapc {
namespace {

using Kind = Synchronisation::Kind;

struct Blocks {
    Kind kind;
    Synchronisation full;  ///< the same without blocks
    bool within;           ///< whether the tokens are those inside the blocks
};

constexpr Blocks kinds[] = {
    {Kind::sender_partial, Synchronisation::sender, false},
    {Kind::receiver_partial, Synchronisation::receiver, false},
    {Kind::barrier_partial_sender, Synchronisation::sender, true},
    {Kind::barrier_partial_receiver, Synchronisation::receiver, true},
};

TEST(Blocks, AreTheFullSetLessWhatTheyDrop) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const test::TreeBuilder tree = test::random_tree(seed, 2, 14);
        const Network network = tree.build();
        const auto built =
            test::build_tree_schedule(network, full_placement(network), seed % 2 == 0 ? "paper" : "merged");
        for (const Blocks& kind : kinds) {
            for (const Reduction reduction : {Reduction::none, Reduction::pair_rule, Reduction::exact}) {
                const auto full = synchronisation_edges(*built.schedule, kind.full, reduction);
                for (const Phase size : {1, 3, 16, 10000}) {
                    std::vector<Edge> expected;
                    for (const Edge& edge : full) {
                        if ((edge.after.phase / size == edge.before.phase / size) == kind.within) {
                            expected.push_back(edge);
                        }
                    }
                    EXPECT_EQ(synchronisation_edges(*built.schedule, Synchronisation::with_blocks(kind.kind, size),
                                                    reduction),
                              expected)
                        << name_of(kind.kind) << ":" << size << ", seed " << seed << "\n"
                        << tree.toml();
                }
            }
        }
    }
}

TEST(Blocks, OneAndAllPhasesAreTheLimits) {
    const Network network = test::star_of({1, 1, 4, 4}).build();
    const auto built = test::build_tree_schedule(network, full_placement(network), "merged");
    const auto phases = static_cast<Phase>(built.schedule->phases().size());
    for (const Blocks& kind : kinds) {
        const auto edges = [&](const Synchronisation& synchronisation) {
            return synchronisation_edges(*built.schedule, synchronisation, Reduction::pair_rule);
        };
        const auto one = edges(Synchronisation::with_blocks(kind.kind, 1));
        const auto all = edges(Synchronisation::with_blocks(kind.kind, phases));
        EXPECT_EQ(kind.within ? all : one, edges(kind.full)) << name_of(kind.kind);
        EXPECT_TRUE((kind.within ? one : all).empty()) << name_of(kind.kind);
    }
}

/// Pairs of messages that share a directed link and are in different blocks.
struct CrossBlockConflicts {
    std::int64_t pairs = 0;
    std::int64_t unordered = 0;  ///< that neither a sender's own order nor the edges keep apart

    friend bool operator==(const CrossBlockConflicts&, const CrossBlockConflicts&) = default;
    friend std::ostream& operator<<(std::ostream& out, const CrossBlockConflicts& conflicts) {
        return out << conflicts.unordered << " of " << conflicts.pairs << " unordered";
    }
};

/// For every message the phases in which each rank's sends are known to be complete when it starts: those of its own
/// sender that are earlier, and what the messages knew, and are, whose tokens it or an earlier send waited for.
std::map<Transfer, std::vector<Phase>> known_at_start(const Schedule& schedule, const std::vector<Edge>& edges) {
    const auto ranks = static_cast<std::size_t>(schedule.placement().participants());
    std::multimap<Transfer, Transfer> waits;
    for (const Edge& edge : edges) {
        waits.emplace(edge.before, edge.after);
    }
    std::map<Transfer, std::vector<Phase>> known;
    std::vector<std::vector<Phase>> of_sender(ranks, std::vector<Phase>(ranks, -1));
    for (const std::vector<Transfer>& phase : schedule.phases()) {
        for (const Transfer& message : phase) {
            const auto from = static_cast<std::size_t>(message.from);
            std::vector<Phase>& clock = of_sender[from];
            const auto [first, last] = waits.equal_range(message);
            for (auto wait = first; wait != last; ++wait) {
                const Transfer& after = wait->second;
                const std::vector<Phase>& other = known.at(after);
                for (std::size_t rank = 0; rank < ranks; ++rank) {
                    clock[rank] = std::max(clock[rank], other[rank]);
                }
                Phase& own = clock[static_cast<std::size_t>(after.from)];
                own = std::max(own, after.phase);
            }
            known.emplace(message, clock);
            clock[from] = message.phase;
        }
    }
    return known;
}

CrossBlockConflicts count_conflicts(const Schedule& schedule, Phase block_phases, Reduction reduction) {
    const auto known = known_at_start(
        schedule,
        synchronisation_edges(schedule, Synchronisation::with_blocks(Kind::sender_partial, block_phases), reduction));
    std::map<Transfer, test::Contended> contended;
    for (const auto& [message, clock] : known) {
        test::Contended channels =
            test::contended_by(schedule.network(), schedule.placement(), message.from, message.to);
        std::erase_if(channels, [](const auto& channel) { return channel.first == "in" || channel.first == "out"; });
        contended.emplace(message, std::move(channels));
    }
    CrossBlockConflicts conflicts;
    for (const auto& [first, first_channels] : contended) {
        for (const auto& [second, second_channels] : contended) {
            if (first.phase / block_phases < second.phase / block_phases &&
                test::meet(first_channels, second_channels)) {
                ++conflicts.pairs;
                if (known.at(second)[static_cast<std::size_t>(first.from)] < first.phase) {
                    ++conflicts.unordered;
                }
            }
        }
    }
    return conflicts;
}

/// What dropping costs: docs/synchronisation.md has these figures. The first is that of an independent reference
/// implementation too.
TEST(Blocks, PartialSynchronisationLeavesConflictsBetweenBlocks) {
    const Network network = test::star_of({1, 1, 1, 1, 1, 1, 1, 1, 8, 8, 8}).build();
    const auto paper = test::build_tree_schedule(network, full_placement(network), "paper");
    const auto merged = test::build_tree_schedule(network, full_placement(network), "merged");
    EXPECT_EQ(count_conflicts(*paper.schedule, 16, Reduction::exact), (CrossBlockConflicts{106064, 87232}));
    EXPECT_EQ(count_conflicts(*paper.schedule, 16, Reduction::pair_rule), (CrossBlockConflicts{106064, 86564}));
    EXPECT_EQ(count_conflicts(*paper.schedule, 1, Reduction::exact), (CrossBlockConflicts{113088, 0}));
    EXPECT_EQ(count_conflicts(*merged.schedule, 16, Reduction::pair_rule), (CrossBlockConflicts{105856, 88966}));
}

}  // namespace
}  // namespace aapc
