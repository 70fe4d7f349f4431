/// @file
/// Which blocks travel in each step of `torus`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "aapc/topology/torus.hpp"
#include "algorithms/torus/division.hpp"

namespace aapc::torus {

/// Who carries whose blocks in which step of a division. Where a machine sends and who sends to it is looked up once
/// for every step: each block asks for it all the way back to its origin.
class Carriers {
  public:
    /// O(steps · machines · dimensions · log side) time and O(steps · machines) space.
    explicit Carriers(Division division);

    [[nodiscard]] const Division& division() const { return division_; }

    /// Appends the machines whose blocks for `final_destination` `machine` sends in that step, if it sends. A block
    /// that is at its destination stays there. O(steps · machines appended).
    void append_carried(std::size_t step, Machine machine, Machine final_destination, std::vector<Machine>& out) const;

  private:
    /// What a machine does in a step.
    struct Role {
        Machine from = -1;           ///< the sender to it; -1 if there is none
        std::uint8_t dimension = 0;  ///< in which it sends, or would
        bool sends = false;
    };

    [[nodiscard]] const Role& role(std::size_t step, Machine machine) const {
        return roles_[step * static_cast<std::size_t>(division_.grid().machines()) + static_cast<std::size_t>(machine)];
    }
    /// Whether a block for `final_destination` goes along when `machine` sends.
    [[nodiscard]] bool goes_along(std::size_t step, Machine machine, Machine final_destination) const;
    void append_held(std::size_t before_step, Machine machine, Machine final_destination,
                     std::vector<Machine>& out) const;

    Division division_;
    std::vector<Role> roles_;  ///< step by step, in each machine by machine
};

}  // namespace aapc::torus
