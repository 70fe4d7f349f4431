#include "algorithms/local_group/local_group_timetable.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "aapc/topology/clusters.hpp"
#include "algorithms/local_group/cluster_networks.hpp"
#include "algorithms/local_group/local_group_formula.hpp"
#include "algorithms/tree/tree_timetable.hpp"
#include "timetable/buffer_bound.hpp"

namespace aapc::local_group {

namespace {

/// A cluster with the ranks that take part and their schedule among themselves, which counts them from 0.
struct Group {
    std::vector<Rank> ranks;  ///< ascending
    std::unique_ptr<Timetable> local;
};

LocalGroupFormula formula_of(const std::vector<Group>& groups) {
    std::vector<std::int32_t> sizes;
    sizes.reserve(groups.size());
    for (const Group& group : groups) {
        sizes.push_back(static_cast<std::int32_t>(group.ranks.size()));
    }
    return LocalGroupFormula(std::move(sizes));
}

class LocalGroupTimetable final : public Timetable, public BufferBound {
  public:
    LocalGroupTimetable(std::vector<Group> groups, Rank participants)
        : groups_(std::move(groups)),
          formula_(formula_of(groups_)),
          member_of_(static_cast<std::size_t>(participants)) {
        for (std::size_t cluster = 0; cluster < groups_.size(); ++cluster) {
            const Group& group = groups_[cluster];
            for (std::size_t index = 0; index < group.ranks.size(); ++index) {
                member_of_[static_cast<std::size_t>(group.ranks[index])] = {static_cast<Cluster>(cluster),
                                                                            static_cast<std::int32_t>(index)};
            }
            local_phases_ = std::max(local_phases_, group.local->phases());
        }
    }

    [[nodiscard]] Rank participants() const override { return static_cast<Rank>(member_of_.size()); }
    [[nodiscard]] Phase phases() const override { return local_phases_ + formula_.wide_area_phases(); }
    /// Messages of one phase share the links to the wide area.
    [[nodiscard]] Guarantee guarantee() const override { return Guarantee::one_port; }
    [[nodiscard]] bool forwards() const override { return true; }

    [[nodiscard]] std::vector<Transfer> sends_of(Rank rank) const override {
        const Member& member = member_of(rank);
        std::vector<Transfer> sends = inside(member.cluster, group_of(member).local->sends_of(member.index));
        for (const Exchange& exchange : formula_.exchanges_of(member)) {
            sends.push_back({local_phases_ + exchange.phase, rank, rank_at(exchange.partner)});
        }
        return sends;
    }
    [[nodiscard]] std::vector<Transfer> receives_of(Rank rank) const override {
        const Member& member = member_of(rank);
        std::vector<Transfer> receives = inside(member.cluster, group_of(member).local->receives_of(member.index));
        for (const Exchange& exchange : formula_.exchanges_of(member)) {
            receives.push_back({local_phases_ + exchange.phase, rank_at(exchange.partner), rank});
        }
        return receives;
    }

    void append_blocks(const Transfer& transfer, std::vector<Block>& out) const override {
        const Member& from = member_of(transfer.from);
        const Member& to = member_of(transfer.to);
        if (from.cluster == to.cluster) {
            std::vector<Member> destinations;
            formula_.append_destinations(from, to.index, destinations);
            for (const Member& destination : destinations) {
                out.push_back({transfer.from, rank_at(destination)});
            }
        } else {
            std::vector<std::int32_t> origins;
            formula_.append_origins(from, to, origins);
            for (const std::int32_t origin : origins) {
                out.push_back({rank_at({from.cluster, origin}), transfer.to});
            }
        }
    }

    /// What is gathered all arrives before the first of it leaves.
    [[nodiscard]] std::int64_t most_buffer_blocks(Rank rank, Phase window) const override {
        const Member& member = member_of(rank);
        return formula_.transit_blocks(member) + window * formula_.phase_blocks(member);
    }

    [[nodiscard]] std::vector<Rank> ranks_of_switch(Rank rank) const override {
        const Member& member = member_of(rank);
        std::vector<Rank> ranks = group_of(member).local->ranks_of_switch(member.index);
        std::transform(ranks.begin(), ranks.end(), ranks.begin(), [&](Rank index) {
            return rank_at({member.cluster, index});
        });
        return ranks;
    }

  private:
    [[nodiscard]] const Member& member_of(Rank rank) const { return member_of_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] const Group& group_of(const Member& member) const {
        return groups_[static_cast<std::size_t>(member.cluster)];
    }
    [[nodiscard]] Rank rank_at(const Member& member) const {
        return group_of(member).ranks[static_cast<std::size_t>(member.index)];
    }

    /// The transfers of a cluster's own schedule between the ranks that they stand for.
    [[nodiscard]] std::vector<Transfer> inside(Cluster cluster, std::vector<Transfer> transfers) const {
        for (Transfer& transfer : transfers) {
            transfer.from = rank_at({cluster, transfer.from});
            transfer.to = rank_at({cluster, transfer.to});
        }
        return transfers;
    }

    std::vector<Group> groups_;
    LocalGroupFormula formula_;
    std::vector<Member> member_of_;  ///< by rank
    Phase local_phases_ = 0;
};

}  // namespace

Expected<std::unique_ptr<Timetable>> build(const Network& network, const Placement& placement,
                                           std::string_view /*variant*/) {
    const Clusters clusters = find_clusters(network);
    const ClusterNetworks parts = split_at_wide_area(network);
    std::vector<Group> groups;
    for (std::vector<Rank>& ranks : ranks_by_cluster(network, placement)) {
        const Machine machine = placement.machine_of[static_cast<std::size_t>(ranks.front())];
        const Cluster cluster = clusters.cluster_of[static_cast<std::size_t>(machine)];
        Expected<std::unique_ptr<Timetable>> local = tree::build(parts.networks[static_cast<std::size_t>(cluster)],
                                                                 parts.placement_of(ranks, placement), tree::merged);
        if (!local) {
            return local;
        }
        groups.push_back({std::move(ranks), std::move(*local)});
    }
    if (groups.size() == 1) {
        return std::move(groups.front().local);
    }
    return std::make_unique<LocalGroupTimetable>(std::move(groups), placement.participants());
}

}  // namespace aapc::local_group
