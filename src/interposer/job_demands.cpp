#include "interposer/job_demands.hpp"

#include <fmt/core.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <memory>

#include "aapc/methods/preparation.hpp"
#include "aapc/mpi/agreement.hpp"
#include "aapc/mpi/machine_memory.hpp"
#include "aapc/topology/bound.hpp"
#include "input/environment.hpp"
#include "interposer/job_identity.hpp"
#include "interposer/remarks.hpp"
#include "interposer/this_mpi.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/places.hpp"
#include "mpi/ranks.hpp"
#include "mpi/returned_errors.hpp"

namespace aapc::interposer {

namespace {

using mpi::have_memory_for;

/// Why a method that the decision names cannot be used, if so.
std::optional<std::string> misfit(const selection::Forced& forced, Timetables& timetables) {
    const selection::Decision decision = selection::decide(timetables, forced, nullptr, this_mpi().name);
    for (const selection::Decision::Range& range : decision.ranges()) {
        if (range.method.native()) {
            continue;
        }
        if (const auto prepared = prepare(timetables, range.method); !prepared) {
            return to_string(said_of(range.method, prepared.error()));
        }
    }
    return std::nullopt;
}

/// On rank 0, which says so if not. Throws std::bad_alloc.
bool tuning_is_for_this(const selection::Configuration& configuration, const Placement& placement) {
    Fingerprint here = fingerprint_of(configuration, placement);
    here.unequal = configuration.tuning->fingerprint.unequal;  // there are calls of both kinds
    auto difference = mismatch(*configuration.tuning, here);
    if (difference) {
        difference->file = configuration.tuning_file;
        reject(configuration.only_tuned ? selection::giving_up(to_string(*difference))
                                        : selection::deciding_without_file(to_string(*difference)));
    }
    return !difference;
}

}  // namespace

bool has_all_hosts(const std::string& topology_file, const std::vector<Machine>& machine_of) {
    const auto first = std::find(machine_of.begin(), machine_of.end(), unknown_machine);
    if (first == machine_of.end()) {
        return true;
    }
    const int rank = static_cast<int>(first - machine_of.begin());
    const auto others = std::count(first, machine_of.end(), unknown_machine) - 1;
    std::array<char, longest_host_name> name{};
    static_cast<void>(have_memory_for([&] { host_name().copy(name.data(), name.size() - 1); }));
    PMPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, rank, MPI_COMM_WORLD);
    if (mpi::rank_in(MPI_COMM_WORLD) == 0) {
        reject_with([&] {
            const std::string more = others == 0 ? "" : fmt::format(" (nor are the hosts of {} other ranks)", others);
            return selection::giving_up(
                fmt::format("{}: host '{}' of rank {} is not in it{}; add it to the machines of its switch",
                            topology_file, name.data(), rank, more));
        });
    }
    return false;
}

bool tuning_allows_it(selection::Configuration& configuration, const Placement& placement) {
    if (!configuration.tuning) {
        return true;
    }
    // Rank 0 judges for all: the MPIs of two hosts may differ in what they say of their version.
    int holds = 1;
    if (mpi::rank_in(MPI_COMM_WORLD) == 0) {
        holds = 0;
        if (!have_memory_for([&] { holds = tuning_is_for_this(configuration, placement) ? 1 : 0; })) {
            reject(configuration.only_tuned ? no_memory_to_go_on : "no memory is left for the tuning");
        }
    }
    PMPI_Bcast(&holds, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (holds == 0) {
        configuration.tuning.reset();
    }
    return holds != 0 || !configuration.only_tuned;
}

bool forced_method_fits(const selection::Configuration& configuration, const Placement& placement,
                        std::optional<Timetables>& timetables) {
    const selection::Forced& forced = configuration.forced;
    if (!forced.method && !forced.synchronisation) {
        return true;
    }
    std::optional<std::string> why;
    const bool known = have_memory_for([&] {
        timetables.emplace(configuration.network, placement, configuration.given_schedule());
        why = misfit(forced, *timetables);
    });
    if (mpi::all_agree(MPI_COMM_WORLD, known && !why)) {
        return true;
    }
    if (mpi::rank_in(MPI_COMM_WORLD) == 0) {
        if (why) {
            reject_with([&] { return selection::giving_up(*why); });
        } else {
            reject(no_memory_to_go_on);  // of this rank or of another one, since what else there is all ranks find
        }
    }
    return false;
}

bool forced_tickets_can_be_had(const selection::Configuration& configuration, const Placement& placement) {
    const selection::Forced& forced = configuration.forced;
    const bool by_method = forced.method && uses_tickets(forced.method->synchronisation);
    const bool by_synchronisation = forced.synchronisation && uses_tickets(*forced.synchronisation);
    if (!by_method && !by_synchronisation) {
        return true;
    }
    std::unique_ptr<mpi::MachineMemory> memory;
    bool there = false;
    {
        const mpi::ReturnedErrors returned(MPI_COMM_WORLD);
        const int error = mpi::MachineMemory::create(MPI_COMM_WORLD, placement, configuration.shared_memory, memory);
        there = mpi::all_agree(MPI_COMM_WORLD, error == MPI_SUCCESS && memory->available() != SharedMemory::nothing);
    }
    if (!there && mpi::rank_in(MPI_COMM_WORLD) == 0) {
        reject_with([] {
            return selection::giving_up("the ranks of a machine share no memory for the tickets that are asked for");
        });
    }
    return there;
}

}  // namespace aapc::interposer
