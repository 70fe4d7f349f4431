#include "cli/report/lengths.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "aapc/methods/method.hpp"
#include "aapc/methods/unequal_exchange.hpp"
#include "aapc/offline/unequal_model.hpp"
#include "aapc/topology/bound.hpp"
#include "selection/crossover.hpp"
#include "selection/rule.hpp"
#include "selection/start.hpp"
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
    for (const RecordedCall& call : record.calls) {
        ++calls_[{call.communicator, call.routine}];
    }
}

std::int64_t RecordedLengths::kinds(const RecordedCommunicator& communicator, const std::string& routine) const {
    const auto found = lines_.find({communicator.name, routine});
    const auto noted = calls_.find({communicator.name, routine});
    const std::int64_t ranks = communicator.ranks;
    if (found == lines_.end() || noted == calls_.end() || ranks > most_ranks) {
        return 0;
    }
    struct OfRank {
        std::int64_t period = 0;
        std::int64_t lines = 0;
        std::int64_t calls = 0;
        std::vector<bool> phases = std::vector<bool>(longest_period);
    };
    std::vector<OfRank> of(static_cast<std::size_t>(ranks));
    constexpr auto longest = static_cast<std::int64_t>(longest_period);
    std::int64_t kinds = 1;
    for (const RecordedDemand* const line : found->second) {
        if (line->rank >= ranks || line->period < 1 || longest % line->period != 0 || line->phase >= line->period ||
            std::any_of(line->to.begin(), line->to.end(), [&](std::int32_t to) { return to >= ranks; })) {
            return 0;
        }
        OfRank& rank = of[static_cast<std::size_t>(line->rank)];
        const auto phase = static_cast<std::size_t>(line->phase);
        if ((rank.lines > 0 && rank.period != line->period) || rank.phases[phase]) {
            return 0;
        }
        rank.phases[phase] = true;
        rank.period = line->period;
        ++rank.lines;
        rank.calls += line->calls;
        kinds = std::lcm(kinds, line->period);
    }
    const bool complete = std::all_of(of.begin(), of.end(), [&](const OfRank& rank) {
        return rank.lines > 0 && rank.lines == rank.period && rank.calls == of.front().calls;
    });
    return complete && noted->second <= of.front().calls ? kinds : 0;
}

std::optional<Demand> RecordedLengths::mean(const RecordedCommunicator& communicator, const std::string& routine,
                                            std::int64_t kind, std::optional<double> bytes_of_rank_0) const {
    if (kinds(communicator, routine) == 0) {
        return std::nullopt;
    }
    Lines lines = lines_.at({communicator.name, routine});
    std::erase_if(lines, [&](const RecordedDemand* line) { return kind % line->period != line->phase; });
    double of_rank_0 = 0;
    for (const RecordedDemand* const line : lines) {
        for (const std::int64_t bytes : line->bytes) {
            of_rank_0 +=
                line->rank == 0 && line->calls > 0 ? static_cast<double>(bytes) / static_cast<double>(line->calls) : 0;
        }
    }
    // Calls of different lengths share one mean: theirs are in proportion to what rank 0 sent.
    const double scale = bytes_of_rank_0 && of_rank_0 > 0 ? *bytes_of_rank_0 / of_rank_0 : 1;
    Demand demand(static_cast<Rank>(communicator.ranks));
    for (const RecordedDemand* const line : lines) {
        const double of_each = scale / static_cast<double>(std::max<std::int64_t>(line->calls, 1));
        for (std::size_t index = 0; index < line->to.size(); ++index) {
            const double bytes = std::min(of_each * static_cast<double>(line->bytes[index]), most_bytes_of_message);
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
    if (selection::is_on_one_machine(placement) || selection::nothing_to_schedule(placement, bound)) {
        return std::nullopt;
    }
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
                           seconds + selection::expected_start_seconds(bound, placement.participants())};
}

}  // namespace aapc::report
