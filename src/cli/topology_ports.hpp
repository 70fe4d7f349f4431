/// @file
/// How `aapc topology` says speeds, and what a topology file may say beside them: buffers, packets, bundles of cables.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "aapc/topology/network.hpp"

namespace aapc::cli {

/// Its speed as a topology file says it: "2.5Gbit", or "4x25Gbit" of a bundle.
std::string speed_of(const Link& link);

/// "1 switch", "4 switches".
std::string count_text(std::size_t count, std::string_view singular, std::string_view plural);

/// What the file says of ports, packets and bundles, a line each; nothing where it says nothing.
std::string ports_text(const Network& network);

/// What only some links have: several cables, known buffers.
void add_ports(const Link& link, nlohmann::ordered_json& shown_link);

/// Where it is not the usual one.
void add_mtu(const Network& network, nlohmann::ordered_json& document);

}  // namespace aapc::cli
