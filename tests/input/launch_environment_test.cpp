#include "input/launch_environment.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>
#include <utility>
#include <vector>

namespace aapc {
namespace {

using Variables = std::vector<std::pair<const char*, const char*>>;

/// What is found out from these variables, as one word: the way to start, rank and size.
std::string found(const Variables& variables) {
    for (const auto& [name, value] : variables) {
        setenv(name, value, 1);
    }
    const Launch launch = launch_environment();
    const auto number = [](const std::optional<int>& value) { return value ? std::to_string(*value) : "-"; };
    std::string text = std::string(launch.name()) + ": " + number(launch.rank) + " of " + number(launch.size);
    for (const auto& [name, value] : variables) {
        unsetenv(name);
    }
    return text + (launch.speaks() ? ", speaks" : "");
}

// As these launchers set them; those of Slurm are version 22.05's.
const Variables slurm_step = {{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "3"}, {"SLURM_STEP_NUM_TASKS", "4"}};

Variables in_step(Variables others) {
    others.insert(others.end(), slurm_step.begin(), slurm_step.end());
    return others;
}

TEST(LaunchEnvironment, EachLauncherIsKnown) {
    EXPECT_EQ(found({}), "no launcher: - of -, speaks");
    EXPECT_EQ(found({{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "4"}, {"PMIX_RANK", "2"}}),
              "Open MPI's mpirun: 2 of 4");
    EXPECT_EQ(found({{"PMI_RANK", "0"}, {"PMI_SIZE", "4"}}), "MPICH's mpiexec: 0 of 4, speaks");
    EXPECT_EQ(found(in_step({{"SLURM_MPI_TYPE", "pmi2"}, {"PMI_RANK", "3"}, {"PMI_SIZE", "4"}})),
              "srun --mpi=pmi2: 3 of 4");
    EXPECT_EQ(found(in_step({{"SLURM_MPI_TYPE", "pmix"}, {"PMIX_RANK", "3"}})), "srun --mpi=pmix: 3 of 4");
    EXPECT_EQ(found({{"PMIX_RANK", "1"}}), "a launcher with PMIx: 1 of -");
    EXPECT_EQ(found(slurm_step), "srun without PMI: 3 of 4");
}

TEST(LaunchEnvironment, TheInnerLauncherCounts) {
    // Hydra and mpirun start one helper on each node with srun.
    EXPECT_EQ(found(in_step({{"PMI_RANK", "0"}, {"PMI_SIZE", "8"}})), "MPICH's mpiexec: 0 of 8, speaks");
    EXPECT_EQ(found(in_step({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "8"}, {"PMIX_RANK", "0"}})),
              "Open MPI's mpirun: 0 of 8, speaks");
}

TEST(LaunchEnvironment, ABatchScriptIsNobodysRank) {
    EXPECT_EQ(found({{"SLURM_JOB_ID", "7"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}),
              "no launcher: - of -, speaks");
}

TEST(LaunchEnvironment, WhatIsNoNumberIsNone) {
    EXPECT_EQ(found({{"PMI_RANK", "x"}, {"PMI_SIZE", "-4"}}), "MPICH's mpiexec: - of -, speaks");
}

}  // namespace
}  // namespace aapc
