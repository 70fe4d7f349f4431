#include "plan/intranode/handover.hpp"

#include <gtest/gtest.h>

#include <array>

namespace aapc {
namespace {

TEST(Handover, ShowsABufferOnlyInTheCallItBelongsTo) {
    std::array<machine::Cell, 2> cells;
    std::array<machine::Handover::Refusal, 4> refusals{};
    machine::Handover reader(cells, refusals, 0);
    machine::Handover owner(cells, refusals, 1);
    const std::array<std::byte, 4> buffers{};

    owner.open(&buffers[0], 1);
    reader.open(&buffers[1], 1);
    ASSERT_TRUE(reader.is_open(1));
    EXPECT_EQ(reader.cell(1).send_buffer, reinterpret_cast<std::uintptr_t>(&buffers[0]));
    EXPECT_FALSE(owner.has_finished(0));
    reader.finish();
    EXPECT_TRUE(owner.has_finished(0));
    owner.finish();

    reader.open(&buffers[2], 1);  // one call ahead of the owner
    EXPECT_FALSE(reader.is_open(1)) << "the buffer of the call before";
    EXPECT_TRUE(owner.has_finished(0)) << "still, for the owner's own call";
    owner.open(&buffers[3], 1);
    EXPECT_TRUE(reader.is_open(1));
    EXPECT_FALSE(owner.has_finished(0));
}

TEST(Handover, RefusalsConcernOneReaderOneOwnerAndOneCall) {
    std::array<machine::Cell, 3> cells;
    std::array<machine::Handover::Refusal, 9> refusals{};
    machine::Handover first(cells, refusals, 0);
    machine::Handover second(cells, refusals, 1);
    machine::Handover third(cells, refusals, 2);
    for (machine::Handover* const each : {&first, &second, &third}) {
        each->open(nullptr, 1);
    }
    first.refuse(2);
    EXPECT_TRUE(third.is_refused_by(0));
    EXPECT_FALSE(third.is_refused_by(1));
    EXPECT_FALSE(second.is_refused_by(0));
    EXPECT_FALSE(first.is_refused_by(2));
    for (machine::Handover* const each : {&first, &second, &third}) {
        each->finish();
        each->open(nullptr, 1);
    }
    EXPECT_FALSE(third.is_refused_by(0));
}

}  // namespace
}  // namespace aapc
