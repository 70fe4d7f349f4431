/// @file
/// Whether the messages of the MPI travel by TCP, by the connections that it has opened.
#pragma once

#include <mpi.h>

#include <optional>
#include <vector>

#include "mpi/own_address.hpp"

namespace aapc::mpi {

/// A TCP connection of this process with another address than its own end has; without ports, IPv4 as IPv4.
struct Connection {
    SocketAddress here;
    SocketAddress there;
};

/// Those that this process has, whoever opened them. Nothing where the system does not list open files. O(files).
/// Throws std::bad_alloc.
[[nodiscard]] std::vector<Connection> connections_to_others();

/// This process's end of most of them, without a port; nullopt if there are none. Throws std::bad_alloc.
[[nodiscard]] std::optional<SocketAddress> address_in_use();

/// True if both are the same address, whatever their ports.
[[nodiscard]] bool are_same_address(const SocketAddress& left, const SocketAddress& right);

/// True if every rank has a TCP connection with the address of another rank's machine, by which that rank has such
/// connections too. An MPI over other networks has none: its launcher's processes have those that there are. False
/// where a rank has no memory. Collective over `comm`; the same on all ranks. O(ranks + files *
/// ranks).
[[nodiscard]] bool mpi_uses_tcp(MPI_Comm comm);

}  // namespace aapc::mpi
