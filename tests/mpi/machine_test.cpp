// Ranks that share machines: blocks that are copied, blocks that cannot be read and come as messages, tickets, and
// neither; uneven machines, ranks anywhere on them, parts of the world in another order. Calls follow each other
// without a barrier, and a send buffer is filled anew as soon as its call is over, so that a late reader gets wrong
// bytes.
//
//     machine_test [SEED [METHOD]]
//
// Ends with 1 and the first mistake of a rank, with the command that repeats it.
#include <fmt/core.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "aapc/methods/method.hpp"
#include "aapc/methods/preparation.hpp"
#include "aapc/mpi/exchange.hpp"
#include "aapc/mpi/machine_memory.hpp"
#include "aapc/mpi/make_exchange.hpp"
#include "mpi/payload.hpp"
#include "mpi/resting.hpp"
#include "mpi/returned_errors.hpp"
#include "mpi/watchdog.hpp"
#include "mpi/world_program.hpp"
#include "mpi/worlds.hpp"
#include "plan/intranode/depot_plan.hpp"
#include "support/networks.hpp"
#include "timetable/shares_memory.hpp"

namespace {

/// So many allocations of this thread find memory, and none after them; -1: all do.
thread_local long allocations_left = -1;

}  // namespace

// Not inlined, or the compiler takes one of the pair for another's.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
    void* const memory = allocations_left == 0 ? nullptr : std::malloc(std::max(bytes, std::size_t{1}));
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    allocations_left -= allocations_left > 0 ? 1 : 0;
    return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using namespace aapc;

/// What mpi::MachineMemory::Read did, and what it refuses.
struct Reader {
    static inline std::uint64_t bytes = 0;
    static inline std::mt19937_64 random;

    static bool read(std::int64_t process, std::uintptr_t address, std::byte* place, std::size_t length) {
        bytes += length;
        return mpi::MachineMemory::read_process(process, address, place, length);
    }
    /// The probe at the beginning is read, and then every third piece is not.
    static bool read_some(std::int64_t process, std::uintptr_t address, std::byte* place, std::size_t length) {
        const bool probe = length == sizeof(std::uint64_t);
        return (probe || random() % 3 != 0) && read(process, address, place, length);
    }
    static bool read_nothing(std::int64_t, std::uintptr_t, std::byte*, std::size_t) { return false; }
    /// What another process may have at an address that means something else there.
    static bool read_wrong(std::int64_t, std::uintptr_t, std::byte* place, std::size_t length) {
        std::fill_n(place, length, std::byte{0});
        return true;
    }
};

/// A part of the world and where its ranks sit.
struct Placed {
    std::string name;
    MPI_Comm comm = MPI_COMM_NULL;
    Network network;
    Placement placement;
    Rank rank = 0;
};

class Tester {
  public:
    Tester(std::uint64_t seed, std::string only) : seed_(seed), only_(std::move(only)), shared_random_(seed) {
        MPI_Comm_rank(MPI_COMM_WORLD, &world_rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &world_size_);
        own_random_.seed(seed * 1000 + static_cast<std::uint64_t>(world_rank_));
        Reader::random.seed(seed * 2000 + static_cast<std::uint64_t>(world_rank_));
    }

    void test_availability();
    void test_placements();
    void test_one_machine();
    void test_messages_under_way();
    void test_trouble();
    void test_no_memory();

    [[nodiscard]] int failures() const { return failures_; }
    [[nodiscard]] int tested() const { return tested_; }
    [[nodiscard]] bool copies_are_possible() const { return copies_are_possible_; }

  private:
    [[nodiscard]] Placed place(const std::string& name, MPI_Comm comm, std::vector<Machine> machine_of) const;
    [[nodiscard]] std::unique_ptr<mpi::MachineMemory> memory_of(const Placed& placed, SharedMemory wanted,
                                                                mpi::MachineMemory::Read read);
    [[nodiscard]] std::unique_ptr<mpi::Exchange> exchange_of(const Placed& placed, const std::string& text,
                                                             mpi::MachineMemory* memory);
    void test_placement(const Placed& placed);
    void test_memory(const Placed& placed, const std::string& kind, SharedMemory wanted, mpi::MachineMemory::Read read);
    void run_calls(const std::string& name, const Placed& placed, std::vector<mpi::Exchange*> exchanges, int calls,
                   std::size_t longest);
    void run_call(const std::string& name, const Placed& placed, mpi::Exchange& exchange, std::size_t bytes);
    void expect(bool condition, const std::string& name, const std::string& what) {
        if (!condition && failures_++ == 0) {
            fmt::print(stderr, "rank {}: {}: {}\nrepeat with {} ranks: machine_test {} '{}'\n", world_rank_, name, what,
                       world_size_, seed_, name);
        }
    }

