#include "interposer/real.hpp"

#include <dlfcn.h>

namespace aapc::interposer {

namespace {

template <class Routine>
Routine find_next(const char* profiling_name, const char* name) {
    void* address = dlsym(RTLD_NEXT, profiling_name);
    return reinterpret_cast<Routine>(address != nullptr ? address : dlsym(RTLD_NEXT, name));
}

}  // namespace

const RealRoutines& real() {
    static const RealRoutines routines = {
        find_next<decltype(&MPI_Init)>("PMPI_Init", "MPI_Init"),
        find_next<decltype(&MPI_Init_thread)>("PMPI_Init_thread", "MPI_Init_thread"),
        find_next<decltype(&MPI_Alltoall)>("PMPI_Alltoall", "MPI_Alltoall"),
    };
    return routines;
}

}  // namespace aapc::interposer
