/// @file
/// What links carry while an exchange runs, moment by moment: what the pictures show.
#pragma once

#include <cstddef>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"
#include "aapc/topology/routes.hpp"

namespace aapc::report {

/// The routes of a placement's messages, link after link.
class Ways {
  public:
    /// A diagnostic as Routes::find() gives it. Network and placement outlive it.
    [[nodiscard]] static Expected<Ways> find(const Network& network, const Placement& placement);

    /// The directed links from one rank to another in the order in which a message takes them; none within a machine.
    [[nodiscard]] std::vector<DirectedLink> of(Rank from, Rank to) const;

    [[nodiscard]] const Network& network() const { return *network_; }
    [[nodiscard]] const Placement& placement() const { return *placement_; }

  private:
    Ways(const Network& network, const Placement& placement, Routes routes)
        : network_(&network), placement_(&placement), routes_(std::move(routes)) {}

    const Network* network_;
    const Placement* placement_;
    Routes routes_;
};

/// Links by columns of time, all equally long.
struct LinkUse {
    struct Cell {
        double used = 0;     ///< the share of what the link can carry, 0 to 1
        double waiting = 0;  ///< pieces that wait for it, on average
    };
    double seconds = 0;  ///< of all columns together
    std::size_t columns = 0;
    std::vector<DirectedLink> links;
    std::vector<Cell> cells;  ///< link after link
    double end_seconds = 0;   ///< when the last byte has left its last link

    [[nodiscard]] const Cell& at(std::size_t link, std::size_t column) const { return cells[link * columns + column]; }
};

/// A piece of a message that is started at a time.
struct Piece {
    Rank from = -1;
    Rank to = -1;
    double start_seconds = 0;
    double bytes = 0;  ///< on the wire; above 0
};

/// What is asked of use_of_pieces().
struct Frame {
    std::vector<DirectedLink> links;
    double seconds = 0;       ///< what comes later is not seen
    std::size_t columns = 1;  ///< at least 1
    bool repeats = false;     ///< the steady state, when the pieces start again after `seconds`
};

/// Links while pieces start at their times, as the certificate of queues has it (aapc/check/queues.hpp): a piece flows
/// into every link of its route at its starting time, at the speed of the slowest link before that one, and what a link
/// cannot serve waits. `waiting` is in pieces of the largest size. O(pieces · route + links · columns).
[[nodiscard]] LinkUse use_of_pieces(const Ways& ways, const std::vector<Piece>& pieces, const Frame& frame);

/// The links in a picture of at most `most` rows, of those that carry messages: all, or those between switches that
/// need most time, then those of machines; in file order.
[[nodiscard]] std::vector<DirectedLink> shown_links(const Ways& ways, std::size_t most);

}  // namespace aapc::report
