// Whether edges and program order keep apart what contends, by vector clocks. What each synchronisation guarantees by
// itself is said in docs/synchronisation.md; this file is that page as a program.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "aapc/check/schedule.hpp"
#include "check/channels.hpp"

namespace aapc {

namespace {

using check::Channel;
using check::Channels;
using check::message_name;

/// A clock has one entry for each rank: how many of the messages that the rank completes (`sender`: those it sends,
/// `receiver`: those it receives), in order of phase, are known to be complete.
using Clock = std::vector<std::int32_t>;

void merge(Clock& clock, const Clock& other) {
    std::transform(clock.begin(), clock.end(), other.begin(), clock.begin(),
                   [](std::int32_t left, std::int32_t right) { return std::max(left, right); });
}

/// Which messages the edges are for; what the kind gives for the rest.
enum class Scope : std::uint8_t {
    everything,     ///< edges between any two phases
    across_blocks,  ///< edges between phases of different blocks; the orders inside a block are assumed, not proved
    within_blocks,  ///< edges between phases of one block; a barrier stands between blocks
};

Scope scope_of(const Synchronisation& synchronisation) {
    switch (synchronisation.kind) {
        case Synchronisation::Kind::sender_partial:
        case Synchronisation::Kind::receiver_partial:
            return Scope::across_blocks;
        case Synchronisation::Kind::barrier_partial_sender:
        case Synchronisation::Kind::barrier_partial_receiver:
            return Scope::within_blocks;
        default:
            return Scope::everything;
    }
}

/// What the check knows of one message of the schedule. Messages are numbered in the order of the table.
struct Knowledge {
    Transfer message;
    std::int32_t completion = 0;    ///< counts from 1 among those that the same rank completes
    std::int32_t pending_uses = 0;  ///< edges from this message whose other end has not started yet
    Clock completed;                ///< what its signal tells; empty unless pending_uses > 0
};

class SynchronisationCheck {
  public:
    SynchronisationCheck(const Schedule& schedule, const Synchronisation& synchronisation)
        : schedule_(schedule),
          synchronisation_(synchronisation),
          scope_(scope_of(synchronisation)),
          participants_(schedule.placement().machine_of.size()) {}

    std::optional<Violation> run(const std::vector<Edge>& edges) {
        Expected<Channels, Violation> channels = Channels::find(schedule_.network(), schedule_.placement());
        if (!channels) {
            return channels.error();
        }
        number_messages();
        if (std::optional<Violation> violation = take_edges(edges)) {
            return violation;
        }
        if (scope_ == Scope::across_blocks) {
            assume_order_within_blocks(*channels);
        }
        sort_orders();
        return check_order(*channels);
    }

  private:
    using Number = std::size_t;  ///< index into known_
    static constexpr Number none = static_cast<Number>(-1);

    [[nodiscard]] bool in_one_block(Phase left, Phase right) const {
        return left / synchronisation_.block_phases == right / synchronisation_.block_phases;
    }

    /// Whether an edge between these phases is one of this kind's.
    [[nodiscard]] bool is_for_edges(Phase after, Phase before) const {
        return scope_ == Scope::everything || (scope_ == Scope::within_blocks) == in_one_block(after, before);
    }

    [[nodiscard]] std::size_t completing_rank(const Transfer& message) const {
        return static_cast<std::size_t>(token_giver(synchronisation_) == TokenGiver::sender ? message.from
                                                                                            : message.to);
    }

    void number_messages() {
        known_.reserve(static_cast<std::size_t>(schedule_.messages()));
        Clock completions(participants_, 0);
        by_sender_.resize(participants_);
        for (const std::vector<Transfer>& phase : schedule_.phases()) {
            for (const Transfer& message : phase) {
                by_sender_[static_cast<std::size_t>(message.from)].push_back(known_.size());
                known_.push_back({message, ++completions[completing_rank(message)], 0, {}});
            }
        }
    }

    /// The number of a message, or `none`. A rank sends once a phase at most, so its messages are ordered by phase.
    [[nodiscard]] Number find(const Transfer& message) const {
        if (message.from < 0 || static_cast<std::size_t>(message.from) >= participants_) {
            return none;
        }
        const std::vector<Number>& sends = by_sender_[static_cast<std::size_t>(message.from)];
        const auto found = std::lower_bound(sends.begin(), sends.end(), message.phase, [&](Number number, Phase phase) {
            return known_[number].message.phase < phase;
        });
        return found != sends.end() && known_[*found].message == message ? *found : none;
    }

