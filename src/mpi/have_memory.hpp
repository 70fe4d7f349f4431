/// @file
/// Where memory may end. Between what ranks have agreed on and what they do together nothing may fail on one of them
/// alone, so whatever takes memory comes before an agreement, and says in it whether there was enough.
#pragma once

#include <exception>

namespace aapc::mpi {

/// Does what takes memory; false if there was not enough of it. What `action` had done by then stays done.
template <class Action>
[[nodiscard]] bool have_memory_for(Action action) noexcept {
    try {
        action();
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

}  // namespace aapc::mpi
