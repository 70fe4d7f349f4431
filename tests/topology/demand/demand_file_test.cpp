// Demands in files: what is read, and every mistake with its place.
#include "aapc/topology/demand_file.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

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

TEST(DemandFile, HasOneOfThreeFormats) {
    EXPECT_EQ(demand_format(""), DemandFormat::bytes);
    EXPECT_EQ(demand_format("# 0.5\n0,1\n1,0\n"), DemandFormat::bytes);
    EXPECT_EQ(demand_format("0,1\n0.25,0\n"), DemandFormat::fractions);
    EXPECT_EQ(demand_format("; of UCC\n\n  [format]\nversion = 1.0\n"), DemandFormat::ucc);
}

TEST(DemandFile, HasFractionsOfASize) {
    const Expected<Demand> demand = read_demand_fractions("0.0, 1\n# of nccl-tests\n.3,0.999\n", "d.csv", 2, 1000);
    ASSERT_TRUE(demand) << to_string(demand.error());
    EXPECT_EQ(demand_csv(*demand), "0,1000\n300,999\n");
    for (const char* wrong : {"0.5,1.5\n0,0", "0.5,-0.5\n0,0", "0.5,nan\n0,0", "0.5,1e9999\n0,0", "0.5,1Ki\n0,0"}) {
        const Expected<Demand> refused = read_demand_fractions(wrong, "d.csv", 2, 1000);
        ASSERT_FALSE(refused) << wrong;
        EXPECT_TRUE(to_string(refused.error()).starts_with("d.csv:1:5: '")) << to_string(refused.error());
    }
}

constexpr std::string_view ucc_head = "[format]\nversion = 1.0\n[collective]\ntype = ALLTOALLV\n";

std::string ucc_complaint(const std::string& rest) {
    const auto demands = read_ucc_demands(std::string(ucc_head) + rest, "d.ptini", 2);
    return demands ? "none" : to_string(demands.error());
}

TEST(DemandFile, HasACollectiveOfUccForEachSection) {
    const auto demands = read_ucc_demands(std::string(ucc_head) +
                                              "team_size = 2\ndatatype = INT8\nflags = COUNT_32BIT\ncounts = {\n"
                                              "    1,2,\r\n    # between\n    3,4\n}\n\n[collective]\n"
                                              "counts = {0,5\n6,0}\ndatatype = FLOAT64\n"
                                              "[collective]\ncounts = { 0, 7, 8, 0 }\n[other]\nno key\n",
                                          "d.ptini", 2);
    ASSERT_TRUE(demands) << to_string(demands.error());
    ASSERT_EQ(demands->size(), 3U);
    EXPECT_EQ(demand_csv((*demands)[0]), "1,2\n3,4\n");
    EXPECT_EQ(demand_csv((*demands)[1]), "0,40\n48,0\n");
    EXPECT_EQ(demand_csv((*demands)[2]), "0,28\n32,0\n");
}

TEST(DemandFile, SectionsOfUccAreReadAgain) {
    Demand demand(3);
    const auto again = [&] { return read_ucc_demands(ucc_section(demand) + ucc_section(demand), "d.ptini", 3); };
    demand.set(0, 1, 1);
    demand.set(2, 1, 4294967295);
    ASSERT_TRUE(again()) << to_string(again().error());
    EXPECT_EQ(*again(), (std::vector{demand, demand}));
    EXPECT_EQ(demand_format(ucc_section(demand)), DemandFormat::ucc);
    // Longer ones are counted in larger units, rounded up.
    demand.set(1, 0, 4294967296);
    demand.set(1, 1, std::int64_t{1} << 36U);
    demand.set(0, 1, 31);
    ASSERT_TRUE(again()) << to_string(again().error());
    demand.set(0, 1, 32);
    demand.set(2, 1, 4294967296);
    EXPECT_EQ(again()->front(), demand);
}

TEST(DemandFile, MistakesInUccsFilesHaveLineAndColumn) {
    EXPECT_EQ(ucc_complaint("team_size = 4\n"),
              "d.ptini:5:13: the counts are of '4' ranks, and there are 2; give a network with as many ranks");
    EXPECT_EQ(ucc_complaint("datatype = INT33\n"),
              "d.ptini:5:12: 'INT33' is no datatype of UCC's; give one such as INT8, INT32 or FLOAT64");
    EXPECT_EQ(ucc_complaint("type = ALLREDUCE\n"),
              "d.ptini:5:8: 'ALLREDUCE' is no exchange of unequal messages; only ALLTOALLV is read");
    EXPECT_EQ(ucc_complaint("counts\n"), "d.ptini:5:1: 'counts' is no key with a value; write KEY = VALUE");
    EXPECT_EQ(ucc_complaint("counts = 1,2\n"),
              "d.ptini:5:10: counts do not begin with {; write counts = { and a row for every rank");
    EXPECT_EQ(ucc_complaint("counts = {\n0,1\n1\n}\n"),
              "d.ptini:8:1: there are 3 counts, and 2 ranks; give one for every pair of ranks");
    EXPECT_EQ(ucc_complaint("counts = {\n0,1\n1,2,3\n}\n"),
              "d.ptini:7:5: there are more than 4 counts; give one for every pair of ranks");
    EXPECT_EQ(ucc_complaint("counts = {\n0,x\n"),
              "d.ptini:6:3: 'x' is no count; give a whole number, 0 where there is nothing to send");
    EXPECT_EQ(ucc_complaint("counts = {\n0,-1\n"),
              "d.ptini:6:3: '-1' is no count; give a whole number, 0 where there is nothing to send");
    EXPECT_EQ(ucc_complaint("counts = {\n0,4294967296\n"),
              "d.ptini:6:3: '4294967296' is more than a count can be; give at most 4294967295");
    EXPECT_EQ(ucc_complaint("counts = {\n0,1\n"), "d.ptini:7:1: the counts have no end; close them with }");
    EXPECT_EQ(ucc_complaint("counts = {1,2,3,4}\ncounts = {1,2,3,4}\n"),
              "d.ptini:6:1: the section has counts twice; begin another section [collective]");
    EXPECT_EQ(ucc_complaint(""), "d.ptini:3:1: the section has no counts; write counts = { and a row for every rank");
    const auto none = read_ucc_demands("[format]\n", "d.ptini", 2);
    ASSERT_FALSE(none);
    EXPECT_EQ(to_string(none.error()), "d.ptini:2:1: there is no section [collective]; give one with type and counts");
}

}  // namespace
}  // namespace aapc
