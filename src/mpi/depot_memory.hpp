/// @file
/// The shared memory of a depot.
#pragma once

#include <cstddef>
#include <optional>

#include "mpi/machine_share.hpp"
#include "plan/intranode/depot.hpp"
#include "plan/intranode/depot_plan.hpp"
#include "plan/intranode/shared_pages.hpp"

namespace aapc::mpi {

/// A depot of one exchange, as one rank sees it. The machine's lowest rank makes it, the others find it by what that
/// rank shows in the machine memory. Address space is taken at once; memory only for blocks as long as some exchange
/// has brought.
class DepotMemory {
  public:
    /// Longer blocks go in pieces of it: they take less memory, and the messages are long enough.
    static constexpr std::size_t longest_piece = std::size_t{16} << 10;

    /// Of at most so many bytes for each rank of the machine, as far as pieces of a byte allow that: blocks that are
    /// too long for it go piece by piece. `plan` outlives it.
    DepotMemory(const machine::DepotPlan& plan, std::size_t most_bytes_a_rank)
        : plan_(plan), longest_here_(longest_piece_of(plan, most_bytes_a_rank)) {}

    /// On the machine's lowest rank: makes it, for pieces of longest_here(), and shows it in `share`. False if there is
    /// no memory. Nothing on the others.
    [[nodiscard]] bool make(MachineMemory::Share& share);
    /// On the others, when the lowest rank has made it: finds it. False if it is not to be had.
    [[nodiscard]] bool find(MachineMemory::Share& share);
    /// When all have found theirs: pieces are at most so long, on all machines alike (<= longest_here() on each).
    void agree(std::size_t piece) { piece_ = piece; }

    /// The longest piece for which this machine's depot keeps within the limit: a power of two.
    [[nodiscard]] std::size_t longest_here() const { return longest_here_; }
    [[nodiscard]] std::size_t piece() const { return piece_; }
    [[nodiscard]] machine::Depot& depot() { return *depot_; }
    /// Where the places of a half begin, and behind how many bytes it ends, for places of piece() bytes.
    [[nodiscard]] std::byte* half(std::size_t which) const;
    /// What the lowest rank does when places get longer: memory for places of so many bytes in both halves.
    [[nodiscard]] bool reserve(std::size_t place_bytes);
    [[nodiscard]] bool is_maker() const { return plan_.own == 0; }

  private:
    [[nodiscard]] static std::size_t longest_piece_of(const machine::DepotPlan& plan, std::size_t most_bytes_a_rank);
    [[nodiscard]] std::size_t control_bytes() const;
    [[nodiscard]] std::size_t half_bytes() const;
    [[nodiscard]] std::size_t bytes() const { return control_bytes() + 2 * half_bytes(); }
    void lay_out();

    const machine::DepotPlan& plan_;
    machine::SharedPages pages_;
    std::optional<machine::Depot> depot_;
    std::size_t longest_here_;
    std::size_t piece_ = 0;
    std::size_t reserved_ = 0;  ///< bytes of a place
};

}  // namespace aapc::mpi
