#include "mpi/agreement.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "mpi/ranks.hpp"

namespace aapc::mpi {

namespace {

constexpr useconds_t nap_microseconds = 100;

}  // namespace

void wait_patiently(MPI_Request request) {
    int done = 0;
    while (PMPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done == 0) {
        usleep(nap_microseconds);
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

std::optional<Diagnostic> first_complaint(MPI_Comm comm, const std::optional<Diagnostic>& mine) {
    const int nobody = ranks_in(comm);
    const int me = mine ? rank_in(comm) : nobody;
    int first = nobody;
    MPI_Request request = MPI_REQUEST_NULL;
    PMPI_Iallreduce(&me, &first, 1, MPI_INT, MPI_MIN, comm, &request);
    wait_patiently(request);
    if (first == nobody) {
        return std::nullopt;
    }
    Diagnostic shared = mine.value_or(Diagnostic{});
    for (std::string* const part : {&shared.file, &shared.problem, &shared.advice}) {
        *part = text_from(comm, *part, first);
    }
    std::array<int, 2> place = {shared.line, shared.column};
    broadcast(comm, place.data(), sizeof place, first);
    shared.line = place[0];
    shared.column = place[1];
    return shared;
}

}  // namespace aapc::mpi
