#include "aapc/topology/placement.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/networks.hpp"

namespace {

using aapc::Demand;
using aapc::full_demand;
using aapc::Machine;
using aapc::Network;
using aapc::participant_names;

Network two_switches() {
    aapc::test::TreeBuilder tree;
    tree.add_switch(-1);
    tree.add_switch(0);
    tree.add_machine(0, 1);
    tree.add_machine(0, 3);
    tree.add_machine(1, 2);
    return tree.build();
}

TEST(Demand, FullDemandIsFileOrder) {
    const Demand demand = full_demand(two_switches());
    EXPECT_EQ(demand.machine_of, (std::vector<Machine>{0, 1, 1, 1, 2, 2}));
    EXPECT_EQ(demand.participants(), 6);
}

TEST(Demand, NamesCountTheRanksOfAMachine) {
    const Network network = two_switches();
    EXPECT_EQ(participant_names(network, full_demand(network)),
              (std::vector<std::string>{"n0", "n1:0", "n1:1", "n1:2", "n2:0", "n2:1"}));
}

TEST(Demand, NamesFollowTheDemandNotTheFile) {
    const Network network = two_switches();
    EXPECT_EQ(participant_names(network, Demand{{2, 1, 0, 1, 0}}),
              (std::vector<std::string>{"n2", "n1:0", "n0:0", "n1:1", "n0:1"}));
    EXPECT_TRUE(participant_names(network, Demand{}).empty());
}

}  // namespace
