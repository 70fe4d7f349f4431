#include "interposer/under_way.hpp"

#include <utility>

namespace aapc::interposer {

UnderWay::Room UnderWay::make_room() {
    std::set<MPI_Request> one = {MPI_REQUEST_NULL};
    return one.extract(one.begin());
}

void UnderWay::add(Room room, MPI_Request request) noexcept {
    room.value() = request;
    const std::lock_guard lock(mutex_);
    requests_.insert(std::move(room));
    count_.store(requests_.size(), std::memory_order_release);
}

UnderWay::Room UnderWay::remove(MPI_Request request) noexcept {
    Room room;
    {
        const std::lock_guard lock(mutex_);
        room = requests_.extract(request);
        count_.store(requests_.size(), std::memory_order_release);
    }
    removed_.notify_all();
    return room;
}

void UnderWay::sleep_until_removed(MPI_Request request) noexcept {
    std::unique_lock lock(mutex_);
    removed_.wait(lock, [&] { return requests_.count(request) == 0; });
}

}  // namespace aapc::interposer
