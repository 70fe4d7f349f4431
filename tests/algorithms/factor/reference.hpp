/// @file
/// The hierarchical factor algorithm once more, as loops over stages, rounds and pairs that write down one message
/// after the other (Sanders & Träff 2002, Figure 2), and what every schedule of it must hold.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/factor/step_formula.hpp"

namespace aapc::factor::test {

enum class Form { paper, exchange, fill, permutation };

inline constexpr Form forms[] = {Form::paper, Form::exchange, Form::fill, Form::permutation};

inline Rules rules_of(Form form) {
    switch (form) {
        case Form::paper:
            return {Factors::matchings, false, false};
        case Form::exchange:
            return {Factors::matchings, true, false};
        case Form::fill:
            return {Factors::matchings_loops_last, true, true};
        case Form::permutation:
            break;
    }
    return {Factors::permutations, true, true};
}

struct WrittenDown {
    std::vector<SeatMessage> messages;
    Phase steps = 0;
};

class Writer {
  public:
    Writer(const std::vector<int>& sizes, Form form) : sizes_(sizes), form_(form), inner_(sizes.size()) {
        for (int node = 0; node < nodes(); ++node) {
            for (int row = 0; row < size(node); ++row) {
                for (int other = row; other < size(node); ++other) {
                    inner_[index(node)].emplace_back(row, other);
                }
            }
        }
    }

    WrittenDown write() {
        int done = 0;
        std::vector<int> active(sizes_.size());
        std::iota(active.begin(), active.end(), 0);
        while (!active.empty()) {
            int current = size(active.front());
            for (const int node : active) {
                current = std::min(current, size(node));
            }
            for (int round = 0; round < static_cast<int>(active.size()); ++round) {
                write_round(active, round, done, current);
            }
            done = current;
            std::erase_if(active, [&](int node) { return size(node) == done; });
        }
        Phase longest = 0;
        for (int node = 0; node < nodes() && (form_ == Form::fill || form_ == Form::permutation); ++node) {
            longest = std::max(longest, write_inner(node, static_cast<Phase>(inner_[index(node)].size())));
        }
        out_.steps += longest;
        return out_;
    }

  private:
    static std::size_t index(int value) { return static_cast<std::size_t>(value); }
    [[nodiscard]] int nodes() const { return static_cast<int>(sizes_.size()); }
    [[nodiscard]] int size(int node) const { return sizes_[index(node)]; }

    [[nodiscard]] int successor(int count, int round, int place) const {
        if (form_ == Form::permutation) {
            return (place + round + 1) % count;
        }
        if (form_ == Form::fill && count % 2 == 0) {
            const int odd = count - 1;
            if (round == odd) {
                return place;
            }
            if (place == odd) {
                return round * (count / 2) % odd;
            }
            const int partner = (round - place + odd) % odd;
            return partner == place ? odd : partner;
        }
        return (round - place + count) % count;
    }

    void write_round(const std::vector<int>& active, int round, int done, int current) {
        const int count = static_cast<int>(active.size());
        Phase longest = 0;
        std::vector<int> alone;
        for (int place = 0; place < count; ++place) {
            const int from = active[index(place)];
            const int to = active[index(successor(count, round, place))];
            if (from == to) {
                alone.push_back(from);
            } else {
                longest = std::max(longest, write_pair(from, to, done, current));
            }
        }
        const Phase on_wire = longest;
        for (const int node : alone) {
            if (form_ == Form::paper || form_ == Form::exchange) {
                longest = std::max(longest, write_rows(node, done, current));
            } else {
                write_inner(node, on_wire);
            }
        }
        out_.steps += longest;
    }

    Phase write_pair(int from, int to, int done, int current) {
        const bool from_is_small = size(from) < size(to) || (size(from) == size(to) && from < to);
        Phase step = 0;
        for (int row = done; row < current; ++row) {
            for (int column = 0; column < size(from_is_small ? to : from); ++column) {
                const Seat sender{from, from_is_small ? row : column};
                out_.messages.push_back({out_.steps + step++, sender, {to, from_is_small ? column : row}});
            }
        }
        return step;
    }

    /// What Figure 2 does with a node that is paired with itself.
    Phase write_rows(int node, int done, int current) {
        Phase step = 0;
        for (int row = done; row < current; ++row) {
            for (int other = form_ == Form::paper ? 0 : row; other < size(node); ++other) {
                write_operation(node, row, other, out_.steps + step++);
            }
        }
        return step;
    }

    Phase write_inner(int node, Phase room) {
        Phase step = 0;
        auto& left = inner_[index(node)];
        for (; step < room && !left.empty(); ++step) {
            write_operation(node, left.front().first, left.front().second, out_.steps + step);
            left.pop_front();
        }
        return step;
    }

    void write_operation(int node, int one, int other, Phase step) {
        if (one == other) {
            return;  // a copy
        }
        out_.messages.push_back({step, {node, one}, {node, other}});
        if (form_ != Form::paper) {
            out_.messages.push_back({step, {node, other}, {node, one}});
        }
    }

    const std::vector<int>& sizes_;
    Form form_;
    std::vector<std::deque<std::pair<int, int>>> inner_;  ///< by node: what is not done yet
    WrittenDown out_;
};

/// Every vector of 1 to `most_nodes` sizes of 1 to `most_ranks`.
inline void for_each_vector(int most_nodes, int most_ranks, const std::function<void(const std::vector<int>&)>& visit) {
    std::vector<int> sizes;
    const std::function<void()> extend = [&] {
        if (!sizes.empty()) {
            visit(sizes);
        }
        if (static_cast<int>(sizes.size()) == most_nodes) {
            return;
        }
        for (int size = 1; size <= most_ranks; ++size) {
            sizes.push_back(size);
            extend();
            sizes.pop_back();
        }
    };
    extend();
}

/// Every vector of positive sizes with this sum.
inline void for_each_composition(int sum, const std::function<void(const std::vector<int>&)>& visit) {
    for (unsigned cuts = 0; cuts < 1U << (sum - 1); ++cuts) {
        std::vector<int> sizes{1};
        for (int place = 0; place + 1 < sum; ++place) {
            if ((cuts >> place & 1U) != 0) {
                sizes.push_back(1);
            } else {
                ++sizes.back();
            }
        }
        visit(sizes);
    }
}

inline std::string to_string(const std::vector<int>& sizes) {
    std::string text = "sizes";
    for (const int size : sizes) {
        text += " " + std::to_string(size);
    }
    return text;
}

}  // namespace aapc::factor::test
