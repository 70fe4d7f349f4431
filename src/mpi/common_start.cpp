#include "mpi/common_start.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "mpi/progress.hpp"
#include "mpi/rest.hpp"

namespace aapc::mpi {

int start_in_common(const Transport& transport, Rank rank, Rank participants, std::span<double> values,
                    Pending& pending) {
    for (Rank distance = 1; distance < participants; distance *= 2) {
        const Rank to = (rank + distance) % participants;
        const Rank from = (rank - distance + participants) % participants;
        std::array<double, most_common_values> mine{};
        std::array<double, most_common_values> theirs{};
        std::copy(values.begin(), values.end(), mine.begin());
        int error = transport.receive(reinterpret_cast<std::byte*>(theirs.data()), values.size_bytes(), from,
                                      Tag::agreement, pending);
        if (error == MPI_SUCCESS) {
            error = transport.send(reinterpret_cast<const std::byte*>(mine.data()), values.size_bytes(), to,
                                   Tag::agreement, pending);
        }
        if (error == MPI_SUCCESS) {
            error =
                advance_until([&] { return pending.empty(); }, [&](int& completed) { return pending.test(completed); });
        }
        if (error != MPI_SUCCESS) {
            pending.give_up();
            return error;
        }
        std::transform(values.begin(), values.end(), theirs.begin(), values.begin(),
                       [](double left, double right) { return std::max(left, right); });
    }
    return MPI_SUCCESS;
}

double wake_up_lateness_seconds() {
    constexpr int naps = 6;
    constexpr double nap_seconds = 60e-6;
    const PunctualSleep punctual;
    double least = nap_seconds;
    for (int nap = 0; nap < naps; ++nap) {
        const double due = now_seconds() + nap_seconds;
        rest_until(due, nap_seconds);
        least = std::min(least, now_seconds() - due);
    }
    return std::max(least, 0.0);
}

int move_connections_in_common(const Transport& transport, Rank rank, Rank participants, Pending& pending) {
    if (const int error = transport.move_connections(); error != MPI_SUCCESS) {
        return error;
    }
    std::array<double, 1> nothing = {0};
    return start_in_common(transport, rank, participants, nothing, pending);
}

Cadence with_slots_for(Cadence cadence, double lateness_seconds) {
    constexpr double slot_over_lateness = 4;
    constexpr double longest = 1e-3;
    cadence.shortest_slot_seconds =
        std::max(cadence.shortest_slot_seconds, std::min(slot_over_lateness * lateness_seconds, longest));
    return cadence;
}

}  // namespace aapc::mpi
