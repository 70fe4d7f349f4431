#include "interposer/exchange_maker.hpp"

#include <fmt/core.h>

#include <atomic>
#include <optional>
#include <string>
#include <utility>

#include "aapc/methods/preparation.hpp"
#include "aapc/mpi/agreement.hpp"
#include "aapc/mpi/make_exchange.hpp"
#include "aapc/timetable/timetable.hpp"
#include "interposer/remarks.hpp"
#include "mpi/complaints.hpp"
#include "mpi/connections_of_mpi.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/ranks.hpp"
#include "mpi/returned_errors.hpp"
#include "selection/rule.hpp"

namespace aapc::interposer {

namespace {

using mpi::have_memory_for;

}  // namespace

ExchangeMaker::ExchangeMaker(const selection::Configuration& configuration, const Placement& placement,
                             Timetables timetables)
    : configuration_(&configuration),
      placement_(&placement),
      timetables_(std::move(timetables)),
      shares_machines_(mpi::some_machine_is_shared(placement)) {}

std::optional<mpi::OwnWire> ExchangeMaker::own_wire(MPI_Comm comm) {
    if (!selection::wants_wire(configuration_->wire, configuration_->network)) {
        return std::nullopt;
    }
    if (configuration_->wire == selection::WireUse::automatic && !mpi_uses_tcp_) {
        mpi_uses_tcp_ = mpi::mpi_uses_tcp(comm);
        if (!mpi_uses_tcp_) {
            return std::nullopt;
        }
    }
    return mpi::OwnWire{wire_, configuration_->network};
}

void ExchangeMaker::say_why_not_by_wire() const {
    static std::atomic_flag said = ATOMIC_FLAG_INIT;
    const bool is_asked_for = configuration_->wire == selection::WireUse::tcp || configuration_->verbosity >= 1;
    if (wire_.complaint() && is_asked_for && !said.test_and_set()) {
        std::string line;
        const bool made = have_memory_for(
            [&] { line = fmt::format("AAPC_WIRE: {}; using MPI's connections", to_string(*wire_.complaint())); });
        say(made ? std::string_view(line) : "AAPC_WIRE: no memory left; using MPI's connections");
    }
}

std::unique_ptr<mpi::Exchange> ExchangeMaker::make(MPI_Comm comm, const Method& method) {
    Expected<Prepared> prepared = failure({.problem = mpi::no_memory});
    static_cast<void>(have_memory_for([&] {
        prepared =
            prepare(timetables_, method).map_error([&](Diagnostic why) { return said_of(method, std::move(why)); });
        timetables_.release(*method.algorithm, method.variant);
    }));
    // Known to all ranks alike. Where every rank has a machine to itself there is nobody to share anything with but the
    // counters of tickets.
    const bool shares = shares_machines_ || uses_tickets(method.synchronisation);
    auto exchange = mpi::make_exchange(comm, prepared, *placement_, shares ? machine_memory(comm) : nullptr,
                                       configuration_->buffer_limit, own_wire(comm));
    const bool speaks = mpi::rank_in(comm) == 0;
    if (speaks) {
        say_why_not_by_wire();
    }
    if (!exchange) {
        if (speaks) {
            std::string line;
            const bool made = have_memory_for([&] { line = selection::giving_up(to_string(exchange.error())); });
            say(made ? std::string_view(line) : no_memory_to_go_on);
        }
        return nullptr;
    }
    if (configuration_->verbosity >= 1 && speaks) {
        static_cast<void>(have_memory_for([&] {
            if (const std::string remark = prepared->timetable->remark(); !remark.empty()) {
                say(fmt::format("{}: {}", to_string(method), remark));
            }
        }));
    }
    return std::move(*exchange);
}

mpi::MachineMemory* ExchangeMaker::machine_memory(MPI_Comm comm) {
    if (!machine_memory_tried_) {
        machine_memory_tried_ = true;
        int error = MPI_SUCCESS;
        {
            const mpi::ReturnedErrors returned(comm);
            error = mpi::MachineMemory::create(comm, *placement_, configuration_->shared_memory, machine_memory_);
        }
        if (!mpi::all_agree(comm, error == MPI_SUCCESS)) {
            machine_memory_.reset();
        }
    }
    return machine_memory_.get();
}

}  // namespace aapc::interposer
