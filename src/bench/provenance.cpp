#include "bench/provenance.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <mpi.h>

#include <array>
#include <ctime>
#include <fstream>

#include "aapc/archive/tuning.hpp"

namespace aapc::bench {

std::string mpi_library_version() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING + 1> text{};
    int length = 0;
    PMPI_Get_library_version(text.data(), &length);
    return text.data();  // Open MPI counts the final zero
}

std::string short_mpi_version() {
    // Open MPI's text continues with its build and its date after a comma, MPICH's with further lines.
    const std::string line = mpi_version_line(mpi_library_version());
    return line.substr(0, line.find(','));
}

std::string congestion_control() {
    std::ifstream stream("/proc/sys/net/ipv4/tcp_congestion_control");
    std::string name;
    stream >> name;
    return name;
}

std::string date_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

}  // namespace aapc::bench
