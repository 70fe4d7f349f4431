#include "cli/launch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "aapc/topology/detection.hpp"
#include "cli/interposers.hpp"
#include "input/environment.hpp"
#include "input/launch_environment.hpp"
#include "input/mpis.hpp"

namespace aapc::cli {

namespace {

namespace fs = std::filesystem;

/// Without links and dots where the system can tell; otherwise as it is.
fs::path canonical_path(const fs::path& path) {
    std::error_code error;
    const fs::path canonical = fs::weakly_canonical(path, error);
    return error ? path : canonical;
}

/// The first of these that is a file; empty if none is.
fs::path first_file(const std::vector<fs::path>& places) {
    const auto found = std::find_if(places.begin(), places.end(), [](const fs::path& place) {
        std::error_code error;
        return fs::is_regular_file(place, error);
    });
    // Its own name stays: what it links to is a version of today.
    return found == places.end() ? fs::path() : canonical_path(found->parent_path()) / found->filename();
}

/// The directory that has bin/aapc, of which this program is a part: it is in bin itself, or in libexec/aapc. Empty if
/// the system does not tell where this program is.
fs::path installation() {
    std::error_code error;
    const fs::path own = fs::read_symlink("/proc/self/exe", error).parent_path();
    return own.filename() == "aapc" && own.parent_path().filename() == "libexec" ? own.parent_path().parent_path()
                                                                                 : own.parent_path();
}

/// A program that users do not start themselves: beside this one where it was built, in libexec where it is installed.
fs::path find_own_program(const std::string& name) {
    std::error_code error;
    const fs::path own = fs::read_symlink("/proc/self/exe", error).parent_path();
    return first_file({own / name, installation() / "libexec" / "aapc" / name});
}

fs::path find_mpi_program(std::string_view program, std::string_view mpi) {
    return find_own_program(fmt::format("{}-{}", program, mpi));
}

int refuse(const Diagnostic& diagnostic) {
    if (speaks()) {
        complain(diagnostic);
    }
    return bad_input;
}

/// All MPIs, those first that speak this under Slurm as Debian builds them; others may be built for either.
std::vector<std::string> mpis_for_srun(std::string_view srun_mpi) {
    std::vector<std::string> names;
    for (const KnownMpi& mpi : known_mpis) {
        names.insert(mpi.srun_mpi == srun_mpi ? names.begin() : names.end(), std::string(mpi.name));
    }
    return names;
}

/// The MPIs that learn of their peers from a launcher, the likeliest first.
std::vector<std::string> mpis_of(StartUp start_up) {
    switch (start_up) {
        case StartUp::openmpi_mpirun:
            return {"openmpi"};
        case StartUp::mpich_mpiexec:
            return {"mpich"};
        case StartUp::slurm_pmi:
            return mpis_for_srun("pmi2");
        case StartUp::pmix:
            return mpis_for_srun("pmix");
        case StartUp::slurm_alone:
        case StartUp::none:
            break;
    }
    return {};
}

/// The MPI whose build of `program` is to be started.
Expected<std::string> mpi_for(const MpiProgram& program, const Invocation& invocation) {
    const Launch launch = launch_environment();
    std::vector<std::string> installed;
    for (const KnownMpi& mpi : known_mpis) {
        if (!find_mpi_program(program.name, mpi.name).empty()) {
            installed.emplace_back(mpi.name);
        }
    }
    const auto is_installed = [&installed](const std::string& mpi) {
        return std::find(installed.begin(), installed.end(), mpi) != installed.end();
    };
    if (!program.mpi.empty()) {
        return is_installed(program.mpi) ? Expected<std::string>(program.mpi)
                                         : failure(unknown_mpi(program.mpi, installed));
    }
    if (launch.start_up == StartUp::none) {
        return failure({.file = "aapc",
                        .problem = "no MPI's launcher has started this",
                        .advice = fmt::format("write mpirun or srun before it: mpirun -n 16 {}",
                                              fmt::join(invocation.arguments, " "))});
    }
    if (launch.start_up == StartUp::slurm_alone) {
        return failure({.file = "aapc",
                        .problem = "srun has started this without PMI, so that no rank knows of the others",
                        .advice = "write srun --mpi=pmix for Open MPI or srun --mpi=pmi2 for MPICH; srun --mpi=list "
                                  "says what this Slurm has"});
    }
    const std::vector<std::string> fitting = mpis_of(launch.start_up);
    const auto found = std::find_if(fitting.begin(), fitting.end(), is_installed);
    if (found == fitting.end()) {
        return failure({.file = "aapc",
                        .problem = fmt::format("this was started by {}, and {}-{} is not there", launch.name(),
                                               program.name, fitting.front()),
                        .advice = "build or install aapc where that MPI is found, or give --mpi"});
    }
    return *found;
}

}  // namespace

std::vector<std::string> split(std::string_view text, std::string_view separators) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const std::size_t end = text.find_first_of(separators);
        parts.emplace_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return parts;
}

