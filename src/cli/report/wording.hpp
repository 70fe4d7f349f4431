/// @file
/// What page and text say in the same words.
#pragma once

#include <string>
#include <vector>

#include "cli/report/figures.hpp"

namespace aapc::report {

/// "3.12 ms".
[[nodiscard]] std::string time_text(double seconds);
/// "47 %", "0.3 %".
[[nodiscard]] std::string percent(double share);
/// "64 KiB", or "60 KiB to 64 KiB".
[[nodiscard]] std::string size_range(const Group& group);
/// "n[0-3]", in the order of their names, each once; the beginning where there are very many.
[[nodiscard]] std::string machines_text(std::vector<std::string> hosts);
/// What an MPI says of itself up to the first comma: "Open MPI v4.1.4".
[[nodiscard]] std::string library_text(const std::string& library);
/// "All-to-alls took 9.42 s of 20 s, 47 % of the job."
[[nodiscard]] std::string headline(const Figures& figures);

}  // namespace aapc::report
