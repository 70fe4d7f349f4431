/// @file
/// What a file of machine code needs to run, read as the dynamic linker reads it, without running it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace aapc::cli {

/// The part of an ELF file that the dynamic linker reads.
struct DynamicObject {
    std::filesystem::path path;
    bool is_static = true;             ///< without a dynamic linker: statically linked, also as static-pie
    std::string soname;                ///< the name of a library to the dynamic linker; may be empty
    std::vector<std::string> needed;   ///< names of libraries
    std::vector<std::string> rpath;    ///< directories, looked at before LD_LIBRARY_PATH
    std::vector<std::string> runpath;  ///< directories, looked at after it
    std::uint16_t machine = 0;         ///< what processor it is for
};

/// Reads an ELF file of this machine's own word size; nothing if it is something else.
[[nodiscard]] std::optional<DynamicObject> read_object(const std::filesystem::path& path);

/// The names of all libraries that a program needs, directly or not, found as the dynamic linker would find them. A
/// library has the name by which it is needed and its own (SONAME), where these differ: both satisfy who needs it.
[[nodiscard]] std::set<std::string> libraries_of(const DynamicObject& program);

}  // namespace aapc::cli
