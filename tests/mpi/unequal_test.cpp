// Unequal messages: what ranks agree on, and exchanges of random lengths in a row without a barrier, on random networks
// with several ranks a machine, for the number of ranks that it is started with. Payloads name source, destination,
// offset and call.
//
//     unequal_test [SEED [tcp]]
//
// With `tcp` messages travel by connections of our own, on trees and on a fabric with hashed paths.
//
// Ends with 1 and the first mistake of a rank, with the command that repeats it.
#include <fmt/core.h>
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "aapc/mpi/demand_agreement.hpp"
#include "aapc/mpi/unequal_exchange.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/demand.hpp"
#include "mpi/transport.hpp"
#include "mpi/watchdog.hpp"
#include "mpi/wire_streams.hpp"
#include "mpi/world_program.hpp"
#include "mpi/worlds.hpp"
#include "support/fabrics.hpp"

namespace {

using namespace aapc;

std::byte payload(Rank from, Rank to, std::int64_t offset, int call) {
    const auto value = ((static_cast<std::uint64_t>(from) * 1'000'003U + static_cast<std::uint64_t>(to)) * 1'000'003U +
                        static_cast<std::uint64_t>(offset)) *
                           31U +
                       static_cast<std::uint64_t>(call);
    return static_cast<std::byte>((value * 0x9e3779b97f4a7c15ULL) >> 56U);
}

/// Most pairs have something, some have much, a rank or two have nothing at all.
Demand random_demand(Rank ranks, std::mt19937_64& random) {
    Demand demand(ranks);
    const auto silent = static_cast<Rank>(random() % static_cast<std::uint64_t>(2 * ranks));
    const auto deaf = static_cast<Rank>(random() % static_cast<std::uint64_t>(2 * ranks));
    for (Rank from = 0; from < ranks; ++from) {
        for (Rank to = 0; to < ranks; ++to) {
            const std::uint64_t kind = random() % 8;
            const std::uint64_t longest = kind == 0 ? 1 : kind == 1 ? 100'000 : 9'000;
            const auto bytes = static_cast<std::int64_t>(random() % longest);
            demand.set(from, to, from == silent || to == deaf ? 0 : bytes);
        }
    }
    return demand;
}

/// One call: its buffers, and where the messages are in them.
struct Messages {
    Messages(const Demand& demand, Rank rank)
        : sent(demand.row(rank).begin(), demand.row(rank).end()), received(demand.column(rank)) {
        const auto lay_out = [](const std::vector<std::int64_t>& lengths, std::vector<std::byte>& buffer) {
            std::vector<std::byte*> places;
            std::int64_t all = 0;
            for (const std::int64_t bytes : lengths) {
                all += bytes;
            }
            buffer.resize(static_cast<std::size_t>(all));
            std::byte* place = buffer.data();
            for (const std::int64_t bytes : lengths) {
                places.push_back(place);
                place += bytes;
            }
            return places;
        };
        const std::vector<std::byte*> send_at = lay_out(sent, send);
        send_places.assign(send_at.begin(), send_at.end());
        receive_places = lay_out(received, receive);
    }

    [[nodiscard]] mpi::MessageBytes bytes() const { return {sent, received}; }

    std::vector<std::int64_t> sent;
    std::vector<std::int64_t> received;
    std::vector<std::byte> send;
    std::vector<std::byte> receive;
    std::vector<const std::byte*> send_places;
    std::vector<std::byte*> receive_places;
};

class Tester {
  public:
    Tester(Rank rank, Rank ranks, std::uint64_t seed, bool by_tcp)
        : rank_(rank), ranks_(ranks), seed_(seed), by_tcp_(by_tcp), random_(seed) {}

    void test_agreement(const test::World& world);
    void test_past(const test::World& world);
    [[nodiscard]] mpi::AgreedPast past(mpi::DemandAgreement& agreement, const mpi::PastClaim& claim);
    void test_exchanges(const test::World& world, const char* method);

    [[nodiscard]] int failures() const { return failures_; }

  private:
    void call(mpi::UnequalExchange& exchange, mpi::DemandAgreement& agreement, int number, int expected = MPI_SUCCESS);
    void test_broken_connection(mpi::UnequalExchange& exchange, mpi::DemandAgreement& agreement, mpi::Wire& wire);
    [[nodiscard]] std::int64_t of_all(std::size_t mine) const {
        auto all = static_cast<std::int64_t>(mine);
        MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
        return all;
    }
    void expect(bool condition, const std::string& what) {
        if (!condition && failures_++ == 0) {
            fmt::print(stderr, "rank {}: {}\nrepeat with {} ranks: unequal_test {}{}\n", rank_, what, ranks_, seed_,
                       by_tcp_ ? " tcp" : "");
        }
    }

