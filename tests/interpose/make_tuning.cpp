// Prints a tuning for the first ranks of a topology file and the MPI that this program is built for:
//     make_tuning TOPOLOGY RANKS FROM_BYTES METHOD
#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "aapc/topology_file.hpp"
#include "aapc/tuning.hpp"

int main(int argc, char** argv) {
    if (argc != 5) {
        return 2;
    }
    const auto network = aapc::read_topology_file(argv[1]);
    const auto method = aapc::parse_method(argv[4], aapc::NetworkKind::tree);
    if (!network || !method) {
        std::fputs(to_string(network ? method.error() : network.error()).c_str(), stderr);
        return 2;
    }
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
    int length = 0;
    MPI_Get_library_version(version.data(), &length);  // may be called without MPI_Init
    aapc::Demand demand = full_demand(*network);
    demand.machine_of.resize(std::strtoul(argv[2], nullptr, 10));
    aapc::Tuning tuning;
    tuning.fingerprint = make_fingerprint(*network, demand, AAPC_MPI,
                                          std::string_view(version.data(), static_cast<std::size_t>(length)), argv[1]);
    tuning.conditions = {"2026-11-21", 1, "", "n0"};
    tuning.ranges = {{0, {}, {}}, {std::strtoll(argv[3], nullptr, 10), *method, {}}};
    std::fputs(tuning_text(tuning).c_str(), stdout);
    return 0;
}
