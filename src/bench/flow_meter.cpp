#include "bench/flow_meter.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "bench/collective.hpp"
#include "bench/interruption.hpp"
#include "mpi/complaints.hpp"
#include "mpi/ranks.hpp"
#include "mpi/rest.hpp"

namespace aapc::bench {

using discovery::Flow;
using discovery::Round;

namespace {

constexpr int flow_tag = 11;
constexpr int trip_tag = 12;
constexpr int most_lanes = 4;
constexpr std::int64_t least_chunk = 8 << 10;
constexpr std::int64_t most_chunk = 4 << 20;
/// Messages under way at once: enough for a link that waits for none, few enough to be through soon after the end.
constexpr std::size_t window = 8;

void add_up(MPI_Comm comm, std::vector<double>& values) {
    const std::vector<double> own = values;
    MPI_Request request = MPI_REQUEST_NULL;
    PMPI_Iallreduce(own.data(), values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM, comm, &request);
    mpi::wait_patiently(request);
}

/// Messages to one rank until time is up, each counted as sent only when its receiver has met it; then an empty one for
/// each receive that still waits.
class Sender {
  public:
    Sender(MPI_Comm comm, Rank to, const std::vector<std::byte>& data) : comm_(comm), to_(to), data_(data) {
        requests_.fill(MPI_REQUEST_NULL);
    }

    /// Whether anything moved.
    bool advance(bool time_is_up) {
        bool moved = false;
        for (MPI_Request& request : requests_) {
            int done = 0;
            PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
            if (done == 0 || (time_is_up && ends_ == window)) {
                continue;
            }
            ends_ += time_is_up ? 1 : 0;
            PMPI_Issend(data_.data(), time_is_up ? 0 : static_cast<int>(data_.size()), MPI_BYTE, to_, flow_tag, comm_,
                        &request);
            moved = true;
        }
        return moved;
    }

    [[nodiscard]] bool finished() const {
        return ends_ == window && std::all_of(requests_.begin(), requests_.end(),
                                              [](MPI_Request request) { return request == MPI_REQUEST_NULL; });
    }

  private:
    MPI_Comm comm_;
    Rank to_;
    const std::vector<std::byte>& data_;
    std::array<MPI_Request, window> requests_{};
    std::size_t ends_ = 0;
};

/// Takes them, and notes when each came.
class Receiver {
  public:
    Receiver(MPI_Comm comm, Rank from, std::vector<std::byte>& room, std::size_t chunk)
        : comm_(comm), from_(from), room_(room), chunk_(chunk) {
        for (std::size_t index = 0; index < window; ++index) {
            post(index);
        }
    }

    bool advance(double now) {
        bool moved = false;
        // Messages of one sender are met in the order in which receives were posted.
        for (int done = 1; open_ > 0 && done != 0;) {
            MPI_Status status;
            PMPI_Test(&requests_[next_], &done, &status);
            if (done == 0) {
                break;
            }
            int bytes = 0;
            PMPI_Get_count(&status, MPI_BYTE, &bytes);
            moved = true;
            if (bytes > 0) {
                arrivals_.push_back(now);
                post(next_);
                --open_;
            } else {
                --open_;
            }
            next_ = (next_ + 1) % window;
        }
        return moved;
    }

    [[nodiscard]] bool finished() const { return open_ == 0; }

    /// Bytes per second between `begin` and `end`, by the messages that came then. From the first to the last of them,
    /// since they are few; over all of the time where these are near each other: a rank that was kept from running
    /// finds many at once.
    [[nodiscard]] double rate(double start, double begin, double end) const {
        const auto first = std::lower_bound(arrivals_.begin(), arrivals_.end(), begin);
        const auto last = std::upper_bound(arrivals_.begin(), arrivals_.end(), end);
        const auto per_second = [&](std::ptrdiff_t messages, double seconds) {
            return static_cast<double>(messages) * static_cast<double>(chunk_) / seconds;
        };
        constexpr double most_of_it = 0.7;
        if (last - first >= 3 && *(last - 1) - *first >= most_of_it * (end - begin)) {
            return per_second(last - first - 1, *(last - 1) - *first);
        }
        if (last - first >= 1) {
            return per_second(last - first, end - begin);
        }
        return per_second(last - arrivals_.begin(), end - start);
    }

