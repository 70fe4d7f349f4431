/// @file
/// The address at which other machines reach this one.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <optional>
#include <string>

namespace aapc::mpi {

/// An address of IPv4 or IPv6 with a port, as the system's calls take it.
struct SocketAddress {
    sockaddr_in6 bytes{};  ///< large enough for either
    socklen_t length = 0;

    [[nodiscard]] int family() const { return bytes.sin6_family; }
    [[nodiscard]] sockaddr* get() { return reinterpret_cast<sockaddr*>(&bytes); }
    [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&bytes); }
};

/// The address of the fastest network card that is up, IPv4 before IPv6, the first of several, without a port. The
/// loopback address if there is no card; nullopt if the system fails.
[[nodiscard]] std::optional<SocketAddress> own_address();

/// "10.0.0.3:4711". Throws std::bad_alloc.
[[nodiscard]] std::string to_string(const SocketAddress& address);

}  // namespace aapc::mpi
