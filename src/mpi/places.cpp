#include "mpi/places.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <new>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "aapc/mpi/agreement.hpp"
#include "input/environment.hpp"
#include "input/fnv1a.hpp"
#include "mpi/ranks.hpp"

namespace aapc::mpi {

namespace {

/// What travels of a RankPlace.
struct Record {
    std::int32_t shares_memory_with;
    std::array<char, 24> system;               ///< this_system(), zeros behind it
    std::array<char, longest_host_name> host;  ///< zeros behind it
};

/// What the MPI calls this host, which may be more than the host itself says; AAPC_HOSTNAME comes first.
std::string processor_name() {
    if (!environment_variable("AAPC_HOSTNAME").empty()) {
        return host_name();
    }
    std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
    int length = 0;
    PMPI_Get_processor_name(name.data(), &length);
    return {name.data(), std::min(static_cast<std::size_t>(length), longest_host_name - 1)};
}

/// The lowest rank of `comm` with which this one shares memory; -1: the MPI refuses to tell.
std::int32_t lowest_rank_in_memory(MPI_Comm comm) {
    const int rank = rank_in(comm);
    MPI_Comm sharing = MPI_COMM_NULL;
    if (PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &sharing) != MPI_SUCCESS) {
        return -1;
    }
    int lowest = rank;
    PMPI_Bcast(&lowest, 1, MPI_INT, 0, sharing);
    PMPI_Comm_free(&sharing);
    return lowest;
}

/// What processes have in common that may share aapc's memory: the system's start, and the namespaces of a machine or
/// container. Empty if it is not known.
std::string this_system() {
    std::string text;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> text;
    for (const char* const name : {"/proc/self/ns/pid", "/proc/self/ns/uts"}) {
        struct stat found = {};
        if (text.empty() || stat(name, &found) != 0) {
            return {};
        }
        text += ' ' + std::to_string(found.st_ino);
    }
    return fnv1a_text(text);
}

/// An MPI without shared memory gives every rank a communicator to itself, as MPICH 5 does over UCX. Then ranks share
/// memory that run on one system. `order` has as many elements, of any values. O(ranks log ranks).
void find_sharing_by_system(std::span<Record> records, std::span<std::int32_t> order) {
    std::iota(order.begin(), order.end(), 0);
    const auto at = [&](std::int32_t rank) -> Record& { return records[static_cast<std::size_t>(rank)]; };
    if (!std::all_of(order.begin(), order.end(),
                     [&](std::int32_t rank) { return at(rank).shares_memory_with == rank; })) {
        return;
    }
    std::sort(order.begin(), order.end(), [&](std::int32_t left, std::int32_t right) {
        return std::tie(at(left).system, left) < std::tie(at(right).system, right);
    });
    std::int32_t lowest = 0;
    for (const std::int32_t rank : order) {
        if (at(rank).system.front() == '\0' || at(rank).system != at(lowest).system) {
            lowest = rank;
        }
        at(rank).shares_memory_with = lowest;
    }
}

}  // namespace

std::optional<std::vector<RankPlace>> gather_places(MPI_Comm comm) {
    int ranks = 0;
    PMPI_Comm_size(comm, &ranks);
    Record own{lowest_rank_in_memory(comm), {}, {}};
    std::vector<RankPlace> places;
    std::unique_ptr<Record[]> records;
    std::vector<std::int32_t> order;
    try {
        processor_name().copy(own.host.data(), own.host.size() - 1);
        this_system().copy(own.system.data(), own.system.size() - 1);
        records = std::make_unique<Record[]>(static_cast<std::size_t>(ranks));
        order.resize(static_cast<std::size_t>(ranks));
        places.resize(static_cast<std::size_t>(ranks));
        for (RankPlace& place : places) {
            place.host.reserve(longest_host_name);
        }
    } catch (const std::bad_alloc&) {
        records.reset();
    }
    if (!all_agree(comm, records && own.shares_memory_with >= 0)) {
        return std::nullopt;
    }
    PMPI_Allgather(&own, sizeof own, MPI_BYTE, records.get(), sizeof own, MPI_BYTE, comm);
    find_sharing_by_system({records.get(), order.size()}, order);
    for (std::size_t rank = 0; rank < places.size(); ++rank) {
        places[rank].shares_memory_with = records[rank].shares_memory_with;
        places[rank].host = records[rank].host.data();
    }
    return places;
}

}  // namespace aapc::mpi
