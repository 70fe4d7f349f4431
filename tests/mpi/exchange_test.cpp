// The executor: every synchronisation and variant on a tree made for the number of ranks, many sizes, calls in a row
// without a barrier, ranks that come late. Payloads name source, destination and offset. Ends with 1 and a line for the
// first mistake.
#include "aapc/mpi/exchange.hpp"

#include <fmt/core.h>
#include <mpi.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "aapc/algorithm.hpp"
#include "aapc/bound.hpp"
#include "support/networks.hpp"

namespace {

using namespace aapc;

std::byte payload(Rank from, Rank to, std::size_t offset, int call) {
    const std::uint64_t value =
        (static_cast<std::uint64_t>(from) * 1'000'003U + static_cast<std::uint64_t>(to)) * 1'000'003U + offset * 31U +
        static_cast<std::uint64_t>(call) * 7919U;
    return static_cast<std::byte>((value * 0x9e3779b97f4a7c15ULL) >> 56);
}

int failures = 0;

void expect(bool condition, const std::string& what) {
    if (!condition && failures++ == 0) {
        fmt::print(stderr, "exchange_test: {}\n", what);
    }
}

struct Case {
    std::string name;
    mpi::Exchange& exchange;
    Rank rank;
    Rank ranks;
};

void exchange_once(const Case& test, std::size_t bytes, int call) {
    const auto blocks = static_cast<std::size_t>(test.ranks);
    std::vector<std::byte> send(blocks * bytes);
    std::vector<std::byte> receive(blocks * bytes, std::byte{0xaa});
    for (Rank to = 0; to < test.ranks; ++to) {
        for (std::size_t offset = 0; offset < bytes; ++offset) {
            send[static_cast<std::size_t>(to) * bytes + offset] = payload(test.rank, to, offset, call);
        }
    }
    const std::vector<std::byte> sent = send;
    const int error = test.exchange.run(send.data(), receive.data(), bytes);
    expect(error == MPI_SUCCESS, fmt::format("{}: error {}", test.name, error));
    expect(send == sent, fmt::format("{}: the send buffer was changed", test.name));
    for (Rank from = 0; from < test.ranks; ++from) {
        for (std::size_t offset = 0; offset < bytes; ++offset) {
            if (receive[static_cast<std::size_t>(from) * bytes + offset] != payload(from, test.rank, offset, call)) {
                expect(false, fmt::format("{}, {} bytes, call {}: rank {} got wrong data from {} at {}", test.name,
                                          bytes, call, test.rank, from, offset));
                return;
            }
        }
    }
}

void exercise(const Case& test) {
    int call = 0;
    for (const std::size_t bytes : {0, 1, 7, 1000, 5752, 5753, 40'000}) {
        exchange_once(test, bytes, ++call);
    }
    for (int repeat = 0; repeat < 5; ++repeat) {  // in a row: nothing of one call may reach the next
        exchange_once(test, 3000, ++call);
    }
    if (test.rank == test.ranks / 2) {
        usleep(50'000);  // everybody else is ahead
    }
    exchange_once(test, 9000, ++call);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    test::TreeBuilder tree;
    const int root = tree.add_switch(-1, 1e9);
    const int left = tree.add_switch(root, 1e9);
    const int right = tree.add_switch(left, 1e9);
    for (int machine = 0; machine < ranks; ++machine) {
        tree.add_machine(machine % 4 == 0 ? root : machine % 4 == 3 ? right : left, 1, 1e9);
    }
    const Network network = tree.build();
    const Demand demand = full_demand(network);
    for (const std::string_view variant : {"merged", "paper"}) {
        const auto timetable = build_timetable(**find_algorithm("tree"), variant, network, demand);
        for (const Synchronisation& synchronisation :
             {Synchronisation::none, Synchronisation::sender, Synchronisation::receiver, Synchronisation::timed}) {
            mpi::ExchangeOptions options;
            options.bits_per_second = 1e9;
            std::unique_ptr<mpi::Exchange> exchange;
            const int error =
                mpi::Exchange::create(MPI_COMM_WORLD, make_plan(**timetable, rank, synchronisation), options, exchange);
            expect(error == MPI_SUCCESS && exchange, "create failed");
            const std::string name = fmt::format("{} ranks, tree/{}, {}", ranks, variant, to_string(synchronisation));
            exercise({name, *exchange, rank, ranks});
            if (synchronisation.kind == Synchronisation::Kind::timed && ranks > 1) {
                expect(exchange->report().pace > 0 && exchange->report().scheduled_seconds > 0, name + ": no report");
            }
        }
    }
    int all = 0;
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        fmt::print("{} ranks: {} failures\n", ranks, all);
    }
    MPI_Finalize();
    return all == 0 ? 0 : 1;
}
