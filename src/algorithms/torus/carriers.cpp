#include "algorithms/torus/carriers.hpp"

#include <cstdint>
#include <utility>

namespace aapc::torus {

Carriers::Carriers(Division division) : division_(std::move(division)) {
    const Machine machines = division_.grid().machines();
    roles_.reserve(division_.steps().size() * static_cast<std::size_t>(machines));
    for (std::size_t step = 0; step < division_.steps().size(); ++step) {
        for (Machine machine = 0; machine < machines; ++machine) {
            roles_.push_back({division_.origin(step, machine).value_or(-1),
                              static_cast<std::uint8_t>(division_.dimension(step, machine)),
                              division_.destination(step, machine).has_value()});
        }
    }
}

bool Carriers::goes_along(std::size_t step, Machine machine, Machine final_destination) const {
    if (machine == final_destination) {
        return false;
    }
    const Step& now = division_.steps()[step];
    if (now.kind == Step::Kind::hand_over) {
        return true;
    }
    const TorusGrid& grid = division_.grid();
    const std::size_t moving = role(step, machine).dimension;
    const std::size_t decisive = now.kind == Step::Kind::exchange ? now.decisive : moving;
    const std::int32_t here = grid.coordinate(machine, moving) / now.hops;
    const std::int32_t there = grid.coordinate(final_destination, decisive) / now.hops;
    return now.kind == Step::Kind::ring ? here != there : here % 2 != there % 2;
}

void Carriers::append_carried(std::size_t step, Machine machine, Machine final_destination,
                              std::vector<Machine>& out) const {
    if (division_.holds(machine, final_destination, division_.steps()[step].split_below) &&
        goes_along(step, machine, final_destination)) {
        append_held(step, machine, final_destination, out);
    }
}

/// Steps back through the time: what a machine holds is what it held and did not send, and what it was sent.
void Carriers::append_held(std::size_t before_step, Machine machine, Machine final_destination,
                           std::vector<Machine>& out) const {
    if (before_step == 0) {
        out.push_back(machine);
        return;
    }
    const std::size_t last = before_step - 1;
    const Role& then = role(last, machine);
    if (!then.sends || !goes_along(last, machine, final_destination)) {
        append_held(last, machine, final_destination, out);
    }
    if (then.from >= 0 && goes_along(last, then.from, final_destination)) {
        append_held(last, then.from, final_destination, out);
    }
}

}  // namespace aapc::torus
