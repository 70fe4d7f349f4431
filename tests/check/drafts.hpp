/// @file
/// Schedules made without any of the project's algorithms.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "aapc/check/schedule.hpp"
#include "check/second_opinion.hpp"

namespace aapc::test {

/// One switch: in phase k-1, every rank i sends to i+k.
inline ScheduleDraft ring_draft(Rank participants) {
    ScheduleDraft draft{"ring", "", participants - 1, {}};
    for (Rank step = 1; step < participants; ++step) {
        std::vector<Transfer>& phase = draft.phases.emplace_back();
        for (Rank from = 0; from < participants; ++from) {
            phase.push_back({step - 1, from, (from + step) % participants});
        }
    }
    return draft;
}

/// Any tree: every message, in random order, into the first phase in which it meets no other. States no bound and does
/// not claim to be the shortest.
inline ScheduleDraft greedy_draft(const Network& network, const Placement& placement, std::uint64_t seed) {
    std::vector<Transfer> messages;
    for (Rank from = 0; from < placement.participants(); ++from) {
        for (Rank to = 0; to < placement.participants(); ++to) {
            if (from != to) {
                messages.push_back({0, from, to});
            }
        }
    }
    std::mt19937_64 random(seed);
    std::shuffle(messages.begin(), messages.end(), random);
    ScheduleDraft draft{"greedy", "", std::nullopt, {}, Guarantee::contention_free};
    std::vector<Contended> used;
    for (Transfer message : messages) {
        const Contended contended = contended_by(network, placement, message.from, message.to);
        while (static_cast<std::size_t>(message.phase) < used.size() &&
               meet(used[static_cast<std::size_t>(message.phase)], contended)) {
            ++message.phase;
        }
        if (static_cast<std::size_t>(message.phase) == used.size()) {
            used.emplace_back();
            draft.phases.emplace_back();
        }
        used[static_cast<std::size_t>(message.phase)].insert(contended.begin(), contended.end());
        draft.phases[static_cast<std::size_t>(message.phase)].push_back(message);
    }
    return draft;
}

}  // namespace aapc::test
