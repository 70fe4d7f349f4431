// `timed-grid`: exchanges that begin where the cycle stands on a clock that all ranks share. With clocks that are
// right, wrong by a constant, that drift and that jump: every byte is right, the grid is used where it can be, and a
// clock that cannot be trusted leads back to the common start.
//
//     grid_test [SEED]
#include <fmt/core.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "aapc/mpi/exchange.hpp"
#include "mpi/grid_clock.hpp"
#include "mpi/watchdog.hpp"
#include "mpi/world_program.hpp"
#include "mpi/worlds.hpp"

namespace {

using namespace aapc;

/// As if every rank had a port of 20 Mbit/s: slots of two milliseconds, which most busy machines can keep.
constexpr double usual_port = 20e6;

int failures = 0;

void expect(bool condition, const std::string& name, const std::string& what) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!condition && failures++ == 0) {
        fmt::print(stderr, "rank {}: {}: {}\n", rank, name, what);
    }
}

std::byte payload(Rank from, Rank to, std::size_t offset, int call) {
    return static_cast<std::byte>(from * 131 + to * 31 + static_cast<int>(offset) * 7 + call * 17);
}

struct World {
    Rank rank;
    Rank ranks;
    std::uint64_t seed;
};

/// Calls in a row, with ranks that come late by chance. How many of them were on the grid.
int call_often(mpi::Exchange& exchange, const World& world, int calls, std::size_t bytes, const std::string& name) {
    std::mt19937_64 own_random(world.seed * 1000 + static_cast<std::uint64_t>(world.rank));
    std::vector<std::byte> send(bytes * static_cast<std::size_t>(world.ranks));
    std::vector<std::byte> receive(send.size());
    int on_grid = 0;
    for (int call = 0; call < calls; ++call) {
        for (std::size_t place = 0; place < send.size(); ++place) {
            send[place] = payload(world.rank, static_cast<Rank>(place / bytes), place % bytes, call);
            receive[place] = ~payload(static_cast<Rank>(place / bytes), world.rank, place % bytes, call);
        }
        usleep(static_cast<unsigned>(own_random() % 3000));
        test::Watchdog::watch(fmt::format("rank {}: {}, call {} (seed {})", world.rank, name, call, world.seed));
        const int error = exchange.run(send.data(), receive.data(), bytes);
        expect(error == MPI_SUCCESS, name, fmt::format("MPI error {} in call {}", error, call));
        on_grid += exchange.report().agreement_seconds <= 0 ? 1 : 0;
        for (std::size_t place = 0; place < receive.size(); ++place) {
            if (receive[place] != payload(static_cast<Rank>(place / bytes), world.rank, place % bytes, call)) {
                expect(false, name, fmt::format("call {}: wrong data at {}", call, place));
                break;
            }
        }
    }
    return on_grid;
}

/// The same number on all ranks, or the test fails.
int agreed(int mine, const std::string& name) {
    int least = 0;
    int most = 0;
    MPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    expect(least == most, name, fmt::format("from {} to {} calls were on the grid, by rank", least, most));
    return least;
}

