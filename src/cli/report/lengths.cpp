#include "cli/report/lengths.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "aapc/methods/method.hpp"
#include "aapc/methods/unequal_exchange.hpp"
#include "aapc/offline/unequal_model.hpp"
#include "aapc/topology/bound.hpp"
#include "selection/crossover.hpp"
#include "selection/unequal_rule.hpp"

namespace aapc::report {

namespace {

constexpr double most_bytes_of_message = 0x1p40;  // as in files of demands

}  // namespace

bool has_lengths(const std::string& routine) {
    constexpr std::string_view known[] = {"MPI_Alltoallv", "MPI_Alltoallw", "MPI_Alltoallv_c", "MPI_Alltoallw_c"};
    return std::find(std::begin(known), std::end(known), routine) != std::end(known);
}

RecordedLengths::RecordedLengths(const Record& record) {
    for (const RecordedDemand& line : record.demands) {
        lines_[{line.communicator, line.routine}].push_back(&line);
    }
}

std::optional<Demand> RecordedLengths::mean(const RecordedCommunicator& communicator, const std::string& routine,
                                            std::optional<double> bytes_of_rank_0) const {
    const auto found = lines_.find({communicator.name, routine});
    const std::int64_t ranks = communicator.ranks;
    if (found == lines_.end() || ranks > most_ranks || found->second.size() != static_cast<std::size_t>(ranks)) {
        return std::nullopt;
    }
    const std::vector<const RecordedDemand*>& lines = found->second;
    const std::int64_t calls = lines.front()->calls;
    std::vector<bool> has_row(lines.size(), false);
    double sum_of_rank_0 = 0;
    for (const RecordedDemand* const line : lines) {
        const bool fits = line->rank < ranks && line->calls == calls && calls > 0 &&
                          std::all_of(line->to.begin(), line->to.end(), [&](std::int32_t to) { return to < ranks; });
        if (!fits || has_row[static_cast<std::size_t>(line->rank)]) {
            return std::nullopt;
        }
        has_row[static_cast<std::size_t>(line->rank)] = true;
        for (const std::int64_t bytes : line->bytes) {
            sum_of_rank_0 += line->rank == 0 ? static_cast<double>(bytes) : 0;
        }
    }
    // Calls of different lengths share one mean: theirs are in proportion to what rank 0 sent.
    const double scale =
        bytes_of_rank_0 && sum_of_rank_0 > 0 ? *bytes_of_rank_0 / sum_of_rank_0 : 1 / static_cast<double>(calls);
    Demand demand(static_cast<Rank>(ranks));
    for (const RecordedDemand* const line : lines) {
        for (std::size_t index = 0; index < line->to.size(); ++index) {
            const double bytes = std::min(scale * static_cast<double>(line->bytes[index]), most_bytes_of_message);
            demand.set(static_cast<Rank>(line->rank), line->to[index], std::llround(bytes));
        }
    }
    return demand;
}

std::optional<UnequalSchedule> schedule_of(const Network& network, const Placement& placement, const Demand& demand) {
    constexpr Rank most_ranks = 512;
    constexpr double most_bytes = 0x1p34;  // of all messages, which are cut into segments
    const auto method = selection::method_for_unequal(network.kind());
    double bytes = 0;
    for (Rank from = 0; from < demand.participants(); ++from) {
        for (const std::int64_t length : demand.row(from)) {
            bytes += static_cast<double>(length);
        }
    }
    if (!method || demand.participants() > most_ranks || bytes > most_bytes) {
        return std::nullopt;
    }
    const Bound bound = network_bound(network, placement);
    const auto prepared = selection::prepare_for_unequal(network, placement, bound, *method);
    if (!prepared || !prepared->cadence.known() || prepared->timetable->forwards()) {
        return std::nullopt;
    }
    const auto exchange = examine_unequal_exchange(network, placement, *prepared->timetable, prepared->cadence,
                                                   prepared->method.synchronisation.segment_bytes, demand);
    const auto crossover = selection::unequal_crossover(network, placement, bound, std::nullopt);
    if (!exchange || !selection::worth_exchanging(selection::UnequalUse::automatic, exchange->bound, 0, crossover)) {
        return std::nullopt;
    }
    const double forced = prepared->method.synchronisation.pace;
    const double pace = forced > 0 ? forced : prepared->cadence.initial_pace();
    const double seconds = predict_timed_unequal(*exchange, pace, placement.participants(), 0);
    return UnequalSchedule{to_string(prepared->method), seconds,
                           seconds + selection::expected_start_seconds(network, placement, bound)};
}

}  // namespace aapc::report
