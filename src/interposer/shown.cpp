#include "interposer/shown.hpp"

#include <algorithm>
#include <utility>

namespace aapc::interposer {

void ShownByOthers::keep(const Placement& placement, bool unequal, Shown shown) {
    const auto known = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& one) {
        return one.unequal == unequal && one.machine_of == placement.machine_of;
    });
    if (known != kept_.end()) {
        if (known->shown.calls >= shown.calls) {
            return;
        }
        kept_.erase(known);
    } else if (kept_.size() >= most_kept) {
        kept_.erase(kept_.begin());
    }
    kept_.push_back({placement.machine_of, unequal, std::move(shown)});
}

const Shown* ShownByOthers::find(const Placement& placement, bool unequal) const {
    const auto known = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& one) {
        return one.unequal == unequal && one.machine_of == placement.machine_of;
    });
    return known == kept_.end() ? nullptr : &known->shown;
}

}  // namespace aapc::interposer
