/// @file
/// The Local Group algorithm as a function of the clusters' sizes alone (Steffenel, Martinasso & Trystram, section VI
/// B, Algorithm 1, corrected, and extended from two clusters to any number).
///
/// First each rank hands every block to an agent inside its own cluster; then agents exchange what they have gathered,
/// across the wide area, with the ranks that the blocks are for. Of two clusters, the smaller one is the one with fewer
/// ranks, or the first if they have equally many. Every rank of the smaller one meets every size-of-the-smaller-th rank
/// of the larger one, whose ranks thus fall into groups as large as the smaller cluster, the last perhaps incomplete.
#pragma once

#include <cstdint>
#include <vector>

#include "aapc/timetable/timetable.hpp"
#include "aapc/topology/clusters.hpp"

namespace aapc::local_group {

/// A rank as the formulas see it: its cluster, among those that take part, and its number in the cluster.
struct Member {
    Cluster cluster = -1;
    std::int32_t index = -1;

    friend bool operator==(const Member&, const Member&) = default;
};

/// Two ranks of different clusters send each other one message in the phase.
struct Exchange {
    Phase phase = -1;  ///< from 0, the first in which the wide area is used
    Member partner;
};

class LocalGroupFormula {
  public:
    /// `sizes`: how many ranks each cluster has, all positive; at least one cluster. O(clusters²), O(clusters) where
    /// all have equally many.
    explicit LocalGroupFormula(std::vector<std::int32_t> sizes);

    [[nodiscard]] const std::vector<std::int32_t>& sizes() const { return sizes_; }

    /// The rank of the origin's cluster, as its number there, that sends this block across the wide area; the
    /// destination itself inside a cluster. Where the origin is in the larger cluster, the agent is the rank of the
    /// origin's group that meets the destination; where the incomplete last group has no such rank, those of the other
    /// groups take turns. O(1).
    [[nodiscard]] std::int32_t agent(Member origin, Member destination) const;

    /// Appends the destinations of the blocks that `from` hands to the rank `agent` of its own cluster, that rank
    /// first. O(clusters + destinations).
    void append_destinations(Member from, std::int32_t agent, std::vector<Member>& out) const;

    /// Appends the origins, as numbers in the cluster of `from`, of the blocks that `from` sends across the wide area
    /// to `to`, whom it meets; ascending. O(origins).
    void append_origins(Member from, Member to, std::vector<std::int32_t>& out) const;

    /// Blocks of others that `member` holds once its cluster has gathered what has to leave. O(clusters).
    [[nodiscard]] std::int64_t transit_blocks(Member member) const;

    /// More blocks than these are in no two messages that `member` sends and receives in one phase; 0 where all its
    /// messages have one block, and so have one place. O(clusters).
    [[nodiscard]] std::int64_t phase_blocks(Member member) const;

    /// In which order clusters meet: rounds, in each of which a cluster meets at most one other, until all have met (a
    /// 1-factorisation of the complete graph). A round has as many phases as its most unequal pair needs groups.
    [[nodiscard]] Phase wide_area_phases() const { return round_starts_.back(); }

    /// A rank's exchanges across the wide area, in order of phase: at most one exchange per phase. O(clusters +
    /// exchanges).
    [[nodiscard]] std::vector<Exchange> exchanges_of(Member member) const;

  private:
    [[nodiscard]] std::int32_t size(Cluster cluster) const { return sizes_[static_cast<std::size_t>(cluster)]; }
    [[nodiscard]] Cluster clusters() const { return static_cast<Cluster>(sizes_.size()); }
    /// Numbers in a cluster: from `first` on and below `end`, and every step-th from `of_last_group` on.
    struct Origins {
        std::int32_t first;
        std::int32_t end;
        std::int32_t of_last_group;
        std::int32_t step;
    };
    /// Of the blocks that `from` sends across the wide area to `to`, whom it meets. O(1).
    [[nodiscard]] Origins origins_across(Member from, Member to) const;
    /// Of two different clusters.
    [[nodiscard]] bool is_smaller(Cluster one, Cluster other) const;
    /// The partner of a cluster in a round; itself if there is none.
    [[nodiscard]] Cluster partner(std::int32_t round, Cluster cluster) const;
    [[nodiscard]] std::int32_t rounds() const { return static_cast<std::int32_t>(round_starts_.size()) - 1; }

    std::vector<std::int32_t> sizes_;
    std::vector<Phase> round_starts_;  ///< the first phase of each round; one entry more than rounds
};

}  // namespace aapc::local_group
