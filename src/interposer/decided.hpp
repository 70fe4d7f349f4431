/// @file
/// The methods of a communicator's decision and the exchanges that came of them.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "aapc/methods/method.hpp"
#include "aapc/mpi/exchange.hpp"
#include "interposer/candidates.hpp"
#include "interposer/recorder.hpp"
#include "selection/rule.hpp"

namespace aapc::interposer {

/// A method of the decision and what became of it.
struct Slot {
    Method method;
    bool tried = false;
    bool used = false;  ///< beyond measuring
    std::unique_ptr<mpi::Exchange> exchange;
    Recorder::MethodNumber recorded_as = Recorder::native;
};

struct Decided {
    selection::Decision decision;
    std::vector<Slot> slots;                 ///< one for each method of the decision
    std::vector<std::size_t> slot_of_range;  ///< index into slots for each range of the decision

    /// With nothing in the slots. Throws std::bad_alloc.
    explicit Decided(selection::Decision made) : decision(std::move(made)) {
        NumberedMethods numbered = numbered_methods(decision);
        for (Method& method : numbered.methods) {
            slots.push_back({std::move(method), false, false, nullptr});
        }
        slot_of_range = std::move(numbered.of_range);
    }

    /// The slot that serves blocks of so many bytes.
    [[nodiscard]] std::size_t slot_of(std::int64_t block_bytes) const {
        return slot_of_range[decision.range_of(block_bytes)];
    }
    /// Exchanges of methods that are in both are kept.
    void follow(Decided next) noexcept {
        for (Slot& slot : next.slots) {
            for (Slot& before : slots) {
                if (before.method == slot.method) {
                    slot = std::move(before);
                    break;
                }
            }
        }
        *this = std::move(next);
    }
};

}  // namespace aapc::interposer
