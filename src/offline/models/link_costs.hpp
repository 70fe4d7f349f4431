/// @file
/// What a message costs on each link of a network, by what was measured.
#pragma once

#include <cstddef>
#include <vector>

#include "aapc/offline/grid_model.hpp"
#include "aapc/offline/network_model.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc {

/// One network of its own: a cluster with its links, or all of a network that has none.
struct Part {
    ContentionFit fit;
    Rank ranks = 0;
    double slowest_bits_per_second = 0;  ///< of the links that its own messages cross
    double contention_factor = 1;        ///< how much longer than the bound a byte takes where messages contend
};

/// What a message costs on each link, by measurement.
class LinkCosts {
  public:
    LinkCosts(const Network& network, const Placement& placement, const NetworkModel& model);

    [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
    [[nodiscard]] std::size_t part_of_rank(Rank rank) const { return part_of_rank_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] double start_up_seconds(Rank from, Rank to) const {
        const std::size_t part = part_of_rank(from);
        return part == part_of_rank(to) ? parts_[part].fit.link.alpha_seconds : wide_area_.alpha_seconds;
    }
    /// Of a start-up between any two ranks.
    [[nodiscard]] double longest_start_up_seconds() const;
    /// How many times longer a byte takes by measurement than by the slowest link that is declared; at least 1.
    [[nodiscard]] double slowness() const;
    /// Of a message by itself; between clusters it cannot be faster than it was measured alone.
    [[nodiscard]] double seconds_per_byte_alone(Rank from, Rank to) const {
        return part_of_rank(from) == part_of_rank(to) ? 0 : wide_area_.beta_seconds_per_byte;
    }
    /// The part that the link belongs to; null if it leads to the wide area.
    [[nodiscard]] const Part* part_of_link(std::size_t link) const {
        return part_of_link_[link] < parts_.size() ? &parts_[part_of_link_[link]] : nullptr;
    }
    /// At the measured goodput, which is that of the slowest link in use: faster ones are as much faster as declared.
    [[nodiscard]] double seconds_per_byte(std::size_t link) const;

  private:
    void add_clusters(const Placement& placement, const NetworkModel& model);

    void slow_down_wide_area(double bits_per_second);

    /// All links of the tree below a cluster's topmost switch; vertex 0 is above.
    void mark_links_below(Vertex top, std::size_t part);

    static constexpr std::size_t beyond_all_parts = static_cast<std::size_t>(-1);

    const Network& network_;
    std::vector<Part> parts_;
    std::vector<std::size_t> part_of_rank_;
    std::vector<std::size_t> part_of_link_;
    PointToPoint wide_area_;
    double slowest_of_wide_area_ = 0;
};

}  // namespace aapc
