#include "aapc/mpi/wire.hpp"

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>

#include "aapc/mpi/agreement.hpp"
#include "input/descriptor.hpp"
#include "mpi/complaints.hpp"
#include "mpi/connections_of_mpi.hpp"
#include "mpi/gather_lists.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/own_address.hpp"
#include "mpi/ranks.hpp"
#include "mpi/rest.hpp"
#include "mpi/wire_streams.hpp"

namespace aapc::mpi {

namespace {

std::string text_of(int error) { return std::generic_category().message(error); }

Descriptor open_socket(int family) {
    return Descriptor(socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
}

/// Sends segments at once instead of waiting for a full packet, and keeps idle connections alive in firewalls.
void prepare(int socket) {
    const int yes = 1;
    const int idle_seconds = 60;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle_seconds, sizeof idle_seconds);
}

/// A failed attempt takes seconds, and a program may make many communicators, so there is one per process.
std::atomic<bool> failed_before = false;

/// The switch that a machine is plugged into. O(links).
std::vector<Vertex> switches_of(const Network& network) {
    std::vector<Vertex> above(network.vertices().size(), -1);
    for (const Link& link : network.links()) {
        above[static_cast<std::size_t>(link.lower)] = link.upper;
        if (!network.vertices()[static_cast<std::size_t>(link.upper)].is_switch) {
            above[static_cast<std::size_t>(link.upper)] = link.lower;
        }
    }
    return above;
}

}  // namespace

Wire::Peers Wire::peers_of(const Plan& plan, const Network& network, const Placement& placement) {
    const bool hashed = network.has_hashed_paths();
    const std::vector<Vertex> switches = hashed ? switches_of(network) : std::vector<Vertex>();
    const auto place_of = [&](Rank rank) {
        const Machine machine = placement.machine_of[static_cast<std::size_t>(rank)];
        return hashed ? switches[static_cast<std::size_t>(network.machines()[static_cast<std::size_t>(machine)].vertex)]
                      : machine;
    };
    const auto own = place_of(plan.rank);
    const auto others = [&](const std::vector<Transfer>& transfers, Rank Transfer::*peer) {
        std::vector<Rank> ranks;
        for (const Transfer& transfer : transfers) {
            if (place_of(transfer.*peer) != own) {
                ranks.push_back(transfer.*peer);
            }
        }
        std::sort(ranks.begin(), ranks.end());
        ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
        return ranks;
    };
    return {others(plan.sends, &Transfer::to), others(plan.receives, &Transfer::from), hashed ? 2 : 1};
}

/// One rank's part in one open().
class Wire::Opening {
  public:
    using Way = WireStreams::Way;

    explicit Opening(Wire& wire) : wire_(wire) {}
    Opening(const Opening&) = delete;
    Opening& operator=(const Opening&) = delete;
    ~Opening() {
        callers_.clear();
        guests_.clear();
        WireStreams::give_back_sockets(reserved_);
    }

    /// Finds missing connections, and takes memory and files for them. Local. False if that fails. Throws
    /// std::bad_alloc.
    bool prepare(MPI_Comm comm, const Peers& peers);
    /// The same for connections that are known to be missing; there is no limit of files, since others were closed.
    bool prepare(MPI_Comm comm, std::vector<Way> to, std::vector<Way> from, const std::vector<std::uint16_t>& ports);
    [[nodiscard]] std::int64_t missing() const {
        return static_cast<std::int64_t>(missing_to_.size() + missing_from_.size());
    }
    /// One connection for each pair is to be enough, since some rank has no files for more.
    void want_single();
    [[nodiscard]] bool is_single() const { return is_single_; }
    /// Publishes addresses and tokens. Collective; returns an MPI error code.
    [[nodiscard]] int exchange_addresses(MPI_Comm comm);
    /// Connects and accepts until no connection is missing, or time is up.
    void meet(MPI_Comm comm);
    /// Hands the new connections to the streams, or closes them.
    void keep();
    void undo();