    Rank rank_;
    Rank ranks_;
    std::uint64_t seed_;
    bool by_tcp_;
    std::mt19937_64 random_;  ///< the same on all ranks
    int failures_ = 0;
};

/// What one rank alone says, all hear.
void Tester::test_agreement(const test::World& world) {
    const auto loads = LinkLoads::find(world.network, world.placement);
    expect(loads.has_value(), "no layout of the loads");
    mpi::DemandAgreement agreement(*loads, rank_);
    const Demand demand = random_demand(ranks_, random_);
    // The bound by one process that knows everything.
    std::vector<std::int64_t> all(loads->size(), 0);
    std::vector<std::int64_t> share(loads->size());
    for (Rank rank = 0; rank < ranks_; ++rank) {
        loads->write_share(rank, demand.row(rank), demand.column(rank), share);
        loads->combine(share, all);
    }
    Messages own(demand, rank_);
    const Rank odd = ranks_ / 2;
    enum Case { fine, longer, refuses, no_memory, fine_again, cases };
    for (int which = fine; which < cases; ++which) {
        Messages messages = own;
        mpi::DemandClaim claim;
        if (rank_ == odd) {
            messages.received[0] += which == longer ? 1 : 0;
            claim.refuses = which == refuses;
            claim.lacks_memory = which == no_memory;
        }
        claim.bytes = messages.bytes();
        claim.wire_to = own.sent;
        claim.wire_from = own.received;
        claim.last_nanoseconds = agreement.nanoseconds();
        mpi::AgreedDemand agreed;
        expect(agreement.agree(MPI_COMM_WORLD, claim, agreed) == MPI_SUCCESS, "an agreement failed");
        expect(agreed.refused == (which == longer || which == refuses), fmt::format("refused, case {}", which));
        expect(agreed.lacks_memory == (which == no_memory), fmt::format("memory, case {}", which));
        expect((agreed.cost_seconds > 0) == (which != fine), fmt::format("cost, case {}", which));
        if (agreed.possible()) {
            expect(agreed.bound.nanoseconds == loads->bound(all).nanoseconds, fmt::format("bound, case {}", which));
        }
    }
}

/// What calls were, posted beside other numbers by one rank after the other, with an agreement on something else
/// between.
mpi::AgreedPast Tester::past(mpi::DemandAgreement& agreement, const mpi::PastClaim& claim) {
    mpi::Agreement posted(agreement.loads());
    const std::array<std::int64_t, 5> beside_sums = {1, 2, 3, 4, 5};
    std::vector<std::int64_t> sums(beside_sums.begin(), beside_sums.end());
    const std::int64_t beside_maximum = rank_;
    std::vector<std::int64_t> maxima = {beside_maximum};
    const mpi::PastNumbers numbers = agreement.write_past(claim);
    sums.insert(sums.end(), numbers.sums.begin(), numbers.sums.end());
    maxima.insert(maxima.end(), numbers.maxima.begin(), numbers.maxima.end());
    std::this_thread::sleep_for(std::chrono::milliseconds(rank_));
    posted.post(MPI_COMM_WORLD, {.sums = sums, .maxima = maxima, .loads = numbers.loads});
    mpi::AgreedDemand between;
    const Messages none(Demand(ranks_), rank_);
    mpi::DemandClaim nothing;
    nothing.bytes = none.bytes();
    nothing.wire_to = none.sent;
    nothing.wire_from = none.received;
    expect(agreement.agree(MPI_COMM_WORLD, nothing, between) == MPI_SUCCESS && between.bound.nanoseconds == 0,
           "an agreement between");
    const mpi::Agreed all = posted.collect();
    expect(all.error == MPI_SUCCESS && all.sums[4] == 5 * all.ranks && all.maxima[0] == all.ranks - 1,
           "the numbers beside the past");
    return agreement.read_past(posted, all, beside_sums.size(), 1, claim.calls);
}

/// Three calls of a demand, of which one rank cannot describe its own, or has had others than their mean.
void Tester::test_past(const test::World& world) {
    mpi::DemandAgreement agreement(*LinkLoads::find(world.network, world.placement), rank_);
    const Demand demand = random_demand(ranks_, random_);
    Messages own(demand, rank_);
    mpi::DemandClaim once;
    once.bytes = own.bytes();
    once.wire_to = own.sent;
    once.wire_from = own.received;
    mpi::AgreedDemand agreed;
    expect(agreement.agree(MPI_COMM_WORLD, once, agreed) == MPI_SUCCESS && agreed.possible(), "no agreement");
    Messages thrice = own;
    for (std::size_t other = 0; other < own.sent.size(); ++other) {
        thrice.sent[other] *= 3;
        thrice.received[other] *= 3;
    }
    for (const bool unknown : {false, true}) {
        for (const bool unlike : {false, true}) {
            mpi::PastClaim claim;
            claim.calls = 3;
            claim.bytes = thrice.bytes();
            claim.unknown = unknown && rank_ == ranks_ / 2;
            claim.unlike = unlike && rank_ == ranks_ - 1;
            const mpi::AgreedPast known = past(agreement, claim);
            expect(known.described == !unknown && known.alike == (!unknown && !unlike), "what is known of the past");
            const std::int64_t rounding = std::abs(known.bound.nanoseconds - agreed.bound.nanoseconds);
            expect(unknown || rounding <= 1, "the mean bound of the past");
        }
    }
}

void Tester::call(mpi::UnequalExchange& exchange, mpi::DemandAgreement& agreement, int number, int expected) {
    Messages messages(random_demand(ranks_, random_), rank_);
    for (Rank to = 0; to < ranks_; ++to) {
        const auto index = static_cast<std::size_t>(to);
        auto* const place = const_cast<std::byte*>(messages.send_places[index]);
        for (std::int64_t offset = 0; offset < messages.sent[index]; ++offset) {
            place[offset] = payload(rank_, to, offset, number);
        }
    }
    const WireCounts counts = exchange.on_the_wire(messages.bytes());
    exchange.prepare(messages.bytes());
    mpi::DemandClaim claim;
    claim.bytes = messages.bytes();
    claim.wire_to = counts.to;
    claim.wire_from = counts.from;
    mpi::AgreedDemand agreed;
    expect(agreement.agree(MPI_COMM_WORLD, claim, agreed) == MPI_SUCCESS && agreed.possible(), "no agreement");
    const int error = exchange.run(messages.bytes(), {messages.send_places, messages.receive_places}, agreed.bound);
    expect(error == expected, fmt::format("call {} returned {}", number, error));
    if (expected != MPI_SUCCESS) {
        return;
    }
    for (Rank from = 0; from < ranks_; ++from) {
        const auto index = static_cast<std::size_t>(from);
        for (std::int64_t offset = 0; offset < messages.received[index]; ++offset) {
            expect(messages.receive_places[index][offset] == payload(from, rank_, offset, number),
                   fmt::format("call {}: byte {} from rank {}", number, offset, from));
        }
    }
    expect(exchange.report().pace > 0, "no pace");
}

/// A rank has lost a connection: nobody sends anything, on all ranks.
void Tester::test_broken_connection(mpi::UnequalExchange& exchange, mpi::DemandAgreement& agreement, mpi::Wire& wire) {
    for (Rank other = 0; rank_ == 0 && other < ranks_; ++other) {
        if (mpi::WireStream* const stream = wire.streams().to(other); stream != nullptr) {
            stream->break_off();
            break;
        }
    }
    const std::int64_t broken = of_all(wire.streams().works() ? 0 : 1);
    for (int number = 100; broken > 0 && number < 103; ++number) {
        call(exchange, agreement, number, mpi::Exchange::declined);
    }
}

void Tester::test_exchanges(const test::World& world, const char* method) {
    test::Watchdog::watch(fmt::format("{} {} of {} ranks, seed {}", world.name, method, ranks_, seed_));
    const Bound bound = network_bound(world.network, world.placement);
    const auto prepared = prepare(world.network, world.placement, bound, *parse_method(method, world.network.kind()));
    mpi::Wire wire;
    auto exchange = mpi::UnequalExchange::make(
        MPI_COMM_WORLD, prepared, world.placement, seed_ % 4 == 0 ? nullptr : &world.network, nullptr,
        by_tcp_ ? std::optional<mpi::OwnWire>({wire, world.network}) : std::nullopt);
    expect(!wire.complaint(), wire.complaint() ? to_string(*wire.complaint()) : "");
    const bool can = std::string(method) != "bruck";
    expect(exchange.has_value() == (can && prepared.has_value()), fmt::format("{} on {}", method, world.name));
    if (exchange) {
        mpi::DemandAgreement agreement(*LinkLoads::find(world.network, world.placement), rank_);
        for (int number = 0; number < 6; ++number) {
            call(**exchange, agreement, number);
        }
        if (by_tcp_) {
            const bool hashed = world.network.kind() == NetworkKind::fabric;
            expect((of_all(wire.learned_paths().paths.size()) > 0) == hashed, "learned paths on " + world.name);
            test_broken_connection(**exchange, agreement, wire);
        }
    }
    test::Watchdog::stop();
}

int test_all(int argc, char** argv) {
    const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
    Rank rank = 0;
    Rank ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const bool by_tcp = argc > 2 && std::string(argv[2]) == "tcp";
    Tester tester(rank, ranks, seed, by_tcp);
    const test::World plain = test::plain_world(ranks);
    tester.test_agreement(plain);
    tester.test_past(plain);
    tester.test_exchanges(plain, "lattice+timed");
    tester.test_exchanges(plain, "tree+timed");
    tester.test_exchanges(plain, "bruck");
    if (by_tcp) {
        const Network fabric = test::leaf_spine(2, (ranks + 1) / 2, 2, "hashed");
        Placement placement = full_placement(fabric);
        placement.machine_of.resize(static_cast<std::size_t>(ranks));
        tester.test_exchanges({"fabric", fabric, placement}, "lattice+timed");
    }
    for (std::uint64_t offset = 0; offset < 3; ++offset) {
        const test::World random = test::random_world(ranks, 10 * seed + offset);
        tester.test_agreement(random);
        tester.test_past(random);
        tester.test_exchanges(random, "lattice/formula+timed");
    }
    int failures = tester.failures();
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return aapc::test::run_in_world("unequal_test", argc, argv, test_all); }
