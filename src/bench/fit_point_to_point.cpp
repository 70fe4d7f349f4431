#include "bench/fit_point_to_point.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "aapc/input/statistics.hpp"
#include "bench/collective.hpp"
#include "bench/payload.hpp"

namespace aapc::bench {

namespace {

constexpr int tag = 1;
/// Short messages go to and fro several times between two looks at the clock.
constexpr std::int64_t short_message = 4096;
constexpr int trips_of_short_messages = 10;
constexpr int messages_in_a_train = 16;

/// One of the two ranks, with room for a message.
class End {
  public:
    End(const Harness& harness, Pair pair, std::int64_t message_bytes)
        : comm_(harness.communicator()),
          first_(harness.rank() == pair.first),
          own_(harness.rank()),
          partner_(first_ ? pair.second : pair.first),
          send_(static_cast<std::size_t>(message_bytes)),
          receive_(send_.size()) {
        fill_block(send_, own_, partner_);
        spoil();
    }

    [[nodiscard]] bool first() const { return first_; }

    /// Every byte is wrong until it has come.
    void spoil() {
        fill_block(receive_, partner_, own_);
        for (std::byte& byte : receive_) {
            byte = ~byte;
        }
    }

    void send() { PMPI_Send(send_.data(), static_cast<int>(send_.size()), MPI_BYTE, partner_, tag, comm_); }
    void receive() {
        PMPI_Recv(receive_.data(), static_cast<int>(receive_.size()), MPI_BYTE, partner_, tag, comm_,
                  MPI_STATUS_IGNORE);
    }
    /// An empty message, which says that something is done.
    void signal() { PMPI_Send(nullptr, 0, MPI_BYTE, partner_, tag, comm_); }
    void await_signal() { PMPI_Recv(nullptr, 0, MPI_BYTE, partner_, tag, comm_, MPI_STATUS_IGNORE); }

    [[nodiscard]] std::optional<Diagnostic> judge() const {
        if (const auto wrong = first_wrong_byte(receive_, partner_, own_)) {
            return Diagnostic{
                .problem = fmt::format("wrong data: of the {} bytes from rank {} to rank {}, the one at offset {} is "
                                       "not what was sent",
                                       receive_.size(), partner_, own_, *wrong),
                .advice = "do not trust this MPI, and report it"};
        }
        return std::nullopt;
    }

  private:
    MPI_Comm comm_;
    bool first_;
    Rank own_;
    Rank partner_;
    std::vector<std::byte> send_;
    std::vector<std::byte> receive_;
};

using Timed = std::function<double(End&)>;

/// Runs `timed` on both ranks of the pair, `repeats` times after one that does not count; what it returns on the rank
/// that knows counts, the other returns 0. The median, on all ranks. `judged`: both have received a message.
Expected<double> median_of(Harness& harness, Pair pair, std::int64_t message_bytes, int repeats, bool first_receives,
                           const Timed& timed) {
    const bool takes_part = harness.rank() == pair.first || harness.rank() == pair.second;
    std::vector<double> seconds;
    std::optional<End> end;
    if (takes_part) {
        end.emplace(harness, pair, message_bytes);
    }
    for (int round = -1; round < repeats; ++round) {
        barrier(harness.communicator());
        std::array<double, 1> value = {0};
        std::optional<Diagnostic> complaint;
        if (end) {
            value[0] = timed(*end);
            complaint = end->first() && !first_receives ? std::nullopt : end->judge();
            end->spoil();
        }
        if (auto first = first_complaint(harness.communicator(), complaint)) {
            return failure(std::move(*first));
        }
        maximise(harness.communicator(), value);
        if (round >= 0) {
            seconds.push_back(value[0]);
        }
    }
    return median(seconds);
}

double round_trips(End& end, int trips) {
    const double begin = PMPI_Wtime();
    for (int trip = 0; trip < trips; ++trip) {
        if (end.first()) {
            end.send();
            end.receive();
        } else {
            end.receive();
            end.send();
        }
    }
    return end.first() ? (PMPI_Wtime() - begin) / trips : 0;
}

/// Messages in a row, until the receiver says that it has the last.
double train(End& end, int messages) {
    const double begin = PMPI_Wtime();
    for (int message = 0; message < messages; ++message) {
        if (end.first()) {
            end.send();
        } else {
            end.receive();
        }
    }
    if (!end.first()) {
        end.signal();
        return 0;
    }
    end.await_signal();
    return PMPI_Wtime() - begin;
}

double sending(End& end) {
    if (!end.first()) {
        end.receive();
        end.signal();
        return 0;
    }
    const double begin = PMPI_Wtime();
    end.send();
    const double seconds = PMPI_Wtime() - begin;
    end.await_signal();
    return seconds;
}

double receiving(End& end, double seconds_to_arrive) {
    if (end.first()) {
        end.send();
        end.await_signal();
        return 0;
    }
    usleep(static_cast<useconds_t>(std::min(1e6 * seconds_to_arrive, 1e6)));
    const double begin = PMPI_Wtime();
    end.receive();
    const double seconds = PMPI_Wtime() - begin;
    end.signal();
    return seconds;
}

}  // namespace

Expected<double> one_way_seconds(Harness& harness, Pair pair, std::int64_t message_bytes, int repeats) {
    const int trips = message_bytes <= short_message ? trips_of_short_messages : 1;
    const auto seconds =
        median_of(harness, pair, message_bytes, repeats, true, [trips](End& end) { return round_trips(end, trips); });
    return seconds ? Expected<double>(*seconds / 2) : seconds;
}

Expected<GapMeasurement> gap_and_overheads(Harness& harness, Pair pair, std::int64_t message_bytes, int repeats) {
    const auto measure = [&](const Timed& timed) {
        return median_of(harness, pair, message_bytes, repeats, false, timed);
    };
    const auto one = measure([](End& end) { return train(end, 1); });
    const auto many = one ? measure([](End& end) { return train(end, messages_in_a_train); }) : one;
    const auto send = many ? measure(sending) : many;
    const auto receive = send ? measure([&one](End& end) { return receiving(end, 2 * *one); }) : send;
    if (!receive) {
        return failure(receive.error());
    }
    return GapMeasurement{message_bytes, std::max(0.0, (*many - *one) / (messages_in_a_train - 1)), *send, *receive};
}

}  // namespace aapc::bench
