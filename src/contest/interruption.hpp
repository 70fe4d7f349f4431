/// @file
/// Ctrl-C and requests to end, for programs that want to end between two measurements and not in one.
#pragma once

namespace aapc::contest {

/// From here on SIGINT and SIGTERM are noted instead of ending the process; a second one ends it at once.
void note_interruptions();

/// Whether this process has noted one.
[[nodiscard]] bool interrupted();

}  // namespace aapc::contest
