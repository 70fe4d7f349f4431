/// @file
/// What the shortest round trips between machines say about the switches between them.
#pragma once

#include <vector>

#include "aapc/topology/network.hpp"

namespace aapc::discovery {

/// The shortest round trip between each two machines, in seconds: a square matrix, row by row, symmetric, 0 on the
/// diagonal. Measured twice, at different times: what differs is noise.
struct RoundTrips {
    std::vector<double> first;
    std::vector<double> second;

    [[nodiscard]] bool known() const { return !first.empty(); }
};

/// A group of machines that messages take longer to leave.
struct LatencySplit {
    std::vector<Machine> machines;  ///< without machine 0, ascending; 2 to n-2
    double seconds = 0;             ///< that the way out of it and back adds: the median over quartets
    /// How many of the quartets, two machines inside and two outside, say so by themselves, of those with the machine
    /// that speaks least for it: a third by chance, all where nothing disturbs them.
    double quartets_agree = 0;
    /// Whether the quartets of every machine say so, by more than the noise or nearly all of them. The others are worth
    /// a test by bandwidth.
    bool clear = false;
};

/// Round trips are a sum of what both machines and each link on the way take, a tree metric; so neighbour joining
/// (Saitou & Nei, 1987) finds the splits, and quartets of machines (the four-point condition: Buneman, 1974) say how
/// clear each is. Empty for fewer than four machines. O(machines³).
[[nodiscard]] std::vector<LatencySplit> splits_by_latency(const RoundTrips& trips, Machine machines);

}  // namespace aapc::discovery
