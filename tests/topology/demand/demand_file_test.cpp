// Demands as CSV: what is read, and every mistake with its place.
#include "aapc/topology/demand_file.hpp"

#include <gtest/gtest.h>

#include <string>

namespace aapc {
namespace {

std::string complaint(std::string_view text, Rank participants = 2) {
    const Expected<Demand> demand = read_demand(text, "d.csv", participants);
    return demand ? "none" : to_string(demand.error());
}

TEST(DemandFile, IsALineForEachSender) {
    const Expected<Demand> demand = read_demand("# bytes\n0, 64Ki\r\n\n1Ki,7", "d.csv", 2);
    ASSERT_TRUE(demand) << to_string(demand.error());
    EXPECT_EQ(demand->bytes(0, 0), 0);
    EXPECT_EQ(demand->bytes(0, 1), 65536);
    EXPECT_EQ(demand->bytes(1, 0), 1024);
    EXPECT_EQ(demand->bytes(1, 1), 7);
    EXPECT_EQ(demand_csv(*demand), "0,65536\n1024,7\n");
    const Expected<Demand> again = read_demand(demand_csv(*demand), "again", 2);
    EXPECT_TRUE(again && *again == *demand);
}

TEST(DemandFile, MistakesHaveLineAndColumn) {
    EXPECT_EQ(complaint("0,1\n1"),
              "d.csv:2:2: the row has 1 numbers, and there are 2 ranks; give a number of bytes for "
              "every rank");
    EXPECT_EQ(complaint("0,1,2\n1,0"),
              "d.csv:1:5: the row has more than 2 numbers; give a number of bytes for every rank");
    EXPECT_EQ(complaint("0,1\n"), "d.csv:2:1: there are 1 rows, and 2 ranks; give a row for every rank");
    EXPECT_EQ(complaint(""), "d.csv:1:1: there are 0 rows, and 2 ranks; give a row for every rank");
    EXPECT_EQ(complaint("0,1\n1,0\n\n3,4"), "d.csv:4:1: there is a row 3, but 2 ranks; give a row for every rank");
    EXPECT_EQ(complaint("0,\n1,0"), "d.csv:1:3: a number is missing; give bytes, 0 where there is nothing to send");
    EXPECT_EQ(complaint("0,  2000Gi\n1,0"),
              "d.csv:1:5: '2000Gi' is more than a message can have here; give at most 1024Gi");
    EXPECT_TRUE(complaint("0, -4\n1,0").starts_with("d.csv:1:4: ")) << complaint("0, -4\n1,0");
    EXPECT_TRUE(complaint("0,4\n1;0").starts_with("d.csv:2:1: ")) << complaint("0,4\n1;0");
}

}  // namespace
}  // namespace aapc
