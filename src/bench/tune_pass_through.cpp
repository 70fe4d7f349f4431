#include "bench/tune_pass_through.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <optional>
#include <vector>

#include "aapc/input/statistics.hpp"
#include "aapc/interposer.h"
#include "bench/collective.hpp"
#include "mpi/ranks.hpp"

namespace aapc::bench {

namespace {

using Alltoall = int (*)(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);

/// One timing is of several calls: a clock is not fine enough for one.
constexpr int calls_in_a_timing = 16;
constexpr int timings = 400;

double seconds_a_call(Alltoall alltoall, MPI_Comm comm) {
    std::array<char, 8> send{};
    std::array<char, 8> receive{};
    const double begin = PMPI_Wtime();
    for (int call = 0; call < calls_in_a_timing; ++call) {
        alltoall(send.data(), 1, MPI_CHAR, receive.data(), 1, MPI_CHAR, comm);
    }
    return (PMPI_Wtime() - begin) / calls_in_a_timing;
}

/// Seconds that a call takes longer through the interposer; nothing if it did not pass the calls through.
std::optional<Estimate> extra_seconds(Alltoall native, decltype(&aapc_calls) calls, MPI_Comm comm) {
    long exchanged = 0;
    long passed_before = 0;
    calls(&exchanged, &passed_before);
    std::vector<double> extra;
    for (int timing = 0; timing < timings; ++timing) {
        const double own = seconds_a_call(native, comm);
        extra.push_back(seconds_a_call(MPI_Alltoall, comm) - own);
    }
    long passed_after = 0;
    calls(&exchanged, &passed_after);
    // -1: the interposer follows nothing, and then it passes everything through and counts nothing.
    const bool passed = passed_before < 0 || passed_after - passed_before == long{timings} * calls_in_a_timing;
    return passed ? std::optional(estimate_median(extra)) : std::nullopt;
}

}  // namespace

std::string pass_through_report(MPI_Comm comm) {
    const auto native = reinterpret_cast<Alltoall>(dlsym(RTLD_DEFAULT, "aapc_native_alltoall"));
    const auto calls = reinterpret_cast<decltype(&aapc_calls)>(dlsym(RTLD_DEFAULT, "aapc_calls"));
    if (native == nullptr || calls == nullptr) {
        return "the interposer's own cost was not measured: it is not preloaded\n";
    }
    const int rank = mpi::rank_in(comm);
    const int ranks = mpi::ranks_in(comm);
    std::string text;
    for (const int members : {1, 2}) {
        if (members > ranks) {
            continue;
        }
        MPI_Comm some = MPI_COMM_NULL;
        PMPI_Comm_split(comm, rank < members ? 0 : MPI_UNDEFINED, rank, &some);
        if (some != MPI_COMM_NULL) {
            const auto extra = extra_seconds(native, calls, some);
            text += extra ? fmt::format(
                                "a call passed through by the interposer takes {:.0f} ns longer on {} rank{} "
                                "({:.0f} to {:.0f})\n",
                                1e9 * extra->value, members, members == 1 ? "" : "s", 1e9 * extra->interval.low,
                                1e9 * extra->interval.high)
                          : fmt::format("on {} ranks the interposer passed nothing through\n", members);
            MPI_Comm_free(&some);
        }
        barrier(comm);
    }
    return text;
}

}  // namespace aapc::bench
