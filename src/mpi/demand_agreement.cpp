#include "aapc/mpi/demand_agreement.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "mpi/have_memory.hpp"
#include "mpi/rest.hpp"

namespace aapc::mpi {

namespace {

enum Sum : std::size_t { differences, own_links, sum_count };
enum Maximum : std::size_t { slowest_own_link, shortest_agreement, maximum_count };
enum PastSum : std::size_t { without_knowledge, of_unlike_calls, past_own_links };

/// What stands for a message. Sums of a few differ wherever the messages do, but for once in 2^64.
std::uint64_t mixed(std::uint64_t from, std::uint64_t to, std::uint64_t bytes) {
    std::uint64_t x = (from << 32U | to) + bytes * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30U)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27U)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31U);
}

/// What a rank sends counts for it and what it expects against it: over all ranks the sum is 0 where they agree.
std::uint64_t difference(Rank rank, const MessageBytes& bytes) {
    const auto own = static_cast<std::uint64_t>(rank);
    std::uint64_t sum = 0;
    for (std::size_t other = 0; other < bytes.sent.size(); ++other) {
        sum += mixed(own, other, static_cast<std::uint64_t>(bytes.sent[other]));
        sum -= mixed(other, own, static_cast<std::uint64_t>(bytes.received[other]));
    }
    return sum;
}

}  // namespace

DemandAgreement::DemandAgreement(LinkLoads loads, Rank rank)
    : loads_(std::move(loads)), rank_(rank), share_(loads_.size()), mine_(loads_.sums()), agreement_(mine_.size()) {
    static_assert(LinkLoads::maxima() == 1);
}

bool DemandAgreement::write_share(std::span<const std::int64_t> to, std::span<const std::int64_t> from) {
    std::fill(share_.begin(), share_.end(), 0);
    const bool there = have_memory_for([&] { loads_.write_share(rank_, to, from, share_); });
    if (!there) {
        std::fill(share_.begin(), share_.end(), 0);
    }
    std::copy_n(share_.begin(), mine_.size(), mine_.begin());
    return there;
}

PastNumbers DemandAgreement::write_past(const PastClaim& claim) {
    std::fill(mine_.begin(), mine_.end(), 0);
    const bool known = !claim.unknown && write_share(claim.bytes.sent, claim.bytes.received);
    PastNumbers numbers;
    numbers.sums[without_knowledge] = known ? 0 : 1;
    numbers.sums[of_unlike_calls] = claim.unlike ? 1 : 0;
    numbers.sums[past_own_links] = known ? share_[mine_.size()] : 0;
    numbers.maxima[0] = numbers.sums[past_own_links];
    numbers.loads = mine_;
    return numbers;
}

DemandBound DemandAgreement::bound_of(const Agreement& of, std::int64_t maximum, std::int64_t own_mean) {
    const std::size_t links = mine_.size();
    for (std::size_t link = 0; link < links; ++link) {
        share_[link] = of.load(link);
    }
    share_[links] = maximum;
    return loads_.bound(share_, own_mean);
}

AgreedPast DemandAgreement::read_past(const Agreement& of, const Agreed& all, std::size_t first_sum,
                                      std::size_t first_maximum, std::size_t calls) {
    AgreedPast agreed;
    agreed.described = all.sums[first_sum + without_knowledge] == 0;
    agreed.alike = agreed.described && all.sums[first_sum + of_unlike_calls] == 0;
    agreed.bound = bound_of(of, all.maxima[first_maximum], all.sums[first_sum + past_own_links] / all.ranks);
    agreed.bound.nanoseconds /= static_cast<std::int64_t>(calls);
    agreed.bound.rest_nanoseconds /= static_cast<std::int64_t>(calls);
    return agreed;
}

int DemandAgreement::agree(MPI_Comm comm, const DemandClaim& claim, AgreedDemand& agreed) {
    const double begin = now_seconds();
    std::array<std::int64_t, sum_count> sums{};
    std::array<std::int64_t, maximum_count> maxima{};
    std::fill(mine_.begin(), mine_.end(), 0);
    const bool writes = !claim.refuses && !claim.lacks_memory;
    const bool written = writes && write_share(claim.wire_to, claim.wire_from);
    sums[differences] = written ? static_cast<std::int64_t>(difference(rank_, claim.bytes)) : 0;
    sums[own_links] = written ? share_[mine_.size()] : 0;
    maxima[slowest_own_link] = sums[own_links];
    maxima[shortest_agreement] = -claim.last_nanoseconds;
    // Not blocking, since an MPI that spins in a collective keeps the ranks that it waits for off the processor.
    agreement_.post(comm, {.agrees = !claim.refuses,
                           .has_memory = !claim.lacks_memory && (written || !writes),
                           .sums = sums,
                           .maxima = maxima,
                           .loads = mine_});
    const Agreed all = agreement_.collect();
    if (all.error != MPI_SUCCESS) {
        return all.error;
    }
    agreed.bound = bound_of(agreement_, all.maxima[slowest_own_link], all.sums[own_links] / all.ranks);
    agreed.lacks_memory = !all.memory;
    agreed.refused = all.refused || (all.memory && all.sums[differences] != 0);
    agreed.cost_seconds = -seconds(all.maxima[shortest_agreement]);
    nanoseconds_ = mpi::nanoseconds(now_seconds() - begin);
    return MPI_SUCCESS;
}

}  // namespace aapc::mpi
