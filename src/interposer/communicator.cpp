#include "interposer/communicator.hpp"

#include <fmt/core.h>

#include <string>
#include <utility>

#include "interposer/members.hpp"
#include "interposer/remarks.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/ranks.hpp"
#include "selection/rule.hpp"

namespace aapc::interposer {

using mpi::have_memory_for;
using mpi::rank_in;

CommunicatorState::CommunicatorState(int rank, int ranks, const Job& job)
    : ranks_(ranks), rank_(rank), job_(&job), notes_(job.recorder()) {}

CommunicatorState* CommunicatorState::of(MPI_Comm comm, Job& job, std::optional<std::int64_t> block_bytes) {
    return find_or_make(comm, job, block_bytes, First::call);
}

CommunicatorState* CommunicatorState::begun_for_plan(MPI_Comm comm, Job& job, std::optional<std::int64_t> block_bytes) {
    CommunicatorState* const state = find_or_make(comm, job, block_bytes, First::plan);
    const bool has_begun = state != nullptr && (state->has_begun_ || state->begin_later(comm, job));
    return has_begun && !state->left_alone_ ? state : nullptr;
}

void CommunicatorState::plan_ahead(MPI_Comm comm, Job& job, std::int64_t block_bytes) {
    CommunicatorState* const state = begun_for_plan(comm, job, block_bytes);
    if (state != nullptr && state->equal_) {
        state->equal_->plan_ahead(comm, block_bytes);
    }
}

void CommunicatorState::plan_ahead(const UnequalCall& call, Job& job) {
    CommunicatorState* const state = begun_for_plan(call.comm, job, std::nullopt);
    if (state != nullptr && !state->against_unequal() && state->have_unequal(call.comm, job)) {
        state->unequal_->plan_ahead(call, job.refusals());
    }
}

CommunicatorState* CommunicatorState::find_or_make(MPI_Comm comm, Job& job, std::optional<std::int64_t> block_bytes,
                                                   First first) {
    job.count_settled();
    CommunicatorState* const known = job.communicators().find(comm);
    if (known != nullptr && block_bytes && *block_bytes > 0) {
        known->end_rest(comm, job.cache(), *block_bytes);
    }
    if (known != nullptr && known->has_begun_ && known->has_links_alone()) {
        return known->take_links_alone(comm, job) ? known : nullptr;
    }
    if (known != nullptr && (known->has_begun_ || !known->first_call_passed_ || known->begin_later(comm, job))) {
        return known;
    }
    if (job.communicators().is_left_alone(comm)) {
        return nullptr;
    }
    int is_inter = 0;
    int ranks = 0;
    if (PMPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS || PMPI_Comm_size(comm, &ranks) != MPI_SUCCESS) {
        return nullptr;
    }
    // Known without memory: whether there are others to agree with must not depend on it.
    const bool of_our_world = is_inter == 0 && is_of_world(comm, ranks, job);
    // Ranks of another world may not have this library in them, so there is no asking them; and two ranks on two
    // machines are never scheduled.
    const bool agrees = of_our_world && ranks >= 2 && (ranks > 2 || share_a_machine(comm, ranks, job));
    std::unique_ptr<CommunicatorState> state;
    const bool decided = have_memory_for([&] {
        state.reset(new CommunicatorState(rank_in(comm), ranks, job));
        if (of_our_world) {
            state->decide_for(comm, job, first == First::plan ? Effort::thorough : Effort::at_set_up);
        } else {
            state->why_native_ = is_inter != 0 ? Outcome::intercommunicator : Outcome::other_world;
        }
        if (agrees && first == First::call) {
            state->prepare_first_call(comm, job, block_bytes);
        }
    });
    CommunicatorState* const kept = decided ? job.communicators().keep(comm, std::move(state)) : nullptr;
    if (!agrees) {
        if (kept != nullptr) {
            kept->has_begun_ = true;
        }
        return kept;
    }
    const std::uint64_t shown = kept != nullptr ? kept->shown_digest() : 0;
    if (job.begins_in_passing()) {
        mpi::Agreement of_no_state;
        mpi::Agreement& beginning = kept != nullptr ? kept->beginning_ : of_no_state;
        beginning.post(comm, {.agrees = kept != nullptr, .equal = shown});
        // A rank without memory for it waits for the others, and has the call done by the MPI.
        const bool waits = kept != nullptr && block_bytes && !kept->equal_->passes_first_call(*block_bytes);
        return !waits || kept->begin_later(comm, job) ? kept : nullptr;
    }
    const mpi::Agreed agreed = mpi::Agreement().agree(comm, {.agrees = kept != nullptr, .equal = shown});
    return begin(comm, job, kept, agreed) ? kept : nullptr;
}

void CommunicatorState::end_rest(MPI_Comm comm, CallCache& cache, std::int64_t block_bytes) const {
    EqualLearning* const learns = equal_ ? equal_->learning() : nullptr;
    if (const auto key = learns != nullptr ? learns->key_of(block_bytes) : std::nullopt) {
        cache.end(comm, *key);
    }
}

bool CommunicatorState::begin(MPI_Comm comm, Job& job, CommunicatorState* state, const mpi::Agreed& agreed) {
    if (!agreed.all || !state->equal_->keep_within_limit(comm)) {
        // Nobody keeps anything, so that all ask again at the next call, when there may be memory.
        if (state != nullptr) {
            job.communicators().forget(comm);
        }
        return false;
    }
    state->has_begun_ = true;
    if (CallLearning* const equal = state->learning(false)) {
        equal->resume(agreed.same);
    }
    if (state->unequal_) {
        state->unequal_->begin(agreed.same);
    }
    state->introduce();
    state->notes_.agree_on_name(comm);
    return true;
}

void CommunicatorState::decide_for(MPI_Comm comm, Job& job, Effort effort) {
    const std::vector<Rank> members = world_ranks_of(comm, ranks_, job);
    placement_ = placement_of(members, job.placement());
    if (job.learns_from_calls(placement_)) {
        shared_ = links_shared_by(job.configuration().network, job.placement(), members);
    }
    make_parts(comm, job, effort);
}

void CommunicatorState::make_parts(MPI_Comm comm, Job& job, Effort effort) {
    const Network& network = shared_ ? shared_->network : job.configuration().network;
    maker_ = std::make_unique<ExchangeMaker>(job.configuration(), placement_,
                                             job.timetables_for(network, placement_, effort));
    if (mpi::Wire::Kept kept = job.kept_connections(placement_, rank_); !kept.pairs.empty() || kept.listens != 0) {
        maker_->expect(std::move(kept));
    }
    if (selection::is_on_one_machine(placement_)) {
        why_native_ = ranks_ < 2 ? Outcome::few_ranks : Outcome::nothing_on_links;
    } else if (selection::nothing_to_schedule(placement_, maker_->timetables().bound())) {
        why_native_ = Outcome::few_ranks;
    } else if (job.configuration().only_records) {
        why_native_ = Outcome::only_recorded;
    }
    equal_ = std::make_unique<EqualMessages>(comm, job, placement_, *maker_, why_native_);
}

bool CommunicatorState::has_links_alone() const {
    const learning::Fastest found = fastest();
    return shared_ && found.seconds > 0 && found.least_seconds > incredible_over_bound * found.seconds;
}

bool CommunicatorState::take_links_alone(MPI_Comm comm, Job& job) {
    note_paths();
    release_exchanges(false);
    job.cache().clear();
    const bool made = have_memory_for([&] {
        unequal_.reset();
        equal_.reset();
        maker_.reset();
        shared_.reset();
        has_left_siblings_ = true;
        make_parts(comm, job, Effort::at_set_up);
    });
    const mpi::Agreed agreed = mpi::Agreement().agree(comm, {.agrees = made, .equal = made ? shown_digest() : 0});
    return begin(comm, job, this, agreed);
}

void CommunicatorState::prepare_first_call(MPI_Comm comm, Job& job, std::optional<std::int64_t> block_bytes) {
    if (!block_bytes && !against_unequal()) {
        make_unequal(comm, job);
    }
    if (block_bytes && job.begins_in_passing()) {
        equal_->begin_first_class(*block_bytes);
    }
}

void CommunicatorState::introduce() const {
    const int verbosity = job_->configuration().verbosity;
    if (verbosity < 1 || rank_ != 0) {
        return;
    }
    static_cast<void>(have_memory_for([&] {
        std::string begins;
        if (const CallLearning* const equal = learning(false)) {
            begins = "; the program's own calls show what is faster (AAPC_ADAPT)";
            const Tuning* const before = equal->learned_before();
            if (equal->shown_calls() > 0) {
                begins += fmt::format(", beginning with what {} calls on other communicators have shown",
                                      equal->shown_calls());
            } else if (before != nullptr) {
                begins += fmt::format(", beginning with what {} calls have shown, the latest {}",
                                      before->conditions.calls, before->conditions.date);
            }
        }
        std::string links;
        if (shared_) {
            links = "; " + sharing_text(shared_->siblings);
        } else if (has_left_siblings_) {
            links = "; its calls are too fast for links that are shared, so it is taken to have them to itself";
        }
        say(selection::explain(placement_, equal_->decision()) + links + begins);
        if (verbosity >= 2) {
            std::string places;
            for (std::size_t rank = 0; rank < placement_.machine_of.size(); ++rank) {
                places += fmt::format("{}{} on {}", rank == 0 ? "" : ", ", rank,
                                      job_->configuration().network.machine_name(placement_.machine_of[rank]));
            }
            say("its ranks: " + places);
        }
    }));
}

void CommunicatorState::note_entry() {
    notes_.begin_call();
    for (const bool unequal : {false, true}) {
        if (CallLearning* const one = learning(unequal)) {
            one->chooser().note_entry();
        }
    }
}

Verdict CommunicatorState::serve(const Call& call, const Refusals& refusals) {
    note_entry();
    if (left_alone_) {
        return {Outcome::unavailable};
    }
    if (!has_begun_) {
        // In their first call the others wait for this rank's next one then, and agree on nothing.
        if (refusals.refuse(call)) {
            return {Outcome::arguments};
        }
        first_call_passed_ = true;
    }
    if (!equal_) {
        Verdict native{why_native_};
        native.repeats = has_begun_;
        return native;
    }
    const Verdict verdict = equal_->decide(call, refusals, has_begun_);
    notes_.note_waiting(equal_->waited_seconds());
    return verdict;
}

int CommunicatorState::run(mpi::Exchange& exchange, const Call& call) {
    const auto noting = notes_.note_segments(exchange.plan());
    const int error = equal_->buffers().run(exchange, call, ranks_);
    notes_.add_waiting(exchange.report().agreement_seconds);
    return error;
}

std::optional<Outcome> CommunicatorState::against_unequal() const {
    // What else there is against it holds for messages of any lengths; a size is the one thing that does not.
    if (why_native_ != Outcome::size) {
        return why_native_;
    }
    return job_->configuration().unequal == selection::UnequalUse::never ? std::optional(Outcome::size) : std::nullopt;
}

void CommunicatorState::make_unequal(MPI_Comm comm, Job& job) {
    unequal_ = std::make_unique<UnequalMessages>(comm, placement_, job.configuration(),
                                                 job.before_learning(placement_, true, 0), *maker_);
}

/// Where the communicator has begun with equal messages, or with a plan.
bool CommunicatorState::have_unequal(MPI_Comm comm, Job& job) {
    if (unequal_) {
        return true;
    }
    const bool made = have_memory_for([&] { make_unequal(comm, job); });
    CallLearning* const learns = learning(true);
    const mpi::Agreed agreed =
        mpi::Agreement().agree(comm, {.agrees = made, .equal = learns != nullptr ? learns->shown_digest() : 0});
    if (!agreed.all) {
        unequal_.reset();
        return false;
    }
    unequal_->begin(agreed.same);
    return true;
}

Verdict CommunicatorState::serve(const UnequalCall& call, Job& job) {
    note_entry();
    first_call_passed_ = true;
    if (const auto obstacle = against_unequal()) {
        return {*obstacle};
    }
    if (left_alone_) {
        return {Outcome::unavailable};
    }
    if (!have_unequal(call.comm, job)) {
        return {Outcome::unavailable};
    }
    const Verdict verdict = unequal_->decide(call, job.refusals());
    notes_.note_waiting(unequal_->waited_seconds());
    return verdict;
}

int CommunicatorState::run(const UnequalCall& call) {
    notes_.note_unequal_method(unequal_->method());
    const auto noting = notes_.note_segments(unequal_->plan());
    const int error = unequal_->run(call);
    notes_.note_waiting(unequal_->waited_seconds());
    return error;
}

CallLearning* CommunicatorState::learning(bool unequal) const {
    if (unequal) {
        return unequal_ ? unequal_->learning() : nullptr;
    }
    return equal_ ? equal_->learning() : nullptr;
}

learning::Fastest CommunicatorState::fastest() const {
    learning::Fastest fastest;
    for (const bool unequal : {false, true}) {
        const CallLearning* const one = learning(unequal);
        const learning::Fastest found = one != nullptr ? one->learner().fastest() : learning::Fastest();
        if (found.seconds > 0 && found.least_seconds * fastest.seconds >= fastest.least_seconds * found.seconds) {
            fastest = found;
        }
    }
    return fastest;
}

std::uint64_t CommunicatorState::shown_digest() const {
    // The factor keeps apart what was shown of one kind and of the other.
    constexpr std::uint64_t factor = 0x9e3779b97f4a7c15U;
    const CallLearning* const equal = learning(false);
    const CallLearning* const other = learning(true);
    return (equal != nullptr ? equal->shown_digest() : 0) + factor * (other != nullptr ? other->shown_digest() : 0);
}

std::int64_t CommunicatorState::calls_that_show(bool unequal) const {
    const CallLearning* const one = learning(unequal);
    return one != nullptr ? calls_of(one->learner()) : 0;
}

std::vector<std::string> CommunicatorState::report() const {
    std::vector<std::string> lines;
    for (std::string line : {equal_ ? equal_->report() : "", unequal_ ? unequal_->report() : ""}) {
        if (!line.empty()) {
            lines.push_back(std::move(line));
        }
    }
    return lines;
}

void CommunicatorState::complete() {
    beginning_.complete();
    for (const bool unequal : {false, true}) {
        if (CallLearning* const one = learning(unequal)) {
            one->complete();
        }
    }
}

void CommunicatorState::release_exchanges(bool at_once) {
    complete();
    if (equal_) {
        equal_->release();
    }
    if (unequal_) {
        unequal_->release();
    }
    if (maker_) {
        maker_->close(at_once);
    }
}

}  // namespace aapc::interposer
