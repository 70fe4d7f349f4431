/// @file
/// The program under an MPI's launcher.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <ostream>
#include <string>
#include <vector>

#include "cli/program.hpp"

namespace aapc::test {

/// An MPI of this machine, for tests that run under each.
struct LaunchedMpi {
    std::string name;
    std::string launch;  ///< the launcher

    /// Those that the test program was built for (AAPC_TEST_MPIEXEC_<mpi>).
    static std::vector<LaunchedMpi> all() {
        return {
#ifdef AAPC_TEST_MPIEXEC_openmpi
            {"openmpi", AAPC_TEST_MPIEXEC_openmpi},
#endif
#ifdef AAPC_TEST_MPIEXEC_mpich
            {"mpich", AAPC_TEST_MPIEXEC_mpich},
#endif
        };
    }
    static std::string name_of(const testing::TestParamInfo<LaunchedMpi>& instance) { return instance.param.name; }
    friend void PrintTo(const LaunchedMpi& mpi, std::ostream* out) { *out << mpi.name; }
};

/// Runs `command` (shell syntax) on `ranks` ranks in `directory`, rank R on the machine nR. `variables`: NAME=VALUE
/// words for all ranks. `time_limit`: as timeout(1) takes it, for the launcher.
inline Outcome run_under_mpi(const std::string& launcher, int ranks, const std::string& command,
                             const Scratch& directory, const std::string& variables, const std::string& time_limit) {
    const std::string line =
        "cd '" + directory.path("") + "' && env AAPC_TEST_HOST=n AAPC_TEST_PER_MACHINE=1 " + variables +
        " $(cat " AAPC_SOURCE_DIRECTORY "/tests/support/launcher-variables.txt) timeout " + time_limit + " " +
        launcher + " -n " + std::to_string(ranks) + " " AAPC_SOURCE_DIRECTORY "/tests/interposer/on_machine.sh " +
        command + " >out 2>err </dev/null";
    // Where ranks end as soon as they have begun, MPICH's launcher writes to a pipe that nobody reads any more and dies
    // of it, one time in 75 on a busy machine, whatever was launched (`sh -c 'exit 2'` for one).
    constexpr int died_of_a_pipe = 128 + SIGPIPE;
    int status = std::system(line.c_str());
    for (int again = 0; again < 3 && WIFEXITED(status) && WEXITSTATUS(status) == died_of_a_pipe; ++again) {
        status = std::system(line.c_str());
    }
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(directory.path("out")),
            contents(directory.path("err"))};
}

/// `command`, asked to end as soon as `condition` (shell syntax) holds once it heeds that:
/// tests/cli/interrupted_when.sh.
inline std::string interrupted_when(const std::string& condition, const std::string& command) {
    return AAPC_SOURCE_DIRECTORY "/tests/cli/interrupted_when.sh '" + condition + "' " + command;
}

}  // namespace aapc::test
