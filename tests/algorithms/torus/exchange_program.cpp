// The executor on a torus, for as many ranks as it is started with:
//
//     torus_exchange SIDE...
//
// Every number of divisions and the direct exchange, with the synchronisations that suit them, calls of different sizes
// in a row. Payloads name source, destination, offset and call. Ends with 1 and a rank's first mistake.
#include <fmt/core.h>
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/algorithms/torus_model.hpp"
#include "aapc/methods/cadence.hpp"
#include "aapc/methods/method.hpp"
#include "aapc/mpi/exchange.hpp"
#include "mpi/watchdog.hpp"
#include "support/torus.hpp"

namespace {

using namespace aapc;

std::byte payload(Rank from, Rank to, std::size_t offset, std::size_t call) {
    const std::uint64_t value =
        (static_cast<std::uint64_t>(from) * 1'000'003U + static_cast<std::uint64_t>(to)) * 1'000'003U + offset * 31U +
        call * 7919U;
    return static_cast<std::byte>((value * 0x9e3779b97f4a7c15ULL) >> 56);
}

class Tester {
  public:
    Tester(const test::Sides& sides, Rank rank)
        : network_(test::torus_of(sides)), placement_(full_placement(network_)), rank_(rank) {}

    /// False after the first mistake.
    bool test(const std::string& text) {
        const auto method = parse_method(text, network_.kind());
        if (!method) {
            return complain(text, to_string(method.error()));
        }
        const auto timetable = build_timetable(*method->algorithm, method->variant, network_, placement_);
        if (!timetable) {
            return complain(text, to_string(timetable.error()));
        }
        test::Watchdog::watch(fmt::format("rank {}: {}", rank_, text));
        std::unique_ptr<mpi::Exchange> exchange;
        mpi::ExchangeOptions options;
        options.cadence = find_cadence(network_, placement_, network_bound(network_, placement_), **timetable);
        if (mpi::Exchange::create(MPI_COMM_WORLD, make_plan(**timetable, rank_, method->synchronisation), options,
                                  exchange) != MPI_SUCCESS) {
            return complain(text, "cannot be created");
        }
        std::size_t call = 0;
        for (const std::size_t bytes : {1U, 1000U, 7U, 9000U, 64U}) {
            if (!exchange_and_check(text, *exchange, bytes, ++call)) {
                return false;
            }
        }
        return true;
    }

  private:
    bool exchange_and_check(const std::string& text, mpi::Exchange& exchange, std::size_t bytes, std::size_t call) {
        const auto ranks = static_cast<std::size_t>(placement_.participants());
        std::vector<std::byte> send(ranks * bytes);
        std::vector<std::byte> receive(ranks * bytes);
        for (std::size_t place = 0; place < send.size(); ++place) {
            const auto peer = static_cast<Rank>(place / bytes);
            send[place] = payload(rank_, peer, place % bytes, call);
            receive[place] = ~payload(peer, rank_, place % bytes, call);
        }
        if (const int error = exchange.run(send.data(), receive.data(), bytes); error != MPI_SUCCESS) {
            return complain(text, fmt::format("MPI error {}", error));
        }
        for (std::size_t place = 0; place < receive.size(); ++place) {
            const auto peer = static_cast<Rank>(place / bytes);
            if (receive[place] != payload(peer, rank_, place % bytes, call)) {
                return complain(text, fmt::format("{} bytes: wrong data from {} at {}", bytes, peer, place % bytes));
            }
        }
        return true;
    }

    bool complain(const std::string& method, const std::string& what) const {
        fmt::print(stderr, "rank {}: {}: {}\n", rank_, method, what);
        return false;
    }

    Network network_;
    Placement placement_;
    Rank rank_;
};

std::vector<std::string> methods_for(const test::Sides& sides) {
    std::vector<std::string> methods;
    for (const TorusCandidate& candidate : torus_candidates(TorusGrid(sides))) {
        const std::vector<const char*> synchronisations =
            candidate.method.starts_with("torus-direct")
                ? std::vector<const char*>{"timed", "sender", "receiver-partial:3", "barrier", "none"}
                : std::vector<const char*>{"window:1", "barrier", "none"};
        for (const char* const synchronisation : synchronisations) {
            methods.push_back(fmt::format("{}+{}", candidate.method, synchronisation));
        }
    }
    for (const char* method : {"lattice+timed", "lattice/formula+timed:2000", "lattice+none"}) {
        methods.emplace_back(method);
    }
    return methods;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    Rank rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    test::Sides sides;
    for (int argument = 1; argument < argc; ++argument) {
        sides.push_back(std::atoi(argv[argument]));
    }
    Tester tester(sides, rank);
    const std::vector<std::string> methods = methods_for(sides);
    for (const std::string& method : methods) {
        if (!tester.test(method)) {
            MPI_Abort(MPI_COMM_WORLD, 1);  // the other ranks wait for this one
        }
    }
    test::Watchdog::watch("the end");
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        fmt::print("{} torus: {} ways of running\n", test::text(sides), methods.size());
    }
    test::Watchdog::stop();
    MPI_Finalize();
    return methods.empty() ? 1 : 0;
}
