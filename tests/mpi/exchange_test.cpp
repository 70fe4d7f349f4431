// The executor: every algorithm for a tree, every variant and every synchronisation that fits, and plans by hand, for
// the number of ranks that it is started with. Calls of different sizes in a row without a barrier, ranks that come
// late by chance. Payloads name source, destination, offset and call.
//
//     exchange_test [SEED [METHOD or /N [tcp]]]
//
// With `tcp` blocks go by connections of our own between all ranks.
//
// Ends with 1 and the first mistake of a rank, with the command that repeats it.
#include "aapc/mpi/exchange.hpp"

#include <fmt/core.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "aapc/mpi/wire.hpp"
#include "mpi/execution.hpp"
#include "mpi/hand_made_plans.hpp"
#include "mpi/payload.hpp"
#include "mpi/resting.hpp"
#include "mpi/watchdog.hpp"
#include "mpi/world_program.hpp"
#include "mpi/worlds.hpp"

namespace {

using namespace aapc;

/// One call's buffers, filled before the calls and looked at behind them, so that the calls follow closely.
struct Buffers {
    std::size_t bytes;
    std::vector<std::byte> send;
    std::vector<std::byte> receive;
};

class Tester {
  public:
    Tester(Rank rank, Rank ranks, std::uint64_t seed, std::string only, mpi::Wire* wire)
        : wire_(wire),
          rank_(rank),
          ranks_(ranks),
          seed_(seed),
          only_(std::move(only)),
          own_random_(seed * 1000 + 1 + static_cast<std::uint64_t>(rank)) {}

    /// `block_phases`: of synchronisations that have blocks.
    void test_world(const test::World& world, const std::vector<Phase>& block_phases);
    void test_hand_made_plans(const test::World& world);
    void test_pieces(const test::World& world);
    void test_refusal();

    [[nodiscard]] int failures() const { return failures_; }
    [[nodiscard]] int tested() const { return tested_; }

  private:
    void test_algorithm(const test::World& world, const Algorithm& algorithm, const std::string& variant,
                        const std::vector<Phase>& block_phases);
    void test_plan(const std::string& name, const Plan& plan);
    void test_exchange(const std::string& name, const Plan& plan);
    void test_execution(const std::string& name, const Plan& plan, std::size_t piece_bytes);
    /// `run(buffers)` as often as suits the number of ranks.
    template <class Run>
    void call_in_a_row(const std::string& name, Run run);
    [[nodiscard]] bool drawn(const std::string& name, std::uint64_t of_so_many, std::uint64_t share = 0) const;
    [[nodiscard]] std::vector<std::size_t> choose_sizes(const std::string& name) const;
    [[nodiscard]] Buffers make_buffers(std::size_t bytes, int call) const;
    void check_buffers(const std::string& name, Buffers& buffers, int call);
    void check_report(const std::string& name, const Plan& plan, const mpi::ExchangeReport& report);
    [[nodiscard]] bool wanted(const std::string& name) const;
    void expect(bool condition, const std::string& name, const std::string& what) {
        if (!condition && failures_++ == 0) {
            fmt::print(stderr, "rank {}: {}: {}\nrepeat with {} ranks: exchange_test {} '{}'{}\n", rank_, name, what,
                       ranks_, seed_, name, wire_ == nullptr ? "" : " tcp");
        }
    }

