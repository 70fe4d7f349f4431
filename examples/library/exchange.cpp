// An all-to-all by a schedule, without an interposer. Rank i runs on the i-th machine of the topology file:
//   mpirun -n 16 ./exchange cluster.toml
#include <aapc/methods/preparation.hpp>
#include <aapc/mpi/make_exchange.hpp>
#include <aapc/topology/topology_file.hpp>
#include <cstdio>
#include <vector>

/// Collective; 0 if all blocks arrived.
int exchange_by(const char* topology) {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const auto network = aapc::read_topology_file(topology);
    if (!network) {
        std::fprintf(stderr, "%s\n", aapc::to_string(network.error()).c_str());
        return 2;
    }
    const aapc::Placement placement = aapc::full_placement(*network);
    if (placement.participants() != ranks) {
        std::fprintf(stderr, "%s: %d ranks were started for %d\n", topology, ranks, placement.participants());
        return 2;
    }
    const aapc::Bound bound = aapc::network_bound(*network, placement);
    const auto method = aapc::parse_method("tree+sender", network->kind());
    const auto made = aapc::mpi::make_exchange(MPI_COMM_WORLD, aapc::prepare(*network, placement, bound, *method),
                                               placement, nullptr);
    if (!made) {
        std::fprintf(stderr, "%s\n", aapc::to_string(made.error()).c_str());
        return 2;
    }
    constexpr std::size_t block = 1000;
    std::vector<std::byte> send(block * ranks, static_cast<std::byte>(rank));
    std::vector<std::byte> receive(block * ranks);
    bool right = (*made)->run(send.data(), receive.data(), block) == MPI_SUCCESS;
    for (std::size_t at = 0; at < receive.size(); ++at) {
        right = right && receive[at] == static_cast<std::byte>(at / block);
    }
    return right ? 0 : 1;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    if (argc != 2) {
        std::fprintf(stderr, "usage: exchange TOPOLOGY\n");
    }
    const int status = argc == 2 ? exchange_by(argv[1]) : 2;
    MPI_Finalize();
    return status;
}
