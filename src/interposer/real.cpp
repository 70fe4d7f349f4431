#include "interposer/real.hpp"

#include <dlfcn.h>

#include "interposer/native.hpp"

namespace aapc::interposer {

void* behind() {
    static void* const place = []() -> void* {
        Dl_info mpi{};
        if (dlsym(RTLD_DEFAULT, "aapc_late") == nullptr || dladdr(dlsym(RTLD_DEFAULT, "PMPI_Wtime"), &mpi) == 0) {
            return RTLD_NEXT;
        }
        void* const library = dlopen(mpi.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
        return library == nullptr ? RTLD_NEXT : library;
    }();
    return place;
}

const RealRoutines& real() {
    static const RealRoutines routines = {
        find_next<decltype(&MPI_Init)>("PMPI_Init", "MPI_Init"),
        find_next<decltype(&MPI_Init_thread)>("PMPI_Init_thread", "MPI_Init_thread"),
        find_next<decltype(&MPI_Finalize)>("PMPI_Finalize", "MPI_Finalize"),
        find_next<decltype(&MPI_Comm_free)>("PMPI_Comm_free", "MPI_Comm_free"),
        find_next<decltype(&MPI_Comm_disconnect)>("PMPI_Comm_disconnect", "MPI_Comm_disconnect"),
        find_next<decltype(&MPI_Wait)>("PMPI_Wait", "MPI_Wait"),
        find_next<decltype(&MPI_Waitall)>("PMPI_Waitall", "MPI_Waitall"),
        find_next<decltype(&MPI_Start)>("PMPI_Start", "MPI_Start"),
        find_next<decltype(&MPI_Startall)>("PMPI_Startall", "MPI_Startall"),
        find_next<decltype(&MPI_Request_free)>("PMPI_Request_free", "MPI_Request_free"),
    };
    return routines;
}

const NativeRoutines& native() {
    static const NativeRoutines routines = {
        find_next<decltype(&MPI_Alltoall)>("PMPI_Alltoall", "MPI_Alltoall"),
        find_next<decltype(&MPI_Alltoallv)>("PMPI_Alltoallv", "MPI_Alltoallv"),
        find_next<decltype(&MPI_Alltoallw)>("PMPI_Alltoallw", "MPI_Alltoallw"),
#if AAPC_MPI_HAS_LARGE_COUNTS
        find_next<decltype(&MPI_Alltoall_c)>("PMPI_Alltoall_c", "MPI_Alltoall_c"),
        find_next<decltype(&MPI_Alltoallv_c)>("PMPI_Alltoallv_c", "MPI_Alltoallv_c"),
        find_next<decltype(&MPI_Alltoallw_c)>("PMPI_Alltoallw_c", "MPI_Alltoallw_c"),
#endif
    };
    return routines;
}

}  // namespace aapc::interposer
