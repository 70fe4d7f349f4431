/// @file
/// What launchers put into the environment of the processes that they start.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace aapc {

/// How a process learns of the others of its job.
enum class StartUp : std::uint8_t {
    none,            ///< no launcher has started this process
    openmpi_mpirun,  ///< mpirun of Open MPI, or PRRTE's for it
    mpich_mpiexec,   ///< a launcher that speaks PMI-1 or PMI-2 and is not Slurm: Hydra of MPICH, Intel MPI and MVAPICH
    slurm_pmi,       ///< srun --mpi=pmi2
    pmix,            ///< srun --mpi=pmix, or any other launcher that speaks PMIx
    slurm_alone,     ///< srun --mpi=none: no MPI learns of its peers
};

/// A process as its launcher sees it.
struct Launch {
    StartUp start_up = StartUp::none;
    std::optional<int> rank;
    std::optional<int> size;

    /// What a person calls it: "Open MPI's mpirun"; "no launcher" for none.
    [[nodiscard]] std::string_view name() const;
    /// One process of a job speaks for all: whether it is this one.
    [[nodiscard]] bool speaks() const { return rank.value_or(0) == 0; }
};

/// Reads the environment: OMPI_COMM_WORLD_RANK and _SIZE; PMI_RANK and PMI_SIZE; PMIX_RANK; SLURM_PROCID and
/// SLURM_STEP_NUM_TASKS of a step. The first of these wins: a launcher that was started under another one inherits what
/// is behind it. SLURM_PROCID without a step is that of a batch script, which no launcher started.
[[nodiscard]] Launch launch_environment();

}  // namespace aapc
