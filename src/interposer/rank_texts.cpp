#include "interposer/rank_texts.hpp"

#include <mpi.h>

#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "aapc/mpi/agreement.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/ranks.hpp"

namespace aapc::interposer {

using mpi::all_agree;
using mpi::have_memory_for;

bool share_text(std::string& text) {
    std::int64_t length = static_cast<std::int64_t>(text.size());
    PMPI_Bcast(&length, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    if (!all_agree(MPI_COMM_WORLD, length <= std::numeric_limits<int>::max() &&
                                       have_memory_for([&] { text.resize(static_cast<std::size_t>(length)); }))) {
        return false;
    }
    PMPI_Bcast(text.data(), static_cast<int>(length), MPI_BYTE, 0, MPI_COMM_WORLD);
    return true;
}

bool gather_texts(const std::string& mine, std::string& all) {
    const bool root = mpi::rank_in(MPI_COMM_WORLD) == 0;
    const auto ranks = static_cast<std::size_t>(mpi::ranks_in(MPI_COMM_WORLD));
    std::vector<int> lengths;
    std::vector<int> places;
    const bool able = mine.size() <= std::numeric_limits<int>::max() && have_memory_for([&] {
                          lengths.resize(root ? ranks : 0);
                          places.resize(root ? ranks : 0);
                      });
    if (!all_agree(MPI_COMM_WORLD, able)) {
        return false;
    }
    const int length = static_cast<int>(mine.size());
    PMPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
    const std::int64_t sum = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
    const bool room =
        sum <= std::numeric_limits<int>::max() && have_memory_for([&] { all.resize(static_cast<std::size_t>(sum)); });
    if (!all_agree(MPI_COMM_WORLD, room)) {
        return false;
    }
    std::exclusive_scan(lengths.begin(), lengths.end(), places.begin(), 0);
    PMPI_Gatherv(mine.data(), length, MPI_BYTE, all.data(), lengths.data(), places.data(), MPI_BYTE, 0, MPI_COMM_WORLD);
    return true;
}

}  // namespace aapc::interposer
