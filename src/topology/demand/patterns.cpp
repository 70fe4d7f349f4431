#include "aapc/topology/patterns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "input/wording.hpp"

namespace aapc {

namespace {

/// Draws what is the same on every machine, which <random>'s distributions are not.
class Draws {
  public:
    explicit Draws(std::uint64_t seed) : engine_(seed) {}

    /// 0 up to 1, 1 excluded.
    double real() { return static_cast<double>(engine_() >> 11U) * 0x1p-53; }
    /// 0 … below-1.
    std::size_t below(std::size_t below) { return engine_() % below; }
    /// Exponentially distributed with mean 1, by comparisons alone (von Neumann 1951): of two machines none may have
    /// another logarithm.
    double exponential() {
        for (std::int64_t whole = 0;; ++whole) {
            const double first = real();
            double last = first;
            bool odd = true;
            double next = real();
            while (next < last) {
                last = next;
                odd = !odd;
                next = real();
            }
            if (odd) {
                return static_cast<double>(whole) + first;
            }
        }
    }
    /// The numbers below `count` in random order.
    std::vector<std::size_t> order(std::size_t count) {
        std::vector<std::size_t> numbers(count);
        std::iota(numbers.begin(), numbers.end(), std::size_t{0});
        for (std::size_t index = count; index > 1; --index) {
            std::swap(numbers[index - 1], numbers[below(index)]);
        }
        return numbers;
    }

  private:
    std::mt19937_64 engine_;
};

struct Request {
    Rank participants;
    std::int64_t mean;
    Draws& draws;

