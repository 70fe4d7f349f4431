// The definition (Faraj & Yuan 2005, section 3) put to a draft, claim by claim. Nothing here knows how schedules are
// made.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "aapc/schedule.hpp"
#include "check/channels.hpp"

namespace aapc {

namespace {

using check::Channel;
using check::Channels;
using check::message_name;

class ScheduleCheck {
  public:
    ScheduleCheck(const ScheduleDraft& draft, const Network& network, const Demand& demand)
        : draft_(draft), network_(network), demand_(demand), participants_(demand.machine_of.size()) {}

    std::optional<Violation> run() {
        Expected<Channels, Violation> channels = Channels::find(network_, demand_);
        if (!channels) {
            return channels.error();
        }
        std::optional<Violation> violation = check_messages();
        if (!violation) {
            violation = check_pairs();
        }
        if (!violation) {
            violation = check_contention(*channels);
        }
        if (!violation) {
            violation = check_bound(*channels);
        }
        return violation;
    }

    [[nodiscard]] std::int64_t messages() const { return messages_; }

  private:
    /// Each message by itself: between two different participants, in the phase that it says.
    std::optional<Violation> check_messages() {
        for (std::size_t phase = 0; phase < draft_.phases.size(); ++phase) {
            for (const Transfer& message : draft_.phases[phase]) {
                for (const Rank rank : {message.from, message.to}) {
                    if (rank < 0 || static_cast<std::size_t>(rank) >= participants_) {
                        return Violation{
                            fmt::format("Phase {} has a message from rank {} to rank {}, but there are {} "
                                        "participants.",
                                        phase, message.from, message.to, participants_)};
                    }
                }
                if (message.from == message.to) {
                    return Violation{
                        fmt::format("Phase {} has a message to its own sender, {}.", phase, name(message))};
                }
                if (message.phase != static_cast<Phase>(phase)) {
                    return Violation{fmt::format("Message {} is listed in phase {} but says that its phase is {}.",
                                                 name(message), phase, message.phase)};
                }
            }
            messages_ += static_cast<std::int64_t>(draft_.phases[phase].size());
        }
        return std::nullopt;
    }

    /// Every ordered pair exactly once. The messages are sorted by sender first, so that memory follows the size of the
    /// draft and not the square of a number of participants that anyone can claim.
    std::optional<Violation> check_pairs() const {
        std::vector<std::size_t> end_of_sender(participants_ + 1, 0);
        for_each_message([&](const Transfer& message) { ++end_of_sender[static_cast<std::size_t>(message.from)]; });
        std::size_t total = 0;
        for (std::size_t& end : end_of_sender) {
            total += std::exchange(end, total);
        }
        std::vector<const Transfer*> by_sender(total);
        for_each_message([&](const Transfer& message) {
            by_sender[end_of_sender[static_cast<std::size_t>(message.from)]++] = &message;
        });

        std::vector<const Transfer*> message_to(participants_, nullptr);
        std::size_t next = 0;
        for (std::size_t sender = 0; sender < participants_; ++sender) {
            const std::size_t first = next;
            for (; next < end_of_sender[sender]; ++next) {
                const Transfer*& seen = message_to[static_cast<std::size_t>(by_sender[next]->to)];
                const bool is_from_here = seen != nullptr && seen->from == static_cast<Rank>(sender);
                if (is_from_here) {
                    return Violation{fmt::format("Message {} is sent twice, in phase {} and in phase {}.", name(*seen),
                                                 seen->phase, by_sender[next]->phase)};
                }
                seen = by_sender[next];
            }
            if (next - first + 1 < participants_) {
                return missing_message(static_cast<Rank>(sender), message_to);
            }
        }
        return std::nullopt;
    }

    Violation missing_message(Rank sender, const std::vector<const Transfer*>& message_to) const {
        Rank receiver = 0;
        for (; receiver == sender || (message_to[static_cast<std::size_t>(receiver)] != nullptr &&
                                      message_to[static_cast<std::size_t>(receiver)]->from == sender);
             ++receiver) {
        }
        return {fmt::format("Message {} is missing: no phase sends it.", name({0, sender, receiver}))};
    }

    /// No channel twice in a phase. Counts the load of every channel on the way.
    std::optional<Violation> check_contention(Channels& channels) {
        std::vector<const Transfer*> last_user(channels.size(), nullptr);
        load_.assign(channels.size(), 0);
        std::vector<Channel> route;
        for (const std::vector<Transfer>& phase : draft_.phases) {
            for (const Transfer& message : phase) {
                channels.route(message.from, message.to, route);
                for (const Channel channel : route) {
                    const Transfer*& user = last_user[static_cast<std::size_t>(channel)];
                    if (user != nullptr && user->phase == message.phase) {
                        return Violation{fmt::format("In phase {}, messages {} and {} both use {}.", message.phase,
                                                     name(*user), name(message), channels.name(channel))};
                    }
                    user = &message;
                    ++load_[static_cast<std::size_t>(channel)];
                }
            }
        }
        return std::nullopt;
    }

    std::optional<Violation> check_bound(const Channels& channels) const {
        if (!draft_.bound) {
            return std::nullopt;
        }
        const auto busiest = std::max_element(load_.begin(), load_.end());
        const std::int64_t load = busiest == load_.end() ? 0 : *busiest;
        if (*draft_.bound != load) {
            return Violation{load == 0
                                 ? fmt::format("The bound is said to be {}, but there are no messages.", *draft_.bound)
                                 : fmt::format("The bound is said to be {}, but the busiest channel, {}, carries "
                                               "{} messages.",
                                               *draft_.bound, channels.name(busiest - load_.begin()), load)};
        }
        if (static_cast<std::int64_t>(draft_.phases.size()) != load) {
            return Violation{fmt::format("There are {} phases, but the bound is {}.", draft_.phases.size(), load)};
        }
        return std::nullopt;
    }

    template <class Visitor>
    void for_each_message(Visitor visit) const {
        for (const std::vector<Transfer>& phase : draft_.phases) {
            for (const Transfer& message : phase) {
                visit(message);
            }
        }
    }

    std::string name(const Transfer& message) const {
        return message_name(network_, demand_, message.from, message.to);
    }

    const ScheduleDraft& draft_;
    const Network& network_;
    const Demand& demand_;
    std::size_t participants_;
    std::int64_t messages_ = 0;
    std::vector<std::int64_t> load_;  ///< of each channel
};

}  // namespace

Schedule::Schedule(ScheduleDraft draft, const Network& network, Demand demand, std::int64_t messages)
    : draft_(std::move(draft)), network_(&network), demand_(std::move(demand)), messages_(messages) {}

Expected<Schedule, Violation> check_schedule(ScheduleDraft draft, const Network& network, const Demand& demand) {
    ScheduleCheck check(draft, network, demand);
    if (std::optional<Violation> violation = check.run()) {
        return tl::unexpected(std::move(*violation));
    }
    const std::int64_t messages = check.messages();
    return Schedule(std::move(draft), network, demand, messages);
}

}  // namespace aapc
