/// @file
/// What measured rounds say for and against a link between some machines and all others.
#pragma once

#include <vector>

#include "offline/discovery/switch_tree.hpp"

namespace aapc::discovery {

/// A round that was measured, and what each flow of it should have got by what is known so far.
struct Explained {
    Round round;
    std::vector<double> expected;  ///< bytes per second, flow by flow
};

/// Machines that stay together here: one, or all of a group that is known.
using Item = std::vector<Machine>;

/// What a link would explain.
struct Support {
    double gain = 0;              ///< squared logarithmic error that goes away: above 0 the link explains something
    double bytes_per_second = 0;  ///< what the link carries
    double low = 0, high = 0;     ///< the middle half of what it carried where it was full
    double least_slowing = 0;     ///< the median of expected/measured where it was full
    int times_full = 0;           ///< rounds and directions in which more should have passed than it carries

    /// Whether that is more than chance: often enough, and slower by more than streams scatter.
    [[nodiscard]] bool convinces() const;
};

/// All flows of a round that cross in one direction, in bytes per second.
struct Crossing {
    double expected = 0;
    double measured = 0;
};

/// Judges sets of items: those "inside", against the other items and all machines that are in none. Keeps sums for one
/// set and changes them item by item.
class Jury {
  public:
    Jury(const std::vector<Explained>& rounds, const std::vector<Item>& items, std::size_t machines);

    /// Item `item` goes inside or outside. O(its flows).
    void flip(std::size_t item);
    [[nodiscard]] bool is_inside(std::size_t item) const { return inside_[item] != 0; }
    [[nodiscard]] std::size_t items() const { return inside_.size(); }
    [[nodiscard]] std::size_t inside_count() const { return inside_count_; }
    /// O(rounds).
    [[nodiscard]] double gain() const;
    [[nodiscard]] Support support() const;

    /// Two of each round: out of the set and into it.
    [[nodiscard]] const std::vector<Crossing>& crossings() const { return crossings_; }

  private:
    struct Use {
        std::size_t round;
        int other_item;  ///< -1: none of the items
        bool leaves;     ///< it starts in this item
        double expected;
        double measured;
    };

    [[nodiscard]] double capacity() const;

    std::vector<std::vector<Use>> uses_;  ///< flows that start or end in an item, not both
    std::vector<char> inside_;
    std::size_t inside_count_ = 0;
    std::vector<Crossing> crossings_;
};

/// The set that a search from `start` ends with: items go in and out one by one as long as that explains more.
/// `fixed` stays where it is (-1: none does).
[[nodiscard]] std::vector<char> improved(Jury& jury, const std::vector<char>& start, int fixed);

}  // namespace aapc::discovery
