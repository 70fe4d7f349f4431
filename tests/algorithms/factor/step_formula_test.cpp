// The steps of the hierarchical factor algorithm, from sizes alone.
#include "algorithms/factor/step_formula.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "algorithms/factor/reference.hpp"

namespace aapc::factor {
namespace {

using test::Form;
using Way = StepFormula::Way;
using Search = StepFormula::Search;

auto key(const SeatMessage& message) {
    return std::tuple(message.step, message.from.node, message.from.index, message.to.node, message.to.index);
}

std::vector<SeatMessage> sorted(std::vector<SeatMessage> messages) {
    std::sort(messages.begin(), messages.end(),
              [](const SeatMessage& left, const SeatMessage& right) { return key(left) < key(right); });
    return messages;
}

std::vector<Seat> seats_of(const std::vector<int>& sizes) {
    std::vector<Seat> seats;
    for (std::size_t node = 0; node < sizes.size(); ++node) {
        for (int index = 0; index < sizes[node]; ++index) {
            seats.push_back({static_cast<std::int32_t>(node), index});
        }
    }
    return seats;
}

StepFormula formula_of(const std::vector<int>& sizes, Form form) { return {sizes, test::rules_of(form)}; }

/// Every seat's two lists are its part of the written-down schedule, in order of strictly ascending steps.
void expect_written_down(const std::vector<int>& sizes, Form form) {
    const StepFormula formula = formula_of(sizes, form);
    const test::WrittenDown written = test::Writer(sizes, form).write();
    ASSERT_EQ(formula.steps(), written.steps);
    std::vector<SeatMessage> sent;
    std::vector<SeatMessage> received;
    for (const Seat seat : seats_of(sizes)) {
        const auto own_sends = formula.sends_of(seat);
        const auto own_receives = formula.receives_of(seat);
        for (const auto* list : {&own_sends, &own_receives}) {
            for (std::size_t place = 1; place < list->size(); ++place) {
                ASSERT_LT((*list)[place - 1].step, (*list)[place].step);
            }
        }
        for (const SeatMessage& message : own_sends) {
            ASSERT_EQ(message.from, seat);
        }
        for (const SeatMessage& message : own_receives) {
            ASSERT_EQ(message.to, seat);
        }
        sent.insert(sent.end(), own_sends.begin(), own_sends.end());
        received.insert(received.end(), own_receives.begin(), own_receives.end());
    }
    const std::vector<SeatMessage> expected = sorted(written.messages);
    ASSERT_EQ(sorted(std::move(sent)), expected);
    ASSERT_EQ(sorted(std::move(received)), expected);
}

/// One operation a node and step, and every ordered pair once, counted from the messages.
void expect_single_ported(const std::vector<int>& sizes, Form form) {
    const StepFormula formula = formula_of(sizes, form);
    std::map<std::pair<std::int32_t, Phase>, std::set<std::pair<std::int32_t, std::int32_t>>> inner;
    std::set<std::pair<std::int32_t, Phase>> leaving;
    std::set<std::pair<std::int32_t, Phase>> entering;
    std::size_t messages = 0;
    std::set<std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t>> pairs;
    for (const Seat seat : seats_of(sizes)) {
        for (const SeatMessage& message : formula.sends_of(seat)) {
            ++messages;
            pairs.insert({message.from.node, message.from.index, message.to.node, message.to.index});
            ASSERT_LT(message.step, formula.steps());
            if (message.from.node == message.to.node) {
                inner[{message.from.node, message.step}].insert(std::minmax(message.from.index, message.to.index));
            } else {
                ASSERT_TRUE(leaving.insert({message.from.node, message.step}).second) << "step " << message.step;
                ASSERT_TRUE(entering.insert({message.to.node, message.step}).second) << "step " << message.step;
            }
        }
    }
    for (const auto& [node_and_step, ranks] : inner) {
        ASSERT_EQ(ranks.size(), 1U) << "step " << node_and_step.second;
        ASSERT_FALSE(leaving.contains(node_and_step)) << "step " << node_and_step.second;
        ASSERT_FALSE(entering.contains(node_and_step)) << "step " << node_and_step.second;
    }
    const auto ranks = seats_of(sizes).size();
    ASSERT_EQ(messages, ranks * (ranks - 1));
    ASSERT_EQ(pairs.size(), messages);
}

Phase wire_steps(const std::vector<int>& sizes, Form form) {
    std::set<Phase> steps;
    const StepFormula formula = formula_of(sizes, form);
    for (const Seat seat : seats_of(sizes)) {
        for (const SeatMessage& message : formula.sends_of(seat)) {
            if (message.from.node != message.to.node) {
                steps.insert(message.step);
            }
        }
    }
    return static_cast<Phase>(steps.size());
}

/// How many steps the forms take, as far as that is known without running them.
void expect_step_counts(const std::vector<int>& sizes) {
    const Phase ranks = static_cast<Phase>(seats_of(sizes).size());
    const Phase largest = *std::max_element(sizes.begin(), sizes.end());
    const Phase least_on_wire = largest * (ranks - largest);
    const Phase least = least_on_wire + largest * (largest + 1) / 2;
    ASSERT_EQ(formula_of(sizes, Form::paper).steps(), largest * ranks);  // Theorem 1
    ASSERT_EQ(wire_steps(sizes, Form::permutation), least_on_wire);
    ASSERT_EQ(formula_of(sizes, Form::permutation).steps(), least);
    bool loops_cost_nothing = true;
    for (int done = 0; done < largest; ++done) {
        const auto active = std::count_if(sizes.begin(), sizes.end(), [&](int size) { return size > done; });
        loops_cost_nothing = loops_cost_nothing && (active % 2 == 0 || active == 1);
    }
    if (loops_cost_nothing) {
        ASSERT_EQ(wire_steps(sizes, Form::fill), least_on_wire);
        ASSERT_EQ(formula_of(sizes, Form::fill).steps(), least);
    }
    ASSERT_LE(wire_steps(sizes, Form::fill), wire_steps(sizes, Form::paper));
    ASSERT_LE(formula_of(sizes, Form::fill).steps(), formula_of(sizes, Form::exchange).steps());
    ASSERT_LE(formula_of(sizes, Form::exchange).steps(), formula_of(sizes, Form::paper).steps());
}

void expect_everything(const std::vector<int>& sizes) {
    for (const Form form : test::forms) {
        SCOPED_TRACE(test::to_string(sizes) + ", form " + std::to_string(static_cast<int>(form)));
        ASSERT_NO_FATAL_FAILURE(expect_written_down(sizes, form));
        ASSERT_NO_FATAL_FAILURE(expect_single_ported(sizes, form));
    }
    SCOPED_TRACE(test::to_string(sizes));
    ASSERT_NO_FATAL_FAILURE(expect_step_counts(sizes));
}

TEST(StepFormula, HoldsForEveryVectorOfUpTo6NodesOf1To4Ranks) {
    int count = 0;
    test::for_each_vector(6, 4, [&](const std::vector<int>& sizes) {
        if (!testing::Test::HasFatalFailure()) {
            expect_everything(sizes);
            ++count;
        }
    });
    EXPECT_EQ(count, 4 + 16 + 64 + 256 + 1024 + 4096);
}

TEST(StepFormula, HoldsForEveryCompositionOfUpTo9Ranks) {
    for (int sum = 1; sum <= 9; ++sum) {
        test::for_each_composition(sum, [](const std::vector<int>& sizes) {
            if (!testing::Test::HasFatalFailure()) {
                expect_everything(sizes);
            }
        });
    }
}

TEST(StepFormula, CountsTheKnownExamples) {
    const std::vector<int> sizes{1, 2, 3};
    EXPECT_EQ(formula_of(sizes, Form::paper).steps(), 18);
    EXPECT_EQ(formula_of(sizes, Form::exchange).steps(), 15);
    EXPECT_EQ(wire_steps(sizes, Form::exchange), 11);
    // The steps of Figure 3 in which no message is between nodes, from 1.
    std::set<Phase> wire;
    for (const SeatMessage& message : test::Writer(sizes, Form::exchange).write().messages) {
        if (message.from.node != message.to.node) {
            wire.insert(message.step + 1);
        }
    }
    EXPECT_EQ(wire, (std::set<Phase>{1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 14}));
}

TEST(StepFormula, GivesAProcessorOfFigure3ItsList) {
    // By hand: in stage 1 with node 0 in round 1 and with its own node in round 2; in stage 2 with all of node 2.
    const StepFormula formula = formula_of({1, 2, 3}, Form::exchange);
    const Seat seat{1, 1};
    const std::vector<SeatMessage> expected{
        {4, seat, {0, 0}}, {7, seat, {1, 0}}, {11, seat, {2, 0}}, {12, seat, {2, 1}}, {13, seat, {2, 2}}};
    EXPECT_EQ(formula.sends_of(seat), expected);
}

std::optional<SeatMessage> nearest(const std::vector<SeatMessage>& messages, Phase step, Search search) {
    std::optional<SeatMessage> found;
    for (const SeatMessage& message : messages) {
        if (search == Search::backward && message.step < step && (!found || found->step < message.step)) {
            found = message;
        }
        if (search == Search::forward && message.step > step && (!found || found->step > message.step)) {
            found = message;
        }
    }
    return found;
}

/// The neighbours on ports and network cards, from every step of the schedule, against a search through all messages.
void expect_neighbours(const std::vector<int>& sizes, Form form) {
    const StepFormula formula = formula_of(sizes, form);
    const test::WrittenDown written = test::Writer(sizes, form).write();
    const auto matching = [&](auto&& accepts) {
        std::vector<SeatMessage> found;
        std::copy_if(written.messages.begin(), written.messages.end(), std::back_inserter(found), accepts);
        return found;
    };
    for (Phase step = 0; step < written.steps; ++step) {
        for (const Search search : {Search::backward, Search::forward}) {
            for (const Seat seat : seats_of(sizes)) {
                const auto sent = matching([&](const SeatMessage& message) { return message.from == seat; });
                const auto received = matching([&](const SeatMessage& message) { return message.to == seat; });
                ASSERT_EQ(formula.find_message(seat, Way::out, step, search), nearest(sent, step, search))
                    << "step " << step << " seat " << seat.node << "." << seat.index;
                ASSERT_EQ(formula.find_message(seat, Way::in, step, search), nearest(received, step, search))
                    << "step " << step << " seat " << seat.node << "." << seat.index;
            }
            for (std::int32_t node = 0; node < static_cast<std::int32_t>(sizes.size()); ++node) {
                const auto leaving = matching(
                    [&](const SeatMessage& message) { return message.from.node == node && message.to.node != node; });
                const auto entering = matching(
                    [&](const SeatMessage& message) { return message.to.node == node && message.from.node != node; });
                ASSERT_EQ(formula.find_crossing(node, Way::out, step, search), nearest(leaving, step, search))
                    << "step " << step << " node " << node;
                ASSERT_EQ(formula.find_crossing(node, Way::in, step, search), nearest(entering, step, search))
                    << "step " << step << " node " << node;
            }
        }
    }
}

TEST(StepFormula, FindsNeighboursForEveryCompositionOfUpTo7Ranks) {
    for (int sum = 1; sum <= 7; ++sum) {
        test::for_each_composition(sum, [](const std::vector<int>& sizes) {
            for (const Form form : test::forms) {
                if (!testing::Test::HasFatalFailure()) {
                    SCOPED_TRACE(test::to_string(sizes) + ", form " + std::to_string(static_cast<int>(form)));
                    expect_neighbours(sizes, form);
                }
            }
        });
    }
}

}  // namespace
}  // namespace aapc::factor
