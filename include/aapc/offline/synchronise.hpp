/// @file
/// The messages that keep the phases of a schedule apart (Faraj, Yuan & Patarasuk 2007, section 5).
#pragma once

#include <vector>

#include "aapc/check/schedule.hpp"
#include "aapc/timetable/synchronisation.hpp"

namespace aapc {

/// How the candidates are thinned out.
enum class Reduction : std::uint8_t {
    none,       ///< all candidates that need a synchronisation message
    pair_rule,  ///< per pair of processes; each rank can do its own share from its own messages alone
    exact,      ///< transitive reduction
};

/// Everything below works from the explicit table and shares no code with the per-rank computation in
/// aapc/plan/plan.hpp; tests hold the two against each other.

/// All candidates: the pairs of consecutive users of any directed link, each once, edges between messages of one sender
/// included. Sorted. Every order between two contending messages follows from these by transitivity, because a directed
/// link has at most one user a phase. O(P²·D) for P ranks and routes of D links.
[[nodiscard]] std::vector<Edge> synchronisation_candidates(const Schedule& schedule);

/// The edges that are carried out by synchronisation messages. `sender`: edges between messages of one sender are left
/// out, since each rank completes its sends one after the other. `receiver`: they stay, because a send may complete
/// locally long before it is received; an edge whose signaller is also its waiter costs no message but stays as well.
/// Kinds with blocks: the reduction comes first and then only the edges for which has_token_between() holds stay, as in
/// the paper (section 5). Other synchronisations have none. Sorted. pair_rule O(E), exact O(E·P) time and O(P·D·P)
/// space.
[[nodiscard]] std::vector<Edge> synchronisation_edges(const Schedule& schedule, const Synchronisation& synchronisation,
                                                      Reduction reduction);

/// The dummy messages of `dummy` (2007, section 5): in each phase, the ranks of one switch that send nothing, in
/// ascending order, each get the lowest other rank of that switch that receives nothing and is not taken yet; a rank
/// that finds none sends to itself (from == to). Sorted by phase, then sender. For other kinds and for timetables that
/// are not contention-free there are none. O(N·P) time and space for N phases.
[[nodiscard]] std::vector<Transfer> dummy_transfers(const Schedule& schedule, const Synchronisation& synchronisation);

}  // namespace aapc
