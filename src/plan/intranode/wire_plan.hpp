/// @file
/// What is left of a plan where the ranks of a machine copy their blocks for each other.
#pragma once

#include "aapc/plan/plan.hpp"

namespace aapc::machine {

/// Whether `other` is another rank of the machine that the plan's rank is on.
[[nodiscard]] bool is_on_machine(const Plan& plan, Rank other);

/// `plan`, which forwards no blocks, without the messages inside its rank's machine. With tokens the plan stays whole,
/// since others also wait for those of messages inside the machine: these are then sent empty.
[[nodiscard]] Plan wire_plan(Plan plan);

/// Behind the last phase in which the plan sends or receives anything.
[[nodiscard]] Phase end_of_messages(const Plan& plan);

}  // namespace aapc::machine
