/// @file
/// Where the memory of a machine is: NUMA nodes, how far apart they are, and what follows for ranks that read each
/// other's memory. By hwloc, where it is installed; nothing depends on it but the order of things.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace aapc::machine {

/// A NUMA node by its number; `unknown_node` if a process is bound to no single one, or it is not known.
using MemoryNode = std::int32_t;
inline constexpr MemoryNode unknown_node = -1;

/// The nodes of this machine. Nothing where hwloc was not there when this was built, is not there now or has nothing to
/// say: all nodes are unknown then.
class MemoryNodes {
  public:
    static constexpr const char* usual_library = "libhwloc.so.15";

    /// Asks hwloc, which may be told something else than this machine (HWLOC_SYNTHETIC, HWLOC_XMLFILE); some
    /// milliseconds. `library` is another one in tests only. Throws std::bad_alloc.
    explicit MemoryNodes(const char* library = usual_library);
    /// Of this process, found at the first use. A kernel that knows of one node is not asked further, unless hwloc has
    /// been told something.
    [[nodiscard]] static const MemoryNodes& here();

    [[nodiscard]] std::size_t size() const { return nodes_; }
    /// The node of a processor as the system numbers them.
    [[nodiscard]] MemoryNode of_processor(std::size_t processor) const {
        return processor < of_processor_.size() ? of_processor_[processor] : unknown_node;
    }
    /// The node of all processors that the calling thread may run on.
    [[nodiscard]] MemoryNode own() const;
    /// hwloc's distance between two nodes that are known; where it has none, one that grows with what they share less.
    [[nodiscard]] std::uint64_t distance(MemoryNode from, MemoryNode to) const {
        return distances_[static_cast<std::size_t>(from) * nodes_ + static_cast<std::size_t>(to)];
    }

  private:
    struct Nothing {};
    explicit MemoryNodes(Nothing /*unused*/) {}
    void load(const char* library);

    std::size_t nodes_ = 0;
    std::vector<MemoryNode> of_processor_;
    std::vector<std::uint64_t> distances_;  ///< by both nodes
};

/// In which order rank `own` of a machine reads what the others have for it; `node_of` is by rank of the machine. From
/// the next rank on, around. Where ranks sit at different nodes, one rank of a node begins with the nearest and the
/// next one with the farthest, in turns, so that what lies between nodes is used all the time and not by all at once;
/// ranks at unknown nodes count as the farthest. O(ranks · log ranks). Throws std::bad_alloc.
[[nodiscard]] std::vector<std::size_t> order_of_reading(std::span<const MemoryNode> node_of, std::size_t own,
                                                        const MemoryNodes& nodes);

}  // namespace aapc::machine
