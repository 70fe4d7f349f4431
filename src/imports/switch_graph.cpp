#include "imports/switch_graph.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace aapc::imports {

namespace {

/// A trunk in one direction.
struct Direction {
    int next = 0;
    double capacity = 0;
    double load = 0;
};

}  // namespace

void Trunk::add(const Cable& cable) {
    cables[cable.speed] += cable.count;
    single.push_back(&cable);
}

void Trunk::add(const Trunk& other) {
    for (const auto& [speed, count] : other.cables) {
        cables[speed] += count;
    }
    single.insert(single.end(), other.single.begin(), other.single.end());
}

int Trunk::count() const {
    return std::accumulate(cables.begin(), cables.end(), 0,
                           [](int sum, const auto& each) { return sum + each.second; });
}

double Trunk::capacity(double unknown) const {
    double sum = 0;
    for (const auto& [speed, count] : cables) {
        sum += count * (speed > 0 ? speed : slowest_known(unknown));
    }
    return sum;
}

double Trunk::slowest_known(double unknown) const {
    const auto known = cables.upper_bound(0);
    return known == cables.end() ? unknown : known->first;
}

std::size_t Graph::machines() const {
    return std::accumulate(ports.begin(), ports.end(), std::size_t{0},
                           [](std::size_t sum, const auto& each) { return sum + each.size(); });
}

UnionFind::UnionFind(int size) : parent_(static_cast<std::size_t>(size)) {
    std::iota(parent_.begin(), parent_.end(), 0);
}

int UnionFind::find(int each) {
    while (at(each) != each) {
        at(each) = at(at(each));
        each = at(each);
    }
    return each;
}

bool UnionFind::unite(int one, int other) {
    one = find(one);
    other = find(other);
    at(std::max(one, other)) = std::min(one, other);
    return one != other;
}

Graph contracted(const Graph& graph, UnionFind& groups, std::vector<int>& number) {
    Graph smaller;
    number.assign(static_cast<std::size_t>(graph.size()), -1);
    const auto of = [&](int vertex) -> int& { return number[static_cast<std::size_t>(vertex)]; };
    for (int vertex = 0; vertex < graph.size(); ++vertex) {
        const int first = groups.find(vertex);
        if (first == vertex) {
            of(vertex) = smaller.size();
            smaller.names.emplace_back();
            smaller.ports.emplace_back();
        }
        of(vertex) = of(first);
        const auto into = static_cast<std::size_t>(of(vertex));
        const auto from = static_cast<std::size_t>(vertex);
        smaller.names[into].insert(smaller.names[into].end(), graph.names[from].begin(), graph.names[from].end());
        smaller.ports[into].insert(smaller.ports[into].end(), graph.ports[from].begin(), graph.ports[from].end());
    }
    smaller.next.resize(smaller.names.size());
    for (int vertex = 0; vertex < graph.size(); ++vertex) {
        for (const auto& [other, trunk] : graph.around(vertex)) {
            if (of(vertex) != of(other)) {
                smaller.next[static_cast<std::size_t>(of(vertex))][of(other)].add(trunk);
            }
        }
    }
    return smaller;
}

std::vector<int> distances(const Graph& graph, const std::vector<int>& from, std::vector<int>* in_order) {
    std::vector<int> distance(static_cast<std::size_t>(graph.size()), -1);
    std::vector<int> order = from;
    for (const int vertex : from) {
        distance[static_cast<std::size_t>(vertex)] = 0;
    }
    for (std::size_t done = 0; done < order.size(); ++done) {
        const int vertex = order[done];
        for (const auto& [other, trunk] : graph.around(vertex)) {
            int& there = distance[static_cast<std::size_t>(other)];
            if (there < 0) {
                there = distance[static_cast<std::size_t>(vertex)] + 1;
                order.push_back(other);
            }
        }
    }
    if (in_order != nullptr) {
        *in_order = std::move(order);
    }
    return distance;
}

bool is_tree(const Graph& graph) {
    std::size_t ends = 0;
    for (const Neighbours& around : graph.next) {
        ends += around.size();
    }
    const std::vector<int> distance = distances(graph, {0});
    return ends == 2 * (graph.names.size() - 1) && std::find(distance.begin(), distance.end(), -1) == distance.end();
}

std::optional<std::pair<std::string, std::string>> closing_pair(const Graph& graph) {
    UnionFind joined(graph.size());
    for (int vertex = 0; vertex < graph.size(); ++vertex) {
        for (const auto& [other, trunk] : graph.around(vertex)) {
            if (other > vertex && !joined.unite(vertex, other)) {
                return std::pair(graph.name(vertex), graph.name(other));
            }
        }
    }
    return std::nullopt;
}

Busiest busiest_cable(const Graph& graph, double unknown) {
    const auto size = static_cast<std::size_t>(graph.size());
    std::vector<std::vector<Direction>> ways(size);
    for (std::size_t from = 0; from < size; ++from) {
        for (const auto& [next, trunk] : graph.next[from]) {
            ways[from].push_back({next, trunk.capacity(unknown), 0});
        }
    }
    std::vector<int> order;
    for (int to = 0; to < graph.size(); ++to) {
        if (!graph.has_machines(to)) {
            continue;
        }
        const std::vector<int> distance = distances(graph, {to}, &order);
        std::vector<double> rest(size, 0);  // bits per second of all ways from here
        rest[static_cast<std::size_t>(to)] = std::numeric_limits<double>::infinity();
        const auto share = [&](int from, const Direction& way) {
            const bool is_nearer =
                distance[static_cast<std::size_t>(way.next)] + 1 == distance[static_cast<std::size_t>(from)];
            return is_nearer ? std::min(way.capacity, rest[static_cast<std::size_t>(way.next)]) : 0.0;
        };
        for (std::size_t done = 1; done < order.size(); ++done) {
            const auto from = static_cast<std::size_t>(order[done]);
            for (const Direction& way : ways[from]) {
                rest[from] += share(order[done], way);
            }
        }
        std::vector<double> flow(size, 0);
        for (std::size_t done = order.size(); done > 1; --done) {
            const int vertex = order[done - 1];
            const auto from = static_cast<std::size_t>(vertex);
            flow[from] += static_cast<double>(graph.ports_of(vertex).size() * graph.ports_of(to).size());
            for (Direction& way : ways[from]) {
                const double part = flow[from] * share(vertex, way) / rest[from];
                flow[static_cast<std::size_t>(way.next)] += part;
                way.load += part;
            }
        }
    }
    Busiest busiest;
    for (int from = 0; from < graph.size(); ++from) {
        for (const Direction& way : ways[static_cast<std::size_t>(from)]) {
            if (way.load / way.capacity > busiest.seconds) {
                busiest = {way.load / way.capacity, graph.name(from), graph.name(way.next)};
            }
        }
    }
    return busiest;
}

double busiest_port(const Graph& graph, double unknown) {
    double slowest = std::numeric_limits<double>::infinity();
    for (const std::vector<Port>& ports : graph.ports) {
        for (const Port& port : ports) {
            slowest = std::min(slowest, port.speed > 0 ? port.speed : unknown);
        }
    }
    return static_cast<double>(graph.machines() - 1) / slowest;
}

}  // namespace aapc::imports
