/// @file
/// The interposers of this installation, and which of them a program needs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "aapc/input/diagnostic.hpp"

namespace aapc::cli {

struct Interposer {
    std::string mpi;  ///< "openmpi", from the file's name
    std::filesystem::path path;
    std::string mpi_library;  ///< "libmpi.so.40", what it needs
};

/// The first of each MPI, in the order of library_directories().
[[nodiscard]] std::vector<Interposer> find_interposers();

/// Either the interposer that a program needs or why there is none.
[[nodiscard]] Expected<Interposer, std::string> choose_interposer(const std::filesystem::path& program);

}  // namespace aapc::cli
