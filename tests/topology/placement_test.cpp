#include "aapc/topology/placement.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/networks.hpp"

namespace {

using aapc::full_placement;
using aapc::Machine;
using aapc::Network;
using aapc::participant_names;
using aapc::Placement;

Network two_switches() {
    aapc::test::TreeBuilder tree;
    tree.add_switch(-1);
    tree.add_switch(0);
    tree.add_machine(0, 1);
    tree.add_machine(0, 3);
    tree.add_machine(1, 2);
    return tree.build();
}

TEST(Placement, FullPlacementIsFileOrder) {
    const Placement placement = full_placement(two_switches());
    EXPECT_EQ(placement.machine_of, (std::vector<Machine>{0, 1, 1, 1, 2, 2}));
    EXPECT_EQ(placement.participants(), 6);
}

TEST(Placement, NamesCountTheRanksOfAMachine) {
    const Network network = two_switches();
    EXPECT_EQ(participant_names(network, full_placement(network)),
              (std::vector<std::string>{"n0", "n1:0", "n1:1", "n1:2", "n2:0", "n2:1"}));
}

TEST(Placement, NamesFollowThePlacementNotTheFile) {
    const Network network = two_switches();
    EXPECT_EQ(participant_names(network, Placement{{2, 1, 0, 1, 0}}),
              (std::vector<std::string>{"n2", "n1:0", "n0:0", "n1:1", "n0:1"}));
    EXPECT_TRUE(participant_names(network, Placement{}).empty());
}

}  // namespace
