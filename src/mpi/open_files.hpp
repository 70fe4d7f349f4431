/// @file
/// The files that this process has open.
#pragma once

#include <dirent.h>

#include <cstdlib>
#include <memory>

namespace aapc::mpi {

/// Calls `action` with the number of each. Takes one for a moment, which is not among them. False if the system does
/// not say.
template <class Action>
bool for_each_open_file(Action action) {
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir("/proc/self/fd"), closedir);
    if (!directory) {
        return false;
    }
    while (const dirent* const entry = readdir(directory.get())) {
        char* end = nullptr;
        const auto number = static_cast<int>(std::strtol(entry->d_name, &end, 10));
        if (end != entry->d_name && number != dirfd(directory.get())) {
            action(number);
        }
    }
    return true;
}

}  // namespace aapc::mpi
