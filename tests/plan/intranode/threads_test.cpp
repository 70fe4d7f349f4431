// Handover, tickets and depot by threads, which ThreadSanitizer watches: a read that the owner's next write does not
// wait for, or two threads at one port, is a data race on plain memory. Many calls back to back, threads that dawdle by
// chance.
//
//     machine_threads [SEED]
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

#include "plan/intranode/depot.hpp"
#include "plan/intranode/handover.hpp"
#include "plan/intranode/tickets.hpp"

namespace {

using namespace aapc;

constexpr std::size_t ranks = 4;
constexpr int calls = 2000;

struct Shared {
    std::vector<machine::Cell> cells = std::vector<machine::Cell>(ranks);
    std::vector<machine::Handover::Refusal> refusals = std::vector<machine::Handover::Refusal>(ranks * ranks);
    machine::PortQueue queue;
    long at_the_port = 0;  ///< plain on purpose
    machine::DepotStore store;
    std::vector<machine::DepotCell> depot_cells = std::vector<machine::DepotCell>(ranks);
    std::vector<machine::Depot::Arrived> arrived = std::vector<machine::Depot::Arrived>(2 * ranks);
    /// What each rank has for the parcel of each, in both halves, and what has come to each: plain on purpose.
    std::vector<std::byte> going = std::vector<std::byte>(2 * ranks * ranks);
    std::vector<std::byte> come = std::vector<std::byte>(2 * ranks * ranks);
};

std::byte content(std::size_t from, std::size_t to, int call) {
    return static_cast<std::byte>(from * 37 + to * 11 + static_cast<std::size_t>(call));
}

template <class Condition>
void wait_until(Condition condition) {
    while (!condition()) {
        std::this_thread::yield();
    }
}

/// One rank: hands over a block to each other one in every call, and goes through the port twice.
class OneRank {
  public:
    OneRank(Shared& shared, std::size_t own, unsigned seed)
        : shared_(shared),
          own_(own),
          handover_(shared.cells, shared.refusals, own),
          depot_(shared.store, shared.depot_cells, shared.arrived, own, ranks + 1),
          random_(seed),
          places_{static_cast<std::int64_t>(own), static_cast<std::int64_t>(2 * ranks - 1 - own)} {}

    void run() {
        for (int call = 0; call < calls; ++call) {
            exchange(call);
            pass_port(call);
            go_through_depot(call);
        }
    }
    [[nodiscard]] int mistakes() const { return mistakes_; }

  private:
    void exchange(int call) {
        std::vector<std::byte> send(ranks);
        for (std::size_t to = 0; to < ranks; ++to) {
            send[to] = content(own_, to, call);
        }
        handover_.open(send.data(), 1);
        dawdle();
        for (std::size_t from = 0; from < ranks; ++from) {
            if (from != own_) {
                wait_until([&] { return handover_.is_open(from); });
                // NOLINTNEXTLINE(performance-no-int-to-ptr): it was a pointer
                const auto* const block = reinterpret_cast<const std::byte*>(handover_.cell(from).send_buffer) + own_;
                mistakes_ += *block == content(from, own_, call) ? 0 : 1;
            }
        }
        const std::size_t refused = (own_ + 1) % ranks;
        if (call % 7 == 0) {
            handover_.refuse(refused);
        }
        handover_.finish();
        for (std::size_t other = 0; other < ranks; ++other) {
            if (other != own_) {
                wait_until([&] { return handover_.has_finished(other); });
                const bool expected = call % 7 == 0 && (other + 1) % ranks == own_;
                mistakes_ += handover_.is_refused_by(other) == expected ? 0 : 1;
            }
        }
        // Here `send` goes: whoever still reads it races.
    }

    void pass_port(int call) {
        machine::Turns turns(shared_.queue, places_, static_cast<std::uint64_t>(call) * 2 * ranks, 1);
        while (!turns.all_complete()) {
            wait_until([&] { return turns.next_may_start(); });
            turns.start_next();
            const auto place = places_[turns.completed()];
            mistakes_ += shared_.at_the_port == call * static_cast<long>(2 * ranks) + place ? 0 : 1;
            dawdle();
            ++shared_.at_the_port;
            turns.complete_oldest();
        }
    }

