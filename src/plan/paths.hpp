/// @file
/// Two connections of a pair of ranks across hashed links: what share of the segments each of them carries, and when
/// one of them tries another port. Knows no sockets, no MPI and no clock: a state machine of the lateness that the
/// receiver measured.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace aapc {

/// The sender's half of one ordered pair of ranks. Segments go by the connection that is less late. A pair that is late
/// whatever the shares are moves the connection that carries less to another port, and back if that did not help.
class PairPaths {
  public:
    static constexpr std::size_t connections = 2;
    /// Lateness of a connection without a segment in that exchange.
    static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

    /// Another port for one connection.
    struct Move {
        std::size_t connection = 0;
        std::uint16_t port = 0;  ///< the port to go back to; 0 for any other
    };

    /// `seed` differs between pairs, so that their first segments are spread over both connections.
    explicit PairPaths(std::uint64_t seed);

    /// Begins with the share that another job has learned on the same paths.
    void resume(double share);

    /// The connection of the next segment: as evenly in turns as the shares allow.
    [[nodiscard]] std::size_t next();
    /// The share of the segments that the first connection carries.
    [[nodiscard]] double share() const { return share_; }

    /// The result of one exchange of `scheduled_seconds` (> 0): by how much the last segments of each connection were
    /// late, or `unknown`.
    void observe(const std::array<double, connections>& late_seconds, double scheduled_seconds);
    /// The last known lateness of a connection, as a share of the schedule; nullopt if none is known yet.
    [[nodiscard]] std::optional<double> late(std::size_t connection) const {
        return has_heard_ ? std::optional(late_[connection]) : std::nullopt;
    }

    /// What moved() carries out.
    [[nodiscard]] const std::optional<Move>& wanted() const { return wanted_; }
    /// The wanted move was made, from port `former`; 0 if the port is not known, and then there is no way back.
    void moved(std::uint16_t former);
    /// The wanted move was not possible.
    void not_moved();

    /// Whether shares and ports are no longer being changed. Becomes true after a bounded number of exchanges, and
    /// false again if the pair is late for several exchanges on end: ever more of them while learning does not make it
    /// punctual.
    [[nodiscard]] bool settled() const { return left_to_learn_ == 0; }

  private:
    [[nodiscard]] double pair_late() const;
    [[nodiscard]] std::uint64_t draw();
    void follow_lateness(double tolerated);
    void consider_move(double tolerated);
    void judge_move(double tolerated);
    void wake_or_settle(double tolerated);

    std::uint64_t state_;
    double share_ = 0.5;
    double credit_;                           ///< of the first connection
    std::array<double, connections> late_{};  ///< as shares of the schedule; the latest known
    bool has_heard_ = false;                  ///< some lateness
    int quiet_ = 0;                           ///< exchanges since the share last changed
    int left_to_learn_;                       ///< exchanges
    int late_on_end_ = 0;                     ///< exchanges
    int patience_;                            ///< late exchanges before the pair is awake again
    std::optional<Move> wanted_;
    int move_after_;  ///< exchanges until a move is considered
    int move_patience_;
    struct Trial {
        Move back;
        double late_before = 0;
        double late_sum = 0;
        int seen = 0;
    };
    std::optional<Trial> trial_;
    double late_recently_ = 0;  ///< pair_late(), smoothed
};

/// The receiver's half: how late the segments of one exchange were on each connection, from the time that each was in
/// transit. The shortest transit is that of empty queues, so the clocks of the two machines need not agree.
class PathLateness {
  public:
    /// A segment arrived: the receiver's clock less the sender's when it started, in microseconds modulo 2^32.
    void note(std::size_t connection, std::uint32_t transit_microseconds);
    /// The exchange has ended: how late the last segments of each connection were, in seconds, if lateness grew evenly;
    /// PairPaths::unknown for a connection without segments. Begins the next exchange.
    [[nodiscard]] std::array<double, PairPaths::connections> take();

  private:
    struct Connection {
        std::int64_t sum = 0;  ///< of transits, less the reference
        std::int32_t most = 0;
        std::int64_t count = 0;
    };
    std::array<Connection, PairPaths::connections> connections_{};
    bool has_reference_ = false;
    std::uint32_t reference_ = 0;  ///< a transit, from which others are counted
    std::int32_t least_ = 0;       ///< transit of this exchange, less the reference
};

}  // namespace aapc
