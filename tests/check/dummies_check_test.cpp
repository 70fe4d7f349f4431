#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aapc/offline/synchronise.hpp"
#include "support/networks.hpp"
#include "support/schedules.hpp"

namespace aapc {
namespace {

std::string complaint(const Schedule& schedule, const std::vector<Transfer>& dummies) {
    const auto violation = check_dummies(schedule, dummies);
    return violation ? violation->what : "";
}

/// Two switches, n0 n1 n2 and n3; one message a phase, n0->n1 first, then n0->n2, n0->n3, n1->n0 and so on.
struct FourMachines : testing::Test {
    FourMachines() {
        ScheduleDraft draft{"one by one", "", std::nullopt, {}, Guarantee::contention_free};
        for (Rank from = 0; from < 4; ++from) {
            for (Rank to = 0; to < 4; ++to) {
                if (from != to) {
                    draft.phases.push_back({{static_cast<Phase>(draft.phases.size()), from, to}});
                }
            }
        }
        schedule.emplace(*check_schedule(std::move(draft), network, full_placement(network)));
        dummies = dummy_transfers(*schedule, Synchronisation::dummy);
    }

    /// Replaces the dummy that `from` sends in the first phase.
    void redirect(Rank from, Rank to) {
        for (Transfer& dummy : dummies) {
            if (dummy.phase == 0 && dummy.from == from) {
                dummy.to = to;
            }
        }
    }

    Network network = test::chain_of({3, 1}).build();
    std::optional<Schedule> schedule;
    std::vector<Transfer> dummies;
};

TEST_F(FourMachines, AnyOrder) {
    EXPECT_EQ(complaint(*schedule, dummies), "");
    std::reverse(dummies.begin(), dummies.end());
    EXPECT_EQ(complaint(*schedule, dummies), "");
}

/// Other choices than those of dummy_transfers() are as good: n1->n2, n2->n0 in place of n1->n0, n2->n2.
TEST_F(FourMachines, AnyChoice) {
    redirect(1, 2);
    redirect(2, 0);
    EXPECT_EQ(complaint(*schedule, dummies), "");
}

TEST_F(FourMachines, LeavesItsSwitch) {
    redirect(1, 3);
    EXPECT_EQ(complaint(*schedule, dummies), "In phase 0, the dummy n1->n3 leaves its switch.");
}

TEST_F(FourMachines, SendsTwice) {
    dummies.push_back({0, 0, 2});
    EXPECT_EQ(complaint(*schedule, dummies), "In phase 0, the dummy n0->n2 has the same sender as n0->n1.");
    dummies.back() = {0, 0, 0};
    EXPECT_EQ(complaint(*schedule, dummies), "In phase 0, the dummy n0->n0 has the same sender as n0->n1.");
    dummies.back() = {0, 3, 3};
    EXPECT_EQ(complaint(*schedule, dummies), "In phase 0, the dummy n3->n3 has the same sender as n3->n3.");
}

TEST_F(FourMachines, ReceivesTwice) {
    redirect(2, 1);
    EXPECT_EQ(complaint(*schedule, dummies), "In phase 0, the dummy n2->n1 has the same receiver as n0->n1.");
    redirect(2, 0);
    EXPECT_EQ(complaint(*schedule, dummies), "In phase 0, the dummy n2->n0 has the same receiver as n1->n0.");
}

TEST_F(FourMachines, SendsToItselfWithoutNeed) {
    redirect(1, 1);
    EXPECT_EQ(complaint(*schedule, dummies),
              "In phase 0, n1 sends a dummy to itself, but n2 of its switch receives nothing.");
}

TEST_F(FourMachines, UnknownPhasesAndRanks) {
    dummies.push_back({12, 1, 1});
    EXPECT_EQ(complaint(*schedule, dummies), "A dummy from rank 1 to rank 1 is in phase 12, but there are 12 phases.");
    dummies.back() = {-1, 1, 1};
    EXPECT_EQ(complaint(*schedule, dummies), "A dummy from rank 1 to rank 1 is in phase -1, but there are 12 phases.");
    dummies.back() = {0, 4, 1};
    EXPECT_EQ(complaint(*schedule, dummies),
              "Phase 0 has a dummy from rank 4 to rank 1, but there are 4 participants.");
    dummies.back() = {0, 1, -1};
    EXPECT_EQ(complaint(*schedule, dummies),
              "Phase 0 has a dummy from rank 1 to rank -1, but there are 4 participants.");
}

/// Every dummy is needed: without it somebody is idle. And none may be given twice.
TEST(DummiesCheck, NoneMayBeLostOrRepeated) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const test::TreeBuilder tree = test::random_tree(seed, 2, 8);
        const Network network = tree.build();
        const auto built = test::build_tree_schedule(network, full_placement(network), "paper");
        const std::vector<Transfer> dummies = dummy_transfers(*built.schedule, Synchronisation::dummy);
        for (std::size_t index = 0; index < dummies.size(); ++index) {
            std::vector<Transfer> mutant = dummies;
            mutant.erase(mutant.begin() + static_cast<std::ptrdiff_t>(index));
            EXPECT_THAT(complaint(*built.schedule, mutant),
                        testing::HasSubstr(fmt::format("In phase {}, ", dummies[index].phase)))
                << "seed " << seed << "\n"
                << tree.toml();
            mutant = dummies;
            mutant.push_back(dummies[index]);
            EXPECT_THAT(complaint(*built.schedule, mutant), testing::HasSubstr("has the same sender as"))
                << "seed " << seed << "\n"
                << tree.toml();
        }
    }
}

}  // namespace
}  // namespace aapc
