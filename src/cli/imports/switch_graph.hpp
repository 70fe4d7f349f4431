/// @file
/// A network's switches as a graph, while a topology file is made of it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/imports/wiring.hpp"

namespace aapc::imports {

/// All cables between two switches, or two groups of switches.
struct Trunk {
    std::map<double, int> cables;      ///< how many of each speed
    std::vector<const Cable*> single;  ///< the cables as they were read

    void add(const Cable& cable);  ///< which must outlive this
    void add(const Trunk& other);
    [[nodiscard]] int count() const;
    /// Bits per second of all; a cable of unknown speed has that of the slowest that is known, or `unknown`.
    [[nodiscard]] double capacity(double unknown) const;
    /// Bits per second of one cable; `unknown` if no speed is known.
    [[nodiscard]] double slowest_known(double unknown) const;
};

using Neighbours = std::map<int, Trunk>;

/// A machine's port.
struct Port {
    std::string machine;
    double speed = 0;  ///< bits per second; 0 if not known
};

/// Switches by their numbers. Those that share a machine are one from the beginning.
struct Graph {
    std::vector<std::vector<std::string>> names;  ///< of each switch, several where switches are one
    std::vector<Neighbours> next;
    std::vector<std::vector<Port>> ports;

    [[nodiscard]] int size() const { return static_cast<int>(names.size()); }
    [[nodiscard]] const Neighbours& around(int vertex) const { return next[static_cast<std::size_t>(vertex)]; }
    [[nodiscard]] const std::vector<Port>& ports_of(int vertex) const {
        return ports[static_cast<std::size_t>(vertex)];
    }
    [[nodiscard]] const std::string& name(int vertex) const { return names[static_cast<std::size_t>(vertex)].front(); }
    [[nodiscard]] bool has_machines(int vertex) const { return !ports_of(vertex).empty(); }
};

/// Groups of vertices.
class UnionFind {
  public:
    explicit UnionFind(int size);
    /// The representative of its group: the first one of it.
    [[nodiscard]] int find(int each);
    /// One more, a group of its own.
    void add() { parent_.push_back(static_cast<int>(parent_.size())); }
    /// Makes one group of two; false if they were one.
    bool unite(int one, int other);

  private:
    int& at(int each) { return parent_[static_cast<std::size_t>(each)]; }
    std::vector<int> parent_;
};

/// The graph in which vertices of one representative are one; `number` is set to each vertex' new one.
[[nodiscard]] Graph contracted(const Graph& graph, UnionFind& groups, std::vector<int>& number);

/// Hops from the nearest of `from`; -1 where none leads. `in_order` becomes all that are reached, the nearest first.
[[nodiscard]] std::vector<int> distances(const Graph& graph, const std::vector<int>& from,
                                         std::vector<int>* in_order = nullptr);

/// True if there is exactly one path between any two vertices.
[[nodiscard]] bool is_tree(const Graph& graph);

}  // namespace aapc::imports
