#include "algorithms/local_group/local_group_formula.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/factor/factorisation.hpp"

namespace aapc::local_group {

namespace {

/// Phases that two clusters of these sizes need: groups of the larger one.
Phase groups_of(std::int32_t one, std::int32_t other) {
    const auto [smaller, larger] = std::minmax(one, other);
    return (Phase{larger} + smaller - 1) / smaller;
}

/// Modulo the number of complete groups, the group that takes a block that its origin's own group cannot send. With two
/// clusters, the smaller one's ranks first, the sum is that of the ranks.
std::int32_t turn_of(std::int32_t origin, std::int32_t destination, std::int32_t smaller) {
    return smaller + origin + destination;
}

}  // namespace

LocalGroupFormula::LocalGroupFormula(std::vector<std::int32_t> sizes) : sizes_(std::move(sizes)), round_starts_{0} {
    // An even number of clusters: the last factor has all the loops and would be a round without meetings.
    const std::int32_t rounds = clusters() % 2 == 0 ? clusters() - 1 : clusters();
    for (std::int32_t round = 0; round < rounds; ++round) {
        Phase phases = 0;
        for (Cluster cluster = 0; cluster < clusters(); ++cluster) {
            const Cluster other = partner(round, cluster);
            if (other != cluster) {
                phases = std::max(phases, groups_of(size(cluster), size(other)));
            }
        }
        round_starts_.push_back(round_starts_.back() + phases);
    }
}

bool LocalGroupFormula::is_smaller(Cluster one, Cluster other) const {
    return std::pair(size(one), one) < std::pair(size(other), other);
}

Cluster LocalGroupFormula::partner(std::int32_t round, Cluster cluster) const {
    return factor::Factorisation(clusters(), factor::Factors::matchings_loops_last).successor(round, cluster);
}

std::int32_t LocalGroupFormula::agent(Member origin, Member destination) const {
    if (origin.cluster == destination.cluster) {
        return destination.index;
    }
    if (is_smaller(origin.cluster, destination.cluster)) {
        return destination.index % size(origin.cluster);
    }
    const std::int32_t larger = size(origin.cluster);
    const std::int32_t smaller = size(destination.cluster);
    const std::int32_t of_own_group = origin.index / smaller * smaller + destination.index;
    if (of_own_group < larger) {
        return of_own_group;
    }
    const std::int32_t complete_groups = larger / smaller;
    return turn_of(origin.index, destination.index, smaller) % complete_groups * smaller + destination.index;
}

void LocalGroupFormula::append_destinations(Member from, std::int32_t agent, std::vector<Member>& out) const {
    out.push_back({from.cluster, agent});
    for (Cluster cluster = 0; cluster < clusters(); ++cluster) {
        if (cluster == from.cluster) {
            continue;
        }
        if (is_smaller(from.cluster, cluster)) {
            for (std::int32_t index = agent; index < size(cluster); index += size(from.cluster)) {
                out.push_back({cluster, index});
            }
        } else if (const Member met{cluster, agent % size(cluster)}; this->agent(from, met) == agent) {
            out.push_back(met);
        }
    }
}

void LocalGroupFormula::append_origins(Member from, Member to, std::vector<std::int32_t>& out) const {
    const std::int32_t all = size(from.cluster);
    if (is_smaller(from.cluster, to.cluster)) {
        for (std::int32_t origin = 0; origin < all; ++origin) {
            out.push_back(origin);
        }
        return;
    }
    const std::int32_t group_size = size(to.cluster);
    const std::int32_t group = from.index / group_size;
    for (std::int32_t origin = group * group_size; origin < std::min((group + 1) * group_size, all); ++origin) {
        out.push_back(origin);
    }
    const std::int32_t complete_groups = all / group_size;
    const std::int32_t left_over = complete_groups * group_size;
    if (to.index < all - left_over) {
        return;  // the incomplete group has its own rank that meets `to`
    }
    // Of the incomplete group every complete_groups-th origin, from the first whose turn it is.
    const std::int32_t ahead = (turn_of(left_over, to.index, group_size) - group) % complete_groups;
    for (std::int32_t origin = left_over + (complete_groups - ahead) % complete_groups; origin < all;
         origin += complete_groups) {
        out.push_back(origin);
    }
}

std::vector<Exchange> LocalGroupFormula::exchanges_of(Member member) const {
    std::vector<Exchange> exchanges;
    for (std::int32_t round = 0; round < rounds(); ++round) {
        const Phase start = round_starts_[static_cast<std::size_t>(round)];
        const Cluster other = partner(round, member.cluster);
        if (other == member.cluster) {
            continue;
        }
        if (is_smaller(member.cluster, other)) {
            Phase group = 0;
            for (std::int32_t index = member.index; index < size(other); index += size(member.cluster)) {
                exchanges.push_back({start + group++, {other, index}});
            }
        } else {
            const std::int32_t group = member.index / size(other);
            exchanges.push_back({start + group, {other, member.index % size(other)}});
        }
    }
    return exchanges;
}

}  // namespace aapc::local_group
