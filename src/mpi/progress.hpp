/// @file
/// The loop in which all waiting is done.
#pragma once

#include <mpi.h>

#include "mpi/rest.hpp"

namespace aapc::mpi {

/// Calls `advance(progress)` until `complete()` holds, and rests while nothing moves. `advance` adds to its argument
/// what it got done and returns the MPI error code; the first error ends the loop and is returned. `looks`: so many in
/// vain keep the processor at first.
template <class Complete, class Advance>
[[nodiscard]] int advance_until(Complete complete, Advance advance, int looks = 0) {
    Patience patience(looks);
    while (!complete()) {
        int progress = 0;
        if (const int error = advance(progress); error != MPI_SUCCESS) {
            return error;
        }
        if (progress > 0) {
            patience.reset();
        } else {
            patience.rest();
        }
    }
    return MPI_SUCCESS;
}

}  // namespace aapc::mpi