  private:
    void post(std::size_t index) {
        // All receives may land in one place: the data are not read.
        PMPI_Irecv(room_.data() + index * chunk_, static_cast<int>(chunk_), MPI_BYTE, from_, flow_tag, comm_,
                   &requests_[index]);
        ++open_;
    }

    MPI_Comm comm_;
    Rank from_;
    std::vector<std::byte>& room_;
    std::size_t chunk_;
    std::array<MPI_Request, window> requests_{};
    std::size_t open_ = 0;
    std::size_t next_ = 0;
    std::vector<double> arrivals_;
};

}  // namespace

FlowMeter::FlowMeter(MPI_Comm comm, const Placement& placement, Machine machines)
    : comm_(comm), ranks_of_(static_cast<std::size_t>(machines)), chunk_bytes_(4 * least_chunk) {
    const Rank own = mpi::rank_in(comm);
    machine_ = placement.machine_of[static_cast<std::size_t>(own)];
    for (Rank rank = 0; rank < placement.participants(); ++rank) {
        std::vector<Rank>& ranks =
            ranks_of_[static_cast<std::size_t>(placement.machine_of[static_cast<std::size_t>(rank)])];
        lane_ = rank == own ? static_cast<int>(ranks.size()) : lane_;
        ranks.push_back(rank);
    }
}

int FlowMeter::lanes(Machine one, Machine other) const {
    const std::size_t least =
        std::min(ranks_of_[static_cast<std::size_t>(one)].size(), ranks_of_[static_cast<std::size_t>(other)].size());
    return std::min(static_cast<int>(least), most_lanes);
}

void FlowMeter::set_chunk(double bytes_per_second, double seconds) {
    // A hundred messages of each rank in a round if the flow has its port for itself.
    constexpr double messages = 100;
    const double share = bytes_per_second / lanes(0, 1);
    std::array<double, 1> wanted = {mpi::rank_in(comm_) == 0 ? share * seconds / messages : 0};
    maximise(comm_, wanted);
    const auto bytes = static_cast<std::int64_t>(std::clamp(wanted[0], 1.0 * least_chunk, 1.0 * most_chunk));
    chunk_bytes_ = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(bytes)));
}

std::vector<Round> FlowMeter::shared(const std::vector<Round>& rounds) const {
    std::vector<std::int32_t> numbers;
    for (const Round& round : rounds) {
        numbers.push_back(static_cast<std::int32_t>(round.size()));
        for (const Flow& flow : round) {
            numbers.push_back(flow.from);
            numbers.push_back(flow.to);
        }
    }
    std::uint64_t length = numbers.size();
    mpi::broadcast(comm_, &length, sizeof length, 0);
    numbers.resize(length);
    mpi::broadcast(comm_, numbers.data(), length * sizeof numbers[0], 0);
    std::vector<Round> known;
    for (std::size_t at = 0; at < numbers.size();) {
        Round round(static_cast<std::size_t>(numbers[at++]));
        for (Flow& flow : round) {
            flow.from = numbers[at++];
            flow.to = numbers[at++];
        }
        known.push_back(std::move(round));
    }
    return known;
}

double FlowMeter::take_part(const Round& round, double seconds, std::size_t& flow_received) {
    std::vector<Sender> sender;
    std::vector<Receiver> receiver;
    for (std::size_t index = 0; index < round.size(); ++index) {
        const Flow& flow = round[index];
        if (lane_ >= lanes(flow.from, flow.to)) {
            continue;
        }
        const auto lane = static_cast<std::size_t>(lane_);
        if (flow.from == machine_) {
            sender.emplace_back(comm_, ranks_of_[static_cast<std::size_t>(flow.to)][lane], send_);
        } else if (flow.to == machine_) {
            receiver.emplace_back(comm_, ranks_of_[static_cast<std::size_t>(flow.from)][lane], receive_,
                                  static_cast<std::size_t>(chunk_bytes_));
            flow_received = index;
        }
    }
    barrier(comm_);
    const double start = mpi::now_seconds();
    mpi::Patience patience;
    const auto finished = [](const auto& end) { return end.finished(); };
    while (!std::all_of(sender.begin(), sender.end(), finished) ||
           !std::all_of(receiver.begin(), receiver.end(), finished)) {
        const double now = mpi::now_seconds();
        bool moved = false;
        for (Sender& each : sender) {
            moved = each.advance(now - start >= seconds) || moved;
        }
        for (Receiver& each : receiver) {
            moved = each.advance(now) || moved;
        }
        if (moved) {
            patience.reset();
        } else {
            patience.rest();
        }
    }
    constexpr double slow_start = 0.25;
    return receiver.empty() ? 0 : receiver.front().rate(start, start + slow_start * seconds, start + seconds);
}

