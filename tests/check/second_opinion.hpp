/// @file
/// The definitions once more, slow and from sets, for holding the checker against.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "aapc/check/schedule.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc::test {

using Contended = std::set<std::pair<std::string, std::string>>;

/// The vertices of the only path, found by trying every way.
inline bool find_path(const Network& network, Vertex at, Vertex target, std::vector<Vertex>& path) {
    path.push_back(at);
    if (at == target) {
        return true;
    }
    for (const Link& link : network.links()) {
        for (const auto& [here, there] : {std::pair(link.lower, link.upper), std::pair(link.upper, link.lower)}) {
            if (here == at && std::find(path.begin(), path.end(), there) == path.end() &&
                find_path(network, there, target, path)) {
                return true;
            }
        }
    }
    path.pop_back();
    return false;
}

/// What a message needs for itself: directed links by the names of their ends, ports by rank.
inline Contended contended_by(const Network& network, const Placement& placement, Rank from, Rank to) {
    const auto vertex = [&](Rank rank) {
        return network.machines()[static_cast<std::size_t>(placement.machine_of[static_cast<std::size_t>(rank)])]
            .vertex;
    };
    std::vector<Vertex> path;
    find_path(network, vertex(from), vertex(to), path);
    Contended contended{{"out", std::to_string(from)}, {"in", std::to_string(to)}};
    for (std::size_t step = 1; step < path.size(); ++step) {
        contended.insert({network.vertices()[static_cast<std::size_t>(path[step - 1])].name,
                          network.vertices()[static_cast<std::size_t>(path[step])].name});
    }
    return contended;
}

inline bool meet(const Contended& left, const Contended& right) {
    return std::any_of(left.begin(), left.end(), [&](const auto& channel) { return right.contains(channel); });
}

/// Whether a direct draft of contention-free phases is a schedule, by its definition.
inline bool is_schedule(const ScheduleDraft& draft, const Network& network, const Placement& placement) {
    const Rank participants = placement.participants();
    std::multiset<std::pair<Rank, Rank>> sent;
    std::map<std::pair<std::string, std::string>, std::int64_t> load;
    for (std::size_t phase = 0; phase < draft.phases.size(); ++phase) {
        Contended used;
        for (const Transfer& message : draft.phases[phase]) {
            const bool in_range = message.from >= 0 && message.from < participants && message.to >= 0 &&
                                  message.to < participants && message.phase == static_cast<Phase>(phase);
            if (!in_range) {
                return false;
            }
            for (const auto& channel : contended_by(network, placement, message.from, message.to)) {
                if (!used.insert(channel).second) {
                    return false;
                }
                ++load[channel];
            }
            sent.insert({message.from, message.to});
        }
    }
    std::multiset<std::pair<Rank, Rank>> owed;
    for (Rank from = 0; from < participants; ++from) {
        for (Rank to = 0; to < participants; ++to) {
            if (from != to) {
                owed.insert({from, to});
            }
        }
    }
    std::int64_t busiest = 0;
    for (const auto& [channel, messages] : load) {
        busiest = std::max(busiest, messages);
    }
    return sent == owed && (!draft.bound || *draft.bound == busiest) &&
           (draft.guarantee != Guarantee::shortest || static_cast<std::int64_t>(draft.phases.size()) == busiest);
}

/// Whether edges order all that contends, by the transitive closure of a graph of events: the start of each message,
/// its completion in the synchronisation's sense, and the moment at which its signal may leave. Every two messages that
/// share a channel are looked at, not only consecutive ones. Inside the blocks of sender-partial and receiver-partial
/// what shares a channel is taken to be ordered; the barriers of barrier-partial-sender and -receiver let a block start
/// when all before it is complete.
inline bool orders_everything(const Schedule& schedule, Synchronisation synchronisation,
                              const std::vector<Edge>& edges) {
    using Kind = Synchronisation::Kind;
    const bool by_sender = token_giver(synchronisation) == TokenGiver::sender;
    const auto in_one_block = [&](const Transfer& left, const Transfer& right) {
        return left.phase / synchronisation.block_phases == right.phase / synchronisation.block_phases;
    };
    const bool assumes_blocks =
        synchronisation.kind == Kind::sender_partial || synchronisation.kind == Kind::receiver_partial;
    const bool has_barriers =
        synchronisation.kind == Kind::barrier_partial_sender || synchronisation.kind == Kind::barrier_partial_receiver;
    std::vector<Transfer> messages;
    std::vector<Contended> contended;
    for (const std::vector<Transfer>& phase : schedule.phases()) {
        for (const Transfer& message : phase) {
            messages.push_back(message);
            contended.push_back(contended_by(schedule.network(), schedule.placement(), message.from, message.to));
        }
    }
    const std::size_t count = messages.size();
    const auto start = [](std::size_t message) { return 3 * message; };
    const auto completion = [](std::size_t message) { return 3 * message + 1; };
    const auto signal = [](std::size_t message) { return 3 * message + 2; };
    std::vector<std::vector<bool>> before(3 * count, std::vector<bool>(3 * count, false));
    for (std::size_t left = 0; left < count; ++left) {
        before[start(left)][completion(left)] = true;
        before[completion(left)][signal(left)] = true;
        for (std::size_t right = 0; right < count; ++right) {
            if (messages[left].phase >= messages[right].phase) {
                continue;
            }
            if (messages[left].from == messages[right].from) {
                before[start(left)][start(right)] = true;
                if (by_sender) {
                    before[completion(left)][start(right)] = true;
                    before[completion(left)][signal(right)] = true;
                }
            }
            if (!by_sender && messages[left].to == messages[right].to) {
                before[completion(left)][signal(right)] = true;
            }
            const bool assumed = assumes_blocks && in_one_block(messages[left], messages[right]) &&
                                 meet(contended[left], contended[right]);
            const bool behind_a_barrier = has_barriers && !in_one_block(messages[left], messages[right]);
            if (assumed || behind_a_barrier) {
                before[completion(left)][start(right)] = true;
            }
        }
    }
    const auto index = [&](const Transfer& message) {
        return static_cast<std::size_t>(std::find(messages.begin(), messages.end(), message) - messages.begin());
    };
    for (const Edge& edge : edges) {
        before[signal(index(edge.after))][start(index(edge.before))] = true;
    }
    for (std::size_t middle = 0; middle < 3 * count; ++middle) {
        for (std::size_t left = 0; left < 3 * count; ++left) {
            if (before[left][middle]) {
                for (std::size_t right = 0; right < 3 * count; ++right) {
                    before[left][right] = before[left][right] || before[middle][right];
                }
            }
        }
    }
    for (std::size_t left = 0; left < count; ++left) {
        for (std::size_t right = 0; right < count; ++right) {
            if (messages[left].phase < messages[right].phase && meet(contended[left], contended[right]) &&
                !before[completion(left)][start(right)]) {
                return false;
            }
        }
    }
    return true;
}

}  // namespace aapc::test
