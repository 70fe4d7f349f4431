/// @file
/// The complete graph with a loop at every vertex, taken apart into factors (Sanders & Träff 2002, section 2).
#pragma once

#include <cstdint>
#include <vector>

namespace aapc::factor {

/// What every factor is, and where the loops are.
enum class Factors : std::uint8_t {
    /// Perfect matchings in which a vertex may be matched with itself, as in Lemma 1. An odd number of vertices: one
    /// loop in each factor. An even number: two loops in every second factor.
    matchings,
    /// Matchings whose loops are all in the last factor if the number of vertices is even (the paper's remark, carried
    /// out). If it is odd, each matching leaves a vertex over, and the factors are those of `matchings`.
    matchings_loops_last,
    /// Permutations (section 3, last paragraph): each vertex has a successor and a predecessor, which need not be the
    /// same vertex. All loops are in the last factor, for every number of vertices.
    permutations,
};

/// As many factors as vertices, 0 … vertices-1. For every ordered pair (u, v), v is u's successor in exactly one
/// factor. Every answer O(1).
class Factorisation {
  public:
    /// `vertices` is at least 1.
    Factorisation(std::int32_t vertices, Factors factors) : vertices_(vertices), factors_(factors) {}

    [[nodiscard]] std::int32_t vertices() const { return vertices_; }

    /// Whom `vertex` sends to in `factor`; itself where it has a loop.
    [[nodiscard]] std::int32_t successor(std::int32_t factor, std::int32_t vertex) const;
    /// The sender to `vertex` in `factor`. In matchings the successor.
    [[nodiscard]] std::int32_t predecessor(std::int32_t factor, std::int32_t vertex) const;

    /// The vertices with a loop in `factor`, ascending: none, one, two or all.
    [[nodiscard]] std::vector<std::int32_t> loops(std::int32_t factor) const;

  private:
    [[nodiscard]] bool loops_are_last() const;

    std::int32_t vertices_;
    Factors factors_;
};

}  // namespace aapc::factor
