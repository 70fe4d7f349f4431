#include "cli/interposers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include "cli/launch.hpp"
#include "cli/machine_code.hpp"

namespace aapc::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view interposer_prefix = "libaapc-";
constexpr std::string_view interposer_suffix = ".so";

bool is_mpi_library(std::string_view name) {
    return name.starts_with("libmpi.so") || name.starts_with("libmpich.so") || name.starts_with("libmpi_abi.so");
}

}  // namespace

std::vector<Interposer> find_interposers() {
    std::vector<Interposer> found;
    for (const fs::path& directory : library_directories()) {
        std::error_code error;
        // LD_PRELOAD separates by these and has no way to quote them.
        const fs::path absolute = fs::weakly_canonical(directory, error);
        if (error || absolute.string().find_first_of(": ") != std::string::npos) {
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
            const auto library = std::find_if(object->needed.begin(), object->needed.end(), is_mpi_library);
            if (library != object->needed.end()) {
                found.push_back({mpi, entry.path(), *library});
            }
        }
    }
    return found;
}

Expected<Interposer, std::string> choose_interposer(const fs::path& program) {
    const std::vector<Interposer> interposers = find_interposers();
    const auto found = [&interposers](const auto& matches) -> std::optional<Interposer> {
        const auto interposer = std::find_if(interposers.begin(), interposers.end(), matches);
        return interposer == interposers.end() ? std::nullopt : std::optional<Interposer>(*interposer);
    };
    const auto object = read_object(program);
    if (object && !object->has_dynamic_part) {
        return tl::unexpected<std::string>("it is statically linked, and nothing can be put before its MPI");
    }
    if (object) {
        const std::set<std::string> libraries = libraries_of(*object);
        if (const auto library = std::find_if(libraries.begin(), libraries.end(), is_mpi_library);
            library != libraries.end()) {
            if (auto interposer = found([&](const Interposer& one) { return libraries.contains(one.mpi_library); })) {
                return *interposer;
            }
            return tl::unexpected(fmt::format(
                "it uses {}, for which there is no interposer beside this program or in $AAPC_LIBRARY_PATH", *library));
        }
    }
    // A script, or an interpreter that loads its MPI later. Whoever launched it knows which one.
    const std::string mpi = launcher();
    if (mpi.empty()) {
        return tl::unexpected<std::string>(
            "it is not linked to an MPI and no MPI's launcher has started it (write mpirun before aapc exec)");
    }
    if (auto interposer = found([&mpi](const Interposer& one) { return one.mpi == mpi; })) {
        return *interposer;
    }
    return tl::unexpected(fmt::format("there is no libaapc-{}.so beside this program or in $AAPC_LIBRARY_PATH", mpi));
}

}  // namespace aapc::cli