    [[nodiscard]] double mean_bytes() const { return static_cast<double>(mean); }
    /// What a rank has for all others together, on average.
    [[nodiscard]] double of_a_rank() const { return mean_bytes() * (participants - 1); }
};

std::int64_t rounded(double bytes) { return std::llround(bytes); }

template <class BytesOf>
Demand filled(const Request& request, BytesOf bytes_of) {
    Demand demand(request.participants);
    for (Rank from = 0; from < request.participants; ++from) {
        for (Rank to = 0; to < request.participants; ++to) {
            if (from != to) {
                demand.set(from, to, bytes_of(from, to));
            }
        }
    }
    return demand;
}

Demand equal(const Request& request) {
    return filled(request, [&](Rank, Rank) { return request.mean; });
}

Demand uniform(const Request& request) {
    return filled(request, [&](Rank, Rank) { return rounded(2 * request.mean_bytes() * request.draws.real()); });
}

Demand exponential(const Request& request) {
    return filled(request, [&](Rank, Rank) { return rounded(request.mean_bytes() * request.draws.exponential()); });
}

/// The sum of 1/1, 1/2, … 1/count.
double harmonic(std::size_t count) {
    double sum = 0;
    for (std::size_t term = 1; term <= count; ++term) {
        sum += 1 / static_cast<double>(term);
    }
    return sum;
}

Demand zipf(const Request& request) {
    const auto ranks = static_cast<std::size_t>(request.participants);
    const std::size_t pairs = ranks * (ranks - 1);
    const std::vector<std::size_t> order = request.draws.order(pairs);
    const double largest = pairs > 0 ? request.mean_bytes() * static_cast<double>(pairs) / harmonic(pairs) : 0;
    std::size_t next = 0;
    return filled(request, [&](Rank, Rank) { return rounded(largest / static_cast<double>(order[next++] + 1)); });
}

Demand hot(const Request& request) {
    const auto receiver = static_cast<Rank>(request.draws.below(static_cast<std::size_t>(request.participants)));
    const double others = request.participants > 2 ? request.of_a_rank() / 2 / (request.participants - 2) : 0;
    return filled(request, [&](Rank from, Rank to) {
        return from == receiver ? request.mean : rounded(to == receiver ? request.of_a_rank() / 2 : others);
    });
}

Demand block(const Request& request) {
    Rank side = 1;
    while (side * side < request.participants) {
        ++side;
    }
    const std::int64_t blocks = std::max(request.participants / side, 1);
    const auto block_of = [&](Rank rank) { return rank * blocks / request.participants; };
    std::vector<std::int64_t> ranks_in(static_cast<std::size_t>(blocks), 0);
    for (Rank rank = 0; rank < request.participants; ++rank) {
        ++ranks_in[static_cast<std::size_t>(block_of(rank))];
    }
    return filled(request, [&](Rank from, Rank to) {
        const std::int64_t own = block_of(from);
        const auto others = static_cast<double>(ranks_in[static_cast<std::size_t>(own)] - 1);
        return own == block_of(to) ? rounded(request.of_a_rank() / others) : 0;
    });
}

Demand zeros(const Request& request) {
    return filled(request, [&](Rank, Rank) { return request.draws.below(5) == 0 ? 5 * request.mean : 0; });
}

Demand transpose(const Request& request) {
    const auto slabs = [&] {
        std::vector<double> heights(static_cast<std::size_t>(request.participants));
        std::generate(heights.begin(), heights.end(), [&] { return 0.5 + request.draws.real(); });
        return heights;
    };
    const std::vector<double> rows = slabs();
    const std::vector<double> columns = slabs();
    return filled(request, [&](Rank from, Rank to) {
        return rounded(request.mean_bytes() * rows[static_cast<std::size_t>(from)] *
                       columns[static_cast<std::size_t>(to)]);
    });
}

Demand experts(const Request& request) {
    constexpr int tokens_a_pair = 16;
    const auto ranks = static_cast<std::size_t>(request.participants);
    const std::vector<std::size_t> popularity = request.draws.order(ranks);
    std::vector<double> up_to(ranks);
    double sum = 0;
    for (std::size_t expert = 0; expert < ranks; ++expert) {
        sum += 1 / static_cast<double>(popularity[expert] + 1);
        up_to[expert] = sum;
    }
    Demand demand(request.participants);
    std::vector<std::int64_t> tokens(ranks);
    for (Rank from = 0; from < request.participants; ++from) {
        std::fill(tokens.begin(), tokens.end(), 0);
        for (std::size_t token = 0; token < tokens_a_pair * ranks; ++token) {
            const auto chosen = std::upper_bound(up_to.begin(), up_to.end(), sum * request.draws.real());
            ++tokens[std::min(static_cast<std::size_t>(chosen - up_to.begin()), ranks - 1)];
        }
        for (std::size_t to = 0; to < ranks; ++to) {
            demand.set(from, static_cast<Rank>(to), request.mean * tokens[to] / tokens_a_pair);
        }
    }
    return demand;
}

struct Pattern {
    PatternEntry entry;
    Demand (*make)(const Request& request);
};

constexpr Pattern pattern_table[] = {
    {{"equal", "every pair the mean"}, equal},
    {{"uniform", "lengths evenly between 0 and twice the mean"}, uniform},
    {{"exponential", "lengths exponentially distributed"}, exponential},
    {{"zipf", "the k-th longest message has 1/k of the longest, at random places"}, zipf},
    {{"hot", "half of what every rank has goes to one and the same receiver, the rest evenly to the others"}, hot},
    {{"block", "ranks exchange in blocks of about the square root of their number, one after the other"}, block},
    {{"zeros", "four of five messages are empty"}, zeros},
    {{"transpose", "a matrix from rows to columns, in slabs of half to one and a half of the mean height"}, transpose},
    {{"experts", "tokens to experts of which the k-th most popular is asked 1/k as often as the first"}, experts},
};

constexpr auto pattern_entries = [] {
    std::array<PatternEntry, std::size(pattern_table)> all{};
    std::transform(std::begin(pattern_table), std::end(pattern_table), all.begin(),
                   [](const Pattern& row) { return row.entry; });
    return all;
}();

constexpr auto names_of_patterns = [] {
    std::array<std::string_view, std::size(pattern_table)> all{};
    std::transform(std::begin(pattern_table), std::end(pattern_table), all.begin(),
                   [](const Pattern& row) { return row.entry.name; });
    return all;
}();

}  // namespace

std::span<const PatternEntry> patterns() { return pattern_entries; }

std::string pattern_names() { return fmt::format("{}", fmt::join(names_of_patterns, ", ")); }

Expected<Demand> make_demand(std::string_view pattern, Rank participants, std::int64_t mean_bytes, std::uint64_t seed) {
    const auto* const found = std::find_if(std::begin(pattern_table), std::end(pattern_table),
                                           [&](const Pattern& row) { return row.entry.name == pattern; });
    if (found == std::end(pattern_table)) {
        const auto nearest = nearest_word(pattern, names_of_patterns);
        return failure(fmt::format("there is no pattern {}", in_quotes(pattern)),
                       nearest ? fmt::format("did you mean {}?", in_quotes(*nearest))
                               : fmt::format("the patterns are {}", pattern_names()));
    }
    Draws draws(seed);
    return found->make({participants, mean_bytes, draws});
}

}  // namespace aapc
