/// @file
/// Synchronisations: how the phases of a schedule are kept apart when it runs
/// (Faraj, Yuan & Patarasuk 2007, section 5; `timed` is this project's own).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "aapc/diagnostic.hpp"
#include "aapc/timetable.hpp"

namespace aapc {

class Schedule;

enum class Synchronisation : std::uint8_t {
    none,      ///< each rank sends in phase order; nothing keeps the phases apart
    sender,    ///< a message starts after the sends that it would contend with are locally complete
    receiver,  ///< a message starts after the messages that it would contend with have been received
    timed,     ///< every segment of a message starts by the clock, in its phase's slot
};

struct SynchronisationEntry {
    Synchronisation value;
    std::string_view name;
    std::string_view summary;
};

[[nodiscard]] std::span<const SynchronisationEntry> synchronisations();
[[nodiscard]] std::string_view to_string(Synchronisation synchronisation);
[[nodiscard]] Expected<Synchronisation> parse_synchronisation(std::string_view name);
/// Whether it works by synchronisation messages (`sender`, `receiver`), so that a schedule has edges.
[[nodiscard]] bool uses_edges(Synchronisation synchronisation);

/// Message `after` must be complete before message `before` starts, in the synchronisation's sense of complete.
struct Edge {
    Transfer after;
    Transfer before;

    friend bool operator==(const Edge&, const Edge&) = default;
    friend auto operator<=>(const Edge&, const Edge&) = default;
};

/// How the candidates are thinned out.
enum class Reduction : std::uint8_t {
    none,       ///< all candidates that need a synchronisation message
    pair_rule,  ///< per pair of processes; each rank can do its own share from its own messages alone
    exact,      ///< transitive reduction
};

/// Everything below works from the explicit table and shares no code with the per-rank computation in aapc/plan.hpp;
/// tests hold the two against each other.

/// All candidates: the pairs of consecutive users of any directed link, each once, edges between messages of one sender
/// included. Sorted. Every order between two contending messages follows from these by transitivity, because a directed
/// link has at most one user a phase. O(P²·D) for P ranks and routes of D links.
[[nodiscard]] std::vector<Edge> synchronisation_candidates(const Schedule& schedule);

/// The edges that are carried out by synchronisation messages. `sender`: edges between messages of one sender are left
/// out, since each rank completes its sends one after the other. `receiver`: they stay, because a send may complete
/// locally long before it is received; an edge whose signaller is also its waiter costs no message but stays as well.
/// Other synchronisations have none. Sorted. pair_rule O(E), exact O(E·P) time and O(P·D·P) space.
[[nodiscard]] std::vector<Edge> synchronisation_edges(const Schedule& schedule, Synchronisation synchronisation,
                                                      Reduction reduction);

/// The process that gives the signal of an edge: the sender of `after` (`sender`), or its receiver (`receiver`).
[[nodiscard]] Rank signaller(Synchronisation synchronisation, const Edge& edge);

}  // namespace aapc
