/// @file
/// The routines that are counted, and what may become of a call.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>

// Every routine in which all ranks, or all neighbours, have something for each other: X(name without MPI_).
#define AAPC_ROUTINES_OF_MPI_3(X) \
    X(Alltoall)                   \
    X(Alltoallv)                  \
    X(Alltoallw)                  \
    X(Ialltoall)                  \
    X(Ialltoallv)                 \
    X(Ialltoallw)                 \
    X(Neighbor_alltoall)          \
    X(Neighbor_alltoallv)         \
    X(Neighbor_alltoallw)         \
    X(Ineighbor_alltoall)         \
    X(Ineighbor_alltoallv)        \
    X(Ineighbor_alltoallw)
// Those of the fourth standard. An MPI may have the persistent ones without saying that it follows that standard
// (cmake/AapcMpi.cmake), or call them MPIX_ (Open MPI 4), and a component sees them by whatever name they are called.
#define AAPC_PERSISTENT_ROUTINES(X) \
    X(Alltoall_init)                \
    X(Alltoallv_init)               \
    X(Alltoallw_init)               \
    X(Neighbor_alltoall_init)       \
    X(Neighbor_alltoallv_init)      \
    X(Neighbor_alltoallw_init)
#if AAPC_MPI_HAS_LARGE_COUNTS
#define AAPC_LARGE_COUNT_ROUTINES(X) \
    X(Alltoall_c)                    \
    X(Alltoallv_c)                   \
    X(Alltoallw_c)                   \
    X(Ialltoall_c)                   \
    X(Ialltoallv_c)                  \
    X(Ialltoallw_c)                  \
    X(Neighbor_alltoall_c)           \
    X(Neighbor_alltoallv_c)          \
    X(Neighbor_alltoallw_c)          \
    X(Ineighbor_alltoall_c)          \
    X(Ineighbor_alltoallv_c)         \
    X(Ineighbor_alltoallw_c)         \
    X(Alltoall_init_c)               \
    X(Alltoallv_init_c)              \
    X(Alltoallw_init_c)              \
    X(Neighbor_alltoall_init_c)      \
    X(Neighbor_alltoallv_init_c)     \
    X(Neighbor_alltoallw_init_c)
#else
#define AAPC_LARGE_COUNT_ROUTINES(X)
#endif
#define AAPC_ROUTINES(X) AAPC_ROUTINES_OF_MPI_3(X) AAPC_PERSISTENT_ROUTINES(X) AAPC_LARGE_COUNT_ROUTINES(X)

namespace aapc::interposer {

enum class Routine : std::uint8_t {
#define AAPC_ENUMERATOR(name) name,
    AAPC_ROUTINES(AAPC_ENUMERATOR)
#undef AAPC_ENUMERATOR
};

inline constexpr auto routine_names = std::to_array<const char*>({
#define AAPC_NAME(name) "MPI_" #name,
    AAPC_ROUTINES(AAPC_NAME)
#undef AAPC_NAME
});

[[nodiscard]] inline const char* name_of(Routine routine) { return routine_names[static_cast<std::size_t>(routine)]; }

/// What became of a call: exchanged, or passed through and why.
enum class Outcome : std::uint8_t {
    exchanged,
    routine_not_served,
    arguments,
    intercommunicator,
    other_world,
    few_ranks,
    nothing_on_links,
    only_recorded,
    size,
    unavailable,
};

inline constexpr auto outcome_texts = std::to_array<const char*>({
    "exchanged",
    "this routine is left to the MPI",
    "arguments for the MPI to judge",
    "an intercommunicator",
    "ranks of another MPI_COMM_WORLD",
    "fewer than three ranks",
    "all ranks on one machine",
    "without a topology, calls are only recorded",
    "the MPI's own is chosen for the size",
    "no exchange could be set up",
});

inline constexpr std::size_t routine_count = routine_names.size();
inline constexpr std::size_t outcome_count = outcome_texts.size();

}  // namespace aapc::interposer