    [[nodiscard]] const std::optional<Diagnostic>& complaint() const { return complaint_; }

  private:
    using Token = std::array<std::byte, 16>;

    /// The first bytes of a connection.
    struct Hello {
        Token token;
        std::int32_t rank;
        std::uint32_t connection;
    };

    /// Known to the ranks of this communicator only: the connecting rank sends one and receives the other.
    struct Tokens {
        Token asks;
        Token answers;
    };

    /// A connection that this rank opens.
    struct Caller {
        enum class State : std::uint8_t { connecting, waiting, through, failed };
        Way way;
        std::uint16_t port = 0;  ///< its own; 0 if the system chooses
        Descriptor socket;
        State state = State::failed;
        Token answer{};
        std::size_t answered = 0;  ///< bytes of it
    };
    /// A connection that was accepted.
    struct Guest {
        Descriptor socket;
        Hello hello{};
        std::size_t said = 0;  ///< bytes of it
        bool is_in = false;
    };

    template <class Words>
    void complain(Words words) {
        if (!complaint_) {
            static_cast<void>(have_memory_for([&] { complaint_ = Diagnostic{.problem = words()}; }));
        }
        if (!complaint_) {
            complaint_ = Diagnostic{.problem = no_memory};  // takes none
        }
    }
    /// In a time that does not depend on the first difference.
    static bool are_equal(const Token& left, const Token& right) {
        std::byte difference{0};
        for (std::size_t index = 0; index < left.size(); ++index) {
            difference |= left[index] ^ right[index];
        }
        return difference == std::byte{0};
    }
    bool make_room(std::size_t ranks);
    bool listen();
    void call(Caller& caller);
    void go_on(Caller& caller);
    void say_hello(Caller& caller);
    void hear_answer(Caller& caller);
    void fail(Caller& caller, int error);
    void let_in();
    void hear(Guest& guest);
    [[nodiscard]] bool all_settled() const;
    [[nodiscard]] const SocketAddress& address_of(Rank rank) const {
        return addresses_[static_cast<std::size_t>(rank)];
    }

    [[nodiscard]] std::string named(Rank rank) const {
        return "rank " + std::to_string(rank) + " at " + to_string(address_of(rank));
    }

    /// At most this many connections from strangers are open at a time.
    static constexpr std::size_t strangers = 16;