    std::uint64_t seed_;
    std::string only_;
    std::mt19937_64 shared_random_;  ///< the same on all ranks
    std::mt19937_64 own_random_;     ///< who dawdles
    Rank world_rank_ = 0;
    Rank world_size_ = 0;
    int failures_ = 0;
    int tested_ = 0;
    bool copies_are_possible_ = false;
    std::uint64_t call_ = 0;
    std::vector<std::byte> send_;
    std::vector<std::byte> receive_;
};

Placed Tester::place(const std::string& name, MPI_Comm comm, std::vector<Machine> machine_of) const {
    test::TreeBuilder tree;
    const int root = tree.add_switch(-1, 1e9);
    const Machine machines = *std::max_element(machine_of.begin(), machine_of.end()) + 1;
    for (Machine machine = 0; machine < machines; ++machine) {
        tree.add_machine(root, 1, 1e9);
    }
    Placed placed{name, comm, tree.build(), Placement{std::move(machine_of)}, 0};
    MPI_Comm_rank(comm, &placed.rank);
    return placed;
}

std::unique_ptr<mpi::MachineMemory> Tester::memory_of(const Placed& placed, SharedMemory wanted,
                                                      mpi::MachineMemory::Read read) {
    test::Watchdog::watch(fmt::format("rank {}: memory for {} (seed {})", world_rank_, placed.name, seed_));
    std::unique_ptr<mpi::MachineMemory> memory;
    const int error = mpi::MachineMemory::create(placed.comm, placed.placement, wanted, memory, read);
    expect(error == MPI_SUCCESS && memory, placed.name, "no memory");
    return memory;
}

std::unique_ptr<mpi::Exchange> Tester::exchange_of(const Placed& placed, const std::string& text,
                                                   mpi::MachineMemory* memory) {
    const Method method = *parse_method(text, NetworkKind::tree);
    const auto timetable = build_timetable(*method.algorithm, method.variant, placed.network, placed.placement);
    Plan plan = make_plan(**timetable, placed.placement, placed.rank, method.synchronisation);
    mpi::ExchangeOptions options;
    options.cadence = test::quick_cadence(plan);
    options.machine_memory = memory;
    // As make_exchange() decides.
    options.through_depot = dynamic_cast<const SharesMemory*>(timetable->get()) != nullptr &&
                            memory->available() != SharedMemory::nothing &&
                            mpi::some_machine_is_shared(placed.placement);
    if (options.through_depot) {
        options.depot = std::make_shared<const machine::DepotPlan>(
            machine::make_depot_plan(**timetable, placed.placement, placed.rank));
    }
    std::unique_ptr<mpi::Exchange> exchange;
    const int error = mpi::Exchange::create(placed.comm, std::move(plan), options, exchange);
    const bool refused =
        uses_tickets(method.synchronisation) && (memory == nullptr || memory->available() == SharedMemory::nothing);
    expect(error == (refused ? MPI_ERR_ARG : MPI_SUCCESS) && (exchange != nullptr) == !refused, text,
           fmt::format("MPI error {}", error));
    return exchange;
}

void Tester::run_call(const std::string& name, const Placed& placed, mpi::Exchange& exchange, std::size_t bytes) {
    const Rank ranks = placed.placement.participants();
    send_.resize(static_cast<std::size_t>(ranks) * bytes);
    receive_.resize(send_.size());
    ++call_;
    for (Rank peer = 0; peer < ranks; ++peer) {
        const std::size_t place = static_cast<std::size_t>(peer) * bytes;
        test::Payload(placed.rank, peer, call_).write(std::span(send_).subspan(place, bytes));
        test::Payload(peer, placed.rank, call_).write_wrong(std::span(receive_).subspan(place, bytes));
    }
    test::Watchdog::watch(
        fmt::format("rank {} of {}: {}, {} bytes, call {} (seed {})", placed.rank, ranks, name, bytes, call_, seed_));
    if (own_random_() % 8 == 0) {
        usleep(static_cast<unsigned>(own_random_() % 1000));
    }
    const int error = exchange.run(send_.data(), receive_.data(), bytes);
    std::fill(send_.begin(), send_.end(), std::byte{0xEE});
    expect(error == MPI_SUCCESS, name, fmt::format("MPI error {}", error));
    for (Rank peer = 0; peer < ranks; ++peer) {
        const auto received = std::span(receive_).subspan(static_cast<std::size_t>(peer) * bytes, bytes);
        if (const auto wrong = test::Payload(peer, placed.rank, call_).first_wrong(received)) {
            expect(false, name, fmt::format("{} bytes: wrong data from {} at {}", bytes, peer, *wrong));
            return;
        }
    }
}

