// The tree behind the routes of a zone. SimGrid lists which links a message takes from whom to whom, not what is
// plugged in where; a tree is what these routes may follow, and the only one: seen from the first member, each link has
// those members behind it whose routes go over it.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "cli/imports/simgrid_platform.hpp"
#include "input/wording.hpp"

namespace aapc::imports {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// Thrown within this file only.
struct NoTree {
    int line = 0;
    std::string problem;
};

/// A host, a router or a zone among whose routes a tree is looked for.
struct Member {
    std::string id;
    std::string node;          ///< what cables are plugged into: of a zone its gateway
    std::size_t machines = 1;  ///< within it
    bool has_several = false;  ///< gateways
};

/// How messages get from a member to one behind it in the list.
struct Way {
    std::vector<std::size_t> links;  ///< wires, sorted, each once
    std::string one, other;          ///< what it is plugged into
};

class RoutesOfZone {
  public:
    RoutesOfZone(const PlatformZone& zone, const Platform& platform) : zone_(zone), platform_(platform) {}

    ZoneWiring wire() {
        add_members();
        if (members_.size() < 2) {
            return {};
        }
        name_links();
        read_routes();
        if (!follow_single_cables()) {
            keep_whom_everybody_reaches();
            if (kept_.size() > 1) {
                take_out_backbones();
                put_apart();
            }
        }
        return std::move(wiring_);
    }

  private:
    using Links = std::vector<std::size_t>;  ///< wires, sorted, each once

    void add_members() {
        for (const std::string& host : zone_.hosts) {
            add_member({host, host, 1});
        }
        for (const std::string& router : zone_.routers) {
            add_member({router, router, 0});
        }
        for (const PlatformZone& each : zone_.zones) {
            add_member({each.id, "", machines_in(each)});
        }
    }

    void add_member(Member member) {
        if (!index_.emplace(member.id, members_.size()).second) {
            throw NoTree{zone_.line, fmt::format("{} is there twice", in_quotes(member.id))};
        }
        members_.push_back(std::move(member));
    }

    std::size_t member(const std::string& id, int line) const {
        const auto found = index_.find(id);
        if (found == index_.end()) {
            throw NoTree{line, fmt::format("{} is no member of zone {}", in_quotes(id), in_quotes(zone_.id))};
        }
        return found->second;
    }

    // Wires: two links that are there and back the same route are one.

    std::size_t wire_of(const std::string& link) {
        const auto [at, added] = number_of_.emplace(link, same_.size());
        if (added) {
            same_.push_back(at->second);
            links_.push_back(platform_.find(link));
        }
        std::size_t wire = at->second;
        while (same_[wire] != wire) {
            wire = same_[wire] = same_[same_[wire]];
        }
        return wire;
    }

    void name_links() {
        std::map<std::pair<std::string_view, std::string_view>, const PlatformRoute*> there;
        for (const PlatformRoute& route : zone_.routes) {
            for (const std::string& link : route.links) {
                static_cast<void>(wire_of(link));
            }
            const auto back = there.find({route.to, route.from});
            there.emplace(std::pair<std::string_view, std::string_view>(route.from, route.to), &route);
            if (back == there.end() || route.from == route.to) {
                continue;
            }
            const std::vector<std::string>& forth = back->second->links;
            if (forth.size() != route.links.size()) {
                throw NoTree{route.line, fmt::format("the route from {} to {} goes another way than the one back",
                                                     in_quotes(route.from), in_quotes(route.to))};
            }
            for (std::size_t index = 0; index < forth.size(); ++index) {
                const std::size_t one = wire_of(forth[forth.size() - 1 - index]);
                const std::size_t other = wire_of(route.links[index]);
                same_[std::max(one, other)] = std::min(one, other);
            }
        }
        speeds_.assign(same_.size(), unlimited);
        std::vector<int> parts(same_.size(), 0);
        for (const auto& [link, number] : number_of_) {
            const std::size_t wire = wire_of(link);
            speeds_[wire] = std::min(speeds_[wire], links_[number]->speed);
            ++parts[wire];
        }
        for (std::size_t wire = 0; wire < speeds_.size(); ++wire) {
            if (parts[wire] == 1 && links_[wire]->sharing == Sharing::both_directions) {
                speeds_[wire] /= 2;
                halved_.insert(wire);
            }
        }
        if (!halved_.empty()) {
            wiring_.remarks.push_back(
                fmt::format("Zone {}: SHARED links, which both directions use, count as half "
                            "their bandwidth in each. If yours are full duplex, double it.",
                            zone_.id));
        }
    }

    void read_routes() {
        for (const PlatformRoute& route : zone_.routes) {
            const std::size_t from = member(route.from, route.line);
            const std::size_t to = member(route.to, route.line);
            if (from == to) {
                continue;
            }
            const std::string one = node_of(from, route.from_gateway, route.line);
            const std::string other = node_of(to, route.to_gateway, route.line);
            Links links;
            for (const std::string& link : route.links) {
                if (platform_.find(link)->sharing != Sharing::nothing) {
                    links.push_back(wire_of(link));
                }
            }
            std::sort(links.begin(), links.end());
            links.erase(std::unique(links.begin(), links.end()), links.end());
            const auto [at, added] =
                ways_.emplace(std::minmax(from, to), Way{links, from < to ? one : other, from < to ? other : one});
            if (!added && at->second.links != links) {
                throw NoTree{route.line, fmt::format("the route from {} to {} goes another way than the one back",
                                                     in_quotes(route.from), in_quotes(route.to))};
            }
        }
    }

