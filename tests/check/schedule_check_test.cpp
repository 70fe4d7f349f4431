#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "aapc/offline/tabulate.hpp"
#include "check/drafts.hpp"
#include "support/networks.hpp"
#include "support/schedules.hpp"

namespace aapc {
namespace {

using test::is_schedule;
using testing::HasSubstr;

/// What the checker says of a draft; "" if nothing.
std::string complaint(const ScheduleDraft& draft, const Network& network, const Placement& placement) {
    const auto schedule = check_schedule(draft, network, placement);
    return schedule ? "" : schedule.error().what;
}

/// One switch with n0 … n3, and the ring on it.
struct OneSwitch : testing::Test {
    Network network = test::chain_of({4}).build();
    Placement placement = full_placement(network);
    ScheduleDraft draft = test::ring_draft(4);

    std::string complaint() const { return aapc::complaint(draft, network, placement); }
};

TEST_F(OneSwitch, TheRingIsASchedule) {
    const auto schedule = check_schedule(draft, network, placement);
    ASSERT_TRUE(schedule) << schedule.error().what;
    EXPECT_EQ(schedule->messages(), 12);
    EXPECT_EQ(schedule->bound(), 3);
    EXPECT_EQ(schedule->algorithm(), "ring");
    EXPECT_EQ(schedule->phases(), draft.phases);
    EXPECT_EQ(&schedule->network(), &network);
    EXPECT_EQ(schedule->placement().machine_of, placement.machine_of);
}

TEST_F(OneSwitch, DroppedMessage) {
    draft.phases[1].erase(draft.phases[1].begin() + 3);
    EXPECT_EQ(complaint(), "Message n3->n1 is missing: no phase sends it.");
}

TEST_F(OneSwitch, DuplicatedMessage) {
    draft.phases[2].push_back({2, 0, 1});
    EXPECT_EQ(complaint(), "Message n0->n1 is sent twice, in phase 0 and in phase 2.");
}

TEST_F(OneSwitch, RedirectedMessage) {
    draft.phases[0][0].to = 2;
    EXPECT_EQ(complaint(), "Message n0->n2 is sent twice, in phase 0 and in phase 1.");
}

TEST_F(OneSwitch, MessageToItself) {
    draft.phases[0][2].to = 2;
    EXPECT_EQ(complaint(), "Phase 0 has a message to its own sender, n2->n2.");
}

TEST_F(OneSwitch, RanksOutOfRange) {
    for (const Rank rank : {-1, 4, std::numeric_limits<Rank>::min(), std::numeric_limits<Rank>::max()}) {
        ScheduleDraft sends = draft;
        sends.phases[2][1].from = rank;
        EXPECT_EQ(
            aapc::complaint(sends, network, placement),
            "Phase 2 has a message from rank " + std::to_string(rank) + " to rank 0, but there are 4 participants.");
        ScheduleDraft receives = draft;
        receives.phases[2][1].to = rank;
        EXPECT_EQ(
            aapc::complaint(receives, network, placement),
            "Phase 2 has a message from rank 1 to rank " + std::to_string(rank) + ", but there are 4 participants.");
    }
}

TEST_F(OneSwitch, MovedMessage) {
    const Transfer moved{2, 0, 1};
    draft.phases[0].erase(draft.phases[0].begin());
    draft.phases[2].insert(draft.phases[2].begin(), moved);
    EXPECT_EQ(complaint(), "In phase 2, messages n0->n1 and n0->n3 both use the sending port of n0.");
}

TEST_F(OneSwitch, PhaseThatIsNotTheIndex) {
    draft.phases[2][3].phase = 1;
    EXPECT_EQ(complaint(), "Message n3->n2 is listed in phase 2 but says that its phase is 1.");
}

TEST_F(OneSwitch, WrongBound) {
    draft.bound = 4;
    EXPECT_THAT(complaint(), HasSubstr("The bound is said to be 4, but the busiest channel, the link "));
    EXPECT_THAT(complaint(), HasSubstr(", carries 3 messages."));
    draft.bound = 2;
    EXPECT_THAT(complaint(), HasSubstr("The bound is said to be 2"));
}

TEST_F(OneSwitch, ExtraPhase) {
    draft.phases.emplace_back();
    EXPECT_EQ(complaint(), "There are 4 phases, but the bound is 3.");
    draft.bound.reset();
    EXPECT_EQ(complaint(), "There are 4 phases, but the bound is 3.") << "still said to be the shortest";
    draft.guarantee = Guarantee::contention_free;
    EXPECT_EQ(complaint(), "") << "no claim about the number of phases";
    draft.bound = 3;
    EXPECT_EQ(complaint(), "");
    draft.bound = 4;
    EXPECT_THAT(complaint(), HasSubstr("The bound is said to be 4"));
}

TEST_F(OneSwitch, NoPhases) {
    draft.phases.clear();
    EXPECT_EQ(complaint(), "Message n0->n1 is missing: no phase sends it.");
}

TEST_F(OneSwitch, ParticipantOnNoMachine) {
    placement.machine_of[2] = 4;
    EXPECT_EQ(complaint(), "Participant 2 sits on machine 4, but the network has 4 machines.");
    placement.machine_of[2] = -1;
    EXPECT_EQ(complaint(), "Participant 2 sits on machine -1, but the network has 4 machines.");
}

TEST(ScheduleCheck, NamesTheLinkBetweenSwitches) {
    const Network network = test::chain_of({2, 2}).build();
    const Placement placement = full_placement(network);
    const ScheduleDraft draft{"",
                              "",
                              std::nullopt,
                              {{{0, 0, 2}, {0, 1, 3}},
                               {{1, 0, 3}, {1, 3, 0}},
                               {{2, 1, 2}},
                               {{3, 2, 0}},
                               {{4, 2, 1}},
                               {{5, 3, 1}},
                               {{6, 0, 1}, {6, 1, 0}, {6, 2, 3}, {6, 3, 2}}}};
    EXPECT_EQ(complaint(draft, network, placement), "In phase 0, messages n0->n2 and n1->n3 both use the link s0->s1.");
}

TEST(ScheduleCheck, RanksOfOneMachineShareItsCableAndUseNoneAmongThemselves) {
    test::TreeBuilder tree;
    tree.add_switch(-1);
    tree.add_machine(0, 2);
    tree.add_machine(0, 2);
    const Network network = tree.build();
    const Placement placement = full_placement(network);
    ScheduleDraft draft{"",
                        "",
                        std::nullopt,
                        {{{0, 0, 2}, {0, 2, 0}},
                         {{1, 0, 3}, {1, 3, 0}},
                         {{2, 1, 2}, {2, 2, 1}},
                         {{3, 1, 3}, {3, 3, 1}},
                         {{4, 0, 1}, {4, 1, 0}, {4, 2, 3}, {4, 3, 2}}},
                        Guarantee::contention_free};
    EXPECT_EQ(complaint(draft, network, placement), "");
    draft.bound = 4;
    EXPECT_EQ(complaint(draft, network, placement), "");
    draft.guarantee = Guarantee::shortest;
    EXPECT_EQ(complaint(draft, network, placement), "There are 5 phases, but the bound is 4.");
    draft.guarantee = Guarantee::contention_free;
    draft.phases[2].erase(draft.phases[2].begin());
    draft.phases[1].push_back({1, 1, 2});
    EXPECT_EQ(complaint(draft, network, placement),
              "In phase 1, messages n0:0->n1:1 and n0:1->n1:0 both use the link n0->s0.");
}

TEST(ScheduleCheck, FewParticipants) {
    const Network network = test::chain_of({2}).build();
    const Placement nobody;
    const Placement one{{1}};
    const Placement two{{1, 0}};
    EXPECT_EQ(complaint({"", "", 0, {}}, network, nobody), "");
    EXPECT_EQ(complaint({"", "", 0, {}}, network, one), "");
    EXPECT_EQ(complaint({"", "", 1, {}}, network, one), "The bound is said to be 1, but there are no messages.");
    EXPECT_EQ(complaint({"", "", 0, {{}}}, network, one), "There are 1 phases, but the bound is 0.");
    EXPECT_EQ(complaint({"", "", 1, {{{0, 0, 1}, {0, 1, 0}}}}, network, two), "");
    EXPECT_EQ(complaint({"", "", 1, {{{0, 0, 1}}, {{1, 1, 0}}}}, network, two),
              "There are 2 phases, but the bound is 1.");
}

TEST(ScheduleCheck, OnlyTrees) {
    const std::vector<NetworkVertex> vertices{{"s0", true}, {"s1", true}, {"n0", false}, {"n1", false}};
    const std::vector<NetworkMachine> machines{{2, 1}, {3, 1}};
    const ScheduleDraft draft{"", "", 1, {{{0, 0, 1}, {0, 1, 0}}}};
    const Placement placement{{0, 1}};
    const auto on = [&](std::vector<Link> links) {
        return complaint(draft, {NetworkKind::tree, vertices, std::move(links), machines}, placement);
    };
    EXPECT_EQ(on({{2, 0, 1}, {3, 1, 1}, {1, 0, 1}}), "");
    const std::string no_tree = "The network is not a tree: its 4 vertices are not connected by exactly 3 links.";
    EXPECT_EQ(on({{2, 0, 1}, {3, 1, 1}}), no_tree);
    EXPECT_EQ(on({{2, 0, 1}, {3, 1, 1}, {1, 0, 1}, {0, 1, 1}}), no_tree);
    EXPECT_EQ(on({{2, 0, 1}, {1, 0, 1}, {1, 0, 1}}), no_tree) << "two cables and one machine left out";
    EXPECT_EQ(complaint({"", "", 0, {}}, {NetworkKind::tree, {}, {}, {}}, {}),
              "The network is not a tree: its 0 vertices are not connected by exactly 0 links.");
}

/// A claim about ports, or none at all, needs no routes.
TEST(ScheduleCheck, NetworksThatAreNoTreesWhereNoLinkMatters) {
    const std::vector<NetworkVertex> vertices{{"t0", false}, {"t1", false}, {"t2", false}};
    const Network triangle(NetworkKind::tree, vertices, {{0, 1, 1}, {1, 2, 1}, {2, 0, 1}}, {{0, 1}, {1, 1}, {2, 1}});
    const Placement placement = full_placement(triangle);
    ScheduleDraft draft = test::ring_draft(3);
    draft.bound.reset();
    const std::string no_tree = "The network is not a tree: its 3 vertices are not connected by exactly 2 links.";
    for (const Guarantee guarantee : {Guarantee::shortest, Guarantee::contention_free}) {
        draft.guarantee = guarantee;
        EXPECT_EQ(complaint(draft, triangle, placement), no_tree);
    }
    for (const Guarantee guarantee : {Guarantee::one_port, Guarantee::nothing}) {
        draft.guarantee = guarantee;
        draft.bound.reset();
        EXPECT_EQ(complaint(draft, triangle, placement), "");
        EXPECT_EQ(complaint(draft, triangle, Placement{{0, 1, 3}}),
                  "Participant 2 sits on machine 3, but the network has 3 machines.");
        draft.bound = 2;
        EXPECT_EQ(complaint(draft, triangle, placement), no_tree);
    }
}

TEST_F(OneSwitch, PortsAreAllThatOnePortClaims) {
    network = test::chain_of({2, 2}).build();
    draft.bound.reset();
    draft.guarantee = Guarantee::contention_free;
    EXPECT_EQ(complaint(), "In phase 1, messages n0->n2 and n1->n3 both use the link s0->s1.");
    draft.guarantee = Guarantee::one_port;
    EXPECT_EQ(complaint(), "");
    draft.bound = 4;
    EXPECT_EQ(complaint(), "") << "the bound of the link is one whatever the phases promise";
    draft.bound = 3;
    EXPECT_THAT(complaint(), HasSubstr("The bound is said to be 3, but the busiest channel, the link "));
    EXPECT_THAT(complaint(), HasSubstr(", carries 4 messages."));
}

TEST_F(OneSwitch, PhasesAreNoCycle) {
    draft.guarantee = Guarantee::within_capacity;
    EXPECT_EQ(complaint(), "The guarantee 'within-capacity' is of a timetable that has a cycle; this one has phases.");
}

TEST_F(OneSwitch, EachPortOnce) {
    draft.bound.reset();
    draft.guarantee = Guarantee::one_port;
    ScheduleDraft sends = draft;
    sends.phases[0].erase(sends.phases[0].begin());
    sends.phases[2].push_back({2, 0, 1});
    EXPECT_EQ(aapc::complaint(sends, network, placement),
              "In phase 2, messages n0->n3 and n0->n1 both use the sending port of n0.");
    sends.guarantee = Guarantee::nothing;
    EXPECT_EQ(aapc::complaint(sends, network, placement), "");
    ScheduleDraft receives = draft;
    receives.phases = {{{0, 0, 1}, {0, 2, 1}},
                       {{1, 0, 2}, {1, 1, 3}, {1, 3, 1}},
                       {{2, 0, 3}, {2, 1, 0}, {2, 3, 2}},
                       {{3, 1, 2}, {3, 2, 3}, {3, 3, 0}},
                       {{4, 2, 0}}};
    EXPECT_EQ(aapc::complaint(receives, network, placement),
              "In phase 0, messages n0->n1 and n2->n1 both use the receiving port of n1.");
    receives.guarantee = Guarantee::nothing;
    EXPECT_EQ(aapc::complaint(receives, network, placement), "");
    receives.phases[4].clear();
    EXPECT_EQ(aapc::complaint(receives, network, placement), "Message n2->n0 is missing: no phase sends it.")
        << "nothing promised is still every message delivered";
}

/// Memory follows the messages, not the square of the participants that somebody claims.
TEST(ScheduleCheck, ManyParticipantsAndFewMessagesCostLittle) {
    const Network network = test::chain_of({2}).build();
    Placement placement;
    placement.machine_of.assign(1'000'000, 0);
    EXPECT_EQ(complaint({"", "", std::nullopt, {{{0, 0, 1}}}}, network, placement),
              "Message n0:0->n0:2 is missing: no phase sends it.");
}

// ---- Mutations ------------------------------------------------------------------------------------------------------

/// A valid draft with its world, made from a seed: by the tree algorithm with its bound, or greedily without one.
struct World {
    explicit World(std::uint64_t seed)
        : network(test::random_tree(seed, 2, 9).build()), placement(full_placement(network)) {
        if (seed % 2 == 0) {
            placement = test::random_part(placement, seed);
        }
        if (seed % 3 == 0) {
            draft = test::greedy_draft(network, placement, seed);
        } else {
            const std::string_view variant = seed % 3 == 1 ? "paper" : "merged";
            auto timetable = build_timetable(**find_algorithm("tree"), variant, network, placement);
            draft = tabulate(**timetable, "tree", std::string(variant), tree_bound(network, placement).messages);
        }
    }

