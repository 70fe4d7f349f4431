#include "interposer/this_mpi.hpp"

#include <dlfcn.h>
#include <fmt/core.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "interposer/loaded_mpi.hpp"

namespace aapc::interposer {

namespace {

constexpr std::string_view compiled_for = AAPC_MPI;

/// What the library of MPI in this process says of itself.
struct LibraryOfProcess {
    std::string_view name;  ///< to the dynamic linker; empty if there is none
    /// As long as MPICH's, whichever MPI this is compiled for: Open MPI's longest is 256.
    std::array<char, std::max(8192, MPI_MAX_LIBRARY_VERSION_STRING)> version{};
};

LibraryOfProcess library_of_process() {
    LibraryOfProcess library;
    library.name = library_with(dlsym(RTLD_DEFAULT, "PMPI_Type_size")).name;
    int length = 0;
    PMPI_Get_library_version(library.version.data(), &length);
    return library;
}

/// Open MPI's is the one ABI of its own; every other library that tells its version here has MPICH's.
bool is_open_mpi(std::string_view version) { return version.starts_with("Open MPI"); }

/// Whether predefined handles mean here what they meant to the compiler.
bool handles_fit() {
    const auto has_size = [](MPI_Datatype type, std::size_t expected) {
        int size = 0;
        return PMPI_Type_size(type, &size) == MPI_SUCCESS && static_cast<std::size_t>(size) == expected;
    };
    int alone = 0;
    int all = 0;
    return has_size(MPI_BYTE, 1) && has_size(MPI_INT, sizeof(int)) && has_size(MPI_DOUBLE, sizeof(double)) &&
           has_size(MPI_INT64_T, sizeof(std::int64_t)) && PMPI_Comm_size(MPI_COMM_SELF, &alone) == MPI_SUCCESS &&
           alone == 1 && PMPI_Comm_size(MPI_COMM_WORLD, &all) == MPI_SUCCESS && all >= 1;
}

/// Whether a status is as large as the compiler believed, and has its members where that put them.
bool status_fits() {
    struct Guarded {
        std::array<unsigned char, 64> before;
        MPI_Status status;
        std::array<unsigned char, 64> behind;
    } guarded{};
    constexpr unsigned char guard = 0xA5;
    std::memset(&guarded, guard, sizeof guarded);
    constexpr int elements = 77;
    int counted = 0;
    int cancelled = 1;
    guarded.status.MPI_ERROR = MPI_SUCCESS;
    if (PMPI_Status_set_elements(&guarded.status, MPI_INT, elements) != MPI_SUCCESS ||
        PMPI_Status_set_cancelled(&guarded.status, 0) != MPI_SUCCESS ||
        PMPI_Get_count(&guarded.status, MPI_INT, &counted) != MPI_SUCCESS ||
        PMPI_Test_cancelled(&guarded.status, &cancelled) != MPI_SUCCESS) {
        return false;
    }
    const auto intact = [](const auto& bytes) {
        return std::all_of(bytes.begin(), bytes.end(), [](unsigned char byte) { return byte == guard; });
    };
    return counted == elements && cancelled == 0 && guarded.status.MPI_ERROR == MPI_SUCCESS && intact(guarded.before) &&
           intact(guarded.behind);
}

/// A library of another ABI takes handles for addresses, or the other way round: it must not be asked with one.
bool has_others(const LibraryOfProcess& library) {
    const KnownAbi* const abi = abi_of_library(library.name);
    if (compiled_for == "abi") {
        return abi == nullptr || abi->name != compiled_for;
    }
    return (compiled_for == "openmpi") != is_open_mpi(library.version.data()) ||
           (abi != nullptr && abi->name != compiled_for);
}

/// The name of the interposer's ABI for a library; empty if it is not known.
std::string_view fitting_abi(const LibraryOfProcess& library) {
    const KnownAbi* const abi = abi_of_library(library.name);
    if (is_open_mpi(library.version.data()) && (abi == nullptr || abi->name != "abi")) {
        return "openmpi";
    }
    return abi == nullptr ? "" : abi->name;
}

}  // namespace

bool has_other_handles() {
    if (const Handles known = handles_of_process.load(std::memory_order_relaxed); known != Handles::unknown) {
        return known == Handles::others;
    }
    if (dlsym(RTLD_DEFAULT, "PMPI_Type_size") == nullptr) {
        return false;  // as yet there is no MPI that could be asked
    }
    const bool others = has_others(library_of_process());
    handles_of_process.store(others ? Handles::others : Handles::as_compiled, std::memory_order_relaxed);
    return others;
}

const KnownMpi& this_mpi() {
    static const KnownMpi& mpi = []() -> const KnownMpi& {
        if constexpr (compiled_for != "abi") {
            return *find_mpi(compiled_for);
        }
        return *find_mpi(is_open_mpi(library_of_process().version.data()) ? "openmpi" : "mpich");
    }();
    return mpi;
}

std::optional<std::string> foreign_library() {
    const LibraryOfProcess library = library_of_process();
    const auto foreign = [&](std::string_view what) {
        std::string first_line = library.version.data();
        first_line.resize(std::min(first_line.size(), first_line.find_first_of(",\n\r")));
        std::replace(first_line.begin(), first_line.end(), '\t', ' ');
        return fmt::format("{} ({}) {}", library.name, first_line, what);
    };
    if (has_others(library)) {
        const std::string_view fitting = fitting_abi(library);
        return foreign(fmt::format(
            "does not have the handles that libaapc-{}.so is made for; {}, or let 'aapc exec' choose", compiled_for,
            fitting.empty() ? "preload nothing" : fmt::format("preload libaapc-{}.so", fitting)));
    }
    if (!handles_fit()) {
        return foreign("gives its handles other values than libaapc-" AAPC_MPI ".so believes");
    }
    if (!status_fits()) {
        return foreign("has an MPI_Status that is not the one of libaapc-" AAPC_MPI ".so");
    }
    return std::nullopt;
}

}  // namespace aapc::interposer
