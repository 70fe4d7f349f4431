/// @file
/// What a rank has sent and received in calls whose sizes no rank has been asked about.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "aapc/mpi/demand_agreement.hpp"
#include "aapc/mpi/unequal_exchange.hpp"

namespace aapc::interposer {

/// Of one rank of one communicator. Used by one thread at a time.
class PastBytes {
  public:
    /// Throws std::bad_alloc; nothing else here asks for memory.
    explicit PastBytes(std::size_t ranks) : sent_(ranks), received_(ranks) {}

    /// One more call. Calls whose bytes differ by more than a quarter are unlike.
    void add(const mpi::MessageBytes& bytes) {
        std::int64_t total = 0;
        claim_.unknown = !add_to(sent_, bytes.sent, total) || !add_to(received_, bytes.received, total);
        if (claim_.calls == 0) {
            first_bytes_ = total;
        }
        const auto [less, more] = std::minmax(first_bytes_, total);
        claim_.unlike = claim_.unlike || 4 * (more - less) > less;
        ++claim_.calls;
    }
    /// One more call, which this rank cannot describe.
    void add_unknown() {
        claim_.unknown = true;
        ++claim_.calls;
    }

    /// Of the calls since clear(). It reads this object.
    [[nodiscard]] mpi::PastClaim claim() const {
        mpi::PastClaim claim = claim_;
        claim.bytes = {sent_, received_};
        return claim;
    }
    void clear() {
        std::fill(sent_.begin(), sent_.end(), 0);
        std::fill(received_.begin(), received_.end(), 0);
        claim_ = {};
    }

  private:
    /// False if a sum is beyond 64 bits, or was before.
    bool add_to(std::vector<std::int64_t>& sums, std::span<const std::int64_t> more, std::int64_t& total) const {
        bool counts = !claim_.unknown;
        for (std::size_t peer = 0; peer < sums.size(); ++peer) {
            counts = !__builtin_add_overflow(sums[peer], more[peer], &sums[peer]) &&
                     !__builtin_add_overflow(total, more[peer], &total) && counts;
        }
        return counts;
    }

    std::vector<std::int64_t> sent_;  ///< sums, by the other rank
    std::vector<std::int64_t> received_;
    mpi::PastClaim claim_;
    std::int64_t first_bytes_ = 0;  ///< of the first call, sent and received
};

}  // namespace aapc::interposer
