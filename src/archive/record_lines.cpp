// Records are written line by line: rank 0 puts together what each rank has worded.
#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "aapc/archive/record.hpp"

namespace aapc {

namespace {

std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

template <class... Arguments>
void append(std::string& out, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Arguments>(arguments)...);
}

template <class Values, class Write>
void append_list(std::string& out, const char* name, const Values& values, Write write) {
    append(out, ", \"{}\": [", name);
    const char* between = "";
    for (const auto& value : values) {
        out += between;
        write(value);
        between = ",";
    }
    out += ']';
}

template <class Values>
void append_numbers(std::string& out, const char* name, const Values& values) {
    append_list(out, name, values, [&](const auto& value) { append(out, "{}", value); });
}

/// Seconds as whole nanoseconds would have them, without zeros that say nothing.
void append_times(std::string& out, const char* name, const std::vector<double>& values) {
    append_list(out, name, values, [&](double value) { append(out, "{:.6g}", value); });
}

}  // namespace

void append_line(const RecordHead& head, std::string& out) {
    append(out, "{{\"format\": \"aapc-record/1\", \"aapc\": {}, \"mpi\": {}, \"library\": {}, \"program\": {}",
           quoted(head.aapc), quoted(head.mpi), quoted(head.library), quoted(head.program));
    for (const auto& [name, text] : {std::pair{"command", &head.command}, {"date", &head.date}, {"job", &head.job}}) {
        if (!text->empty()) {
            append(out, ", \"{}\": {}", name, quoted(*text));
        }
    }
    append(out, ", \"seconds\": {:.9g}, \"dropped_calls\": {}, \"dropped_segments\": {}", head.seconds,
           head.dropped_calls, head.dropped_segments);
    if (head.learned) {
        append(out, ", \"learned\": {{\"calls\": {}, \"seconds\": {:.9g}, \"own_seconds\": {:.9g}}}",
               head.learned->calls, head.learned->seconds, head.learned->own_seconds);
    }
    append_list(out, "hosts", head.hosts, [&](const std::string& host) { out += quoted(host); });
    append(out, ", \"topology_file\": {}, \"topology_text\": {}}}\n", quoted(head.topology_file),
           quoted(head.topology_text));
}

void append_line(const RecordedTotal& total, std::string& out) {
    append(out, "{{\"total\": {}, \"outcome\": {}, \"calls\": {}, \"bytes\": {}, \"seconds\": {:.9g}}}\n",
           quoted(total.routine), quoted(total.outcome), total.calls, total.bytes, total.seconds);
}

void append_line(const RecordedRank& rank, std::string& out) {
    append(out, "{{\"rank\": {}, \"calls\": {}, \"seconds\": {:.9g}, \"waited\": {:.9g}, \"calls_known\": {}}}\n",
           rank.rank, rank.calls, rank.seconds, rank.waited_seconds, rank.calls_known);
}

void append_line(const RecordedCommunicator& communicator, std::string& out) {
    append(out, "{{\"communicator\": {}, \"ranks\": {}", quoted(communicator.name), communicator.ranks);
    append_numbers(out, "members", communicator.members);
    out += "}\n";
}

void append_line(const RecordedCall& call, std::string& out) {
    append(out, "{{\"call\": {}, \"on\": {}, \"at\": {:.6f}, \"seconds\": {:.9g}", quoted(call.routine),
           quoted(call.communicator), call.at_seconds, call.seconds);
    if (call.waited_seconds) {
        append(out, ", \"waited\": {:.9g}", *call.waited_seconds);
    }
    append(out, ", \"bytes\": {}, \"by\": {}", call.bytes, quoted(call.method));
    if (!call.reason.empty()) {
        append(out, ", \"why\": {}", quoted(call.reason));
    }
    if (call.exchange > 0) {
        append(out, ", \"exchange\": {}", call.exchange);
    }
    out += "}\n";
}

void append_line(const RecordedSegments& segments, std::string& out) {
    append(out, "{{\"segments\": {}, \"exchange\": {}, \"rank\": {}", quoted(segments.communicator), segments.exchange,
           segments.rank);
    append_numbers(out, "to", segments.to);
    append_numbers(out, "bytes", segments.bytes);
    append_list(out, "due", segments.due, [&](double value) { append(out, "{:.7f}", value); });
    append_times(out, "late", segments.late);
    out += "}\n";
}

void append_line(const RecordedPaths& paths, std::string& out) {
    append(out, "{{\"paths\": {}, \"rank\": {}, \"over_bound\": {:.4f}", quoted(paths.communicator), paths.rank,
           paths.over_bound);
    append_numbers(out, "to", paths.to);
    append_numbers(out, "port", paths.port);
    const auto append_shares = [&](const char* name, const std::vector<double>& values) {
        append_list(out, name, values, [&](double value) { append(out, "{:.4f}", value); });
    };
    append_shares("share", paths.share);
    append_shares("late", paths.late);
    out += "}\n";
}

void append_line(const RecordedDemand& demand, std::string& out) {
    append(out, "{{\"demand\": {}, \"routine\": {}, \"rank\": {}, \"period\": {}, \"phase\": {}, \"calls\": {}",
           quoted(demand.communicator), quoted(demand.routine), demand.rank, demand.period, demand.phase, demand.calls);
    append_numbers(out, "to", demand.to);
    append_numbers(out, "bytes", demand.bytes);
    out += "}\n";
}

}  // namespace aapc
