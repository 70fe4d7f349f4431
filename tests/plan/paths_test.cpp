// Pairs of connections on fabrics of leaves and spines whose hash is drawn: shares and moves against loads of a fluid
// model. A failure names its seed; AAPC_TEST_SEED=N repeats it alone.
#include "plan/paths.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace aapc {
namespace {

struct Shape {
    const char* name;
    int leaves;
    int hosts;
    int spines;
    double oversubscription;
};

constexpr double schedule_seconds = 0.3;

/// All pairs of machines at different leaves. Each connection has a spine that its port draws.
class Fabric {
  public:
    Fabric(const Shape& shape, std::uint64_t seed, double noise_share)
        : shape_(shape), random_(seed), noise_share_(noise_share) {
        for (int from = 0; from < shape.leaves * shape.hosts; ++from) {
            for (int to = 0; to < shape.leaves * shape.hosts; ++to) {
                if (from / shape.hosts != to / shape.hosts) {
                    pairs_.push_back({from / shape.hosts, to / shape.hosts, PairPaths(random_()), {}, {}, {}});
                    for (std::uint16_t& port : pairs_.back().ports) {
                        port = any_port();
                    }
                }
            }
        }
        alive_.assign(static_cast<std::size_t>(shape.spines), true);
        redraw();
    }

    /// A spine dies or comes back: everything is hashed anew over those that are there.
    void set_alive(int spine, bool alive) {
        alive_[static_cast<std::size_t>(spine)] = alive;
        redraw();
    }

    /// The load of the fullest cable over that of even sharing. O(pairs).
    [[nodiscard]] double fullest() const {
        const auto [up, down] = loads();
        return std::max(*std::max_element(up.begin(), up.end()), *std::max_element(down.begin(), down.end()));
    }

    /// One exchange: what every receiver measures reaches its sender an exchange later. Returns the moves made.
    int exchange() {
        const auto [up, down] = loads();
        std::uniform_real_distribution<double> noise(0, noise_share_);
        int moves = 0;
        for (Pair& pair : pairs_) {
            pair.paths.observe(pair.heard, schedule_seconds);
            for (std::size_t one = 0; one < PairPaths::connections; ++one) {
                const double load =
                    std::max(up[cable(pair.from, pair.spines[one])], down[cable(pair.to, pair.spines[one])]);
                // Ports of the machines do what the oversubscription leaves.
                const double late = std::max(load - 1, 0.0) + noise(random_);
                pair.heard[one] = late * schedule_seconds;
            }
            if (pair.paths.wanted()) {
                const PairPaths::Move move = *pair.paths.wanted();
                std::uint16_t& port = pair.ports[move.connection];
                const std::uint16_t former = port;
                port = move.port != 0 ? move.port : any_port();
                pair.spines[move.connection] = drawn_spine(pair, move.connection);
                pair.paths.moved(former);
                ++moves;
            }
        }
        return moves;
    }

    [[nodiscard]] bool settled() const {
        return std::all_of(pairs_.begin(), pairs_.end(), [](const Pair& pair) { return pair.paths.settled(); });
    }
    [[nodiscard]] std::vector<double> shares() const {
        std::vector<double> shares;
        shares.reserve(pairs_.size());
        for (const Pair& pair : pairs_) {
            shares.push_back(pair.paths.share());
        }
        return shares;
    }

  private:
    struct Pair {
        int from;
        int to;
        PairPaths paths;
        std::array<std::uint16_t, PairPaths::connections> ports;
        std::array<int, PairPaths::connections> spines;
        std::array<double, PairPaths::connections> heard;
    };

    std::uint16_t any_port() { return static_cast<std::uint16_t>(32768 + random_() % 28000); }
    void redraw() {
        hash_seed_ = random_();
        for (Pair& pair : pairs_) {
            pair.spines = {drawn_spine(pair, 0), drawn_spine(pair, 1)};
        }
    }
    [[nodiscard]] int drawn_spine(const Pair& pair, std::size_t connection) const {
        std::seed_seq mixed{static_cast<std::uint32_t>(hash_seed_), static_cast<std::uint32_t>(&pair - pairs_.data()),
                            static_cast<std::uint32_t>(pair.ports[connection])};
        std::vector<int> there;
        for (int spine = 0; spine < shape_.spines; ++spine) {
            if (alive_[static_cast<std::size_t>(spine)]) {
                there.push_back(spine);
            }
        }
        std::array<std::uint32_t, 1> drawn{};
        mixed.generate(drawn.begin(), drawn.end());
        return there[drawn[0] % there.size()];
    }
    [[nodiscard]] std::size_t cable(int leaf, int spine) const {
        return static_cast<std::size_t>(leaf) * static_cast<std::size_t>(shape_.spines) +
               static_cast<std::size_t>(spine);
    }
    [[nodiscard]] std::pair<std::vector<double>, std::vector<double>> loads() const {
        std::vector<double> up(static_cast<std::size_t>(shape_.leaves * shape_.spines));
        std::vector<double> down(up.size());
        const auto spines = static_cast<double>(std::count(alive_.begin(), alive_.end(), true));
        const double of_leaf = static_cast<double>(shape_.hosts) * (shape_.leaves - 1) * shape_.hosts;
        // At 1:1 the ports are as full as the cables, at less oversubscription fuller.
        const double unit = spines / of_leaf * std::min(shape_.oversubscription, 1.0);
        for (const Pair& pair : pairs_) {
            for (std::size_t one = 0; one < PairPaths::connections; ++one) {
                const double share = one == 0 ? pair.paths.share() : 1 - pair.paths.share();
                up[cable(pair.from, pair.spines[one])] += share * unit;
                down[cable(pair.to, pair.spines[one])] += share * unit;
            }
        }
        return {up, down};
    }

