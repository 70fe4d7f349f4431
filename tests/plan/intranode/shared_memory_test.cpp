#include "aapc/plan/shared_memory.hpp"

#include <gtest/gtest.h>

namespace aapc {
namespace {

TEST(SharedMemory, IsReadFromThreeWordsAndNothing) {
    EXPECT_EQ(parse_shared_memory("0"), SharedMemory::nothing);
    EXPECT_EQ(parse_shared_memory("tickets"), SharedMemory::tickets);
    EXPECT_EQ(parse_shared_memory("1"), SharedMemory::tickets_and_copies);
    EXPECT_EQ(parse_shared_memory(""), SharedMemory::tickets_and_copies);
}

TEST(SharedMemory, EverythingElseIsAnsweredWithWhatWouldBeRight) {
    for (const char* text : {"2", "yes", "Tickets", "tickets ", "00"}) {
        const auto read = parse_shared_memory(text);
        ASSERT_FALSE(read) << text;
        EXPECT_NE(read.error().problem.find(text), std::string::npos) << read.error().problem;
        EXPECT_EQ(read.error().advice, "give 0 (not at all), tickets, or 1 (tickets and copies)");
    }
}

}  // namespace
}  // namespace aapc
