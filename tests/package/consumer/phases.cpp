// The least a program needs to get a schedule.
#include <aapc/algorithms/algorithm.hpp>
#include <aapc/topology/topology_file.hpp>
#include <cstdio>

int main(int, char** argv) {
    const auto network = aapc::read_topology_file(argv[1]);
    if (!network) {
        std::fprintf(stderr, "%s\n", aapc::to_string(network.error()).c_str());
        return 2;
    }
    const auto tree = aapc::find_algorithm("tree");
    const auto timetable = aapc::build_timetable(**tree, "", *network, aapc::full_placement(*network));
    std::printf("%lld phases\n", static_cast<long long>((*timetable)->phases()));
}
