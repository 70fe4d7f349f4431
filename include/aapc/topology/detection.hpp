/// @file
/// The network as ranks find it where no file describes it: which of them share a machine, and nothing else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc {

/// What is given in place of a topology file's name: "detect", or "detect:10Gbit" where the speed of the machines'
/// network cards is known.
inline constexpr std::string_view detection_word = "detect";

/// Whether `topology`, the value of an option or a variable, asks for detection. A file of such a name is "./detect".
[[nodiscard]] bool asks_for_detection(std::string_view topology);

/// The speed that `topology` gives, in bits per second; 0 where it gives none. It asks for detection. The diagnostic
/// has no file.
[[nodiscard]] Expected<double> detection_speed(std::string_view topology);

/// What a rank knows of its own place.
struct RankPlace {
    Rank shares_memory_with = -1;  ///< the lowest rank with which it does; itself where there is no lower one
    std::string host;              ///< what its host is called

    friend bool operator==(const RankPlace&, const RankPlace&) = default;
};

struct DetectedNetwork {
    Network network;
    Placement placement;
};

/// The network of kind `detected` on which the ranks sit at `places` (by rank). Two are on one machine if they share
/// memory and their hosts are called alike. Machines are numbered by their lowest ranks and called as those call their
/// hosts, with a number behind it where another machine is called so already; characters that names of machines cannot
/// have become '-'. All machines are plugged into one switch, since nothing is known of the wires, each by a link of
/// `bits_per_second` (0: not known). A pure function: ranks that know the same places agree on everything else.
/// O(ranks · log ranks).
[[nodiscard]] DetectedNetwork detect_network(const std::vector<RankPlace>& places, double bits_per_second);

}  // namespace aapc
