#include "aapc/mpi/demand_agreement.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "mpi/compared_clocks.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/progress.hpp"
#include "mpi/rest.hpp"

namespace aapc::mpi {

namespace {

/// Behind the loads, and behind those of the past.
enum Sum : std::size_t { refusals, without_memory, differences, own_links, ranks, sums };
enum PastSum : std::size_t { without_knowledge, past_own_links, past_sums };
/// Behind the last one the begins and the ends of past calls.
enum Maximum : std::size_t {
    slowest_own_link,
    shortest_agreement,
    longest_call,
    longest_set_up,
    maxima,
    slowest_past_link = maxima,
    past_maxima
};
constexpr std::size_t most_maxima = past_maxima + 2 * PastClaim::most_calls;

constexpr double shortest_past_seconds = 1e-9;

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

struct DemandAgreement::Maxima {
    std::array<std::int64_t, most_maxima> mine{};
    std::array<std::int64_t, most_maxima> all{};
};

namespace {

/// Both at a time. Patiently: an MPI that spins in a collective keeps the ranks that it waits for off the processor.
int reduce(MPI_Comm comm, std::span<const std::int64_t> mine, std::vector<std::int64_t>& all,
           std::span<const std::int64_t> largest_here, std::span<std::int64_t> largest) {
    std::array<MPI_Request, 2> requests = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    // Unsigned numbers may wrap around, as differences do.
    int error = PMPI_Iallreduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_UINT64_T, MPI_SUM, comm,
                                requests.data());
    if (error == MPI_SUCCESS) {
        error = PMPI_Iallreduce(largest_here.data(), largest.data(), static_cast<int>(largest_here.size()), MPI_INT64_T,
                                MPI_MAX, comm, &requests[1]);
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
    : loads_(std::move(loads)),
      rank_(rank),
      share_(loads_.size()),
      mine_(2 * loads_.sums() + sums + past_sums),
      all_(mine_.size()) {
    static_assert(LinkLoads::maxima() == 1);
    note_common_moment();
}

void DemandAgreement::note_common_moment() { common_moment_ = now_seconds(); }

std::int64_t DemandAgreement::nanoseconds_since_common_moment() const {
    return static_cast<std::int64_t>(1e9 * (now_seconds() - common_moment_));
}

bool DemandAgreement::write_share(std::span<const std::int64_t> to, std::span<const std::int64_t> from,
                                  std::span<std::int64_t> sums_of_links) {
    std::fill(share_.begin(), share_.end(), 0);
    const bool there = have_memory_for([&] { loads_.write_share(rank_, to, from, share_); });
    if (!there) {
        std::fill(share_.begin(), share_.end(), 0);
    }
    std::copy_n(share_.begin(), sums_of_links.size(), sums_of_links.begin());
    return there;
}

void DemandAgreement::write(const DemandClaim& claim, Maxima& maxima_of_all) {
    const std::size_t links = loads_.sums();
    auto& largest = maxima_of_all.mine;
    std::fill(mine_.begin(), mine_.end(), 0);
    const std::span<std::int64_t> all_mine(mine_);
    if (claim.past.calls > 0) {
        const std::span<std::int64_t> past = all_mine.subspan(links + sums);
        const bool known =
            !claim.past.unknown && write_share(claim.past.bytes.sent, claim.past.bytes.received, past.first(links));
        past[links + without_knowledge] = known ? 0 : 1;
        past[links + past_own_links] = known ? share_[links] : 0;
        largest[slowest_past_link] = known ? share_[links] : 0;
        for (std::size_t call = 0; call < claim.past.calls; ++call) {
            largest[past_maxima + 2 * call] = claim.past.begins[call];
            largest[past_maxima + 2 * call + 1] = claim.past.ends[call];
        }
    }
    const bool refuses = claim.refuses;
    const bool writes = !refuses && !claim.lacks_memory;
    const bool written = writes && write_share(claim.wire_to, claim.wire_from, all_mine.first(links));
    mine_[links + refusals] = refuses ? 1 : 0;
    mine_[links + without_memory] = claim.lacks_memory || (writes && !written) ? 1 : 0;
    mine_[links + differences] = written ? static_cast<std::int64_t>(difference(rank_, claim.bytes)) : 0;
    mine_[links + own_links] = written ? share_[links] : 0;
    mine_[links + ranks] = 1;
    largest[slowest_own_link] = mine_[links + own_links];
    largest[shortest_agreement] = -claim.last_nanoseconds;
    largest[longest_call] = claim.call_nanoseconds;
    largest[longest_set_up] = claim.set_up_nanoseconds;
}

DemandBound DemandAgreement::bound_of(std::span<const std::int64_t> sums_of_links, std::int64_t maximum,
                                      std::int64_t own) {
    const std::size_t links = loads_.sums();
    std::copy_n(sums_of_links.begin(), links, share_.begin());
    share_[links] = maximum;
    return loads_.bound(share_, own / all_[links + ranks]);
}

AgreedPast DemandAgreement::read_past(std::size_t calls, const Maxima& maxima_of_all) {
    const std::size_t links = loads_.sums();
    const auto& largest = maxima_of_all.all;
    const std::span<const std::int64_t> past = std::span<const std::int64_t>(all_).subspan(links + sums);
    AgreedPast agreed;
    agreed.calls = calls;
    agreed.known = past[links + without_knowledge] == 0;
    agreed.bound = bound_of(past.first(links), largest[slowest_past_link], past[links + past_own_links]);
    agreed.bound.nanoseconds /= static_cast<std::int64_t>(calls);
    agreed.bound.rest_nanoseconds /= static_cast<std::int64_t>(calls);
    agreed.timed = agreed.known;
    for (std::size_t call = 0; call < calls; ++call) {
        const double begin = 1e-9 * static_cast<double>(largest[past_maxima + 2 * call]);
        const double end = 1e-9 * static_cast<double>(largest[past_maxima + 2 * call + 1]);
        agreed.seconds[call] = std::max(end - begin, shortest_past_seconds);
        agreed.timed = agreed.timed && clocks_still_agree(end, agreed.seconds[call]);
    }
    return agreed;
}

int DemandAgreement::agree(MPI_Comm comm, const DemandClaim& claim, AgreedDemand& agreed) {
    const double begin = now_seconds();
    const std::size_t links = loads_.sums();
    const std::size_t calls = std::min(claim.past.calls, PastClaim::most_calls);
    Maxima of_all;
    write(claim, of_all);
    const std::size_t summed = calls > 0 ? mine_.size() : links + sums;
    const std::size_t largest_of = calls > 0 ? past_maxima + 2 * calls : maxima;
    if (const int error =
            reduce(comm, std::span(mine_).first(summed), all_, std::span(of_all.mine).first(largest_of), of_all.all);
        error != MPI_SUCCESS) {
        return error;
    }
    note_common_moment();
    const auto& largest = of_all.all;
    agreed.past = calls > 0 ? read_past(calls, of_all) : AgreedPast{};
    agreed.bound = bound_of(all_, largest[slowest_own_link], all_[links + own_links]);
    agreed.lacks_memory = all_[links + without_memory] != 0;
    agreed.refused = all_[links + refusals] != 0 || (!agreed.lacks_memory && all_[links + differences] != 0);
    agreed.cost_seconds = -1e-9 * static_cast<double>(largest[shortest_agreement]);
    agreed.call_seconds = 1e-9 * static_cast<double>(largest[longest_call]);
    agreed.set_up_seconds = 1e-9 * static_cast<double>(largest[longest_set_up]);
    nanoseconds_ = static_cast<std::int64_t>(1e9 * (now_seconds() - begin));
    return MPI_SUCCESS;
}

}  // namespace aapc::mpi
