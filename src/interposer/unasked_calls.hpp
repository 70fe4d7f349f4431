/// @file
/// What a rank notes by itself of unequal calls that the MPI's own routine serves without anybody having been asked,
/// until the ranks agree the next time and tell of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "aapc/mpi/demand_agreement.hpp"
#include "aapc/mpi/unequal_exchange.hpp"

namespace aapc::interposer {

/// Calls of which the largest is so many times the smallest, or less, learn together.
inline constexpr double most_alike = 1.25;

/// Of one rank of one communicator. Used by one thread at a time.
class UnaskedCalls {
  public:
    /// Throws std::bad_alloc; nothing else here asks for memory.
    explicit UnaskedCalls(std::size_t ranks) : sent_(ranks), received_(ranks) {}

    /// One more call begins, on all ranks alike, at most mpi::PastClaim::most_calls until clear(): with these bytes, or
    /// with what this rank cannot describe. Calls whose bytes differ by more than a quarter are told of as unlike.
    void begin(const mpi::MessageBytes& bytes);
    void begin_unknown();
    /// When it began and ended, in nanoseconds since the latest common moment.
    void note_time(std::int64_t began, std::int64_t ended);

    [[nodiscard]] mpi::PastClaim claim() const;
    void clear();

  private:
    std::vector<std::int64_t> sent_;  ///< sums, by the other rank
    std::vector<std::int64_t> received_;
    mpi::PastClaim claim_;
    std::int64_t first_bytes_ = 0;  ///< of the first call, sent and received
};

}  // namespace aapc::interposer
