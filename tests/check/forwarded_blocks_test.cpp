// Schedules that forward blocks, and everything that can be wrong with one.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/check/schedule.hpp"
#include "aapc/offline/tabulate.hpp"
#include "support/networks.hpp"

namespace aapc {
namespace {

using testing::HasSubstr;

/// Four ranks in two phases: a block with three places to go is passed on by the next rank.
ScheduleDraft four_ranks() {
    ScheduleDraft draft{"by hand", "", std::nullopt, {{}, {}}, Guarantee::one_port, {{}, {}}};
    const auto rank = [](int number) { return static_cast<Rank>(number % 4); };
    for (int from = 0; from < 4; ++from) {
        draft.phases[0].push_back({0, from, rank(from + 1)});
        draft.blocks[0].push_back({{from, rank(from + 3)}, {from, rank(from + 1)}});
        draft.phases[1].push_back({1, from, rank(from + 2)});
        draft.blocks[1].push_back({{rank(from + 3), rank(from + 2)}, {from, rank(from + 2)}});
    }
    return draft;
}

struct FourRanks : testing::Test {
    Network network = test::chain_of({4}).build();
    Placement placement = full_placement(network);
    ScheduleDraft draft = four_ranks();

    std::string complaint() const {
        const auto schedule = check_schedule(draft, network, placement);
        return schedule ? "" : schedule.error().what;
    }
    void add_message(const Transfer& message, std::vector<Block> blocks) {
        const auto phase = static_cast<std::size_t>(message.phase);
        draft.phases.resize(std::max(draft.phases.size(), phase + 1));
        draft.blocks.resize(draft.phases.size());
        draft.phases[phase].push_back(message);
        draft.blocks[phase].push_back(std::move(blocks));
    }
};

TEST_F(FourRanks, IsASchedule) {
    const auto schedule = check_schedule(draft, network, placement);
    ASSERT_TRUE(schedule) << schedule.error().what;
    EXPECT_TRUE(schedule->forwards());
    EXPECT_EQ(schedule->blocks(), draft.blocks);
    EXPECT_EQ(schedule->messages(), 8);
    EXPECT_EQ(schedule->guarantee(), Guarantee::one_port);
}

TEST_F(FourRanks, LostBlock) {
    draft.blocks[1][0].erase(draft.blocks[1][0].begin());
    EXPECT_EQ(complaint(), "Block n3->n2 ends at n0, which is not its destination.");
}

TEST_F(FourRanks, MissingBlock) {
    draft.blocks[0][2].pop_back();
    EXPECT_EQ(complaint(), "Block n2->n3 is missing: no message carries it.");
    draft.blocks[0][3].pop_back();
    EXPECT_EQ(complaint(), "Block n2->n3 is missing: no message carries it.");
    draft.blocks[0][0].pop_back();
    EXPECT_EQ(complaint(), "Block n0->n1 is missing: no message carries it.");
}

TEST_F(FourRanks, LastBlockMissing) {
    draft.blocks[1][3].pop_back();
    draft.blocks[0][3] = {{3, 0}};
    draft.blocks[1][0] = {{0, 2}};
    EXPECT_EQ(complaint(), "Block n3->n1 is missing: no message carries it.");
}

TEST_F(FourRanks, BlockSentAgain) {
    draft.blocks[1][0].push_back({0, 1});
    EXPECT_EQ(complaint(), "In phase 1, message n0->n2 carries block n0->n1, which n1 has at that time.");
}

TEST_F(FourRanks, BlockFromElsewhere) {
    draft.blocks[0][1].push_back({3, 0});
    EXPECT_EQ(complaint(), "In phase 0, message n1->n2 carries block n3->n0, which n3 has at that time.");
}

TEST_F(FourRanks, BlockTwiceInOneMessage) {
    draft.blocks[1][0].push_back({0, 2});
    EXPECT_EQ(complaint(), "In phase 1, message n0->n2 carries block n0->n2 twice.");
}

TEST_F(FourRanks, BlockTwiceInOnePhase) {
    draft.guarantee = Guarantee::nothing;
    add_message({1, 0, 3}, {{0, 2}});
    EXPECT_EQ(complaint(), "In phase 1, messages n0->n2 and n0->n3 both carry block n0->n2.");
}

TEST_F(FourRanks, BlockLeavesInThePhaseInWhichItArrives) {
    draft.blocks[0][1].push_back({0, 3});
    EXPECT_EQ(complaint(), "In phase 0, message n1->n2 carries block n0->n3, which arrives at n1 in that very phase.");
    draft = four_ranks();
    draft.blocks[0][0].push_back({3, 2});  // listed before the message that brings it
    EXPECT_EQ(complaint(), "In phase 0, message n0->n1 carries block n3->n2, which n3 has at that time.");
}

TEST_F(FourRanks, BlockMovedOnByAnotherRankInTheSamePhase) {
    draft.blocks[1][1].push_back({0, 2});
    EXPECT_EQ(complaint(), "In phase 1, message n1->n3 carries block n0->n2, which n0 has at that time.");
}

TEST_F(FourRanks, BlockLeavesItsDestination) {
    add_message({2, 2, 1}, {{0, 2}});
    EXPECT_EQ(complaint(), "In phase 2, message n2->n1 carries block n0->n2 away from its destination.");
}

TEST_F(FourRanks, BlockThatIsAtItsDestinationFromTheBeginning) {
    draft.blocks[0][1].push_back({1, 1});
    EXPECT_EQ(complaint(), "In phase 0, message n1->n2 carries block n1->n1, which n1 has already.");
}

TEST_F(FourRanks, UnknownRanks) {
    for (const Rank rank : {-1, 4, std::numeric_limits<Rank>::min(), std::numeric_limits<Rank>::max()}) {
        draft = four_ranks();
        draft.blocks[1][2][0].origin = rank;
        EXPECT_EQ(complaint(), fmt::format("In phase 1, message n2->n0 carries a block from rank {} to rank 0, but "
                                           "there are 4 participants.",
                                           rank));
        draft = four_ranks();
        draft.blocks[1][2][1].destination = rank;
        EXPECT_EQ(complaint(), fmt::format("In phase 1, message n2->n0 carries a block from rank 2 to rank {}, but "
                                           "there are 4 participants.",
                                           rank));
        draft = four_ranks();
        draft.phases[1][2].to = rank;
        EXPECT_EQ(complaint(),
                  fmt::format("Phase 1 has a message from rank 2 to rank {}, but there are 4 participants.", rank));
    }
}

TEST_F(FourRanks, MessageWithoutBlocks) {
    add_message({2, 2, 1}, {});
    EXPECT_EQ(complaint(), "In phase 2, message n2->n1 carries no block.");
}

TEST_F(FourRanks, ListsOfAnotherShape) {
    draft.blocks[1].pop_back();
    EXPECT_EQ(complaint(), "Phase 1 has 4 messages, but blocks are listed for 3.");
    draft.blocks.pop_back();
    EXPECT_EQ(complaint(), "There are 2 phases, but blocks are listed for 1.");
    draft.blocks.clear();
    EXPECT_EQ(complaint(), "Message n0->n3 is missing: no phase sends it.") << "without blocks each carries its own";
}

TEST_F(FourRanks, MessageTwiceInOnePhase) {
    draft.guarantee = Guarantee::nothing;
    draft.blocks[1][0].pop_back();
    add_message({1, 0, 2}, {{0, 2}});
    EXPECT_EQ(complaint(), "Message n0->n2 is sent twice in phase 1.");
}

TEST_F(FourRanks, PortsAndLinksAreThoseOfTheMessages) {
    draft.blocks[0][0].pop_back();
    add_message({1, 0, 1}, {{0, 1}});
    EXPECT_EQ(complaint(), "In phase 1, messages n0->n2 and n0->n1 both use the sending port of n0.");
    draft.guarantee = Guarantee::nothing;
    EXPECT_EQ(complaint(), "");
    draft = four_ranks();
    draft.guarantee = Guarantee::contention_free;
    EXPECT_EQ(complaint(), "");
    network = test::chain_of({2, 2}).build();
    EXPECT_EQ(complaint(), "In phase 1, messages n0->n2 and n1->n3 both use the link s0->s1.");
}

/// The bound counts what ranks owe each other, not the messages that carry it.
TEST_F(FourRanks, TheBoundIsThatOfThePlacement) {
    draft.bound = 3;
    EXPECT_EQ(complaint(), "");
    draft.bound = 2;
    EXPECT_THAT(complaint(), HasSubstr("The bound is said to be 2, but the busiest channel, the link "));
    EXPECT_THAT(complaint(), HasSubstr(", carries 3 messages."));
    draft.bound = 3;
    draft.guarantee = Guarantee::shortest;
    EXPECT_EQ(complaint(), "There are 2 phases, but the bound is 3.");
}

/// Memory follows the blocks, not the square of the participants that somebody claims.
TEST_F(FourRanks, ManyParticipantsAndFewBlocksCostLittle) {
    placement.machine_of.assign(1'000'000, 0);
    EXPECT_EQ(complaint(), "Block n0:0->n0:4 is missing: no message carries it.");
}

// ---- A second opinion -----------------------------------------------------------------------------------------------

/// Whether every block arrives, by moving all of them about in tables.
bool delivers(const ScheduleDraft& draft, Rank participants) {
    std::map<Block, Rank> at;
    for (Rank origin = 0; origin < participants; ++origin) {
        for (Rank destination = 0; destination < participants; ++destination) {
            if (origin != destination) {
                at[{origin, destination}] = origin;
            }
        }
    }
    for (std::size_t phase = 0; phase < draft.phases.size(); ++phase) {
        const std::map<Block, Rank> before = at;
        std::set<Block> moved;
        std::set<std::pair<Rank, Rank>> messages;
        for (std::size_t index = 0; index < draft.phases[phase].size(); ++index) {
            const Transfer& message = draft.phases[phase][index];
            const bool good_message = message.from >= 0 && message.from < participants && message.to >= 0 &&
                                      message.to < participants && message.from != message.to &&
                                      messages.emplace(message.from, message.to).second &&
                                      !draft.blocks[phase][index].empty();
            if (!good_message) {
                return false;
            }
            for (const Block& block : draft.blocks[phase][index]) {
                if (!before.contains(block) || before.at(block) != message.from || block.destination == message.from ||
                    !moved.insert(block).second) {
                    return false;
                }
                at[block] = message.to;
            }
        }
    }
    return std::all_of(at.begin(), at.end(), [](const auto& entry) { return entry.second == entry.first.destination; });
}

class ForwardedMutations {
  public:
    explicit ForwardedMutations(std::uint64_t seed) : random_(seed) {
        ranks_ = static_cast<Rank>(3 + below(6));
        network_ = std::make_unique<Network>(test::chain_of({ranks_}).build());
        const std::string variant = fmt::format("radix-{}", 2 + below(static_cast<std::size_t>(ranks_) - 2));
        const auto timetable =
            build_timetable(**find_algorithm("bruck"), variant, *network_, full_placement(*network_));
        good_ = tabulate(**timetable, "bruck", variant, std::nullopt);
        good_.guarantee = Guarantee::nothing;
    }

