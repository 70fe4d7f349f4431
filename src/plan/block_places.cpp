#include "plan/block_places.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <unordered_map>

namespace aapc {

namespace {

using Buffer = BlockRun::Buffer;
using Place = std::int32_t;

/// Which places of the transit buffer are free. It grows only when none is.
class TransitPlaces {
  public:
    /// A free place, `wanted` if it can be had without growing past need, else the first. O(1), the first O(places/64).
    Place take(Place wanted) {
        if (free_places_ == 0) {
            if (size_ % bits == 0) {
                free_.push_back(0);
            }
            return size_++;
        }
        const Place place = wanted < size_ && is_free(wanted) ? wanted : first_free();
        word_of(place) &= ~bit_of(place);
        --free_places_;
        return place;
    }
    void give_back(Place place) {
        word_of(place) |= bit_of(place);
        ++free_places_;
    }
    [[nodiscard]] Place size() const { return size_; }

  private:
    using Word = std::uint64_t;
    static constexpr Place bits = 64;

    [[nodiscard]] static Word bit_of(Place place) { return Word{1} << static_cast<unsigned>(place % bits); }
    [[nodiscard]] Word& word_of(Place place) { return free_[static_cast<std::size_t>(place / bits)]; }
    [[nodiscard]] bool is_free(Place place) { return (word_of(place) & bit_of(place)) != 0; }
    [[nodiscard]] Place first_free() const {
        const auto word = std::find_if(free_.begin(), free_.end(), [](Word one) { return one != 0; });
        return static_cast<Place>(word - free_.begin()) * bits + std::countr_zero(*word);
    }

    std::vector<Word> free_;  ///< a bit for each place
    Place free_places_ = 0;
    Place size_ = 0;
};

void append_block(std::vector<BlockRun>& runs, Buffer buffer, Place place) {
    if (!runs.empty() && runs.back().buffer == buffer && runs.back().first + runs.back().blocks == place) {
        ++runs.back().blocks;
    } else {
        runs.push_back({buffer, place, 1});
    }
}

struct HashOfBlock {
    std::size_t operator()(const Block& block) const {
        const std::uint64_t both = (std::uint64_t{static_cast<std::uint32_t>(block.origin)} << 32U) |
                                   static_cast<std::uint32_t>(block.destination);
        return static_cast<std::size_t>(both * 0x9e3779b97f4a7c15ULL >> 16U);
    }
};

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
    std::pmr::unsynchronized_pool_resource memory_;  ///< a block in transit comes and goes: no allocation for each
    std::pmr::unordered_map<Block, Place, HashOfBlock> place_of_{&memory_};  ///< of the blocks in transit
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
