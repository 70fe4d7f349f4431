// The formulas against a table that is searched from end to end.
#include "algorithms/tree/branch_formula.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <numeric>

#include "algorithms/tree/partitions.hpp"

namespace aapc::tree {
namespace {

std::vector<SeatMessage> all_messages(const BranchFormula& formula) {
    std::vector<SeatMessage> messages;
    const auto& sizes = formula.sizes();
    const auto branches = static_cast<std::int32_t>(sizes.size());
    for (std::int32_t i = 0; i < branches; ++i) {
        for (std::int32_t x = 0; x < sizes[static_cast<std::size_t>(i)]; ++x) {
            for (std::int32_t j = 0; j < branches; ++j) {
                for (std::int32_t y = 0; y < sizes[static_cast<std::size_t>(j)]; ++y) {
                    if (i != j || x != y) {
                        messages.push_back({formula.phase_of({i, x}, {j, y}), {i, x}, {j, y}});
                    }
                }
            }
        }
    }
    return messages;
}

bool inside(const BranchFormula::Group& group, const Seat& seat) {
    return seat.branch == group.branch && seat.index >= group.first && seat.index < group.last;
}

/// Asks for the neighbours of every phase for every group of every branch and compares with the table.
void expect_neighbours_right(const std::vector<std::int32_t>& sizes, Pattern pattern) {
    const BranchFormula formula(sizes, pattern);
    const std::vector<SeatMessage> messages = all_messages(formula);
    using Group = BranchFormula::Group;
    for (std::int32_t branch = 0; branch < static_cast<std::int32_t>(sizes.size()); ++branch) {
        const std::int32_t size = sizes[static_cast<std::size_t>(branch)];
        for (std::int32_t first = 0; first < size; ++first) {
            for (std::int32_t last = first + 1; last <= size; ++last) {
                const Group group{branch, first, last};
                for (const bool leaving : {true, false}) {
                    std::map<Phase, SeatMessage> users;
                    for (const SeatMessage& message : messages) {
                        const Seat& own = leaving ? message.from : message.to;
                        const Seat& other = leaving ? message.to : message.from;
                        if (inside(group, own) && !inside(group, other)) {
                            ASSERT_TRUE(users.emplace(message.phase, message).second)
                                << "two users of one link in phase " << message.phase;
                        }
                    }
                    for (Phase phase = -1; phase <= formula.phases(); ++phase) {
                        const auto at = users.lower_bound(phase);
                        const auto after = users.upper_bound(phase);
                        const auto previous =
                            leaving ? formula.last_leaving(group, phase) : formula.last_entering(group, phase);
                        const auto next =
                            leaving ? formula.first_leaving(group, phase) : formula.first_entering(group, phase);
                        const auto where = [&] {
                            std::string text = "sizes";
                            for (const auto value : sizes) {
                                text += " " + std::to_string(value);
                            }
                            return text + ", pattern " + std::to_string(static_cast<int>(pattern)) + ", branch " +
                                   std::to_string(branch) + " [" + std::to_string(first) + "," + std::to_string(last) +
                                   "), " + (leaving ? "leaving" : "entering") + ", phase " + std::to_string(phase);
                        };
                        ASSERT_EQ(previous.has_value(), at != users.begin()) << where();
                        if (previous) {
                            const SeatMessage& expected = std::prev(at)->second;
                            ASSERT_EQ(previous->phase, expected.phase) << where();
                            ASSERT_EQ(previous->from, expected.from) << where();
                            ASSERT_EQ(previous->to, expected.to) << where();
                        }
                        ASSERT_EQ(next.has_value(), after != users.end()) << where();
                        if (next) {
                            ASSERT_EQ(next->phase, after->second.phase) << where();
                            ASSERT_EQ(next->from, after->second.from) << where();
                            ASSERT_EQ(next->to, after->second.to) << where();
                        }
                    }
                }
            }
        }
    }
}

TEST(BranchFormula, KnowsTheNeighboursOfEveryPhaseInTheSmallWorld) {
    for (std::int32_t sum = 2; sum <= 11; ++sum) {
        test::for_each_partition(sum, [](const std::vector<std::int32_t>& sizes) {
            expect_neighbours_right(sizes, Pattern::rotate);
            expect_neighbours_right(sizes, Pattern::late);
            if (sizes[0] == sizes[1]) {
                expect_neighbours_right(sizes, Pattern::flat);
            }
        });
    }
}

TEST(BranchFormula, KnowsTheNeighboursWhereSizesShareDivisors) {
    for (const std::vector<std::int32_t>& sizes : {std::vector<std::int32_t>{6, 4, 3, 2},
                                                   {6, 4, 4},
                                                   {8, 6, 4, 2},
                                                   {9, 6, 6, 3},
                                                   {5, 5, 3, 2},
                                                   {4, 3, 3, 2, 1}}) {
        expect_neighbours_right(sizes, Pattern::rotate);
        expect_neighbours_right(sizes, Pattern::late);
    }
}

// 2005, Table 2 (2007, Table 1): the rotate pattern of T0→T1 for sizes 6 and 4. The receivers there start at 0, while
// in a schedule they are aligned; N - 24 = 12·… is a multiple of 4 here, so that both agree.
TEST(BranchFormula, RotatesAsInTable2) {
    const BranchFormula formula({6, 4, 4}, Pattern::rotate);
    const std::vector<std::int32_t> senders = {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0};
    for (Phase phase = 0; phase < 24; ++phase) {
        const auto x = senders[static_cast<std::size_t>(phase)];
        const auto y = static_cast<std::int32_t>(phase % 4);
        EXPECT_EQ(formula.phase_of({0, x}, {1, y}), phase) << "t0," << x << " -> t1," << y;
    }
}

}  // namespace
}  // namespace aapc::tree