    /// Changes one thing, compares both opinions, and returns whether the mutant is a schedule.
    bool round() {
        ScheduleDraft mutant = good_;
        mutate(mutant);
        const auto schedule = check_schedule(mutant, *network_, full_placement(*network_));
        const bool good = delivers(mutant, ranks_);
        EXPECT_EQ(schedule.has_value(), good) << (schedule ? "" : schedule.error().what);
        return good;
    }

  private:
    std::size_t below(std::size_t limit) { return random_() % limit; }
    Rank any_rank() { return static_cast<Rank>(below(static_cast<std::size_t>(ranks_) + 2)) - 1; }

    void mutate(ScheduleDraft& draft) {
        const std::size_t phase = below(draft.phases.size());
        const std::size_t index = below(draft.phases[phase].size());
        std::vector<Block>& blocks = draft.blocks[phase][index];
        const std::size_t other_phase = below(draft.phases.size());
        const std::size_t other_index = below(draft.phases[other_phase].size());
        std::vector<Block>& others = draft.blocks[other_phase][other_index];
        const std::size_t block = below(blocks.size());
        switch (below(8)) {
            case 0:
                blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(block));
                break;
            case 1:
                blocks.push_back({any_rank(), any_rank()});
                break;
            case 2:
                std::swap(blocks[block], others[below(others.size())]);
                break;
            case 3:
                std::swap(blocks[block], blocks[below(blocks.size())]);
                break;
            case 4:
                (below(2) == 0 ? draft.phases[phase][index].from : draft.phases[phase][index].to) = any_rank();
                break;
            case 5:
                std::swap(blocks, others);
                break;
            case 6:  // deliver a block at once, in a phase of its own at the end, and nowhere else
                draft.phases.push_back({{static_cast<Phase>(draft.phases.size()), draft.phases[phase][index].from,
                                         draft.phases[phase][index].to}});
                draft.blocks.push_back({{draft.blocks[phase][index][block]}});
                draft.blocks[phase][index].erase(draft.blocks[phase][index].begin() +
                                                 static_cast<std::ptrdiff_t>(block));
                break;
            default:
                others.push_back(blocks[block]);
                break;
        }
    }

    std::mt19937_64 random_;
    Rank ranks_ = 0;
    std::unique_ptr<Network> network_;
    ScheduleDraft good_;
};

TEST(ForwardedBlocks, MutantsAreJudgedAsByTheDefinition) {
    int accepted = 0;
    int rejected = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        ForwardedMutations mutations(seed);
        for (int round = 0; round < 50; ++round) {
            ++(mutations.round() ? accepted : rejected);
        }
    }
    EXPECT_GT(accepted, 1000);
    EXPECT_GT(rejected, 10'000);
}

}  // namespace
}  // namespace aapc