    Shape shape_;
    std::mt19937_64 random_;
    double noise_share_;
    std::uint64_t hash_seed_ = 0;
    std::vector<Pair> pairs_;
    std::vector<bool> alive_;
};

constexpr Shape shapes[] = {{"4x4x2", 4, 4, 2, 2}, {"4x4x4", 4, 4, 4, 1}, {"2x8x4", 2, 8, 4, 2}, {"8x4x4", 8, 4, 4, 1}};

std::vector<std::uint64_t> seeds() {
    if (const char* const one = std::getenv("AAPC_TEST_SEED")) {
        return {std::strtoull(one, nullptr, 10)};
    }
    std::vector<std::uint64_t> all;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        all.push_back(seed);
    }
    return all;
}

std::string repeat(const Shape& shape, std::uint64_t seed) {
    return std::string(shape.name) + ": AAPC_TEST_SEED=" + std::to_string(seed) +
           " plan_test --gtest_filter=PairPaths.*";
}

/// Runs so many exchanges; the fullest cable after each, and the moves made in all of them.
struct Ran {
    double worst = 0;
    double last = 0;
    int moves = 0;
};
Ran run(Fabric& fabric, int exchanges) {
    Ran ran;
    for (int exchange = 0; exchange < exchanges; ++exchange) {
        ran.moves += fabric.exchange();
        ran.last = fabric.fullest();
        ran.worst = std::max(ran.worst, ran.last);
    }
    return ran;
}

template <class Test>
void for_each_draw(Test test) {
    for (const Shape& shape : shapes) {
        for (const std::uint64_t seed : seeds()) {
            for (const double noise : {0.0, 0.02}) {
                SCOPED_TRACE(repeat(shape, seed) + ", noise " + std::to_string(noise));
                Fabric fabric(shape, seed, noise);
                test(fabric);
            }
        }
    }
}

TEST(PairPaths, FindSharesThatFillCablesEvenly) {
    double before = 0;
    double after_six = 0;
    double after_twenty = 0;
    double draws = 0;
    for_each_draw([&](Fabric& fabric) {
        before += fabric.fullest();
        after_six += run(fabric, 6).last;
        after_twenty += run(fabric, 14).last;
        draws += 1;
        EXPECT_LT(run(fabric, 20).last, 1.06);
    });
    EXPECT_GT(before / draws, 1.2);
    EXPECT_LT(after_six / draws, 1.08);
    EXPECT_LT(after_twenty / draws, 1.04);
}

TEST(PairPaths, AreQuietOnceTheyHaveFoundThem) {
    for_each_draw([&](Fabric& fabric) {
        run(fabric, 60);
        const auto shares = fabric.shares();
        const Ran ran = run(fabric, 100);
        EXPECT_LT(ran.worst, 1.06);
        EXPECT_EQ(ran.moves, 0);
        EXPECT_TRUE(fabric.settled());
        const auto later = fabric.shares();
        double changed = 0;
        for (std::size_t pair = 0; pair < shares.size(); ++pair) {
            changed += std::abs(shares[pair] - later[pair]);
        }
        EXPECT_LT(changed / static_cast<double>(shares.size()), 0.05);
    });
}

TEST(PairPaths, AreAwakeWhenTheFabricChanges) {
    double after_ten = 0;
    double after_fifty = 0;
    double changes = 0;
    for_each_draw([&](Fabric& fabric) {
        run(fabric, 100);
        for (const bool alive : {false, true}) {
            fabric.set_alive(0, alive);
            after_ten += run(fabric, 10).last;
            const double last = run(fabric, 40).last;
            EXPECT_LT(last, 1.1);
            after_fifty += last;
            changes += 1;
        }
    });
    EXPECT_LT(after_ten / changes, 1.1);
    EXPECT_LT(after_fifty / changes, 1.03);
}

/// A pair alone, whose late connections are those of some ports.
class LonePair {
  public:
    template <class IsLate>
    void exchange(IsLate is_late) {
        std::array<double, PairPaths::connections> late{};
        for (std::size_t one = 0; one < PairPaths::connections; ++one) {
            late[one] = is_late(ports_[one]) ? 0.3 * schedule_seconds : 0;
        }
        paths_.observe(late, schedule_seconds);
        if (const auto& wanted = paths_.wanted()) {
            ++moves_;
            backwards_ += wanted->port != 0 ? 1 : 0;
            const std::uint16_t former = ports_[wanted->connection];
            ports_[wanted->connection] = wanted->port != 0 ? wanted->port : next_port_++;
            paths_.moved(former);
        }
    }
    [[nodiscard]] PairPaths& paths() { return paths_; }
    [[nodiscard]] int moves() const { return moves_; }
    [[nodiscard]] int backwards() const { return backwards_; }

