/// @file
/// The algorithm `aggregate`: the ranks of a machine put their blocks for another machine together, and one message
/// takes them there. docs/aggregate.md has the formulas and what they were checked against.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "aapc/algorithms/algorithm.hpp"

namespace aapc::aggregate {

inline constexpr std::string_view carriers_all = "carriers-all";
inline constexpr std::string_view carriers_1 = "carriers-1";
inline constexpr std::string_view bruck = "bruck";
inline constexpr std::string_view switches = "switches";
inline constexpr std::string_view variants[] = {carriers_all, carriers_1, bruck, switches};

/// Numbered variants: "carriers-4" for four carriers on each machine with at least four ranks.
inline constexpr std::string_view carriers_prefix = "carriers-";

/// Blocks so small that the number of messages counts, where several ranks share a machine: a candidate for learning,
/// under any MPI. A rule has no data to decide whether native is slower.
inline constexpr Use uses[] = {
    {.kind = NetworkKind::tree, .from_bytes = 1, .below_bytes = 4097, .only_learned = true},
    {.kind = NetworkKind::detected, .from_bytes = 1, .below_bytes = 4097, .only_learned = true}};

/// N machines, P ranks, n of them on the largest machine. First every rank sends the carriers of its machine the blocks
/// that they carry for it, together with those for themselves (n-1 phases; a rank that is no carrier gets only its
/// block). Then machine u sends to machine u+k, modulo N, in phase k of N-1: one message with all blocks between the
/// two, by the carrier of u that has the other machine in its share, to the carrier of the other that has u in its own.
/// In the last n-1 phases the carriers distribute the received blocks. So N·(N-1) messages cross the wires, the fewest
/// that go straight, every block crosses them once, and a block is sent three times at most.
///
/// `carriers-all`: every rank is a carrier. `carriers-K`: K of a machine at most. `bruck`: one carrier per machine, and
/// blocks go from machine to machine as in `bruck` of radix 2: ceil(log2 N) messages per machine. `switches`: the
/// machines of a switch count as one machine, those of a cluster where the network has clusters; all its ranks carry.
/// Messages inside such a group may then also cross between its machines.
[[nodiscard]] Expected<std::unique_ptr<Timetable>> build(const Network& network, const Placement& placement,
                                                         std::string_view variant);

/// Whether some machine has several ranks. O(participants).
[[nodiscard]] bool has_what_to_put_together(const Placement& placement);

/// More carriers, so that each has to hold less; none of `carriers-all`.
[[nodiscard]] std::optional<std::string> more_carriers(std::string_view variant);

}  // namespace aapc::aggregate
