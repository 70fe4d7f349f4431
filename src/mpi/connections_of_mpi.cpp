#include "mpi/connections_of_mpi.hpp"

#include <algorithm>
#include <cstring>

#include "aapc/mpi/agreement.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/open_files.hpp"
#include "mpi/ranks.hpp"
#include "mpi/returned_errors.hpp"

namespace aapc::mpi {

namespace {

/// Without a port; nullopt if it is no address of IPv4 or IPv6. Sockets for both have IPv4 inside of IPv6.
std::optional<SocketAddress> plain(const SocketAddress& address) {
    SocketAddress found;
    if (address.family() == AF_INET) {
        found = address;
    } else if (address.family() == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&address.bytes.sin6_addr)) {
        sockaddr_in v4{};
        v4.sin_family = AF_INET;
        std::memcpy(&v4.sin_addr, address.bytes.sin6_addr.s6_addr + 12, sizeof v4.sin_addr);
        std::memcpy(&found.bytes, &v4, sizeof v4);
        found.length = sizeof v4;
    } else if (address.family() == AF_INET6) {
        found = address;
        found.bytes.sin6_flowinfo = 0;
        found.bytes.sin6_scope_id = 0;
    } else {
        return std::nullopt;
    }
    found.bytes.sin6_port = 0;  // IPv4 has it at the same place
    return found;
}

std::optional<Connection> connection_of(int file) {
    int protocol = 0;
    socklen_t length = sizeof protocol;
    if (getsockopt(file, SOL_SOCKET, SO_PROTOCOL, &protocol, &length) != 0 || protocol != IPPROTO_TCP) {
        return std::nullopt;
    }
    SocketAddress here{{}, sizeof(sockaddr_in6)};
    SocketAddress there{{}, sizeof(sockaddr_in6)};
    if (getsockname(file, here.get(), &here.length) != 0 || getpeername(file, there.get(), &there.length) != 0) {
        return std::nullopt;
    }
    const auto plain_here = plain(here);
    const auto plain_there = plain(there);
    if (!plain_here || !plain_there || are_same_address(*plain_here, *plain_there)) {
        return std::nullopt;
    }
    return Connection{*plain_here, *plain_there};
}

std::optional<SocketAddress> most_used(const std::vector<Connection>& connections) {
    const auto uses = [&](const SocketAddress& address) {
        return std::count_if(connections.begin(), connections.end(),
                             [&](const Connection& one) { return are_same_address(one.here, address); });
    };
    const auto most = std::max_element(
        connections.begin(), connections.end(),
        [&](const Connection& left, const Connection& right) { return uses(left.here) < uses(right.here); });
    return most == connections.end() ? std::nullopt : std::optional(most->here);
}

}  // namespace

bool are_same_address(const SocketAddress& left, const SocketAddress& right) {
    if (left.family() != right.family()) {
        return false;
    }
    if (left.family() == AF_INET) {
        sockaddr_in one{};
        sockaddr_in other{};
        std::memcpy(&one, &left.bytes, sizeof one);
        std::memcpy(&other, &right.bytes, sizeof other);
        return one.sin_addr.s_addr == other.sin_addr.s_addr;
    }
    return IN6_ARE_ADDR_EQUAL(&left.bytes.sin6_addr, &right.bytes.sin6_addr);
}

std::vector<Connection> connections_to_others() {
    std::vector<Connection> found;
    static_cast<void>(for_each_open_file([&found](int file) {
        if (const auto one = connection_of(file)) {
            found.push_back(*one);
        }
    }));
    return found;
}

std::optional<SocketAddress> address_in_use() { return most_used(connections_to_others()); }

bool mpi_uses_tcp(MPI_Comm comm) {
    const ReturnedErrors returned(comm);
    std::vector<Connection> connections;
    std::vector<SocketAddress> addresses;
    SocketAddress own;
    const bool has_memory = have_memory_for([&] {
        addresses.resize(static_cast<std::size_t>(ranks_in(comm)));
        connections = connections_to_others();
        own = most_used(connections).value_or(SocketAddress());
    });
    const Agreed first = Agreement().agree(comm, {.agrees = has_memory && own.length > 0});
    if (!first.all ||
        PMPI_Allgather(&own, sizeof own, MPI_BYTE, addresses.data(), sizeof own, MPI_BYTE, comm) != MPI_SUCCESS) {
        return false;
    }
    const bool reaches_a_rank = std::any_of(connections.begin(), connections.end(), [&](const Connection& one) {
        return std::any_of(addresses.begin(), addresses.end(),
                           [&](const SocketAddress& rank) { return are_same_address(one.there, rank); });
    });
    return Agreement().agree(comm, {.agrees = reaches_a_rank}).all;
}

}  // namespace aapc::mpi
