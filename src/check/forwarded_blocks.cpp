#include "check/forwarded_blocks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>

#include "check/channels.hpp"

namespace aapc::check {

namespace {

struct BlockHash {
    std::size_t operator()(const Block& block) const {
        const auto pair = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(block.origin)) << 32U) |
                          static_cast<std::uint32_t>(block.destination);
        return std::hash<std::uint64_t>()(pair * 0x9E3779B97F4A7C15U);  // neighbours far apart
    }
};

/// Where a block is, and the message that brought it there last.
struct Whereabouts {
    Rank at = -1;
    const Transfer* carrier = nullptr;  ///< null: none yet
};

class BlockFollower {
  public:
    BlockFollower(const ScheduleDraft& draft, const Network& network, const Placement& placement)
        : draft_(draft), network_(network), placement_(placement), participants_(placement.participants()) {}

    std::optional<Violation> run() {
        std::optional<Violation> violation = check_shape();
        for (std::size_t phase = 0; !violation && phase < draft_.phases.size(); ++phase) {
            violation = check_repeats(draft_.phases[phase]);
            for (std::size_t index = 0; !violation && index < draft_.phases[phase].size(); ++index) {
                violation = carry(draft_.phases[phase][index], draft_.blocks[phase][index]);
            }
        }
        return violation ? violation : check_arrival();
    }

  private:
    /// As many lists of blocks as messages.
    std::optional<Violation> check_shape() const {
        if (draft_.blocks.size() != draft_.phases.size()) {
            return Violation{fmt::format("There are {} phases, but blocks are listed for {}.", draft_.phases.size(),
                                         draft_.blocks.size())};
        }
        for (std::size_t phase = 0; phase < draft_.phases.size(); ++phase) {
            if (draft_.blocks[phase].size() != draft_.phases[phase].size()) {
                return Violation{fmt::format("Phase {} has {} messages, but blocks are listed for {}.", phase,
                                             draft_.phases[phase].size(), draft_.blocks[phase].size())};
            }
        }
        return std::nullopt;
    }

    /// Two messages between the same ranks in one phase could not be told apart.
    std::optional<Violation> check_repeats(std::vector<Transfer> phase) const {
        std::sort(phase.begin(), phase.end());
        const auto twice = std::adjacent_find(phase.begin(), phase.end());
        if (twice != phase.end()) {
            return Violation{fmt::format("Message {} is sent twice in phase {}.", name(*twice), twice->phase)};
        }
        return std::nullopt;
    }

    std::optional<Violation> carry(const Transfer& message, const std::vector<Block>& blocks) {
        if (blocks.empty()) {
            return Violation{fmt::format("{} carries no block.", described(message))};
        }
        for (const Block& block : blocks) {
            if (std::optional<Violation> violation = carry(message, block)) {
                return violation;
            }
        }
        return std::nullopt;
    }

    std::optional<Violation> carry(const Transfer& message, const Block& block) {
        for (const Rank rank : {block.origin, block.destination}) {
            if (rank < 0 || rank >= participants_) {
                return Violation{
                    fmt::format("{} carries a block from rank {} to rank {}, but there are {} "
                                "participants.",
                                described(message), block.origin, block.destination, participants_)};
            }
        }
        if (block.origin == block.destination) {
            return Violation{fmt::format("{} carries block {}, which {} has already.", described(message), name(block),
                                         name(block.origin))};
        }
        Whereabouts& now = where_.try_emplace(block, Whereabouts{block.origin, nullptr}).first->second;
        if (std::optional<Violation> violation = check_departure(message, block, now)) {
            return violation;
        }
        now = {message.to, &message};
        return std::nullopt;
    }

    std::optional<Violation> check_departure(const Transfer& message, const Block& block,
                                             const Whereabouts& now) const {
        if (now.carrier == &message) {
            return Violation{fmt::format("{} carries block {} twice.", described(message), name(block))};
        }
        const bool moved_in_this_phase = now.carrier != nullptr && now.carrier->phase == message.phase;
        if (moved_in_this_phase && now.carrier->from == message.from) {
            return Violation{fmt::format("In phase {}, messages {} and {} both carry block {}.", message.phase,
                                         name(*now.carrier), name(message), name(block))};
        }
        if (now.at != message.from) {
            return Violation{fmt::format("{} carries block {}, which {} has at that time.", described(message),
                                         name(block), name(moved_in_this_phase ? now.carrier->from : now.at))};
        }
        if (moved_in_this_phase) {
            return Violation{fmt::format("{} carries block {}, which arrives at {} in that very phase.",
                                         described(message), name(block), name(message.from))};
        }
        if (message.from == block.destination) {
            return Violation{
                fmt::format("{} carries block {} away from its destination.", described(message), name(block))};
        }
        return std::nullopt;
    }

    /// Every ordered pair's block at its destination: the first that is not, by origin and then destination.
    [[nodiscard]] std::optional<Violation> check_arrival() const {
        std::vector<std::pair<Block, Rank>> ends;
        ends.reserve(where_.size());
        for (const auto& [block, whereabouts] : where_) {
            ends.emplace_back(block, whereabouts.at);
        }
        std::sort(ends.begin(), ends.end());
        Block owed = next_owed({0, -1});
        for (const auto& [block, end] : ends) {
            if (block != owed) {
                break;
            }
            if (end != block.destination) {
                return Violation{
                    fmt::format("Block {} ends at {}, which is not its destination.", name(block), name(end))};
            }
            owed = next_owed(owed);
        }
        if (owed.origin < participants_) {
            return Violation{fmt::format("Block {} is missing: no message carries it.", name(owed))};
        }
        return std::nullopt;
    }

    /// The ordered pairs of different participants one after the other; beyond the last, the origin is no participant.
    [[nodiscard]] Block next_owed(Block block) const {
        do {
            ++block.destination;
            if (block.destination >= participants_) {
                ++block.origin;
                block.destination = 0;
            }
        } while (block.origin == block.destination);
        return block;
    }

    [[nodiscard]] std::string name(Rank rank) const {
        return participant_names(network_, placement_)[static_cast<std::size_t>(rank)];
    }
    [[nodiscard]] std::string name(const Transfer& message) const {
        return message_name(network_, placement_, message.from, message.to);
    }
    [[nodiscard]] std::string name(const Block& block) const {
        return message_name(network_, placement_, block.origin, block.destination);
    }
    [[nodiscard]] std::string described(const Transfer& message) const {
        return fmt::format("In phase {}, message {}", message.phase, name(message));
    }

    const ScheduleDraft& draft_;
    const Network& network_;
    const Placement& placement_;
    Rank participants_;
    std::unordered_map<Block, Whereabouts, BlockHash> where_;  ///< of every block that a message has carried
};

}  // namespace

std::optional<Violation> follow_blocks(const ScheduleDraft& draft, const Network& network, const Placement& placement) {
    return BlockFollower(draft, network, placement).run();
}

}  // namespace aapc::check
