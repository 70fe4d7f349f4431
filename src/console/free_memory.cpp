#include "console/free_memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace aapc::cli {

std::optional<std::int64_t> free_memory() {
    std::optional<std::int64_t> free;
    std::ifstream memory("/proc/meminfo");
    for (std::string name; memory >> name;) {
        std::int64_t kibibytes = 0;
        if (name == "MemAvailable:" && memory >> kibibytes) {
            free = kibibytes * 1024;
            break;
        }
        memory.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    rlimit limit{};
    std::int64_t pages = 0;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        std::ifstream("/proc/self/statm") >> pages) {
        const auto left = static_cast<std::int64_t>(limit.rlim_cur) - pages * sysconf(_SC_PAGESIZE);
        free = std::min(free.value_or(left), std::max<std::int64_t>(left, 0));
    }
    return free;
}

}  // namespace aapc::cli
