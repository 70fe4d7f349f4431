#include "mpi/agreement.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "mpi/have_memory.hpp"
#include "mpi/ranks.hpp"
#include "mpi/rest.hpp"

namespace aapc::mpi {

namespace {

/// What ranks bring that agree. Of a number and its complement the largest are a number and its complement only where
/// all are the same.
using Agreeing = std::array<std::uint64_t, 4>;
Agreeing agreeing(bool mine, std::uint64_t number, std::uint64_t other) {
    return {mine ? 0U : 1U, number, ~number, other};
}
Agreed agreed(const Agreeing& largest) { return {largest[0] == 0, largest[1] == ~largest[2], largest[3]}; }

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

bool all_agree(MPI_Comm comm, bool mine) {
    const int here = mine ? 1 : 0;
    int everywhere = 0;
    return PMPI_Allreduce(&here, &everywhere, 1, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS && everywhere == 1;
}

Agreed all_agree_on(MPI_Comm comm, bool mine, std::uint64_t number) {
    const Agreeing here = agreeing(mine, number, 0);
    Agreeing largest{};
    const int error =
        PMPI_Allreduce(here.data(), largest.data(), static_cast<int>(here.size()), MPI_UINT64_T, MPI_MAX, comm);
    return error == MPI_SUCCESS ? agreed(largest) : Agreed{};
}

void AgreementInPassing::begin(MPI_Comm comm, bool mine, std::uint64_t number, std::uint64_t other) {
    here_ = agreeing(mine, number, other);
    begun_ = true;
    fails_ = PMPI_Iallreduce(here_.data(), largest_.data(), static_cast<int>(here_.size()), MPI_UINT64_T, MPI_MAX, comm,
                             &request_) != MPI_SUCCESS;
}

void AgreementInPassing::complete() {
    if (request_ != MPI_REQUEST_NULL) {
        wait_patiently(request_);
        request_ = MPI_REQUEST_NULL;
    }
}

Agreed AgreementInPassing::end() {
    complete();
    begun_ = false;
    return fails_ ? Agreed{} : agreed(largest_);
}

std::optional<Diagnostic> first_complaint(MPI_Comm comm, const Diagnostic* mine) {
    const int nobody = ranks_in(comm);
    const int me = mine != nullptr ? rank_in(comm) : nobody;
    int first = nobody;
    // Blocking, like what the MPI's own routine would do here: the program may have collectives pending on this
    // communicator, and Open MPI 4.1.4 does not get a non-blocking reduction past its own MPI_Ialltoallv in place.
    PMPI_Allreduce(&me, &first, 1, MPI_INT, MPI_MIN, comm);
    if (first == nobody) {
        return std::nullopt;
    }
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
