// What must hold for every algorithm of the table, whichever it is: a new row is taken up by itself.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <random>
#include <set>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/check/schedule.hpp"
#include "aapc/methods/method.hpp"
#include "aapc/offline/plan_from_schedule.hpp"
#include "aapc/offline/synchronise.hpp"
#include "aapc/offline/tabulate.hpp"
#include "aapc/plan/plan.hpp"
#include "aapc/topology/bound.hpp"
#include "support/interpreter.hpp"
#include "support/networks.hpp"
#include "topology/files.hpp"

namespace aapc {
namespace {

/// Numbers of ranks that algorithms like to get wrong: powers of two and their neighbours, primes, and multiples.
constexpr Rank rank_counts[] = {1, 2, 3, 5, 7, 8, 12, 13, 16, 24};

struct Candidate {
    const Algorithm* algorithm;
    std::string variant;
};

void PrintTo(const Candidate& candidate, std::ostream* out) {
    *out << candidate.algorithm->name << ' ' << candidate.variant;
}

/// Every algorithm for a tree in each of its variants, and some numbers for numbered ones.
std::vector<Candidate> candidates() {
    std::vector<Candidate> list;
    for (const Algorithm& algorithm : algorithms()) {
        if (!algorithm.is_for(NetworkKind::tree)) {
            continue;
        }
        for (const std::string_view variant : algorithm.variants) {
            list.push_back({&algorithm, std::string(variant)});
        }
        for (const int number : {2, 3, 5, 100}) {
            const std::string variant = fmt::format("{}{}", algorithm.numbered_variants, number);
            const bool listed =
                std::find(algorithm.variants.begin(), algorithm.variants.end(), variant) != algorithm.variants.end();
            if (algorithm.has_variant(variant) && !listed) {
                list.push_back({&algorithm, variant});
            }
        }
    }
    return list;
}

/// So many ranks somewhere.
struct Place {
    Network network;
    Placement placement;
    std::string repeat;  ///< what a failure is repeated with
};

/// `ranks` of those that the topology has, in an order of its own: a sub-communicator.
Placement some_ranks(const Network& network, Rank ranks, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Placement placement = full_placement(network);
    for (std::size_t index = placement.machine_of.size(); index > 1; --index) {
        std::swap(placement.machine_of[index - 1], placement.machine_of[random() % index]);
    }
    placement.machine_of.resize(static_cast<std::size_t>(ranks));
    return placement;
}

std::vector<Place> places_for(Rank ranks) {
    std::vector<test::TreeBuilder> whole;
    whole.push_back(test::chain_of({ranks}));
    whole.push_back(test::chain_of({(ranks + 3) / 4, (ranks + 2) / 4, (ranks + 1) / 4, ranks / 4}));
    whole.push_back(test::star_of({ranks - ranks / 3, ranks / 3}));
    test::TreeBuilder machines_of_three;
    machines_of_three.add_switch(-1);
    machines_of_three.add_switch(0);
    for (Rank left = ranks; left > 0; left -= 3) {
        machines_of_three.add_machine(left % 2, std::min<Rank>(left, 3));
    }
    whole.push_back(std::move(machines_of_three));
    std::vector<Place> places;
    for (const test::TreeBuilder& tree : whole) {
        Network network = tree.build();
        Placement placement = full_placement(network);
        places.push_back({std::move(network), std::move(placement), tree.toml()});
    }
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        const test::TreeBuilder tree = test::random_tree(seed, ranks, ranks + 6);
        Network network = tree.build();
        Placement placement = some_ranks(network, ranks, seed);
        places.push_back(
            {std::move(network), std::move(placement), fmt::format("part, seed {}\n{}", seed, tree.toml())});
    }
    return places;
}

class EveryAlgorithm : public testing::TestWithParam<Candidate> {
  protected:
    std::unique_ptr<Timetable> build(const Place& place) const {
        auto timetable = build_timetable(*GetParam().algorithm, GetParam().variant, place.network, place.placement);
        if (!timetable) {
            ADD_FAILURE() << to_string(timetable.error());
            return nullptr;
        }
        return std::move(*timetable);
    }

    Expected<Schedule, Violation> schedule(const Timetable& timetable, const Place& place) const {
        return schedule_of_timetable(timetable, std::string(GetParam().algorithm->name), GetParam().variant,
                                     tree_bound(place.network, place.placement).messages, place.network,
                                     place.placement);
    }

