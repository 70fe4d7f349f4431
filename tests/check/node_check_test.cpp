// The checker of machines' ports, on schedules that keep to them and on some that do not.
#include "aapc/check/node_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/networks.hpp"

namespace aapc {
namespace {

/// Two machines of two ranks and one of one.
Network small_cluster() {
    test::TreeBuilder tree;
    tree.add_switch(-1);
    tree.add_machine(0, 2);
    tree.add_machine(0, 2);
    tree.add_machine(0, 1);
    return tree.build();
}

/// All messages of five ranks, one a phase, but for those of the list, which are the first phase.
Schedule with_first_phase(const Network& network, const std::vector<Transfer>& first) {
    ScheduleDraft draft{"by hand", "", std::nullopt, {first}, Guarantee::one_port, {}};
    for (Rank from = 0; from < 5; ++from) {
        for (Rank to = 0; to < 5; ++to) {
            if (from != to && std::find(first.begin(), first.end(), Transfer{0, from, to}) == first.end()) {
                draft.phases.push_back({{static_cast<Phase>(draft.phases.size()), from, to}});
            }
        }
    }
    return *check_schedule(std::move(draft), network, full_placement(network));
}

TEST(NodePorts, CountsPhasesOnTheWire) {
    const Network network = small_cluster();
    const Schedule schedule = with_first_phase(network, {{0, 0, 1}, {0, 1, 0}});
    const auto use = check_node_ports(schedule, 1);
    ASSERT_TRUE(use.has_value()) << use.error().what;
    EXPECT_EQ(use->wire_phases, 16);  // 20 pairs less 4 within a machine
    EXPECT_EQ(use->least_wire_phases, 2 * 3);
    // Now the rank that is alone on its machine has most to do: it sends four messages, one a phase.
    EXPECT_EQ(check_node_ports(schedule, 4)->least_wire_phases, 4);
}

TEST(NodePorts, LetsMessagesInsideAMachinePass) {
    const Network network = small_cluster();
    EXPECT_TRUE(check_node_ports(with_first_phase(network, {{0, 0, 1}, {0, 1, 0}, {0, 2, 4}, {0, 4, 3}}), 1));
}

TEST(NodePorts, RefusesAMachineThatSendsTwice) {
    const Network network = small_cluster();
    const Schedule schedule = with_first_phase(network, {{0, 0, 2}, {0, 1, 4}});
    const auto use = check_node_ports(schedule, 1);
    ASSERT_FALSE(use.has_value());
    EXPECT_EQ(
        use.error().what,
        "In phase 0, message n0:1->n2 is number 2 that machine n0 sends to other machines, but it may have 1 at a "
        "time.");
    EXPECT_TRUE(check_node_ports(schedule, 2).has_value());
}

TEST(NodePorts, RefusesAMachineThatReceivesTwice) {
    const Network network = small_cluster();
    const Schedule schedule = with_first_phase(network, {{0, 0, 2}, {0, 4, 3}});
    const auto use = check_node_ports(schedule, 1);
    ASSERT_FALSE(use.has_value());
    EXPECT_EQ(
        use.error().what,
        "In phase 0, message n2->n1:1 is number 2 that machine n1 receives from other machines, but it may have 1 "
        "at a time.");
    EXPECT_TRUE(check_node_ports(schedule, 2).has_value());
}

}  // namespace
}  // namespace aapc
