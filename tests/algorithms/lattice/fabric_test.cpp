// The lattice on fabrics, judged by the checker.
#include "aapc/topology/fabric.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "aapc/check/queues.hpp"
#include "algorithms/lattice/lattice_timetable.hpp"
#include "support/fabrics.hpp"

namespace {

using aapc::full_placement;
using aapc::Network;
using aapc::Placement;
using aapc::test::dragonfly;
using aapc::test::fat_tree;
using aapc::test::leaf_spine;

TEST(LatticeOnFabrics, HasShortQueuesUnderStaticTables) {
    std::vector<Network> fabrics{
        leaf_spine(4, 4, 2, "static"),  leaf_spine(4, 4, 4, "static"),   leaf_spine(2, 8, 4, "static"),
        leaf_spine(8, 16, 4, "static"), leaf_spine(8, 16, 16, "static"), fat_tree(4, "static"),
        fat_tree(8, "static"),          dragonfly(3, 2, "static"),       dragonfly(4, 4, "static")};
    for (unsigned seed = 0; seed < 4; ++seed) {
        fabrics.push_back(leaf_spine(6, 8, 4, "static", 3, seed));
        fabrics.push_back(leaf_spine(8, 16, 8, "static", 6, seed));
    }
    std::vector<double> queues;
    for (const Network& network : fabrics) {
        const Placement placement = full_placement(network);
        const auto timetable = aapc::lattice::build_formula(network, placement);
        ASSERT_TRUE(timetable);
        const auto certificate = certify_queues(**timetable, network, placement);
        ASSERT_TRUE(certificate) << certificate.error().what;
        EXPECT_LE(certificate->cycle_over_bound(), 1.0201);
        queues.push_back(certificate->segments());
    }
    std::sort(queues.begin(), queues.end());
    EXPECT_LE(queues[queues.size() * 9 / 10], 8.0) << queues.back();
}

TEST(LatticeOnFabrics, IsFreeOfContentionUnderDestinationModulo) {
    for (const Network& network : {leaf_spine(4, 4, 4, "static"), fat_tree(4, "static"), fat_tree(8, "static")}) {
        const Placement placement = full_placement(network);
        const auto timetable = aapc::lattice::build_formula(network, placement);
        ASSERT_TRUE(timetable);
        const auto certificate = certify_queues(**timetable, network, placement);
        ASSERT_TRUE(certificate);
        // A cycle has as many slots as ranks, the slot of the rank's message to itself included: with few ranks slots
        // are a little shorter than messages.
        EXPECT_LT(certificate->segments(), placement.participants() >= 50 ? 0.01 : 1);
    }
}

TEST(LatticeOnFabrics, SettlesWhereRoutesAreKnown) {
    const Network network = leaf_spine(4, 4, 2, "static");
    const Placement placement = full_placement(network);
    const auto settled = aapc::lattice::build(network, placement, "settled");
    ASSERT_TRUE(settled);
    EXPECT_EQ((*settled)->remark(), "");
    const auto certificate = certify_queues(**settled, network, placement);
    ASSERT_TRUE(certificate) << certificate.error().what;
    EXPECT_EQ(certificate->segments(), 0);
    const Network hashed = leaf_spine(4, 4, 2, "hashed");
    const auto formula = aapc::lattice::build(hashed, placement, "settled");
    ASSERT_TRUE(formula);
    EXPECT_NE((*formula)->remark().find("paths are not known"), std::string::npos);
}

TEST(LatticeOnFabrics, HasShorterQueuesThanRandomOffsetsUnderAHash) {
    for (const Network& network :
         {leaf_spine(4, 8, 4, "hashed"), leaf_spine(8, 16, 4, "hashed"), fat_tree(8, "hashed")}) {
        const Placement placement = full_placement(network);
        const auto timetable = aapc::lattice::build_formula(network, placement);
        ASSERT_TRUE(timetable);
        // No cycle is promised that the hash does not leave.
        EXPECT_GE((*timetable)->cycle()->seconds_per_byte,
                  expected_bound(network, *aapc::FabricRoutes::find(network), placement).mean);
        const auto queues = certify_hashed_queues(**timetable, network, placement, 8);
        ASSERT_TRUE(queues) << queues.error().what;
        EXPECT_LE(queues->segments, queues->formula_segments) << to_string(*queues);
    }
}

}  // namespace
