// Connections of our own: who gets in, what becomes of the others, and what is left where something is missing.
//
//     wire_test
//
// Ends with 1 and the first mistake of a rank.
#include "aapc/mpi/wire.hpp"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <mpi.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "mpi/connections_of_mpi.hpp"
#include "mpi/hand_made_plans.hpp"
#include "mpi/payload.hpp"
#include "mpi/progress.hpp"
#include "mpi/resting.hpp"
#include "mpi/transport.hpp"
#include "mpi/watchdog.hpp"
#include "mpi/wire_streams.hpp"
#include "mpi/world_program.hpp"
#include "support/networks.hpp"

namespace {

using namespace aapc;
using mpi::Pending;
using mpi::Tag;

constexpr mpi::Wire::Faults persistent{.tries_again = true};

int failures = 0;
int rank = 0;
int ranks = 0;

void expect(bool condition, const std::string& what) {
    if (!condition && failures++ == 0) {
        fmt::print(stderr, "wire_test: rank {} of {}: {}\n", rank, ranks, what);
    }
}

void begin(const std::string& what) {
    test::Watchdog::watch(fmt::format("rank {} of {}: {}", rank, ranks, what));
    test::meet(MPI_COMM_WORLD);
}

mpi::Wire::Peers everybody_else() {
    mpi::Wire::Peers peers;
    for (Rank other = 0; other < ranks; ++other) {
        if (other != rank) {
            peers.to.push_back(other);
            peers.from.push_back(other);
        }
    }
    return peers;
}

/// Files that are sockets: how many, and how many of them are not closed on exec.
std::pair<int, int> sockets() {
    int count = 0;
    int inherited = 0;
    DIR* const files = opendir("/proc/self/fd");
    while (const dirent* const entry = readdir(files)) {
        const int number = std::atoi(entry->d_name);
        int type = 0;
        socklen_t length = sizeof type;
        if (getsockopt(number, SOL_SOCKET, SO_TYPE, &type, &length) == 0 && type == SOCK_STREAM) {
            ++count;
            inherited += (fcntl(number, F_GETFD) & FD_CLOEXEC) == 0 ? 1 : 0;
        }
    }
    closedir(files);
    return {count, inherited};
}

bool open(mpi::Wire& wire, const mpi::Wire::Peers& peers) {
    bool opened = false;
    expect(wire.open(MPI_COMM_WORLD, &peers, opened) == MPI_SUCCESS, "an error of MPI");
    expect(opened == !wire.complaint(), "opened, and a complaint, or neither");
    return opened;
}

int all_to_alls = 0;

int wait_for(Pending& pending) {
    return mpi::advance_until([&] { return pending.empty(); }, [&](int& done) { return pending.test(done); });
}

/// Everybody sends to everybody, many messages of many lengths at a time.
void exchange(mpi::Wire& wire, const std::string& what) {
    const mpi::TcpTransport transport(MPI_COMM_WORLD, wire);
    const std::vector<std::size_t> lengths{0, 1, 8, 300'000, 0, 2'000'000, 17};
    std::vector<std::vector<std::byte>> sent;
    std::vector<std::vector<std::byte>> received;
    Pending pending;
    for (Rank other = 0; other < ranks; ++other) {
        for (const std::size_t bytes : lengths) {
            sent.emplace_back(bytes);
            received.emplace_back(bytes);
            test::Payload(rank, other, bytes).write(sent.back());
            if (other != rank) {
                expect(transport.receive(received.back().data(), bytes, other, Tag::data, pending) == MPI_SUCCESS,
                       what + ": cannot receive");
                expect(transport.send(sent.back().data(), bytes, other, Tag::data, pending) == MPI_SUCCESS,
                       what + ": cannot send");
            }
        }
        // Heads without a message, between messages: some of those before are still to be sent.
        transport.end_sending();
    }
    expect(wait_for(pending) == MPI_SUCCESS && transport.trouble().error == MPI_SUCCESS, what + ": trouble");
    for (Rank other = 0; other < ranks; ++other) {
        for (std::size_t index = 0; other != rank && index < lengths.size(); ++index) {
            const auto& block = received[static_cast<std::size_t>(other) * lengths.size() + index];
            expect(!test::Payload(other, rank, lengths[index]).first_wrong(block), what + ": wrong data");
        }
    }
}

void test_connections() {
    begin("connections");
    const auto [before, inherited_before] = sockets();
    const auto peers = everybody_else();
    {
        mpi::Wire wire(persistent);
        expect(open(wire, peers), "cannot be opened");
        const auto [open_now, inherited_now] = sockets();
        expect(open_now - before == 2 * (ranks - 1), "other sockets than two for each peer");
        expect(inherited_now == inherited_before, "a socket outlives exec");
        exchange(wire, "first");
        expect(open(wire, peers), "cannot be opened again");
        expect(sockets().first == open_now, "opened what was open");
        exchange(wire, "second");
        wire.close();
        expect(sockets().first == before, "sockets are left behind");
        begin("connections, once more");
        expect(open(wire, peers), "cannot be opened after it was closed");
        exchange(wire, "third");
    }
    expect(sockets().first == before, "sockets are left behind at the end");
}

/// A socket of this rank's own address of the loopback interface, as if it had a machine to itself.
int socket_at_own_address(sockaddr_in& own) {
    own = {};
    own.sin_family = AF_INET;
    own.sin_addr.s_addr = htonl(0x7f000101U + static_cast<std::uint32_t>(rank));
    const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socklen_t length = sizeof own;
    expect(bind(file, reinterpret_cast<sockaddr*>(&own), length) == 0, "cannot bind an address of the loopback");
    static_cast<void>(getsockname(file, reinterpret_cast<sockaddr*>(&own), &length));
    return file;
}

/// An MPI whose messages go through memory has no connection with another machine; then each rank has one with the
/// next, as an MPI over TCP has, and then one rank has none.
void test_connections_of_mpi() {
    begin("connections of the MPI");
    const std::size_t before = mpi::connections_to_others().size();
    const bool seen_before = mpi::mpi_uses_tcp(MPI_COMM_WORLD);
    expect(before > 0 || !seen_before, "TCP without a connection");
    sockaddr_in own{};
    const int door = socket_at_own_address(own);
    expect(listen(door, 1) == 0, "cannot listen");
    std::vector<sockaddr_in> all(static_cast<std::size_t>(ranks));
    MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, MPI_COMM_WORLD);
    const int to = socket_at_own_address(own);
    const sockaddr_in& next = all[static_cast<std::size_t>((rank + 1) % ranks)];
    expect(connect(to, reinterpret_cast<const sockaddr*>(&next), sizeof next) == 0, "cannot connect");
    const int from = accept4(door, nullptr, nullptr, SOCK_CLOEXEC);
    expect(mpi::connections_to_others().size() == before + 2, "other connections than the two that were made");
    const auto named = [&](const mpi::Connection& one) {
        mpi::SocketAddress there;
        std::memcpy(&there.bytes, &next, sizeof next);
        return mpi::are_same_address(one.there, there) && one.there.bytes.sin6_port == 0;
    };
    const auto found = mpi::connections_to_others();
    expect(std::any_of(found.begin(), found.end(), named), "no connection with the next rank's address");
    expect(mpi::mpi_uses_tcp(MPI_COMM_WORLD), "every rank has a connection, and it is not seen");
    if (rank == ranks - 1) {
        close(to);
        close(from);
    }
    const bool seen_without = mpi::mpi_uses_tcp(MPI_COMM_WORLD);
    expect(before > 0 || !seen_without, "TCP although a rank has no connection");
    if (rank != ranks - 1) {
        close(to);
        close(from);
    }
    close(door);
}

/// A rank leaves as soon as its messages are sent, while others have not read them from both connections.
void test_leaving() {
    begin("leaving");
    auto peers = everybody_else();
    peers.connections = 2;
    mpi::Wire wire(persistent);
    expect(open(wire, peers), "leaving: cannot be opened");
    constexpr std::size_t messages = 8;
    constexpr std::size_t bytes = 3000;
    std::vector<std::vector<std::byte>> blocks;
    Pending pending;
    {
        const mpi::TcpTransport transport(MPI_COMM_WORLD, wire);
        for (std::size_t index = 0; index < messages; ++index) {
            for (Rank other = 1; rank == 0 && other < ranks; ++other) {
                test::Payload(0, other, bytes).write(blocks.emplace_back(bytes));
                expect(transport.send(blocks.back().data(), bytes, other, Tag::data, pending) == MPI_SUCCESS,
                       "leaving: cannot send");
            }
        }
        expect(wait_for(pending) == MPI_SUCCESS, "leaving: trouble while sending");
        if (rank == 0) {
            wire.close();
        }
    }
    test::meet(MPI_COMM_WORLD);
    if (rank == 0) {
        return;
    }
    const mpi::TcpTransport transport(MPI_COMM_WORLD, wire);
    for (std::size_t index = 0; index < messages; ++index) {
        expect(transport.receive(blocks.emplace_back(bytes).data(), bytes, 0, Tag::data, pending) == MPI_SUCCESS,
               "leaving: cannot receive");
    }
    expect(wait_for(pending) == MPI_SUCCESS && transport.trouble().error == MPI_SUCCESS, "leaving: trouble");
    for (const std::vector<std::byte>& block : blocks) {
        expect(!test::Payload(0, rank, bytes).first_wrong(block), "leaving: wrong data");
    }
}

/// The ports of all connections that this rank has opened to others.
std::vector<std::uint16_t> ports(mpi::Wire& wire) {
    std::vector<std::uint16_t> all;
    for (Rank other = 0; other < ranks; ++other) {
        for (const std::size_t connection : {0U, 1U}) {
            all.push_back(wire.streams().port_of({other, true, connection}));
        }
    }
    return all;
}

/// Two connections for each pair, which carry messages in turns, and move to other ports and back.
void test_two_connections() {
    begin("two connections");
    const int before = sockets().first;
    auto peers = everybody_else();
    peers.connections = 2;
    mpi::Wire wire(persistent);
    expect(open(wire, peers), "two connections: cannot be opened");
    expect(sockets().first - before == 4 * (ranks - 1), "other sockets than four for each peer");
    for (int round = 0; round < 5; ++round) {
        exchange(wire, "by two connections");
        wire.streams().end_exchange(0.1, 1.03);
    }
    // Both connections of the first rank's pairs are late until they move, and that does not help.
    bool wanted = false;
    for (int round = 0; round < 80; ++round) {
        for (Rank other = 0; rank == 0 && other < ranks; ++other) {
            if (mpi::WireStream* const stream = wire.streams().to(other); stream != nullptr) {
                stream->paths().observe({0.05, 0.05}, 0.1);
            }
        }
        int mine = wire.streams().wants_moves() ? 1 : 0;
        int anybody = 0;
        MPI_Allreduce(&mine, &anybody, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        if (anybody != 0) {
            begin("moves");
            const auto ports_before = ports(wire);
            expect(wire.move(MPI_COMM_WORLD) == MPI_SUCCESS, "cannot move");
            const auto ports_now = ports(wire);
            expect((ports_now != ports_before) == (mine != 0), "other ports without a move, or a move without");
            expect(std::count(ports_now.begin(), ports_now.end(), 0) == 2, "a connection is missing after a move");
            expect(!wire.streams().wants_moves(), "a move is wanted still");
            expect(sockets().first - before == 4 * (ranks - 1), "other sockets than before a move");
            wanted = true;
            exchange(wire, "after a move");
        }
    }
    expect(wanted, "no move was made");
    expect(wire.streams().works(), "moves break connections");
}

/// A job's connections again in the next one: with the same ports where they are free, and in any case.
void test_kept() {
    begin("kept ports");
    auto peers = everybody_else();
    peers.connections = 2;
    mpi::Wire::Kept kept;
    {
        mpi::Wire wire(persistent);
        expect(open(wire, peers), "kept: cannot be opened");
        expect(wire.kept().pairs.empty(), "kept: something, before anything was learned");
        exchange(wire, "kept, before");
        for (Rank other = 0; other < ranks; ++other) {
            if (mpi::WireStream* const stream = wire.streams().to(other); stream != nullptr) {
                stream->paths().observe({0.05, 0.0}, 0.1);
            }
        }
        kept = wire.kept();
        expect(kept.pairs.size() == static_cast<std::size_t>(ranks - 1) && kept.listens != 0, "kept: not all pairs");
        expect(kept.pairs[0].share < 0.4, "kept: another share than the learned one");
        test::meet(MPI_COMM_WORLD);
        wire.close_at_once();
    }
    int again = 0;
    for (int job = 0; job < 3; ++job) {
        begin("kept ports, next job");
        mpi::Wire wire(persistent);
        wire.expect(kept);
        expect(open(wire, peers), "kept: cannot be opened with ports that are free");
        // Another program may have taken a port meanwhile.
        for (const mpi::Wire::KeptPair& pair : kept.pairs) {
            bool same = true;
            for (const std::size_t connection : {0U, 1U}) {
                const mpi::WireStreams::Way way{pair.to, true, connection};
                same = same && wire.streams().port_of(way) == pair.ports[connection] &&
                       wire.streams().port_there(way) == pair.listens;
            }
            const double share = wire.streams().to(pair.to)->paths().share();
            expect(share == (same ? pair.share : 0.5), "kept: a share of other paths, or none of the same");
            again += same ? 1 : 0;
        }
        exchange(wire, "kept, next job");
        begin("kept ports, in use by another communicator");
        mpi::Wire other(persistent);
        other.expect(kept);
        expect(open(other, peers), "kept: cannot be opened with ports that are in use");
        exchange(other, "kept, in use");
        exchange(wire, "kept, beside another one");
        test::meet(MPI_COMM_WORLD);
        wire.close_at_once();
        // Without waiting for others: then some ports are in use for a minute.
        job == 1 ? other.close() : other.close_at_once();
    }
    int anybody = 0;
    MPI_Allreduce(&again, &anybody, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(anybody > 0, "kept: no pair has its ports again in three jobs");
    begin("kept ports that others have taken");
    std::vector<int> taken;
    for (const mpi::Wire::KeptPair& pair : kept.pairs) {
        const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in any{};
        any.sin_family = AF_INET;
        any.sin_port = htons(pair.ports[0]);
        static_cast<void>(bind(file, reinterpret_cast<sockaddr*>(&any), sizeof any));
        static_cast<void>(listen(file, 1));
        taken.push_back(file);
    }
    test::meet(MPI_COMM_WORLD);
    {
        mpi::Wire wire(persistent);
        wire.expect(kept);
        expect(open(wire, peers), "kept: cannot be opened with ports that others have");
        for (Rank other = 0; other < ranks; ++other) {
            const mpi::WireStream* const stream = wire.streams().to(other);
            expect(stream == nullptr || stream->has_choice(), "kept: a pair lacks a connection");
        }
        exchange(wire, "kept, taken");
    }
    for (const int file : taken) {
        close(file);
    }
    // Whatever a file says.
    for (unsigned seed = 0; seed < 10; ++seed) {
        begin(fmt::format("kept ports of a hostile file, seed {}", seed));
        std::mt19937 random(seed * 100 + static_cast<unsigned>(rank));
        mpi::Wire::Kept hostile = kept;
        hostile.listens = static_cast<std::uint16_t>(random());
        for (int extra = 0; extra < 5; ++extra) {
            hostile.pairs.push_back({static_cast<Rank>(random()), 22, {80, 443}, 7});
        }
        for (mpi::Wire::KeptPair& pair : hostile.pairs) {
            pair.to = random() % 2 == 0 ? pair.to : static_cast<Rank>(random() % 8) - 1;
            pair.listens = static_cast<std::uint16_t>(random());
            pair.ports[random() % 2] = static_cast<std::uint16_t>(random() % 3 == 0 ? kept.listens : random());
            pair.share = random() % 2 == 0 ? -1e9 : mpi::now_seconds();
        }
        mpi::Wire wire(persistent);
        wire.expect(hostile);
        expect(open(wire, peers), fmt::format("kept: a hostile file, seed {}, keeps connections away", seed));
        exchange(wire, "kept, hostile");
        test::meet(MPI_COMM_WORLD);
        wire.close_at_once();
    }
}

/// The last rank lacks something: all are told of it alike, and nothing is left open.
void test_fault(const std::string& what, const mpi::Wire::Faults& fault, const std::string& words) {
    begin(what);
    const int before = sockets().first;
    mpi::Wire::Faults mine = rank == ranks - 1 ? fault : mpi::Wire::Faults();
    mine.patience_seconds = fault.patience_seconds;
    mine.tries_again = true;
    mpi::Wire wire(mine);
    expect(!open(wire, everybody_else()), what + ": opened nevertheless");
    const std::string said = wire.complaint() ? wire.complaint()->problem : "nothing";
    expect(said.find(words) != std::string::npos, fmt::format("{}: says {}", what, said));
    expect(sockets().first == before, what + ": leaves sockets open");
    expect(!wire.complaint() || said.find('\n') == std::string::npos, what + ": more than a line");
}

/// Seconds are not lost on every communicator of a program.
void test_second_attempt() {
    begin("a second attempt");
    mpi::Wire wire;
    const double before = mpi::now_seconds();
    expect(!open(wire, everybody_else()), "tried again");
    expect(wire.complaint() && wire.complaint()->problem == "connections could not be opened before",
           "another complaint than that it failed before");
    expect(mpi::now_seconds() - before < persistent.patience_seconds, "took as long as a first attempt");
}

void test_no_memory_for_peers() {
    begin("a rank without memory");
    mpi::Wire wire(persistent);
    const auto peers = everybody_else();
    bool opened = true;
    expect(wire.open(MPI_COMM_WORLD, rank == 0 ? nullptr : &peers, opened) == MPI_SUCCESS && !opened,
           "opened although a rank has no memory");
    expect(wire.complaint().has_value(), "a rank without memory: no complaint");
    expect(open(wire, peers), "cannot be opened when there is memory");
    exchange(wire, "after a rank had no memory");
}

/// So few files that not all connections can be had, so few that no socket can, and enough if the program, or its MPI,
/// had not opened most of them.
void test_few_files() {
    enum class Few { half, none, taken };
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    for (const Few kind : {Few::half, Few::none, Few::taken}) {
        begin("few files");
        const int next = dup(0);
        close(next);
        const bool none = kind == Few::none;
        const int connections = 2 * (ranks - 1);
        std::vector<int> taken;
        rlimit few = files;
        few.rlim_cur = none ? static_cast<rlim_t>(next) : static_cast<rlim_t>(2 * (connections - 1));
        if (kind == Few::taken) {
            few.rlim_cur = static_cast<rlim_t>(next + 2 * connections + 200);
            for (int file = 0; file < 200; ++file) {
                taken.push_back(dup(0));
            }
        }
        {
            // Where two connections are too many, one will do.
            auto two = everybody_else();
            two.connections = 2;
            mpi::Wire wire(persistent);
            rlimit some = files;
            some.rlim_cur = static_cast<rlim_t>(std::max(next + 64 + connections + 2, 2 * connections + 2));
            if (kind == Few::half && static_cast<int>(some.rlim_cur) < next + 64 + 2 * connections) {
                if (rank == 0) {
                    setrlimit(RLIMIT_NOFILE, &some);
                }
                const bool opened = open(wire, two);
                setrlimit(RLIMIT_NOFILE, &files);
                expect(opened && wire.connections() == 1, "two connections, or none, where there are files for one");
                exchange(wire, "with files for one connection");
            }
        }
        if (rank == 0) {
            setrlimit(RLIMIT_NOFILE, &few);
        }
        mpi::Wire wire(persistent);
        const bool opened = open(wire, everybody_else());
        setrlimit(RLIMIT_NOFILE, &files);
        for (const int file : taken) {
            close(file);
        }
        expect(!opened, none            ? "opened without a file"
                        : taken.empty() ? "opened more than half of the files"
                                        : "opened what leaves few files");
        begin("enough files");
        wire.close();
        expect(open(wire, everybody_else()), "cannot be opened when there are files");
        exchange(wire, "after files were few");
    }
}

/// A rank ends its connections in the middle: who waits for it hears of an error, and nobody waits for good.
void test_broken() {
    begin("a broken connection");
    mpi::Wire wire(persistent);
    expect(open(wire, everybody_else()), "cannot be opened");
    test::meet(MPI_COMM_WORLD);
    if (rank == 0) {
        wire.close();
    }
    test::meet(MPI_COMM_WORLD);
    if (rank != 0) {
        const mpi::TcpTransport transport(MPI_COMM_WORLD, wire);
        std::vector<std::byte> block(10'000'000);
        std::vector<std::byte> other_block(10'000'000);
        Pending pending;
        expect(transport.receive(block.data(), block.size(), 0, Tag::data, pending) == MPI_SUCCESS, "receive");
        expect(transport.send(other_block.data(), other_block.size(), 0, Tag::data, pending) == MPI_SUCCESS, "send");
        expect(wait_for(pending) == MPI_SUCCESS && transport.trouble().error == MPI_ERR_OTHER,
               "a broken connection is no trouble");
        expect(!transport.works(), "a broken connection works");
    }
    expect(!open(wire, everybody_else()), "opened although one is broken");
    begin("after a broken connection");
    wire.close();
    expect(open(wire, everybody_else()), "cannot be opened anew");
    exchange(wire, "anew");
}

/// Messages that are not as long as expected, of a rank that has nothing to say, and what is taken back.
void test_lengths() {
    begin("lengths");
    mpi::Wire wire(persistent);
    expect(open(wire, everybody_else()), "cannot be opened");
    const mpi::TcpTransport transport(MPI_COMM_WORLD, wire);
    const Rank next = (rank + 1) % ranks;
    const Rank previous = (rank + ranks - 1) % ranks;
    for (const auto& [sent, expected, mute] : {std::tuple(100'000, 5, false), std::tuple(5, 100'000, false),
                                               std::tuple(70'000, 70'000, true), std::tuple(3, 3, false)}) {
        transport.trouble() = {mute ? MPI_ERR_NO_MEM : MPI_SUCCESS, mute && rank == 0};
        if (!(mute && rank == 0)) {
            transport.trouble().error = MPI_SUCCESS;
        }
        std::vector<std::byte> out(static_cast<std::size_t>(sent));
        std::vector<std::byte> in(static_cast<std::size_t>(expected) + 1, std::byte{7});
        test::Payload(rank, next, 1).write(out);
        Pending pending;
        expect(transport.receive(in.data(), in.size() - 1, previous, Tag::data, pending) == MPI_SUCCESS, "receive");
        expect(transport.send(out.data(), out.size(), next, Tag::data, pending) == MPI_SUCCESS, "send");
        expect(wait_for(pending) == MPI_SUCCESS, "wait");
        const bool from_mute = mute && previous == 0;
        const int error = mute && rank == 0               ? MPI_ERR_NO_MEM
                          : sent != expected || from_mute ? MPI_ERR_TRUNCATE
                                                          : MPI_SUCCESS;
        expect(transport.trouble().error == error, fmt::format("{} for {} bytes: another error", sent, expected));
        expect(in.back() == std::byte{7}, "more than fits");
    }
    {
        std::vector<std::byte> in(10);
        Pending pending;
        expect(transport.receive(in.data(), in.size(), previous, Tag::data, pending) == MPI_SUCCESS, "receive");
        pending.give_up();
    }
    expect(transport.works(), "what has not begun cannot be taken back");
    test::meet(MPI_COMM_WORLD);
    exchange(wire, "after a message was taken back");
}

/// A child of this process has none of the connections, and what it does leaves them alone.
void test_fork() {
    begin("a forked child");
    mpi::Wire wire(persistent);
    expect(open(wire, everybody_else()), "cannot be opened");
    const int before = sockets().first;
    const pid_t child = fork();
    if (child == 0) {
        const bool closed = sockets().first == before - 2 * (ranks - 1);
        const bool unused = !wire.streams().works();
        wire.close();
        _exit(closed && unused ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    expect(status == 0, "a forked child has our connections");
    exchange(wire, "after a fork");
}

/// Whose messages go by the wire.
void test_peers() {
    test::TreeBuilder tree;
    const int root = tree.add_switch(-1, 1e9);
    for (int machine = 0; machine < (ranks + 1) / 2; ++machine) {
        tree.add_machine(root, 2, 1e9);
    }
    const Network network = tree.build();
    Placement placement;
    for (Rank other = 0; other < ranks; ++other) {
        placement.machine_of.push_back(other / 2);
    }
    Plan plan;
    plan.rank = rank;
    plan.participants = ranks;
    for (Rank other = ranks; other-- > 0;) {
        if (other != rank) {
            plan.sends.push_back({0, rank, other});
            plan.receives.push_back({0, other, rank});
        }
    }
    const auto peers = mpi::Wire::peers_of(plan, network, placement);
    std::vector<Rank> expected;
    for (Rank other = 0; other < ranks; ++other) {
        if (other / 2 != rank / 2) {
            expected.push_back(other);
        }
    }
    expect(peers.to == expected && peers.from == expected, "other peers than those on other machines");
}

/// A preloaded interposer has all names of an all-to-all, so one of ours would be answered by itself.
void test_no_all_to_all() {
    begin("no all-to-all");
    expect(all_to_alls == 0, "the wire calls an all-to-all");
}

int test_all(int /*argc*/, char** /*argv*/) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    test_peers();
    test_connections();
    test_connections_of_mpi();
    test_two_connections();
    test_kept();
    test_leaving();
    test_no_all_to_all();
    constexpr double short_patience = 1;
    test_fault("no file", {.no_files = true}, "cannot listen");
    test_fault("a refused connection", {.refuses = true, .patience_seconds = short_patience}, "");
    test_fault("another token", {.knows_no_token = true, .patience_seconds = short_patience}, "");
    test_second_attempt();
    test_no_memory_for_peers();
    test_few_files();
    test_lengths();
    test_broken();
    test_fork();
    return test::status_of_all(failures);
}

}  // namespace

/// In place of the MPI's.
extern "C" int PMPI_Alltoall(const void* /*send*/, int /*send_count*/, MPI_Datatype /*send_type*/, void* /*receive*/,
                             int /*receive_count*/, MPI_Datatype /*receive_type*/, MPI_Comm /*comm*/) {
    ++all_to_alls;
    return MPI_ERR_OTHER;
}

int main(int argc, char** argv) { return aapc::test::run_in_world("wire_test", argc, argv, test_all); }
