#include "interposer/unasked_calls.hpp"

#include <algorithm>
#include <span>

namespace aapc::interposer {

namespace {

/// False: the sum is beyond 64 bits.
bool add_to(std::vector<std::int64_t>& sums, std::span<const std::int64_t> more, std::int64_t& total) {
    for (std::size_t peer = 0; peer < sums.size(); ++peer) {
        if (__builtin_add_overflow(sums[peer], more[peer], &sums[peer]) ||
            __builtin_add_overflow(total, more[peer], &total)) {
            return false;
        }
    }
    return true;
}

}  // namespace

void UnaskedCalls::begin(const mpi::MessageBytes& bytes) {
    std::int64_t total = 0;
    if (!add_to(sent_, bytes.sent, total) || !add_to(received_, bytes.received, total)) {
        claim_.unknown = true;
    }
    if (claim_.calls == 0) {
        first_bytes_ = total;
    }
    const auto [less, more] = std::minmax(first_bytes_, total);
    claim_.unlike = claim_.unlike || static_cast<double>(more) > most_alike * static_cast<double>(less);
    claim_.calls = std::min(claim_.calls + 1, mpi::PastClaim::most_calls);
}

void UnaskedCalls::begin_unknown() {
    claim_.unknown = true;
    claim_.calls = std::min(claim_.calls + 1, mpi::PastClaim::most_calls);
}

void UnaskedCalls::note_time(std::int64_t began, std::int64_t ended) {
    if (claim_.calls > 0) {
        claim_.begins[claim_.calls - 1] = began;
        claim_.ends[claim_.calls - 1] = ended;
    }
}

mpi::PastClaim UnaskedCalls::claim() const {
    mpi::PastClaim claim = claim_;
    claim.bytes = {sent_, received_};
    return claim;
}

void UnaskedCalls::clear() {
    std::fill(sent_.begin(), sent_.end(), 0);
    std::fill(received_.begin(), received_.end(), 0);
    claim_ = {};
}

}  // namespace aapc::interposer
