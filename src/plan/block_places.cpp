#include "plan/block_places.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace aapc {

namespace {

using Buffer = BlockRun::Buffer;
using Place = std::int32_t;

/// Which places of the transit buffer are free. It grows only when none is.
class TransitPlaces {
  public:
    /// A free place, `wanted` if it can be had without growing past need.
    Place take(Place wanted) {
        if (free_.empty()) {
            return size_++;
        }
        const auto found = free_.find(wanted);
        const auto taken = found == free_.end() ? free_.begin() : found;
        const Place place = *taken;
        free_.erase(taken);
        return place;
    }
    void give_back(Place place) { free_.insert(place); }
    [[nodiscard]] Place size() const { return size_; }

  private:
    std::set<Place> free_;
    Place size_ = 0;
};

void append_block(std::vector<BlockRun>& runs, Buffer buffer, Place place) {
    if (!runs.empty() && runs.back().buffer == buffer && runs.back().first + runs.back().blocks == place) {
        ++runs.back().blocks;
    } else {
        runs.push_back({buffer, place, 1});
    }
}

/// Follows one rank through its phases.
class ForwardingPlanner {
  public:
    explicit ForwardingPlanner(Rank rank) : rank_(rank) {}

    void send(const std::vector<Block>& blocks) {
        std::vector<BlockRun>& runs = forwarding_.of_send.emplace_back();
        for (const Block& block : blocks) {
            const auto held = place_of_.find(block);
            if (held == place_of_.end()) {
                append_block(runs, Buffer::send, block.destination);
            } else {
                append_block(runs, Buffer::transit, held->second);
                places_.give_back(held->second);
                place_of_.erase(held);
            }
        }
        count(blocks);
    }

    void receive(const std::vector<Block>& blocks) {
        std::vector<BlockRun>& runs = forwarding_.of_receive.emplace_back();
        Place wanted = 0;
        for (const Block& block : blocks) {
            if (block.destination == rank_) {
                append_block(runs, Buffer::receive, block.origin);
            } else {
                const Place place = places_.take(wanted);
                append_block(runs, Buffer::transit, place);
                place_of_.emplace(block, place);
                wanted = place + 1;
            }
        }
        count(blocks);
    }

    [[nodiscard]] Forwarding finish() {
        forwarding_.transit_blocks = places_.size();
        return std::move(forwarding_);
    }

  private:
    void count(const std::vector<Block>& blocks) {
        forwarding_.largest_message_blocks =
            std::max(forwarding_.largest_message_blocks, static_cast<std::int32_t>(blocks.size()));
    }

    Rank rank_;
    Forwarding forwarding_;
    TransitPlaces places_;
    std::map<Block, Place> place_of_;  ///< of the blocks in transit
};

}  // namespace

Forwarding plan_forwarding(Rank rank, const std::vector<Transfer>& sends, const std::vector<Transfer>& receives,
                           const AppendBlocks& append_blocks) {
    ForwardingPlanner planner(rank);
    std::vector<Block> blocks;
    const auto blocks_of = [&](const Transfer& transfer) -> const std::vector<Block>& {
        blocks.clear();
        append_blocks(transfer, blocks);
        return blocks;
    };
    auto receive = receives.begin();
    const auto receive_before = [&](Phase phase) {
        for (; receive != receives.end() && receive->phase < phase; ++receive) {
            planner.receive(blocks_of(*receive));
        }
    };
    for (const Transfer& send : sends) {
        receive_before(send.phase);  // what arrives in the same phase finds the places that this send leaves
        planner.send(blocks_of(send));
    }
    receive_before(std::numeric_limits<Phase>::max());
    return planner.finish();
}

}  // namespace aapc
