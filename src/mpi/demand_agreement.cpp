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
enum PastSum : std::size_t { without_knowledge, of_unlike_calls, past_own_links, past_ranks, past_sums };
enum Maximum : std::size_t { slowest_own_link, shortest_agreement, longest_call, longest_set_up, maxima };
/// Then the begins and the ends of past calls.
enum PastMaximum : std::size_t { slowest_past_link, past_times };

constexpr std::size_t past_maxima_of(std::size_t calls) { return past_times + 2 * calls; }
constexpr std::size_t most_past_maxima = past_maxima_of(PastClaim::most_calls);

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
    std::array<std::int64_t, maxima + most_past_maxima> mine{};
    std::array<std::int64_t, maxima + most_past_maxima> all{};
};

namespace {

/// Begins both. Unsigned numbers may wrap around, as differences do.
int begin_to_reduce(MPI_Comm comm, std::span<const std::int64_t> mine, std::span<std::int64_t> all,
                    std::span<const std::int64_t> largest_here, std::span<std::int64_t> largest,
                    std::array<MPI_Request, 2>& requests) {
    const int error = PMPI_Iallreduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_UINT64_T, MPI_SUM,
                                      comm, requests.data());
    if (error != MPI_SUCCESS) {
        return error;
    }
    return PMPI_Iallreduce(largest_here.data(), largest.data(), static_cast<int>(largest_here.size()), MPI_INT64_T,
                           MPI_MAX, comm, &requests[1]);
}

