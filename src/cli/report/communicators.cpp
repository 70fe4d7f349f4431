#include "cli/report/communicators.hpp"

#include <algorithm>
#include <utility>

#include "aapc/methods/unequal_exchange.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/siblings.hpp"
#include "cli/report/together.hpp"

namespace aapc::report {

namespace {

/// The calls whose number is `kind` modulo `kinds`, a divisor of the period.
Group::Sum sum_of(const Group::OnOne& on, std::int64_t kind, std::int64_t kinds) {
    Group::Sum sum;
    for (auto number = static_cast<std::size_t>(kind); number < longest_period;
         number += static_cast<std::size_t>(kinds)) {
        sum.calls += on.by_number[number].calls;
        sum.bytes += on.by_number[number].bytes;
    }
    return sum;
}

}  // namespace

Communicators::Communicators(const Record& record, const Network* network)
    : record_(record), network_(network), lengths_(record) {
    for (const RecordedCommunicator& communicator : record.communicators) {
        by_name_.emplace(communicator.name, &communicator);
    }
}

std::int64_t Communicators::ranks(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? 0 : found->second->ranks;
}

std::optional<Placement> Communicators::placement(const std::string& name) const {
    const auto found = by_name_.find(name);
    if (network_ == nullptr || found == by_name_.end() || found->second->members.empty()) {
        return std::nullopt;
    }
    Placement placement;
    return place(*found->second, placement) ? std::optional(std::move(placement)) : std::nullopt;
}

std::vector<Communicators::Kind> Communicators::kinds(const Group& group, const std::string& name) const {
    const auto found = by_name_.find(name);
    const auto on = group.on.find(name);
    if (found == by_name_.end() || on == group.on.end()) {
        return {};
    }
    if (!has_lengths(group.routine)) {
        return {{0, static_cast<double>(on->second.calls), group.mean_bytes()}};
    }
    const std::int64_t count = lengths_.kinds(*found->second, group.routine);
    std::vector<Kind> kinds;
    for (std::int64_t number = 0; number < count; ++number) {
        if (const Group::Sum sum = sum_of(on->second, number, count); sum.calls > 0) {
            const auto calls = static_cast<double>(sum.calls);
            kinds.push_back({number, calls, sum.bytes / calls});
        }
    }
    return kinds;
}

std::optional<Demand> Communicators::lengths(const Group& group, const std::string& name, const Kind& kind) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? std::nullopt
                                   : lengths_.mean(*found->second, group.routine, kind.number, kind.mean_bytes);
}

std::optional<double> Communicators::mean_bound(Group& group) const {
    double seconds = 0;
    double calls = 0;
    for (const auto& [name, on] : group.on) {
        const auto of_call = group.on.size() > most_of_a_group ? std::nullopt : bound(group, name);
        if (!of_call) {
            return std::nullopt;
        }
        seconds += static_cast<double>(on.calls) * *of_call;
        calls += static_cast<double>(on.calls);
    }
    return calls > 0 ? std::optional(seconds / calls) : std::nullopt;
}

std::optional<double> Communicators::bound(Group& group, const std::string& name) const {
    double seconds = 0;
    double calls = 0;
    for (const Kind& kind : kinds(group, name)) {
        const auto alone = bound_alone(group, name, kind);
        if (!alone) {
            return std::nullopt;
        }
        seconds += kind.calls * std::max(*alone, bound_together(group, name, kind).value_or(0));
        calls += kind.calls;
    }
    return calls > 0 ? std::optional(seconds / calls) : std::nullopt;
}

std::vector<const RecordedCommunicator*> Communicators::together(const Group& group, const std::string& name) const {
    const auto bytes = static_cast<std::int64_t>(group.mean_bytes()) * std::max<std::int64_t>(group.ranks, 1);
    return together_with(record_, name, group.routine,
                         has_lengths(group.routine) ? std::nullopt : std::optional(bytes));
}

std::optional<Network> Communicators::shared_links(const Group& group, const std::string& name) const {
    const std::vector<const RecordedCommunicator*> all = together(group, name);
    if (network_ == nullptr || all.size() < 2 || all.size() > most_of_a_group) {
        return std::nullopt;
    }
    std::vector<Placement> placements(all.size());
    for (std::size_t index = 0; index < all.size(); ++index) {
        if (!place(*all[index], placements[index])) {
            return std::nullopt;
        }
    }
    return shared_network(*network_, placements.front(), placements);
}

