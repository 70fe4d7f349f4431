/// @file
/// How a schedule uses the network cards of machines with several ranks (the single-ported model of Sanders & Träff
/// 2002, section 1).
#pragma once

#include <cstdint>

#include "aapc/check/schedule.hpp"
#include "aapc/input/diagnostic.hpp"

namespace aapc {

/// What a machine's ports cost a schedule.
struct NodeUse {
    /// Phases in which a message goes from one machine to another.
    std::int64_t wire_phases = 0;
    /// No schedule has fewer such phases with these ports if ranks send one message per phase: a machine with s of P
    /// ranks has s·(P-s) messages to send to others.
    std::int64_t least_wire_phases = 0;
};

/// Checks that in every phase every machine sends at most `ports` (at least 1) messages to other machines and receives
/// at most as many from them; messages between ranks of one machine do not count. Shares nothing with any algorithm.
/// O(messages + phases + machines).
[[nodiscard]] Expected<NodeUse, Violation> check_node_ports(const Schedule& schedule, std::int32_t ports);

}  // namespace aapc
