// The definition (Faraj & Yuan 2005, section 3) put to a draft, claim by claim. Nothing here knows how schedules are
// made.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "aapc/check/schedule.hpp"
#include "check/channels.hpp"
#include "check/cycle_check.hpp"
#include "check/forwarded_blocks.hpp"

namespace aapc {

namespace {

using check::Channel;
using check::Channels;
using check::message_name;

class ScheduleCheck {
  public:
    ScheduleCheck(const ScheduleDraft& draft, const Network& network, const Placement& placement)
        : draft_(draft), network_(network), placement_(placement), participants_(placement.machine_of.size()) {}

    std::optional<Violation> run() {
        std::optional<Violation> violation = check::check_placement(network_, placement_);
        if (!violation) {
            violation = draft_.cycle ? check::check_cycle_form(draft_, network_, placement_) : check_form();
        }
        if (!violation) {
            violation = draft_.forwards() ? check::follow_blocks(draft_, network_, placement_) : check_pairs();
        }
        return violation ? violation : check_guarantee();
    }

  private:
    /// Each message by itself: between two different participants, in the phase that it says.
    std::optional<Violation> check_form() const {
        if (draft_.guarantee == Guarantee::within_capacity) {
            return Violation{
                "The guarantee 'within-capacity' is of a timetable that has a cycle; this one has phases."};
        }
        if (!draft_.transfers.empty()) {
            return Violation{
                fmt::format("{} messages start at times of a cycle, but there is none.", draft_.transfers.size())};
        }
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
        }
        return std::nullopt;
    }