    /// What a route to a member is plugged into; of a zone its gateway, of which it may have several.
    std::string node_of(std::size_t index, const std::string& gateway, int line) {
        Member& member = members_[index];
        if (index < zone_.hosts.size() + zone_.routers.size()) {
            return member.id;
        }
        if (gateway.empty()) {
            throw NoTree{line, fmt::format("zone {} has no gateway here", in_quotes(member.id))};
        }
        member.has_several = member.has_several || (!member.node.empty() && member.node != gateway);
        member.node = gateway;
        return gateway;
    }

    double speed_of(const Links& links) const {
        double speed = unlimited;
        for (const std::size_t wire : links) {
            speed = std::min(speed, speeds_[wire]);
        }
        return speed;
    }

    /// Where there are as many routes as a tree has cables, or as many of a single link, each is a cable.
    bool follow_single_cables() {
        const std::size_t cables = members_.size() - 1;
        std::map<std::pair<std::size_t, std::size_t>, Way> single;
        for (const auto& [pair, way] : ways_) {
            if (ways_.size() == cables || way.links.size() == 1) {
                single.emplace(pair, way);
            }
        }
        std::set<std::size_t> used;
        std::size_t uses = 0;
        for (const auto& [pair, way] : single) {
            used.insert(way.links.begin(), way.links.end());
            uses += way.links.size();
        }
        if (single.size() != cables || used.size() != uses) {
            return false;
        }
        std::vector<std::size_t> part(members_.size());  // of the tree so far
        std::iota(part.begin(), part.end(), 0);
        for (const auto& [pair, way] : single) {
            const std::size_t from = part[pair.first];
            const std::size_t to = part[pair.second];
            if (from == to) {
                return false;
            }
            std::replace(part.begin(), part.end(), from, to);
        }
        for (const auto& [pair, way] : single) {
            wiring_.cables.push_back({way.one, way.other, speed_of(way.links)});
        }
        return true;
    }

    /// Routers that only some reach say nothing that the others' routes do not.
    void keep_whom_everybody_reaches() {
        std::vector<std::size_t> routes(members_.size(), 0);
        for (const auto& [pair, way] : ways_) {
            ++routes[pair.first];
            ++routes[pair.second];
        }
        for (std::size_t index = 0; index < members_.size(); ++index) {
            if (members_[index].machines > 0 || routes[index] + 1 == members_.size()) {
                kept_.push_back(index);
            }
        }
        for (std::size_t one = 0; one < kept_.size(); ++one) {
            if (members_[kept_[one]].has_several) {
                throw NoTree{zone_.line, fmt::format("zone {} has several gateways, and its neighbours more than one "
                                                     "cable each",
                                                     in_quotes(members_[kept_[one]].id))};
            }
            for (std::size_t other = one + 1; other < kept_.size(); ++other) {
                if (!ways_.contains({kept_[one], kept_[other]})) {
                    throw NoTree{zone_.line,
                                 fmt::format("zone {} has no route from {} to {}", in_quotes(zone_.id),
                                             in_quotes(members_[kept_[one]].id), in_quotes(members_[kept_[other]].id))};
                }
            }
        }
    }

    const Links& way(std::size_t one, std::size_t other) const {
        return ways_.at(std::minmax(kept_[one], kept_[other])).links;
    }

    /// What all routes use is no wire between two switches, but something that they share.
    void take_out_backbones() {
        Links common = way(0, 1);
        for (std::size_t one = 0; one < kept_.size(); ++one) {
            for (std::size_t other = one + 1; other < kept_.size(); ++other) {
                std::erase_if(common, [&links = way(one, other)](std::size_t wire) {
                    return !std::binary_search(links.begin(), links.end(), wire);
                });
            }
        }
        if (kept_.size() == 2 || common.empty()) {
            return;
        }
        for (auto& [pair, between] : ways_) {
            std::erase_if(between.links, [&common](std::size_t wire) {
                return std::binary_search(common.begin(), common.end(), wire);
            });
        }
        for (const std::size_t wire : common) {
            backbone_ = std::min(backbone_, speeds_[wire] * (halved_.contains(wire) ? 2 : 1));
        }
        wiring_.remarks.push_back(
            fmt::format("Zone {}: what all routes share is divided among those who use it.", zone_.id));
    }

    /// Of the backbone, what goes out of a member when every machine sends to every other.
    double share_of_backbone(std::size_t index) const {
        if (backbone_ == unlimited) {
            return unlimited;
        }
        double all = 0;
        double pairs = 0;
        for (const std::size_t each : kept_) {
            const auto machines = static_cast<double>(members_[each].machines);
            pairs += 2 * all * machines;
            all += machines;
        }
        const auto own = static_cast<double>(members_[kept_[index]].machines);
        return own > 0 ? backbone_ * own * (all - own) / pairs : unlimited;
    }

