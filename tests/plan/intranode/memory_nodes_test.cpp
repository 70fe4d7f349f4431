// Nodes of memory as hwloc tells of them: of machines that it is told to see, of files, and where it is not there.
#include "plan/intranode/memory_nodes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace aapc::machine {
namespace {

using testing::ElementsAre;

/// What hwloc is told to see as long as this lives.
class Told {
  public:
    Told(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
    Told(const Told&) = delete;
    Told& operator=(const Told&) = delete;
    ~Told() { unsetenv(name_); }

  private:
    const char* name_;
};

/// Two packages of two nodes of two processors.
constexpr const char* two_packages = "pack:2 group:2 [numa] pu:2";

bool hwloc_is_there() {
    const Told told("HWLOC_SYNTHETIC", two_packages);
    return MemoryNodes().size() > 0;
}

TEST(MemoryNodes, AreThoseOfTheMachineThatHwlocSees) {
    if (!hwloc_is_there()) {
        GTEST_SKIP() << "hwloc is not there";
    }
    const Told told("HWLOC_SYNTHETIC", two_packages);
    const MemoryNodes nodes;
    ASSERT_EQ(nodes.size(), 4U);
    for (std::size_t processor = 0; processor < 8; ++processor) {
        EXPECT_EQ(nodes.of_processor(processor), static_cast<MemoryNode>(processor / 2));
    }
    EXPECT_EQ(nodes.of_processor(8), unknown_node);
    for (MemoryNode from = 0; from < 4; ++from) {
        for (MemoryNode to = 0; to < 4; ++to) {
            EXPECT_EQ(nodes.distance(from, to), nodes.distance(to, from));
            if (from != to) {
                EXPECT_LT(nodes.distance(from, from), nodes.distance(from, to));
            }
            if (from / 2 == to / 2 && from != to) {
                EXPECT_LT(nodes.distance(from, to), nodes.distance(from, (to + 2) % 4)) << "another package";
            }
        }
    }
}

TEST(MemoryNodes, HaveTheDistancesOfAFile) {
    if (!hwloc_is_there()) {
        GTEST_SKIP() << "hwloc is not there";
    }
    const Told told("HWLOC_XMLFILE", AAPC_TEST_TOPOLOGY);
    const MemoryNodes nodes;
    ASSERT_EQ(nodes.size(), 4U);
    EXPECT_EQ(nodes.distance(0, 0), 10U);
    EXPECT_EQ(nodes.distance(0, 1), 32U) << "a ring: the next node of the package is two hops away";
    EXPECT_EQ(nodes.distance(0, 2), 16U);
    EXPECT_EQ(nodes.distance(3, 1), 16U);
    // Ranks 0 to 3 at these nodes: the distances say in which order they read.
    EXPECT_THAT(order_of_reading(std::vector<MemoryNode>{0, 1, 2, 3}, 0, nodes), ElementsAre(2, 3, 1));
}

TEST(MemoryNodes, SayWhoReadsFromWhomFirst) {
    if (!hwloc_is_there()) {
        GTEST_SKIP() << "hwloc is not there";
    }
    const Told told("HWLOC_SYNTHETIC", two_packages);
    const MemoryNodes nodes;
    const std::vector<MemoryNode> node_of = {0, 0, 1, 2, 2, 3};
    EXPECT_THAT(order_of_reading(node_of, 0, nodes), ElementsAre(1, 2, 3, 4, 5)) << "the nearest first";
    EXPECT_THAT(order_of_reading(node_of, 1, nodes), ElementsAre(3, 4, 5, 2, 0)) << "its neighbour: the farthest first";
    EXPECT_THAT(order_of_reading(node_of, 3, nodes), ElementsAre(4, 5, 0, 1, 2));
    EXPECT_THAT(order_of_reading(node_of, 4, nodes), ElementsAre(0, 1, 2, 5, 3));
    const std::vector<MemoryNode> some = {0, unknown_node, 1, 7};
    EXPECT_THAT(order_of_reading(some, 0, nodes), ElementsAre(2, 1, 3)) << "who is bound to no node is far away";
    EXPECT_THAT(order_of_reading(some, 1, nodes), ElementsAre(2, 3, 0)) << "around";
}

TEST(MemoryNodes, AreUnknownWhereHwlocIsNot) {
    for (const MemoryNodes& nodes : {MemoryNodes("libhwloc-that-is-nowhere.so"), MemoryNodes("libc.so.6")}) {
        EXPECT_EQ(nodes.size(), 0U);
        EXPECT_EQ(nodes.of_processor(0), unknown_node);
        EXPECT_EQ(nodes.own(), unknown_node);
        EXPECT_THAT(order_of_reading(std::vector<MemoryNode>{0, 0, 1}, 1, nodes), ElementsAre(2, 0));
    }
    const Told told("HWLOC_XMLFILE", "/no/such/file.xml");
    const MemoryNodes nodes;
    EXPECT_THAT(order_of_reading(std::vector<MemoryNode>{nodes.own(), nodes.own()}, 0, nodes), ElementsAre(1));
}

}  // namespace
}  // namespace aapc::machine
