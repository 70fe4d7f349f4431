#include "cli/interposers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include "cli/launch.hpp"
#include "cli/machine_code.hpp"
#include "input/mpis.hpp"

namespace aapc::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view interposer_prefix = "libaapc-";
constexpr std::string_view interposer_suffix = ".so";

constexpr const char* late_library = "libaapc-late.so";

tl::unexpected<std::string> not_there(std::string_view mpi) {
    return tl::unexpected(fmt::format("there is no libaapc-{}.so beside this program or in $AAPC_LIBRARY_PATH", mpi));
}

std::vector<std::string> libraries_of_abi(std::string_view name) {
    std::vector<std::string> libraries;
    for (const KnownAbi& abi : known_abis) {
        if (abi.name == name) {
            for (const std::string_view library : abi.libraries) {
                if (!library.empty()) {
                    libraries.emplace_back(library);
                }
            }
        }
    }
    return libraries;
}

/// LIBRARY=INTERPOSER, separated by colons, as libaapc-late.so reads it.
std::string in_one_variable(const std::vector<Interposer>& interposers) {
    std::vector<std::string> words;
    for (const Interposer& interposer : interposers) {
        for (const std::string& library : interposer.mpi_libraries) {
            words.push_back(fmt::format("{}={}", library, interposer.path.string()));
        }
    }
    return fmt::format("{}", fmt::join(words, ":"));
}

/// A variable that lists directories separates them by colons and cannot quote one.
bool can_be_listed(const fs::path& directory) { return directory.string().find_first_of(": ") == std::string::npos; }

}  // namespace

std::vector<Interposer> find_interposers() {
    std::vector<Interposer> found;
    for (const fs::path& directory : library_directories()) {
        std::error_code error;
        const fs::path absolute = fs::weakly_canonical(directory, error);
        if (error || !can_be_listed(absolute)) {
            continue;
        }
        for (const auto& entry : fs::directory_iterator(absolute, error)) {
            const std::string name = entry.path().filename();
            if (!name.starts_with(interposer_prefix) || !name.ends_with(interposer_suffix)) {
                continue;
            }
            const std::string mpi = name.substr(interposer_prefix.size(),
                                                name.size() - interposer_prefix.size() - interposer_suffix.size());
            const bool known = std::any_of(found.begin(), found.end(),
                                           [&mpi](const Interposer& interposer) { return interposer.mpi == mpi; });
            const auto object = read_object(entry.path());
            if (known || !object) {
                continue;
            }
            // One that is linked to an MPI brings that one along; any other serves what has its ABI.
            std::vector<std::string> libraries;
            std::copy_if(object->needed.begin(), object->needed.end(), std::back_inserter(libraries), is_mpi_library);
            if (libraries.empty()) {
                libraries = libraries_of_abi(mpi);
            }
            if (!libraries.empty()) {
                found.push_back({mpi, entry.path(), libraries});
            }
        }
    }
    return found;
}

Expected<Interposing, std::string> choose_interposer(const fs::path& program, const std::string& mpi) {
    std::vector<Interposer> interposers = find_interposers();
    if (!mpi.empty()) {
        std::erase_if(interposers, [&mpi](const Interposer& one) { return one.mpi != mpi; });
        if (interposers.empty()) {
            return not_there(mpi);
        }
    }
    const auto object = read_object(program);
    if (object && object->is_static) {
        return tl::unexpected<std::string>("it is statically linked, and nothing can be put before its MPI");
    }
    const std::set<std::string> libraries = object ? libraries_of(*object) : std::set<std::string>();
    if (const auto library = std::find_if(libraries.begin(), libraries.end(), is_mpi_library);
        library != libraries.end()) {
        // The interposer of another ABI takes handles for what they are not, or brings along a second MPI: such a
        // program hangs or crashes.
        const auto fitting = std::find_if(interposers.begin(), interposers.end(), [&libraries](const Interposer& one) {
            return std::any_of(one.mpi_libraries.begin(), one.mpi_libraries.end(),
                               [&libraries](const std::string& name) { return libraries.contains(name); });
        });
        if (fitting != interposers.end()) {
            return Interposing{.library = fitting->path,
                               .of_program = *library,
                               .mpi = fitting->mpi,
                               .libraries_of_program = libraries};
        }
        return tl::unexpected(
            mpi.empty() ? fmt::format("it uses {}, for which there is no interposer beside this program or in "
                                      "$AAPC_LIBRARY_PATH",
                                      *library)
                        : fmt::format("it uses {}, and the interposer of --mpi {} is for programs of {}", *library, mpi,
                                      fmt::join(interposers.front().mpi_libraries, " or ")));
    }
    if (!mpi.empty()) {
        return Interposing{interposers.front().path};
    }
    // A script, or an interpreter that loads its MPI later.
    const fs::path late = find_library(late_library);
    if (late.empty()) {
        return not_there("late");
    }
    return Interposing{late, in_one_variable(interposers)};
}

Expected<fs::path, std::string> find_component(const Interposing& interposing) {
    const KnownMpi* const mpi = interposing.of_program.empty() ? nullptr : find_mpi(interposing.mpi);
    if (mpi == nullptr || mpi->component.empty()) {
        return tl::unexpected<std::string>("the program is linked to no MPI that loads components");
    }
    const fs::path directory = interposing.library.parent_path();
    // Where it is built, and where it is installed.
    for (const fs::path& place : {directory / mpi->name, directory.parent_path() / mpi->name}) {
        const auto component = read_object(place / mpi->component);
        if (!component || !can_be_listed(place)) {
            continue;
        }
        // It is made for one series of the MPI, and another one leaves it alone without a word. What it is linked to
        // says which series: Open MPI's libopen-pal has another name in each, libmpi has not.
        const auto& loaded = interposing.libraries_of_program;
        const auto missing = std::find_if(component->needed.begin(), component->needed.end(),
                                          [&](const std::string& name) { return !loaded.contains(name); });
        if (missing == component->needed.end()) {
            return place;
        }
        return tl::unexpected(
            fmt::format("{} is for an {} with {}, which the program's has not", mpi->component, mpi->title, *missing));
    }
    return tl::unexpected(fmt::format("there is no {} beside this program's libraries", mpi->component));
}

Diagnostic unknown_mpi(const std::string& mpi, const std::vector<std::string>& known) {
    return {.file = "--mpi",
            .problem = fmt::format("there is no MPI '{}'", mpi),
            .advice = known.empty() ? "install aapc where an MPI is found"
                                    : fmt::format("choose {}", fmt::join(known, " or "))};
}

}  // namespace aapc::cli
