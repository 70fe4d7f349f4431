/// @file
/// The schedule as a table of phases, and the checker that stands before it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/timetable/synchronisation.hpp"
#include "aapc/timetable/timetable.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc {

/// A schedule that is not checked yet: any code can fill one in, and only the checker takes it. It has phases, or a
/// cycle with the times in it at which messages start.
struct ScheduleDraft {
    std::string algorithm;
    std::string variant;
    std::optional<std::int64_t> bound;  ///< messages on the busiest directed link; nothing where that is no bound
    std::vector<std::vector<Transfer>> phases;  ///< Transfer::phase is the index into this vector
    Guarantee guarantee = Guarantee::shortest;  ///< what the phases promise
    /// Store-and-forward: blocks[phase][index] are the blocks that phases[phase][index] carries, in order. Empty where
    /// every message carries its sender's own block for its receiver.
    std::vector<std::vector<std::vector<Block>>> blocks = {};
    /// Instead of phases: a cycle of `ticks` ticks, and the messages in order of tick, then sender, then receiver,
    /// where Transfer::phase is the tick at which a message starts (Timetable::cycle()). There may be 2^52 ticks and
    /// more.
    std::optional<Cycle> cycle = std::nullopt;
    Phase ticks = 0;
    std::vector<Transfer> transfers = {};

    [[nodiscard]] bool forwards() const { return !blocks.empty(); }

    /// Every message, in order of phase or tick.
    template <class Visitor>
    void for_each_message(Visitor visit) const {
        for (const std::vector<Transfer>& phase : phases) {
            for (const Transfer& message : phase) {
                visit(message);
            }
        }
        for (const Transfer& message : transfers) {
            visit(message);
        }
    }
};

/// What the checker found wrong first.
struct Violation {
    std::string what;  ///< a whole sentence that names the phase, the messages and the link
};

/// A schedule that passed the checker; there is no other way to have one.
class Schedule {
  public:
    [[nodiscard]] const std::string& algorithm() const { return draft_.algorithm; }
    [[nodiscard]] const std::string& variant() const { return draft_.variant; }
    [[nodiscard]] std::optional<std::int64_t> bound() const { return draft_.bound; }
    /// None where there is a cycle.
    [[nodiscard]] const std::vector<std::vector<Transfer>>& phases() const { return draft_.phases; }
    /// As in ScheduleDraft.
    [[nodiscard]] const std::optional<Cycle>& cycle() const { return draft_.cycle; }
    [[nodiscard]] Phase ticks() const { return draft_.ticks; }
    [[nodiscard]] const std::vector<Transfer>& transfers() const { return draft_.transfers; }
    template <class Visitor>
    void for_each_message(Visitor visit) const {
        draft_.for_each_message(visit);
    }
    [[nodiscard]] Guarantee guarantee() const { return draft_.guarantee; }
    [[nodiscard]] bool forwards() const { return draft_.forwards(); }
    /// As ScheduleDraft::blocks.
    [[nodiscard]] const std::vector<std::vector<std::vector<Block>>>& blocks() const { return draft_.blocks; }
    [[nodiscard]] const Network& network() const { return *network_; }
    [[nodiscard]] const Placement& placement() const { return placement_; }
    [[nodiscard]] std::int64_t messages() const { return messages_; }

  private:
    friend Expected<Schedule, Violation> check_schedule(ScheduleDraft, const Network&, const Placement&);
    Schedule(ScheduleDraft draft, const Network& network, Placement placement, std::int64_t messages);

    ScheduleDraft draft_;
    const Network* network_;  ///< not owned; outlives the schedule
    Placement placement_;
    std::int64_t messages_;
};

/// The checker, written from the definition (2005, section 3) and sharing no code with any algorithm. Delivery: every
/// ordered pair of participants exactly once and nothing else, or, where blocks are forwarded, every block moved from
/// where it is, never in the phase in which it arrives, until all are at their destinations. The guarantee: no rank
/// sending or receiving twice in a phase; no directed link of the physical route used twice in a phase; the number of
/// phases equal to the bound. The bound, where one is given, equal to the load of the busiest directed link as counted
/// from the messages that every ordered pair owes itself. A draft with a cycle: no phases, every message at a tick of
/// the cycle, its bound in seconds equal to that of the link that needs most time for its messages, and the cycle no
/// shorter; what queues form, certify_queues() says (aapc/queues.hpp). The network must outlive the schedule.
/// O((messages + blocks) · route length).
[[nodiscard]] Expected<Schedule, Violation> check_schedule(ScheduleDraft draft, const Network& network,
                                                           const Placement& placement);

/// Whether these edges, with what `synchronisation` guarantees by itself, order every two messages that share a
/// directed link or a port; nothing if they do. Kinds with blocks: sender-partial and receiver-partial have edges
/// between blocks only, and what is shown is conditional: if the messages inside each block keep out of each other's
/// way, so do those of different blocks. barrier-partial-sender and -receiver have edges inside blocks only, which must
/// order these; a barrier orders the blocks. barrier and barrier-partial-none need nothing more, and none, dummy,
/// window and timed promise no order: whatever these six are given as edges is refused. So is an edge that names an
/// unknown message or does not point to a later phase (which is what makes a deadlock impossible), and a kind that
/// needs contention-free phases for a schedule that does not promise them. docs/synchronisation.md says it at length.
/// O(P²·D + E·P).
[[nodiscard]] std::optional<Violation> check_synchronisation(const Schedule& schedule,
                                                             const Synchronisation& synchronisation,
                                                             const std::vector<Edge>& edges);

/// Whether these are dummy messages as `dummy` needs them (2007, section 5), in any order: each between ranks of one
/// switch or from a rank to itself. With the messages of the schedule, no rank sends twice or receives twice in a phase
/// (a dummy to itself counts as sent only). Every rank sends in every phase, and to itself only if all other ranks of
/// its switch receive something. nullopt if they are. O(N·P) for N phases.
[[nodiscard]] std::optional<Violation> check_dummies(const Schedule& schedule, const std::vector<Transfer>& dummies);

}  // namespace aapc
