#include "interposer/traffic.hpp"

#include "mpi/ranks.hpp"

namespace aapc::interposer {

namespace {

/// Of a communicator with a topology.
int count_neighbours(MPI_Comm comm) {
    int topology = MPI_UNDEFINED;
    int count = 0;
    PMPI_Topo_test(comm, &topology);
    if (topology == MPI_CART) {
        PMPI_Cartdim_get(comm, &count);
        return 2 * count;
    }
    if (topology == MPI_GRAPH) {
        PMPI_Graph_neighbors_count(comm, mpi::rank_in(comm), &count);
        return count;
    }
    int sources = 0;
    int weighted = 0;
    if (topology == MPI_DIST_GRAPH) {
        PMPI_Dist_graph_neighbors_count(comm, &sources, &count, &weighted);
    }
    return count;
}

}  // namespace

int count_peers(MPI_Comm comm, Peers peers) {
    if (peers == Peers::neighbours) {
        return count_neighbours(comm);
    }
    int is_inter = 0;
    int remote = 0;
    PMPI_Comm_test_inter(comm, &is_inter);
    if (is_inter == 0) {
        return mpi::ranks_in(comm);
    }
    PMPI_Comm_remote_size(comm, &remote);
    return remote;
}

std::int64_t bytes_sent(const UnequalCall& call) {
    const UnequalSide& side = call.in_place() ? call.receive : call.send;
    std::int64_t bytes = 0;
    for (int peer = 0, all = count_peers(call.comm, Peers::all); peer < all; ++peer) {
        const auto index = static_cast<std::size_t>(peer);
        const std::int64_t count = side.counts[index];
        bytes += count == 0 ? 0 : count * type_bytes(side.type_of(index));
    }
    return bytes;
}

}  // namespace aapc::interposer
