#include "interposer/share_text.hpp"

#include <mpi.h>

#include <cstdint>
#include <limits>

#include "aapc/mpi/agreement.hpp"
#include "mpi/have_memory.hpp"

namespace aapc::interposer {

bool share_text(std::string& text) {
    std::int64_t length = static_cast<std::int64_t>(text.size());
    PMPI_Bcast(&length, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    const bool able = length <= std::numeric_limits<int>::max() &&
                      mpi::have_memory_for([&] { text.resize(static_cast<std::size_t>(length)); });
    if (!mpi::all_agree(MPI_COMM_WORLD, able)) {
        return false;
    }
    PMPI_Bcast(text.data(), static_cast<int>(length), MPI_BYTE, 0, MPI_COMM_WORLD);
    return true;
}

}  // namespace aapc::interposer
