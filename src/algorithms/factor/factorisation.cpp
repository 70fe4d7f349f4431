#include "algorithms/factor/factorisation.hpp"

#include <numeric>

namespace aapc::factor {

namespace {

/// a-b modulo `modulus`, for a and b in 0 … modulus-1.
std::int32_t difference(std::int32_t a, std::int32_t b, std::int32_t modulus) {
    return a >= b ? a - b : a - b + modulus;
}

/// Matchings of an even number of vertices: those of the odd number below it, whose loop becomes an edge to the vertex
/// that is left over.
std::int32_t match_with_last(std::int32_t factor, std::int32_t vertex, std::int32_t vertices) {
    const std::int32_t odd = vertices - 1;
    if (factor == odd) {
        return vertex;
    }
    if (vertex == odd) {
        // The vertex with a loop is factor/2 modulo odd.
        return factor % 2 == 0 ? factor / 2 : (factor + odd) / 2;
    }
    const std::int32_t partner = difference(factor, vertex, odd);
    return partner == vertex ? odd : partner;
}

}  // namespace

bool Factorisation::loops_are_last() const {
    return factors_ == Factors::permutations || (factors_ == Factors::matchings_loops_last && vertices_ % 2 == 0);
}

std::int32_t Factorisation::successor(std::int32_t factor, std::int32_t vertex) const {
    if (factors_ == Factors::permutations) {
        return difference(vertex, vertices_ - 1 - factor, vertices_);
    }
    return loops_are_last() ? match_with_last(factor, vertex, vertices_) : difference(factor, vertex, vertices_);
}

std::int32_t Factorisation::predecessor(std::int32_t factor, std::int32_t vertex) const {
    if (factors_ != Factors::permutations) {
        return successor(factor, vertex);
    }
    return factor == vertices_ - 1 ? vertex : difference(vertex, factor + 1, vertices_);
}

std::vector<std::int32_t> Factorisation::loops(std::int32_t factor) const {
    if (loops_are_last()) {
        std::vector<std::int32_t> all(factor == vertices_ - 1 ? static_cast<std::size_t>(vertices_) : 0);
        std::iota(all.begin(), all.end(), 0);
        return all;
    }
    // u = factor-u modulo vertices, so 2u is factor or factor+vertices.
    std::vector<std::int32_t> found;
    if (factor % 2 == 0) {
        found.push_back(factor / 2);
    }
    if ((factor + vertices_) % 2 == 0) {
        found.push_back((factor + vertices_) / 2);
    }
    return found;
}

}  // namespace aapc::factor
