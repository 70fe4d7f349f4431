#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "aapc/archive/record.hpp"
#include "input/lines.hpp"

namespace aapc {

namespace {

using Json = nlohmann::json;

constexpr std::int64_t largest = 1LL << 53;
constexpr double most_seconds = 1e9;

/// One line, member by member. The first thing that is wrong is kept.
class Line {
  public:
    explicit Line(const Json& object) : object_(object) {}

    [[nodiscard]] bool has(const char* name) const { return object_.contains(name); }
    void read(const char* name, std::string& value) { take(name, "a text", &Json::is_string, value); }
    void read(const char* name, double& value) {
        take(name, "a number", &Json::is_number, value);
        if (!fits(value)) {
            complain(name, "a number of seconds");
        }
    }
    void read(const char* name, std::int64_t& value) {
        take(name, "a whole number", &Json::is_number_integer, value);
        if (value < 0 || value > largest) {
            complain(name, "a whole number from 0 to 2^53");
        }
    }
    template <class Value>
    void read(const char* name, std::vector<Value>& values) {
        if (!has(name) || !object_[name].is_array()) {
            return complain(name, "a list");
        }
        for (const Json& entry : object_[name]) {
            if (!fits(entry, Value())) {
                return complain(name, "a list of what belongs there");
            }
            values.push_back(entry.get<Value>());
        }
    }
    [[nodiscard]] const Json* object(const char* name) {
        if (!has(name)) {
            return nullptr;
        }
        if (!object_[name].is_object()) {
            complain(name, "an object");
            return nullptr;
        }
        return &object_[name];
    }
    void complain(const char* name, const char* expected) {
        if (problem_.empty()) {
            problem_ = fmt::format("'{}' is not there or no fit; it should be {}", name, expected);
        }
    }
    [[nodiscard]] const std::string& problem() const { return problem_; }

  private:
    static bool fits(const Json& entry, const std::string&) { return entry.is_string(); }
    static bool fits(double value) { return std::abs(value) <= most_seconds; }
    static bool fits(const Json& entry, double) { return entry.is_number() && fits(entry.get<double>()); }
    template <class Whole>
    static bool fits(const Json& entry, Whole) {
        constexpr std::int64_t most = std::min<std::int64_t>(std::numeric_limits<Whole>::max(), largest);
        return entry.is_number_integer() && entry.get<double>() >= 0 &&
               entry.get<double>() <= static_cast<double>(most);
    }
    template <class Value>
    void take(const char* name, const char* expected, bool (Json::*is)() const noexcept, Value& value) {
        if (!has(name) || !(object_[name].*is)()) {
            return complain(name, expected);
        }
        value = object_[name].get<Value>();
    }

