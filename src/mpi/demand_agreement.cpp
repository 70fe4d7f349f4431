#include "aapc/mpi/demand_agreement.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "mpi/compared_clocks.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/rest.hpp"

namespace aapc::mpi {

namespace {

enum Sum : std::size_t { differences, own_links, without_knowledge, of_unlike_calls, past_own_links, sum_count };
/// Then the begins and the ends of past calls.
enum Maximum : std::size_t {
    slowest_own_link,
    shortest_agreement,
    longest_call,
    longest_set_up,
    slowest_past_link,
    past_times
};
constexpr std::size_t maxima_of(std::size_t calls) { return past_times + 2 * calls; }
static_assert(maxima_of(PastClaim::most_calls) <= Claim::most_numbers && sum_count <= Claim::most_numbers);

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

/// What travels beside the loads.
struct DemandAgreement::Numbers {
    std::array<std::int64_t, sum_count> sums{};
    std::array<std::int64_t, maxima_of(PastClaim::most_calls)> maxima{};
};

DemandAgreement::DemandAgreement(LinkLoads loads, Rank rank)
    : loads_(std::move(loads)),
      rank_(rank),
      share_(loads_.size()),
      mine_(2 * loads_.sums()),
      agreement_(mine_.size()),
      telling_(loads_.sums()) {
    static_assert(LinkLoads::maxima() == 1);
    note_common_moment();
}

void DemandAgreement::note_common_moment() { common_moment_ = now_seconds(); }

std::int64_t DemandAgreement::nanoseconds_since_common_moment() const {
    return mpi::nanoseconds(now_seconds() - common_moment_);
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

void DemandAgreement::write_past(const PastClaim& claim, std::span<std::int64_t> links, Numbers& numbers) {
    const bool known = !claim.unknown && write_share(claim.bytes.sent, claim.bytes.received, links);
    numbers.sums[without_knowledge] = known ? 0 : 1;
    numbers.sums[of_unlike_calls] = claim.unlike ? 1 : 0;
    numbers.sums[past_own_links] = known ? share_[links.size()] : 0;
    numbers.maxima[slowest_past_link] = known ? share_[links.size()] : 0;
    for (std::size_t call = 0; call < std::min(claim.calls, PastClaim::most_calls); ++call) {
        numbers.maxima[maxima_of(call)] = claim.begins[call];
        numbers.maxima[maxima_of(call) + 1] = claim.ends[call];
    }
}

DemandBound DemandAgreement::bound_of(const Agreement& of, std::size_t first_link, std::int64_t maximum,
                                      std::int64_t own_mean) {
    const std::size_t links = loads_.sums();
    for (std::size_t link = 0; link < links; ++link) {
        share_[link] = of.load(first_link + link);
    }
    share_[links] = maximum;
    return loads_.bound(share_, own_mean);
}

AgreedPast DemandAgreement::read_past(const Agreement& of, std::size_t first_link, std::size_t calls,
                                      const Agreed& all) {
    AgreedPast agreed;
    agreed.calls = calls;
    agreed.described = all.sums[without_knowledge] == 0;
    agreed.known = agreed.described && all.sums[of_unlike_calls] == 0;
    agreed.bound = bound_of(of, first_link, all.maxima[slowest_past_link], all.sums[past_own_links] / all.ranks);
    agreed.bound.nanoseconds /= static_cast<std::int64_t>(calls);
    agreed.bound.rest_nanoseconds /= static_cast<std::int64_t>(calls);
    agreed.timed = agreed.known;
    for (std::size_t call = 0; call < calls; ++call) {
        const double begin = seconds(all.maxima[maxima_of(call)]);
        const double end = seconds(all.maxima[maxima_of(call) + 1]);
        agreed.seconds[call] = std::max(end - begin, shortest_past_seconds);
        agreed.timed = agreed.timed && clocks_still_agree(end, agreed.seconds[call]);
    }
    return agreed;
}

int DemandAgreement::tell(MPI_Comm comm, const PastClaim& claim) {
    told_calls_ = std::min(claim.calls, PastClaim::most_calls);
    Numbers numbers;
    const std::span<std::int64_t> links = std::span(mine_).first(loads_.sums());
    std::fill(links.begin(), links.end(), 0);
    write_past(claim, links, numbers);
    telling_.post(
        comm,
        {.sums = numbers.sums, .maxima = std::span(numbers.maxima).first(maxima_of(told_calls_)), .loads = links});
    return MPI_SUCCESS;
}

int DemandAgreement::hear(AgreedPast& past) {
    const Agreed agreed = telling_.collect();
    if (agreed.error == MPI_SUCCESS) {
        past = read_past(telling_, 0, told_calls_, agreed);
    }
    return agreed.error;
}

int DemandAgreement::agree(MPI_Comm comm, const DemandClaim& claim, AgreedDemand& agreed) {
    const double begin = now_seconds();
    const std::size_t links = loads_.sums();
    const std::size_t calls = std::min(claim.past.calls, PastClaim::most_calls);
    Numbers numbers;
    std::fill(mine_.begin(), mine_.end(), 0);
    if (calls > 0) {
        write_past(claim.past, std::span(mine_).last(links), numbers);
    }
    const bool writes = !claim.refuses && !claim.lacks_memory;
    const bool written = writes && write_share(claim.wire_to, claim.wire_from, std::span(mine_).first(links));
    numbers.sums[differences] = written ? static_cast<std::int64_t>(difference(rank_, claim.bytes)) : 0;
    numbers.sums[own_links] = written ? share_[links] : 0;
    numbers.maxima[slowest_own_link] = numbers.sums[own_links];
    numbers.maxima[shortest_agreement] = -claim.last_nanoseconds;
    numbers.maxima[longest_call] = claim.call_nanoseconds;
    numbers.maxima[longest_set_up] = claim.set_up_nanoseconds;
    // Not blocking, since an MPI that spins in a collective keeps the ranks that it waits for off the processor.
    agreement_.post(comm, {.agrees = !claim.refuses,
                           .has_memory = !claim.lacks_memory && (written || !writes),
                           .sums = numbers.sums,
                           .maxima = std::span(numbers.maxima).first(maxima_of(calls)),
                           .loads = std::span(mine_).first(calls > 0 ? 2 * links : links)});
    const Agreed all = agreement_.collect();
    if (all.error != MPI_SUCCESS) {
        return all.error;
    }
    note_common_moment();
    agreed.past = calls > 0 ? read_past(agreement_, links, calls, all) : AgreedPast{};
    agreed.bound = bound_of(agreement_, 0, all.maxima[slowest_own_link], all.sums[own_links] / all.ranks);
    agreed.lacks_memory = !all.memory;
    agreed.refused = all.refused || (all.memory && all.sums[differences] != 0);
    agreed.cost_seconds = -seconds(all.maxima[shortest_agreement]);
    agreed.call_seconds = seconds(all.maxima[longest_call]);
    agreed.set_up_seconds = seconds(all.maxima[longest_set_up]);
    nanoseconds_ = mpi::nanoseconds(now_seconds() - begin);
    return MPI_SUCCESS;
}

}  // namespace aapc::mpi
