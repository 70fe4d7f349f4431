#include "input/launch_environment.hpp"

#include <string>

#include "input/environment.hpp"
#include "input/numbers.hpp"

namespace aapc {

namespace {

std::optional<int> number_in(const char* name) {
    const auto number = parse_number<int>(environment_variable(name));
    return number && *number >= 0 ? number : std::nullopt;
}

bool is_set(const char* name) { return !environment_variable(name).empty(); }

/// A size that belongs to this launcher: the job's where srun started the process.
std::optional<int> slurm_size() {
    const auto size = number_in("SLURM_STEP_NUM_TASKS");
    return size ? size : number_in("SLURM_NTASKS");
}

}  // namespace

std::string_view Launch::name() const {
    switch (start_up) {
        case StartUp::openmpi_mpirun:
            return "Open MPI's mpirun";
        case StartUp::mpich_mpiexec:
            return "MPICH's mpiexec";
        case StartUp::slurm_pmi:
            return "srun --mpi=pmi2";
        case StartUp::pmix:
            return is_set("SLURM_STEP_ID") ? "srun --mpi=pmix" : "a launcher with PMIx";
        case StartUp::slurm_alone:
            return "srun without PMI";
        case StartUp::none:
            break;
    }
    return "no launcher";
}

Launch launch_environment() {
    const bool in_step = is_set("SLURM_STEP_ID");
    if (is_set("OMPI_COMM_WORLD_SIZE") || is_set("OMPI_COMM_WORLD_RANK")) {
        return {StartUp::openmpi_mpirun, number_in("OMPI_COMM_WORLD_RANK"), number_in("OMPI_COMM_WORLD_SIZE")};
    }
    if (is_set("PMI_RANK")) {
        // Hydra starts its proxies with srun, so that SLURM_ variables are there as well; PMI_FD and PMI_JOBID with the
        // number of a step are Slurm's own.
        const bool by_slurm = in_step && environment_variable("SLURM_MPI_TYPE").starts_with("pmi2") &&
                              environment_variable("SLURM_PROCID") == environment_variable("PMI_RANK");
        return {by_slurm ? StartUp::slurm_pmi : StartUp::mpich_mpiexec, number_in("PMI_RANK"), number_in("PMI_SIZE")};
    }
    if (is_set("PMIX_RANK")) {
        return {StartUp::pmix, number_in("PMIX_RANK"), in_step ? slurm_size() : std::nullopt};
    }
    if (in_step) {
        return {StartUp::slurm_alone, number_in("SLURM_PROCID"), slurm_size()};
    }
    return {};
}

}  // namespace aapc
