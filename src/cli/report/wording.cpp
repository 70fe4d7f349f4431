#include "cli/report/wording.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "aapc/archive/tuning.hpp"
#include "aapc/input/units.hpp"

namespace aapc::report {

std::string time_text(double seconds) { return duration_text(seconds, significant(3)); }

std::string percent(double share) { return fmt::format("{:.{}f} %", 100 * share, share < 0.0995 ? 1 : 0); }

std::string size_range(const Group& group) {
    return group.least_bytes == group.most_bytes ? size_text(group.least_bytes)
                                                 : rounded_size_text(static_cast<double>(group.least_bytes)) + " to " +
                                                       rounded_size_text(static_cast<double>(group.most_bytes));
}

std::string machines_text(std::vector<std::string> hosts) {
    // Digits at the end count as a number: n9 comes before n10.
    const auto order = [](const std::string& host) {
        const std::size_t digits = host.find_last_not_of("0123456789") + 1;
        return std::tuple(host.substr(0, digits), host.size(), host);
    };
    std::sort(hosts.begin(), hosts.end(),
              [&](const std::string& left, const std::string& right) { return order(left) < order(right); });
    hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
    constexpr std::size_t longest = 400;
    const std::string text = compact_hostlist(hosts);
    return text.size() <= longest ? text : text.substr(0, longest) + " ...";
}

std::string library_text(const std::string& library) {
    const std::string line = mpi_version_line(library);
    return line.substr(0, line.find(','));
}

std::string headline(const Figures& figures) {
    if (figures.calls <= 0) {
        return "This job called no all-to-all.";
    }
    const double share = figures.job_seconds > 0 ? figures.call_seconds / figures.job_seconds : 0;
    return fmt::format("All-to-alls took {} of {}{}.", time_text(figures.call_seconds), time_text(figures.job_seconds),
                       share > 0 ? ", " + percent(share) + " of the job" : "");
}

}  // namespace aapc::report
