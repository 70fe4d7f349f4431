#include "cli/report/demands.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "aapc/topology/demand.hpp"
#include "aapc/topology/demand_file.hpp"
#include "cli/report/communicators.hpp"
#include "cli/report/figures.hpp"
#include "cli/report/lengths.hpp"
#include "cli/report/wording.hpp"
#include "input/on_one_line.hpp"

namespace aapc::report {

Expected<std::string> demands_of(const Record& record, std::string_view file) {
    constexpr std::size_t most_sections = 24;
    const std::size_t ranks = record.head.hosts.size();
    if (ranks > static_cast<std::size_t>(RecordedLengths::most_ranks)) {
        return failure({.file = std::string(file),
                        .problem = fmt::format("it has {} ranks, too many for a matrix", ranks),
                        .advice = fmt::format("record a job of at most {} ranks", RecordedLengths::most_ranks)});
    }
    const Communicators communicators(record, nullptr);
    std::vector<Demand> written;
    std::string text =
        fmt::format("# {}: {} ranks\n[format]\nversion = 1.0\n", on_one_line(record.head.program), ranks);
    const Figures figures = figures_of(record, nullptr, nullptr);
    for (const Group& group : figures.groups) {
        if (!has_lengths(group.routine)) {
            continue;
        }
        for (const Communicators::Kind& kind : communicators.kinds(group, group.communicator)) {
            const auto joint = communicators.joint(group, group.communicator, kind);
            if (!joint || written.size() == most_sections) {
                continue;
            }
            Demand world(static_cast<Rank>(ranks));
            for (Rank from = 0; from < joint->demand.participants(); ++from) {
                for (Rank to = 0; to < joint->demand.participants(); ++to) {
                    world.set(joint->ranks[static_cast<std::size_t>(from)], joint->ranks[static_cast<std::size_t>(to)],
                              joint->demand.bytes(from, to));
                }
            }
            if (std::find(written.begin(), written.end(), world) == written.end()) {
                text += fmt::format("\n# {}, {} ranks, {} calls, {} communicators together; median {}\n",
                                    on_one_line(group.routine), group.ranks, kind.calls, joint->communicators.size(),
                                    time_text(group.median_seconds));
                text += ucc_section(world);
                written.push_back(std::move(world));
            }
        }
    }
    if (written.empty()) {
        return failure(
            {.file = std::string(file),
             .problem = "it has no lengths of unequal messages",
             .advice = "record a program that calls MPI_Alltoallv or MPI_Alltoallw, by this version of aapc"});
    }
    return text;
}

}  // namespace aapc::report
