/// @file
/// The methods of a communicator's decision and the exchanges that came of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "aapc/methods/method.hpp"
#include "aapc/mpi/exchange.hpp"
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
        for (const selection::Decision::Range& range : decision.ranges()) {
            const auto known =
                std::find_if(slots.begin(), slots.end(), [&](const Slot& slot) { return slot.method == range.method; });
            slot_of_range.push_back(static_cast<std::size_t>(known - slots.begin()));
            if (known == slots.end()) {
                slots.push_back({range.method, false, false, nullptr});
            }
        }
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
