/// @file
/// For whoever wants to know of waiting that may be for good.
#pragma once

namespace aapc::mpi {

/// Takes the seconds that this thread has waited for messages without one coming.
using LongWaitListener = void (*)(double seconds) noexcept;

/// Calls the listener once in each wait that takes longer than `seconds`, on the thread that waits. Waits that end
/// sooner cost nothing more. Null: nobody listens any more.
void listen_for_long_waits(LongWaitListener listener, double seconds);

}  // namespace aapc::mpi
