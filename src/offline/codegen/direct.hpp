/// @file
/// What a generated routine needs in which every message is the block from its sender to its receiver.
#pragma once

#include <vector>

#include "aapc/plan/plan.hpp"
#include "offline/codegen/render.hpp"

namespace aapc::codegen {

/// Adds who sends to whom, the blocks of phases, the tokens and the dummies, as far as the plans' synchronisation has
/// them. `plans` are those of all ranks, at least two; `block_phases` phases are kept apart from the next ones (0: none
/// are).
void add_direct_values(Values& values, const std::vector<Plan>& plans, Phase block_phases);

}  // namespace aapc::codegen
