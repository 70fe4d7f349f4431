#include "bench/collective.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "aapc/topology/topology_file.hpp"
#include "console/output.hpp"
#include "input/environment.hpp"
#include "mpi/places.hpp"
#include "mpi/ranks.hpp"

namespace aapc::bench {

namespace {

using mpi::rank_in;
using mpi::ranks_in;

constexpr useconds_t nap_microseconds = 100;

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

}  // namespace

void barrier(MPI_Comm comm) {
    MPI_Request request = MPI_REQUEST_NULL;
    PMPI_Ibarrier(comm, &request);
    wait_patiently(request);
}

void maximise(MPI_Comm comm, std::span<double> values) {
    const std::vector<double> own(values.begin(), values.end());
    MPI_Request request = MPI_REQUEST_NULL;
    PMPI_Iallreduce(own.data(), values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX, comm, &request);
    wait_patiently(request);
}

std::string shared_text(MPI_Comm comm, const std::string& text_of_rank_0) { return text_from(comm, text_of_rank_0, 0); }

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

Expected<Network> shared_topology(MPI_Comm comm, const std::string& path) {
    std::string text;
    std::optional<Diagnostic> complaint;
    if (rank_in(comm) == 0) {
        // Reading checks as well: what travels is right.
        if (const auto network = read_topology_file(path); !network) {
            complaint = network.error();
        } else if (auto contents = cli::read_file(path); !contents) {
            complaint = contents.error();
        } else {
            text = std::move(*contents);
        }
    }
    if (auto first = first_complaint(comm, complaint)) {
        return failure(std::move(*first));
    }
    return read_topology(shared_text(comm, text), path);
}

Expected<DetectedNetwork> detected_network(MPI_Comm comm, const std::string& setting) {
    const auto speed = detection_speed(setting);
    if (!speed) {
        return failure({.file = setting, .problem = speed.error().problem, .advice = speed.error().advice});
    }
    const auto places = mpi::gather_places(comm);
    if (!places) {
        return failure({.file = setting,
                        .problem = "the MPI does not tell which ranks share a machine, or memory is short",
                        .advice = "give a topology file"});
    }
    return detect_network(*places, *speed);
}

std::vector<std::string> host_names(MPI_Comm comm) {
    std::array<char, longest_host_name> own{};
    host_name().copy(own.data(), own.size() - 1);
    const auto ranks = static_cast<std::size_t>(ranks_in(comm));
    std::vector<char> all(ranks * own.size());
    MPI_Request request = MPI_REQUEST_NULL;
    PMPI_Iallgather(own.data(), static_cast<int>(own.size()), MPI_CHAR, all.data(), static_cast<int>(own.size()),
                    MPI_CHAR, comm, &request);
    wait_patiently(request);
    std::vector<std::string> names;
    names.reserve(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        names.emplace_back(all.data() + rank * own.size());
    }
    return names;
}

}  // namespace aapc::bench
