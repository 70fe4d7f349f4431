#include "interposer/job_identity.hpp"

#include <fmt/core.h>
#include <mpi.h>

#include <array>
#include <ctime>
#include <fstream>
#include <string>
#include <utility>

#include "input/environment.hpp"
#include "interposer/this_mpi.hpp"

namespace aapc::interposer {

namespace {

/// Its words, in quotes where they have blanks; the beginning of what is long. Empty where the system does not say.
std::string command_line_of_process() {
    constexpr std::size_t longest = 2000;
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    std::string text;
    for (std::string word; text.size() < longest && std::getline(file, word, '\0');) {
        const bool plain = !word.empty() && word.find_first_of(" \t\n") == std::string::npos;
        text += text.empty() ? "" : " ";
        text += plain ? word : "'" + word + "'";
    }
    return text.size() <= longest ? text : text.substr(0, longest) + " ...";
}

std::string date_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    std::array<char, 32> text{};
    const bool known = gmtime_r(&now, &parts) != nullptr;
    return {text.data(), known ? std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts) : 0};
}

/// What the batch system calls this job.
std::string batch_job() {
    for (const auto& [variable, system] :
         {std::pair{"SLURM_JOB_ID", "Slurm"}, {"PBS_JOBID", "PBS"}, {"LSB_JOBID", "LSF"}}) {
        if (const std::string name = environment_variable(variable); !name.empty()) {
            return fmt::format("{} {}", system, name);
        }
    }
    return {};
}

}  // namespace

void name_job(RecordHead& head) {
    head.command = command_line_of_process();
    head.date = date_now();
    head.job = batch_job();
}

std::string library_version() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
    int length = 0;
    PMPI_Get_library_version(version.data(), &length);
    return version.data();  // Open MPI counts the final zero
}

Fingerprint fingerprint_of(const selection::Configuration& configuration, const Placement& placement) {
    return make_fingerprint(configuration.network, placement, this_mpi().name, library_version(),
                            configuration.topology_file);
}

}  // namespace aapc::interposer