/// Calls of these exchanges in turn.
void Tester::run_calls(const std::string& name, const Placed& placed, std::vector<mpi::Exchange*> exchanges, int calls,
                       std::size_t longest) {
    std::mt19937_64 random(seed_ + std::hash<std::string>()(name));
    for (int call = 0; call < calls; ++call) {
        mpi::Exchange* const exchange = exchanges[random() % exchanges.size()];
        const std::size_t bytes = random() % 10 == 0 ? 0 : 1 + random() % longest;
        run_call(name, placed, *exchange, bytes);
    }
    ++tested_;
}

void Tester::test_memory(const Placed& placed, const std::string& kind, SharedMemory wanted,
                         mpi::MachineMemory::Read read) {
    const auto memory = memory_of(placed, wanted, read);
    std::vector<std::unique_ptr<mpi::Exchange>> exchanges;
    std::vector<mpi::Exchange*> all;
    for (const char* text : {"factor/fill+window:1",   "factor/permutation+ports:1", "factor/paper+ports:1",
                             "factor/ports-2+ports:2", "factor/fill+timed",          "factor/exchange+sender",
                             "factor/fill+receiver",   "tree/merged+ports:1",        "tree/merged+timed",
                             "lattice+timed",          "lattice/formula+timed:1000", "lattice+window:all",
                             "tree/paper+barrier",     "tree/paper+dummy",           "ring+none",
                             "linear+window:all",      "linear+ports:all",           "bruck+window:1",
                             "aggregate+window:all",   "aggregate/bruck+window:2",   "aggregate/carriers-1+window:1"}) {
        const std::string name = fmt::format("{}, {}: {}", placed.name, kind, text);
        if (!only_.empty() && only_ != name) {
            continue;
        }
        auto exchange = exchange_of(placed, text, memory.get());
        if (!exchange) {
            continue;
        }
        const std::uint64_t read_before = Reader::bytes;
        run_calls(name, placed, {exchange.get()}, 3, 3000);
        run_call(name, placed, *exchange, 150'000);
        if (memory->available() == SharedMemory::tickets_and_copies && read == Reader::read) {
            const auto mates = ranks_beside(placed.placement, placed.rank).size() - 1;
            const bool passes_on = exchange->plan().forwarding && std::string_view(text).starts_with("bruck");
            expect((Reader::bytes > read_before) == (mates > 0 && !passes_on), name, "copies where there are none");
        }
        all.push_back(exchange.get());
        exchanges.push_back(std::move(exchange));
    }
    // One after the other on one memory, often.
    if (!all.empty()) {
        run_calls(fmt::format("{}, {}: all in turn", placed.name, kind), placed, all, 120, 400);
    }
}

void Tester::test_placement(const Placed& placed) {
    test_memory(placed, "copies", SharedMemory::tickets_and_copies, Reader::read);
    test_memory(placed, "some copies", SharedMemory::tickets_and_copies, Reader::read_some);
    test_memory(placed, "tickets", SharedMemory::tickets, Reader::read);
    test_memory(placed, "nothing", SharedMemory::nothing, Reader::read);
}

/// What there is, is so on all ranks, whoever lacks something.
void Tester::test_availability() {
    std::vector<Machine> alone;
    std::vector<Machine> together;
    for (Rank rank = 0; rank < world_size_; ++rank) {
        alone.push_back(rank);
        together.push_back(rank == 0 && world_size_ > 2 ? 0 : 1);
    }
    const Placed spread = place("everyone alone", MPI_COMM_WORLD, alone);
    expect(memory_of(spread, SharedMemory::tickets_and_copies, Reader::read)->available() == SharedMemory::tickets,
           spread.name, "something to copy");
    const Placed crowd = place("many together", MPI_COMM_WORLD, together);
    const Rank last = world_size_ - 1;
    copies_are_possible_ = memory_of(crowd, SharedMemory::tickets_and_copies, Reader::read)->available() ==
                           SharedMemory::tickets_and_copies;
    const auto available = [&](SharedMemory mine, mpi::MachineMemory::Read read) {
        const bool is_last = world_rank_ == last;
        return memory_of(crowd, is_last ? mine : SharedMemory::tickets_and_copies, is_last ? read : Reader::read)
            ->available();
    };
    expect(available(SharedMemory::nothing, Reader::read) == SharedMemory::nothing, crowd.name, "one wants nothing");
    expect(available(SharedMemory::tickets, Reader::read) == SharedMemory::tickets, crowd.name, "one wants no copies");
    for (const auto read : {Reader::read_nothing, Reader::read_wrong}) {
        expect(available(SharedMemory::tickets_and_copies, read) == SharedMemory::tickets, crowd.name,
               "one cannot read the others");
    }
}

void Tester::test_placements() {
    const auto random_machine = [&](Machine machines) {
        return static_cast<Machine>(shared_random_() % static_cast<std::uint64_t>(machines));
    };
    std::vector<Machine> uneven;  // 1, 2, 3, … ranks a machine, one after the other
    for (Machine machine = 0; static_cast<Rank>(uneven.size()) < world_size_; ++machine) {
        uneven.insert(uneven.end(), static_cast<std::size_t>(machine) + 1, machine);
    }
    uneven.resize(static_cast<std::size_t>(world_size_));
    test_placement(place("uneven", MPI_COMM_WORLD, uneven));
    std::vector<Machine> anywhere;
    for (Rank rank = 0; rank < world_size_; ++rank) {
        anywhere.push_back(random_machine(3));
    }
    test_placement(place("anywhere", MPI_COMM_WORLD, anywhere));

    // All but rank 0, in reverse order.
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, world_rank_ == 0 ? MPI_UNDEFINED : 1, -world_rank_, &part);
    if (part != MPI_COMM_NULL) {
        std::vector<Machine> machine_of(uneven.rbegin(), uneven.rend() - 1);
        test_placement(place("part", part, machine_of));
        MPI_Comm_free(&part);
    }
    // Who has no part in it waits for as long as the others, which have dogs of their own.
    test::Watchdog::stop();
    MPI_Barrier(MPI_COMM_WORLD);
}

