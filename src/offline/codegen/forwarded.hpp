/// @file
/// What a generated routine needs that forwards blocks: messages as runs of blocks.
#pragma once

#include <vector>

#include "aapc/plan/plan.hpp"
#include "offline/codegen/render.hpp"

namespace aapc::codegen {

/// Adds the messages of all ranks. `plans` are those of all ranks; each has `forwarding`.
void add_forwarding_values(Values& values, const std::vector<Plan>& plans);

}  // namespace aapc::codegen
