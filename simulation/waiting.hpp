/// @file
/// How ranks wait in simulated time.
///
/// The executor tests its requests and rests while none is complete. On a machine that costs nothing that matters; in a
/// simulation a loop of tests never ends, because only who sleeps lets the time go by, and sleeping in steps would blur
/// what is to be measured. Here PMPI_Test remembers what it was asked for in vain, and a rank that rests waits for
/// exactly those requests. The executor's sources know nothing of it: the linker puts these functions before the
/// library's (--wrap).
#pragma once

#include <mpi.h>

namespace aapc::simulation {

/// Blocks the calling rank until one of the requests is complete that it has last tested in vain. The next test of that
/// request succeeds.
void wait_for_a_tested_request();

}  // namespace aapc::simulation

extern "C" {
// The names are the linker's.
// NOLINTBEGIN(bugprone-reserved-identifier)
int __real_PMPI_Test(MPI_Request* request, int* flag, MPI_Status* status);
/// MPI_Test that remembers requests which are not complete.
int __wrap_PMPI_Test(MPI_Request* request, int* flag, MPI_Status* status);
/// A barrier by dissemination (Hensgen, Finkel & Manber 1988), ⌈log2 P⌉ rounds. SMPI's own is none: rank 0 releases
/// everybody as soon as it has come itself.
int __wrap_PMPI_Ibarrier(MPI_Comm comm, MPI_Request* request);
// NOLINTEND(bugprone-reserved-identifier)
}
