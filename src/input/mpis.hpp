/// @file
/// The MPIs that aapc knows. A row here and one in cmake/AapcMpi.cmake, which builds for it, make a new MPI known.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace aapc {

/// An MPI as programs, launchers and people know it.
struct KnownMpi {
    std::string_view name;   ///< in names of files, in --mpi and in tuning files: "openmpi"
    std::string_view title;  ///< for people: "Open MPI"
    /// What Debian's build of it speaks under Slurm, a value of `srun --mpi`.
    std::string_view srun_mpi;
    /// The algorithm of ours that its default for large blocks does, of those that send one message after the other.
    std::string_view one_by_one;
    /// MPI_Ialltoallv and MPI_Ialltoallw in place are not counted on ranks without data, so that such ranks begin the
    /// next collective call on that communicator with another number than the others (Open MPI 4.1.4).
    bool loses_count_in_place;
    std::string_view abi_title;  ///< of the ABI of its programs, for people
    /// The names (SONAME) of libraries with that ABI. An empty one ends the list.
    std::array<std::string_view, 2> libraries;
    std::string_view component;  ///< file that the MPI itself can load as aapc's; empty if it loads none
};

/// In the order in which the commands of aapc look for them.
inline constexpr auto known_mpis = std::to_array<KnownMpi>({
    {.name = "openmpi",
     .title = "Open MPI",
     .srun_mpi = "pmix",
     .one_by_one = "ring",
     .loses_count_in_place = true,
     .abi_title = "Open MPI's ABI",
     .libraries = {"libmpi.so.40"},
     .component = "mca_coll_aapc.so"},
    // Debian's MPICH; and all others of the MPICH ABI Compatibility Initiative: Intel MPI, MVAPICH, Cray's.
    {.name = "mpich",
     .title = "MPICH",
     .srun_mpi = "pmi2",
     .one_by_one = "pairwise",
     .loses_count_in_place = false,
     .abi_title = "MPICH's ABI",
     .libraries = {"libmpich.so.12", "libmpi.so.12"},
     .component = ""},
});

/// The row of that name; null if no MPI has it.
[[nodiscard]] constexpr const KnownMpi* find_mpi(std::string_view name) {
    const auto* const found =
        std::find_if(known_mpis.begin(), known_mpis.end(), [name](const KnownMpi& mpi) { return mpi.name == name; });
    return found == known_mpis.end() ? nullptr : found;
}

/// The names of all, for people who may choose one: "openmpi or mpich".
[[nodiscard]] inline std::string known_mpi_names() {
    std::string names;
    for (const KnownMpi& mpi : known_mpis) {
        names.append(names.empty() ? "" : " or ").append(mpi.name);
    }
    return names;
}

/// What a program was compiled for: an MPI's own handles, or the standard's.
struct KnownAbi {
    std::string_view name;   ///< of its interposer, libaapc-NAME.so, and in `aapc exec --mpi`
    std::string_view title;  ///< for people
    /// As in KnownMpi.
    std::array<std::string_view, 2> libraries;
};

/// One for each MPI of known_mpis, of its name, and the standard one.
inline constexpr auto known_abis = [] {
    std::array<KnownAbi, known_mpis.size() + 1> abis{};
    std::transform(known_mpis.begin(), known_mpis.end(), abis.begin(), [](const KnownMpi& mpi) {
        return KnownAbi{mpi.name, mpi.abi_title, mpi.libraries};
    });
    abis.back() = {"abi", "the standard ABI", {"libmpi_abi.so.1"}};
    return abis;
}();

/// The ABI that a library of that name (SONAME) has; null if it is not known.
[[nodiscard]] constexpr const KnownAbi* abi_of_library(std::string_view library) {
    for (const KnownAbi& abi : known_abis) {
        for (const std::string_view one : abi.libraries) {
            if (!one.empty() && one == library) {
                return &abi;
            }
        }
    }
    return nullptr;
}

/// The names of all, for people who may choose one: "openmpi or mpich or abi".
[[nodiscard]] inline std::string known_abi_names() {
    std::string names;
    for (const KnownAbi& abi : known_abis) {
        names.append(names.empty() ? "" : " or ").append(abi.name);
    }
    return names;
}

/// Whether a library of that name (SONAME) is an MPI's, also of an MPI that aapc does not know: Open MPI's are
/// libmpi.so.40, MPICH's libmpich.so.12 or libmpi.so.12, those of the standard ABI libmpi_abi.so.1.
[[nodiscard]] constexpr bool is_mpi_library(std::string_view name) {
    return name.starts_with("libmpi.so") || name.starts_with("libmpich.so") || name.starts_with("libmpi_abi.so");
}

}  // namespace aapc
