#include "interposer/equal_messages.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "aapc/input/units.hpp"
#include "aapc/mpi/agreement.hpp"
#include "aapc/plan/plan.hpp"
#include "interposer/candidates.hpp"
#include "interposer/remarks.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/ranks.hpp"
#include "mpi/rest.hpp"
#include "selection/crossover.hpp"
#include "selection/start.hpp"

namespace aapc::interposer {

namespace {

using mpi::all_agree;
using mpi::have_memory_for;

/// Whether calls of such blocks may teach anything.
bool is_learned_from(std::int64_t block_bytes) {
    return block_bytes > 0 && block_bytes <= selection::largest_scheduled_block;
}

}  // namespace

EqualMessages::EqualMessages(MPI_Comm comm, const Job& job, const Placement& placement, ExchangeMaker& maker,
                             Outcome why_native)
    : job_(&job),
      placement_(&placement),
      maker_(&maker),
      why_native_(why_native),
      decider_(job.configuration(), job.tuning(), maker.timetables()),
      start_costs_(selection::start_costs(maker.timetables().bound(), placement.participants(), job.message_seconds(),
                                          job.configuration().start_seconds)),
      decided_(decider_.decide(start_costs_.usual_seconds)),
      start_(start_costs_.least_seconds) {
    const selection::Configuration& configuration = job.configuration();
    decider_.find_needs(comm, decided_.decision, start_costs_.usual_seconds);
    const Bound& bound = maker.timetables().bound();
    const bool has_candidate = std::any_of(decided_.slots.begin(), decided_.slots.end(),
                                           [](const Slot& slot) { return !slot.method.native(); });
    if (has_candidate && configuration.adapt && decided_.decision.basis() == selection::Decision::Basis::rule) {
        const std::int64_t calls_before = comm == MPI_COMM_WORLD ? job.opening().made() : 0;
        learning_ = std::make_unique<EqualLearning>(decided_, bound, static_cast<int>(placement.participants()),
                                                    start_costs_.least_seconds,
                                                    job.before_learning(placement, false, calls_before));
    } else if (!configuration.start_seconds && selection::depends_on_start(decided_.decision)) {
        start_matters_from_ =
            selection::crossover(maker.timetables().network(), placement, bound, start_costs_.least_seconds)
                .block_bytes;
    }
}

void EqualMessages::begin_first_class(std::int64_t block_bytes) {
    if (learning_ && is_learned_from(block_bytes) && learning_->has_candidates(block_bytes)) {
        learning_->begin_class(block_bytes);
    }
}

bool EqualMessages::passes_first_call(std::int64_t block_bytes) {
    return !learning_ || !learning_->knows(block_bytes) || learning_->begins_native(block_bytes);
}

bool EqualMessages::keep_within_limit(MPI_Comm comm) {
    if (!decider_.has_needs()) {
        return true;
    }
    const bool known = decider_.find_largest_needs(comm);
    const bool followed =
        have_memory_for([&] { decided_.follow(Decided(decider_.decide(start_costs_.usual_seconds))); });
    return all_agree(comm, known && followed);
}

void EqualMessages::plan_ahead(MPI_Comm comm, std::int64_t block_bytes) {
    if (block_bytes >= start_matters_from_ && start_is_due(block_bytes)) {
        learn_start(comm);
    }
    std::string planned;
    const auto plan = [&](Slot& slot) {
        if (!slot.method.native() && !slot.tried && made(comm, slot).exchange) {
            static_cast<void>(have_memory_for(
                [&] { planned += fmt::format("{}{}", planned.empty() ? "" : ", ", to_string(slot.method)); }));
        }
    };
    if (!learning_) {
        plan(decided_.slots[decided_.slot_of(block_bytes)]);
    } else if (is_learned_from(block_bytes)) {
        for_each_range_about(decided_.decision, block_bytes,
                             [&](std::size_t range) { plan(decided_.slots[decided_.slot_of_range[range]]); });
    }
    if (job_->configuration().verbosity >= 1 && mpi::rank_in(comm) == 0 && !planned.empty()) {
        static_cast<void>(have_memory_for([&] {
            say(fmt::format("communicator of {} ranks: set up before the first start, for blocks of {}: {}",
                            placement_->participants(), size_text(block_bytes), planned));
        }));
    }
}

Verdict EqualMessages::decide(const Call& call, const Refusals& refusals, bool has_begun) {
    waited_seconds_ = -1;
    if (!has_begun && !learning_) {
        return {why_native_};
    }
    if (call.block_bytes >= start_matters_from_) {
        if (refusals.refuse(call)) {
            return {Outcome::arguments};
        }
        if (start_is_due(call.block_bytes)) {
            learn_start(call.comm);
        }
    }
    if (learning_ && is_learned_from(call.block_bytes)) {
        return decide_by_learning(call, refusals, has_begun);
    }
    Verdict verdict = choose_slot(decided_.slots[decided_.slot_of(call.block_bytes)], call, refusals);
    // What a start costs, once it is measured, moves the range in which larger blocks are.
    const bool start_is_known = start_matters_from_ == std::numeric_limits<std::int64_t>::max() ||
                                (start_.seconds() && call.block_bytes < start_matters_from_);
    verdict.repeats = has_begun && verdict.outcome == why_native_ && verdict.exchange == nullptr && start_is_known;
    return verdict;
}

Verdict EqualMessages::choose_slot(Slot& slot, const Call& call, const Refusals& refusals) {
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

Slot& EqualMessages::made(MPI_Comm comm, Slot& slot) {
    if (!slot.tried) {
        slot.tried = true;
        slot.exchange = maker_->make(comm, slot.method);
        if (Recorder* const recorder = job_->recorder()) {
            static_cast<void>(
                have_memory_for([&] { slot.recorded_as = recorder->method_number(to_string(slot.method)); }));
        }
    }
    return slot;
}

Verdict EqualMessages::decide_by_learning(const Call& call, const Refusals& refusals, bool has_begun) {
    if (!learning_->is_usable()) {
        return {Outcome::unavailable};
    }
    Chooser& chooser = learning_->chooser();
    if (const auto slot = learning_->resting_slot(call.block_bytes)) {
        Verdict verdict = choose_slot(decided_.slots[*slot], call, refusals);
        // Until the ranks have agreed, what is learned here may be replaced, and the next call is collective.
        verdict.repeats = has_begun && decided_.slots[*slot].method.native();
        verdict.rest = chooser.rest();
        return verdict;
    }
    const bool is_known = learning_->knows(call.block_bytes);
    if (!is_known && !learning_->has_candidates(call.block_bytes)) {
        // For the summary. A rank without memory for it passes the call as well.
        static_cast<void>(learning_->begin_class_with_all(call.comm, call.block_bytes));
        return {why_native_};
    }
    // Before the ranks agree on anything: a rank that goes to the MPI instead would be missed.
    if (refusals.refuse(call)) {
        return {Outcome::arguments};
    }
    std::optional<EqualLearning::Choice> choice;
    if (is_known || learning_->begin_class_with_all(call.comm, call.block_bytes)) {
        choice = learning_->choose(call.comm, call.block_bytes);
        waited_seconds_ = chooser.waited_seconds();
    }
    if (!choice) {
        learning_->fail();
        return {Outcome::unavailable};
    }
    Slot& slot = decided_.slots[choice->slot];
    if (slot.method.native()) {
        return {why_native_, nullptr, choice->timed};
    }
    if (!slot.tried) {
        const double before = mpi::now_seconds();
        made(call.comm, slot);
        chooser.note_set_up(mpi::now_seconds() - before);
    }
    if (!slot.exchange) {
        chooser.withdraw();
        return {Outcome::unavailable};
    }
    slot.used = true;
    return {Outcome::exchanged, slot.exchange.get(), choice->timed, slot.recorded_as};
}

bool EqualMessages::start_is_due(std::int64_t block_bytes) {
    if (!start_.seconds()) {
        return true;
    }
    return block_bytes < decided_.decision.crossover()->block_bytes && start_.is_due_again();
}

void EqualMessages::learn_start(MPI_Comm comm) {
    const std::int64_t matters_from = start_matters_from_;
    // Until it has been measured: what cannot be measured now is not tried again.
    start_matters_from_ = std::numeric_limits<std::int64_t>::max();
    const std::size_t by_time = decided_.decision.range_of(decided_.decision.crossover()->block_bytes);
    mpi::Exchange* const exchange = made(comm, decided_.slots[decided_.slot_of_range[by_time]]).exchange.get();
    if (exchange == nullptr) {
        return;
    }
    const auto ranks = static_cast<std::size_t>(placement_->participants());
    const std::unique_ptr<std::byte[]> blocks(new (std::nothrow) std::byte[2 * ranks]());
    if (!all_agree(comm, blocks != nullptr)) {
        return;
    }
    double seconds = 0;
    bool known = exchange->measure_start(blocks.get(), seconds) == MPI_SUCCESS;
    std::optional<Decided> next;
    selection::MeasuredStart start = start_;
    start.note(seconds);
    known = known && have_memory_for([&] { next.emplace(decider_.decide(*start.seconds())); });
    if (!all_agree(comm, known)) {
        return;
    }
    start_ = start;
    decided_.follow(std::move(*next));
    if (selection::depends_on_start(decided_.decision)) {
        start_matters_from_ = matters_from;
    }
    if (job_->configuration().verbosity >= 2 && mpi::rank_in(comm) == 0) {
        static_cast<void>(have_memory_for([&] { say(selection::explain(*placement_, decided_.decision)); }));
    }
}

std::string EqualMessages::report() const {
    std::string text;
    for (const Slot& slot : decided_.slots) {
        if (slot.exchange && slot.used && slot.exchange->plan().rank == 0) {
            const mpi::ExchangeReport& last = slot.exchange->report();
            const Plan& plan = slot.exchange->plan();
            text +=
                fmt::format("{}communicator of {} ranks: {}, {}", text.empty() ? "" : "; ", placement_->participants(),
                            to_string(slot.method), plan.cycle ? "a cycle" : fmt::format("{} phases", plan.phases));
            if (last.pace > 0) {
                text += fmt::format("; last pace {:.3f}, rank 0 late by {:.0f} µs", last.pace, last.late_seconds * 1e6);
            }
        }
    }
    return text;
}

void EqualMessages::release() {
    for (Slot& slot : decided_.slots) {
        slot.exchange.reset();
    }
}

}  // namespace aapc::interposer