bool speaks() {
    static const bool speaks = launch_environment().speaks();
    return speaks;
}

std::vector<fs::path> library_directories() {
    std::vector<fs::path> directories;
    for (const std::string& directory : split(environment_variable("AAPC_LIBRARY_PATH"), ":")) {
        directories.emplace_back(directory);
    }
    if (const fs::path root = installation(); !root.empty()) {
        const fs::path library = root / "lib";
        directories.push_back(library);                       // where they are built
        directories.push_back(library / "aapc" / "preload");  // and installed
        // Debian's lib/x86_64-linux-gnu.
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(library, error)) {
            if (entry.path().filename().string().find("-linux-") != std::string::npos) {
                directories.push_back(entry.path() / "aapc" / "preload");
            }
        }
        directories.push_back(root / "lib64" / "aapc" / "preload");
    }
    return directories;
}

fs::path find_library(const std::string& name) {
    std::vector<fs::path> places;
    for (const fs::path& directory : library_directories()) {
        places.push_back(directory / name);
    }
    return first_file(places);
}

fs::path absolute_path(const fs::path& path) {
    std::error_code error;
    const fs::path absolute = fs::absolute(path, error);
    return error ? path : absolute;
}

std::string topology_for_ranks(const std::string& topology) {
    if (topology == "-") {
        throw UsageError("--topology", "the ranks of a program cannot read standard input; give a file");
    }
    return asks_for_detection(topology) ? topology : absolute_path(topology).string();
}

void preload(const fs::path& library) {
    const std::string others = environment_variable("LD_PRELOAD");
    setenv("LD_PRELOAD", (library.string() + (others.empty() ? "" : ":" + others)).c_str(), 1);
}

int become(std::vector<std::string> command) {
    std::vector<char*> words;
    words.reserve(command.size() + 1);
    for (std::string& word : command) {
        words.push_back(word.data());
    }
    words.push_back(nullptr);
    execvp(words.front(), words.data());
    const int error = errno;
    complain({command.front(), 0, 0, fmt::format("cannot be run: {}", std::strerror(error)),
              "give a file that may be executed"});
    return error == ENOENT ? program_not_found : program_not_runnable;
}

int become_own_program(const std::string& name, char** arguments) {
    const fs::path program = find_own_program(name);
    if (!program.empty()) {
        execv(program.c_str(), arguments);
    }
    return refuse({.file = "aapc",
                   .problem = program.empty()
                                  ? fmt::format("there is no {} beside this program or in ../libexec/aapc", name)
                                  : fmt::format("{} cannot be run: {}", program.string(), std::strerror(errno)),
                   .advice = "only aapc exec works without it; install aapc as a whole"});
}

int run_mpi_program(const Invocation& invocation, const MpiProgram& program) {
    const auto mpi = mpi_for(program, invocation);
    if (!mpi) {
        return refuse(mpi.error());
    }
    if (program.interposition == Interposition::preloaded) {
        const std::string library = fmt::format("libaapc-{}.so", *mpi);
        const fs::path interposer = find_library(library);
        if (interposer.empty()) {
            return refuse({.file = "aapc",
                           .problem = fmt::format("there is no {} beside this program", library),
                           .advice = "set AAPC_LIBRARY_PATH to the directory that has it"});
        }
        preload(interposer);
    }
    for (const auto& [variable_name, value] : program.environment) {
        setenv(variable_name.c_str(), value.c_str(), 1);
    }
    std::vector<std::string> command = {find_mpi_program(program.name, *mpi)};
    command.insert(command.end(), program.arguments.begin(), program.arguments.end());
    return become(std::move(command));
}

MpiProgram program_behind(const std::string& command, const Invocation& invocation, const std::string& mpi,
                          Interposition interposition) {
    return {"aapc-" + command, mpi, arguments_of(invocation, command), {}, interposition};
}

std::vector<std::string> arguments_of(const Invocation& invocation, std::string_view subcommand) {
    const auto& all = invocation.arguments;
    const auto name = std::find(all.begin() + (all.empty() ? 0 : 1), all.end(), subcommand);
    return name == all.end() ? std::vector<std::string>() : std::vector<std::string>(name + 1, all.end());
}

}  // namespace aapc::cli
