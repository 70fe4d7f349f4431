/// @file
/// Which MPI's library is loaded in this process, as the dynamic linker knows it. Nothing here asks for memory or calls
/// MPI.
#pragma once

#include <link.h>

#include <cstdint>
#include <string_view>

#include "input/mpis.hpp"

namespace aapc::interposer {

/// The name behind the last slash.
inline std::string_view file_name(std::string_view path) {
    path.remove_prefix(path.rfind('/') + 1);  // npos + 1 is 0
    return path;
}

/// The name that a loaded library has to the dynamic linker (DT_SONAME), whatever its file is called: libmpi.so may be
/// a link to libmpi.so.40, and libmpi.so.12 one to libmpich.so.12. The file's name if there is none.
inline std::string_view linker_name(const dl_phdr_info& info) {
    const ElfW(Dyn)* entry = nullptr;
    for (const ElfW(Phdr)* segment = info.dlpi_phdr; segment != info.dlpi_phdr + info.dlpi_phnum; ++segment) {
        if (segment->p_type == PT_DYNAMIC) {
            // NOLINTNEXTLINE(performance-no-int-to-ptr): the dynamic linker gives addresses as numbers
            entry = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + segment->p_vaddr);
        }
    }
    ElfW(Addr) strings = 0;
    ElfW(Xword) offset = 0;
    for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
        if (entry->d_tag == DT_STRTAB) {
            strings = entry->d_un.d_ptr;
        } else if (entry->d_tag == DT_SONAME) {
            offset = entry->d_un.d_val;
        }
    }
    if (strings == 0 || offset == 0) {
        return file_name(info.dlpi_name);
    }
    // glibc has added the library's place, except where it may not write there.
    strings += strings < info.dlpi_addr ? info.dlpi_addr : 0;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): as above
    return reinterpret_cast<const char*>(strings + offset);
}

/// A loaded library; the texts stay where they are as long as it is loaded.
struct LoadedLibrary {
    const char* path = nullptr;  ///< null if there is none
    std::string_view name;       ///< to the dynamic linker
};

/// The first library of an MPI, in the order in which the dynamic linker loaded them.
inline LoadedLibrary first_loaded_mpi() {
    LoadedLibrary found;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t /*size*/, void* result) {
            const std::string_view name = linker_name(*info);
            if (!is_mpi_library(name)) {
                return 0;
            }
            *static_cast<LoadedLibrary*>(result) = {info->dlpi_name, name};
            return 1;
        },
        &found);
    return found;
}

/// The library that has the code at this address.
inline LoadedLibrary library_with(const void* address) {
    struct Search {
        std::uintptr_t address;
        LoadedLibrary found;
    } search = {reinterpret_cast<std::uintptr_t>(address), {}};
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t /*size*/, void* data) {
            auto& wanted = *static_cast<Search*>(data);
            for (const ElfW(Phdr)* segment = info->dlpi_phdr; segment != info->dlpi_phdr + info->dlpi_phnum;
                 ++segment) {
                const std::uintptr_t begin = info->dlpi_addr + segment->p_vaddr;
                if (segment->p_type == PT_LOAD && wanted.address >= begin &&
                    wanted.address - begin < segment->p_memsz) {
                    wanted.found = {info->dlpi_name, linker_name(*info)};
                    return 1;
                }
            }
            return 0;
        },
        &search);
    return search.found;
}

}  // namespace aapc::interposer
