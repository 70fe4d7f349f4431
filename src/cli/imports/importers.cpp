#include <algorithm>
#include <array>

#include "cli/imports/imports.hpp"

namespace aapc::imports {

std::span<const Importer> importers() {
    static constexpr std::array all{
        Importer{"slurm", read_slurm, "topology.conf, topology.yaml or what scontrol show topology prints",
                 "none, since LinkSpeed has no unit: give --speed, and --uplink-speed where they differ",
                 "aapc topology --from slurm /etc/slurm/topology.conf --speed 25Gbit --uplink-speed 100Gbit > "
                 "cluster.toml",
                 "the switches that Slurm knows"},
        Importer{"ibnetdiscover", read_ibnetdiscover, "what ibnetdiscover prints, without options",
                 "of each link, as its width and rate carry it (`4xEDR`: 100 Gbit)",
                 "ibnetdiscover | aapc topology --from ibnetdiscover - > cluster.toml", "of an InfiniBand fabric"},
        Importer{"lldp", read_lldp, "a JSON object with what lldpctl -f json prints on each host, under its name",
                 "of links whose port says its type",
                 "aapc topology --from lldp hosts.json --speed 25Gbit > cluster.toml",
                 "what Ethernet switches tell their hosts"},
        Importer{"simgrid", read_simgrid, "a platform file of SimGrid's, version 4", "of all links",
                 "aapc topology --from simgrid platform.xml > cluster.toml", "a simulated platform"},
    };
    return all;
}

const Importer* find_importer(std::string_view name) {
    const std::span<const Importer> all = importers();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Importer& each) { return each.name == name; });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace aapc::imports
