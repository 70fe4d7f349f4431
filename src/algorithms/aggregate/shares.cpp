#include "algorithms/aggregate/shares.hpp"

#include <algorithm>
#include <numeric>

namespace aapc::aggregate {

Shares::Shares(const std::vector<std::int32_t>& sizes, std::int32_t most_carriers)
    : by_size_(sizes.size()), place_of_(sizes.size()) {
    const auto size = [&](std::int32_t machine) { return sizes[static_cast<std::size_t>(machine)]; };
    carriers_.reserve(sizes.size());
    for (const std::int32_t ranks : sizes) {
        carriers_.push_back(std::min(ranks, most_carriers));
    }
    std::iota(by_size_.begin(), by_size_.end(), 0);
    std::stable_sort(by_size_.begin(), by_size_.end(),
                     [&](std::int32_t left, std::int32_t right) { return size(left) > size(right); });
    for (std::size_t place = 0; place < by_size_.size(); ++place) {
        place_of_[static_cast<std::size_t>(by_size_[place])] = static_cast<std::int32_t>(place);
    }
}

std::int32_t Shares::carrier(std::int32_t machine, std::int32_t other) const {
    const std::int32_t place = place_of_[static_cast<std::size_t>(other)];
    const std::int32_t turn = place - (place > place_of_[static_cast<std::size_t>(machine)] ? 1 : 0);
    const std::int32_t round = turn / carriers(machine);
    const std::int32_t seat = turn % carriers(machine);
    return round % 2 == 0 ? seat : carriers(machine) - 1 - seat;
}

std::vector<std::int32_t> Shares::share(std::int32_t machine, std::int32_t rank) const {
    const std::int32_t own_place = place_of_[static_cast<std::size_t>(machine)];
    const std::int32_t seats = carriers(machine);
    std::vector<std::int32_t> others;
    if (rank >= seats) {
        return others;
    }
    for (std::int32_t round = 0;; ++round) {
        const std::int32_t turn = round * seats + (round % 2 == 0 ? rank : seats - 1 - rank);
        if (turn >= machines() - 1) {
            break;
        }
        const std::int32_t place = turn + (turn >= own_place ? 1 : 0);  // its own place is skipped
        others.push_back(by_size_[static_cast<std::size_t>(place)]);
    }
    std::sort(others.begin(), others.end());
    return others;
}

}  // namespace aapc::aggregate
