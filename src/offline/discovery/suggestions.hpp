/// @file
/// Sets of items at a switch that may be behind a link of their own: where the search for groups starts.
#pragma once

#include <vector>

#include "offline/discovery/evidence.hpp"

namespace aapc::discovery {

/// Which items are inside (1) and outside (0).
using Side = std::vector<char>;

/// From what was measured: items between which flows went as fast as expected, put together one after the other; halves
/// between which they were slowed down most (the least eigenvector of the slowing); items in a row, since people number
/// machines as they plug them in; and `hints` that are unions of items. None has the item `fixed` inside (-1: any).
/// Each has two items inside at least and one outside.
[[nodiscard]] std::vector<Side> suggestions(const std::vector<Explained>& rounds, const std::vector<Item>& items,
                                            std::size_t machines, int fixed, const std::vector<Item>& hints);

}  // namespace aapc::discovery
