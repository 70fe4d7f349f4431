#include "plan/intranode/memory_nodes.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

#ifdef AAPC_WITH_HWLOC
#include <dlfcn.h>
#include <hwloc.h>
#include <hwloc/distances.h>
#endif
#ifdef __linux__
#include <sched.h>
#endif

namespace aapc::machine {

namespace {

/// Whether hwloc is set to describe another machine.
bool hwloc_is_told() {
    constexpr std::array variables = {"HWLOC_SYNTHETIC", "HWLOC_XMLFILE", "HWLOC_FSROOT"};
    return std::any_of(variables.begin(), variables.end(),
                       [](const char* name) { return std::getenv(name) != nullptr; });
}

bool kernel_knows_of_one_node() {
    std::ifstream file("/sys/devices/system/node/online");
    std::string nodes;
    return !(file >> nodes) || nodes == "0";
}

#ifdef AAPC_WITH_HWLOC

/// The functions of hwloc, found in its library at run time: programs also run where it is not installed.
class Hwloc {
  public:
    explicit Hwloc(const char* name) : library_(dlopen(name, RTLD_LAZY | RTLD_LOCAL)) {
        there_ = library_ != nullptr && find(get_api_version, "hwloc_get_api_version") &&
                 get_api_version() >> 16 == HWLOC_API_VERSION >> 16 && find(init, "hwloc_topology_init") &&
                 find(load, "hwloc_topology_load") && find(destroy, "hwloc_topology_destroy") &&
                 find(count, "hwloc_get_nbobjs_by_depth") && find(object, "hwloc_get_obj_by_depth") &&
                 find(is_set, "hwloc_bitmap_isset") && find(last, "hwloc_bitmap_last") &&
                 find(distances, "hwloc_distances_get_by_type") && find(release, "hwloc_distances_release");
    }
    Hwloc(const Hwloc&) = delete;
    Hwloc& operator=(const Hwloc&) = delete;
    ~Hwloc() {
        if (library_ != nullptr) {
            dlclose(library_);
        }
    }
    [[nodiscard]] bool there() const { return there_; }

    decltype(&hwloc_get_api_version) get_api_version = nullptr;
    decltype(&hwloc_topology_init) init = nullptr;
    decltype(&hwloc_topology_load) load = nullptr;
    decltype(&hwloc_topology_destroy) destroy = nullptr;
    decltype(&hwloc_get_nbobjs_by_depth) count = nullptr;
    decltype(&hwloc_get_obj_by_depth) object = nullptr;
    decltype(&hwloc_bitmap_isset) is_set = nullptr;
    decltype(&hwloc_bitmap_last) last = nullptr;
    decltype(&hwloc_distances_get_by_type) distances = nullptr;
    decltype(&hwloc_distances_release) release = nullptr;

  private:
    template <class Function>
    bool find(Function& function, const char* name) {
        function = reinterpret_cast<Function>(dlsym(library_, name));
        return function != nullptr;
    }

