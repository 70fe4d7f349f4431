#include "cli/explained_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "aapc/archive/record.hpp"
#include "aapc/input/hostlist.hpp"
#include "cli/report/together.hpp"
#include "console/output.hpp"
#include "input/numbers.hpp"
#include "input/text_file.hpp"
#include "selection/rule.hpp"

namespace aapc::cli {

namespace {

Expected<Machine> machine_named(const Network& network, const std::string& name, int column) {
    const Machine machine = network.find_machine(name);
    if (machine < 0) {
        return failure({fmt::format("--machines, character {}", column), 0, 0,
                        fmt::format("there is no machine '{}' in the topology", name),
                        "name machines of the topology file"});
    }
    return machine;
}

/// --machines, or the tuned ranks, or all of the topology; of those the first --ranks.
Expected<Placement> listed_ranks(const RankOptions& options, const Network& network, const Tuning* tuning) {
    Placement placement;
    if (!options.machines.empty()) {
        const auto entries = expand_hostlist(options.machines);
        if (!entries) {
            Diagnostic diagnostic = entries.error();
            diagnostic.file = fmt::format("--machines, character {}", std::exchange(diagnostic.column, 0));
            return failure(std::move(diagnostic));
        }
        for (const HostlistEntry& entry : *entries) {
            const auto machine = machine_named(network, entry.name, entry.column);
            if (!machine) {
                return failure(machine.error());
            }
            placement.machine_of.insert(placement.machine_of.end(), static_cast<std::size_t>(entry.ranks), *machine);
        }
    } else if (tuning != nullptr) {
        for (const std::string& name : tuning->fingerprint.machine_of) {
            placement.machine_of.push_back(network.find_machine(name));
        }
    } else {
        placement = full_placement(network);
    }
    if (options.ranks > placement.participants()) {
        return failure(
            {.file = "--ranks",
             .problem = fmt::format("{} ranks, and there are places for {}", options.ranks, placement.participants()),
             .advice = "give fewer, or places for all of them with --machines"});
    }
    if (options.ranks > 0) {
        placement.machine_of.resize(static_cast<std::size_t>(options.ranks));
    }
    return placement;
}

/// A communicator of a job that is known as a whole.
struct Members {
    Placement world;
    std::vector<Rank> members;
    std::string name;
    std::string in_record = {};
};

Expected<Members> members_in_list(const RankOptions& options, const Network& network, const Tuning* tuning) {
    auto world = listed_ranks(options, network, tuning);
    if (!world) {
        return failure(world.error());
    }
    auto members = parse_members(options.members, world->participants());
    if (!members) {
        return failure(members.error());
    }
    return Members{std::move(*world), std::move(*members), fmt::format("ranks {} of MPI_COMM_WORLD", options.members)};
}

Diagnostic about_communicator(const std::string& problem, const Record& record) {
    std::string names;
    for (const RecordedCommunicator& one : record.communicators) {
        if (one.members.size() > 1) {
            names += (names.empty() ? "" : ", ") + one.name;
        }
    }
    return {.file = "--communicator",
            .problem = problem,
            .advice = names.empty() ? "the record knows the ranks of none" : "the record has " + names};
}

/// The one that was asked for, or else that in whose calls its rank 0 spent most time.
Expected<const RecordedCommunicator*> communicator_in(const Record& record, const std::string& wanted) {
    std::map<std::string_view, double> seconds;
    for (const RecordedCall& call : record.calls) {
        seconds[call.communicator] += call.seconds;
    }
    const RecordedCommunicator* found = nullptr;
    for (const RecordedCommunicator& one : record.communicators) {
        const bool fits =
            wanted.empty() ? found == nullptr || seconds[one.name] > seconds[found->name] : one.name == wanted;
        if (one.members.size() > 1 && fits) {
            found = &one;
        }
    }
    if (found == nullptr) {
        return failure(about_communicator(
            wanted.empty() ? std::string("there is no communicator whose ranks are known")
                           : fmt::format("there is no communicator '{}' whose ranks are known", wanted),
            record));
    }
    return found;
}

/// Its calls that took most time, by routine.
std::string usual_routine(const Record& record, const std::string& communicator) {
    std::map<std::string, double> seconds;
    for (const RecordedCall& call : record.calls) {
        if (call.communicator == communicator) {
            seconds[call.routine] += call.seconds;
        }
    }
    const auto most = std::max_element(seconds.begin(), seconds.end(),
                                       [](const auto& one, const auto& other) { return one.second < other.second; });
    return most == seconds.end() ? "" : most->first;
}

Expected<Members> members_in_record(const RankOptions& options, const Network& network) {
    const auto text = read_file(options.record, {"a record that AAPC_RECORD=FILE wrote", 300});
    if (!text) {
        return failure(text.error());
    }
    const std::string file = shown_name(options.record);
    const auto record = read_record(*text, file);
    if (!record) {
        return failure(record.error());
    }
    const auto found = communicator_in(*record, options.communicator);
    if (!found) {
        return failure(found.error());
    }
    Members members{{}, {}, fmt::format("communicator {} of {}", (*found)->name, file)};
    for (const std::string& host : record->head.hosts) {
        members.world.machine_of.push_back(network.find_machine(host));
        if (members.world.machine_of.back() < 0) {
            return failure({.file = file,
                            .problem = fmt::format("a rank ran on '{}', and the topology has no such machine", host),
                            .advice = "give the topology file of that job"});
        }
    }
    members.members.assign((*found)->members.begin(), (*found)->members.end());
    const std::string routine = usual_routine(*record, (*found)->name);
    const std::size_t others = report::together_with(*record, (*found)->name, routine, std::nullopt).size() - 1;
    members.in_record = fmt::format("{} other{} made calls at the same time", others, others == 1 ? "" : "s");
    return members;
}

}  // namespace

void add_rank_options(Command& command, RankOptions& options) {
    Option machines = command.option("--machines", options.machines,
                                     "the communicator's ranks in order, as in \"n[0-3]:2\"; with --members those of "
                                     "MPI_COMM_WORLD");
    machines.type_name("HOSTLIST");
    Option ranks = command.option("--ranks", options.ranks,
                                  "only so many of the ranks that --machines, the tuning or else the topology file "
                                  "lists");
    ranks.between(1, 1 << 24).type_name("N");
    Option members = command.option("--members", options.members,
                                    "the communicator's ranks in MPI_COMM_WORLD, as in 0,4,8,12 or 0-12:4, a column of "
                                    "a grid of 4 x 4; such columns are taken to exchange at the same time");
    members.type_name("RANKS");
    Option record = command.option("--record", options.record,
                                   "a communicator of a job that AAPC_RECORD=FILE or aapc exec --record noted");
    record.type_name("FILE").excludes(machines).excludes(ranks).excludes(members);
    command
        .option("--communicator", options.communicator,
                "the name of that communicator in the record, such as 0.2; default: the one in whose calls most time "
                "passed")
        .type_name("NAME")
        .needs(record);
}

Expected<std::vector<Rank>> parse_members(const std::string& text, Rank ranks) {
    const auto wrong = [](const std::string& problem) {
        return failure({.file = "--members",
                        .problem = problem,
                        .advice = "write ranks as in 0,4,8,12, 0-3, or 0-12:4 for every fourth one"});
    };
    std::vector<Rank> members;
    std::unordered_set<Rank> seen;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string word = text.substr(begin, end - begin);
        begin = end + 1;
        const std::size_t colon = word.find(':');
        const std::string range = word.substr(0, colon);
        const std::size_t dash = range.find('-');
        const auto first = parse_number<Rank>(range.substr(0, dash));
        const auto last = dash == std::string::npos ? first : parse_number<Rank>(range.substr(dash + 1));
        const auto step = colon == std::string::npos ? Rank{1} : parse_number<Rank>(word.substr(colon + 1));
        if (!first || !last || !step || *first < 0 || *last < *first || *step < 1) {
            return wrong(fmt::format("'{}' is no rank, and no range of ranks", word));
        }
        if (*last >= ranks) {
            return wrong(fmt::format("there is no rank {} among {}", *last, ranks));
        }
        for (std::int64_t rank = *first; rank <= *last; rank += *step) {
            if (!seen.insert(static_cast<Rank>(rank)).second) {
                return wrong(fmt::format("rank {} comes twice", rank));
            }
            members.push_back(static_cast<Rank>(rank));
        }
    }
    return members;
}

Expected<ExplainedRanks> explained_ranks(const RankOptions& options, const Network& network, const Tuning* tuning) {
    if (options.record.empty() && options.members.empty()) {
        auto placement = listed_ranks(options, network, tuning);
        if (!placement) {
            return failure(placement.error());
        }
        return ExplainedRanks{std::move(*placement), 1, std::nullopt, "", ""};
    }
    auto found =
        options.record.empty() ? members_in_list(options, network, tuning) : members_in_record(options, network);
    if (!found) {
        return failure(found.error());
    }
    const double share = static_cast<double>(found->members.size()) / static_cast<double>(found->world.participants());
    ExplainedRanks ranks{placement_of(found->members, found->world), share, std::nullopt, std::move(found->name),
                         std::move(found->in_record)};
    const bool is_tuned =
        tuning != nullptr && tuning->conditions.calls == 0 && selection::has_shape(network, ranks.placement, *tuning);
    if (!is_tuned) {
        ranks.shared = links_shared_by(network, found->world, found->members);
    }
    return ranks;
}

}  // namespace aapc::cli
