#include "plan/intranode/wire_plan.hpp"

#include <algorithm>

namespace aapc::machine {

bool is_on_machine(const Plan& plan, Rank other) {
    return other != plan.rank && std::binary_search(plan.ranks_of_machine.begin(), plan.ranks_of_machine.end(), other);
}

Plan wire_plan(Plan plan) {
    if (!uses_edges(plan.synchronisation)) {
        std::erase_if(plan.sends, [&](const Transfer& send) { return is_on_machine(plan, send.to); });
        std::erase_if(plan.receives, [&](const Transfer& receive) { return is_on_machine(plan, receive.from); });
    }
    return plan;
}

Phase end_of_messages(const Plan& plan) {
    Phase end = 0;
    for (const auto* const list : {&plan.sends, &plan.receives, &plan.dummy_sends, &plan.dummy_receives}) {
        if (!list->empty()) {
            end = std::max(end, list->back().phase + 1);
        }
    }
    return end;
}

}  // namespace aapc::machine
