/// @file
/// Which rank of a machine carries what goes to, and comes from, which other machine.
#pragma once

#include <cstdint>
#include <vector>

namespace aapc::aggregate {

/// Machines are numbered from 0, and so are the ranks of each. The first ranks of a machine are its carriers. The other
/// machines are dealt out to them in order of their size, the largest first, there and back again (0, 1, 2, 2, 1, 0,
/// ...), so that the numbers of machines of two carriers differ by one at most, and the numbers of ranks behind them by
/// no more than the largest machine has. Every answer is a formula.
class Shares {
  public:
    /// `sizes`: how many ranks each machine has, all positive. `most_carriers`: of one machine, at least 1.
    /// O(machines · log machines).
    Shares(const std::vector<std::int32_t>& sizes, std::int32_t most_carriers);

    [[nodiscard]] std::int32_t machines() const { return static_cast<std::int32_t>(carriers_.size()); }
    [[nodiscard]] std::int32_t carriers(std::int32_t machine) const {
        return carriers_[static_cast<std::size_t>(machine)];
    }
    /// The rank of `machine` that sends to, and receives from, `other`, a different machine. O(1).
    [[nodiscard]] std::int32_t carrier(std::int32_t machine, std::int32_t other) const;
    /// The machines that `rank` of `machine` carries for, ascending; none where it is no carrier. O(their number ·
    /// log of it).
    [[nodiscard]] std::vector<std::int32_t> share(std::int32_t machine, std::int32_t rank) const;

  private:
    std::vector<std::int32_t> carriers_;  ///< by machine
    std::vector<std::int32_t> by_size_;   ///< the machines, largest first
    std::vector<std::int32_t> place_of_;  ///< by machine, in by_size_
};

}  // namespace aapc::aggregate
