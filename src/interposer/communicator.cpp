#include "interposer/communicator.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <string>
#include <utility>

#include "aapc/input/units.hpp"
#include "aapc/methods/preparation.hpp"
#include "aapc/mpi/make_exchange.hpp"
#include "aapc/plan/plan.hpp"
#include "aapc/plan/staging.hpp"
#include "aapc/timetable/timetable.hpp"
#include "aapc/topology/bound.hpp"
#include "interposer/blocks.hpp"
#include "interposer/long_calls.hpp"
#include "interposer/members.hpp"
#include "interposer/this_mpi.hpp"
#include "mpi/complaints.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/ranks.hpp"
#include "mpi/rest.hpp"
#include "mpi/returned_errors.hpp"
#include "selection/buffers.hpp"

namespace aapc::interposer {

namespace {

using mpi::all_agree;
using mpi::have_memory_for;
using mpi::raise;
using mpi::rank_in;

/// Whether calls of such blocks may teach anything.
bool is_learned_from(std::int64_t block_bytes) {
    return block_bytes > 0 && block_bytes <= selection::largest_scheduled_block;
}

/// Each rank knows its own needs; afterwards all know those of the rank that needs most. Collective.
bool find_largest(MPI_Comm comm, std::vector<BufferedMethod>& needs) {
    bool found = true;
    for (BufferedMethod& need : needs) {
        const mpi::Agreed agreed = mpi::Agreement().agree(comm, {.maxima = {&need.buffer_blocks, 1}});
        found = found && agreed.error == MPI_SUCCESS;
        need.buffer_blocks = agreed.maxima[0];
    }
    return found;
}

/// Reports once per process that blocks travel by MPI's connections although AAPC_WIRE=tcp.
void say_once_why_not(const mpi::Wire& wire) {
    static std::atomic_flag said = ATOMIC_FLAG_INIT;
    if (wire.complaint() && !said.test_and_set()) {
        std::string line;
        const bool made = have_memory_for(
            [&] { line = fmt::format("AAPC_WIRE: {}; using MPI's connections", to_string(*wire.complaint())); });
        say(made ? std::string_view(line) : "AAPC_WIRE: no memory left; using MPI's connections");
    }
}

}  // namespace

CommunicatorState::CommunicatorState(int rank, int ranks, const Job& job)
    : ranks_(ranks), rank_(rank), job_(&job), decided_(selection::Decision("not looked at yet")) {}

void CommunicatorState::leave_to_mpi(Outcome why, std::string reason) {
    why_native_ = why;
    set_decision(selection::Decision(std::move(reason)));
}

CommunicatorState* CommunicatorState::of(MPI_Comm comm, Job& job, std::optional<std::int64_t> block_bytes) {
    job.count_settled();
    if (block_bytes && *block_bytes > 0) {
        job.cache().end(comm, learning::class_of(*block_bytes));
    }
    CommunicatorState* const known = job.find(comm);
    if (known != nullptr && (known->has_begun_ || !known->first_call_passed_ || known->begin_later(comm, job))) {
        return known;
    }
    if (job.is_left_alone(comm)) {
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
            state->decide_for(comm, job);
        } else if (is_inter != 0) {
            state->why_native_ = Outcome::intercommunicator;
        } else {
            state->leave_to_mpi(Outcome::other_world, "some ranks belong to another MPI_COMM_WORLD");
        }
        if (agrees) {
            state->prepare_first_call(comm, job, block_bytes);
        }
    });
    CommunicatorState* const kept = decided ? job.keep(comm, std::move(state)) : nullptr;
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
        const bool waits = kept != nullptr && !kept->passes_first_call(block_bytes);
        return !waits || kept->begin_later(comm, job) ? kept : nullptr;
    }
    const mpi::Agreed agreed = mpi::Agreement().agree(comm, {.agrees = kept != nullptr, .equal = shown});
    return begin(comm, job, kept, agreed) ? kept : nullptr;
}

