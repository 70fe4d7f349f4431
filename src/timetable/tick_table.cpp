#include "aapc/timetable/tick_table.hpp"

#include <algorithm>

#include "timetable/with_all_others.hpp"

namespace aapc {

namespace {

std::vector<Transfer> in_order_of_time(std::vector<Transfer> transfers) {
    std::sort(transfers.begin(), transfers.end());
    return transfers;
}

}  // namespace

std::vector<Transfer> TickTable::sends_of(Rank rank) const {
    return in_order_of_time(with_all_others(rank, participants_, [&](Rank other) {
        return Transfer{start_tick(rank, other), rank, other};
    }));
}

std::vector<Transfer> TickTable::receives_of(Rank rank) const {
    return in_order_of_time(with_all_others(rank, participants_, [&](Rank other) {
        return Transfer{start_tick(other, rank), other, rank};
    }));
}

}  // namespace aapc
