/// @file
/// A platform of SimGrid's as its XML says it, before anybody has asked what it is wired like.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aapc/input/diagnostic.hpp"

namespace aapc::imports {

/// What messages on a link take from each other.
enum class Sharing : std::uint8_t {
    both_directions,  ///< SHARED: all of them, in either direction
    each_direction,   ///< SPLITDUPLEX: those of the same direction
    nothing,          ///< FATPIPE: nobody
};

struct PlatformLink {
    double speed = 0;    ///< bits a second
    double latency = 0;  ///< seconds
    Sharing sharing = Sharing::both_directions;
};

/// How messages get from one member of a zone to another.
struct PlatformRoute {
    std::string from, to;                  ///< hosts, routers or zones
    std::string from_gateway, to_gateway;  ///< of zones: where they are left and entered
    std::vector<std::string> links;
    bool both_ways = true;
    int line = 0;
};

/// A machine with a link of its own to the middle of its zone.
struct PlatformPort {
    std::string machine;
    double speed = 0;  ///< bits a second in each direction
};

/// Switches of one level of a fat tree.
struct FatTreeLevel {
    int below = 1;   ///< switches or machines below each
    int above = 1;   ///< switches of this level that each of those below has cables to
    int cables = 1;  ///< to each of these
};

enum class ZoneKind : std::uint8_t { routed, star, torus, fat_tree };

struct PlatformZone {
    std::string id;
    int line = 0;
    ZoneKind kind = ZoneKind::routed;
    std::vector<std::string> hosts;   ///< of a routed zone
    std::vector<PlatformPort> ports;  ///< of the others
    std::vector<std::string> routers;
    std::vector<PlatformZone> zones;
    std::vector<PlatformRoute> routes;
    double backbone = 0;               ///< of a star: what all messages inside and to the outside share; 0: none
    std::vector<int> sides;            ///< of a torus, the first one running fastest
    std::vector<FatTreeLevel> levels;  ///< of a fat tree, the lowest first
};

struct Platform {
    PlatformZone all;  ///< a zone around those of the file
    std::map<std::string, PlatformLink, std::less<>> links;
    /// What has a latency, which no topology file of one tree or torus has a word for, by seconds, in the order of the
    /// file: "link l", "the links of c".
    std::map<double, std::vector<std::string>> delays;

    /// The link of that name, or the split one that it is a direction of ("l_UP", "l_DOWN").
    [[nodiscard]] const PlatformLink* find(std::string_view id) const;
};

/// Reads version 4 of SimGrid's platform files. What has no counterpart in a topology file is refused by its name.
/// Source: SimGrid's reference of platform files, and its simgrid.dtd.
[[nodiscard]] Expected<Platform> read_platform(std::string_view text, const std::string& file);

/// Machines in a zone and those inside. O(zones).
[[nodiscard]] std::size_t machines_in(const PlatformZone& zone);

/// The cables of a zone whose routes are listed one by one.
struct ZoneWiring {
    std::vector<std::string> junctions;  ///< switches that no router stands for, the middle one first
    struct Cable {
        std::string one, other;  ///< a host, a router, a zone's gateway or a junction
        double speed = 0;        ///< bits a second in each direction; infinite where nothing limits it
    };
    std::vector<Cable> cables;
    std::vector<std::string> remarks;
};

/// The tree that the routes of a routed zone follow, or why they follow none. O(routes · links of a route).
[[nodiscard]] Expected<ZoneWiring> wire(const PlatformZone& zone, const Platform& platform, const std::string& file);

}  // namespace aapc::imports
