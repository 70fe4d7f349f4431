#include "plan/intranode/depot_plan.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace aapc::machine {

namespace {

/// Where a block that came in lies.
struct Arrival {
    std::size_t parcel = 0;
    std::int64_t place = 0;
};

void append(std::vector<DepotRun>& runs, std::int64_t place, Rank rank) {
    if (!runs.empty() && runs.back().place + runs.back().blocks == place &&
        runs.back().first + runs.back().blocks == rank) {
        ++runs.back().blocks;
    } else {
        runs.push_back({place, rank, 1});
    }
}

void append(std::vector<PassedOn>& moves, const Arrival& arrival, std::int64_t to) {
    if (!moves.empty()) {
        PassedOn& last = moves.back();
        if (last.parcel == arrival.parcel && last.from + last.blocks == arrival.place && last.to + last.blocks == to) {
            ++last.blocks;
            return;
        }
    }
    moves.push_back({arrival.parcel, arrival.place, to, 1});
}

class DepotPlanner {
  public:
    DepotPlanner(const Timetable& timetable, const Placement& placement, Rank rank)
        : timetable_(timetable), placement_(placement), rank_(rank) {
        plan_.ranks = ranks_beside(placement, rank);
        plan_.own = static_cast<std::size_t>(std::lower_bound(plan_.ranks.begin(), plan_.ranks.end(), rank) -
                                             plan_.ranks.begin());
    }

    DepotPlan plan() {
        for (const Rank one : plan_.ranks) {
            append_parcels(timetable_.sends_of(one), plan_.out);
            append_parcels(timetable_.receives_of(one), plan_.in);
        }
        for (std::vector<Parcel>* const parcels : {&plan_.out, &plan_.in}) {
            std::sort(parcels->begin(), parcels->end(),
                      [](const Parcel& left, const Parcel& right) { return left.transfer < right.transfer; });
        }
        plan_incoming();
        plan_outgoing();
        plan_local();
        return std::move(plan_);
    }

  private:
    [[nodiscard]] bool is_here(Rank rank) const {
        return placement_.machine_of[static_cast<std::size_t>(rank)] ==
               placement_.machine_of[static_cast<std::size_t>(rank_)];
    }

    void append_parcels(const std::vector<Transfer>& transfers, std::vector<Parcel>& parcels) const {
        for (const Transfer& transfer : transfers) {
            if (!is_here(transfer.from) || !is_here(transfer.to)) {
                parcels.push_back({transfer, 0, 0});
            }
        }
    }

    /// Gives the parcel its places and returns its blocks, valid until the next call.
    const std::vector<Block>& unpack(Parcel& parcel) {
        blocks_.clear();
        timetable_.append_blocks(parcel.transfer, blocks_);
        parcel.place = plan_.places;
        parcel.blocks = static_cast<std::int64_t>(blocks_.size());
        plan_.places += parcel.blocks;
        return blocks_;
    }

    void plan_incoming() {
        plan_.takes.resize(plan_.in.size());
        for (std::size_t index = 0; index < plan_.in.size(); ++index) {
            std::int64_t place = plan_.places;
            for (const Block& block : unpack(plan_.in[index])) {
                if (block.destination == rank_) {
                    append(plan_.takes[index], place, block.origin);
                } else if (!is_here(block.destination)) {
                    passing_.insert_or_assign(block, Arrival{index, place});
                }
                ++place;
            }
        }
    }

    void plan_outgoing() {
        plan_.puts.resize(plan_.out.size());
        plan_.passes.resize(plan_.out.size());
        for (std::size_t index = 0; index < plan_.out.size(); ++index) {
            const bool sends_it = plan_.out[index].transfer.from == rank_;
            std::int64_t place = plan_.places;
            for (const Block& block : unpack(plan_.out[index])) {
                if (block.origin == rank_) {
                    append(plan_.puts[index], place, block.destination);
                } else if (sends_it && !is_here(block.origin)) {
                    append(plan_.passes[index], passing_.at(block), place);
                }
                ++place;
            }
        }
    }

    /// The block from the i-th to the k-th rank of n is in place i·n + k behind the parcels.
    void plan_local() {
        const auto size = static_cast<std::int64_t>(plan_.ranks.size());
        const auto own = static_cast<std::int64_t>(plan_.own);
        plan_.local_takes.resize(plan_.ranks.size());
        for (std::int64_t other = 0; other < size; ++other) {
            const Rank rank = plan_.ranks[static_cast<std::size_t>(other)];
            if (other != own) {
                append(plan_.local_puts, plan_.places + own * size + other, rank);
                append(plan_.local_takes[static_cast<std::size_t>(other)], plan_.places + other * size + own, rank);
            }
        }
        plan_.places += size * size;
    }

    const Timetable& timetable_;
    const Placement& placement_;
    Rank rank_;
    DepotPlan plan_;
    std::vector<Block> blocks_;
    std::map<Block, Arrival> passing_;
};

}  // namespace

DepotPlan make_depot_plan(const Timetable& timetable, const Placement& placement, Rank rank) {
    return DepotPlanner(timetable, placement, rank).plan();
}

}  // namespace aapc::machine
