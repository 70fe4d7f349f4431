/// @file
/// Generates routines, compiles them with the MPIs that are here and runs them.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/generator.hpp"
#include "support/networks.hpp"
#include "support/schedules.hpp"

namespace aapc::test {

struct Mpi {
    std::string name;
    std::string compiler;
    std::string launcher;
};

inline void PrintTo(const Mpi& mpi, std::ostream* out) { *out << mpi.name; }

/// Every MPI that CMake found; none if the project is built without.
inline std::vector<Mpi> mpis() {
    std::vector<Mpi> result;
    std::istringstream entries(AAPC_TEST_MPIS);
    for (std::string entry; std::getline(entries, entry, ',');) {
        std::istringstream fields(entry);
        Mpi& mpi = result.emplace_back();
        std::getline(fields, mpi.name, '|');
        std::getline(fields, mpi.compiler, '|');
        std::getline(fields, mpi.launcher, '|');
    }
    return result;
}

/// A directory of its own for each test, removed with its contents.
class TemporaryDirectory {
  public:
    TemporaryDirectory() {
        std::string name = (std::filesystem::temp_directory_path() / "aapc-generate-XXXXXX").string();
        if (mkdtemp(name.data()) != nullptr) {
            path_ = name;
        }
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
    ~TemporaryDirectory() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] std::string file(std::string_view name) const { return (path_ / name).string(); }

  private:
    std::filesystem::path path_;
};

inline void write_file(const std::string& path, std::string_view text) { std::ofstream(path) << text; }

struct CommandResult {
    int status = -1;
    std::string output;  ///< both streams
};

/// Runs a shell command, for at most two minutes.
inline CommandResult run_command(const std::string& command) {
    CommandResult result;
    std::FILE* pipe = popen(fmt::format("exec 2>&1; timeout 120 {}", command).c_str(), "r");
    if (pipe == nullptr) {
        return result;
    }
    char buffer[4096];
    for (std::size_t length; (length = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
        result.output.append(buffer, length);
    }
    const int status = pclose(pipe);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return result;
}

/// A program of `ranks` ranks on this machine.
inline CommandResult run_ranks(const Mpi& mpi, int ranks, const std::string& program) {
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    const std::string_view options =
        mpi.name == "openmpi" ? "--oversubscribe --mca btl self,vader --mca mpi_yield_when_idle 1" : "";
    return run_command(fmt::format("{} {} -n {} {}", mpi.launcher, options, ranks, program));
}

inline constexpr std::string_view strict = "-std=c11 -Wall -Wextra -Werror";

/// Links a program of this directory with a routine. `options` are more options for the compiler.
inline CommandResult build_program(const Mpi& mpi, std::string_view program, const std::string& routine,
                                   std::string_view options, const std::string& result) {
    return run_command(fmt::format("{} -O1 {} -DAAPC_COUNT_CALLS {} {}/tests/generate/{} {} -o {}", mpi.compiler,
                                   strict, options, AAPC_SOURCE_DIRECTORY, program, routine, result));
}

/// The routine for all ranks of a network, or a failed test.
inline std::string routine_for(const Network& network, Synchronisation synchronisation,
                               std::string_view variant = "merged", std::string_view stamp = "aapc generate test") {
    const Built built = build_tree_schedule(network, full_demand(network), variant);
    if (!built.schedule) {
        ADD_FAILURE() << built.schedule.error().what;
        return {};
    }
    return generate_routine(*built.schedule, synchronisation,
                            synchronisation_edges(*built.schedule, synchronisation, Reduction::pair_rule), stamp);
}

}  // namespace aapc::test
