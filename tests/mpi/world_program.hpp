/// @file
/// What the test programs that run under a launcher have in common: MPI around them, and no rank that waits for one
/// that has failed.
#pragma once

#include <mpi.h>

#include <cstdio>

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

}  // namespace aapc::test
