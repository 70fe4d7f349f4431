#include "bench/collective.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "aapc/topology/topology_file.hpp"
#include "input/environment.hpp"
#include "input/text_file.hpp"
#include "mpi/complaints.hpp"
#include "mpi/places.hpp"
#include "mpi/ranks.hpp"

namespace aapc::bench {

using mpi::rank_in;
using mpi::ranks_in;
using mpi::text_from;
using mpi::wait_patiently;

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

Expected<Network> shared_topology(MPI_Comm comm, const std::string& path) {
    std::string text;
    std::optional<Diagnostic> complaint;
    if (rank_in(comm) == 0) {
        auto contents = read_text_file(path, topology_file);
        if (contents) {
            contents = with_tables(std::move(*contents), path);
        }
        if (!contents) {
            complaint = contents.error();
        } else if (const auto network = read_topology(*contents, path); !network) {  // what travels is right
            complaint = network.error();
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
