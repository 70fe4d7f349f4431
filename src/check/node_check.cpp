#include "aapc/check/node_check.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "check/channels.hpp"

namespace aapc {

namespace {

class NodeCheck {
  public:
    NodeCheck(const Schedule& schedule, std::int32_t ports)
        : schedule_(schedule),
          ports_(ports),
          sent_(schedule.network().machines().size(), 0),
          received_(sent_.size(), 0) {}

    Expected<NodeUse, Violation> run() {
        NodeUse use{0, least_wire_phases()};
        for (std::size_t phase = 0; phase < schedule_.phases().size(); ++phase) {
            bool on_wire = false;
            for (const Transfer& message : schedule_.phases()[phase]) {
                if (machine_of(message.from) == machine_of(message.to)) {
                    continue;
                }
                on_wire = true;
                const bool sends_too_much = ++sent_[machine_of(message.from)] > ports_;
                if (sends_too_much || ++received_[machine_of(message.to)] > ports_) {
                    return tl::unexpected(too_many(phase, message, sends_too_much));
                }
            }
            use.wire_phases += on_wire ? 1 : 0;
            forget(phase);
        }
        return use;
    }

  private:
    [[nodiscard]] std::size_t machine_of(Rank rank) const {
        return static_cast<std::size_t>(schedule_.placement().machine_of[static_cast<std::size_t>(rank)]);
    }

    /// Sets the counts of the phase back, in time that grows with its messages and not with the machines.
    void forget(std::size_t phase) {
        for (const Transfer& message : schedule_.phases()[phase]) {
            sent_[machine_of(message.from)] = 0;
            received_[machine_of(message.to)] = 0;
        }
    }

    [[nodiscard]] std::int64_t least_wire_phases() const {
        std::vector<std::int64_t> ranks(sent_.size(), 0);
        for (Rank rank = 0; rank < schedule_.placement().participants(); ++rank) {
            ++ranks[machine_of(rank)];
        }
        std::int64_t least = 0;
        for (const std::int64_t here : ranks) {
            const std::int64_t at_once = std::max<std::int64_t>(std::min<std::int64_t>(here, ports_), 1);
            const std::int64_t messages = here * (schedule_.placement().participants() - here);
            least = std::max(least, (messages + at_once - 1) / at_once);
        }
        return least;
    }

    [[nodiscard]] Violation too_many(std::size_t phase, const Transfer& message, bool sends) const {
        const Rank rank = sends ? message.from : message.to;
        return {fmt::format(
            "In phase {}, message {} is number {} that machine {} {} other machines, but it may have {} at a time.",
            phase, check::message_name(schedule_.network(), schedule_.placement(), message.from, message.to),
            ports_ + 1, schedule_.network().machine_name(static_cast<Machine>(machine_of(rank))),
            sends ? "sends to" : "receives from", ports_)};
    }

    const Schedule& schedule_;
    std::int32_t ports_;
    std::vector<std::int32_t> sent_;      ///< by machine, in this phase
    std::vector<std::int32_t> received_;  ///< by machine, in this phase
};

}  // namespace

Expected<NodeUse, Violation> check_node_ports(const Schedule& schedule, std::int32_t ports) {
    return NodeCheck(schedule, ports).run();
}

}  // namespace aapc
