/// @file
/// A text of rank 0 on all ranks of the world.
#pragma once

#include <string>

namespace aapc::interposer {

/// Rank 0's text on all ranks; false on all of them if one has no memory for it. Collective over the world.
[[nodiscard]] bool share_text(std::string& text);

}  // namespace aapc::interposer
