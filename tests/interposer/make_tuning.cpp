// Prints a tuning for the first ranks of a topology file and the MPI that this program is built for:
//     make_tuning TOPOLOGY RANKS FROM_BYTES METHOD
// TOPOLOGY may be detect:RANKS_A_MACHINE, for what ranks of this host find whose machines are called n0, n1, ...
#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aapc/archive/tuning.hpp"
#include "aapc/topology/detection.hpp"
#include "aapc/topology/topology_file.hpp"

namespace {

/// Ranks that share the memory of this host but say that they are on others.
aapc::DetectedNetwork pretended(aapc::Rank ranks, aapc::Rank ranks_a_machine) {
    std::vector<aapc::RankPlace> places;
    for (aapc::Rank rank = 0; rank < ranks; ++rank) {
        places.push_back({0, "n" + std::to_string(rank / ranks_a_machine)});
    }
    return aapc::detect_network(places, 0);
}

/// The first ranks of the file, or all of them as detected.
aapc::Expected<aapc::DetectedNetwork> network_of(const std::string& topology, aapc::Rank ranks) {
    if (aapc::asks_for_detection(topology)) {
        return pretended(ranks, std::stoi(topology.substr(aapc::detection_word.size() + 1)));
    }
    auto network = aapc::read_topology_file(topology);
    if (!network) {
        return aapc::failure(network.error());
    }
    aapc::Placement placement = full_placement(*network);
    placement.machine_of.resize(static_cast<std::size_t>(ranks));
    return aapc::DetectedNetwork{std::move(*network), std::move(placement)};
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) {
        return 2;
    }
    const auto network = network_of(argv[1], std::stoi(argv[2]));
    const auto method = aapc::parse_method(argv[4], aapc::NetworkKind::tree);
    if (!network || !method) {
        std::fputs(to_string(network ? method.error() : network.error()).c_str(), stderr);
        return 2;
    }
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
    int length = 0;
    MPI_Get_library_version(version.data(), &length);  // may be called without MPI_Init
    aapc::Tuning tuning;
    const std::string remark = aapc::asks_for_detection(argv[1]) ? std::string(aapc::detection_word) : argv[1];
    tuning.fingerprint = make_fingerprint(network->network, network->placement, AAPC_MPI,
                                          std::string_view(version.data(), static_cast<std::size_t>(length)), remark);
    tuning.conditions = {"2026-11-21", 1, "", "n0"};
    tuning.ranges = {{0, {}, {}}, {std::strtoll(argv[3], nullptr, 10), *method, {}}};
    std::fputs(tuning_text(tuning).c_str(), stdout);
    return 0;
}
