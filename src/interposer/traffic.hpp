/// @file
/// What is measured of a call: its time, and how many bytes of data a rank sends by the arguments of a call that the
/// MPI has accepted, gaps not counted, itself included. Overloaded for the arguments of all routines that are counted:
/// with one count, with a count for each peer, and with a datatype for each peer. What comes behind the communicator
/// does not matter.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>

#include "interposer/unequal_call.hpp"

namespace aapc::interposer {

/// Whom a rank sends to: all others, of an intercommunicator those on the other side, or its neighbours.
enum class Peers : std::uint8_t { all, neighbours };

[[nodiscard]] int count_peers(MPI_Comm comm, Peers peers);

/// What a call took so far.
class Stopwatch {
  public:
    [[nodiscard]] std::chrono::steady_clock::time_point start() const { return start_; }
    [[nodiscard]] std::int64_t nanoseconds() const {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_).count();
    }

  private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point start_ = Clock::now();
};

/// Whether a call that returned `error` moved data, so that its arguments may be looked at. MPICH 5.0.2 complains of no
/// communicator, and returns MPI_SUCCESS if the error handler has returned.
[[nodiscard]] inline bool is_carried_out(int error, MPI_Comm comm) {
    return error == MPI_SUCCESS && comm != MPI_COMM_NULL;
}

[[nodiscard]] inline std::int64_t type_bytes(MPI_Datatype type) {
    MPI_Count size = 0;
    PMPI_Type_size_x(type, &size);
    return static_cast<std::int64_t>(size);
}

template <class Count, class... Rest>
std::int64_t bytes_sent(Peers peers, const void* send, Count send_count, MPI_Datatype send_type, void*,
                        Count receive_count, MPI_Datatype receive_type, MPI_Comm comm, Rest...) {
    return count_peers(comm, peers) *
           (send == MPI_IN_PLACE ? receive_count * type_bytes(receive_type) : send_count * type_bytes(send_type));
}

template <class Count, class Place, class... Rest>
std::int64_t bytes_sent(Peers peers, const void* send, const Count* send_counts, const Place*, MPI_Datatype send_type,
                        void*, const Count* receive_counts, const Place*, MPI_Datatype receive_type, MPI_Comm comm,
                        Rest...) {
    const Count* const counts = send == MPI_IN_PLACE ? receive_counts : send_counts;
    std::int64_t elements = 0;
    for (int peer = 0, all = count_peers(comm, peers); peer < all; ++peer) {
        elements += counts[peer];
    }
    return elements == 0 ? 0 : elements * type_bytes(send == MPI_IN_PLACE ? receive_type : send_type);
}

template <class Count, class Place, class... Rest>
std::int64_t bytes_sent(Peers peers, const void* send, const Count* send_counts, const Place*,
                        const MPI_Datatype* send_types, void*, const Count* receive_counts, const Place*,
                        const MPI_Datatype* receive_types, MPI_Comm comm, Rest...) {
    const Count* const counts = send == MPI_IN_PLACE ? receive_counts : send_counts;
    const MPI_Datatype* const types = send == MPI_IN_PLACE ? receive_types : send_types;
    std::int64_t bytes = 0;
    for (int peer = 0, all = count_peers(comm, peers); peer < all; ++peer) {
        bytes += counts[peer] == 0 ? 0 : counts[peer] * type_bytes(types[peer]);
    }
    return bytes;
}

/// The same of a call of MPI_Alltoallv or MPI_Alltoallw that has been read.
[[nodiscard]] std::int64_t bytes_sent(const UnequalCall& call);

}  // namespace aapc::interposer
