/// @file
/// The algorithm `linear`: every rank sends to rank 0, then to rank 1, and so on (LAM/MPI's order; Faraj & Yuan 2005,
/// section 6).
#pragma once

#include <memory>
#include <string_view>

#include "aapc/algorithms/algorithm.hpp"

namespace aapc::baselines {

/// P phases for P > 1 ranks, phase d for the messages to rank d, which has nothing to send then. Promises nothing: all
/// messages of a phase meet at one port. Customarily all phases are started at once.
[[nodiscard]] Expected<std::unique_ptr<Timetable>> build_linear(const Network& network, const Placement& placement,
                                                                std::string_view variant);

}  // namespace aapc::baselines
