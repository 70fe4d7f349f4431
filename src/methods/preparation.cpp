#include "aapc/methods/preparation.hpp"

#include <fmt/format.h>

#include <new>
#include <utility>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/methods/cadence.hpp"

namespace aapc {

namespace {

Diagnostic none_fits(const BufferedMethod& smallest, std::int64_t most_blocks) {
    return {
        .problem = fmt::format("{}/{} needs buffers of {} blocks, and the limit is {}", smallest.method.algorithm->name,
                               smallest.method.variant, smallest.buffer_blocks, most_blocks),
        .advice = "allow more, or choose an algorithm that forwards nothing"};
}

/// Fills in method, timetable and buffers.
Expected<void> build_within(Timetables& timetables, const Method& wanted, std::optional<std::int64_t> most_blocks,
                            Prepared& prepared) {
    for (std::optional next = wanted; next; next = with_smaller_buffers(*next)) {
        auto timetable = timetables.find(*next->algorithm, next->variant);
        if (!timetable) {
            return failure(std::move(timetable.error()));
        }
        prepared.method = *next;
        prepared.timetable = std::move(*timetable);
        if (!most_blocks) {
            return {};
        }
        prepared.buffer_blocks = largest_buffer_blocks(*prepared.timetable, wanted.synchronisation);
        if (*prepared.buffer_blocks <= *most_blocks) {
            return {};
        }
        prepared.too_large.push_back({*next, *prepared.buffer_blocks});
    }
    return failure(none_fits(prepared.too_large.back(), *most_blocks));
}

/// As prepare(), without `bound` being worked out anew.
Expected<Prepared> prepare_within(Timetables& timetables, const Bound& bound, const Method& wanted,
                                  std::optional<std::int64_t> most_buffer_blocks) {
    Prepared prepared;
    prepared.bound_messages = bound.messages;
    if (auto built = build_within(timetables, wanted, most_buffer_blocks, prepared); !built) {
        return failure(std::move(built.error()));
    }
    if (auto can = check_can_be_run(*prepared.timetable, bound, wanted.synchronisation); !can) {
        return failure(std::move(can.error()));
    }
    if (wanted.synchronisation.kind == Synchronisation::Kind::timed) {
        prepared.cadence = find_cadence(timetables.network(), timetables.placement(), bound, *prepared.timetable);
    }
    return prepared;
}

Expected<Prepared> no_memory_for_it() { return failure("no memory is left for its timetable", ""); }

}  // namespace

Expected<Prepared> prepare(Timetables& timetables, const Method& wanted,
                           std::optional<std::int64_t> most_buffer_blocks) {
    try {
        return prepare_within(timetables, timetables.bound(), wanted, most_buffer_blocks);
    } catch (const std::bad_alloc&) {
        return no_memory_for_it();
    }
}

Expected<Prepared> prepare(const Network& network, const Placement& placement, const Bound& bound, const Method& wanted,
                           const PreparationOptions& options) {
    try {
        Timetables timetables(network, placement, options.given, options.effort);
        return prepare_within(timetables, bound, wanted, options.most_buffer_blocks);
    } catch (const std::bad_alloc&) {
        return no_memory_for_it();
    }
}

Expected<void> check_can_be_run(const Timetable& timetable, const Bound& bound,
                                const Synchronisation& synchronisation) {
    if (auto fits = check_synchronisation_fits(timetable, synchronisation); !fits) {
        return fits;
    }
    // A single rank needs no common time.
    if (synchronisation.kind == Synchronisation::Kind::timed && bound.slowest_bits_per_second <= 0 &&
        timetable.participants() > 1) {
        return failure("no speed is known of any link that messages cross, and 'timed' goes by it",
                       "use ranks on several machines, give the speed where the network is detected (detect:10Gbit), "
                       "or choose another synchronisation");
    }
    return {};
}

Diagnostic said_of(const Method& method, Diagnostic diagnostic) {
    diagnostic.problem = fmt::format("{}: {}", to_string(method), diagnostic.problem);
    return diagnostic;
}

}  // namespace aapc