    /// Every ordered pair exactly once. The messages are sorted by sender first, so that memory follows the size of the
    /// draft and not the square of a number of participants that anyone can claim.
    std::optional<Violation> check_pairs() const {
        std::vector<std::size_t> end_of_sender(participants_ + 1, 0);
        draft_.for_each_message(
            [&](const Transfer& message) { ++end_of_sender[static_cast<std::size_t>(message.from)]; });
        std::size_t total = 0;
        for (std::size_t& end : end_of_sender) {
            total += std::exchange(end, total);
        }
        std::vector<const Transfer*> by_sender(total);
        draft_.for_each_message([&](const Transfer& message) {
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
                    return Violation{fmt::format("Message {} is sent twice, {} and {}.", name(*seen),
                                                 check::time_of(draft_, *seen),
                                                 check::time_of(draft_, *by_sender[next]))};
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
        return {fmt::format("Message {} is missing: {} sends it.", name({0, sender, receiver}),
                            draft_.cycle ? "nothing" : "no phase")};
    }

    /// What the phases promise, and the bound. Only a claim about links needs routes, so one about ports, or none, may
    /// be made on any network.
    std::optional<Violation> check_guarantee() const {
        const bool contention_free = is_contention_free(draft_.guarantee);
        std::optional<Violation> violation;
        if (draft_.guarantee == Guarantee::one_port) {
            violation = check_ports();
        }
        if (violation || !(contention_free || draft_.bound || draft_.cycle)) {
            return violation;
        }
        Expected<Channels, Violation> channels = Channels::find(network_, placement_);
        if (!channels) {
            return channels.error();
        }
        if (contention_free) {
            violation = check_contention(*channels);
        }
        if (draft_.cycle) {
            violation = check::check_cycle_length(draft_, network_, *channels);
        }
        return violation ? violation : check_bound(*channels);
    }

    /// No rank's port twice in a phase.
    std::optional<Violation> check_ports() const {
        std::vector<const Transfer*> last_user(2 * participants_, nullptr);
        for (const std::vector<Transfer>& phase : draft_.phases) {
            for (const Transfer& message : phase) {
                for (const bool sending : {true, false}) {
                    const Rank rank = sending ? message.from : message.to;
                    const Transfer*& user = last_user[2 * static_cast<std::size_t>(rank) + (sending ? 0 : 1)];
                    if (user != nullptr && user->phase == message.phase) {
                        return both_use(*user, message, check::port_name(network_, placement_, rank, sending));
                    }
                    user = &message;
                }
            }
        }
        return std::nullopt;
    }

    /// No channel twice in a phase.
    std::optional<Violation> check_contention(Channels& channels) const {
        std::vector<const Transfer*> last_user(channels.size(), nullptr);
        std::vector<Channel> route;
        for (const std::vector<Transfer>& phase : draft_.phases) {
            for (const Transfer& message : phase) {
                channels.route(message.from, message.to, route);
                for (const Channel channel : route) {
                    const Transfer*& user = last_user[static_cast<std::size_t>(channel)];
                    if (user != nullptr && user->phase == message.phase) {
                        return both_use(*user, message, channels.name(channel));
                    }
                    user = &message;
                }
            }
        }
        return std::nullopt;
    }

    Violation both_use(const Transfer& left, const Transfer& right, const std::string& channel) const {
        return {
            fmt::format("In phase {}, messages {} and {} both use {}.", right.phase, name(left), name(right), channel)};
    }

    /// The bound against the messages that every ordered pair owes itself, and the phases against it.
    std::optional<Violation> check_bound(Channels& channels) const {
        if (!draft_.bound && draft_.guarantee != Guarantee::shortest) {
            return std::nullopt;
        }
        const std::vector<std::int64_t> loads = owed_loads(channels);
        const auto busiest = std::max_element(loads.begin(), loads.end());
        const std::int64_t load = busiest == loads.end() ? 0 : *busiest;
        if (draft_.bound && *draft_.bound != load) {
            return Violation{load == 0
                                 ? fmt::format("The bound is said to be {}, but there are no messages.", *draft_.bound)
                                 : fmt::format("The bound is said to be {}, but the busiest channel, {}, carries "
                                               "{} messages.",
                                               *draft_.bound, channels.name(busiest - loads.begin()), load)};
        }
        if (draft_.guarantee == Guarantee::shortest && static_cast<std::int64_t>(draft_.phases.size()) != load) {
            return Violation{fmt::format("There are {} phases, but the bound is {}.", draft_.phases.size(), load)};
        }
        return std::nullopt;
    }

    /// What each channel carries if every ordered pair's message goes straight to its destination: whole messages.
    [[nodiscard]] std::vector<std::int64_t> owed_loads(Channels& channels) const {
        std::vector<double> loads(channels.size(), 0);
        std::vector<Channels::Crossing> crossings;
        for (Rank from = 0; from < placement_.participants(); ++from) {
            for (Rank to = 0; to < placement_.participants(); ++to) {
                if (from != to) {
                    channels.crossings(from, to, crossings);
                    for (const Channels::Crossing& crossing : crossings) {
                        loads[static_cast<std::size_t>(crossing.channel)] += crossing.part;
                    }
                }
            }
        }
        std::vector<std::int64_t> whole;
        whole.reserve(loads.size());
        constexpr double rounding = 1e-6;  // of sums of parts
        for (const double load : loads) {
            whole.push_back(static_cast<std::int64_t>(std::ceil(load - rounding)));
        }
        return whole;
    }

    std::string name(const Transfer& message) const {
        return message_name(network_, placement_, message.from, message.to);
    }

    const ScheduleDraft& draft_;
    const Network& network_;
    const Placement& placement_;
    std::size_t participants_;
};

}  // namespace

Schedule::Schedule(ScheduleDraft draft, const Network& network, Placement placement, std::int64_t messages)
    : draft_(std::move(draft)), network_(&network), placement_(std::move(placement)), messages_(messages) {}

Expected<Schedule, Violation> check_schedule(ScheduleDraft draft, const Network& network, const Placement& placement) {
    if (std::optional<Violation> violation = ScheduleCheck(draft, network, placement).run()) {
        return tl::unexpected(std::move(*violation));
    }
    std::int64_t messages = 0;
    draft.for_each_message([&](const Transfer&) { ++messages; });
    return Schedule(std::move(draft), network, placement, messages);
}

}  // namespace aapc
