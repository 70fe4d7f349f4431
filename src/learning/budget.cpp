#include "learning/budget.hpp"

#include <algorithm>

#include "learning/policy.hpp"

namespace aapc::learning {

double allowance(const Budget& budget) {
    if (budget.calls == 0) {
        return 0;
    }
    const double usual_call = budget.seconds / static_cast<double>(budget.calls);
    if (budget.calls < policy::first_calls) {
        return policy::first_allowance * usual_call;
    }
    const auto early = static_cast<double>(std::min(budget.calls, policy::early_calls));
    const auto later = static_cast<double>(std::max<std::int64_t>(budget.calls - policy::early_calls, 0));
    return (policy::early_share * early + policy::later_share * later) * usual_call;
}

}  // namespace aapc::learning
