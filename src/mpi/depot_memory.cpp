#include "mpi/depot_memory.hpp"

#include <algorithm>
#include <bit>

#include "mpi/transport.hpp"

namespace aapc::mpi {

namespace {

constexpr std::size_t page_bytes = 4096;

std::size_t whole_pages(std::size_t bytes) { return (bytes + page_bytes - 1) / page_bytes * page_bytes; }

}  // namespace

std::size_t DepotMemory::longest_piece_of(const machine::DepotPlan& plan, std::size_t most_bytes_a_rank) {
    const auto places = static_cast<std::size_t>(plan.places);
    std::size_t fits = most_bytes_a_rank * plan.ranks.size() / (2 * std::max<std::size_t>(places, 1));
    for (const auto* const parcels : {&plan.out, &plan.in}) {
        for (const machine::Parcel& parcel : *parcels) {
            fits = std::min(fits, Transport::longest_piece / static_cast<std::size_t>(parcel.blocks));
        }
    }
    return std::bit_floor(std::clamp<std::size_t>(fits, 1, longest_piece));
}

std::size_t DepotMemory::control_bytes() const {
    return whole_pages(sizeof(machine::DepotStore) + plan_.ranks.size() * sizeof(machine::DepotCell) +
                       2 * plan_.in.size() * sizeof(machine::Depot::Arrived));
}

std::size_t DepotMemory::half_bytes() const {
    return whole_pages(static_cast<std::size_t>(plan_.places) * longest_here_);
}

bool DepotMemory::make(MachineMemory::Share& share) {
    if (!is_maker()) {
        return true;
    }
    if (plan_.ranks.size() == 1) {
        return pages_.create_private(bytes());
    }
    const machine::SharedPages::Name name = pages_.create(bytes(), control_bytes());
    share.show_pages(name);
    return name.process != 0;
}

bool DepotMemory::find(MachineMemory::Share& share) {
    if (!is_maker() && !pages_.attach(share.shown_pages(), bytes())) {
        return false;
    }
    lay_out();
    return true;
}

void DepotMemory::lay_out() {
    std::byte* place = pages_.data();
    auto* const store = reinterpret_cast<machine::DepotStore*>(place);
    place += sizeof(machine::DepotStore);
    const std::span cells(reinterpret_cast<machine::DepotCell*>(place), plan_.ranks.size());
    place += cells.size_bytes();
    const std::span arrived(reinterpret_cast<machine::Depot::Arrived*>(place), 2 * plan_.in.size());
    depot_.emplace(*store, cells, arrived, plan_.own, plan_.out.size() + 1);
}

std::byte* DepotMemory::half(std::size_t which) const { return pages_.data() + control_bytes() + which * half_bytes(); }

bool DepotMemory::reserve(std::size_t place_bytes) {
    const std::size_t wanted = static_cast<std::size_t>(plan_.places) * place_bytes;
    if (place_bytes <= reserved_ || wanted == 0) {
        return true;
    }
    for (const std::size_t which : {std::size_t{0}, std::size_t{1}}) {
        if (!pages_.reserve(static_cast<std::size_t>(half(which) - pages_.data()), wanted)) {
            return false;
        }
    }
    reserved_ = place_bytes;
    return true;
}

}  // namespace aapc::mpi
