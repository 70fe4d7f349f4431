/// @file
/// Ctrl-C and requests to end, for programs that want to end between two measurements and not in one.
#pragma once

namespace aapc::bench {

/// From here on SIGINT and SIGTERM are noted instead of ending the process. Launchers pass one Ctrl-C on as several
/// signals, so further ones change nothing; what does not end soon is killed by the launcher.
void note_interruptions();

/// Whether this process has noted one.
[[nodiscard]] bool interrupted();

}  // namespace aapc::bench
