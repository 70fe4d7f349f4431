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
#include "input/environment.hpp"

namespace aapc::cli {

namespace {

namespace fs = std::filesystem;

/// The first of these that is a file; empty if none is.
fs::path first_file(const std::vector<fs::path>& places) {
    const auto found = std::find_if(places.begin(), places.end(), [](const fs::path& place) {
        std::error_code error;
        return fs::is_regular_file(place, error);
    });
    return found == places.end() ? fs::path() : fs::weakly_canonical(*found);
}

/// Beside this program where it was built, in libexec where it is installed.
fs::path find_mpi_program(const std::string& name) {
    std::error_code error;
    const fs::path own = fs::read_symlink("/proc/self/exe", error).parent_path();
    return first_file({own / name, own.parent_path() / "libexec" / "aapc" / name});
}

fs::path find_library(const std::string& name) {
    std::vector<fs::path> places;
    for (const fs::path& directory : library_directories()) {
        places.push_back(directory / name);
    }
    return first_file(places);
}

int refuse(const Diagnostic& diagnostic) {
    if (speaks()) {
        complain(diagnostic);
    }
    return bad_input;
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

std::string launcher() {
    if (!environment_variable("OMPI_COMM_WORLD_SIZE").empty()) {
        return "openmpi";
    }
    return environment_variable("PMI_RANK").empty() ? "" : "mpich";
}

bool speaks() {
    for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
        if (const std::string rank = environment_variable(name); !rank.empty()) {
            return rank == "0";
        }
    }
    return true;
}

std::vector<fs::path> library_directories() {
    std::vector<fs::path> directories;
    for (const std::string& directory : split(environment_variable("AAPC_LIBRARY_PATH"), ":")) {
        directories.emplace_back(directory);
    }
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (!error) {
        const fs::path library = program.parent_path().parent_path() / "lib";
        directories.push_back(library);
        // Debian's lib/x86_64-linux-gnu.
        for (const auto& entry : fs::directory_iterator(library, error)) {
            if (entry.path().filename().string().find("-linux-") != std::string::npos) {
                directories.push_back(entry.path());
            }
        }
        directories.push_back(program.parent_path().parent_path() / "lib64");
    }
    return directories;
}

std::string topology_for_ranks(const std::string& topology) {
    return asks_for_detection(topology) ? topology : fs::absolute(topology).string();
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

int run_mpi_program(const Invocation& invocation, std::string_view program, const std::vector<std::string>& arguments,
                    const std::vector<std::pair<std::string, std::string>>& environment, Interposition interposition) {
    const std::string mpi = launcher();
    if (mpi.empty()) {
        return refuse(
            {.file = "aapc",
             .problem = "no MPI's launcher has started this",
             .advice = fmt::format("write mpirun before it: mpirun -n 16 {}", fmt::join(invocation.arguments, " "))});
    }
    const std::string name = fmt::format("{}-{}", program, mpi);
    const fs::path path = find_mpi_program(name);
    if (path.empty()) {
        return refuse({.file = "aapc",
                       .problem = fmt::format("this was started by {}, and {} is not there", mpi, name),
                       .advice = "build or install aapc where that MPI is found"});
    }
    if (interposition == Interposition::preloaded) {
        const std::string library = fmt::format("libaapc-{}.so", mpi);
        const fs::path interposer = find_library(library);
        if (interposer.empty()) {
            return refuse({.file = "aapc",
                           .problem = fmt::format("there is no {} beside this program", library),
                           .advice = "set AAPC_LIBRARY_PATH to the directory that has it"});
        }
        preload(interposer);
    }
    for (const auto& [variable_name, value] : environment) {
        setenv(variable_name.c_str(), value.c_str(), 1);
    }
    std::vector<std::string> command = {path.string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return become(std::move(command));
}

std::vector<std::string> arguments_of(const Invocation& invocation, std::string_view subcommand) {
    const auto& all = invocation.arguments;
    const auto name = std::find(all.begin() + (all.empty() ? 0 : 1), all.end(), subcommand);
    return name == all.end() ? std::vector<std::string>() : std::vector<std::string>(name + 1, all.end());
}

}  // namespace aapc::cli