    mpi::Wire* wire_;  ///< null: all messages are MPI's
    Rank rank_;
    Rank ranks_;
    std::uint64_t seed_;
    std::string only_;
    std::mt19937_64 own_random_;  ///< different on each rank: who comes late
    int failures_ = 0;
    int tested_ = 0;
};

std::span<std::byte> block_of(std::vector<std::byte>& buffer, Rank peer, std::size_t bytes) {
    return std::span(buffer).subspan(static_cast<std::size_t>(peer) * bytes, bytes);
}

Buffers Tester::make_buffers(std::size_t bytes, int call) const {
    const auto blocks = static_cast<std::size_t>(ranks_);
    Buffers buffers{bytes, std::vector<std::byte>(blocks * bytes), std::vector<std::byte>(blocks * bytes)};
    for (Rank peer = 0; peer < ranks_; ++peer) {
        test::Payload(rank_, peer, static_cast<std::uint64_t>(call)).write(block_of(buffers.send, peer, bytes));
        // Wrong everywhere until it is received.
        test::Payload(peer, rank_, static_cast<std::uint64_t>(call))
            .write_wrong(block_of(buffers.receive, peer, bytes));
    }
    return buffers;
}

void Tester::check_buffers(const std::string& name, Buffers& buffers, int call) {
    for (Rank peer = 0; peer < ranks_; ++peer) {
        const test::Payload received(peer, rank_, static_cast<std::uint64_t>(call));
        if (const auto wrong = received.first_wrong(block_of(buffers.receive, peer, buffers.bytes))) {
            expect(false, name,
                   fmt::format("{} bytes, call {}: wrong data from {} at {}", buffers.bytes, call, peer, *wrong));
            return;
        }
        const test::Payload sent(rank_, peer, static_cast<std::uint64_t>(call));
        if (sent.first_wrong(block_of(buffers.send, peer, buffers.bytes))) {
            expect(false, name, fmt::format("{} bytes, call {}: the send buffer was changed", buffers.bytes, call));
            return;
        }
    }
}

/// One method in `of_so_many`, the same on all ranks; other methods for another `share`, which is less than that.
bool Tester::drawn(const std::string& name, std::uint64_t of_so_many, std::uint64_t share) const {
    return std::mt19937_64(seed_ + std::hash<std::string>()(name))() % of_so_many == share;
}

bool Tester::wanted(const std::string& name) const {
    if (only_.empty()) {
        // 1, 2, 3 and 8 ranks have every way of running. Where they crowd the processors, a part: 5 and 7 ranks have
        // each way once among them, and so have 12, 13, 16 and 24.
        const auto ranks = static_cast<std::uint64_t>(ranks_);
        const bool all = ranks_ <= 3 || ranks_ == 8;
        return all || (ranks_ < 8 ? drawn(name + " here", 2, ranks / 2 % 2) : drawn(name + " here", 4, ranks % 5 % 4));
    }
    if (only_.starts_with('/')) {
        return drawn(name, std::max(1ULL, std::strtoull(only_.c_str() + 1, nullptr, 10)));
    }
    return only_ == name;
}

/// All sizes where that is quick; where ranks crowd the processors fewer, and other ones for each method. Twenty calls
/// for those that are drawn. The same on all ranks.
std::vector<std::size_t> Tester::choose_sizes(const std::string& name) const {
    std::vector<std::size_t> sizes{0, 1, 7, 1000, 5753, 40'000};
    std::mt19937_64 random(seed_ + std::hash<std::string>()(name));
    std::shuffle(sizes.begin(), sizes.end(), random);
    sizes.resize(ranks_ <= 3 ? 6 : ranks_ <= 8 ? 3 : 2);
    while (drawn(name, 16) && sizes.size() < 20) {
        sizes.push_back(random() % 2000);
    }
    return sizes;
}

template <class Run>
void Tester::call_in_a_row(const std::string& name, Run run) {
    std::vector<Buffers> calls;
    for (const std::size_t bytes : choose_sizes(name)) {
        calls.push_back(make_buffers(bytes, static_cast<int>(calls.size())));
    }
    for (std::size_t call = 0; call < calls.size(); ++call) {
        if (own_random_() % 4 == 0) {
            usleep(static_cast<unsigned>(own_random_() % 2000));
        }
        test::Watchdog::watch(fmt::format("rank {} of {}: {}, {} bytes, call {} (seed {})", rank_, ranks_, name,
                                          calls[call].bytes, call, seed_));
        const int error = run(calls[call]);
        expect(error == MPI_SUCCESS, name, fmt::format("MPI error {} in call {}", error, call));
    }
    for (std::size_t call = 0; call < calls.size(); ++call) {
        check_buffers(name, calls[call], static_cast<int>(call));
    }
    ++tested_;
}

void Tester::check_report(const std::string& name, const Plan& plan, const mpi::ExchangeReport& report) {
    const Synchronisation& synchronisation = plan.synchronisation;
    if (synchronisation.kind != Synchronisation::Kind::timed || ranks_ == 1) {
        expect(report.pace == 0 && report.scheduled_seconds == 0 && report.late_seconds == 0, name,
               "a report of what did not happen");
        return;
    }
    expect(report.pace > 0 && report.scheduled_seconds > 0 && report.late_seconds >= 0 && report.agreement_seconds > 0,
           name, "a report without figures");
    expect(synchronisation.pace == 0 || report.pace == synchronisation.pace, name, "another pace than was asked for");
}

/// As programs use it, with a communicator of its own, which takes some MPIs long to make.
void Tester::test_exchange(const std::string& name, const Plan& plan) {
    mpi::ExchangeOptions options;
    options.cadence = test::quick_cadence(plan);
    options.wire = wire_;
    std::unique_ptr<mpi::Exchange> exchange;
    test::Watchdog::watch(fmt::format("rank {} of {}: creating {}", rank_, ranks_, name));
    const int error = mpi::Exchange::create(MPI_COMM_WORLD, plan, options, exchange);
    expect(error == MPI_SUCCESS && exchange, name, "cannot be created");
    call_in_a_row(name, [&](Buffers& buffers) {
        return exchange->run(buffers.send.data(), buffers.receive.data(), buffers.bytes);
    });
    check_report(name, plan, exchange->report());
}

/// On the world's communicator.
void Tester::test_execution(const std::string& name, const Plan& plan, std::size_t piece_bytes) {
    std::unique_ptr<mpi::Transport> transport = std::make_unique<mpi::MpiTransport>(MPI_COMM_WORLD, piece_bytes);
    if (wire_ != nullptr) {
        transport = std::make_unique<mpi::TcpTransport>(MPI_COMM_WORLD, *wire_, piece_bytes);
    }
    mpi::ExchangeOptions options;
    options.cadence = test::quick_cadence(plan);
    const auto execution = mpi::make_execution(*transport, plan, options);
    call_in_a_row(name, [&](Buffers& buffers) {
        const mpi::Blocks blocks{buffers.send.data(), buffers.receive.data(), buffers.bytes};
        if (buffers.bytes == 0) {
            return MPI_SUCCESS;
        }
        std::memcpy(blocks.from_rank(rank_), blocks.for_rank(rank_), blocks.bytes);
        return execution->run(blocks);
    });
    check_report(name, plan, execution->report());
    test::Watchdog::watch(fmt::format("rank {} of {}: after {}", rank_, ranks_, name));
    test::meet(MPI_COMM_WORLD);  // the next method has the same communicator
}

void Tester::test_plan(const std::string& name, const Plan& plan) {
    if (ranks_ <= 2 || drawn(name, 16)) {
        test_exchange(name, plan);
    } else {
        test_execution(name, plan, mpi::Transport::longest_piece);
    }
}

void Tester::test_algorithm(const test::World& world, const Algorithm& algorithm, const std::string& variant,
                            const std::vector<Phase>& block_phases) {
    const auto timetable = build_timetable(algorithm, variant, world.network, world.placement);
    if (!timetable) {
        expect(false, fmt::format("{}: {}/{}", world.name, algorithm.name, variant), to_string(timetable.error()));
        return;
    }
    for (const Synchronisation& synchronisation : test::every_synchronisation(block_phases)) {
        const std::string name =
            fmt::format("{}: {}", world.name, to_string(Method{&algorithm, variant, synchronisation}));
        if (check_synchronisation_fits(**timetable, synchronisation) && wanted(name)) {
            test_plan(name, make_plan(**timetable, rank_, synchronisation));
        }
    }
}

void Tester::test_world(const test::World& world, const std::vector<Phase>& block_phases) {
    for (const Algorithm& algorithm : algorithms()) {
        if (algorithm.is_for(NetworkKind::tree)) {
            for (const std::string& variant : test::variants_of(algorithm)) {
                test_algorithm(world, algorithm, variant, block_phases);
            }
        }
    }
}

void Tester::test_hand_made_plans(const test::World& world) {
    for (const char* text : {"none", "window:1", "barrier", "barrier-partial-none:2", "barrier-partial-none:all"}) {
        const Synchronisation synchronisation = *parse_synchronisation(text);
        if (const std::string name = fmt::format("relay+{}", text); wanted(name)) {
            test_plan(name, test::relay_plan(rank_, ranks_, synchronisation));
        }
        if (const std::string name = fmt::format("bundle+{}", text); wanted(name)) {
            test_plan(name, test::bundle_plan(rank_, ranks_, synchronisation));
        }
    }
    if (const std::string name = "dummies everywhere"; wanted(name)) {
        const auto timetable = build_timetable(**find_algorithm("tree"), "paper", world.network, world.placement);
        Plan plan = make_plan(**timetable, rank_, Synchronisation::dummy);
        test::add_dummies_everywhere(**timetable, plan);
        test_plan(name, plan);
    }
}

/// Messages that are too long for one MPI call, with a short limit instead of long messages.
void Tester::test_pieces(const test::World& world) {
    const auto timetable = build_timetable(**find_algorithm("tree"), "merged", world.network, world.placement);
    std::vector<Plan> plans{test::relay_plan(rank_, ranks_, Synchronisation::none),
                            test::bundle_plan(rank_, ranks_, Synchronisation::barrier)};
    for (const char* text : {"none", "dummy", "sender", "receiver-partial:2", "barrier", "window:2", "timed:5000@2"}) {
        plans.push_back(make_plan(**timetable, rank_, *parse_synchronisation(text)));
    }
    for (std::size_t index = 0; index < plans.size(); ++index) {
        const std::string name = fmt::format("pieces, plan {}: {}", index, to_string(plans[index].synchronisation));
        if (wanted(name)) {
            test_execution(name, plans[index], 1000);
        }
    }
}

void Tester::test_refusal() {
    const std::string name = "timed without a speed";
    Plan plan = test::relay_plan(rank_, ranks_, Synchronisation::timed);
    plan.forwarding.reset();
    std::unique_ptr<mpi::Exchange> exchange;
    const int error = mpi::Exchange::create(MPI_COMM_WORLD, plan, {}, exchange);
    expect(error == MPI_ERR_ARG && exchange == nullptr, name, "was accepted");
}

int test_all(int argc, char** argv) {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
    mpi::Wire wire;
    const bool by_tcp = argc > 3 && std::string(argv[3]) == "tcp";
    if (by_tcp) {
        mpi::Wire::Peers peers;
        peers.connections = 2;
        for (Rank other = 0; other < ranks; ++other) {
            if (other != rank) {
                peers.to.push_back(other);
                peers.from.push_back(other);
            }
        }
        bool opened = false;
        if (wire.open(MPI_COMM_WORLD, &peers, opened) != MPI_SUCCESS || !opened) {
            fmt::print(stderr, "rank {}: {}\n", rank, wire.complaint() ? to_string(*wire.complaint()) : "not opened");
            return 1;
        }
    }
    Tester tester(rank, ranks, seed, argc > 2 ? argv[2] : "", by_tcp ? &wire : nullptr);
    const test::World plain = test::plain_world(ranks);
    // Where ranks crowd the processors, one number of phases for each way in which blocks can lie.
    tester.test_world(plain,
                      ranks <= 8 ? std::vector<Phase>{1, 2, 3, 8, all_phases} : std::vector<Phase>{3, all_phases});
    tester.test_world(test::random_world(ranks, seed), {2});
    tester.test_hand_made_plans(plain);
    tester.test_pieces(plain);
    tester.test_refusal();
    const int mine[2] = {tester.failures(), tester.tested() == 0 ? 1 : 0};
    int all[2] = {0, 0};
    test::Watchdog::watch("the end");
    MPI_Allreduce(mine, all, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        fmt::print("{} ranks, seed {}: {} ways of running, {} failures\n", ranks, seed, tester.tested(), all[0]);
    }
    test::Watchdog::stop();
    return all[0] == 0 && all[1] == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return aapc::test::run_in_world("exchange_test", argc, argv, test_all); }
