#include "interposer/members.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "interposer/job.hpp"

namespace aapc::interposer {

namespace {

/// Calls `action` with the rank in our world of each rank of `comm`, MPI_UNDEFINED where it has none. Takes no memory
/// of ours.
template <class Action>
void for_each_world_rank(MPI_Comm comm, int ranks, const Job& job, Action action) {
    constexpr int at_once = 256;
    MPI_Group group = MPI_GROUP_NULL;
    PMPI_Comm_group(comm, &group);
    for (int first = 0; first < ranks; first += at_once) {
        const int count = std::min(at_once, ranks - first);
        std::array<int, at_once> here{};
        std::array<int, at_once> there{};
        std::iota(here.begin(), here.end(), first);
        PMPI_Group_translate_ranks(group, count, here.data(), job.world(), there.data());
        std::for_each_n(there.begin(), count, action);
    }
    PMPI_Group_free(&group);
}

Machine machine_of(const Job& job, int world_rank) {
    return job.placement().machine_of[static_cast<std::size_t>(world_rank)];
}

}  // namespace

bool is_of_world(MPI_Comm comm, int ranks, const Job& job) {
    bool all = true;
    for_each_world_rank(comm, ranks, job, [&all](int world_rank) { all = all && world_rank != MPI_UNDEFINED; });
    return all;
}

bool share_a_machine(MPI_Comm comm, int ranks, const Job& job) {
    std::optional<Machine> first;
    bool all = true;
    for_each_world_rank(comm, ranks, job, [&](int world_rank) {
        first = first.value_or(machine_of(job, world_rank));
        all = all && machine_of(job, world_rank) == *first;
    });
    return all;
}

std::vector<Rank> world_ranks_of(MPI_Comm comm, int ranks, const Job& job) {
    std::vector<Rank> found;
    found.reserve(static_cast<std::size_t>(ranks));
    for_each_world_rank(comm, ranks, job, [&](int world_rank) { found.push_back(world_rank); });
    return found;
}

}  // namespace aapc::interposer
