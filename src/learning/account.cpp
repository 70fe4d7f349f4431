#include "learning/account.hpp"

#include <algorithm>

namespace aapc::learning {

double allowance(const Account& account) {
    if (account.calls == 0) {
        return 0;
    }
    const double usual_call = account.seconds / static_cast<double>(account.calls);
    if (account.calls < calls_before_the_share) {
        return calls_spent_before_the_share * usual_call;
    }
    const auto first = static_cast<double>(std::min(account.calls, calls_of_the_first_share));
    const auto later = static_cast<double>(std::max<std::int64_t>(account.calls - calls_of_the_first_share, 0));
    return (first_share * first + later_share * later) * usual_call;
}

}  // namespace aapc::learning
