// What a job learns in its calls, and keeps for the next.
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "aapc/input/units.hpp"
#include "aapc/mpi/agreement.hpp"
#include "aapc/topology/bound.hpp"
#include "interposer/communicator.hpp"
#include "interposer/job.hpp"
#include "interposer/learned_file.hpp"
#include "interposer/remarks.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/ranks.hpp"
#include "selection/learned.hpp"
#include "selection/rule.hpp"

namespace aapc::interposer {

namespace {

void add_summary(std::optional<learning::Summary>& sum, const std::optional<learning::Summary>& more) {
    if (more) {
        sum = sum.value_or(learning::Summary());
        *sum += *more;
    }
}

}  // namespace

const Tuning* Job::learned_before(const Placement& placement, bool unequal) const {
    const auto found = std::find_if(learned_before_.rbegin(), learned_before_.rend(), [&](const Tuning& section) {
        return section.fingerprint.unequal == unequal &&
               selection::has_shape(configuration_.network, placement, section);
    });
    return found == learned_before_.rend() ? nullptr : &*found;
}

void Job::read_what_was_learned() {
    if (configuration_.learned_file.empty()) {
        return;
    }
    learned_path_ = configuration_.learned_file;
    Fingerprint here;
    if (!mpi::all_agree(MPI_COMM_WORLD, mpi::have_memory_for([&] { here = fingerprint(Placement()); }))) {
        learned_path_.clear();
        return;
    }
    learned_before_ = read_learned(learned_path_, here, configuration_.network.kind());
}

void Job::allow_short_cuts() {
    int provided = MPI_THREAD_MULTIPLE;
    if (PMPI_Query_thread(&provided) == MPI_SUCCESS && provided != MPI_THREAD_MULTIPLE) {
        one_thread_ = true;
        tally_.use_from_one_thread();
        settled_.allow();
    }
    // Whoever asks for something is served, or told, from the first call on.
    const selection::Configuration& asked = configuration_;
    const bool left_to_the_rule = !asked.forced.method && !asked.forced.synchronisation && !asked.tuning;
    if (asked.adapt && left_to_the_rule && asked.verbosity == 0 && learned_path_.empty() && !recorder_) {
        opening_.allow();
        begins_in_passing_ = asked.unequal == selection::UnequalUse::automatic && !asked.buffer_limit;
    }
}

void Job::remark_on_speeds(const CommunicatorState& state) {
    if (configuration_.verbosity < 1 || speeds_remarked_ || mpi::rank_in(MPI_COMM_WORLD) != 0 ||
        !state.is_first_rank()) {
        return;
    }
    static_cast<void>(mpi::have_memory_for([&] {
        const learning::Fastest fastest = state.fastest();
        if (const auto too_fast =
                faster_than_wires(fastest.least_seconds, fastest.seconds, configuration_.topology_file)) {
            say("all-to-alls were " + *too_fast);
            speeds_remarked_ = true;
        }
    }));
}

void Job::inherit(const CommunicatorState& state) {
    remark_on_speeds(state);
    add_summary(learned_, state.learned());
    inherit_tunings(state);
    for (const bool unequal : {false, true}) {
        if (state.calls_that_show(unequal) > 0) {
            static_cast<void>(
                mpi::have_memory_for([&] { shown_.keep(state.placement(), unequal, state.shown(unequal)); }));
        }
    }
}

Shown Job::shown_on_others(const Placement& placement, bool unequal) const {
    /// A program may have very many.
    constexpr std::size_t most_looked_at = 256;
    const std::lock_guard lock(states_mutex_);
    const Shown* const freed = shown_.find(placement, unequal);
    std::int64_t most_calls = freed != nullptr ? freed->calls : 0;
    const CommunicatorState* best = nullptr;
    const std::size_t looked_at = one_thread_ ? std::min(states_.size(), most_looked_at) : 0;
    for (std::size_t back = 1; back <= looked_at; ++back) {
        const CommunicatorState& one = *states_[states_.size() - back];
        const bool sits_alike = one.placement().machine_of == placement.machine_of;
        if (const std::int64_t calls = sits_alike ? one.calls_that_show(unequal) : 0; calls > most_calls) {
            most_calls = calls;
            best = &one;
        }
    }
    if (best != nullptr) {
        return best->shown(unequal);
    }
    return freed != nullptr ? *freed : Shown();
}

void Job::inherit_tunings(const CommunicatorState& state) {
    if (learned_path_.empty() || !state.is_first_rank()) {
        return;
    }
    static_cast<void>(mpi::have_memory_for([&] {
        for (Tuning& taught : state.taught()) {
            selection::add_learned(inherited_, std::move(taught));
        }
    }));
}

void Job::keep_what_was_learned() {
    if (learned_path_.empty()) {
        return;
    }
    for (const auto& state : states_) {
        inherit_tunings(*state);
    }
    Fingerprint here;
    // Rank 0's is the one that counts.
    static_cast<void>(mpi::have_memory_for([&] { here = fingerprint(Placement()); }));
    write_learned(learned_path_, inherited_, here, configuration_.network.kind());
}

std::optional<learning::Summary> Job::all_learned() const {
    std::optional<learning::Summary> all = learned_;
    for (const auto& state : states_) {
        add_summary(all, state->learned());
    }
    return all;
}

void Job::report_learning() {
    const std::optional<learning::Summary> all = all_learned();
    if (mpi::rank_in(MPI_COMM_WORLD) != 0 || !all || all->budget.calls == 0) {
        return;
    }
    const auto text = [](double seconds) { return duration_text(seconds, significant(3)); };
    static_cast<void>(mpi::have_memory_for([&] {
        say(fmt::format(
            "learned in {} calls of rank 0: {}, of which learning took {}; the MPI's own would have taken {}",
            all->budget.calls, text(all->budget.seconds), text(all->budget.spent_seconds), text(all->own_seconds)));
    }));
}

}  // namespace aapc::interposer