    std::optional<Violation> take_edges(const std::vector<Edge>& edges) {
        orders_.reserve(edges.size());
        for (const Edge& edge : edges) {
            const Number after = find(edge.after);
            const Number before = find(edge.before);
            for (const auto& [message, number] : {std::pair{edge.after, after}, std::pair{edge.before, before}}) {
                if (number == none) {
                    return Violation{
                        fmt::format("A synchronisation names a message from rank {} to rank {} in phase "
                                    "{}, but the schedule has no such message.",
                                    message.from, message.to, message.phase)};
                }
            }
            if (edge.after.phase >= edge.before.phase) {
                return refused(edge, "which is not an earlier phase");
            }
            if (!is_for_edges(edge.after.phase, edge.before.phase)) {
                return refused(edge,
                               fmt::format("and '{}' has synchronisation messages {} only", to_string(synchronisation_),
                                           scope_ == Scope::within_blocks ? "inside a block" : "between blocks"));
            }
            orders_.emplace_back(after, before);
        }
        return std::nullopt;
    }

    [[nodiscard]] Violation refused(const Edge& edge, const std::string& reason) const {
        return {fmt::format("A synchronisation makes message {} of phase {} wait for message {} of phase {}, {}.",
                            name(edge.before), edge.before.phase, name(edge.after), edge.after.phase, reason)};
    }

    /// Takes consecutive users of a channel that are in one block as if an edge ordered them. All orders inside the
    /// block follow from these.
    void assume_order_within_blocks(Channels& channels) {
        std::vector<Number> last_user(channels.size(), none);
        std::vector<Channel> route;
        for (Number number = 0; number < known_.size(); ++number) {
            const Transfer& message = known_[number].message;
            channels.route(message.from, message.to, route);
            for (const Channel channel : route) {
                const Number previous = std::exchange(last_user[static_cast<std::size_t>(channel)], number);
                if (previous != none && in_one_block(known_[previous].message.phase, message.phase)) {
                    orders_.emplace_back(previous, number);
                }
            }
        }
    }

    /// Sorts what is given and assumed by the message that waits.
    void sort_orders() {
        signals_for_.assign(known_.size() + 1, 0);
        for (const auto& [after, before] : orders_) {
            ++known_[after].pending_uses;
            ++signals_for_[before];
        }
        std::size_t total = 0;
        for (std::size_t& first : signals_for_) {
            total += std::exchange(first, total);
        }
        signallers_.resize(total);
        std::vector<std::size_t> next = signals_for_;
        for (const auto& [after, before] : orders_) {
            signallers_[next[before]++] = after;
        }
    }

    /// Walks through the table once. Every edge comes from an earlier phase, so what a signal tells is known when the
    /// message that waits for it starts.
    std::optional<Violation> check_order(Channels& channels) {
        started_.assign(participants_, Clock(participants_, 0));
        std::vector<Number> last_user(channels.size(), none);
        std::vector<Channel> route;
        for (Number number = 0; number < known_.size(); ++number) {
            const Transfer& message = known_[number].message;
            const Clock& clock = start(number);
            channels.route(message.from, message.to, route);
            for (const Channel channel : route) {
                const Number previous = std::exchange(last_user[static_cast<std::size_t>(channel)], number);
                if (previous == none) {
                    continue;
                }
                const Knowledge& user = known_[previous];
                if (!is_for_edges(user.message.phase, message.phase)) {
                    continue;  // ordered by a barrier, or assumed
                }
                if (clock[completing_rank(user.message)] < user.completion) {
                    return unordered(user.message, message, channels.name(channel));
                }
            }
            complete(number);
        }
        return std::nullopt;
    }

