/// @file
/// Where the routines behind the preloaded interposer are found.
#pragma once

#include <dlfcn.h>

namespace aapc::interposer {

/// Where to look for what is behind this library, for dlsym(): RTLD_NEXT. Where libaapc-late.so is in the process, it
/// may be what comes next and would lead back here, or it has loaded this library, which is then in nobody's order; so
/// it is the MPI that this library is linked to.
[[nodiscard]] void* behind();

/// What the dynamic linker finds next after this library; null if there is nothing. The PMPI_ name is asked for, so
/// that a tool that wraps MPI_ names and calls PMPI_ ones is not entered a second time from below. The interposer of
/// the standard ABI, which leaves the PMPI_ names alone, asks for the MPI_ name: tools that were preloaded after it see
/// the call.
[[nodiscard]] inline void* find_next_address(const char* profiling_name, const char* name) {
    const char* const first = AAPC_STANDARD_ABI ? name : profiling_name;
    const char* const second = AAPC_STANDARD_ABI ? profiling_name : name;
    void* const address = dlsym(behind(), first);
    return address != nullptr ? address : dlsym(behind(), second);
}

}  // namespace aapc::interposer
