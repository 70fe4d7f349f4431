#include "interposer/job_settings.hpp"

#include <fmt/core.h>
#include <mpi.h>

#include <cstdint>
#include <string>

#include "aapc/mpi/agreement.hpp"
#include "input/launch_environment.hpp"
#include "interposer/blocks.hpp"
#include "interposer/handshake.hpp"
#include "interposer/remarks.hpp"
#include "interposer/this_mpi.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/ranks.hpp"

namespace aapc::interposer {

namespace {

using mpi::have_memory_for;

/// On rank 0: its settings as they travel, empty without any; it says what is wrong with them.
std::string read_settings() {
    std::string bytes;
    const bool read = have_memory_for([&] {
        const selection::Reading reading = selection::read_settings();
        for (const std::string& remark : reading.remarks) {
            reject(remark);
        }
        if (reading.settings) {
            bytes = selection::encode(*reading.settings);
        }
    });
    if (!read) {
        bytes.clear();
        reject(no_memory_to_go_on);
    }
    return bytes;
}

}  // namespace

std::optional<selection::Settings> shared_settings() {
    std::string bytes = mpi::rank_in(MPI_COMM_WORLD) == 0 ? read_settings() : std::string();
    const std::uint64_t length = word_of_rank_0(bytes.size());
    if (length == 0) {
        return std::nullopt;
    }
    std::optional<selection::Settings> settings;
    bool able = mpi::all_agree(MPI_COMM_WORLD, have_memory_for([&] { bytes.resize(length); }));
    if (able) {
        // A topology file has at most 16 MiB, and so has a tuning file.
        PMPI_Bcast(bytes.data(), static_cast<int>(length), MPI_BYTE, 0, MPI_COMM_WORLD);
        able = mpi::all_agree(MPI_COMM_WORLD, have_memory_for([&] { settings = selection::decode(bytes); }));
    }
    if (!able) {
        settings.reset();
        if (mpi::rank_in(MPI_COMM_WORLD) == 0) {
            reject(no_memory_to_go_on);
        }
    }
    return settings;
}

// Nothing is asked of the other ranks: they have the same library, and what it takes for a communicator is not known.
bool serves_this_library() {
    bool serves = false;
    const bool could_look = have_memory_for([&] {
        const std::optional<std::string> foreign = foreign_library();
        serves = !foreign;
        if (foreign && launch_environment().speaks()) {
            reject(selection::giving_up(*foreign));
        }
    });
    return serves || !could_look;
}

void say_if_alone() {
    const Launch launch = launch_environment();
    if (launch.size.value_or(1) > 1 && launch.speaks() && mpi::ranks_in(MPI_COMM_WORLD) == 1) {
        static_cast<void>(have_memory_for([&] {
            say(
                fmt::format("{} has started {} processes, but each is alone in its MPI_COMM_WORLD: this launcher does "
                            "not serve {}; start the program with the launcher of its own MPI",
                            launch.name(), *launch.size, this_mpi().title));
        }));
    }
}

}  // namespace aapc::interposer