    Network network;
    Placement placement;
    ScheduleDraft draft;
};

class Mutations : public testing::TestWithParam<std::uint64_t> {
  protected:
    /// Calls `visit` with a fresh copy of the draft for every message in it.
    void for_each_message(const std::function<void(ScheduleDraft&, std::size_t, std::size_t)>& visit) const {
        for (std::size_t phase = 0; phase < world.draft.phases.size(); ++phase) {
            for (std::size_t index = 0; index < world.draft.phases[phase].size(); ++index) {
                ScheduleDraft mutant = world.draft;
                visit(mutant, phase, index);
            }
        }
    }
    void expect_rejected(const ScheduleDraft& mutant) const {
        EXPECT_NE(complaint(mutant, world.network, world.placement), "") << "seed " << GetParam();
    }
    /// For mutants that may be schedules as well: both opinions must agree. Returns whether it is one.
    bool expect_agreement(const ScheduleDraft& mutant) const {
        const bool good = is_schedule(mutant, world.network, world.placement);
        EXPECT_EQ(complaint(mutant, world.network, world.placement).empty(), good) << "seed " << GetParam();
        return good;
    }
    Rank other_rank(Rank rank) const { return (rank + 1) % world.placement.participants(); }

    World world{GetParam()};
};

TEST_P(Mutations, NoneIsAccepted) { EXPECT_TRUE(expect_agreement(world.draft)); }

/// Whoever keeps a promise keeps all that are weaker.
TEST_P(Mutations, GuaranteesAreNested) {
    std::mt19937_64 random(GetParam());
    for (int round = 0; round < 20 && !world.draft.phases.empty(); ++round) {
        ScheduleDraft mutant = world.draft;
        mutant.bound.reset();
        for (int moves = round % 3; moves > 0; --moves) {
            std::vector<Transfer>& from = mutant.phases[random() % mutant.phases.size()];
            const std::size_t to = random() % mutant.phases.size();
            if (!from.empty()) {
                Transfer message = from.back();
                from.pop_back();
                message.phase = static_cast<Phase>(to);
                mutant.phases[to].push_back(message);
            }
        }
        bool kept = false;
        for (const Guarantee guarantee :
             {Guarantee::shortest, Guarantee::contention_free, Guarantee::one_port, Guarantee::nothing}) {
            mutant.guarantee = guarantee;
            const std::string what = complaint(mutant, world.network, world.placement);
            EXPECT_TRUE(!kept || what.empty()) << "seed " << GetParam() << ", " << to_string(guarantee) << ": " << what;
            kept = what.empty();
        }
        EXPECT_TRUE(kept) << "seed " << GetParam() << ": every message is there";
    }
}

TEST_P(Mutations, EveryDropIsRejected) {
    for_each_message([&](ScheduleDraft& mutant, std::size_t phase, std::size_t index) {
        mutant.phases[phase].erase(mutant.phases[phase].begin() + static_cast<std::ptrdiff_t>(index));
        expect_rejected(mutant);
    });
}

TEST_P(Mutations, EveryDuplicateIsRejected) {
    for_each_message([&](ScheduleDraft& mutant, std::size_t phase, std::size_t index) {
        for (std::size_t target = 0; target < mutant.phases.size(); ++target) {
            ScheduleDraft twice = mutant;
            Transfer copy = mutant.phases[phase][index];
            copy.phase = static_cast<Phase>(target);
            twice.phases[target].push_back(copy);
            expect_rejected(twice);
        }
    });
}

TEST_P(Mutations, EveryRedirectionIsRejected) {
    for_each_message([&](ScheduleDraft& mutant, std::size_t phase, std::size_t index) {
        for (Rank rank = -1; rank <= world.placement.participants(); ++rank) {
            ScheduleDraft redirected = mutant;
            Transfer& message = redirected.phases[phase][index];
            if (rank != message.to) {
                message.to = rank;
                expect_rejected(redirected);
            }
            redirected = mutant;
            if (rank != message.from) {
                message.from = rank;
                expect_rejected(redirected);
            }
        }
    });
}

/// Greedy schedules have room for some moves; with a bound, the busiest link has none, but idle links may.
TEST_P(Mutations, MovesAreJudgedAsByTheDefinition) {
    for_each_message([&](ScheduleDraft& mutant, std::size_t phase, std::size_t index) {
        const Transfer message = mutant.phases[phase][index];
        mutant.phases[phase].erase(mutant.phases[phase].begin() + static_cast<std::ptrdiff_t>(index));
        const std::size_t step = std::max<std::size_t>(1, mutant.phases.size() / 5);
        for (std::size_t target = phase % step; target < mutant.phases.size(); target += step) {
            if (target == phase) {
                continue;
            }
            ScheduleDraft moved = mutant;
            moved.phases[target].push_back({static_cast<Phase>(target), message.from, message.to});
            expect_agreement(moved);
            moved.phases[target].back().phase = message.phase;
            expect_rejected(moved);
        }
    });
}

TEST_P(Mutations, SwapsAreJudgedAsByTheDefinition) {
    if (world.draft.phases.size() < 2) {
        return;
    }
    std::mt19937_64 random(GetParam());
    for (int round = 0; round < 40; ++round) {
        ScheduleDraft mutant = world.draft;
        const std::size_t left = random() % mutant.phases.size();
        const std::size_t right = random() % mutant.phases.size();
        if (left == right || mutant.phases[left].empty() || mutant.phases[right].empty()) {
            continue;
        }
        Transfer& one = mutant.phases[left][random() % mutant.phases[left].size()];
        Transfer& other = mutant.phases[right][random() % mutant.phases[right].size()];
        std::swap(one.phase, other.phase);
        expect_rejected(mutant);  // each says the other's phase now
        std::swap(one, other);
        expect_agreement(mutant);
    }
}

TEST_P(Mutations, WrongBoundsAndEmptyPhasesAreRejected) {
    if (!world.draft.bound) {
        return;
    }
    for (const std::int64_t change : {-1, 1, 1000}) {
        ScheduleDraft mutant = world.draft;
        *mutant.bound += change;
        expect_rejected(mutant);
    }
    for (std::size_t at = 0; at <= world.draft.phases.size(); ++at) {
        ScheduleDraft mutant = world.draft;
        mutant.phases.insert(mutant.phases.begin() + static_cast<std::ptrdiff_t>(at), std::vector<Transfer>());
        expect_rejected(mutant);
        for (std::size_t phase = at; phase < mutant.phases.size(); ++phase) {
            for (Transfer& message : mutant.phases[phase]) {
                message.phase = static_cast<Phase>(phase);
            }
        }
        expect_rejected(mutant);
        ++*mutant.bound;
        expect_rejected(mutant);
    }
}

INSTANTIATE_TEST_SUITE_P(RandomTrees, Mutations, testing::Range<std::uint64_t>(0, 60),
                         [](const auto& instance) { return "Seed" + std::to_string(instance.param); });

/// Both answers must really occur among the mutants that are only compared, or the comparison would prove nothing.
TEST(MutationsCover, BothAnswersOfMoves) {
    int accepted = 0;
    int rejected = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const World world(seed);
        std::mt19937_64 random(seed);
        for (int round = 0; round < 20 && world.draft.phases.size() > 1; ++round) {
            ScheduleDraft mutant = world.draft;
            const std::size_t from = random() % mutant.phases.size();
            const std::size_t to = random() % mutant.phases.size();
            if (from == to || mutant.phases[from].empty()) {
                continue;
            }
            Transfer message = mutant.phases[from].back();
            mutant.phases[from].pop_back();
            message.phase = static_cast<Phase>(to);
            mutant.phases[to].push_back(message);
            ++(complaint(mutant, world.network, world.placement).empty() ? accepted : rejected);
        }
    }
    EXPECT_GT(accepted, 20);
    EXPECT_GT(rejected, 200);
}

}  // namespace
}  // namespace aapc