int run_with(const World& world, const char* method, const char* synchronisation, const mpi::ClockFault& fault,
             double port = usual_port) {
    const std::string name = fmt::format("{}+{}, shift {}, skew {}, from {} s on", method, synchronisation,
                                         fault.shift_seconds, fault.skew, fault.after_seconds);
    const test::World plain = test::plain_world(world.ranks);
    const auto timetable = build_timetable(**find_algorithm(method), "", plain.network, plain.placement);
    expect(timetable.has_value(), name, "no timetable");
    const Plan plan = make_plan(**timetable, world.rank, *parse_synchronisation(synchronisation));
    mpi::ExchangeOptions options;
    options.cadence = cadence_of_phases(port);
    if (plan.cycle) {
        const double bound = static_cast<double>(world.ranks) * 8 / port;
        options.cadence = cadence_of_cycle({1.02 * bound, bound}, plan.phases, port, 30'000);
    }
    options.clock_fault = world.rank == world.ranks - 1 ? fault : mpi::ClockFault{};
    std::unique_ptr<mpi::Exchange> exchange;
    const int error = mpi::Exchange::create(MPI_COMM_WORLD, plan, options, exchange);
    expect(error == MPI_SUCCESS && exchange, name, "cannot be created");
    constexpr int calls = 40;
    const int on_grid = agreed(call_often(*exchange, world, calls, 5000, name), name);
    const int with_other_sizes = agreed(call_often(*exchange, world, 5, 3, name), name);
    expect(with_other_sizes < 5, name, "a new size without a common start");
    return on_grid;
}

/// The clock of this machine, on which all ranks of the test are. MPI_Wtime need not be: Open MPI's begins with each
/// process, or is that process's estimate of the processor's counter.
double machine_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The shared clock less this machine's: it lies between these two.
struct Lead {
    double least;
    double most;
};

/// Reads both clocks as closely together as this machine lets it: a rank may lose the processor between two readings.
Lead lead_of(const mpi::GridClock& clock) {
    Lead best{-1e300, 1e300};
    for (int reading = 0; reading < 100; ++reading) {
        const double before = machine_seconds();
        const double shared = clock.seconds();
        const double after = machine_seconds();
        if (after - before < best.most - best.least) {
            best = {shared - after, shared - before};
        }
    }
    return best;
}

/// Every rank's shared clock is rank 0's, as far as the rank says that it is certain. After it was measured, a clock
/// goes on as wrongly as before, which `fault.skew` bounds, and what the rank believes of its drift may be wrong, too.
void test_clock(const World& world, const mpi::ClockFault& fault) {
    const std::string name = fmt::format("clock, shift {}, skew {}", fault.shift_seconds, fault.skew);
    const mpi::MpiTransport transport(MPI_COMM_WORLD);
    mpi::GridClock clock(transport, world.rank, world.ranks, world.rank == world.ranks - 1 ? fault : mpi::ClockFault{});
    for (int time = 0; time < 3; ++time) {
        const double began = machine_seconds();
        expect(clock.follow() == MPI_SUCCESS, name, "an MPI error");
        expect(clock.consistent(), name, "is not consistent");
        MPI_Barrier(MPI_COMM_WORLD);
        const Lead mine = lead_of(clock);
        Lead of_first = mine;
        MPI_Bcast(&of_first, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        const double certain = clock.uncertainty_seconds() + 1e-6 +
                               (std::abs(fault.skew) + mpi::GridClock::largest_drift()) * (machine_seconds() - began);
        expect(mine.least <= of_first.most + certain && of_first.least <= mine.most + certain, name,
               fmt::format("between {} and {} s off, certain to {} s", mine.least - of_first.most,
                           mine.most - of_first.least, certain));
        usleep(20'000);
    }
}

/// A clock that jumps `after_seconds` is found out, and believed again where it stays. False where this machine took so
/// long to look at it that it jumped before it had been seen.
bool test_jump(const World& world, double after_seconds) {
    const std::string name = fmt::format("a clock that jumps after {} s", after_seconds);
    const double made = MPI_Wtime();
    const mpi::MpiTransport transport(MPI_COMM_WORLD);
    mpi::GridClock clock(transport, world.rank, world.ranks,
                         {world.rank + 1 == world.ranks ? 600.0 : 0.0, 0, after_seconds});
    const bool consistent = clock.follow() == MPI_SUCCESS && clock.consistent();
    int in_time = MPI_Wtime() < made + after_seconds ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &in_time, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (in_time == 0) {
        return false;
    }
    expect(consistent, name, "is not consistent before it jumps");
    while (MPI_Wtime() < made + after_seconds + 0.05) {
        usleep(10'000);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const bool seen = clock.follow() == MPI_SUCCESS && !clock.consistent();
    expect(seen == (world.rank + 1 == world.ranks), name, "ten minutes went unnoticed, or were seen elsewhere");
    expect(clock.follow() == MPI_SUCCESS && clock.consistent(), name, "is not consistent where it stays");
    return true;
}

int test_all(int argc, char** argv) {
    World world{0, 0, argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1};
    MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world.ranks);
    test_clock(world, {});
    test_clock(world, {3600, 0, 0});
    test_clock(world, {-5, 50e-6, 0});
    for (double after_seconds = 0.5; !test_jump(world, after_seconds); after_seconds *= 2) {
        expect(after_seconds < 60, "a clock that jumps", "takes a minute to look at");
    }
    // A fixed pace, so that how busy this machine is does not decide what is tested.
    int right = run_with(world, "tree", "timed-grid:4000@0.9", {});
    // Where this machine is so busy that no clock is certain to a slot, slots are longer.
    for (double port = usual_port / 4; right == 0 && world.ranks > 1 && port > usual_port / 100; port /= 4) {
        right = run_with(world, "tree", "timed-grid:4000@0.9", {}, port);
    }
    const int shifted = run_with(world, "lattice", "timed-grid:4000@0.9", {3600, 30e-6, 0});
    const int jumping = run_with(world, "lattice", "timed-grid:4000@0.9", {0.3, 0, 0.4});
    const int skewed = run_with(world, "lattice", "timed-grid:4000@0.9", {0, 1, 0});
    run_with(world, "lattice", "timed-grid", {});
    if (world.ranks > 1) {
        expect(right > 0, "right clocks", "no call was on the grid");
        expect(skewed < 20, "a clock that goes twice as fast", fmt::format("{} calls on the grid", skewed));
    }
    if (world.rank == 0) {
        fmt::print("{} ranks: of 40 calls on the grid: {} right, {} shifted, {} jumping, {} skewed\n", world.ranks,
                   right, shifted, jumping, skewed);
    }
    return test::status_of_all(failures);
}

}  // namespace

int main(int argc, char** argv) { return aapc::test::run_in_world("grid_test", argc, argv, test_all); }
