/// @file
/// Generates routines, compiles them with the MPIs that are here and runs them.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/methods/cadence.hpp"
#include "aapc/methods/method.hpp"
#include "aapc/offline/generator.hpp"
#include "aapc/offline/synchronise.hpp"
#include "aapc/offline/tabulate.hpp"
#include "aapc/topology/bound.hpp"
#include "support/networks.hpp"

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

/// Runs a shell command, for at most five minutes.
inline CommandResult run_command(const std::string& command) {
    CommandResult result;
    std::FILE* pipe = popen(fmt::format("exec 2>&1; timeout 300 {}", command).c_str(), "r");
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
    const std::string_view options = mpi.name == "openmpi" ? "--mca btl self,vader" : "";
    return run_command(fmt::format("env $(cat {}/tests/support/launcher-variables.txt) {} {} -n {} {}",
                                   AAPC_SOURCE_DIRECTORY, mpi.launcher, options, ranks, program));
}

inline constexpr std::string_view strict = "-std=c11 -Wall -Wextra -Werror";

inline constexpr std::string_view very_strict =
    "-std=c11 -trigraphs -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes "
    "-Wundef -Werror";

/// The wrapper of an MPI with another compiler behind it. CMake's names of the MPIs decide how that is asked for.
inline std::string with_compiler(const Mpi& mpi, std::string_view compiler) {
    return fmt::format("env {}={} {}", mpi.name == "openmpi" ? "OMPI_CC" : "MPICH_CC", compiler, mpi.compiler);
}

/// gcc, and a clang if there is one.
inline std::vector<std::string> compilers() {
    std::vector<std::string> result{"gcc"};
    for (const std::string clang : {"clang", "clang-14"}) {
        if (run_command(clang + " --version").status == 0) {
            result.push_back(clang);
            break;
        }
    }
    return result;
}

/// Links a program of this directory with a routine. `options` are more options for the compiler. Most of the routines
/// run for milliseconds: compiled once with -O1 to be warned of what that sees (generate_compile_test.cpp), and run as
/// they are.
inline CommandResult build_program(const Mpi& mpi, std::string_view program, const std::string& routine,
                                   std::string_view options, const std::string& result) {
    return run_command(fmt::format("{} -O0 {} -DAAPC_COUNT_CALLS {} {}/tests/offline/codegen/{} {} -o {}", mpi.compiler,
                                   strict, options, AAPC_SOURCE_DIRECTORY, program, routine, result));
}

/// Smaller messages are left to the MPI, unless a test is compiled with -DAAPC_MINIMUM_BYTES.
inline constexpr std::int64_t smallest_block_of_tests = 8192;

/// A schedule with its edges, or a failed test.
struct BuiltSchedule {
    std::optional<Schedule> schedule;
    std::vector<Edge> edges;
    Cadence cadence;
};

/// `method` as the command line has it, "ring/plain+window:1", for all ranks of `network`, which outlives the result.
inline BuiltSchedule build_schedule(const Network& network, const std::string& method) {
    const auto parsed = parse_method(method, network.kind());
    if (!parsed) {
        ADD_FAILURE() << to_string(parsed.error());
        return {};
    }
    const Placement placement = full_placement(network);
    const auto timetable = build_timetable(*parsed->algorithm, parsed->variant, network, placement);
    if (!timetable) {
        ADD_FAILURE() << to_string(timetable.error());
        return {};
    }
    // Only the tree's phases have to meet the bound.
    const auto bound = (*timetable)->guarantee() == Guarantee::shortest
                           ? std::optional(tree_bound(network, placement).messages)
                           : std::nullopt;
    auto schedule = schedule_of_timetable(**timetable, std::string(parsed->algorithm->name), parsed->variant, bound,
                                          network, placement);
    if (!schedule) {
        ADD_FAILURE() << method << ": " << schedule.error().what;
        return {};
    }
    std::vector<Edge> edges = synchronisation_edges(*schedule, parsed->synchronisation, Reduction::pair_rule);
    return {std::move(*schedule), std::move(edges),
            find_cadence(network, placement, network_bound(network, placement), **timetable)};
}

/// The routine for all ranks of a network, or a failed test.
inline std::string routine_for(const Network& network, const std::string& method,
                               std::string_view stamp = "aapc generate test") {
    const BuiltSchedule built = build_schedule(network, method);
    const auto parsed = parse_method(method, network.kind());
    if (!built.schedule || !parsed) {
        return {};
    }
    const auto routine = generate_routine(*built.schedule, parsed->synchronisation, built.edges,
                                          {stamp, smallest_block_of_tests, built.cadence});
    if (!routine) {
        ADD_FAILURE() << to_string(routine.error());
        return {};
    }
    return *routine;
}

inline std::string routine_for(const Network& network, Synchronisation synchronisation,
                               std::string_view stamp = "aapc generate test") {
    return routine_for(network, "tree/merged+" + to_string(synchronisation), stamp);
}

/// Every kind of synchronisation that works by messages alone, those with blocks in blocks of three phases.
inline std::vector<Synchronisation> every_synchronisation() {
    std::vector<Synchronisation> result;
    for (const SynchronisationEntry& entry : synchronisations()) {
        const auto synchronisation = Synchronisation::with_blocks(entry.kind, entry.has_blocks ? 3 : 0);
        if (!uses_tickets(synchronisation)) {
            result.push_back(synchronisation);
        }
    }
    return result;
}

/// "tree/merged+sender-partial:3" as a name of a test: "tree_merged_sender_partial_3".
inline std::string test_name(std::string text) {
    for (char& character : text) {
        if (std::isalnum(static_cast<unsigned char>(character)) == 0) {
            character = '_';
        }
    }
    return text;
}

}  // namespace aapc::test
