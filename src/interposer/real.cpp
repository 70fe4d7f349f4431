#include "interposer/real.hpp"

namespace aapc::interposer {

const RealRoutines& real() {
    static const RealRoutines routines = {
        find_next<decltype(&MPI_Init)>("PMPI_Init", "MPI_Init"),
        find_next<decltype(&MPI_Init_thread)>("PMPI_Init_thread", "MPI_Init_thread"),
        find_next<decltype(&MPI_Alltoall)>("PMPI_Alltoall", "MPI_Alltoall"),
    };
    return routines;
}

}  // namespace aapc::interposer
