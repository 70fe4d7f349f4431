/// @file
/// Networks as SimGrid simulates them.
#pragma once

#include <cstdint>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/topology/network.hpp"

namespace simgrid::s4u {
class Host;
}  // namespace simgrid::s4u

namespace aapc::simulation {

struct PlatformOptions {
    double latency_seconds = 0;  ///< of each link, in addition to what the topology file says
    /// How much of its capacity a direction of a link loses for each flow beyond the first: with n flows and a loss of
    /// b, capacity/(1 + b·(n - 1)) is left. 0: the flows share all of it.
    double contention_loss = 0;
};

/// The machines of a network as simulated hosts, joined by two simulated links for each cable, one in each direction.
/// Messages take the routes of the checker: through the tree, or over the torus dimension by dimension.
class Platform {
  public:
    /// Makes `network` the network of the simulation; once in a process, before the simulation runs. `network` must
    /// outlive it. Fails for a network that is no tree and no torus.
    [[nodiscard]] static Expected<Platform> create(const Network& network, const PlatformOptions& options);

    /// By machine.
    [[nodiscard]] const std::vector<simgrid::s4u::Host*>& hosts() const { return hosts_; }
    /// Messages that have been started so far, whoever sent them and whatever for.
    [[nodiscard]] std::int64_t messages() const { return *messages_; }

  private:
    Platform(std::vector<simgrid::s4u::Host*> hosts, const std::int64_t* messages)
        : hosts_(std::move(hosts)), messages_(messages) {}

    std::vector<simgrid::s4u::Host*> hosts_;
    const std::int64_t* messages_;  ///< the simulated network's
};

}  // namespace aapc::simulation
