// The executor from outside, one rank: links, starts, copies the rank's own block.
#include <aapc/mpi/exchange.hpp>
#include <cstdio>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    aapc::Plan plan;
    plan.rank = 0;
    plan.participants = 1;
    int status = 1;
    {
        std::unique_ptr<aapc::mpi::Exchange> exchange;
        const std::byte send[4] = {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
        std::byte receive[4] = {};
        if (aapc::mpi::Exchange::create(MPI_COMM_SELF, plan, {}, exchange) == MPI_SUCCESS &&
            exchange->run(send, receive, 4) == MPI_SUCCESS && receive[3] == std::byte{4}) {
            status = 0;
        }
    }
    MPI_Finalize();
    return status;
}