std::optional<Communicators::Joint> Communicators::joint(const Group& group, const std::string& name,
                                                         const Kind& kind) const {
    const bool unequal = has_lengths(group.routine);
    const auto bytes = static_cast<std::int64_t>(group.mean_bytes());
    Joint found{together(group, name), {}, Demand(0)};
    for (const RecordedCommunicator* const one : found.communicators) {
        found.ranks.insert(found.ranks.end(), one->members.begin(), one->members.end());
    }
    if (found.ranks.empty() || found.ranks.size() > static_cast<std::size_t>(RecordedLengths::most_ranks)) {
        return std::nullopt;
    }
    found.demand = Demand(static_cast<Rank>(found.ranks.size()));
    Rank first = 0;
    for (const RecordedCommunicator* const one : found.communicators) {
        const auto ranks = static_cast<Rank>(one->members.size());
        Demand own(ranks);
        if (unequal) {
            std::optional<Demand> lengths = lengths_of(group, *one, kind.number);
            if (!lengths || lengths->participants() != ranks) {
                return std::nullopt;
            }
            own = *std::move(lengths);
        }
        for (Rank pair = 0; pair < ranks * ranks; ++pair) {
            const Rank from = pair / ranks;
            const Rank to = pair % ranks;
            found.demand.set(first + from, first + to, unequal ? own.bytes(from, to) : bytes);
        }
        first += ranks;
    }
    return found;
}

/// Of a communicator that has no such calls in the group the lengths are the mean over all of its calls of that number.
std::optional<Demand> Communicators::lengths_of(const Group& group, const RecordedCommunicator& one,
                                                std::int64_t number) const {
    const auto on = group.on.find(one.name);
    const std::int64_t count = lengths_.kinds(one, group.routine);
    if (count == 0) {
        return std::nullopt;
    }
    const Group::Sum sum = on == group.on.end() ? Group::Sum() : sum_of(on->second, number % count, count);
    return lengths_.mean(one, group.routine, number % count,
                         sum.calls > 0 ? std::optional(sum.bytes / static_cast<double>(sum.calls)) : std::nullopt);
}

/// The bound of a call as if the communicator had the network to itself.
std::optional<double> Communicators::bound_alone(const Group& group, const std::string& name, const Kind& kind) const {
    const auto where = placement(name);
    if (!where) {
        return std::nullopt;
    }
    if (!has_lengths(group.routine)) {
        return network_bound(*network_, *where).seconds_per_byte *
               static_cast<double>(static_cast<std::int64_t>(group.mean_bytes()));
    }
    const auto demand = lengths(group, name, kind);
    const auto bound = demand && demand->participants() == where->participants()
                           ? std::optional(demand_bound(*network_, *where, *demand))
                           : std::nullopt;
    return bound && *bound ? std::optional((*bound)->seconds()) : std::nullopt;
}

/// The bound of one call of the group on that communicator and those that exchange together with it; nullopt if
/// there are none, or their machines are not known.
std::optional<double> Communicators::bound_together(Group& group, const std::string& name, const Kind& kind) const {
    const auto all = joint(group, name, kind);
    if (!all || all->communicators.size() < 2) {
        return std::nullopt;
    }
    Placement placement;
    for (const RecordedCommunicator* const one : all->communicators) {
        if (!place(*one, placement)) {
            return std::nullopt;
        }
    }
    const auto bound = demand_bound(*network_, placement, all->demand);
    if (!bound || bound->nanoseconds <= 0) {
        return std::nullopt;
    }
    group.together = std::max(group.together, all->communicators.size());
    return bound->seconds();
}

/// Appends the machines of its ranks; false if one is not known.
bool Communicators::place(const RecordedCommunicator& communicator, Placement& placement) const {
    for (const std::int32_t member : communicator.members) {
        placement.machine_of.push_back(network_->find_machine(record_.head.hosts[static_cast<std::size_t>(member)]));
        if (placement.machine_of.back() < 0) {
            return false;
        }
    }
    return true;
}

}  // namespace aapc::report
