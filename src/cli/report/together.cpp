#include "cli/report/together.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace aapc::report {

namespace {

/// From and until when a call ran.
struct Span {
    double begin = 0;
    double end = 0;
};

constexpr double least_overlap = 0.5;

/// How long both were in a call. Both in order of time, each without overlaps of its own.
double common_seconds(const std::vector<Span>& left, const std::vector<Span>& right) {
    double seconds = 0;
    for (std::size_t one = 0, other = 0; one < left.size() && other < right.size();) {
        const double begin = std::max(left[one].begin, right[other].begin);
        const double end = std::min(left[one].end, right[other].end);
        seconds += std::max(end - begin, 0.0);
        if (left[one].end < right[other].end) {
            ++one;
        } else {
            ++other;
        }
    }
    return seconds;
}

/// The calls of a kind, by communicator and in order of time.
std::map<std::string, std::vector<Span>> spans_of(const Record& record, const std::string& routine,
                                                  std::optional<std::int64_t> bytes) {
    std::map<std::string, std::vector<Span>> spans;
    for (const RecordedCall& call : record.calls) {
        if (call.routine == routine && (!bytes || (call.bytes <= 2 * *bytes && *bytes <= 2 * call.bytes))) {
            spans[call.communicator].push_back({call.at_seconds, call.at_seconds + call.seconds});
        }
    }
    for (auto& [name, of_it] : spans) {
        std::stable_sort(of_it.begin(), of_it.end(),
                         [](const Span& left, const Span& right) { return left.begin < right.begin; });
    }
    return spans;
}

}  // namespace

std::vector<const RecordedCommunicator*> together_with(const Record& record, const std::string& name,
                                                       const std::string& routine, std::optional<std::int64_t> bytes) {
    const auto first = std::find_if(record.communicators.begin(), record.communicators.end(),
                                    [&](const RecordedCommunicator& one) { return one.name == name; });
    if (first == record.communicators.end()) {
        return {};
    }
    std::vector<const RecordedCommunicator*> found{&*first};
    const auto spans = spans_of(record, routine, bytes);
    const auto own = spans.find(name);
    if (own == spans.end()) {
        return found;
    }
    double seconds = 0;
    for (const Span& span : own->second) {
        seconds += span.end - span.begin;
    }
    std::set<std::int32_t> taken(first->members.begin(), first->members.end());
    for (const RecordedCommunicator& other : record.communicators) {
        const auto theirs = spans.find(other.name);
        if (other.ranks != first->ranks || other.members.empty() || taken.empty() || theirs == spans.end() ||
            std::any_of(other.members.begin(), other.members.end(),
                        [&](std::int32_t member) { return taken.contains(member); })) {
            continue;
        }
        if (seconds > 0 && common_seconds(own->second, theirs->second) >= least_overlap * seconds) {
            found.push_back(&other);
            taken.insert(other.members.begin(), other.members.end());
        }
    }
    return found;
}

}  // namespace aapc::report
