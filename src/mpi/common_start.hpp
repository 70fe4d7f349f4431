/// @file
/// What ranks that go by the clock do together: they start, and choose their slots.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "aapc/mpi/exchange.hpp"
#include "aapc/plan/pacing.hpp"
#include "mpi/pending.hpp"
#include "mpi/transport.hpp"

namespace aapc::mpi {

inline constexpr std::size_t most_common_values = 7;

/// The largest of each of a few values of all ranks, in ⌈log2 P⌉ rounds; nobody leaves before everybody has entered.
/// Not MPI_Allreduce: an MPI that spins in a collective keeps the ranks that it waits for off the processor, and ranks
/// that leave far apart start their slots far apart. At most most_common_values. `pending` is empty and has room for
/// two. Returns the MPI error code.
[[nodiscard]] int start_in_common(const Transport& transport, Rank rank, Rank participants, std::span<double> values,
                                  Pending& pending);

/// Moves connections to other ports on all ranks. Ranks take different times for it, so they start in common again.
/// Returns the MPI error code. `pending` as above.
[[nodiscard]] int move_connections_in_common(const Transport& transport, Rank rank, Rank participants,
                                             Pending& pending);

/// Whether the lateness of an exchange tells what pace the network bears: not while paths change, nor in the exchange
/// after that.
class PathsInCommon {
  public:
    /// `change`: some rank learns paths, as a common start has shown. Returns whether the exchange before it tells.
    [[nodiscard]] bool last_exchange_tells(bool change) { return !std::exchange(change_, change) && !change; }
    /// As far as the last common start showed.
    [[nodiscard]] bool change() const { return change_; }

  private:
    bool change_ = false;
};

/// How late this rank wakes from a short nap where nothing keeps it: the best of a few. Takes about half a millisecond.
[[nodiscard]] double wake_up_lateness_seconds();

/// A slot should be several times as long as a rank is late. All ranks cut messages alike, so the one that wakes up
/// latest counts.
[[nodiscard]] Cadence with_slots_for(Cadence cadence, double lateness_seconds);

}  // namespace aapc::mpi