bool CommunicatorState::begin(MPI_Comm comm, Job& job, CommunicatorState* state, const mpi::Agreed& agreed) {
    if (!agreed.all || !state->keep_within_limit(comm)) {
        // Nobody keeps anything, so that all ask again at the next call, when there may be memory.
        if (state != nullptr) {
            job.forget(comm);
        }
        return false;
    }
    state->has_begun_ = true;
    if (state->equal_) {
        state->equal_->resume(agreed.same);
    }
    if (state->unequal_) {
        state->unequal_->begin(agreed.same);
    }
    state->introduce(comm);
    if (job.recorder() != nullptr) {
        state->recorded_name_ = job.recorder()->agree_on_name(comm);
    }
    return true;
}

void CommunicatorState::prepare_first_call(MPI_Comm comm, Job& job, std::optional<std::int64_t> block_bytes) {
    if (!block_bytes && !against_unequal()) {
        make_unequal(comm, job);
    }
    if (!job.begins_in_passing()) {
        return;
    }
    if (equal_ && block_bytes && is_learned_from(*block_bytes) && equal_->has_candidates(*block_bytes)) {
        equal_->begin(*block_bytes);
    }
}

bool CommunicatorState::passes_first_call(std::optional<std::int64_t> block_bytes) {
    return !block_bytes || !equal_ || !equal_->chooser().knows(*block_bytes) ||
           equal_->chooser().begins_native(*block_bytes);
}

bool CommunicatorState::begin_later(MPI_Comm comm, Job& job) { return begin(comm, job, this, beginning_.collect()); }

void CommunicatorState::decide_for(MPI_Comm comm, Job& job) {
    placement_ = placement_of(comm, ranks_, job);
    shares_machines_ = mpi::some_machine_is_shared(placement_);
    timetables_.emplace(job.timetables_for(placement_));
    const selection::Configuration& configuration = job_->configuration();
    const Bound bound = network_bound(configuration.network, placement_);
    if (selection::is_on_one_machine(placement_)) {
        why_native_ = ranks_ < 2 ? Outcome::few_ranks : Outcome::nothing_on_links;
    } else if (selection::nothing_to_schedule(placement_, bound)) {
        why_native_ = Outcome::few_ranks;
    }
    set_decision(decided(configuration.start_seconds));
    needs_ = own_needs(comm);
    begin_to_learn(bound, comm == MPI_COMM_WORLD ? job.opening().made() : 0);
    if (!equal_ && !configuration.start_seconds && selection::depends_on_start(decided_.decision)) {
        start_matters_from_ =
            selection::crossover(configuration.network, placement_, bound, selection::least_start_seconds).block_bytes;
    }
}

namespace {

/// The MPI that a rule has to be for. What another MPI's own was faster than is worth a try where calls show who is.
std::string_view mpi_of_rule(const selection::Configuration& configuration) {
    return configuration.adapt ? "" : this_mpi().name;
}

}  // namespace

selection::Decision CommunicatorState::decided_otherwise(const Bound& bound, std::optional<double> start_seconds) {
    const selection::Configuration& configuration = job_->configuration();
    return selection::decide(*timetables_, bound, {std::nullopt, configuration.forced.synchronisation}, nullptr,
                             mpi_of_rule(configuration), start_seconds);
}

selection::Decision CommunicatorState::decided(std::optional<double> start_seconds) {
    const selection::Configuration& configuration = job_->configuration();
    const Bound bound = network_bound(configuration.network, placement_);
    selection::Decision wanted = selection::decide(*timetables_, bound, configuration.forced, job_->tuning(),
                                                   mpi_of_rule(configuration), start_seconds);
    if (needs_.empty()) {
        return wanted;
    }
    if (!configuration.buffer_limit) {
        return selection::with_buffers(wanted, needs_);
    }
    // What the user insists on has been decided upon; what takes its place is for the rule to say.
    return selection::within_limit({std::move(wanted), decided_otherwise(bound, start_seconds)}, needs_,
                                   *configuration.buffer_limit);
}

