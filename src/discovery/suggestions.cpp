#include "discovery/suggestions.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <set>

namespace aapc::discovery {

namespace {

/// Two items, and the least share of what was expected that a flow between them got.
struct Likeness {
    std::size_t one;
    std::size_t other;
    double share;
};

std::vector<Likeness> likenesses(const std::vector<Explained>& rounds, const std::vector<int>& item_of) {
    std::map<std::pair<int, int>, double> least;
    for (const Explained& explained : rounds) {
        for (std::size_t index = 0; index < explained.round.size(); ++index) {
            const Flow& flow = explained.round[index];
            const auto [one, other] =
                std::minmax(item_of[static_cast<std::size_t>(flow.from)], item_of[static_cast<std::size_t>(flow.to)]);
            if (one >= 0 && one != other) {
                const double share = std::min(1.0, flow.bytes_per_second / explained.expected[index]);
                const auto [entry, is_new] = least.try_emplace({one, other}, share);
                entry->second = std::min(entry->second, share);
            }
        }
    }
    std::vector<Likeness> found;
    found.reserve(least.size());
    for (const auto& [pair, share] : least) {
        found.push_back({static_cast<std::size_t>(pair.first), static_cast<std::size_t>(pair.second), share});
    }
    return found;
}

class Collection {
  public:
    Collection(std::size_t items, int fixed) : items_(items), fixed_(fixed) {}

    void add(Side side) {
        if (fixed_ >= 0 && side[static_cast<std::size_t>(fixed_)] != 0) {
            for (char& inside : side) {
                inside = inside != 0 ? 0 : 1;
            }
        }
        const auto inside = static_cast<std::size_t>(std::count(side.begin(), side.end(), 1));
        if (inside >= 2 && inside < items_) {
            sides_.insert(std::move(side));
        }
    }

    [[nodiscard]] std::vector<Side> all() const { return {sides_.begin(), sides_.end()}; }

  private:
    std::size_t items_;
    int fixed_;
    std::set<Side> sides_;
};

/// Single linkage: a flow is as fast as the narrowest link on its way lets it be, so items on this side of that link
/// are as alike as the least alike step between them.
void add_linked(std::vector<Likeness> alike, std::size_t items, Collection& collection) {
    std::sort(alike.begin(), alike.end(), [](const auto& a, const auto& b) { return a.share > b.share; });
    std::vector<std::vector<std::size_t>> members(items);
    std::vector<std::size_t> cluster(items);
    for (std::size_t item = 0; item < items; ++item) {
        members[item] = {item};
        cluster[item] = item;
    }
    for (const Likeness& step : alike) {
        const std::size_t to = cluster[step.one];
        const std::size_t from = cluster[step.other];
        if (to == from) {
            continue;
        }
        for (const std::size_t item : members[from]) {
            cluster[item] = to;
        }
        members[to].insert(members[to].end(), members[from].begin(), members[from].end());
        members[from].clear();
        Side side(items, 0);
        for (const std::size_t item : members[to]) {
            side[item] = 1;
        }
        collection.add(std::move(side));
    }
}

/// The cut that most slowing crosses, relaxed to real numbers.
void add_halves(const std::vector<Likeness>& alike, std::size_t items, Collection& collection) {
    std::mt19937_64 random(items);
    std::vector<double> weight(items, 0);
    for (const Likeness& pair : alike) {
        weight[pair.one] += 1 - pair.share;
        weight[pair.other] += 1 - pair.share;
    }
    const double shift = *std::max_element(weight.begin(), weight.end());
    std::vector<double> vector(items);
    for (double& value : vector) {
        value = static_cast<double>(random() % 2001) / 1000 - 1;
    }
    for (int iteration = 0; iteration < 200; ++iteration) {
        std::vector<double> next(items);
        for (std::size_t item = 0; item < items; ++item) {
            next[item] = shift * vector[item];
        }
        for (const Likeness& pair : alike) {
            next[pair.one] -= (1 - pair.share) * vector[pair.other];
            next[pair.other] -= (1 - pair.share) * vector[pair.one];
        }
        const double length = std::sqrt(std::inner_product(next.begin(), next.end(), next.begin(), 0.0));
        if (!(length > 0)) {
            return;
        }
        for (std::size_t item = 0; item < items; ++item) {
            vector[item] = next[item] / length;
        }
    }
    Side side(items);
    for (std::size_t item = 0; item < items; ++item) {
        side[item] = vector[item] > 0 ? 1 : 0;
    }
    collection.add(std::move(side));
}

/// All rows of few items; of many, those whose lengths are powers of two, and beginnings.
void add_rows(std::size_t items, Collection& collection) {
    constexpr std::size_t few = 24;
    for (std::size_t length = 2; length < items; length = items <= few ? length + 1 : 2 * length) {
        for (std::size_t first = 0; first + length <= items; first += items <= few ? 1 : length) {
            Side side(items, 0);
            std::fill_n(side.begin() + static_cast<std::ptrdiff_t>(first), length, 1);
            collection.add(std::move(side));
        }
    }
}

}  // namespace

std::vector<Side> suggestions(const std::vector<Explained>& rounds, const std::vector<Item>& items,
                              std::size_t machines, int fixed, const std::vector<Item>& hints) {
    std::vector<int> item_of(machines, -1);
    for (std::size_t item = 0; item < items.size(); ++item) {
        for (const Machine machine : items[item]) {
            item_of[static_cast<std::size_t>(machine)] = static_cast<int>(item);
        }
    }
    Collection collection(items.size(), fixed);
    const std::vector<Likeness> alike = likenesses(rounds, item_of);
    add_linked(alike, items.size(), collection);
    add_halves(alike, items.size(), collection);
    add_rows(items.size(), collection);
    for (const Item& hint : hints) {
        Side side(items.size(), 0);
        std::size_t covered = 0;
        for (std::size_t item = 0; item < items.size(); ++item) {
            side[item] = std::binary_search(hint.begin(), hint.end(), items[item].front()) ? 1 : 0;
            covered += side[item] != 0 ? items[item].size() : 0;
        }
        if (covered == hint.size()) {
            collection.add(std::move(side));
        }
    }
    return collection.all();
}

}  // namespace aapc::discovery
