#include "aapc/mpi/demand_agreement.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "mpi/have_memory.hpp"
#include "mpi/progress.hpp"
#include "mpi/rest.hpp"

namespace aapc::mpi {

namespace {

/// Behind the loads.
enum Sum : std::size_t { refusals, without_memory, differences, own_links, ranks, sums };
enum Maximum : std::size_t { slowest_own_link, shortest_agreement, longest_call, longest_set_up, maxima };

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

/// Both at a time. Patiently: an MPI that spins in a collective keeps the ranks that it waits for off the processor.
int reduce(MPI_Comm comm, const std::vector<std::int64_t>& mine, std::vector<std::int64_t>& all,
           const std::array<std::int64_t, maxima>& largest_here, std::array<std::int64_t, maxima>& largest) {
    std::array<MPI_Request, 2> requests = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    // Unsigned numbers may wrap around, as differences do.
    int error = PMPI_Iallreduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_UINT64_T, MPI_SUM, comm,
                                requests.data());
    if (error == MPI_SUCCESS) {
        error = PMPI_Iallreduce(largest_here.data(), largest.data(), maxima, MPI_INT64_T, MPI_MAX, comm, &requests[1]);
    }
    if (error != MPI_SUCCESS) {
        return error;
    }
    int complete = 0;
    return advance_until([&] { return complete != 0; },
                         [&](int&) { return PMPI_Testall(2, requests.data(), &complete, MPI_STATUSES_IGNORE); });
}

}  // namespace

DemandAgreement::DemandAgreement(LinkLoads loads, Rank rank)
    : loads_(std::move(loads)), rank_(rank), share_(loads_.size()), mine_(loads_.sums() + sums), all_(mine_.size()) {
    static_assert(LinkLoads::maxima() == 1);
}

int DemandAgreement::agree(MPI_Comm comm, const DemandClaim& claim, AgreedDemand& agreed) {
    const double begin = now_seconds();
    const std::size_t links = loads_.sums();
    std::fill(mine_.begin(), mine_.end(), 0);
    std::fill(share_.begin(), share_.end(), 0);
    const bool refuses = claim.refuses;
    bool lacks_memory = claim.lacks_memory;
    if (!refuses && !lacks_memory) {
        lacks_memory = !have_memory_for([&] { loads_.write_share(rank_, claim.wire_to, claim.wire_from, share_); });
        if (lacks_memory) {
            std::fill(share_.begin(), share_.end(), 0);
        }
    }
    std::copy_n(share_.begin(), links, mine_.begin());
    mine_[links + refusals] = refuses ? 1 : 0;
    mine_[links + without_memory] = lacks_memory ? 1 : 0;
    mine_[links + differences] =
        refuses || lacks_memory ? 0 : static_cast<std::int64_t>(difference(rank_, claim.bytes));
    mine_[links + own_links] = share_[links];
    mine_[links + ranks] = 1;
    std::array<std::int64_t, maxima> largest{};
    if (const int error =
            reduce(comm, mine_, all_,
                   {share_[links], -claim.last_nanoseconds, claim.call_nanoseconds, claim.set_up_nanoseconds}, largest);
        error != MPI_SUCCESS) {
        return error;
    }
    std::copy_n(all_.begin(), links, share_.begin());
    share_[links] = largest[slowest_own_link];
    agreed.bound = loads_.bound(share_, all_[links + own_links] / all_[links + ranks]);
    agreed.lacks_memory = all_[links + without_memory] != 0;
    agreed.refused = all_[links + refusals] != 0 || (!agreed.lacks_memory && all_[links + differences] != 0);
    agreed.cost_seconds = -1e-9 * static_cast<double>(largest[shortest_agreement]);
    agreed.call_seconds = 1e-9 * static_cast<double>(largest[longest_call]);
    agreed.set_up_seconds = 1e-9 * static_cast<double>(largest[longest_set_up]);
    nanoseconds_ = static_cast<std::int64_t>(1e9 * (now_seconds() - begin));
    return MPI_SUCCESS;
}

}  // namespace aapc::mpi
