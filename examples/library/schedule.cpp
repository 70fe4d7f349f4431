// Reads a topology file and prints the bound, the checked schedule, and what rank 0 does.
//   ./schedule cluster.toml
#include <aapc/methods/preparation.hpp>
#include <aapc/offline/make_schedule.hpp>
#include <aapc/plan/plan.hpp>
#include <aapc/topology/topology_file.hpp>
#include <cstdio>

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: schedule TOPOLOGY\n");
        return 2;
    }
    const auto network = aapc::read_topology_file(argv[1]);
    if (!network) {
        std::fprintf(stderr, "%s\n", aapc::to_string(network.error()).c_str());
        return 2;
    }
    const aapc::Placement placement = aapc::full_placement(*network);
    const aapc::Bound bound = aapc::network_bound(*network, placement);
    const auto prepared = aapc::prepare(*network, placement, bound, *aapc::parse_method("tree", network->kind()));
    const auto checked = aapc::make_schedule(*prepared, *network, placement);
    const aapc::Plan plan = aapc::make_plan(*prepared->timetable, placement, 0, prepared->method.synchronisation);
    std::printf("%lld messages on the busiest link, %zu phases\n", static_cast<long long>(bound.messages),
                checked->schedule.phases().size());
    for (const aapc::Transfer& send : plan.sends) {
        std::printf("phase %lld: 0 -> %d\n", static_cast<long long>(send.phase), send.to);
    }
}