/// All ranks on one: nothing but copies.
void Tester::test_one_machine() {
    const Placed placed = place("one machine", MPI_COMM_WORLD, std::vector<Machine>(world_size_, 0));
    for (const SharedMemory wanted : {SharedMemory::tickets_and_copies, SharedMemory::tickets}) {
        const auto memory = memory_of(placed, wanted, Reader::read);
        const auto exchange = exchange_of(placed, "aggregate+window:all", memory.get());
        const std::string name = wanted == SharedMemory::tickets ? "one machine, depot" : "one machine, copies";
        const std::uint64_t read_before = Reader::bytes;
        run_calls(name, placed, {exchange.get()}, 40, 3000);
        expect(Reader::bytes == read_before, name, "small blocks are read");
        for (const std::size_t bytes : {std::size_t{8191}, std::size_t{8192}, std::size_t{50'000}}) {
            run_call(name, placed, *exchange, bytes);
        }
        expect((Reader::bytes > read_before) == (memory->available() == SharedMemory::tickets_and_copies), name,
               "large blocks are read where that can be done");
    }
}

/// A rank that waits for something in shared memory still does its part for messages of the program's own, for whose
/// end another one may wait before it comes.
void Tester::test_messages_under_way() {
    constexpr int long_enough = 4 << 20;
    std::vector<Machine> machine_of(world_size_, 0);
    const Rank last = world_size_ - 1;
    for (const bool alone : {true, false}) {
        machine_of.back() = alone || world_size_ < 3 ? 0 : 1;
        const Placed placed = place("messages under way", MPI_COMM_WORLD, machine_of);
        const auto memory = memory_of(placed, SharedMemory::tickets_and_copies, Reader::read);
        for (const char* text : {"aggregate/carriers-1+window:all", "linear+ports:1", "linear+window:all"}) {
            const auto exchange = exchange_of(placed, text, memory.get());
            const Rank other = world_size_ > 3 ? 1 : 0;  // carries nothing, where there are some who do
            std::vector<char> message(world_rank_ == 0 || world_rank_ == last || world_rank_ == other ? long_enough
                                                                                                      : 0);
            MPI_Request request = MPI_REQUEST_NULL;
            if (world_rank_ == other) {
                MPI_Irecv(message.data(), long_enough, MPI_CHAR, last, 3, MPI_COMM_WORLD, &request);
            }
            test::Watchdog::watch(fmt::format("rank {}: a message before {}", world_rank_, text));
            if (world_rank_ == last) {
                usleep(20'000);
                MPI_Send(message.data(), long_enough, MPI_CHAR, other, 3, MPI_COMM_WORLD);
            }
            run_call(text, placed, *exchange, 20'000);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            ++tested_;
        }
    }
}

/// One rank has nothing to send, or blocks of another length: nobody waits in vain, nobody takes for data what is none,
/// and afterwards all is well again.
void Tester::test_trouble() {
    std::vector<Machine> two_machines(world_size_, 0);
    two_machines.back() = world_size_ < 3 ? 0 : 1;
    for (const auto& machine_of : {std::vector<Machine>(world_size_, 0), two_machines}) {
        const mpi::ReturnedErrors returned(MPI_COMM_WORLD);
        const Placed placed = place("trouble", MPI_COMM_WORLD, machine_of);
        const auto memory = memory_of(placed, SharedMemory::tickets_and_copies, Reader::read);
        for (const char* text : {"aggregate+window:all", "aggregate/carriers-1+window:1", "aggregate/bruck+window:1"}) {
            const auto exchange = exchange_of(placed, text, memory.get());
            for (const std::size_t bytes : {std::size_t{100}, std::size_t{30'000}}) {
                std::vector<std::byte> send(bytes * static_cast<std::size_t>(world_size_), std::byte{1});
                std::vector<std::byte> receive(send.size(), std::byte{2});
                for (const Rank odd : {0, world_size_ - 1}) {
                    test::Watchdog::watch(fmt::format("rank {}: {} with rank {} shorter", world_rank_, text, odd));
                    int error =
                        exchange->run(send.data(), receive.data(), world_rank_ == odd ? bytes - bytes / 4 : bytes);
                    expect(error != MPI_SUCCESS, text, fmt::format("{} bytes, rank {} shorter: no error", bytes, odd));
                    test::Watchdog::watch(fmt::format("rank {}: {} with rank {} mute", world_rank_, text, odd));
                    error = world_rank_ == odd ? exchange->run_mute(bytes)
                                               : exchange->run(send.data(), receive.data(), bytes);
                    expect(error != MPI_SUCCESS, text, fmt::format("{} bytes, rank {} mute: no error", bytes, odd));
                    run_call(text, placed, *exchange, bytes);
                    ++tested_;
                }
            }
        }
    }
}

/// Memory ends on rank 0 at each moment while an exchange is made: no rank has it, and with memory to its end all have.
void Tester::test_no_memory() {
    if (world_size_ > 2) {
        return;  // more ranks show nothing new, and take long
    }
    const char* const text = "aggregate/bruck+window:1";
    const mpi::ReturnedErrors returned(MPI_COMM_WORLD);
    const Placed placed = place("no memory", MPI_COMM_WORLD, std::vector<Machine>(world_size_, 0));
    const auto memory = memory_of(placed, SharedMemory::tickets_and_copies, Reader::read);
    const auto prepared = prepare(placed.network, placed.placement, network_bound(placed.network, placed.placement),
                                  *parse_method(text, NetworkKind::tree));
    bool made = false;
    for (long allocations = 0; !made && allocations < 10'000; ++allocations) {
        test::Watchdog::watch(fmt::format("rank {}: {} with {} allocations on rank 0", world_rank_, text, allocations));
        allocations_left = world_rank_ == 0 ? allocations : -1;
        const auto exchange = mpi::make_exchange(placed.comm, prepared, placed.placement, memory.get());
        allocations_left = -1;
        int have = exchange ? 1 : 0;
        test::combine(&have, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        expect(have == 0 || have == world_size_, text, fmt::format("{} allocations: {} have it", allocations, have));
        made = have > 0;
        if (have == world_size_) {
            run_call(text, placed, **exchange, 100);
        }
        ++tested_;
    }
    expect(made, text, "never made");
}

int test_all(int argc, char** argv) {
    const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
    Tester tester(seed, argc > 2 ? argv[2] : "");
    tester.test_availability();
    tester.test_one_machine();
    tester.test_messages_under_way();
    tester.test_trouble();
    tester.test_no_memory();
    tester.test_placements();
    int failures = tester.failures();
    test::Watchdog::watch("the end");
    test::combine(&failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        fmt::print("seed {}: {} ways of running, copies {}, {} failures\n", seed, tester.tested(),
                   tester.copies_are_possible() ? "made" : "not possible here", failures);
    }
    test::Watchdog::stop();
    return failures == 0 && tester.tested() > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return aapc::test::run_in_world("machine_test", argc, argv, test_all); }
