#include "algorithms/local_group/local_group_formula.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "algorithms/factor/factorisation.hpp"

namespace aapc::local_group {

namespace {

/// Groups of `group` ranks that `ranks` are, the last perhaps incomplete.
std::int32_t groups_of(std::int32_t group, std::int32_t ranks) { return (ranks + group - 1) / group; }

/// Phases that two clusters of these sizes need: groups of the larger one.
Phase phases_of(std::int32_t one, std::int32_t other) {
    const auto [smaller, larger] = std::minmax(one, other);
    return groups_of(smaller, larger);
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
    const bool alike = std::all_of(sizes_.begin(), sizes_.end(), [&](std::int32_t one) { return one == sizes_[0]; });
    if (alike && clusters() > 1) {
        round_starts_.resize(static_cast<std::size_t>(rounds) + 1);
        std::iota(round_starts_.begin(), round_starts_.end(), Phase{0});
        return;
    }
    for (std::int32_t round = 0; round < rounds; ++round) {
        Phase phases = 0;
        for (Cluster cluster = 0; cluster < clusters(); ++cluster) {
            const Cluster other = partner(round, cluster);
            if (other != cluster) {
                phases = std::max(phases, phases_of(size(cluster), size(other)));
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

LocalGroupFormula::Origins LocalGroupFormula::origins_across(Member from, Member to) const {
    const std::int32_t all = size(from.cluster);
    if (is_smaller(from.cluster, to.cluster)) {
        return {0, all, all, 1};
    }
    const std::int32_t group_size = size(to.cluster);
    const std::int32_t group = from.index / group_size;
    Origins origins{group * group_size, std::min((group + 1) * group_size, all), all, 1};
    const std::int32_t complete_groups = all / group_size;
    const std::int32_t left_over = complete_groups * group_size;
    if (to.index >= all - left_over) {
        // Of the incomplete group every complete_groups-th origin, from the first that meets `to`; otherwise that group
        // has a rank that meets `to`.
        const std::int32_t ahead = (turn_of(left_over, to.index, group_size) - group) % complete_groups;
        origins.of_last_group = left_over + (complete_groups - ahead) % complete_groups;
        origins.step = complete_groups;
    }
    return origins;
}

void LocalGroupFormula::append_origins(Member from, Member to, std::vector<std::int32_t>& out) const {
    const Origins origins = origins_across(from, to);
    for (std::int32_t origin = origins.first; origin < origins.end; ++origin) {
        out.push_back(origin);
    }
    for (std::int32_t origin = origins.of_last_group; origin < size(from.cluster); origin += origins.step) {
        out.push_back(origin);
    }
}

std::int64_t LocalGroupFormula::transit_blocks(Member member) const {
    const std::int32_t own = size(member.cluster);
    std::int64_t blocks = 0;
    for (Cluster other = 0; other < clusters(); ++other) {
        if (other == member.cluster) {
            continue;
        }
        if (is_smaller(member.cluster, other)) {
            blocks += std::int64_t{groups_of(own, size(other) - member.index)} * (own - 1);
        } else {
            const Origins origins = origins_across(member, {other, member.index % size(other)});
            blocks += origins.end - origins.first - 1 +
                      (std::max(own - origins.of_last_group, 0) + origins.step - 1) / origins.step;
        }
    }
    return blocks;
}

std::int64_t LocalGroupFormula::phase_blocks(Member member) const {
    const std::int32_t own = size(member.cluster);
    std::int64_t handed_on = 1;  // by the rank of the cluster that hands on most, the member itself left out
    std::int64_t handed_over = 1;
    std::int64_t across = 0;
    for (Cluster other = 0; other < clusters(); ++other) {
        if (other == member.cluster) {
            continue;
        }
        const bool smaller = is_smaller(member.cluster, other);
        handed_on += smaller ? groups_of(own, size(other) - (member.index == 0 ? 1 : 0)) : 1;
        handed_over += smaller ? groups_of(own, size(other) - member.index) : 1;
        const std::int32_t few = std::min(own, size(other));
        const std::int32_t many = std::max(own, size(other));
        across = std::max(across, std::int64_t{2} * few + groups_of(many / few, many % few));
    }
    if (own == 1) {
        return across == 2 ? 0 : across;
    }
    return std::max(handed_on + handed_over, across);
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
