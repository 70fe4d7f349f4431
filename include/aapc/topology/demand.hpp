/// @file
/// A demand: the bytes that every rank has for every other (MPI_Alltoallv), as a whole matrix. For tools. A running
/// call knows, and needs, only its rank's row and column (aapc/topology/link_loads.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "aapc/topology/network.hpp"

namespace aapc {

/// A square matrix of bytes, by sender and receiver, none below 0. The diagonal, a rank's bytes for itself, may be set
/// and crosses no link. 8 bytes per pair.
class Demand {
  public:
    /// No rank has any bytes for another.
    explicit Demand(Rank participants)
        : participants_(participants), bytes_(index(participants) * index(participants), 0) {}

    [[nodiscard]] Rank participants() const { return participants_; }
    [[nodiscard]] std::int64_t bytes(Rank from, Rank to) const { return bytes_[place(from, to)]; }
    void set(Rank from, Rank to, std::int64_t bytes) { bytes_[place(from, to)] = bytes; }

    /// The bytes that `from` has for each rank.
    [[nodiscard]] std::span<const std::int64_t> row(Rank from) const {
        return {bytes_.data() + place(from, 0), index(participants_)};
    }
    /// The bytes that each rank has for `to`. O(participants).
    [[nodiscard]] std::vector<std::int64_t> column(Rank to) const {
        std::vector<std::int64_t> column;
        column.reserve(index(participants_));
        for (Rank from = 0; from < participants_; ++from) {
            column.push_back(bytes(from, to));
        }
        return column;
    }

    friend bool operator==(const Demand&, const Demand&) = default;

  private:
    [[nodiscard]] static std::size_t index(Rank rank) { return static_cast<std::size_t>(rank); }
    [[nodiscard]] std::size_t place(Rank from, Rank to) const { return index(from) * index(participants_) + index(to); }

    Rank participants_;
    std::vector<std::int64_t> bytes_;
};

}  // namespace aapc
