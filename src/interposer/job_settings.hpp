/// @file
/// How a job comes to its settings: rank 0 reads them, and all ranks go by them.
#pragma once

#include <optional>

#include "selection/settings.hpp"

namespace aapc::interposer {

/// Whether calls can be served with the library of this process; where not, the first process of the job says why.
/// Local.
[[nodiscard]] bool serves_this_library();

/// Rank 0's settings on all ranks, or nothing: none are set, or rank 0 has said what is wrong. Collective over the
/// world: one small broadcast where nothing is set.
[[nodiscard]] std::optional<selection::Settings> shared_settings();

/// Says so if the launcher has started several processes and MPI_COMM_WORLD has this one alone: it is another MPI's.
/// Local; the first process of the job speaks.
void say_if_alone();

}  // namespace aapc::interposer
