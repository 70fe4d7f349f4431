#include "mpi/complaints.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "mpi/have_memory.hpp"
#include "mpi/ranks.hpp"
#include "mpi/rest.hpp"

namespace aapc::mpi {

namespace {

/// A diagnostic as it travels.
struct Complaint {
    std::array<std::array<char, 4000>, 3> texts;  ///< zeros behind them
    std::array<int, 2> place;
};

}  // namespace

void wait_patiently(MPI_Request request) {
    int done = 0;
    Patience patience;
    while (PMPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done == 0) {
        patience.rest();
    }
}

void broadcast(MPI_Comm comm, void* bytes, std::size_t length, int root) {
    // At most so many bytes at once: counts are int.
    constexpr std::size_t piece = std::size_t{1} << 28;
    for (std::size_t at = 0; at < length; at += piece) {
        MPI_Request request = MPI_REQUEST_NULL;
        PMPI_Ibcast(static_cast<char*>(bytes) + at, static_cast<int>(std::min(piece, length - at)), MPI_BYTE, root,
                    comm, &request);
        wait_patiently(request);
    }
}

std::string text_from(MPI_Comm comm, const std::string& text, int root) {
    std::uint64_t length = text.size();
    broadcast(comm, &length, sizeof length, root);
    std::string shared = rank_in(comm) == root ? text : std::string(length, '\0');
    broadcast(comm, shared.data(), shared.size(), root);
    return shared;
}

std::optional<Diagnostic> first_complaint(MPI_Comm comm, const Diagnostic* mine) {
    // Blocking, as the native routine would be here: the program may have collectives pending on this communicator, and
    // Open MPI 4.1.4 does not get a non-blocking reduction past its own MPI_Ialltoallv in place.
    const int me = rank_in(comm);
    const std::int64_t ranks_above = mine != nullptr ? ranks_in(comm) - me : 0;
    const Agreed agreed = Agreement().agree(comm, {.agrees = mine == nullptr, .maxima = {&ranks_above, 1}});
    if (agreed.all || agreed.error != MPI_SUCCESS) {
        return std::nullopt;
    }
    const int first = static_cast<int>(ranks_in(comm) - agreed.maxima[0]);
    Complaint complaint{};
    if (first == me) {
        mine->file.copy(complaint.texts[0].data(), complaint.texts[0].size() - 1);
        mine->problem.copy(complaint.texts[1].data(), complaint.texts[1].size() - 1);
        mine->advice.copy(complaint.texts[2].data(), complaint.texts[2].size() - 1);
        complaint.place = {mine->line, mine->column};
    }
    PMPI_Bcast(&complaint, sizeof complaint, MPI_BYTE, first, comm);
    Diagnostic shared;
    const bool made = have_memory_for([&] {
        shared = {.file = complaint.texts[0].data(),
                  .line = complaint.place[0],
                  .column = complaint.place[1],
                  .problem = complaint.texts[1].data(),
                  .advice = complaint.texts[2].data()};
    });
    return made ? std::optional(std::move(shared)) : Diagnostic{.problem = no_memory};
}

}  // namespace aapc::mpi
