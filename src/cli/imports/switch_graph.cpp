#include "cli/imports/switch_graph.hpp"

#include <algorithm>
#include <numeric>

namespace aapc::imports {

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

}  // namespace aapc::imports
