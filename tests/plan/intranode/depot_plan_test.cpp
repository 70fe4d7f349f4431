// The depots of all machines, carried out block by block without an MPI: every block ends where it belongs, is put and
// taken once each, and the parcels carry what the timetable says.
#include "plan/intranode/depot_plan.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "aapc/algorithms/algorithm.hpp"
#include "plan/intranode/worlds.hpp"

namespace aapc {
namespace {

using machine::DepotPlan;
using machine::DepotRun;

/// The depots of all machines; what lies in each place.
class Depots {
  public:
    Depots(const Timetable& timetable, const Placement& placement) : timetable_(timetable), placement_(placement) {
        for (Rank rank = 0; rank < placement.participants(); ++rank) {
            plans_.push_back(machine::make_depot_plan(timetable, placement, rank));
            auto& depot = depot_of(rank);
            depot.resize(static_cast<std::size_t>(plans_.back().places));
        }
    }

    void carry_out() {
        for_each_rank([&](Rank rank, const DepotPlan& plan) {
            for (const std::vector<DepotRun>& runs : plan.puts) {
                put(rank, runs);
            }
            put(rank, plan.local_puts);
        });
        std::map<Transfer, std::pair<Rank, std::size_t>> parcels;  // in order of phase
        for_each_rank([&](Rank rank, const DepotPlan& plan) {
            for (std::size_t index = 0; index < plan.out.size(); ++index) {
                if (plan.out[index].transfer.from == rank) {
                    parcels[plan.out[index].transfer] = {rank, index};
                }
            }
        });
        for (const auto& [transfer, sender] : parcels) {
            send(transfer, sender.first, sender.second);
        }
        for_each_rank([&](Rank rank, const DepotPlan& plan) {
            for (const std::vector<DepotRun>& runs : plan.takes) {
                take(rank, runs);
            }
            for (const std::vector<DepotRun>& runs : plan.local_takes) {
                take(rank, runs);
            }
        });
    }

    void expect_everything_there() const {
        const auto others = static_cast<std::size_t>(placement_.participants() - 1);
        for (Rank rank = 0; rank < placement_.participants(); ++rank) {
            const auto found = taken_.find(rank);
            ASSERT_EQ(found == taken_.end() ? 0 : found->second.size(), others) << "rank " << rank;
        }
        EXPECT_EQ(times_put_, others * (others + 1));
    }

  private:
    template <class Visit>
    void for_each_rank(Visit visit) {
        for (Rank rank = 0; rank < placement_.participants(); ++rank) {
            visit(rank, plans_[static_cast<std::size_t>(rank)]);
        }
    }
    std::vector<Block>& depot_of(Rank rank) { return depots_[placement_.machine_of[static_cast<std::size_t>(rank)]]; }
    void put(Rank rank, const std::vector<DepotRun>& runs) {
        for (const DepotRun& run : runs) {
            for (std::int32_t block = 0; block < run.blocks; ++block) {
                Block& place = depot_of(rank).at(static_cast<std::size_t>(run.place + block));
                EXPECT_EQ(place, Block()) << "a place is put to twice";
                place = {rank, run.first + block};
                ++times_put_;
            }
        }
    }
    void take(Rank rank, const std::vector<DepotRun>& runs) {
        for (const DepotRun& run : runs) {
            for (std::int32_t block = 0; block < run.blocks; ++block) {
                const Block expected{run.first + block, rank};
                EXPECT_EQ(depot_of(rank).at(static_cast<std::size_t>(run.place + block)), expected);
                EXPECT_TRUE(taken_[rank].insert(expected.origin).second) << "taken twice";
            }
        }
    }
    void send(const Transfer& transfer, Rank sender, std::size_t index) {
        const DepotPlan& plan = plans_[static_cast<std::size_t>(sender)];
        for (const machine::PassedOn& passed : plan.passes[index]) {
            EXPECT_LT(plan.in.at(passed.parcel).transfer.phase, transfer.phase);
            for (std::int64_t block = 0; block < passed.blocks; ++block) {
                auto& depot = depot_of(sender);
                depot.at(static_cast<std::size_t>(passed.to + block)) =
                    depot.at(static_cast<std::size_t>(passed.from + block));
            }
        }
        const DepotPlan& other = plans_[static_cast<std::size_t>(transfer.to)];
        const auto found = std::find_if(other.in.begin(), other.in.end(),
                                        [&](const machine::Parcel& parcel) { return parcel.transfer == transfer; });
        ASSERT_NE(found, other.in.end());
        ASSERT_EQ(found->blocks, plan.out[index].blocks);
        std::vector<Block> content;
        timetable_.append_blocks(transfer, content);
        for (std::int64_t block = 0; block < found->blocks; ++block) {
            const Block sent = depot_of(sender).at(static_cast<std::size_t>(plan.out[index].place + block));
            EXPECT_EQ(sent, content.at(static_cast<std::size_t>(block)));
            depot_of(transfer.to).at(static_cast<std::size_t>(found->place + block)) = sent;
        }
    }

    const Timetable& timetable_;
    const Placement& placement_;
    std::vector<DepotPlan> plans_;
    std::map<Machine, std::vector<Block>> depots_;
    std::map<Rank, std::set<Rank>> taken_;
    std::size_t times_put_ = 0;
};

class DepotPlans : public ::testing::TestWithParam<const char*> {};

TEST_P(DepotPlans, BringEveryBlockWhereItBelongs) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const test::MachineWorld world = test::random_machines(seed);
        const auto timetable =
            build_timetable(**find_algorithm("aggregate"), GetParam(), world.network, world.placement);
        ASSERT_TRUE(timetable);
        SCOPED_TRACE(world.repeat);
        Depots depots(**timetable, world.placement);
        depots.carry_out();
        depots.expect_everything_there();
        if (HasFailure()) {
            return;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Aggregate, DepotPlans,
                         ::testing::Values("carriers-all", "carriers-1", "carriers-2", "bruck", "switches"));

TEST(DepotPlan, TakesAsManyPlacesAsItSays) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const test::MachineWorld world = test::random_machines(seed);
        const auto timetable = build_timetable(**find_algorithm("aggregate"), "", world.network, world.placement);
        const auto all = static_cast<std::int64_t>(world.placement.participants());
        for (Rank rank = 0; rank < world.placement.participants(); ++rank) {
            const DepotPlan plan = machine::make_depot_plan(**timetable, world.placement, rank);
            const auto here = static_cast<std::int64_t>(plan.ranks.size());
            EXPECT_EQ(plan.places, 2 * here * (all - here) + here * here) << world.repeat;
        }
    }
}

}  // namespace
}  // namespace aapc
