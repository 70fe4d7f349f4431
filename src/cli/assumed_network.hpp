/// @file
/// A network in one word, for a first estimate before there is a topology file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/topology/network.hpp"

namespace aapc::cli {

/// `text` is SPEED, where one switch joins all machines, or SPEED,leaf-spine:LEAVESxMACHINESxSPINES, where each leaf
/// switch has so many machines and one cable to each spine, all of that speed. `hosts` are the machines' names, of each
/// rank; they fill the leaves in the order in which they first come. The diagnostic names --assume.
[[nodiscard]] Expected<Network> assumed_network(std::string_view text, const std::vector<std::string>& hosts);

}  // namespace aapc::cli
