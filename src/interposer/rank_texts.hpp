/// @file
/// Texts that travel between rank 0 and all others. Collective over the world.
#pragma once

#include <string>

namespace aapc::interposer {

/// Rank 0's text on all ranks; false on all of them if one has no memory for it.
[[nodiscard]] bool share_text(std::string& text);

/// The texts of all ranks, one after the other, on rank 0; false on all if it cannot be.
[[nodiscard]] bool gather_texts(const std::string& mine, std::string& all);

}  // namespace aapc::interposer
