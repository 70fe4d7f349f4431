// 1-factorisations with loops, and permutations.
#include "algorithms/factor/factorisation.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace aapc::factor {
namespace {

constexpr std::int32_t most_vertices = 130;

/// Each factor is a permutation with the right inverse, and every ordered pair is in exactly one factor.
void expect_factorisation(const Factorisation& factors) {
    const std::int32_t vertices = factors.vertices();
    const auto count = static_cast<std::size_t>(vertices);
    std::vector<std::vector<bool>> seen(count, std::vector<bool>(count, false));
    for (std::int32_t factor = 0; factor < vertices; ++factor) {
        std::vector<std::int32_t> loops;
        for (std::int32_t vertex = 0; vertex < vertices; ++vertex) {
            const std::int32_t successor = factors.successor(factor, vertex);
            ASSERT_GE(successor, 0);
            ASSERT_LT(successor, vertices);
            ASSERT_EQ(factors.predecessor(factor, successor), vertex) << "factor " << factor << " of " << vertices;
            ASSERT_FALSE(seen[static_cast<std::size_t>(vertex)][static_cast<std::size_t>(successor)])
                << vertex << "->" << successor << " again in factor " << factor << " of " << vertices;
            seen[static_cast<std::size_t>(vertex)][static_cast<std::size_t>(successor)] = true;
            if (successor == vertex) {
                loops.push_back(vertex);
            }
        }
        ASSERT_EQ(factors.loops(factor), loops) << "factor " << factor << " of " << vertices;
    }
    // Every factor gives each vertex one successor, so that no pair twice means every pair once.
}

void expect_matchings(const Factorisation& factors) {
    for (std::int32_t factor = 0; factor < factors.vertices(); ++factor) {
        for (std::int32_t vertex = 0; vertex < factors.vertices(); ++vertex) {
            ASSERT_EQ(factors.successor(factor, factors.successor(factor, vertex)), vertex)
                << "factor " << factor << " of " << factors.vertices();
        }
    }
}

std::size_t factors_with_loops(const Factorisation& factors) {
    std::size_t count = 0;
    for (std::int32_t factor = 0; factor < factors.vertices(); ++factor) {
        count += factors.loops(factor).empty() ? 0 : 1;
    }
    return count;
}

TEST(Factorisation, OfLemma1IsMatchings) {
    for (std::int32_t vertices = 1; vertices <= most_vertices; ++vertices) {
        const Factorisation factors(vertices, Factors::matchings);
        expect_factorisation(factors);
        expect_matchings(factors);
        for (std::int32_t vertex = 0; vertex < vertices; ++vertex) {
            ASSERT_EQ(factors.successor(2 * vertex % vertices, vertex), vertex);  // Lemma 1, last sentence
        }
    }
}

TEST(Factorisation, PutsLoopsOfAnEvenNumberIntoTheLastFactor) {
    for (std::int32_t vertices = 1; vertices <= most_vertices; ++vertices) {
        const Factorisation factors(vertices, Factors::matchings_loops_last);
        expect_factorisation(factors);
        expect_matchings(factors);
        ASSERT_EQ(factors_with_loops(factors), vertices % 2 == 0 ? 1U : static_cast<std::size_t>(vertices));
        if (vertices % 2 == 0) {
            ASSERT_EQ(factors.loops(vertices - 1).size(), static_cast<std::size_t>(vertices));
        }
    }
}

TEST(Factorisation, IntoPermutationsHasAllLoopsInTheLastFactor) {
    for (std::int32_t vertices = 1; vertices <= most_vertices; ++vertices) {
        const Factorisation factors(vertices, Factors::permutations);
        expect_factorisation(factors);
        ASSERT_EQ(factors_with_loops(factors), 1U);
        ASSERT_EQ(factors.loops(vertices - 1).size(), static_cast<std::size_t>(vertices));
    }
}

}  // namespace
}  // namespace aapc::factor
