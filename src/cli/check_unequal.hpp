/// @file
/// `aapc check` of a document of unequal messages, format "aapc-unequal/1" (docs/unequal.md).
#pragma once

#include <string>
#include <string_view>

#include "aapc/topology/network.hpp"

namespace aapc::cli {

/// Whether the text says that it is such a document.
[[nodiscard]] bool is_unequal_document(std::string_view text);

/// Checks it against the network and prints a certificate, or complains: every pair of ranks once at most, at least a
/// byte a segment, starts within the cycle, the bound is what the busiest link needs for these bytes, and no link is
/// asked for more than it carries in a cycle. `name` is the document's. Returns the exit status.
[[nodiscard]] int check_unequal(const std::string& text, const std::string& name, const Network& network);

}  // namespace aapc::cli
