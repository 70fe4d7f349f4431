#include "offline/discovery/suggestions.hpp"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <map>
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

/// For each two items, over all flows between them: 1 where one went as fast as expected, else 0, less the mean of its
/// round, so that rounds that filled no link say nothing. One share of an unfair link may be as much as was expected,
/// so one fast flow is a weak hint; a slow one is a strong one.
std::vector<Likeness> affinities(const std::vector<Explained>& rounds, const std::vector<int>& item_of) {
    constexpr double as_expected = 0.85;
    std::map<std::pair<int, int>, double> sums;
    std::vector<std::pair<std::pair<int, int>, double>> of_round;
    for (const Explained& explained : rounds) {
        of_round.clear();
        double fast = 0;
        for (std::size_t index = 0; index < explained.round.size(); ++index) {
            const Flow& flow = explained.round[index];
            const std::pair<int, int> ends =
                std::minmax(item_of[static_cast<std::size_t>(flow.from)], item_of[static_cast<std::size_t>(flow.to)]);
            if (ends.first >= 0 && ends.first != ends.second) {
                of_round.emplace_back(ends, flow.bytes_per_second > as_expected * explained.expected[index] ? 1 : 0);
                fast += of_round.back().second;
            }
        }
        for (const auto& [ends, is_fast] : of_round) {
            sums[ends] += is_fast - fast / static_cast<double>(of_round.size());
        }
    }
    std::vector<Likeness> found;
    found.reserve(sums.size());
    for (const auto& [pair, sum] : sums) {
        found.push_back({static_cast<std::size_t>(pair.first), static_cast<std::size_t>(pair.second), sum});
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

/// The eigenvectors of a matrix with these entries, symmetric, as columns, that of the smallest eigenvalue first.
/// O(items³).
Eigen::MatrixXd eigenvectors(const std::vector<Likeness>& pairs, std::size_t items) {
    const auto size = static_cast<Eigen::Index>(items);
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(size, size);
    for (const Likeness& pair : pairs) {
        const auto one = static_cast<Eigen::Index>(pair.one);
        const auto other = static_cast<Eigen::Index>(pair.other);
        matrix(one, other) = pair.share;
        matrix(other, one) = pair.share;
    }
    return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(matrix).eigenvectors();
}

/// The cut that most slowing crosses, relaxed to real numbers.
void add_halves(std::vector<Likeness> pairs, std::size_t items, Collection& collection) {
    if (pairs.empty()) {
        return;
    }
    for (Likeness& pair : pairs) {
        pair.share = 1 - pair.share;
    }
    const Eigen::VectorXd places = eigenvectors(pairs, items).col(0);
    Side side(items);
    for (std::size_t item = 0; item < items; ++item) {
        side[item] = places(static_cast<Eigen::Index>(item)) > 0 ? 1 : 0;
    }
    collection.add(std::move(side));
}

/// Items that belong together lie in one direction in the space of the first eigenvectors (McSherry, "Spectral
/// partitioning of random graphs", 2001), as many as there are groups; how many there are is not known.
void add_directions(const std::vector<Likeness>& affine, std::size_t items, Collection& collection) {
    constexpr std::size_t few = 24;  // for these, all rows and linked sets do
    constexpr std::size_t most_seeds = 64;
    constexpr double same_direction = 0.5;
    const std::vector<std::size_t> dimensions = {1, 2, 3, 5, 8, 15};
    if (items <= few) {
        return;
    }
    const Eigen::MatrixXd vectors = eigenvectors(affine, items);
    for (const std::size_t dimension : dimensions) {
        const Eigen::MatrixXd places = vectors.rightCols(static_cast<Eigen::Index>(dimension)).rowwise().normalized();
        for (std::size_t seed = 0; seed < items; seed += 1 + items / most_seeds) {
            const Eigen::VectorXd cosines = places * places.row(static_cast<Eigen::Index>(seed)).transpose();
            Side side(items, 0);
            for (std::size_t item = 0; item < items; ++item) {
                side[item] = cosines(static_cast<Eigen::Index>(item)) > same_direction ? 1 : 0;
            }
            collection.add(std::move(side));
        }
    }
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
    add_directions(affinities(rounds, item_of), items.size(), collection);
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
