// How many synchronisations remain. The figures are those of an independent reference implementation.
#include <gtest/gtest.h>

#include "aapc/offline/synchronise.hpp"
#include "support/networks.hpp"
#include "support/schedules.hpp"

namespace aapc {
namespace {

struct Counts {
    std::size_t candidates;
    std::size_t reduced;  ///< the transitive reduction, edges within one sender included
    std::size_t exact;    ///< synchronisation messages of `sender`, exact reduction
    std::size_t pairs;    ///< the same by the pair rule
    std::size_t merged;   ///< variant `merged`, pair rule

    friend bool operator==(const Counts&, const Counts&) = default;
    friend std::ostream& operator<<(std::ostream& out, const Counts& counts) {
        return out << counts.candidates << " candidates, " << counts.reduced << " reduced, " << counts.exact
                   << " exact, " << counts.pairs << " pairs, " << counts.merged << " merged";
    }
};

Counts count(const test::TreeBuilder& tree) {
    const Network network = tree.build();
    const Placement placement = full_placement(network);
    const auto paper = test::build_tree_schedule(network, placement, "paper");
    const auto merged = test::build_tree_schedule(network, placement, "merged");
    const auto edges = [](const test::Built& built, Synchronisation synchronisation, Reduction reduction) {
        const auto list = synchronisation_edges(*built.schedule, synchronisation, reduction);
        const auto violation = check_synchronisation(*built.schedule, synchronisation, list);
        EXPECT_FALSE(violation.has_value()) << violation->what;
        return list.size();
    };
    return {synchronisation_candidates(*paper.schedule).size(),
            edges(paper, Synchronisation::receiver, Reduction::exact),
            edges(paper, Synchronisation::sender, Reduction::exact),
            edges(paper, Synchronisation::sender, Reduction::pair_rule),
            edges(merged, Synchronisation::sender, Reduction::pair_rule)};
}

TEST(SynchronisationEdges, OneSwitchOf24) {
    EXPECT_EQ(count(test::chain_of({24})), (Counts{1056, 1056, 528, 528, 528}));
}
TEST(SynchronisationEdges, StarOf8And3Times8) {
    EXPECT_EQ(count(test::star_of({1, 1, 1, 1, 1, 1, 1, 1, 8, 8, 8})), (Counts{2128, 1270, 677, 698, 392}));
}
TEST(SynchronisationEdges, StarOf8And4Times8) {
    EXPECT_EQ(count(test::star_of({1, 1, 1, 1, 1, 1, 1, 1, 8, 8, 8, 8})), (Counts{3372, 1893, 935, 970, 538}));
}
// The reference has 2242, 1653, 933, 1150, 600: it numbers T0's far switch before the near one, while the contract's
// depth-first order numbers the near one first.
TEST(SynchronisationEdges, ChainOf4Times8) {
    EXPECT_EQ(count(test::chain_of({8, 8, 8, 8})), (Counts{2241, 1647, 927, 1155, 600}));
}

}  // namespace
}  // namespace aapc