    /// Calls `visit` for every number of ranks and every place.
    template <class Visit>
    void for_each_place(Visit visit) const {
        for (const Rank ranks : rank_counts) {
            for (const Place& place : places_for(ranks)) {
                SCOPED_TRACE(fmt::format("{} ranks\n{}", ranks, place.repeat));
                const auto timetable = build(place);
                ASSERT_NE(timetable, nullptr);
                visit(*timetable, place, ranks);
                if (HasFailure()) {
                    return;
                }
            }
        }
    }
};

TEST_P(EveryAlgorithm, IsASchedule) {
    for_each_place([&](const Timetable& timetable, const Place& place, Rank ranks) {
        ASSERT_EQ(timetable.participants(), ranks);
        const auto checked = schedule(timetable, place);
        ASSERT_TRUE(checked) << checked.error().what;
        EXPECT_EQ(checked->guarantee(), timetable.guarantee());
        if (timetable.cycle()) {
            EXPECT_EQ(checked->ticks(), timetable.phases());
            EXPECT_EQ(checked->messages(), std::int64_t{ranks} * (ranks - 1));
        } else {
            EXPECT_EQ(checked->phases().size(), static_cast<std::size_t>(timetable.phases()));
        }
    });
}

/// Both ends of each message agree, and each rank hears of its messages in the order that timetable.hpp promises.
TEST_P(EveryAlgorithm, AnswersAreConsistent) {
    for_each_place([&](const Timetable& timetable, const Place&, Rank ranks) {
        std::vector<Transfer> sent;
        std::vector<Transfer> received;
        for (Rank rank = 0; rank < ranks; ++rank) {
            const std::vector<Transfer> sends = timetable.sends_of(rank);
            const std::vector<Transfer> receives = timetable.receives_of(rank);
            // At a tick of a cycle any number of messages may start.
            const auto in_one_phase = [&](const Transfer& left, const Transfer& right) {
                return timetable.cycle() ? left.phase > right.phase : left.phase >= right.phase;
            };
            EXPECT_TRUE(std::is_sorted(sends.begin(), sends.end())) << "rank " << rank;
            if (!timetable.cycle()) {
                EXPECT_EQ(std::adjacent_find(sends.begin(), sends.end(), in_one_phase), sends.end()) << "rank " << rank;
            }
            EXPECT_TRUE(std::is_sorted(receives.begin(), receives.end())) << "rank " << rank;
            if (timetable.guarantee() != Guarantee::nothing && !timetable.cycle()) {
                EXPECT_EQ(std::adjacent_find(receives.begin(), receives.end(), in_one_phase), receives.end())
                    << "rank " << rank;
            }
            for (const Transfer& send : sends) {
                ASSERT_EQ(send.from, rank);
                ASSERT_LT(send.phase, timetable.phases());
            }
            for (const Transfer& receive : receives) {
                ASSERT_EQ(receive.to, rank);
            }
            sent.insert(sent.end(), sends.begin(), sends.end());
            received.insert(received.end(), receives.begin(), receives.end());
        }
        std::sort(sent.begin(), sent.end());
        std::sort(received.begin(), received.end());
        EXPECT_EQ(sent, received);
    });
}

/// Every rank builds its own timetable; all must be the same.
TEST_P(EveryAlgorithm, IsDeterministic) {
    for_each_place([&](const Timetable& timetable, const Place& place, Rank ranks) {
        const auto again = build(place);
        ASSERT_EQ(timetable.phases(), again->phases());
        ASSERT_EQ(timetable.guarantee(), again->guarantee());
        ASSERT_EQ(timetable.forwards(), again->forwards());
        for (Rank rank = 0; rank < ranks; ++rank) {
            ASSERT_EQ(timetable.sends_of(rank), again->sends_of(rank));
            ASSERT_EQ(timetable.receives_of(rank), again->receives_of(rank));
            ASSERT_EQ(timetable.ranks_of_switch(rank), again->ranks_of_switch(rank));
            for (const Transfer& send : timetable.sends_of(rank)) {
                std::vector<Block> blocks;
                std::vector<Block> blocks_again;
                timetable.append_blocks(send, blocks);
                again->append_blocks(send, blocks_again);
                ASSERT_EQ(blocks, blocks_again);
            }
        }
    });
}

TEST_P(EveryAlgorithm, RanksOfASwitchAreTheSameForAllOfThem) {
    for_each_place([&](const Timetable& timetable, const Place&, Rank ranks) {
        for (Rank rank = 0; rank < ranks; ++rank) {
            const std::vector<Rank> together = timetable.ranks_of_switch(rank);
            ASSERT_TRUE(std::is_sorted(together.begin(), together.end()));
            ASSERT_TRUE(std::binary_search(together.begin(), together.end(), rank));
            for (const Rank other : together) {
                ASSERT_EQ(timetable.ranks_of_switch(other), together);
            }
        }
    });
}

/// Each rank's own plan, carried out, delivers everything; and it is the one that the whole table gives.
TEST_P(EveryAlgorithm, PlansDeliverEverything) {
    const Synchronisation synchronisation = GetParam().algorithm->synchronisation;
    for_each_place([&](const Timetable& timetable, const Place& place, Rank ranks) {
        const auto fits = check_synchronisation_fits(timetable, synchronisation);
        ASSERT_TRUE(fits) << to_string(fits.error());
        const auto checked = schedule(timetable, place);
        ASSERT_TRUE(checked) << checked.error().what;
        std::vector<Plan> plans;
        for (Rank rank = 0; rank < ranks; ++rank) {
            plans.push_back(make_plan(timetable, rank, synchronisation));
            const Plan global = plan_from_schedule(*checked, {}, rank, synchronisation);
            ASSERT_EQ(plans.back().sends, global.sends);
            ASSERT_EQ(plans.back().receives, global.receives);
            ASSERT_EQ(plans.back().forwarding, global.forwarding);
        }
        EXPECT_EQ(test::carry_out(plans), "");
    });
}

/// Whoever promises contention-free phases can say what each message contends with.
TEST_P(EveryAlgorithm, TokensAreThoseOfTheTable) {
    for_each_place([&](const Timetable& timetable, const Place& place, Rank ranks) {
        for (const Synchronisation& synchronisation : {Synchronisation::sender, Synchronisation::receiver}) {
            if (!check_synchronisation_fits(timetable, synchronisation)) {
                continue;
            }
            const auto checked = schedule(timetable, place);
            ASSERT_TRUE(checked) << checked.error().what;
            const std::vector<Edge> edges = synchronisation_edges(*checked, synchronisation, Reduction::pair_rule);
            const auto violation = check_synchronisation(*checked, synchronisation, edges);
            ASSERT_FALSE(violation) << violation->what;
            for (Rank rank = 0; rank < ranks; ++rank) {
                const Plan local = make_plan(timetable, rank, synchronisation);
                const Plan global = plan_from_schedule(*checked, edges, rank, synchronisation);
                ASSERT_EQ(local.waits, global.waits) << to_string(synchronisation) << ", rank " << rank;
                ASSERT_EQ(local.signals, global.signals) << to_string(synchronisation) << ", rank " << rank;
            }
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Table, EveryAlgorithm, testing::ValuesIn(candidates()), [](const auto& instance) {
    std::string name = fmt::format("{}_{}", instance.param.algorithm->name, instance.param.variant);
    std::replace_if(
        name.begin(), name.end(), [](char letter) { return std::isalnum(letter) == 0; }, '_');
    return name;
});

TEST(Algorithms, NamesAndVariantsAreFoundAndDistinct) {
    std::set<std::string_view> names;
    for (const Algorithm& algorithm : algorithms()) {
        SCOPED_TRACE(algorithm.name);
        EXPECT_TRUE(names.insert(algorithm.name).second);
        EXPECT_EQ(*find_algorithm(algorithm.name), &algorithm);
        EXPECT_FALSE(algorithm.summary.empty());
        ASSERT_FALSE(algorithm.variants.empty());
        const std::set<std::string_view> variants(algorithm.variants.begin(), algorithm.variants.end());
        EXPECT_EQ(variants.size(), algorithm.variants.size());
        for (const std::string_view variant : algorithm.variants) {
            EXPECT_TRUE(algorithm.has_variant(variant));
        }
        EXPECT_FALSE(algorithm.has_variant(""));
        EXPECT_FALSE(algorithm.has_variant("no such variant"));
    }
    for (const std::string_view name : {"tree", "linear", "scattered", "ring", "pairwise", "bruck"}) {
        EXPECT_TRUE(names.contains(name)) << name;
    }
}

TEST(Algorithms, NumberedVariantsHaveOneNameEach) {
    const Algorithm& bruck = **find_algorithm("bruck");
    for (const std::string_view good : {"radix-2", "radix-3", "radix-10", "radix-2147483647"}) {
        EXPECT_TRUE(bruck.has_variant(good)) << good;
    }
    for (const std::string_view bad : {"radix-", "radix-0", "radix-1", "radix-02", "radix--2", "radix-+2", "radix-2 ",
                                       "radix- 2", "radix-2x", "radix-2147483648", "radix", "2", "Radix-2"}) {
        EXPECT_FALSE(bruck.has_variant(bad)) << bad;
    }
    EXPECT_EQ(bruck.variant_names(), "radix-2, radix-4, radix-8, radix-N");
}

/// docs/algorithms.md has a row for each, with the synchronisation and the variants that it has.
/// What the rule goes by.
TEST(Algorithms, UsesOnAKindOfNetworkAscendAndAreApart) {
    for (const NetworkKind kind :
         {NetworkKind::tree, NetworkKind::torus, NetworkKind::clusters, NetworkKind::detected}) {
        std::int64_t used_below = 1;
        bool by_time = false;
        for (const Algorithm& algorithm : algorithms()) {
            for (const Use& use : algorithm.uses) {
                if (use.kind == kind) {
                    EXPECT_TRUE(algorithm.is_for(kind)) << algorithm.name;
                }
                if (use.kind == kind && !use.only_learned) {
                    // Of several by time the last one serves, if it can.
                    EXPECT_TRUE(use.by_time() || !by_time) << algorithm.name << " comes after what goes by time";
                    by_time = use.by_time();
                    EXPECT_TRUE(by_time || used_below <= use.from_bytes) << algorithm.name;
                    EXPECT_LT(use.from_bytes, use.below_bytes) << algorithm.name;
                    used_below = use.below_bytes;
                }
            }
        }
        EXPECT_GT(used_below, 1) << "nothing serves networks of kind " << to_string(kind);
    }
}

TEST(Algorithms, HooksNameVariantsThatThereAre) {
    for (const Algorithm& algorithm : algorithms()) {
        if (algorithm.best_variant != nullptr) {
            for (const Placement& placement :
                 {Placement{{0, 1, 2}}, Placement{{0, 0, 0, 1}}, Placement{{0, 0, 1, 1}}}) {
                EXPECT_TRUE(algorithm.has_variant(algorithm.best_variant(placement))) << algorithm.name;
            }
        }
        if (algorithm.smaller_variant != nullptr) {
            std::optional<std::string> next = std::string(algorithm.numbered_variants) + "7";
            for (int steps = 0; next; ++steps) {
                EXPECT_TRUE(algorithm.has_variant(*next)) << *next;
                next = algorithm.smaller_variant(*next);
                ASSERT_LT(steps, 8) << algorithm.name << " gets smaller for ever";
            }
        }
    }
}

TEST(Algorithms, AreDocumented) {
    const std::string page = test::contents(AAPC_SOURCE_DIRECTORY "/docs/algorithms.md");
    for (const Algorithm& algorithm : algorithms()) {
        const std::size_t begin = page.find(fmt::format("\n| `{}` |", algorithm.name));
        ASSERT_NE(begin, std::string::npos) << algorithm.name;
        const std::string row = page.substr(begin, page.find('\n', begin + 1) - begin);
        EXPECT_NE(row.find(fmt::format("| `{}` |", to_string(algorithm.synchronisation))), std::string::npos) << row;
        for (const std::string_view variant : algorithm.variants) {
            EXPECT_NE(row.find(fmt::format("`{}`", variant)), std::string::npos) << variant << " in " << row;
        }
    }
}

/// The table of what `bruck` costs 16 ranks.
TEST(Algorithms, CostsOfBruckAreAsDocumented) {
    const std::string page = test::contents(AAPC_SOURCE_DIRECTORY "/docs/algorithms.md");
    const Network network = test::chain_of({16}).build();
    for (const std::string_view variant : {"radix-2", "radix-4", "radix-8", "radix-16"}) {
        const auto timetable = build_timetable(**find_algorithm("bruck"), variant, network, full_placement(network));
        const Plan plan = make_plan(**timetable, 0, Synchronisation::none);
        std::vector<Block> blocks;
        for (const Transfer& send : plan.sends) {
            (*timetable)->append_blocks(send, blocks);
        }
        const std::string row = fmt::format("\n| `{}` | {} | {} | {} | {} |\n", variant, plan.phases, blocks.size(),
                                            plan.forwarding ? plan.forwarding->largest_message_blocks : 1,
                                            plan.forwarding ? plan.forwarding->transit_blocks : 0);
        EXPECT_NE(page.find(row), std::string::npos) << row;
    }
}

TEST(Algorithms, RefusalsSayWhatWouldBeRight) {
    const auto unknown = find_algorithm("brukc");
    ASSERT_FALSE(unknown);
    EXPECT_TRUE(
        to_string(unknown.error())
            .starts_with("there is no algorithm 'brukc'; did you mean 'bruck'? choose one of: local-group, tree, "))
        << to_string(unknown.error());
    const Network network = test::chain_of({2}).build();
    const auto variant = build_timetable(**find_algorithm("bruck"), "radix-1", network, full_placement(network));
    ASSERT_FALSE(variant);
    EXPECT_EQ(to_string(variant.error()),
              "algorithm 'bruck' has no variant 'radix-1'; choose one of: radix-2, radix-4, radix-8, radix-N");
    const auto nobody = build_timetable(**find_algorithm("ring"), "", network, Placement{});
    ASSERT_FALSE(nobody);
    EXPECT_EQ(to_string(nobody.error()), "nobody takes part; name at least one participant");
}

}  // namespace
}  // namespace aapc
