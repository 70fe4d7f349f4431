#include "interposer/call.hpp"

namespace aapc::interposer {

namespace {

std::int64_t data_bytes(int count, MPI_Datatype type) {
    MPI_Count size = 0;
    PMPI_Type_size_x(type, &size);
    return static_cast<std::int64_t>(size) * count;
}

}  // namespace

void read_arguments(Call& call) {
    if (call.comm == MPI_COMM_NULL || call.receive_count < 0 || call.receive_type == MPI_DATATYPE_NULL) {
        return;
    }
    if (!call.in_place() && (call.send_count < 0 || call.send_type == MPI_DATATYPE_NULL)) {
        return;
    }
    const std::int64_t bytes = data_bytes(call.receive_count, call.receive_type);
    if (call.sends_what_it_receives() || data_bytes(call.send_count, call.send_type) == bytes) {
        call.block_bytes = bytes;
    }
}

}  // namespace aapc::interposer