std::vector<Round> FlowMeter::measure(const std::vector<Round>& rounds, double seconds) {
    std::vector<Round> measured = shared(rounds);
    send_.resize(static_cast<std::size_t>(chunk_bytes_));
    receive_.resize(window * send_.size());
    std::vector<double> rates;
    for (const Round& round : measured) {
        std::size_t flow = 0;
        const double rate = interrupted() ? 0 : take_part(round, seconds, flow);
        const std::size_t begin = rates.size();
        rates.resize(begin + round.size(), 0);
        if (rate > 0) {
            rates[begin + flow] = rate;
        }
    }
    barrier(comm_);
    rates.push_back(bench::interrupted() ? 1 : 0);
    add_up(comm_, rates);
    interrupted_ = interrupted_ || rates.back() > 0;
    std::size_t at = 0;
    for (Round& round : measured) {
        for (Flow& flow : round) {
            flow.bytes_per_second = rates[at++];
        }
    }
    return measured;
}

void FlowMeter::one_pass(std::vector<double>& trips) {
    constexpr Machine few = 32;
    constexpr int tries = 30;
    const auto machines = static_cast<Machine>(ranks_of_.size());
    const Machine around = machines + machines % 2;
    // Every machine meets every other in around - 1 rounds of disjoint pairs (the circle method); one pair after the
    // other where there are few, since a pair that is alone is not disturbed.
    for (Machine round = 0; round + 1 < around; ++round) {
        for (Machine place = 0; place < around / 2; ++place) {
            const Machine last = around - 1;
            const Machine one = place == 0 ? last : (round + place) % last;
            const Machine other = (round - place + last) % last;
            const bool exists = one < machines && other < machines;
            if (exists && lane_ == 0 && (machine_ == one || machine_ == other)) {
                const bool asks = machine_ == std::min(one, other);
                const Rank partner = ranks_of_[static_cast<std::size_t>(machine_ == one ? other : one)].front();
                char nothing = 0;
                double& best = trips[static_cast<std::size_t>(std::min(one, other)) * ranks_of_.size() +
                                     static_cast<std::size_t>(std::max(one, other))];
                for (int trip = 0; trip < tries; ++trip) {
                    const double begin = mpi::now_seconds();
                    if (asks) {
                        PMPI_Send(&nothing, 1, MPI_CHAR, partner, trip_tag, comm_);
                    }
                    PMPI_Recv(&nothing, 1, MPI_CHAR, partner, trip_tag, comm_, MPI_STATUS_IGNORE);
                    if (!asks) {
                        PMPI_Send(&nothing, 1, MPI_CHAR, partner, trip_tag, comm_);
                    } else if (const double taken = mpi::now_seconds() - begin; best == 0 || taken < best) {
                        best = taken;
                    }
                }
            }
            if (machines <= few) {
                barrier(comm_);
            }
        }
        barrier(comm_);
    }
}

discovery::RoundTrips FlowMeter::round_trips() {
    const std::size_t machines = ranks_of_.size();
    discovery::RoundTrips trips;
    for (std::vector<double>* const matrix : {&trips.first, &trips.second}) {
        matrix->assign(machines * machines, 0);
        constexpr double long_enough = 1;
        const double begin = mpi::now_seconds();
        std::array<double, 1> taken = {0};
        while (taken[0] < long_enough) {
            one_pass(*matrix);
            taken[0] = mpi::now_seconds() - begin;
            maximise(comm_, taken);
        }
        add_up(comm_, *matrix);
        for (std::size_t one = 0; one < machines; ++one) {
            for (std::size_t other = 0; other < one; ++other) {
                (*matrix)[one * machines + other] = (*matrix)[other * machines + one];
            }
        }
    }
    return trips;
}

}  // namespace aapc::bench