    /// What is complete when a message starts: all that was when the sender's previous message did, what complete() has
    /// added since, and what the signals tell that it waits for.
    const Clock& start(Number number) {
        Clock& clock = started_[static_cast<std::size_t>(known_[number].message.from)];
        for (std::size_t next = signals_for_[number]; next < signals_for_[number + 1]; ++next) {
            Knowledge& signaller = known_[signallers_[next]];
            merge(clock, signaller.completed);
            if (--signaller.pending_uses == 0) {
                signaller.completed = Clock();
            }
        }
        return clock;
    }

    /// What a message's signal tells: all that was complete when the message started, and itself. A receiver's signal
    /// also stands for what it received earlier; as an entry is a count, it says that too, and it is no news: those
    /// messages share the receiver's port with this one, so check_order() has seen them complete before it started.
    void complete(Number number) {
        Knowledge& known = known_[number];
        const std::size_t rank = completing_rank(known.message);
        Clock& clock = started_[static_cast<std::size_t>(known.message.from)];
        if (token_giver(synchronisation_) == TokenGiver::sender) {
            clock[rank] = known.completion;  // program order: the rank's next send starts behind this one
        }
        if (known.pending_uses > 0) {
            known.completed = clock;
            known.completed[rank] = known.completion;
        }
    }

    [[nodiscard]] Violation unordered(const Transfer& first, const Transfer& second, const std::string& channel) const {
        return {
            fmt::format("Messages {} of phase {} and {} of phase {} both use {}, but nothing makes the second wait "
                        "until the first is {}.",
                        name(first), first.phase, name(second), second.phase, channel,
                        token_giver(synchronisation_) == TokenGiver::sender ? "locally complete" : "received")};
    }

    [[nodiscard]] std::string name(const Transfer& message) const {
        return message_name(schedule_.network(), schedule_.placement(), message.from, message.to);
    }

    const Schedule& schedule_;
    Synchronisation synchronisation_;
    Scope scope_;
    std::size_t participants_;
    std::vector<Knowledge> known_;
    std::vector<std::vector<Number>> by_sender_;
    std::vector<std::pair<Number, Number>> orders_;  ///< the second waits for the first
    std::vector<std::size_t> signals_for_;  ///< message m waits for signallers_[signals_for_[m] .. signals_for_[m+1])
    std::vector<Number> signallers_;
    std::vector<Clock> started_;  ///< of each rank: what is complete when its next send starts, signals aside
};

/// Whether the kind can be meant for such a schedule at all.
std::optional<Violation> check_kind(const Schedule& schedule, const Synchronisation& synchronisation) {
    if (schedule.cycle()) {
        return fits_cycles(synchronisation)
                   ? std::nullopt
                   : std::optional(Violation{fmt::format("Synchronisation '{}' keeps phases apart, but the schedule "
                                                         "has a cycle instead of phases.",
                                                         to_string(synchronisation))});
    }
    if (needs_contention_free_phases(synchronisation) && !is_contention_free(schedule.guarantee())) {
        return Violation{
            fmt::format("Synchronisation '{}' is for contention-free phases, but the guarantee of these is "
                        "'{}'.",
                        to_string(synchronisation), to_string(schedule.guarantee()))};
    }
    if (orders_single_messages(synchronisation) && schedule.forwards()) {
        return Violation{fmt::format("Synchronisation '{}' orders single messages, but the schedule forwards blocks.",
                                     to_string(synchronisation))};
    }
    const bool has_blocks = synchronisations()[static_cast<std::size_t>(synchronisation.kind)].has_blocks;
    if (has_blocks && synchronisation.block_phases < 1) {
        return Violation{fmt::format("Synchronisation '{}' needs blocks of at least one phase, not of {}.",
                                     name_of(synchronisation.kind), synchronisation.block_phases)};
    }
    return std::nullopt;
}

}  // namespace

std::optional<Violation> check_synchronisation(const Schedule& schedule, const Synchronisation& synchronisation,
                                               const std::vector<Edge>& edges) {
    if (std::optional<Violation> violation = check_kind(schedule, synchronisation)) {
        return violation;
    }
    if (uses_edges(synchronisation)) {
        return SynchronisationCheck(schedule, synchronisation).run(edges);
    }
    if (!edges.empty()) {
        return Violation{fmt::format("Synchronisation '{}' sends no synchronisation messages, but {} are given.",
                                     to_string(synchronisation), edges.size())};
    }
    return std::nullopt;
}

}  // namespace aapc