    /// Members behind a wire, as seen from the first.
    struct Behind {
        std::vector<std::size_t> members;
        Links wires;
    };

    void put_apart() {
        std::map<std::size_t, std::vector<std::size_t>> behind_wire;
        for (std::size_t index = 1; index < kept_.size(); ++index) {
            for (const std::size_t wire : way(0, index)) {
                behind_wire[wire].push_back(index);
            }
        }
        std::map<std::vector<std::size_t>, Links> wires_of;
        for (const auto& [wire, behind] : behind_wire) {
            wires_of[behind].push_back(wire);
        }
        std::vector<Behind> sets;
        sets.reserve(wires_of.size());
        for (const auto& [behind, wires] : wires_of) {
            sets.push_back({behind, wires});
        }
        std::sort(sets.begin(), sets.end(), [](const Behind& one, const Behind& other) {
            const bool alike = one.members.size() == other.members.size();
            return alike ? one.members < other.members : one.members.size() > other.members.size();
        });
        expect_a_tree(sets);
        plug_in(sets);
    }

    /// A route uses what lies between its ends and nothing else.
    void expect_a_tree(const std::vector<Behind>& sets) const {
        std::vector<Links> above(kept_.size());
        for (const Behind& set : sets) {
            for (const std::size_t index : set.members) {
                above[index].insert(above[index].end(), set.wires.begin(), set.wires.end());
            }
        }
        for (Links& wires : above) {
            std::sort(wires.begin(), wires.end());
        }
        for (std::size_t one = 0; one < kept_.size(); ++one) {
            for (std::size_t other = one + 1; other < kept_.size(); ++other) {
                Links between;
                std::set_symmetric_difference(above[one].begin(), above[one].end(), above[other].begin(),
                                              above[other].end(), std::back_inserter(between));
                if (between != way(one, other)) {
                    throw NoTree{zone_.line,
                                 fmt::format("the routes of zone {} follow no tree: that from {} to {} does "
                                             "not fit the others",
                                             in_quotes(zone_.id), in_quotes(members_[kept_[one]].id),
                                             in_quotes(members_[kept_[other]].id))};
                }
            }
        }
    }

    void plug_in(const std::vector<Behind>& sets) {
        wiring_.junctions.push_back(zone_.id);
        std::vector<std::string> above(kept_.size(), zone_.id);  // the junction that a member is below
        std::vector<bool> plugged(kept_.size(), false);
        for (const Behind& set : sets) {
            const std::string upper = above[set.members.front()];
            const bool nested = std::all_of(set.members.begin(), set.members.end(),
                                            [&](std::size_t index) { return above[index] == upper; });
            if (!nested) {
                throw NoTree{zone_.line, fmt::format("the routes of zone {} follow no tree", in_quotes(zone_.id))};
            }
            const double speed = speed_of(set.wires);
            if (set.members.size() == kept_.size() - 1) {
                plug(0, zone_.id, speed, plugged);
            } else if (set.members.size() == 1) {
                plug(set.members.front(), upper, speed, plugged);
            } else {
                const std::string lower = fmt::format("{}-{}", zone_.id, wiring_.junctions.size());
                wiring_.junctions.push_back(lower);
                wiring_.cables.push_back({lower, upper, speed});
                for (const std::size_t index : set.members) {
                    above[index] = lower;
                }
            }
        }
        for (std::size_t index = 0; index < kept_.size(); ++index) {
            if (!plugged[index]) {
                plug(index, above[index], unlimited, plugged);
            }
        }
    }

    void plug(std::size_t index, const std::string& junction, double speed, std::vector<bool>& plugged) {
        plugged[index] = true;
        wiring_.cables.push_back({members_[kept_[index]].node, junction, std::min(speed, share_of_backbone(index))});
    }

    const PlatformZone& zone_;
    const Platform& platform_;
    ZoneWiring wiring_;
    std::vector<Member> members_;
    std::map<std::string, std::size_t> index_;
    std::map<std::string, std::size_t> number_of_;  // of a link
    std::vector<std::size_t> same_;                 // of a link's number, one that is the same wire
    std::vector<const PlatformLink*> links_;        // by number
    std::vector<double> speeds_;                    // of wires
    std::map<std::pair<std::size_t, std::size_t>, Way> ways_;
    std::vector<std::size_t> kept_;
    double backbone_ = unlimited;
    std::set<std::size_t> halved_;  // wires that both directions share
};

}  // namespace

Expected<ZoneWiring> wire(const PlatformZone& zone, const Platform& platform, const std::string& file) {
    try {
        return RoutesOfZone(zone, platform).wire();
    } catch (const NoTree& reason) {
        return failure({.file = file,
                        .line = reason.line,
                        .problem = reason.problem,
                        .advice = "only routes along a tree can be followed; describe other networks by hand "
                                  "(docs/topology-files.md)"});
    }
}

}  // namespace aapc::imports