    Wire& wire_;
    std::optional<Diagnostic> complaint_;
    std::vector<Way> missing_to_;
    std::vector<Way> missing_from_;
    Rank rank_ = 0;
    SocketAddress own_;
    std::vector<SocketAddress> addresses_;
    Tokens tokens_{};
    Descriptor door_;
    std::vector<Caller> callers_;
    std::vector<Guest> guests_;
    std::vector<bool> has_come_;  ///< of missing_from_
    std::size_t missing_guests_ = 0;
    std::vector<pollfd> polled_;
    std::size_t reserved_ = 0;
    bool is_single_ = false;
};

bool Wire::Opening::prepare(MPI_Comm comm, const Peers& peers) {
    const auto ranks = static_cast<std::size_t>(ranks_in(comm));
    rank_ = rank_in(comm);
    if (!wire_.streams_) {
        wire_.port_ = wire_.expected_.listens;
        wire_.streams_ = std::make_unique<WireStreams>(ranks);
    }
    const WireStreams& streams = *wire_.streams_;
    if (failed_before && !wire_.faults_.tries_again) {
        complain([] { return "connections could not be opened before"; });
        return false;
    }
    if (!streams.works()) {
        complain([] { return "a connection of ours has broken, or there is no file for more"; });
        return false;
    }
    for (const auto& [ranks_there, sends] : {std::pair(&peers.to, true), std::pair(&peers.from, false)}) {
        for (const Rank rank : *ranks_there) {
            for (std::size_t connection = 0; connection < static_cast<std::size_t>(peers.connections); ++connection) {
                if (const Way way{rank, sends, connection}; !streams.has(way)) {
                    (sends ? missing_to_ : missing_from_).push_back(way);
                }
            }
        }
    }
    if (missing() == 0) {
        return true;
    }
    auto wanted = static_cast<std::size_t>(missing());
    bool reserved = WireStreams::reserve_sockets(wanted);
    if (!reserved && peers.connections > 1) {
        want_single();
        wanted = static_cast<std::size_t>(missing());
        reserved = WireStreams::reserve_sockets(wanted);
    }
    if (!reserved) {
        complain([&] {
            return std::to_string(wanted) +
                   " connections more take more than half of the files that a process may have open, or leave fewer "
                   "than 64 of them";
        });
        return false;
    }
    reserved_ = wanted;
    const bool is_open = make_room(ranks);
    for (std::size_t index = 0; peers.connections > 1 && index < callers_.size(); ++index) {
        const Way& way = missing_to_[index];
        const KeptPair* const pair = wire_.expected_of(way.rank);
        callers_[index].port = pair == nullptr ? std::uint16_t{0} : pair->ports[way.connection];
    }
    return is_open;
}

bool Wire::Opening::prepare(MPI_Comm comm, std::vector<Way> to, std::vector<Way> from,
                            const std::vector<std::uint16_t>& ports) {
    rank_ = rank_in(comm);
    missing_to_ = std::move(to);
    missing_from_ = std::move(from);
    if (!WireStreams::reserve_sockets(static_cast<std::size_t>(missing()))) {
        complain([] { return "there is no file for another connection"; });
        return false;
    }
    reserved_ = static_cast<std::size_t>(missing());
    const bool is_open = make_room(static_cast<std::size_t>(ranks_in(comm)));
    for (std::size_t index = 0; index < callers_.size(); ++index) {
        callers_[index].port = ports[index];
    }
    return is_open;
}

void Wire::Opening::want_single() {
    is_single_ = true;
    const auto is_second = [](const Way& way) { return way.connection > 0; };
    std::erase_if(missing_to_, is_second);
    std::erase_if(missing_from_, is_second);
    missing_guests_ = missing_from_.size();
    has_come_.resize(missing_from_.size());
    callers_.resize(missing_to_.size());
    if (reserved_ > 0) {
        const auto wanted = static_cast<std::size_t>(missing());
        WireStreams::give_back_sockets(reserved_ - wanted);
        reserved_ = wanted;
    }
}

bool Wire::Opening::make_room(std::size_t ranks) {
    missing_guests_ = missing_from_.size();
    addresses_.resize(ranks);
    has_come_.resize(missing_from_.size());
    callers_.resize(missing_to_.size());
    guests_.reserve(missing_from_.size() + strangers);
    polled_.reserve(callers_.size() + guests_.capacity() + 1);
    return listen();
}

bool Wire::Opening::listen() {
    const auto in_use = address_in_use();
    const auto own = in_use ? in_use : own_address();
    own_ = own.value_or(SocketAddress());
    door_ = own && !wire_.faults_.no_files ? open_socket(own->family()) : Descriptor();
    // The same port as before, if it can be had: paths depend on it.
    const int yes = 1;
    setsockopt(door_.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    own_.bytes.sin6_port = htons(wire_.port_);  // IPv4 has it at the same place
    if (wire_.port_ != 0 && bind(door_.number(), own_.get(), own_.length) != 0) {
        wire_.port_ = 0;
    }
    const bool is_bound = wire_.port_ != 0;
    own_.bytes.sin6_port = 0;
    const bool is_open = door_.is_open() && (is_bound || bind(door_.number(), own_.get(), own_.length) == 0) &&
                         ::listen(door_.number(), SOMAXCONN) == 0 &&
                         getsockname(door_.number(), own_.get(), &own_.length) == 0;
    wire_.port_ = is_open ? ntohs(own_.bytes.sin6_port) : std::uint16_t{0};
    if (!is_open) {
        const int error = wire_.faults_.no_files ? EMFILE : errno;
        complain([&] {
            return own ? "cannot listen for connections: " + text_of(error)
                       : std::string("this machine says no address of its own");
        });
    }
    if (wire_.faults_.refuses) {
        door_.close();
    }
    return is_open;
}

int Wire::Opening::exchange_addresses(MPI_Comm comm) {
    if (rank_ == 0 && getrandom(&tokens_, sizeof tokens_, 0) != static_cast<ssize_t>(sizeof tokens_)) {
        complain([] { return "the system has no random numbers"; });
    }
    int error = PMPI_Bcast(&tokens_, sizeof tokens_, MPI_BYTE, 0, comm);
    if (error == MPI_SUCCESS) {
        error = PMPI_Allgather(&own_, sizeof own_, MPI_BYTE, addresses_.data(), sizeof own_, MPI_BYTE, comm);
    }
    return error;
}

void Wire::Opening::meet(MPI_Comm comm) {
    for (std::size_t index = 0; index < callers_.size(); ++index) {
        callers_[index].way = missing_to_[index];
        call(callers_[index]);
    }
    const double until = now_seconds() + wire_.faults_.patience_seconds;
    // A firewall, or a connection of another job's, may stand in the way of a port that it should have again.
    const double other_ports_from = now_seconds() + wire_.faults_.patience_seconds / 5;
    while (!all_settled() && now_seconds() < until) {
        const bool takes_long = now_seconds() > other_ports_from;
        polled_.clear();
        polled_.push_back({door_.number(), POLLIN, 0});
        for (const Caller& caller : callers_) {
            const bool open = caller.state == Caller::State::connecting || caller.state == Caller::State::waiting;
            const auto events = static_cast<short>(caller.state == Caller::State::connecting ? POLLOUT : POLLIN);
            polled_.push_back({open ? caller.socket.number() : -1, events, 0});
        }
        const std::size_t guests = guests_.size();
        for (const Guest& guest : guests_) {
            polled_.push_back({guest.is_in ? -1 : guest.socket.number(), POLLIN, 0});
        }
        constexpr int milliseconds = 1;
        if (poll(polled_.data(), polled_.size(), milliseconds) > 0) {
            for (std::size_t index = 0; index < callers_.size(); ++index) {
                if (polled_[1 + index].revents != 0) {
                    go_on(callers_[index]);
                }
            }
            for (std::size_t index = 0; index < guests; ++index) {
                if (polled_[1 + callers_.size() + index].revents != 0) {
                    hear(guests_[index]);
                }
            }
            std::erase_if(guests_, [](const Guest& guest) { return !guest.socket.is_open(); });
            if (polled_[0].revents != 0) {
                let_in();
            }
        }
        for (Caller& caller : callers_) {
            if (takes_long && caller.port != 0 && caller.state == Caller::State::connecting) {
                fail(caller, ETIMEDOUT);
            }
        }
        // Other ranks may still be in exchange_addresses(), and depend on progress of this rank's MPI.
        int found = 0;
        PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, MPI_STATUS_IGNORE);
    }
    door_.close();
    for (const Caller& caller : callers_) {
        if (caller.state != Caller::State::through) {
            complain([&] { return named(caller.way.rank) + " does not answer"; });
        }
    }
    if (missing_guests_ > 0) {
        complain([&] {
            const auto first = std::find(has_come_.begin(), has_come_.end(), false);
            const Way& way = missing_from_[static_cast<std::size_t>(first - has_come_.begin())];
            return "rank " + std::to_string(way.rank) + " does not come to " + to_string(own_);
        });
    }
}

bool Wire::Opening::all_settled() const {
    return missing_guests_ == 0 && std::all_of(callers_.begin(), callers_.end(), [](const Caller& caller) {
               return caller.state == Caller::State::through || caller.state == Caller::State::failed;
           });
}

/// Binds to the same address as for listening: a machine with several would choose any.
void Wire::Opening::call(Caller& caller) {
    const SocketAddress& there = address_of(caller.way.rank);
    caller.socket = open_socket(there.family());
    if (!caller.socket.is_open()) {
        fail(caller, errno);
        return;
    }
    const int socket = caller.socket.number();
    mpi::prepare(socket);
    const int yes = 1;
    setsockopt(socket, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &yes, sizeof yes);
    SocketAddress from = own_;
    from.bytes.sin6_port = htons(caller.port);
    if (caller.port != 0) {
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    }
    if (from.family() == there.family() && from.length > 0 && bind(socket, from.get(), from.length) != 0) {
        fail(caller, errno);
        return;
    }
    caller.state = Caller::State::connecting;
    if (connect(socket, there.get(), there.length) == 0) {
        say_hello(caller);
    } else if (errno != EINPROGRESS) {
        fail(caller, errno);
    }
}

void Wire::Opening::go_on(Caller& caller) {
    if (caller.state == Caller::State::waiting) {
        hear_answer(caller);
        return;
    }
    int error = 0;
    socklen_t length = sizeof error;
    getsockopt(caller.socket.number(), SOL_SOCKET, SO_ERROR, &error, &length);
    if (error != 0) {
        fail(caller, error);
    } else {
        say_hello(caller);
    }
}

void Wire::Opening::say_hello(Caller& caller) {
    Hello hello{tokens_.asks, rank_, static_cast<std::uint32_t>(caller.way.connection)};
    if (wire_.faults_.knows_no_token) {
        hello.token.fill(std::byte{0});
    }
    // The buffer of a new connection has room for it.
    if (send(caller.socket.number(), &hello, sizeof hello, MSG_NOSIGNAL) != static_cast<ssize_t>(sizeof hello)) {
        fail(caller, errno);
        return;
    }
    caller.state = Caller::State::waiting;
}

void Wire::Opening::hear_answer(Caller& caller) {
    const ssize_t heard =
        recv(caller.socket.number(), caller.answer.data() + caller.answered, caller.answer.size() - caller.answered, 0);
    if (heard < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (heard <= 0) {
        fail(caller, heard == 0 ? ECONNRESET : errno);
        return;
    }
    caller.answered += static_cast<std::size_t>(heard);
    if (caller.answered == caller.answer.size()) {
        if (are_equal(caller.answer, tokens_.answers)) {
            caller.state = Caller::State::through;
        } else {
            fail(caller, EPROTO);
        }
    }
}

void Wire::Opening::fail(Caller& caller, int error) {
    if (caller.port != 0) {
        // The port that it should have again is in use: any other will do.
        caller.port = 0;
        caller.answered = 0;
        call(caller);
        return;
    }
    caller.state = Caller::State::failed;
    caller.socket.close();
    complain([&] { return "cannot connect with " + named(caller.way.rank) + ": " + text_of(error); });
}

/// Accepts all pending connections. The oldest one without a valid token makes room for a new one.
void Wire::Opening::let_in() {
    while (true) {
        Descriptor socket(accept4(door_.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (!socket.is_open()) {
            return;
        }
        if (guests_.size() == guests_.capacity()) {
            const auto first =
                std::find_if(guests_.begin(), guests_.end(), [](const Guest& guest) { return !guest.is_in; });
            if (first == guests_.end()) {
                return;
            }
            guests_.erase(first);
        }
        mpi::prepare(socket.number());
        guests_.emplace_back().socket = std::move(socket);
    }
}

void Wire::Opening::hear(Guest& guest) {
    const ssize_t heard = recv(guest.socket.number(), reinterpret_cast<std::byte*>(&guest.hello) + guest.said,
                               sizeof guest.hello - guest.said, 0);
    if (heard < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    guest.said += static_cast<std::size_t>(std::max<ssize_t>(heard, 0));
    if (heard > 0 && guest.said < sizeof guest.hello) {
        return;
    }
    const Way way{guest.hello.rank, false, guest.hello.connection};
    const auto expected = std::find(missing_from_.begin(), missing_from_.end(), way);
    const auto place = static_cast<std::size_t>(expected - missing_from_.begin());
    const bool is_welcome = heard > 0 && are_equal(guest.hello.token, tokens_.asks) &&
                            expected != missing_from_.end() && !has_come_[place] &&
                            send(guest.socket.number(), tokens_.answers.data(), tokens_.answers.size(), MSG_NOSIGNAL) ==
                                static_cast<ssize_t>(tokens_.answers.size());
    if (!is_welcome) {
        guest.socket.close();
        return;
    }
    guest.is_in = true;
    has_come_[place] = true;
    --missing_guests_;
}

void Wire::Opening::keep() {
    const bool kept = have_memory_for([&] {
        const auto keep_one = [&](const Way& way, Descriptor& socket) {
            // The sockets that were set aside are the streams' then.
            reserved_ -= wire_.streams_->keep(way, std::move(socket)) ? 1 : 0;
        };
        for (Caller& caller : callers_) {
            keep_one(caller.way, caller.socket);
        }
        for (Guest& guest : guests_) {
            if (guest.is_in) {
                keep_one({guest.hello.rank, false, guest.hello.connection}, guest.socket);
            }
        }
    });
    if (!kept || reserved_ > 0) {
        complain([] { return "there is no memory to watch connections"; });
    }
}

void Wire::Opening::undo() {
    WireStreams& streams = *wire_.streams_;
    std::for_each(missing_to_.begin(), missing_to_.end(), [&](const Way& way) { streams.drop(way); });
    std::for_each(missing_from_.begin(), missing_from_.end(), [&](const Way& way) { streams.drop(way); });
}

Wire::Wire() = default;
Wire::Wire(const Faults& faults) : faults_(faults) {}
Wire::~Wire() = default;

void Wire::close() {
    streams_.reset();
    port_ = 0;
}

void Wire::close_at_once() {
    if (streams_ && streams_->works()) {
        streams_->drop_all();
    }
    close();
}

namespace {

/// The ports that the system chooses from, less those that the administrator has reserved; all others may be those of
/// services. Empty if the system does not say.
class ChosenPorts {
  public:
    ChosenPorts() {
        std::ifstream range("/proc/sys/net/ipv4/ip_local_port_range");
        int first = 0;
        int last = -1;
        if (!(range >> first >> last)) {
            return;
        }
        first_ = first;
        last_ = last;
        std::ifstream file("/proc/sys/net/ipv4/ip_local_reserved_ports");
        // As in "8080,9148-9150".
        int port = 0;
        while (file >> port) {
            int until = port;
            if (file.peek() == '-') {
                file.get();
                file >> until;
            }
            reserved_.emplace_back(port, until);
            if (file.peek() == ',') {
                file.get();
            }
        }
    }
    [[nodiscard]] bool contains(std::uint16_t port) const {
        return port != 0 && port >= first_ && port <= last_ &&
               std::none_of(reserved_.begin(), reserved_.end(),
                            [&](const auto& range) { return port >= range.first && port <= range.second; });
    }

  private:
    int first_ = 0;
    int last_ = -1;
    std::vector<std::pair<int, int>> reserved_;
};

}  // namespace

void Wire::expect(Kept kept) {
    const ChosenPorts chosen;
    if (!chosen.contains(kept.listens)) {
        kept.listens = 0;
    }
    std::erase_if(kept.pairs, [&](const KeptPair& pair) {
        return !chosen.contains(pair.ports[0]) || !chosen.contains(pair.ports[1]) || pair.ports[0] == pair.ports[1];
    });
    std::stable_sort(kept.pairs.begin(), kept.pairs.end(),
                     [](const KeptPair& left, const KeptPair& right) { return left.to < right.to; });
    expected_ = std::move(kept);
}

const Wire::KeptPair* Wire::expected_of(Rank rank) const {
    const auto found = std::lower_bound(expected_.pairs.begin(), expected_.pairs.end(), rank,
                                        [](const KeptPair& pair, Rank wanted) { return pair.to < wanted; });
    return found == expected_.pairs.end() || found->to != rank ? nullptr : &*found;
}

void Wire::resume() {
    for (const KeptPair& pair : expected_.pairs) {
        const bool is_rank = pair.to >= 0 && static_cast<std::size_t>(pair.to) < streams_->ranks();
        WireStream* const stream = is_rank ? streams_->to(pair.to) : nullptr;
        if (stream == nullptr || !stream->has_choice()) {
            continue;
        }
        bool same = true;
        for (std::size_t connection = 0; connection < PairPaths::connections; ++connection) {
            const WireStreams::Way way{pair.to, true, connection};
            same =
                same && streams_->port_of(way) == pair.ports[connection] && streams_->port_there(way) == pair.listens;
        }
        if (same) {
            stream->paths().resume(pair.share);
        }
    }
    expected_ = {};
}

Wire::Kept Wire::kept() const {
    Kept all;
    if (!streams_ || !streams_->works()) {
        return all;
    }
    all.listens = port_;
    for (std::size_t peer = 0; peer < streams_->ranks(); ++peer) {
        const auto rank = static_cast<Rank>(peer);
        const WireStream* const stream = streams_->to(rank);
        if (stream == nullptr || !stream->has_choice() || !stream->paths().late(0)) {
            continue;
        }
        const WireStreams::Way first{rank, true, 0};
        const WireStreams::Way second{rank, true, 1};
        if (streams_->port_there(first) == streams_->port_there(second)) {
            all.pairs.push_back({rank,
                                 streams_->port_there(first),
                                 {streams_->port_of(first), streams_->port_of(second)},
                                 stream->paths().share()});
        }
    }
    return all;
}

Wire::LearnedPaths Wire::learned_paths() const {
    LearnedPaths learned;
    if (!streams_) {
        return learned;
    }
    learned.over_bound = streams_->over_bound();
    for (std::size_t peer = 0; peer < streams_->ranks(); ++peer) {
        const auto rank = static_cast<Rank>(peer);
        const WireStream* const stream = streams_->to(rank);
        if (stream == nullptr || !stream->has_choice()) {
            continue;
        }
        for (std::size_t connection = 0; connection < PairPaths::connections; ++connection) {
            if (const auto late = stream->paths().late(connection)) {
                const double first = stream->paths().share();
                learned.paths.push_back(
                    {rank, streams_->port_of({rank, true, connection}), connection == 0 ? first : 1 - first, *late});
            }
        }
    }
    return learned;
}

int Wire::open(MPI_Comm comm, const Peers* peers, bool& opened) {
    opened = false;
    complaint_.reset();
    Opening opening(*this);
    bool able = false;
    static_cast<void>(peers != nullptr && have_memory_for([&] { able = opening.prepare(comm, *peers); }));
    const std::array<std::int64_t, 2> needs = {able ? opening.missing() : 0, able && opening.is_single() ? 1 : 0};
    const Agreed agreed = Agreement().agree(comm, {.agrees = able, .maxima = needs});
    if (agreed.error != MPI_SUCCESS) {
        return agreed.error;
    }
    const Diagnostic no_memory_for_it{.problem = no_memory};
    const auto complaint = [&]() -> const Diagnostic* {
        return opening.complaint() ? &*opening.complaint() : able ? nullptr : &no_memory_for_it;
    };
    if (!agreed.all) {
        complaint_ = first_complaint(comm, complaint());
        return MPI_SUCCESS;
    }
    connections_ = agreed.maxima[1] != 0 ? 1 : peers->connections;
    if (agreed.maxima[1] != 0 && !opening.is_single()) {
        opening.want_single();
    }
    if (agreed.maxima[0] == 0) {
        opened = true;
        return MPI_SUCCESS;
    }
    if (const int error = opening.exchange_addresses(comm); error != MPI_SUCCESS) {
        return error;
    }
    opening.meet(comm);
    if (!opening.complaint()) {
        opening.keep();
    }
    complaint_ = first_complaint(comm, complaint());
    opened = !complaint_;
    if (opened) {
        resume();
    } else {
        failed_before = true;
        opening.undo();
    }
    return MPI_SUCCESS;
}

namespace {

/// A connection that moves, as all ranks hear of it: the rank that it leads to and its number, in one.
using ToldMove = std::int32_t;

ToldMove told(const WireStreams::Way& way) {
    return static_cast<ToldMove>(WireStream::most_connections) * way.rank + static_cast<ToldMove>(way.connection);
}

/// The moves that streams of this rank want. Throws std::bad_alloc.
std::vector<WireStreams::Way> wanted_moves(WireStreams& streams, std::vector<ToldMove>& mine,
                                           std::vector<std::uint16_t>& ports) {
    std::vector<WireStreams::Way> ways;
    for (std::size_t peer = 0; peer < streams.ranks(); ++peer) {
        const auto rank = static_cast<Rank>(peer);
        WireStream* const stream = streams.to(rank);
        if (stream != nullptr && stream->has_choice() && stream->paths().wanted()) {
            const PairPaths::Move move = *stream->paths().wanted();
            ways.push_back({rank, true, move.connection});
            ports.push_back(move.port);
            mine.push_back(told(ways.back()));
        }
    }
    return ways;
}

}  // namespace

int Wire::move(MPI_Comm comm) {
    std::vector<WireStreams::Way> to;
    std::vector<WireStreams::Way> from;
    std::vector<std::uint16_t> ports;
    std::vector<std::uint16_t> former;
    std::vector<ToldMove> mine;
    bool able = have_memory_for([&] {
        to = wanted_moves(*streams_, mine, ports);
        former.reserve(to.size());
        from.reserve(streams_->ranks());
    });
    GatheredLists<std::vector<ToldMove>> moves;
    const Agreed gathered = moves.gather(comm, able ? &mine : nullptr, GatherTo::all_ranks);
    if (gathered.error != MPI_SUCCESS || moves.all().empty()) {
        return gathered.error;
    }
    const Rank own = rank_in(comm);
    for (std::size_t peer = 0; peer < streams_->ranks(); ++peer) {
        for (const ToldMove move : moves.of(peer)) {
            for (std::size_t connection = 0; connection < PairPaths::connections; ++connection) {
                if (move == told({own, true, connection})) {
                    from.push_back({static_cast<Rank>(peer), false, connection});
                }
            }
        }
    }
    for (const WireStreams::Way& way : to) {
        former.push_back(streams_->port_of(way));
        streams_->drop(way);
    }
    for (const WireStreams::Way& way : from) {
        streams_->drop(way);
    }
    Opening opening(*this);
    able = false;
    const std::vector<WireStreams::Way> moving = to;
    static_cast<void>(have_memory_for([&] { able = opening.prepare(comm, std::move(to), std::move(from), ports); }));
    const Diagnostic no_memory_for_it{.problem = no_memory};
    // Ranks without a connection to open take part in what is collective.
    if (const int error = opening.exchange_addresses(comm); error != MPI_SUCCESS) {
        return error;
    }
    if (able) {
        opening.meet(comm);
    }
    if (able && !opening.complaint()) {
        opening.keep();
    }
    const std::optional<Diagnostic> complaint = first_complaint(comm, opening.complaint() ? &*opening.complaint()
                                                                      : able              ? nullptr
                                                                                          : &no_memory_for_it);
    if (complaint) {
        opening.undo();
    }
    for (std::size_t index = 0; index < moving.size(); ++index) {
        if (WireStream* const stream = streams_->to(moving[index].rank); stream != nullptr) {
            complaint ? stream->paths().not_moved() : stream->paths().moved(former[index]);
        }
    }
    return MPI_SUCCESS;
}

}  // namespace aapc::mpi