    /// Every rank carries a parcel to another machine, which sends the like of it, turned round: who puts a byte into
    /// the k-th gets the byte back that the next rank has put there. Now and then ranks put what the next round needs
    /// while this one is under way.
    void go_through_depot(int call) {
        depot_.next_round();
        const auto place = [&](std::size_t parcel, std::size_t rank) { return place_in(depot_.round(), parcel, rank); };
        // More at every other call, so that after the calls between there is memory for the next one.
        const auto needed = static_cast<std::size_t>(call / 2 + 1);
        const bool is_refused = call % 100 == 98;
        if (own_ == 0) {
            is_refused ? depot_.refuse() : depot_.provide(needed);
        }
        wait_until([&] { return depot_.store_of(needed) != machine::Depot::Store::unknown; });
        wait_until([&] { return has_put_ || depot_.is_free(depot_.round()); });
        const bool refused = depot_.store_of(needed) == machine::Depot::Store::refused;
        mistakes_ += refused == is_refused ? 0 : 1;
        if (!has_put_) {
            put(depot_.round(), call);
        }
        wait_until([&] { return depot_.all_have_filled(own_); });
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            mistakes_ += depot_.block_bytes_of(rank) == static_cast<std::size_t>(call) + rank + 1 ? 0 : 1;
            shared_.come[place(own_, rank)] = shared_.going[place(own_, (rank + 1) % ranks)];
        }
        has_put_ = call % 2 == 0 && !refused && random_() % 2 == 0 && depot_.is_free(depot_.round() + 1);
        if (has_put_) {
            put(depot_.round() + 1, call + 1);
        }
        depot_.tell(own_, (call + static_cast<int>(own_)) % 3 != 0);
        for (std::size_t parcel = 0; parcel < ranks; ++parcel) {
            wait_until([&] { return depot_.came(parcel) != machine::Depot::Came::not_yet; });
            const bool well = depot_.came(parcel) == machine::Depot::Came::well;
            mistakes_ += well == ((call + static_cast<int>(parcel)) % 3 != 0) ? 0 : 1;
            mistakes_ += shared_.come[place(parcel, own_)] == content((own_ + 1) % ranks, parcel, call) ? 0 : 1;
        }
        depot_.finish();
    }

    [[nodiscard]] static std::size_t place_in(std::uint64_t round, std::size_t parcel, std::size_t rank) {
        return (machine::Depot::half_of(round) * ranks + parcel) * ranks + rank;
    }

    void put(std::uint64_t round, int call) {
        depot_.show(round, static_cast<std::size_t>(call) + own_ + 1);
        for (std::size_t parcel = 0; parcel < ranks; ++parcel) {
            shared_.going[place_in(round, parcel, own_)] = content(own_, parcel, call);
            depot_.fill(round, parcel);
            dawdle();
        }
    }

    void dawdle() {
        if (random_() % 16 == 0) {
            std::this_thread::yield();
        }
    }

    Shared& shared_;
    std::size_t own_;
    machine::Handover handover_;
    machine::Depot depot_;
    std::mt19937 random_;
    std::vector<std::int64_t> places_;
    bool has_put_ = false;  ///< for the round that comes
    int mistakes_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    const unsigned seed = argc > 1 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)) : 1;
    Shared shared;
    std::vector<OneRank> all;
    all.reserve(ranks);
    for (std::size_t own = 0; own < ranks; ++own) {
        all.emplace_back(shared, own, seed * 100 + static_cast<unsigned>(own));
    }
    std::vector<std::thread> threads;
    threads.reserve(ranks);
    for (OneRank& rank : all) {
        threads.emplace_back([&rank] { rank.run(); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    int mistakes = shared.at_the_port == static_cast<long>(calls * 2 * ranks) ? 0 : 1;
    for (const OneRank& rank : all) {
        mistakes += rank.mistakes();
    }
    std::printf("%d calls of %zu threads, seed %u: %d mistakes\n", calls, ranks, seed, mistakes);
    return mistakes == 0 ? 0 : 1;
}
