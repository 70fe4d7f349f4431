#include "selection/variables.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "input/wording.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves declaring it to the program

namespace aapc::selection {

namespace {

constexpr std::array known_variables{
    Variable{"AAPC_OFF", "", "1: everything is native, and nothing is set up", "0"},
    Variable{"AAPC_TOPOLOGY", "--topology FILE", "the topology file, or detect", "every call is native"},
    Variable{"AAPC_TUNING", "--tuning FILE", "a tuning file of aapc tune",
             "the rule and the program's own calls decide"},
    Variable{"AAPC_SCHEDULE", "--schedule FILE", "a schedule document that was made beforehand",
             "schedules are made in the job"},
    Variable{"AAPC_ALGORITHM", "--algorithm A", "the method for every block of one byte or more", "chosen by size"},
    Variable{"AAPC_SYNCHRONISATION", "--synchronisation S", "how phases are kept apart", "that of the method"},
    Variable{"AAPC_BUFFER_LIMIT", "--buffer-limit SIZE", "the most memory on a rank for forwarded blocks",
             "what the method takes"},
    Variable{"AAPC_ALLTOALLV", "", "auto, always or never: whether unequal messages are exchanged", "auto"},
    Variable{"AAPC_VERBOSE", "--verbose N", "0, 1 or 2: what is said about choices", "0"},
    Variable{"AAPC_START", "", "what the start of a scheduled exchange costs, as a duration", "it is measured"},
    Variable{"AAPC_ADAPT", "", "1 or 0: whether the program's own calls show what is faster",
             "1, but 0 where AAPC_START is set"},
    Variable{"AAPC_LEARNED", "--learned FILE", "the file that keeps what the program's calls teach", "it is not kept"},
    Variable{"AAPC_RECORD", "--record FILE", "the file in which every all-to-all is noted", "nothing is noted"},
    Variable{"AAPC_RECORD_SEGMENTS", "", "1: with when segments started", "0"},
    Variable{"AAPC_ASYNC_PROGRESS", "--async-progress", "1: a thread carries out calls that do not block", "0"},
    Variable{"AAPC_SHARED_MEMORY", "", "1, tickets or 0: what ranks of one machine do without messages", "1"},
    Variable{"AAPC_WIRE", "", "auto, mpi or tcp: the connections for blocks", "auto"},
    Variable{"AAPC_LIBRARY_PATH", "", "directories in which aapc looks for interposers first",
             "those of the installation"},
    Variable{"AAPC_HOSTNAME", "", "on each rank: the name to use instead of the host's", "the host's name"},
};

/// Set by aapc exec, by ./demo, and by tests.
constexpr std::array<std::string_view, 8> internal_variables{
    "AAPC_INTERPOSERS", "AAPC_PROGRAM",    "AAPC_DEMO_ROUNDS", "AAPC_WHOLE_SUITES",
    "AAPC_COUNT_CALLS", "AAPC_FAULT_RANK", "AAPC_FAULT_COUNT", "AAPC_FAULT"};
constexpr std::array<std::string_view, 2> internal_beginnings{"AAPC_TEST_", "AAPC_WHERE_"};

constexpr std::string_view of_ours = "AAPC_";

bool is_known(std::string_view name) {
    return std::any_of(known_variables.begin(), known_variables.end(),
                       [name](const Variable& variable) { return variable.name == name; }) ||
           std::find(internal_variables.begin(), internal_variables.end(), name) != internal_variables.end() ||
           std::any_of(internal_beginnings.begin(), internal_beginnings.end(),
                       [name](std::string_view beginning) { return name.starts_with(beginning); });
}

}  // namespace

std::span<const Variable> variables() { return known_variables; }

std::vector<std::string> aapc_variables_of_process() {
    std::vector<std::string> names;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        if (text.starts_with(of_ours)) {
            names.emplace_back(text.substr(0, text.find('=')));
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::optional<std::string> remark_on_unknown_variables(const std::vector<std::string>& names) {
    std::vector<std::string_view> known;
    known.reserve(known_variables.size());
    for (const Variable& variable : known_variables) {
        known.push_back(variable.name);
    }
    constexpr int most_named = 4;
    std::string unknown;
    int more = -most_named;
    for (const std::string& name : names) {
        if (is_known(name) || ++more > 0) {
            continue;
        }
        const auto nearest = nearest_word(name, known);
        unknown += fmt::format("{}{}{}", unknown.empty() ? "" : ", ", in_quotes(name),
                               nearest ? fmt::format(" (did you mean {}?)", *nearest) : "");
    }
    if (unknown.empty()) {
        return std::nullopt;
    }
    return fmt::format("no such setting: {}{}; it has no effect", unknown,
                       more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace aapc::selection