std::vector<BufferedMethod> CommunicatorState::own_needs(MPI_Comm comm) {
    const selection::Configuration& configuration = job_->configuration();
    if (!configuration.buffer_limit && configuration.verbosity < 1) {
        return {};
    }
    const auto blocks_of = [rank = rank_in(comm)](const Timetable& timetable, const Synchronisation& synchronisation) {
        return buffer_blocks(make_plan(timetable, rank, synchronisation));
    };
    if (!configuration.buffer_limit) {
        return selection::forwarding_methods(*timetables_, decided_.decision, blocks_of);
    }
    const Bound bound = network_bound(configuration.network, placement_);
    const selection::LimitedDecision limited = {decided_.decision,
                                                decided_otherwise(bound, configuration.start_seconds)};
    return selection::forwarding_methods(*timetables_, limited, blocks_of);
}

bool CommunicatorState::keep_within_limit(MPI_Comm comm) {
    if (needs_.empty()) {
        return true;
    }
    const bool known = find_largest(comm, needs_);
    const bool followed = have_memory_for([&] { set_decision(decided(job_->configuration().start_seconds)); });
    return all_agree(comm, known && followed);
}

void CommunicatorState::introduce(MPI_Comm comm) const {
    const int verbosity = job_->configuration().verbosity;
    if (verbosity < 1 || rank_in(comm) != 0) {
        return;
    }
    static_cast<void>(have_memory_for([&] {
        std::string learning;
        const std::int64_t shown_calls = equal_ ? equal_->shown_calls() : 0;
        const Tuning* const learned_before = equal_ ? equal_->learned_before() : nullptr;
        if (equal_) {
            learning = "; the program's own calls show what is faster (AAPC_ADAPT)";
        }
        if (shown_calls > 0) {
            learning += fmt::format(", beginning with what {} calls on other communicators have shown", shown_calls);
        } else if (learned_before != nullptr) {
            learning += fmt::format(", beginning with what {} calls have shown, the latest {}",
                                    learned_before->conditions.calls, learned_before->conditions.date);
        }
        say(selection::explain(placement_, decided_.decision) + learning);
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

Verdict CommunicatorState::serve(const Call& call, const Refusals& refusals) {
    noted_ = {};
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
        if (!equal_) {
            return {why_native_};
        }
    }
    if (call.block_bytes >= start_matters_from_) {
        if (refusals.refuse(call)) {
            return {Outcome::arguments};
        }
        if (start_is_due(call.block_bytes)) {
            learn_start(call.comm);
        }
    }
    if (equal_ && is_learned_from(call.block_bytes)) {
        return choose_by_learning(call, refusals);
    }
    Verdict verdict = choose_slot(decided_.slots[decided_.slot_of(call.block_bytes)], call, refusals);
    // What a start costs, once it is measured, moves the range in which larger blocks are.
    const bool start_is_known = start_matters_from_ == std::numeric_limits<std::int64_t>::max() ||
                                (start_.seconds() && call.block_bytes < start_matters_from_);
    verdict.repeats = has_begun_ && verdict.outcome == why_native_ && verdict.exchange == nullptr && start_is_known;
    return verdict;
}

Verdict CommunicatorState::choose_slot(Slot& slot, const Call& call, const Refusals& refusals) {
    if (slot.method.native()) {
        return {why_native_};
    }
    if (refusals.refuse(call)) {
        return {Outcome::arguments};
    }
    slot.used = true;
    mpi::Exchange* const exchange = made(call.comm, slot).exchange.get();
    return {exchange != nullptr ? Outcome::exchanged : Outcome::unavailable, exchange, false, slot.recorded_as};
}

Slot& CommunicatorState::made(MPI_Comm comm, Slot& slot) {
    if (!slot.tried) {
        slot.tried = true;
        slot.exchange = make_exchange(comm, slot.method);
        if (job_->recorder() != nullptr) {
            static_cast<void>(
                have_memory_for([&] { slot.recorded_as = job_->recorder()->method_number(to_string(slot.method)); }));
        }
    }
    return slot;
}

bool CommunicatorState::start_is_due(std::int64_t block_bytes) {
    if (!start_.seconds()) {
        return true;
    }
    return block_bytes < decided_.decision.crossover()->block_bytes && start_.is_due_again();
}

void CommunicatorState::learn_start(MPI_Comm comm) {
    const std::int64_t matters_from = start_matters_from_;
    // Until it has been measured: what cannot be measured now is not tried again.
    start_matters_from_ = std::numeric_limits<std::int64_t>::max();
    const std::size_t by_time = decided_.decision.range_of(decided_.decision.crossover()->block_bytes);
    mpi::Exchange* const exchange = made(comm, decided_.slots[decided_.slot_of_range[by_time]]).exchange.get();
    if (exchange == nullptr) {
        return;
    }
    const std::unique_ptr<std::byte[]> blocks(new (std::nothrow) std::byte[2 * static_cast<std::size_t>(ranks_)]());
    if (!all_agree(comm, blocks != nullptr)) {
        return;
    }
    double seconds = 0;
    bool known = exchange->measure_start(blocks.get(), seconds) == MPI_SUCCESS;
    std::optional<Decided> next;
    selection::MeasuredStart start = start_;
    start.note(seconds);
    known = known && have_memory_for([&] { next.emplace(decided(start.seconds())); });
    if (!all_agree(comm, known)) {
        return;
    }
    start_ = start;
    decided_.follow(std::move(*next));
    if (selection::depends_on_start(decided_.decision)) {
        start_matters_from_ = matters_from;
    }
    if (job_->configuration().verbosity >= 2 && rank_in(comm) == 0) {
        static_cast<void>(have_memory_for([&] { say(selection::explain(placement_, decided_.decision)); }));
    }
}

std::unique_ptr<mpi::Exchange> CommunicatorState::make_exchange(MPI_Comm comm, const Method& method) {
    Expected<Prepared> prepared = failure({.problem = mpi::no_memory});
    static_cast<void>(have_memory_for([&] {
        prepared = prepare(*timetables_, network_bound(timetables_->network(), placement_), method)
                       .map_error([&](Diagnostic why) { return said_of(method, std::move(why)); });
        timetables_->release(*method.algorithm, method.variant);
    }));
    // Known to all ranks alike. Where every rank has a machine to itself there is nobody to share anything with but the
    // counters of tickets.
    const bool shares = shares_machines_ || uses_tickets(method.synchronisation);
    auto exchange = mpi::make_exchange(comm, prepared, placement_, shares ? machine_memory(comm) : nullptr,
                                       job_->configuration().buffer_limit,
                                       job_->configuration().wire == selection::WireUse::tcp
                                           ? std::optional<mpi::OwnWire>({wire_, job_->configuration().network})
                                           : std::nullopt);
    if (rank_in(comm) == 0) {
        say_once_why_not(wire_);
    }
    if (!exchange) {
        if (rank_in(comm) == 0) {
            std::string line;
            const bool made = have_memory_for([&] { line = selection::giving_up(to_string(exchange.error())); });
            say(made ? std::string_view(line) : no_memory_to_go_on);
        }
        return nullptr;
    }
    if (job_->configuration().verbosity >= 1 && rank_in(comm) == 0) {
        static_cast<void>(have_memory_for([&] {
            if (const std::string remark = prepared->timetable->remark(); !remark.empty()) {
                say(fmt::format("{}: {}", to_string(method), remark));
            }
        }));
    }
    return std::move(*exchange);
}

mpi::MachineMemory* CommunicatorState::machine_memory(MPI_Comm comm) {
    if (!machine_memory_tried_) {
        machine_memory_tried_ = true;
        int error = MPI_SUCCESS;
        {
            const mpi::ReturnedErrors returned(comm);
            error = mpi::MachineMemory::create(comm, placement_, job_->configuration().shared_memory, machine_memory_);
        }
        if (!all_agree(comm, error == MPI_SUCCESS)) {
            machine_memory_.reset();
        }
    }
    return machine_memory_.get();
}

int CommunicatorState::run(mpi::Exchange& exchange, const Call& call) {
    const CarriedOut carried_out(name_of(call.routine), call.comm, call.block_bytes);
    const auto noting = note_segments(exchange.plan());
    // Blocks that are exchanged have data, at most 2^31-1 bytes of them, and so no more elements.
    const Block receive_block(static_cast<int>(call.receive_count), call.receive_type, call.block_bytes,
                              receive_layout_.of(call.receive_type));
    const Block send_block = call.sends_what_it_receives() ? receive_block
                                                           : Block(static_cast<int>(call.send_count), call.send_type,
                                                                   call.block_bytes, send_layout_.of(call.send_type));
    const auto block_bytes = static_cast<std::size_t>(call.block_bytes);

    const std::byte* from = nullptr;
    std::byte* to = nullptr;
    int error = call.unequal ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
    bool raised = false;
    if (error == MPI_SUCCESS) {
        const std::size_t all_bytes = block_bytes * static_cast<std::size_t>(ranks_);
        const bool packs = call.in_place() || !send_block.plain();
        from = packs ? packed_send_.at_least(all_bytes) : static_cast<const std::byte*>(call.send_buffer);
        to = receive_block.plain() ? static_cast<std::byte*>(call.receive_buffer) : packed_receive_.at_least(all_bytes);
        if (from == nullptr || to == nullptr) {
            error = MPI_ERR_NO_MEM;
        } else if (packs) {
            const void* const unpacked = call.in_place() ? call.receive_buffer : call.send_buffer;
            error = send_block.pack(unpacked, ranks_, packed_send_.bytes.get(), call.comm);
            raised = error != MPI_SUCCESS;
        }
    }
    // A rank that has nothing to send still takes part, for the others wait for it.
    const int became = error == MPI_SUCCESS ? exchange.run(from, to, block_bytes) : exchange.run_mute(block_bytes);
    if (const double agreement = exchange.report().agreement_seconds; agreement > 0) {
        noted_.waited_seconds = std::max(noted_.waited_seconds, 0.0) + agreement;
    }
    if (became == mpi::Exchange::declined) {
        return became;
    }
    error = error == MPI_SUCCESS ? became : error;
    if (error != MPI_SUCCESS) {
        return raised ? error : raise(call.comm, error);
    }
    return receive_block.plain() ? MPI_SUCCESS : receive_block.unpack(to, ranks_, call.receive_buffer, call.comm);
}

std::optional<Outcome> CommunicatorState::against_unequal() const {
    // What else there is against it holds for messages of any lengths; a size is the one thing that does not.
    if (why_native_ != Outcome::size) {
        return why_native_;
    }
    return job_->configuration().unequal == selection::UnequalUse::never ? std::optional(Outcome::size) : std::nullopt;
}

void CommunicatorState::make_unequal(MPI_Comm comm, Job& job) {
    unequal_ = std::make_unique<UnequalState>(
        comm, job.configuration().network, placement_, job.configuration(), job.learned_before(placement_, true),
        job.shown_on_others(placement_, true), [this, comm] { return machine_memory(comm); });
}

void CommunicatorState::note_entry() {
    if (equal_) {
        equal_->chooser().note_entry();
    }
    if (unequal_) {
        unequal_->note_entry();
    }
}

Verdict CommunicatorState::serve(const UnequalCall& call, Job& job) {
    noted_ = {};
    note_entry();
    first_call_passed_ = true;
    if (const auto obstacle = against_unequal()) {
        return {*obstacle};
    }
    if (left_alone_) {
        return {Outcome::unavailable};
    }
    if (!unequal_) {
        // The communicator has begun with a call of equal messages.
        const bool made = have_memory_for([&] { make_unequal(call.comm, job); });
        const mpi::Agreed agreed =
            mpi::Agreement().agree(call.comm, {.agrees = made, .equal = made ? unequal_->shown_digest() : 0});
        if (!agreed.all) {
            unequal_.reset();
            return {Outcome::unavailable};
        }
        unequal_->begin(agreed.same);
    }
    const Verdict verdict = unequal_->decide(call, job.refusals());
    noted_.waited_seconds = unequal_->waited_seconds();
    return verdict;
}

std::optional<mpi::SegmentLog::Noting> CommunicatorState::note_segments(const Plan& plan) {
    Recorder* const recorder = job_->recorder();
    if (recorder == nullptr || recorded_name_ < 0 || plan.synchronisation.kind != Synchronisation::Kind::timed) {
        return std::nullopt;
    }
    const std::uint32_t exchange = ++exchanges_noted_;
    if (!recorder->wants_segments_of(exchange)) {
        return std::nullopt;
    }
    noted_.exchange = exchange;
    return recorder->note_segments(recorded_name_, exchange, plan.rank);
}

int CommunicatorState::run(const UnequalCall& call) {
    Recorder* const recorder = job_->recorder();
    if (recorder == nullptr) {
        return unequal_->run(call);
    }
    noted_.unequal_method = recorder->method_number(unequal_->method());
    const auto noting = note_segments(unequal_->plan());
    const int error = unequal_->run(call);
    noted_.waited_seconds = unequal_->waited_seconds();
    return error;
}

void CommunicatorState::begin_to_learn(const Bound& bound, std::int64_t calls_before) {
    const bool has_candidate = std::any_of(decided_.slots.begin(), decided_.slots.end(),
                                           [](const Slot& slot) { return !slot.method.native(); });
    const selection::Configuration& configuration = job_->configuration();
    if (has_candidate && configuration.adapt && decided_.decision.basis() == selection::Decision::Basis::rule) {
        equal_ =
            std::make_unique<EqualLearning>(decided_, bound, ranks_, configuration.start_seconds,
                                            EqualLearning::Before{calls_before, job_->learned_before(placement_, false),
                                                                  job_->shown_on_others(placement_, false)});
    }
}

std::uint64_t CommunicatorState::shown_digest() const {
    // The factor keeps apart what was shown of one kind and of the other.
    constexpr std::uint64_t factor = 0x9e3779b97f4a7c15U;
    return (equal_ ? equal_->shown_digest() : 0) + factor * (unequal_ ? unequal_->shown_digest() : 0);
}

const learning::Learner* CommunicatorState::learner(bool unequal) const {
    if (unequal) {
        return unequal_ ? unequal_->learner() : nullptr;
    }
    return equal_ ? &equal_->learner() : nullptr;
}

std::int64_t CommunicatorState::calls_that_show(bool unequal) const {
    const learning::Learner* const one = learner(unequal);
    return one != nullptr ? calls_of(*one) : 0;
}

Shown CommunicatorState::shown(bool unequal) const {
    if (learner(unequal) == nullptr) {
        return {};
    }
    return unequal ? unequal_->shown() : equal_->shown();
}

Verdict CommunicatorState::choose_by_learning(const Call& call, const Refusals& refusals) {
    if (!equal_->is_usable()) {
        return {Outcome::unavailable};
    }
    Chooser& chooser = equal_->chooser();
    if (const auto slot = chooser.resting_method(call.block_bytes)) {
        Verdict verdict = choose_slot(decided_.slots[*slot], call, refusals);
        // Until the ranks have agreed, what is learned here may be replaced, and the next call is collective.
        verdict.repeats = has_begun_ && decided_.slots[*slot].method.native();
        verdict.rest = chooser.rest();
        return verdict;
    }
    const bool is_known = chooser.knows(call.block_bytes);
    if (!is_known && !equal_->has_candidates(call.block_bytes)) {
        // For the summary. A rank without memory for it passes the call as well.
        static_cast<void>(equal_->begin_with_all(call.comm, call.block_bytes));
        return {why_native_};
    }
    // Before the ranks agree on anything: a rank that goes to the MPI instead would be missed.
    if (refusals.refuse(call)) {
        return {Outcome::arguments};
    }
    std::optional<EqualLearning::Choice> choice;
    if (is_known || equal_->begin_with_all(call.comm, call.block_bytes)) {
        choice = equal_->choose(call.comm, call.block_bytes);
        noted_.waited_seconds = chooser.waited_seconds();
    }
    if (!choice) {
        equal_->fail();
        return {Outcome::unavailable};
    }
    Slot& slot = decided_.slots[choice->slot];
    if (slot.method.native()) {
        return {why_native_, nullptr, choice->timed};
    }
    if (!slot.tried) {
        const double before = PMPI_Wtime();
        made(call.comm, slot);
        chooser.note_set_up(PMPI_Wtime() - before);
    }
    if (!slot.exchange) {
        chooser.withdraw();
        return {Outcome::unavailable};
    }
    slot.used = true;
    return {Outcome::exchanged, slot.exchange.get(), choice->timed, slot.recorded_as};
}

std::vector<Tuning> CommunicatorState::taught() const {
    std::vector<Tuning> all;
    const auto add = [&](std::optional<Tuning> taught, bool unequal) {
        if (taught) {
            taught->fingerprint = job_->fingerprint(placement_);
            taught->fingerprint.unequal = unequal;
            all.push_back(std::move(*taught));
        }
    };
    if (equal_) {
        add(equal_->taught(), false);
    }
    if (unequal_) {
        add(unequal_->taught(), true);
    }
    return all;
}

learning::Fastest CommunicatorState::fastest() const {
    learning::Fastest fastest;
    for (const bool unequal : {false, true}) {
        const learning::Learner* const one = learner(unequal);
        const learning::Fastest found = one != nullptr ? one->fastest() : learning::Fastest();
        if (found.seconds > 0 && found.least_seconds * fastest.seconds >= fastest.least_seconds * found.seconds) {
            fastest = found;
        }
    }
    return fastest;
}

std::vector<std::string> CommunicatorState::choices(std::size_t most) const {
    std::vector<std::pair<double, std::string>> found;  // by seconds
    for (const bool unequal : {false, true}) {
        const learning::Learner* const one = learner(unequal);
        if (one == nullptr) {
            continue;
        }
        const std::vector<Method> methods = shown(unequal).methods;
        for (const auto& [key, trials] : one->classes()) {
            const learning::Budget spent = trials.budget();
            if (trials.prospects().size() < 2 || spent.calls == 0 || spent.seconds <= 0) {
                continue;
            }
            const auto name = [&methods](std::size_t method) { return to_string(methods[method]); };
            const std::string size =
                unequal ? fmt::format("unequal messages with a bound of about {}",
                                      duration_text(1e-9 * static_cast<double>(trials.size()), significant(3)))
                        : fmt::format("blocks of about {}", size_text(trials.size()));
            found.emplace_back(spent.seconds, fmt::format("communicator of {} ranks, {}: {}", ranks_, size,
                                                          learning::words(one->reasons(trials), name)));
        }
    }
    std::sort(found.begin(), found.end(), [](const auto& left, const auto& right) { return left.first > right.first; });
    std::vector<std::string> lines;
    for (std::size_t index = 0; index < std::min(most, found.size()); ++index) {
        lines.push_back(std::move(found[index].second));
    }
    return lines;
}

std::optional<learning::Summary> CommunicatorState::learned() const {
    std::optional<learning::Summary> sum;
    for (const bool unequal : {false, true}) {
        if (const learning::Learner* const one = learner(unequal)) {
            sum = sum.value_or(learning::Summary());
            *sum += one->summary();
        }
    }
    return sum;
}

std::vector<std::string> CommunicatorState::report() const {
    std::vector<std::string> lines;
    std::string text;
    for (const Slot& slot : decided_.slots) {
        if (slot.exchange && slot.used && slot.exchange->plan().rank == 0) {
            const mpi::ExchangeReport& last = slot.exchange->report();
            const Plan& plan = slot.exchange->plan();
            text += fmt::format("{}communicator of {} ranks: {}, {}", text.empty() ? "" : "; ", ranks_,
                                to_string(slot.method), plan.cycle ? "a cycle" : fmt::format("{} phases", plan.phases));
            if (last.pace > 0) {
                text += fmt::format("; last pace {:.3f}, rank 0 late by {:.0f} µs", last.pace, last.late_seconds * 1e6);
            }
        }
    }
    for (std::string line : {std::move(text), unequal_ ? unequal_->report() : ""}) {
        if (!line.empty()) {
            lines.push_back(std::move(line));
        }
    }
    return lines;
}

void CommunicatorState::complete() {
    beginning_.complete();
    if (equal_) {
        equal_->complete();
    }
    if (unequal_) {
        unequal_->complete();
    }
}

void CommunicatorState::release_exchanges() {
    complete();
    for (Slot& slot : decided_.slots) {
        slot.exchange.reset();
    }
    if (unequal_) {
        unequal_->release();
    }
    wire_.close();
}

std::byte* CommunicatorState::Scratch::at_least(std::size_t wanted) {
    if (size < wanted) {
        bytes.reset();
        bytes.reset(new (std::nothrow) std::byte[wanted]);
        size = bytes ? wanted : 0;
    }
    return bytes.get();
}

}  // namespace aapc::interposer
