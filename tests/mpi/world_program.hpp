/// @file
/// What the test programs that run under a launcher have in common: MPI around them, and no rank that waits for one
/// that has failed.
#pragma once

#include <mpi.h>

#include <cstdio>

#include "mpi/watchdog.hpp"

namespace aapc::test {

/// Calls `test_all` between MPI_Init and MPI_Finalize and returns its status. What it throws ends the whole job after a
/// line that begins with `program`.
inline int run_in_world(const char* program, int argc, char** argv, int (*test_all)(int, char**)) {
    MPI_Init(&argc, &argv);
    int status = 1;
    try {
        status = test_all(argc, argv);
    } catch (...) {
        std::fprintf(stderr, "%s: an exception\n", program);
        MPI_Abort(MPI_COMM_WORLD, status);  // the other ranks wait for this one
    }
    MPI_Finalize();
    return status;
}

/// The status of a test program in which this rank has seen so many failures: 1 where any rank has seen one.
/// Collective.
inline int status_of_all(int failures) {
    int all = 0;
    Watchdog::watch("the end");
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    Watchdog::stop();
    return all == 0 ? 0 : 1;
}

}  // namespace aapc::test
