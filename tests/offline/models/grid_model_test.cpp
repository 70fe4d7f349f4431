// The equations for clusters against numbers worked out by hand from the paper's signature of 30 + 30 machines.
#include "aapc/offline/grid_model.hpp"

#include <gtest/gtest.h>

namespace aapc {
namespace {

/// Section VI E: gamma and delta; alpha, beta and the wide area are assumed.
ContentionFit signature() {
    ContentionFit fit;
    fit.link = {50e-6, 8e-9};
    fit.gamma.value = 2.6887;
    fit.delta.value = 5.039e-3;
    fit.threshold = ThresholdInterval{1023, 1024};
    return fit;
}

GridModel grid_of(const std::vector<Rank>& ranks) {
    GridModel grid;
    for (const Rank count : ranks) {
        grid.clusters.push_back({count, signature()});
    }
    grid.wide_area = {8e-3, 10e-9};
    return grid;
}

constexpr std::int64_t kibibyte = 1024;

/// By how much equation 7 is below 7'.
double shortfall(std::int64_t message_bytes) {
    const GridModel grid = grid_of({30, 30});
    return 1 - predict_local_group_seconds_as_printed(grid, message_bytes).value /
                   predict_local_group_seconds(grid, message_bytes).value;
}

TEST(GridModel, EquationSevenAsPrintedIsTooLow) {
    EXPECT_NEAR(shortfall(256 * kibibyte), 0.29, 0.005);
    EXPECT_NEAR(shortfall(1024 * kibibyte), 0.37, 0.005);
    // Two blocks together reach the threshold where one does not.
    for (const std::int64_t bytes : {512, 1023}) {
        EXPECT_GT(shortfall(bytes), 0.93) << bytes;
        EXPECT_LT(shortfall(bytes), 0.95) << bytes;
    }
    EXPECT_LT(shortfall(511), 0.05);
    EXPECT_NEAR(predict_local_group_seconds_as_printed(grid_of({30, 30}), 1023).value, 0.010, 0.0005);
    EXPECT_NEAR(predict_local_group_seconds(grid_of({30, 30}), 1023).value, 0.157, 0.0005);
}

TEST(GridModel, ByHand) {
    const double bytes = 1024 * 1024;
    const double message = 50e-6 + 2.6887 * 8e-9 * bytes + 5.039e-3;
    const double of_two = 50e-6 + 2.6887 * 8e-9 * 2 * bytes + 5.039e-3;
    const auto wide_area = [&](double blocks) { return 8e-3 + 10e-9 * bytes * blocks; };
    const GridModel even = grid_of({30, 30});
    EXPECT_DOUBLE_EQ(predict_direct_seconds(even, 1 << 20).value, 29 * message + 30 * wide_area(1));
    EXPECT_DOUBLE_EQ(predict_local_group_seconds_as_printed(even, 1 << 20).value, 29 * message + wide_area(30));
    EXPECT_DOUBLE_EQ(predict_local_group_seconds(even, 1 << 20).value, 29 * of_two + wide_area(30));

    // 1 + 3: the three hand nothing to each other but their own blocks, one of them none at all across but its own.
    const GridModel alone = grid_of({1, 3});
    EXPECT_DOUBLE_EQ(predict_direct_seconds(alone, 1 << 20).value, 2 * message + 3 * wide_area(1));
    EXPECT_DOUBLE_EQ(predict_local_group_seconds(alone, 1 << 20).value, 2 * message + 3 * wide_area(1));
    EXPECT_DOUBLE_EQ(predict_local_group_seconds_as_printed(alone, 1 << 20).value, 2 * message + 3 * wide_area(1));

    // 2 + 3: rank 2 of the larger cluster has a group of its own, and its block for rank 1 of the smaller one goes to
    // the other of that group's two ranks.
    const GridModel uneven = grid_of({2, 3});
    EXPECT_NEAR(predict_local_group_seconds(uneven, 1 << 20).value, message + of_two + wide_area(3) + wide_area(2),
                1e-9);
    EXPECT_DOUBLE_EQ(predict_local_group_seconds_as_printed(uneven, 1 << 20).value, 2 * message + 2 * wide_area(2));
}

/// As long as no cluster is slower, every pair of four equal clusters meets in one of three phases.
TEST(GridModel, MoreThanTwoClusters) {
    const GridModel grid = grid_of({8, 8, 8, 8});
    const double bytes = 65536;
    const double of_four = 50e-6 + 2.6887 * 8e-9 * 4 * bytes + 5.039e-3;
    const double message = 50e-6 + 2.6887 * 8e-9 * bytes + 5.039e-3;
    EXPECT_NEAR(predict_local_group_seconds(grid, 65536).value, 7 * of_four + 3 * (8e-3 + 10e-9 * bytes * 8), 1e-12);
    EXPECT_NEAR(predict_direct_seconds(grid, 65536).value, 7 * message + 24 * (8e-3 + 10e-9 * bytes), 1e-12);
}

/// 100 ns a byte for all that crosses a cluster's link, ten times what one message alone needs.
TEST(GridModel, MessagesShareALink) {
    GridModel grid = grid_of({8, 8});
    const double local = predict_local_group_seconds(grid, 4096).value - (8e-3 + 10e-9 * 4096 * 8);
    const double own = predict_direct_seconds(grid, 4096).value - 8 * (8e-3 + 10e-9 * 4096);
    const double printed = predict_local_group_seconds_as_printed(grid, 4096).value;
    grid.clusters[1].uplink_seconds_per_byte = 100e-9;
    EXPECT_NEAR(predict_local_group_seconds(grid, 4096).value, local + 8e-3 + 100e-9 * 4096 * 64, 1e-12);
    EXPECT_NEAR(predict_direct_seconds(grid, 4096).value, own + 8 * (8e-3 + 10e-9 * 4096), 1e-12)
        << "eight messages one after the other take longer than the link needs for all";
    EXPECT_NEAR(predict_direct_seconds(grid, 1 << 20).value - predict_direct_seconds(grid, 1 << 19).value,
                7 * 2.6887 * 8e-9 * (1 << 19) + 100e-9 * (1 << 19) * 64, 1e-9);
    EXPECT_EQ(predict_local_group_seconds_as_printed(grid, 4096).value, printed) << "the paper's has no such link";
    // A link that is no bottleneck changes nothing.
    grid.clusters[1].uplink_seconds_per_byte = 1e-10;
    EXPECT_NEAR(predict_local_group_seconds(grid, 4096).value, local + 8e-3 + 10e-9 * 4096 * 8, 1e-12);
}

/// 3 + 7 ranks: what leaves the smaller cluster in a phase need not be what enters it.
TEST(GridModel, AllOfAPhaseCrossesTheLink) {
    GridModel grid = grid_of({3, 7});
    const double before = predict_local_group_seconds(grid, 1).value;
    grid.clusters[0].uplink_seconds_per_byte = 1;
    const double after = predict_local_group_seconds(grid, 1).value;
    EXPECT_GE(after - before, 21 - 1) << "21 blocks each way";
    EXPECT_LE(after - before, 42);
}

TEST(GridModel, TheSlowestClusterCounts) {
    GridModel grid = grid_of({4, 4});
    const double before = predict_local_group_seconds(grid, 100).value;
    grid.clusters[1].local.gamma.value *= 10;
    const double after = predict_local_group_seconds(grid, 100).value;
    EXPECT_GT(after, before);
    grid.clusters[0].local.gamma.value *= 10;
    EXPECT_EQ(predict_local_group_seconds(grid, 100).value, after);
}

TEST(GridModel, IntervalsComeFromTheClusters) {
    GridModel grid = grid_of({30, 30});
    for (ModelledCluster& cluster : grid.clusters) {
        cluster.local.variance_gamma = 0.01;
        cluster.local.quantile = 2;
        cluster.local.relative_deviation = 0.05;
    }
    // One cluster's prediction, later by the wide area.
    const Estimate local = predict_seconds(grid.clusters[0].local, 30, 4096);
    const Estimate direct = predict_direct_seconds(grid, 4096);
    const double wide_area = 30 * (8e-3 + 10e-9 * 4096);
    EXPECT_NEAR(direct.value, local.value + wide_area, 1e-12);
    EXPECT_NEAR(direct.interval.low, local.interval.low + wide_area, 1e-12);
    EXPECT_NEAR(direct.interval.high, local.interval.high + wide_area, 1e-12);
    EXPECT_EQ(direct.interval.level, usual_confidence);
    // Nobody knows whether delta is paid between the sizes that enclose the threshold.
    for (ModelledCluster& cluster : grid.clusters) {
        cluster.local.threshold = ThresholdInterval{4000, 9000};
    }
    const Estimate perhaps = predict_local_group_seconds(grid, 4096);
    EXPECT_LT(perhaps.value, 0.5 * perhaps.interval.high);
    EXPECT_LT(perhaps.interval.low, perhaps.value);
    EXPECT_GT(predict_local_group_seconds(grid, 4500).value, perhaps.value + 29 * 5e-3) << "two blocks reach 9000";
}

}  // namespace
}  // namespace aapc
