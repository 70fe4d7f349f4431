/// @file
/// Synchronisations: how the phases of a running schedule are separated (Faraj, Yuan & Patarasuk 2007, section 5 and
/// Table 5; `ports` is the requirement of Sanders & Träff 2002; `window` and `timed` are new in this project).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/timetable/timetable.hpp"

namespace aapc {

/// Synchronisation::block_phases of a block that no timetable fills; written "all", as in "window:all".
inline constexpr Phase all_phases = std::numeric_limits<Phase>::max();

/// How phases are separated: a kind and its parameters. The command line, the environment, documents and tuning files
/// use its text form ("sender-partial:8"); docs/synchronisation.md says what each kind guarantees.
struct Synchronisation {
    enum class Kind : std::uint8_t {
        none,    ///< each rank sends in phase order; phases are not separated
        dummy,   ///< as none, and idle ranks send messages of the same size to an idle neighbour or to themselves
        sender,  ///< a message starts after the sends it would contend with are locally complete
        sender_partial,            ///< as sender, but only between blocks of phases
        receiver,                  ///< a message starts after the messages it would contend with have been received
        receiver_partial,          ///< as receiver, but only between blocks of phases
        barrier,                   ///< a barrier between each two phases
        barrier_partial_none,      ///< a barrier between each two blocks of phases
        barrier_partial_sender,    ///< the same, and as sender within a block
        barrier_partial_receiver,  ///< the same, and as receiver within a block
        window,                    ///< a rank's messages of a block of phases all at once, then the next block's
        ports,  ///< a machine has at most `block_phases` messages with others at a time, in phase order
        timed,  ///< time-triggered: every segment of a message starts in its phase's slot
    };

    Kind kind = Kind::none;
    /// Phases in a block (the papers' bs; the window's size); of `ports`, whose window is that of a machine, the
    /// messages in it (the papers' k). At least 1; 0 if it has no blocks.
    Phase block_phases = 0;
    std::int64_t segment_bytes = 0;  ///< `timed`: bytes in a segment; 0 if segment_message() chooses
    double pace = 0;                 ///< `timed`: a fixed pace (pacing.hpp); 0 if the controller finds it
    /// `timed`: ranks begin at the current place in the cycle on a clock that all share, without a common start, once
    /// they have agreed on the pace; written "timed-grid".
    bool on_grid = false;

    friend bool operator==(const Synchronisation&, const Synchronisation&) = default;

    static const Synchronisation none;
    static const Synchronisation dummy;
    static const Synchronisation sender;
    static const Synchronisation receiver;
    static const Synchronisation barrier;
    static const Synchronisation timed;
    /// A kind with blocks of `block_phases`.
    [[nodiscard]] static constexpr Synchronisation with_blocks(Kind kind, Phase block_phases) {
        return {kind, block_phases, 0, 0};
    }
};

inline constexpr Synchronisation Synchronisation::none{Kind::none, 0, 0, 0};
inline constexpr Synchronisation Synchronisation::dummy{Kind::dummy, 0, 0, 0};
inline constexpr Synchronisation Synchronisation::sender{Kind::sender, 0, 0, 0};
inline constexpr Synchronisation Synchronisation::receiver{Kind::receiver, 0, 0, 0};
inline constexpr Synchronisation Synchronisation::barrier{Kind::barrier, 0, 0, 0};
inline constexpr Synchronisation Synchronisation::timed{Kind::timed, 0, 0, 0};

struct SynchronisationEntry {
    Synchronisation::Kind kind;
    std::string_view name;  ///< without parameters
    std::string_view form;  ///< as it is written: "sender-partial:BS"
    bool has_blocks;        ///< whether ":BS" must follow
    std::string_view summary;
};

/// One entry for each kind, in the order of Synchronisation::Kind.
[[nodiscard]] std::span<const SynchronisationEntry> synchronisations();
[[nodiscard]] std::string_view name_of(Synchronisation::Kind kind);

/// "sender", "sender-partial:8", "timed", "timed:8688", "timed@0.95", "timed-grid:8688@0.95". parse_synchronisation()
/// reads it back.
[[nodiscard]] std::string to_string(const Synchronisation& synchronisation);
[[nodiscard]] Expected<Synchronisation> parse_synchronisation(std::string_view text);

/// The rank that sends the synchronisation messages (tokens).
enum class TokenGiver : std::uint8_t {
    nobody,
    sender,    ///< a message's sender, once the send is locally complete
    receiver,  ///< its receiver, once it has been received
};
[[nodiscard]] TokenGiver token_giver(const Synchronisation& synchronisation);

/// Whether it works by tokens, so that a schedule has edges.
[[nodiscard]] bool uses_edges(const Synchronisation& synchronisation);
/// Whether tokens order a message of phase `after` before one of the later phase `before`: always, only across blocks
/// (sender-partial, receiver-partial) or only within one (barrier-partial-sender, -receiver).
[[nodiscard]] bool has_token_between(const Synchronisation& synchronisation, Phase after, Phase before);
/// All ranks meet in a barrier whenever this number of phases has passed; 0 if never.
[[nodiscard]] Phase phases_between_barriers(const Synchronisation& synchronisation);
/// Whether it limits whole machines to a number of messages at a time, which needs memory that their ranks share.
[[nodiscard]] bool uses_tickets(const Synchronisation& synchronisation);
/// Whether it makes sense only for timetables that guarantee contention-free phases.
[[nodiscard]] bool needs_contention_free_phases(const Synchronisation& synchronisation);
/// Whether it makes sense only where each message is one block.
[[nodiscard]] bool orders_single_messages(const Synchronisation& synchronisation);
/// Whether it can carry out a timetable that has a cycle instead of phases: `timed`, `none` and `window`.
[[nodiscard]] bool fits_cycles(const Synchronisation& synchronisation);
/// Says why `synchronisation` cannot be used with phases of this guarantee, if so: it needs contention-free ones that
/// are not promised, orders single messages where blocks are forwarded, or separates phases where there is a cycle
/// (`within_capacity`). The diagnostic has no file.
[[nodiscard]] Expected<void> check_synchronisation_fits(Guarantee guarantee, bool forwards,
                                                        const Synchronisation& synchronisation);

/// Message `after` must be complete before message `before` starts, in the synchronisation's sense of complete.
struct Edge {
    Transfer after;
    Transfer before;

    friend bool operator==(const Edge&, const Edge&) = default;
    friend auto operator<=>(const Edge&, const Edge&) = default;
};

/// The process that gives the signal of an edge: the sender of `after`, or its receiver.
[[nodiscard]] Rank signaller(const Synchronisation& synchronisation, const Edge& edge);

}  // namespace aapc
