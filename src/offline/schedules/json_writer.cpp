// Written line by line: a document of a million messages is built in the time it takes to print its numbers, where a
// JSON object in memory would need a gigabyte first; and passed on in pieces, since that of 4,096 ranks has half a
// gigabyte itself.
#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "aapc/check/queues.hpp"
#include "aapc/offline/schedule_text.hpp"
#include "aapc/offline/synchronise.hpp"
#include "aapc/timetable/synchronisation.hpp"
#include "methods/cycle_times.hpp"
#include "offline/schedules/text_pieces.hpp"

namespace aapc {

namespace {

/// A JSON string. Bytes that are no UTF-8 become U+FFFD, because JSON has no other way.
std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

class Writer {
  public:
    explicit Writer(const TakeText& take) : pieces_(take) {}

    bool write(const Schedule& schedule, const Synchronisation& synchronisation, const std::vector<Edge>& edges) {
        append("{{\n  \"format\": \"aapc-schedule/1\",\n  \"algorithm\": {},\n  \"variant\": {},\n",
               quoted(schedule.algorithm()), quoted(schedule.variant()));
        append_participants(schedule);
        if (schedule.bound()) {
            append("  \"bound\": {},\n", *schedule.bound());
        } else {
            text_ += "  \"bound\": null,\n";
        }
        append("  \"guarantee\": \"{}\",\n", to_string(schedule.guarantee()));
        if (schedule.cycle()) {
            append_cycle(schedule);
        } else {
            std::size_t number = 0;
            append_list("  ", "phases", schedule.phases(),
                        [&](const std::vector<Transfer>&) { append_phase(schedule, number++); });
        }
        append_queue(schedule);
        append_synchronisation(schedule, synchronisation, edges);
        text_ += "}\n";
        return pieces_.pass_on_all();
    }

  private:
    void append_synchronisation(const Schedule& schedule, const Synchronisation& synchronisation,
                                const std::vector<Edge>& edges) {
        append(",\n  \"synchronisation\": {{\n    \"name\": \"{}\",\n", to_string(synchronisation));
        append_list("    ", "edges", edges, [&](const Edge& edge) {
            append("{{\"after\": [{}, {}], \"before\": [{}, {}]}}", edge.after.from, edge.after.to, edge.before.from,
                   edge.before.to);
        });
        if (synchronisation.kind == Synchronisation::Kind::dummy) {
            text_ += ",\n";
            append_list("    ", "dummies", dummy_transfers(schedule, synchronisation), [&](const Transfer& dummy) {
                append("{{\"phase\": {}, \"from\": {}, \"to\": {}}}", dummy.phase, dummy.from, dummy.to);
            });
        }
        text_ += "\n  }\n";
    }

    template <class... Arguments>
    void append(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    }

    /// `"name": [` and one element a line.
    template <class Elements, class AppendElement>
    void append_list(std::string_view indent, std::string_view name, const Elements& elements,
                     AppendElement append_element) {
        append("{}\"{}\": [", indent, name);
        std::string_view separator = "\n";
        for (const auto& element : elements) {
            append("{}{}  ", separator, indent);
            append_element(element);
            separator = ",\n";
            if (!pieces_.pass_on()) {
                return;
            }
        }
        if (!elements.empty()) {
            append("\n{}", indent);
        }
        text_ += ']';
    }

    void append_participants(const Schedule& schedule) {
        const std::vector<std::string> names = participant_names(schedule.network(), schedule.placement());
        std::size_t rank = 0;
        append_list("  ", "participants", schedule.placement().machine_of, [&](Machine machine) {
            append("{{\"name\": {}, \"machine\": {}}}", quoted(names[rank++]),
                   quoted(schedule.network().machine_name(machine)));
        });
        text_ += ",\n";
    }

    /// Numbers in the shortest form that is read as the same again.
    void append_cycle(const Schedule& schedule) {
        append("  \"cycle\": {{\"seconds_per_byte\": {}, \"bound_seconds_per_byte\": {}, \"ticks\": {}}},\n",
               schedule.cycle()->seconds_per_byte, schedule.cycle()->bound_seconds_per_byte, schedule.ticks());
        append_list("  ", "transfers", schedule.transfers(), [&](const Transfer& message) {
            append("{{\"from\": {}, \"to\": {}, \"at\": {}}}", message.from, message.to,
                   documents::fraction_of(message.phase, schedule.ticks()));
        });
    }

    /// Nothing where the queue is not known: where blocks are forwarded, or routes are not known.
    void append_queue(const Schedule& schedule) {
        const auto certificate = certify_queues(schedule);
        if (!certificate) {
            return;
        }
        append(",\n  \"queue\": {{\"messages\": {:.9g}", certificate->segments());
        if (certificate->longest.queue_bytes > 0) {
            const Network& network = schedule.network();
            const Link& link = network.links()[static_cast<std::size_t>(certificate->longest.link / 2)];
            const bool upwards = certificate->longest.link % 2 == 0;
            const auto name = [&](Vertex vertex) { return network.vertices()[static_cast<std::size_t>(vertex)].name; };
            append(", \"from\": {}, \"to\": {}", quoted(name(upwards ? link.lower : link.upper)),
                   quoted(name(upwards ? link.upper : link.lower)));
        }
        if (!certificate->exact) {
            append(", \"sample\": {}", quoted(certificate->sample));
        }
        text_ += '}';
    }

    void append_phase(const Schedule& schedule, std::size_t number) {
        text_ += '[';
        std::string_view separator;
        for (std::size_t index = 0; index < schedule.phases()[number].size(); ++index) {
            const Transfer& message = schedule.phases()[number][index];
            append("{}{{\"from\": {}, \"to\": {}", separator, message.from, message.to);
            if (schedule.forwards()) {
                append_blocks(schedule.blocks()[number][index]);
            }
            text_ += '}';
            separator = ", ";
        }
        text_ += ']';
    }

    void append_blocks(const std::vector<Block>& blocks) {
        text_ += ", \"blocks\": [";
        std::string_view separator;
        for (const Block& block : blocks) {
            append("{}[{}, {}]", separator, block.origin, block.destination);
            separator = ", ";
        }
        text_ += ']';
    }

    documents::TextPieces pieces_;
    std::string& text_ = pieces_.text;
};

}  // namespace

bool write_schedule_json(const Schedule& schedule, const Synchronisation& synchronisation,
                         const std::vector<Edge>& edges, const TakeText& take) {
    return Writer(take).write(schedule, synchronisation, edges);
}

std::string schedule_json(const Schedule& schedule, const Synchronisation& synchronisation,
                          const std::vector<Edge>& edges) {
    return documents::whole_text(
        [&](const TakeText& take) { return write_schedule_json(schedule, synchronisation, edges, take); });
}

}  // namespace aapc
