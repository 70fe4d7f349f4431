#include "offline/schedules/reductions.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "aapc/offline/synchronise.hpp"

namespace aapc {

namespace {

/// For every sender the phase of its last message that is known to be complete; -1 for none.
using Clock = std::vector<Phase>;

void merge_into(Clock& clock, const Clock& other) {
    std::transform(clock.begin(), clock.end(), other.begin(), clock.begin(),
                   [](Phase left, Phase right) { return std::max(left, right); });
}

}  // namespace

std::vector<Edge> reduce_exactly(const Schedule& schedule, const std::vector<Edge>& candidates) {
    const auto ranks = static_cast<std::size_t>(schedule.placement().participants());
    std::map<Transfer, std::size_t> uses;  // successors not yet seen
    for (const Edge& edge : candidates) {
        ++uses[edge.after];
    }
    std::vector<Edge> by_before = candidates;
    std::sort(by_before.begin(), by_before.end(), [](const Edge& left, const Edge& right) {
        return std::tie(left.before, left.after) < std::tie(right.before, right.after);
    });

    std::map<Transfer, Clock> clocks;  // known once that message is complete; kept while it is needed
    std::vector<Edge> kept;
    auto next = by_before.begin();
    for (const std::vector<Transfer>& phase : schedule.phases()) {
        std::vector<Transfer> sorted = phase;
        std::sort(sorted.begin(), sorted.end());
        for (const Transfer& message : sorted) {
            const auto first = next;
            while (next != by_before.end() && next->before == message) {
                ++next;
            }
            Clock clock(ranks, -1);
            for (auto edge = first; edge != next; ++edge) {
                const Transfer& after = edge->after;
                const bool implied = std::any_of(first, next, [&](const Edge& other) {
                    return other.after != after &&
                           clocks.at(other.after)[static_cast<std::size_t>(after.from)] >= after.phase;
                });
                if (!implied) {
                    kept.push_back(*edge);
                }
                merge_into(clock, clocks.at(after));
            }
            for (auto edge = first; edge != next; ++edge) {
                const auto used = uses.find(edge->after);
                if (--used->second == 0) {
                    clocks.erase(edge->after);
                    uses.erase(used);
                }
            }
            if (uses.contains(message)) {
                clock[static_cast<std::size_t>(message.from)] = message.phase;
                clocks.emplace(message, std::move(clock));
            }
        }
    }
    std::sort(kept.begin(), kept.end());
    return kept;
}

std::vector<Edge> reduce_by_pairs(std::vector<Edge> edges, const Synchronisation& synchronisation) {
    // Pairs together; within a pair by waiting message, the latest `after` of one waiting message first.
    const auto key = [&](const Edge& edge) {
        return std::make_tuple(signaller(synchronisation, edge), edge.before.from, edge.before.phase,
                               -edge.after.phase);
    };
    std::sort(edges.begin(), edges.end(), [&](const Edge& left, const Edge& right) { return key(left) < key(right); });
    std::vector<Edge> kept;
    Phase latest = -1;
    for (std::size_t index = 0; index < edges.size(); ++index) {
        const Edge& edge = edges[index];
        const bool new_pair = index == 0 || edge.before.from != edges[index - 1].before.from ||
                              signaller(synchronisation, edge) != signaller(synchronisation, edges[index - 1]);
        if (new_pair || edge.after.phase > latest) {
            kept.push_back(edge);
            latest = edge.after.phase;
        }
    }
    std::sort(kept.begin(), kept.end());
    return kept;
}

std::vector<Edge> synchronisation_edges(const Schedule& schedule, const Synchronisation& synchronisation,
                                        Reduction reduction) {
    if (!uses_edges(synchronisation)) {
        return {};
    }
    std::vector<Edge> edges = synchronisation_candidates(schedule);
    if (reduction == Reduction::exact) {
        edges = reduce_exactly(schedule, edges);
    }
    if (token_giver(synchronisation) == TokenGiver::sender) {
        std::erase_if(edges, [](const Edge& edge) { return edge.after.from == edge.before.from; });
    }
    if (reduction == Reduction::pair_rule) {
        edges = reduce_by_pairs(std::move(edges), synchronisation);
    }
    std::erase_if(edges, [&](const Edge& edge) {
        return !has_token_between(synchronisation, edge.after.phase, edge.before.phase);
    });
    return edges;
}

}  // namespace aapc