    void* library_;
    bool there_ = false;
};

/// Steps from a node up to the first object that both are in.
std::uint64_t steps_to_what_is_shared(hwloc_obj_t from, hwloc_obj_t to, const Hwloc& hwloc) {
    std::uint64_t steps = 0;
    for (hwloc_obj_t above = from; above != nullptr; above = above->parent, ++steps) {
        if (above == to || (above->nodeset != nullptr && above->type != HWLOC_OBJ_NUMANODE &&
                            hwloc.is_set(above->nodeset, to->os_index) != 0)) {
            break;
        }
    }
    return steps;
}

/// hwloc's matrix of latencies, if there is one for all nodes.
void take_distances(hwloc_topology_t topology, const Hwloc& hwloc, std::size_t nodes,
                    std::vector<std::uint64_t>& distances) {
    hwloc_distances_s* found = nullptr;
    unsigned count = 1;
    if (hwloc.distances(topology, HWLOC_OBJ_NUMANODE, &count, &found, HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0 ||
        count == 0 || found == nullptr) {
        return;
    }
    if (found->nbobjs == nodes) {
        for (std::size_t from = 0; from < nodes; ++from) {
            for (std::size_t to = 0; to < nodes; ++to) {
                distances[found->objs[from]->logical_index * nodes + found->objs[to]->logical_index] =
                    found->values[from * nodes + to];
            }
        }
    }
    hwloc.release(topology, found);
}

#endif

}  // namespace

MemoryNodes::MemoryNodes(const char* library) { load(library); }

#ifdef AAPC_WITH_HWLOC
void MemoryNodes::load(const char* library) {
    const Hwloc hwloc(library);
    hwloc_topology_t topology = nullptr;
    if (!hwloc.there() || hwloc.init(&topology) != 0) {
        return;
    }
    nodes_ = hwloc.load(topology) == 0 ? hwloc.count(topology, HWLOC_TYPE_DEPTH_NUMANODE) : 0U;
    distances_.resize(nodes_ * nodes_);
    for (std::size_t node = 0; node < nodes_; ++node) {
        const auto number = static_cast<unsigned>(node);
        hwloc_obj_t const here = hwloc.object(topology, HWLOC_TYPE_DEPTH_NUMANODE, number);
        for (std::size_t other = 0; other < nodes_; ++other) {
            hwloc_obj_t const there = hwloc.object(topology, HWLOC_TYPE_DEPTH_NUMANODE, static_cast<unsigned>(other));
            distances_[node * nodes_ + other] = steps_to_what_is_shared(here, there, hwloc);
        }
        for (int processor = 0; processor <= hwloc.last(here->cpuset); ++processor) {
            if (hwloc.is_set(here->cpuset, static_cast<unsigned>(processor)) != 0) {
                of_processor_.resize(std::max(of_processor_.size(), static_cast<std::size_t>(processor) + 1),
                                     unknown_node);
                of_processor_[static_cast<std::size_t>(processor)] = static_cast<MemoryNode>(node);
            }
        }
    }
    take_distances(topology, hwloc, nodes_, distances_);
    hwloc.destroy(topology);
}
#else
void MemoryNodes::load(const char* /*library*/) {}
#endif

const MemoryNodes& MemoryNodes::here() {
    static const MemoryNodes nodes =
        hwloc_is_told() || !kernel_knows_of_one_node() ? MemoryNodes() : MemoryNodes(Nothing{});
    return nodes;
}

MemoryNode MemoryNodes::own() const {
    MemoryNode node = unknown_node;
#ifdef __linux__
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (nodes_ == 0 || sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
        return unknown_node;
    }
    for (std::size_t processor = 0; processor < CPU_SETSIZE; ++processor) {
        if (CPU_ISSET(processor, &allowed)) {
            const MemoryNode here = of_processor(processor);
            if (here == unknown_node || (node != unknown_node && node != here)) {
                return unknown_node;
            }
            node = here;
        }
    }
#endif
    return node;
}

std::vector<std::size_t> order_of_reading(std::span<const MemoryNode> node_of, std::size_t own,
                                          const MemoryNodes& nodes) {
    std::vector<std::size_t> order;
    for (std::size_t ahead = 1; ahead < node_of.size(); ++ahead) {
        order.push_back((own + ahead) % node_of.size());
    }
    const MemoryNode here = node_of[own];
    const auto is_known = [&](MemoryNode node) { return node >= 0 && static_cast<std::size_t>(node) < nodes.size(); };
    if (!is_known(here)) {
        return order;
    }
    const bool farthest_first =
        std::count(node_of.begin(), node_of.begin() + static_cast<std::ptrdiff_t>(own), here) % 2 == 1;
    const auto distance = [&](std::size_t rank) {
        const MemoryNode there = node_of[rank];
        return is_known(there) ? nodes.distance(here, there) : std::numeric_limits<std::uint64_t>::max();
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
        return farthest_first ? distance(left) > distance(right) : distance(left) < distance(right);
    });
    return order;
}

}  // namespace aapc::machine