  private:
    PairPaths paths_{7};
    std::array<std::uint16_t, PairPaths::connections> ports_{1, 2};
    std::uint16_t next_port_ = 3;
    int moves_ = 0;
    int backwards_ = 0;
};

TEST(PairPaths, MoveWhereBothConnectionsAreLate) {
    LonePair pair;
    for (int exchange = 0; exchange < 100; ++exchange) {
        pair.exchange([](std::uint16_t port) { return port < 3; });
    }
    EXPECT_EQ(pair.moves(), 1);
    EXPECT_EQ(pair.backwards(), 0);
    EXPECT_TRUE(pair.paths().settled());
}

TEST(PairPaths, GoBackWhereAMoveDoesNotHelpAndTryEverLessOften) {
    LonePair pair;
    int moves[2] = {0, 0};
    for (int exchange = 0; exchange < 4000; ++exchange) {
        const int before = pair.moves();
        pair.exchange([](std::uint16_t) { return true; });
        moves[exchange / 2000] += pair.moves() - before;
    }
    EXPECT_GT(pair.moves(), 5);
    EXPECT_EQ(pair.backwards(), pair.moves() / 2);
    EXPECT_LT(moves[1], 20);
    EXPECT_LT(moves[1], moves[0]);
}

TEST(PairPaths, LeaveAloneWhatIsOnTime) {
    LonePair pair;
    for (int exchange = 0; exchange < 1000; ++exchange) {
        pair.exchange([](std::uint16_t) { return false; });
    }
    EXPECT_EQ(pair.moves(), 0);
    EXPECT_EQ(pair.paths().share(), 0.5);
}

TEST(PairPaths, AConnectionThatIsNotMovedIsTriedLater) {
    PairPaths paths(3);
    int wanted = 0;
    for (int exchange = 0; exchange < 400; ++exchange) {
        paths.observe({0.1, 0.1}, schedule_seconds);
        if (paths.wanted()) {
            ++wanted;
            paths.not_moved();
            EXPECT_FALSE(paths.wanted());
        }
    }
    EXPECT_GT(wanted, 1);
    EXPECT_LT(wanted, 14);
}

TEST(PairPaths, TurnsFollowTheShare) {
    for (std::uint64_t seed = 1; seed < 50; ++seed) {
        PairPaths paths(seed);
        for (int round = 0; round < 30; ++round) {
            int first = 0;
            for (int segment = 0; segment < 1000; ++segment) {
                first += paths.next() == 0 ? 1 : 0;
            }
            EXPECT_NEAR(first / 1000.0, paths.share(), 0.0021) << seed;
            paths.observe({round % 7 < 4 ? 0.01 : PairPaths::unknown, 0.02 * (round % 3)}, schedule_seconds);
            EXPECT_GT(paths.share(), 0);
            EXPECT_LT(paths.share(), 1);
        }
    }
}

TEST(PairPaths, NothingThatIsObservedDoesHarm) {
    PairPaths paths(1);
    const double values[] = {0, -1, 1e300, std::numeric_limits<double>::infinity(), PairPaths::unknown};
    for (const double first : values) {
        for (const double second : values) {
            for (const double schedule : {schedule_seconds, 0.0, 1e-9, 1e9}) {
                paths.observe({first, second}, schedule);
                EXPECT_GT(paths.share(), 0);
                EXPECT_LT(paths.share(), 1);
            }
        }
    }
}

TEST(PathLateness, IsTwiceTheMeanGrowthOfTransits) {
    PathLateness lateness;
    // Clocks may differ by anything, and wrap around.
    for (const std::uint32_t offset : {0U, 4'000'000'000U, 0xffffff00U}) {
        lateness = {};
        for (std::uint32_t segment = 0; segment <= 100; ++segment) {
            lateness.note(0, offset + 500 + 100 * segment);
            lateness.note(1, offset + 500);
        }
        const auto late = lateness.take();
        EXPECT_NEAR(late[0], 0.01, 1e-4) << offset;
        EXPECT_NEAR(late[1], 0, 1e-9) << offset;
        EXPECT_TRUE(std::isnan(lateness.take()[0]));
    }
}

TEST(PathLateness, RemembersHowFastThePathCanBe) {
    PathLateness lateness;
    lateness.note(0, 500);
    static_cast<void>(lateness.take());
    for (int segment = 0; segment < 10; ++segment) {
        lateness.note(1, 20'500);
    }
    const auto late = lateness.take();
    EXPECT_TRUE(std::isnan(late[0]));
    EXPECT_NEAR(late[1], 0.02, 1e-3);
}

}  // namespace
}  // namespace aapc
