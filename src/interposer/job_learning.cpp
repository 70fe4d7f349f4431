#include "interposer/job_learning.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aapc/input/units.hpp"
#include "aapc/mpi/agreement.hpp"
#include "aapc/topology/bound.hpp"
#include "archive/learned.hpp"
#include "interposer/communicator.hpp"
#include "interposer/job_identity.hpp"
#include "interposer/learned_file.hpp"
#include "interposer/remarks.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/ranks.hpp"
#include "selection/rule.hpp"

namespace aapc::interposer {

namespace {

/// Calls `action(learning, unequal)` for what is learned on a communicator from either kind of messages.
template <class Action>
void for_each_learning(const CommunicatorState& state, Action action) {
    for (const bool unequal : {false, true}) {
        if (const CallLearning* const one = state.learning(unequal)) {
            action(*one, unequal);
        }
    }
}

void add_summary(std::optional<learning::Summary>& sum, const CommunicatorState& state) {
    for_each_learning(state, [&](const CallLearning& one, bool) {
        sum = sum.value_or(learning::Summary());
        *sum += one.learner().summary();
    });
}

/// Why methods serve the sizes that have taken most of the time, a line each, at most so many. Throws std::bad_alloc.
std::vector<std::string> choices_of(const CommunicatorState& state, std::size_t most) {
    std::vector<std::pair<double, std::string>> found;  // by seconds
    for_each_learning(state, [&](const CallLearning& one, bool) {
        for (const auto& [key, trials] : one.learner().classes()) {
            const learning::Budget spent = trials.budget();
            if (trials.prospects().size() > 1 && spent.calls > 0 && spent.seconds > 0) {
                found.emplace_back(spent.seconds, fmt::format("communicator of {} ranks, {}",
                                                              state.placement().participants(), one.why(trials)));
            }
        }
    });
    std::sort(found.begin(), found.end(), [](const auto& left, const auto& right) { return left.first > right.first; });
    std::vector<std::string> lines;
    for (std::size_t index = 0; index < std::min(most, found.size()); ++index) {
        lines.push_back(std::move(found[index].second));
    }
    return lines;
}

}  // namespace

const Tuning* JobLearning::before(const Placement& placement, bool unequal) const {
    const auto found = std::find_if(before_.rbegin(), before_.rend(), [&](const Tuning& section) {
        return section.fingerprint.unequal == unequal &&
               selection::has_shape(configuration_.network, placement, section);
    });
    return found == before_.rend() ? nullptr : &*found;
}

void JobLearning::read() {
    if (configuration_.learned_file.empty()) {
        return;
    }
    path_ = configuration_.learned_file;
    Fingerprint here;
    if (!mpi::all_agree(MPI_COMM_WORLD,
                        mpi::have_memory_for([&] { here = fingerprint_of(configuration_, Placement()); }))) {
        path_.clear();
        return;
    }
    before_ = read_learned(path_, here, configuration_.network.kind());
}

void JobLearning::remark_on_speeds(const CommunicatorState& state) {
    if (configuration_.verbosity < 1 || speeds_remarked_ || mpi::rank_in(MPI_COMM_WORLD) != 0 ||
        !state.is_first_rank() || state.shares_links()) {
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

void JobLearning::explain_choices(const CommunicatorState& state) const {
    constexpr std::size_t most_sizes = 8;
    if (configuration_.verbosity < 1 || !state.is_first_rank()) {
        return;
    }
    static_cast<void>(mpi::have_memory_for([&] {
        for (const std::string& line : choices_of(state, configuration_.verbosity >= 2 ? most_sizes : 1)) {
            say(line);
        }
    }));
}

void JobLearning::inherit(const CommunicatorState& state) {
    remark_on_speeds(state);
    explain_choices(state);
    add_summary(summary_, state);
    inherit_tunings(state);
    for_each_learning(state, [&](const CallLearning& one, bool unequal) {
        if (state.calls_that_show(unequal) > 0) {
            static_cast<void>(mpi::have_memory_for([&] { shown_.keep(state.placement(), unequal, one.shown()); }));
        }
    });
}

Shown JobLearning::shown(const Placement& placement, bool unequal, States states) const {
    /// A program may have very many.
    constexpr std::size_t most_looked_at = 256;
    const Shown* const freed = shown_.find(placement, unequal);
    std::int64_t most_calls = freed != nullptr ? freed->calls : 0;
    const CommunicatorState* best = nullptr;
    const std::size_t looked_at = std::min(states.size(), most_looked_at);
    for (std::size_t back = 1; back <= looked_at; ++back) {
        const CommunicatorState& one = *states[states.size() - back];
        const bool sits_alike = one.placement().machine_of == placement.machine_of;
        if (const std::int64_t calls = sits_alike ? one.calls_that_show(unequal) : 0; calls > most_calls) {
            most_calls = calls;
            best = &one;
        }
    }
    if (best != nullptr) {
        return best->learning(unequal)->shown();
    }
    return freed != nullptr ? *freed : Shown();
}

void JobLearning::inherit_tunings(const CommunicatorState& state) {
    if (path_.empty() || !state.is_first_rank()) {
        return;
    }
    static_cast<void>(mpi::have_memory_for([&] {
        for_each_learning(state, [&](const CallLearning& one, bool unequal) {
            if (std::optional<Tuning> taught = one.taught()) {
                taught->fingerprint = fingerprint_of(configuration_, state.placement());
                taught->fingerprint.unequal = unequal;
                selection::add_learned(inherited_, std::move(*taught));
            }
        });
    }));
}

void JobLearning::write(States states) {
    if (path_.empty()) {
        return;
    }
    for (const auto& state : states) {
        inherit_tunings(*state);
    }
    Fingerprint here;
    // Rank 0's is the one that counts.
    static_cast<void>(mpi::have_memory_for([&] { here = fingerprint_of(configuration_, Placement()); }));
    write_learned(path_, inherited_, here, configuration_.network.kind());
}

std::optional<learning::Summary> JobLearning::summary(States states) const {
    std::optional<learning::Summary> all = summary_;
    for (const auto& state : states) {
        add_summary(all, *state);
    }
    return all;
}

void JobLearning::report(States states) const {
    const std::optional<learning::Summary> all = summary(states);
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
