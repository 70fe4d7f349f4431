#include "mpi/own_address.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tuple>

namespace aapc::mpi {

namespace {

/// In Mbit/s; 0 if nobody knows.
long speed_of(const char* interface) {
    std::array<char, 64> path{};
    std::snprintf(path.data(), path.size(), "/sys/class/net/%s/speed", interface);
    std::array<char, 16> text{};
    if (std::FILE* const file = std::fopen(path.data(), "re")) {
        static_cast<void>(std::fgets(text.data(), static_cast<int>(text.size()), file));
        std::fclose(file);
    }
    const long speed = std::strtol(text.data(), nullptr, 10);
    return speed > 0 ? speed : 0;
}

bool is_usable(const ifaddrs& entry) {
    if (entry.ifa_addr == nullptr || (entry.ifa_flags & IFF_UP) == 0) {
        return false;
    }
    if (entry.ifa_addr->sa_family == AF_INET6) {
        sockaddr_in6 address{};
        std::memcpy(&address, entry.ifa_addr, sizeof address);
        return !IN6_IS_ADDR_LINKLOCAL(&address.sin6_addr);
    }
    return entry.ifa_addr->sa_family == AF_INET;
}

}  // namespace

std::optional<SocketAddress> own_address() {
    ifaddrs* all = nullptr;
    if (getifaddrs(&all) != 0) {
        return std::nullopt;
    }
    std::optional<SocketAddress> best;
    std::tuple best_rank{false, false, -1L};
    for (const ifaddrs* entry = all; entry != nullptr; entry = entry->ifa_next) {
        if (!is_usable(*entry)) {
            continue;
        }
        const bool is_ipv4 = entry->ifa_addr->sa_family == AF_INET;
        const std::tuple rank{(entry->ifa_flags & IFF_LOOPBACK) == 0, is_ipv4, speed_of(entry->ifa_name)};
        if (!best || rank > best_rank) {
            best.emplace();
            best->length = is_ipv4 ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
            std::memcpy(&best->bytes, entry->ifa_addr, best->length);
            best_rank = rank;
        }
    }
    freeifaddrs(all);
    return best;
}

std::string to_string(const SocketAddress& address) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    const void* where = &address.bytes.sin6_addr;
    sockaddr_in v4{};
    if (address.family() == AF_INET) {
        std::memcpy(&v4, &address.bytes, sizeof v4);
        where = &v4.sin_addr;
    }
    inet_ntop(address.family(), where, text.data(), text.size());
    // The port has the same place in both.
    return std::string(text.data()) + ":" + std::to_string(ntohs(address.bytes.sin6_port));
}

}  // namespace aapc::mpi
