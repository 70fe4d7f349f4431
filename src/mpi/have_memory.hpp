/// @file
/// Where memory may end. Between what ranks have agreed on and what they do together nothing may fail on one of them
/// alone, so whatever takes memory comes before an agreement, and says in it whether there was enough.
#pragma once

#include <cstdlib>
#include <exception>

namespace aapc::mpi {

/// Without memory for an exception, and without what the C++ library sets aside for that when it is loaded, the program
/// would end where one is thrown.
[[nodiscard]] inline bool have_memory_to_throw() noexcept {
    constexpr std::size_t exception_bytes = 512;
    void* volatile room = std::malloc(exception_bytes);
    std::free(room);
    return room != nullptr;
}

/// Does what takes memory; false if there was not enough of it. What `action` had done by then stays done.
template <class Action>
[[nodiscard]] bool have_memory_for(Action action) noexcept {
    if (!have_memory_to_throw()) {
        return false;
    }
    try {
        action();
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

}  // namespace aapc::mpi
