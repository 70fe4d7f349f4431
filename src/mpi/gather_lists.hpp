/// @file
/// The lists of all ranks, one behind the other.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "aapc/mpi/agreement.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/ranks.hpp"

namespace aapc::mpi {

/// Which ranks get the lists.
enum class GatherTo : std::uint8_t { rank_0, all_ranks };

/// A vector or a string from each rank, in the order of ranks. Empty where they were not gathered to.
template <class List>
class GatheredLists {
    using Element = List::value_type;
    static_assert(std::is_trivially_copyable_v<Element>);
    static constexpr std::size_t most_bytes = std::numeric_limits<int>::max();

  public:
    /// Gathers `mine`, which is null on a rank that has none to give for want of memory. Collective; MPI_Alltoall is
    /// not among what it calls, since an interposer would answer that. Agreed::all is false if a rank has no memory, or
    /// if all lists together have more than `most` elements; then no rank has any of them.
    [[nodiscard]] Agreed gather(MPI_Comm comm, const List* mine, GatherTo to,
                                std::size_t most = most_bytes / sizeof(Element)) {
        const bool is_here = to == GatherTo::all_ranks || rank_in(comm) == 0;
        const auto ranks = static_cast<std::size_t>(is_here ? ranks_in(comm) : 0);
        const bool able = mine != nullptr && mine->size() <= most && have_memory_for([&] {
                              bytes_.resize(ranks);
                              begins_.resize(ranks);
                          });
        if (const Agreed agreed = Agreement().agree(comm, {.agrees = able}); !is_agreed(agreed)) {
            return agreed;
        }
        const int bytes = static_cast<int>(mine->size() * sizeof(Element));
        int error = to == GatherTo::rank_0 ? PMPI_Gather(&bytes, 1, MPI_INT, bytes_.data(), 1, MPI_INT, 0, comm)
                                           : PMPI_Allgather(&bytes, 1, MPI_INT, bytes_.data(), 1, MPI_INT, comm);
        const std::int64_t sum = std::accumulate(bytes_.begin(), bytes_.end(), std::int64_t{0});
        const auto elements = static_cast<std::size_t>(sum) / sizeof(Element);
        const bool room = error == MPI_SUCCESS && elements <= most && have_memory_for([&] { all_.resize(elements); });
        const Agreed agreed = Agreement().agree(comm, {.agrees = room});
        if (!is_agreed(agreed)) {
            all_.clear();
            return agreed;
        }
        std::exclusive_scan(bytes_.begin(), bytes_.end(), begins_.begin(), 0);
        error = to == GatherTo::rank_0 ? PMPI_Gatherv(mine->data(), bytes, MPI_BYTE, all_.data(), bytes_.data(),
                                                      begins_.data(), MPI_BYTE, 0, comm)
                                       : PMPI_Allgatherv(mine->data(), bytes, MPI_BYTE, all_.data(), bytes_.data(),
                                                         begins_.data(), MPI_BYTE, comm);
        Agreed gathered = agreed;
        gathered.error = error;
        gathered.all = error == MPI_SUCCESS;
        return gathered;
    }

    [[nodiscard]] const List& all() const { return all_; }
    /// Those of one rank.
    [[nodiscard]] std::span<const Element> of(std::size_t rank) const {
        return std::span(all_).subspan(static_cast<std::size_t>(begins_[rank]) / sizeof(Element),
                                       static_cast<std::size_t>(bytes_[rank]) / sizeof(Element));
    }

  private:
    static bool is_agreed(const Agreed& agreed) { return agreed.error == MPI_SUCCESS && agreed.all; }

    List all_;
    std::vector<int> bytes_;
    std::vector<int> begins_;
};

}  // namespace aapc::mpi
