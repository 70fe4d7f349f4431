#include "platform.hpp"

#include <fmt/format.h>

#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u/Host.hpp>
#include <simgrid/s4u/Link.hpp>
#include <utility>

#include "routes.hpp"

namespace aapc::simulation {

namespace {

namespace s4u = simgrid::s4u;
namespace routing = simgrid::kernel::routing;

constexpr double bits_per_byte = 8;
/// Between ranks of one machine; every message has it to itself.
constexpr double loopback_bytes_per_second = 1e10;

/// The network, as SimGrid asks for it: a route is computed when a message needs it, so that thousands of machines need
/// no table of millions of routes.
class NetworkZone : public routing::NetZoneImpl {
  public:
    NetworkZone(const Network& network, Routes routes) : NetZoneImpl("network"), routes_(std::move(routes)) {
        links_.reserve(2 * network.links().size());
    }

    std::vector<s4u::Host*> build(const Network& network, const PlatformOptions& options) {
        for (std::size_t link = 0; link < network.links().size(); ++link) {
            links_.push_back(add_link(fmt::format("{}-up", link), network.links()[link], options));
            links_.push_back(add_link(fmt::format("{}-down", link), network.links()[link], options));
        }
        loopback_ = create_link("loopback", {loopback_bytes_per_second});
        loopback_->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE);
        loopback_->seal();
        std::vector<s4u::Host*> hosts;
        for (Machine machine = 0; std::cmp_less(machine, network.machines().size()); ++machine) {
            hosts.push_back(create_host(network.machine_name(machine), {1e9}));
            hosts.back()->seal();
        }
        seal();
        return hosts;
    }

    [[nodiscard]] const std::int64_t* messages() const { return &messages_; }

  private:
    s4u::Link* add_link(const std::string& name, const Link& cable, const PlatformOptions& options) {
        s4u::Link* link = create_link(name, {cable.bits_per_second / bits_per_byte});
        link->set_latency(cable.latency_seconds + options.latency_seconds);
        if (options.contention_loss > 0) {
            const double loss = options.contention_loss;
            link->set_sharing_policy(s4u::Link::SharingPolicy::NONLINEAR, [loss](double capacity, int flows) {
                return flows > 1 ? capacity / (1 + loss * (flows - 1)) : capacity;
            });
        }
        link->seal();
        return link;
    }

    void get_local_route(const routing::NetPoint* from, const routing::NetPoint* to, routing::Route* into,
                         double* latency) override {
        ++messages_;
        if (from == to) {
            into->link_list_.push_back(loopback_->get_impl());
            return;
        }
        // Hosts are the only points of this zone, so their numbers are those of the machines.
        route_.clear();
        routes_.append(static_cast<Machine>(from->id()), static_cast<Machine>(to->id()), route_);
        for (const DirectedLink link : route_) {
            const s4u::Link* const simulated = links_[static_cast<std::size_t>(link)];
            into->link_list_.push_back(simulated->get_impl());
            if (latency != nullptr) {
                *latency += simulated->get_latency();
            }
        }
    }

    Routes routes_;
    std::vector<s4u::Link*> links_;  ///< by DirectedLink
    s4u::Link* loopback_ = nullptr;
    std::int64_t messages_ = 0;
    std::vector<DirectedLink> route_;  ///< kept for its memory
};

}  // namespace

Expected<Platform> Platform::create(const Network& network, const PlatformOptions& options) {
    auto routes = Routes::find(network);
    if (!routes) {
        return failure(routes.error());
    }
    auto* const zone = new NetworkZone(network, std::move(*routes));  // the simulation's engine owns and deletes it
    std::vector<s4u::Host*> hosts = zone->build(network, options);
    return Platform(std::move(hosts), zone->messages());
}

}  // namespace aapc::simulation