/// Patiently: an MPI that spins in a collective keeps the ranks that it waits for off the processor.
int wait_for(std::array<MPI_Request, 2>& requests) {
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
      all_(mine_.size()),
      telling_(2 * (loads_.sums() + past_sums + most_past_maxima)) {
    static_assert(LinkLoads::maxima() == 1);
    note_common_moment();
}

DemandAgreement::~DemandAgreement() {
    if (is_telling()) {
        static_cast<void>(wait_for_told());
    }
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

void DemandAgreement::write_past(const PastClaim& claim, std::span<std::int64_t> past,
                                 std::span<std::int64_t> largest) {
    const std::size_t links = loads_.sums();
    const bool known = !claim.unknown && write_share(claim.bytes.sent, claim.bytes.received, past.first(links));
    past[links + without_knowledge] = known ? 0 : 1;
    past[links + of_unlike_calls] = claim.unlike ? 1 : 0;
    past[links + past_own_links] = known ? share_[links] : 0;
    past[links + past_ranks] = 1;
    largest[slowest_past_link] = known ? share_[links] : 0;
    for (std::size_t call = 0; call < std::min(claim.calls, PastClaim::most_calls); ++call) {
        largest[past_maxima_of(call)] = claim.begins[call];
        largest[past_maxima_of(call) + 1] = claim.ends[call];
    }
}

void DemandAgreement::write(const DemandClaim& claim, Maxima& maxima_of_all) {
    const std::size_t links = loads_.sums();
    auto& largest = maxima_of_all.mine;
    std::fill(mine_.begin(), mine_.end(), 0);
    const std::span<std::int64_t> all_mine(mine_);
    if (claim.past.calls > 0) {
        write_past(claim.past, all_mine.subspan(links + sums), std::span(largest).subspan(maxima));
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
                                      std::int64_t own_mean) {
    const std::size_t links = loads_.sums();
    std::copy_n(sums_of_links.begin(), links, share_.begin());
    share_[links] = maximum;
    return loads_.bound(share_, own_mean);
}

AgreedPast DemandAgreement::read_past(std::size_t calls, std::span<const std::int64_t> past,
                                      std::span<const std::int64_t> largest) {
    const std::size_t links = loads_.sums();
    AgreedPast agreed;
    agreed.calls = calls;
    agreed.described = past[links + without_knowledge] == 0;
    agreed.known = agreed.described && past[links + of_unlike_calls] == 0;
    agreed.bound = bound_of(past.first(links), largest[slowest_past_link],
                            past[links + past_own_links] / past[links + past_ranks]);
    agreed.bound.nanoseconds /= static_cast<std::int64_t>(calls);
    agreed.bound.rest_nanoseconds /= static_cast<std::int64_t>(calls);
    agreed.timed = agreed.known;
    for (std::size_t call = 0; call < calls; ++call) {
        const double begin = 1e-9 * static_cast<double>(largest[past_maxima_of(call)]);
        const double end = 1e-9 * static_cast<double>(largest[past_maxima_of(call) + 1]);
        agreed.seconds[call] = std::max(end - begin, shortest_past_seconds);
        agreed.timed = agreed.timed && clocks_still_agree(end, agreed.seconds[call]);
    }
    return agreed;
}

int DemandAgreement::tell(MPI_Comm comm, const PastClaim& claim) {
    const std::size_t summed = loads_.sums() + past_sums;
    const std::size_t calls = std::min(claim.calls, PastClaim::most_calls);
    std::fill(telling_.begin(), telling_.end(), 0);
    const std::span<std::int64_t> mine = std::span(telling_).first(telling_.size() / 2);
    const std::span<std::int64_t> all = std::span(telling_).subspan(telling_.size() / 2);
    write_past(claim, mine.first(summed), mine.subspan(summed));
    told_calls_ = calls;
    return begin_to_reduce(comm, mine.first(summed), all.first(summed), mine.subspan(summed, past_maxima_of(calls)),
                           all.subspan(summed), told_requests_);
}

int DemandAgreement::hear(AgreedPast& past) {
    const std::size_t calls = told_calls_;
    if (const int error = wait_for_told(); error != MPI_SUCCESS) {
        return error;
    }
    const std::size_t summed = loads_.sums() + past_sums;
    const std::span<const std::int64_t> all = std::span(telling_).subspan(telling_.size() / 2);
    past = read_past(calls, all.first(summed), all.subspan(summed));
    return MPI_SUCCESS;
}

int DemandAgreement::wait_for_told() {
    told_calls_ = 0;
    return wait_for(told_requests_);
}

int DemandAgreement::agree(MPI_Comm comm, const DemandClaim& claim, AgreedDemand& agreed) {
    const double begin = now_seconds();
    const std::size_t links = loads_.sums();
    const std::size_t calls = std::min(claim.past.calls, PastClaim::most_calls);
    Maxima of_all;
    write(claim, of_all);
    const std::size_t summed = calls > 0 ? mine_.size() : links + sums;
    const std::size_t largest_of = calls > 0 ? maxima + past_maxima_of(calls) : maxima;
    std::array<MPI_Request, 2> requests = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int error = begin_to_reduce(comm, std::span(mine_).first(summed), all_, std::span(of_all.mine).first(largest_of),
                                of_all.all, requests);
    error = error == MPI_SUCCESS ? wait_for(requests) : error;
    if (error != MPI_SUCCESS) {
        return error;
    }
    note_common_moment();
    const std::span<const std::int64_t> all(all_);
    const std::span<const std::int64_t> largest(of_all.all);
    agreed.past = calls > 0 ? read_past(calls, all.subspan(links + sums), largest.subspan(maxima)) : AgreedPast{};
    agreed.bound = bound_of(all, largest[slowest_own_link], all_[links + own_links] / all_[links + ranks]);
    agreed.lacks_memory = all_[links + without_memory] != 0;
    agreed.refused = all_[links + refusals] != 0 || (!agreed.lacks_memory && all_[links + differences] != 0);
    agreed.cost_seconds = -1e-9 * static_cast<double>(largest[shortest_agreement]);
    agreed.call_seconds = 1e-9 * static_cast<double>(largest[longest_call]);
    agreed.set_up_seconds = 1e-9 * static_cast<double>(largest[longest_set_up]);
    nanoseconds_ = static_cast<std::int64_t>(1e9 * (now_seconds() - begin));
    return MPI_SUCCESS;
}

}  // namespace aapc::mpi
