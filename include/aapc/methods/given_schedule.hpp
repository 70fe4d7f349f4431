/// @file
/// A schedule that was made and checked beforehand, as the ranks of a job pass it on: where a search takes longer than
/// a set-up may, `aapc schedule` makes the timetable and AAPC_SCHEDULE names it (docs/lattice.md).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/timetable/tick_table.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc {

/// The times of all messages in a cycle. Made by read_given_schedule() (aapc/methods/read_given_schedule.hpp), which
/// has it checked. Copies share the times.
struct GivenSchedule {
    std::string algorithm;
    std::string variant;
    std::vector<Machine> machine_of;             ///< of each participant, by the network that it was checked against
    std::shared_ptr<const TickTable> timetable;  ///< never null

    /// Whether it has the place of what that algorithm makes for ranks that sit so: the same machines in the same
    /// order.
    [[nodiscard]] bool is_for(std::string_view algorithm_name, std::string_view variant_name,
                              const Placement& placement) const {
        return algorithm == algorithm_name && variant == variant_name && machine_of == placement.machine_of;
    }
};

/// With those times, as TickTable has them.
[[nodiscard]] GivenSchedule make_given_schedule(std::string algorithm, std::string variant,
                                                std::vector<Machine> machine_of, Phase ticks, const Cycle& cycle,
                                                std::vector<Phase> start_ticks);

/// As bytes for the other ranks of one job, which are programs of one build on machines of one kind, and back.
[[nodiscard]] std::string pack(const GivenSchedule& given);
[[nodiscard]] GivenSchedule unpack_given_schedule(std::string_view bytes);

}  // namespace aapc
