/// @file
/// The interposers of this installation, and which of them a program needs.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "aapc/input/diagnostic.hpp"

namespace aapc::cli {

struct Interposer {
    std::string mpi;  ///< "openmpi", from the file's name
    std::filesystem::path path;
    std::vector<std::string> mpi_libraries;  ///< "libmpi.so.40": the names of libraries whose programs it serves
};

/// The first of each ABI, in the order of library_directories().
[[nodiscard]] std::vector<Interposer> find_interposers();

/// What goes before a program, and what it is told.
struct Interposing {
    std::filesystem::path library;
    std::string later = {};       ///< value of AAPC_INTERPOSERS, where the library is the one that waits for an MPI
    std::string of_program = {};  ///< the MPI's library that the program is linked to; empty if it is linked to none
    std::string mpi = {};         ///< the interposer's; empty where the library waits for an MPI
    std::set<std::string> libraries_of_program = {};  ///< all that it loads
};

/// What a program needs, or why nothing can be done for it. A program that is linked to an MPI gets that MPI's
/// interposer; one that is linked to none, a script or an interpreter, gets the library that waits until an MPI is
/// loaded. `mpi` is the name that the user gave with --mpi, or empty. It decides for programs that are linked to none;
/// a program that is linked to another MPI gets nothing.
[[nodiscard]] Expected<Interposing, std::string> choose_interposer(const std::filesystem::path& program,
                                                                   const std::string& mpi);

/// The directory of the component that the MPI of the program can load in place of the library; or why it cannot. Reads
/// the component's file.
[[nodiscard]] Expected<std::filesystem::path, std::string> find_component(const Interposing& interposing);

/// The names of MPIs for `--mpi`, where `mpi` is not among `known`.
[[nodiscard]] Diagnostic unknown_mpi(const std::string& mpi, const std::vector<std::string>& known);

}  // namespace aapc::cli
