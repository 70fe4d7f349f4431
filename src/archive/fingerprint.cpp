#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "aapc/archive/tuning.hpp"
#include "aapc/topology/network_digest.hpp"
#include "input/version.hpp"
#include "input/wording.hpp"

namespace aapc {

namespace {

/// "n007x": "n", 7 written with at least three digits, "x". The last digits count, as in rack1node7.
struct NumberedName {
    std::string_view before;
    std::string_view digits;
    std::string_view after;
    std::int64_t number = 0;
};

/// More digits are taken for a part of the name.
constexpr std::size_t most_digits = 9;

bool is_digit(char character) { return character >= '0' && character <= '9'; }

/// Digits are empty where there are none, or too many.
NumberedName take_apart(std::string_view name) {
    std::size_t end = name.size();
    while (end > 0 && !is_digit(name[end - 1])) {
        --end;
    }
    std::size_t start = end;
    while (start > 0 && is_digit(name[start - 1])) {
        --start;
    }
    NumberedName parts{name.substr(0, start), name.substr(start, end - start), name.substr(end)};
    // Brackets may not come first in a hostlist's name.
    if (parts.digits.size() > most_digits || start == 0) {
        return {name, "", ""};
    }
    std::from_chars(parts.digits.data(), parts.digits.data() + parts.digits.size(), parts.number);
    return parts;
}

/// Machines with consecutive numbers, each running the same number of ranks.
struct HostRange {
    NumberedName first;
    std::int64_t last = 0;
    std::size_t ranks = 1;

    /// Whether the next machine continues the range, padding included.
    [[nodiscard]] bool continues_with(const NumberedName& next, std::size_t next_ranks) const {
        const std::size_t width = first.digits.starts_with('0') ? first.digits.size() : 1;
        return !first.digits.empty() && next.before == first.before && next.after == first.after &&
               next_ranks == ranks && next.number == last + 1 &&
               next.digits == fmt::format("{:0{}}", next.number, width);
    }

    [[nodiscard]] std::string text() const {
        std::string name = fmt::format("{}{}{}", first.before, first.digits, first.after);
        if (last != first.number) {
            const std::size_t width = first.digits.starts_with('0') ? first.digits.size() : 1;
            name = fmt::format("{}[{}-{:0{}}]{}", first.before, first.digits, last, width, first.after);
        }
        return ranks == 1 ? name : fmt::format("{}:{}", name, ranks);
    }
};

}  // namespace

std::string compact_hostlist(const std::vector<std::string>& names) {
    std::vector<HostRange> ranges;
    for (std::size_t at = 0; at < names.size();) {
        std::size_t ranks = 1;
        while (at + ranks < names.size() && names[at + ranks] == names[at]) {
            ++ranks;
        }
        const NumberedName name = take_apart(names[at]);
        if (!ranges.empty() && ranges.back().continues_with(name, ranks)) {
            ++ranges.back().last;
        } else {
            ranges.push_back({name, name.number, ranks});
        }
        at += ranks;
    }
    std::string text;
    for (const HostRange& range : ranges) {
        text += (text.empty() ? "" : ",") + range.text();
    }
    return text;
}

std::string mpi_version_line(std::string_view library_version) {
    std::string line;
    // Open MPI counts the final zero as one of the characters.
    constexpr std::string_view ends("\r\n\0", 3);
    for (const char character : library_version.substr(0, library_version.find_first_of(ends))) {
        if (character != ' ' && character != '\t') {
            line += character;
        } else if (!line.empty() && line.back() != ' ') {
            line += ' ';
        }
    }
    if (line.ends_with(' ')) {
        line.pop_back();
    }
    return line;
}

Fingerprint make_fingerprint(const Network& network, const Placement& placement, std::string_view mpi,
                             std::string_view library_version, std::string_view topology_file) {
    Fingerprint fingerprint{std::string(version()),
                            std::string(mpi),
                            mpi_version_line(library_version),
                            network_digest(network),
                            std::string(topology_file),
                            {},
                            false};
    fingerprint.machine_of.reserve(placement.machine_of.size());
    for (const Machine machine : placement.machine_of) {
        fingerprint.machine_of.push_back(network.machine_name(machine));
    }
    return fingerprint;
}

std::optional<Diagnostic> mismatch(const Tuning& tuning, const Fingerprint& here) {
    const Fingerprint& tuned = tuning.fingerprint;
    const auto differs = [](std::string_view what, std::string_view there, std::string_view now) {
        return Diagnostic{.problem = fmt::format("it was made for {} {}, and here it is {}", what, there, now),
                          .advice = "tune again with aapc tune, or leave the file out"};
    };
    if (tuned.aapc_version != here.aapc_version) {
        return differs("aapc", tuned.aapc_version, here.aapc_version);
    }
    if (tuned.mpi != here.mpi) {
        return differs("the MPI", in_quotes(tuned.mpi), in_quotes(here.mpi));
    }
    if (tuned.mpi_version != here.mpi_version) {
        return differs("the MPI", in_quotes(tuned.mpi_version), in_quotes(here.mpi_version));
    }
    if (tuned.topology_digest != here.topology_digest) {
        return differs("the topology", fmt::format("{} ({})", tuned.topology_digest, tuned.topology_file),
                       fmt::format("{} ({})", here.topology_digest, here.topology_file));
    }
    if (tuned.machine_of.size() != here.machine_of.size()) {
        return differs("a number of ranks of", std::to_string(tuned.machine_of.size()),
                       std::to_string(here.machine_of.size()));
    }
    const auto [there, now] = std::mismatch(tuned.machine_of.begin(), tuned.machine_of.end(), here.machine_of.begin());
    if (there != tuned.machine_of.end()) {
        return differs(fmt::format("rank {} on", there - tuned.machine_of.begin()),
                       fmt::format("{} (placement {})", *there, in_quotes(compact_hostlist(tuned.machine_of))),
                       fmt::format("{} ({})", *now, in_quotes(compact_hostlist(here.machine_of))));
    }
    if (tuned.unequal != here.unequal) {
        const auto messages = [](bool unequal) { return unequal ? "unequal messages" : "equal messages"; };
        return differs("messages of a kind,", messages(tuned.unequal), messages(here.unequal));
    }
    return std::nullopt;
}

}  // namespace aapc