    const Json& object_;
    std::string problem_;
};

void read_head(Line& line, RecordHead& head) {
    line.read("aapc", head.aapc);
    line.read("mpi", head.mpi);
    line.read("library", head.library);
    line.read("program", head.program);
    for (const auto& [name, text] : {std::pair{"command", &head.command}, {"date", &head.date}, {"job", &head.job}}) {
        if (line.has(name)) {
            line.read(name, *text);
        }
    }
    line.read("seconds", head.seconds);
    line.read("dropped_calls", head.dropped_calls);
    line.read("dropped_segments", head.dropped_segments);
    line.read("hosts", head.hosts);
    line.read("topology_file", head.topology_file);
    line.read("topology_text", head.topology_text);
    if (const Json* const object = line.object("learned")) {
        Line learned(*object);
        RecordedLearning& value = head.learned.emplace();
        learned.read("calls", value.calls);
        learned.read("seconds", value.seconds);
        learned.read("own_seconds", value.own_seconds);
        if (!learned.problem().empty()) {
            line.complain("learned", "calls, seconds and own_seconds");
        }
    }
}

void read_total(Line& line, Record& record) {
    RecordedTotal& total = record.totals.emplace_back();
    line.read("total", total.routine);
    line.read("outcome", total.outcome);
    line.read("calls", total.calls);
    line.read("bytes", total.bytes);
    line.read("seconds", total.seconds);
}

void read_rank(Line& line, Record& record) {
    RecordedRank& rank = record.ranks.emplace_back();
    line.read("rank", rank.rank);
    line.read("calls", rank.calls);
    line.read("seconds", rank.seconds);
    line.read("waited", rank.waited_seconds);
    line.read("calls_known", rank.calls_known);
}

void read_communicator(Line& line, Record& record) {
    RecordedCommunicator& communicator = record.communicators.emplace_back();
    line.read("communicator", communicator.name);
    line.read("ranks", communicator.ranks);
    line.read("members", communicator.members);
    const auto known = static_cast<std::int32_t>(record.head.hosts.size());
    const bool of_the_world = std::all_of(communicator.members.begin(), communicator.members.end(),
                                          [&](std::int32_t member) { return member < known; });
    if (!of_the_world || (!communicator.members.empty() &&
                          communicator.members.size() != static_cast<std::size_t>(communicator.ranks))) {
        line.complain("members", "as many ranks of the world as there are");
    }
}

void read_call(Line& line, Record& record) {
    RecordedCall& call = record.calls.emplace_back();
    line.read("call", call.routine);
    line.read("on", call.communicator);
    line.read("at", call.at_seconds);
    line.read("seconds", call.seconds);
    line.read("bytes", call.bytes);
    line.read("by", call.method);
    if (line.has("waited")) {
        line.read("waited", call.waited_seconds.emplace());
    }
    if (line.has("why")) {
        line.read("why", call.reason);
    }
    if (line.has("exchange")) {
        line.read("exchange", call.exchange);
    }
}

void read_segments(Line& line, Record& record) {
    RecordedSegments& segments = record.segments.emplace_back();
    line.read("segments", segments.communicator);
    line.read("exchange", segments.exchange);
    line.read("rank", segments.rank);
    line.read("to", segments.to);
    line.read("bytes", segments.bytes);
    line.read("due", segments.due);
    line.read("late", segments.late);
    const std::size_t count = segments.to.size();
    if (segments.bytes.size() != count || segments.due.size() != count || segments.late.size() != count) {
        line.complain("to", "as long as bytes, due and late");
    }
}

void read_paths(Line& line, Record& record) {
    RecordedPaths& paths = record.paths.emplace_back();
    line.read("paths", paths.communicator);
    line.read("rank", paths.rank);
    line.read("over_bound", paths.over_bound);
    line.read("to", paths.to);
    line.read("port", paths.port);
    line.read("share", paths.share);
    line.read("late", paths.late);
    const std::size_t count = paths.to.size();
    if (paths.port.size() != count || paths.share.size() != count || paths.late.size() != count) {
        line.complain("to", "as long as port, share and late");
    }
    const auto are_shares = [](const std::vector<double>& values) {
        return std::all_of(values.begin(), values.end(), [](double value) { return value >= 0 && value <= 1; });
    };
    if (!are_shares(paths.share) || !are_shares(paths.late)) {
        line.complain("share", "a list of numbers from 0 to 1, and so should 'late'");
    }
}

void read_lengths(Line& line, Record& record) {
    RecordedDemand& demand = record.demands.emplace_back();
    line.read("demand", demand.communicator);
    line.read("routine", demand.routine);
    line.read("rank", demand.rank);
    line.read("period", demand.period);
    line.read("phase", demand.phase);
    line.read("calls", demand.calls);
    line.read("to", demand.to);
    line.read("bytes", demand.bytes);
    if (demand.bytes.size() != demand.to.size()) {
        line.complain("to", "as long as bytes");
    }
}

/// What is wrong with the line; empty: nothing.
std::string read_line(std::string_view text, bool first, Record& record) {
    const Json object = Json::parse(text, nullptr, false);
    if (!object.is_object()) {
        return "this is no JSON object";
    }
    Line line(object);
    if (first) {
        std::string format;
        line.read("format", format);
        if (line.problem().empty() && format != "aapc-record/1") {
            return "the format is not 'aapc-record/1'";
        }
        read_head(line, record.head);
    } else if (line.has("call")) {
        read_call(line, record);
    } else if (line.has("segments")) {
        read_segments(line, record);
    } else if (line.has("paths")) {
        read_paths(line, record);
    } else if (line.has("demand")) {
        read_lengths(line, record);
    } else if (line.has("communicator")) {
        read_communicator(line, record);
    } else if (line.has("rank")) {
        read_rank(line, record);
    } else if (line.has("total")) {
        read_total(line, record);
    } else {
        return "a line of this kind is not known";
    }
    return line.problem();
}

}  // namespace

Expected<Record> read_record(std::string_view text, std::string_view file) {
    Record record;
    int number = 0;
    while (!text.empty()) {
        const std::string_view line = take_line(text);
        ++number;
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) {
            continue;
        }
        if (std::string problem = read_line(line, number == 1, record); !problem.empty()) {
            return failure({.file = std::string(file),
                            .line = number,
                            .column = 1,
                            .problem = std::move(problem),
                            .advice = "give a record as AAPC_RECORD=FILE writes it"});
        }
    }
    if (number == 0) {
        return failure({.file = std::string(file),
                        .problem = "it is empty",
                        .advice = "give a record as AAPC_RECORD=FILE writes it"});
    }
    return record;
}

}  // namespace aapc
