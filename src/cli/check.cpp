#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aapc/check/queues.hpp"
#include "aapc/input/units.hpp"
#include "aapc/methods/read_given_schedule.hpp"
#include "aapc/methods/schedule_file.hpp"
#include "cli/check_unequal.hpp"
#include "cli/command.hpp"
#include "cli/topology_argument.hpp"
#include "input/text_file.hpp"

namespace aapc::cli {

namespace {

struct CheckOptions {
    std::string schedule;
    std::string topology;
    std::string segment;
};

Diagnostic about(const std::string& name, Diagnostic diagnostic) {
    diagnostic.file = name;
    return diagnostic;
}

int complain_of_violation(const CheckOptions& options, const Violation& violation) {
    complain({.file = options.schedule, .problem = violation.what});
    return check_failed;
}

/// What was proved of the phases.
std::string phases_claim(const Schedule& schedule) {
    const auto participants = static_cast<std::int64_t>(schedule.placement().participants());
    const std::string delivery = schedule.forwards() ? fmt::format("{} blocks followed from origin to destination",
                                                                   participants * (participants - 1))
                                                     : "every pair once";
    switch (schedule.guarantee()) {
        case Guarantee::shortest:
        case Guarantee::contention_free:
            return delivery + "; no directed link twice in a phase";
        case Guarantee::within_capacity:
            return delivery + "; no directed link asked for more than it carries in a cycle" +
                   (schedule.network().has_hashed_paths() ? " if cables share evenly" : "");
        case Guarantee::one_port:
            return delivery + "; no rank sends or receives twice in a phase";
        case Guarantee::nothing:
            break;
    }
    return delivery + "; nothing promised of phases";
}

/// What was proved of the order of messages that contend, in different phases, and on what condition.
std::string order_claim(const Synchronisation& synchronisation, std::size_t edges) {
    using Kind = Synchronisation::Kind;
    switch (synchronisation.kind) {
        case Kind::sender:
        case Kind::receiver:
            return fmt::format("{} synchronisations order every conflicting pair", edges);
        case Kind::sender_partial:
        case Kind::receiver_partial:
            return fmt::format(
                "{} synchronisations order every conflicting pair of different blocks if those of each "
                "block keep apart",
                edges);
        case Kind::barrier:
            return "barriers order every two phases";
        case Kind::barrier_partial_none:
            return "barriers order every two blocks";
        case Kind::barrier_partial_sender:
        case Kind::barrier_partial_receiver:
            return fmt::format("barriers order every two blocks, {} synchronisations every conflicting pair inside one",
                               edges);
        case Kind::none:
        case Kind::dummy:
        case Kind::window:
        case Kind::ports:
        case Kind::timed:
            break;
    }
    return "no order of phases to prove";
}

/// The line that says what was proved, and no more than that.
std::string certificate(const Schedule& schedule, const ScheduleDocument& document, const std::string& queues) {
    std::string phases = fmt::format("{} phases", schedule.phases().size());
    if (schedule.cycle()) {
        phases = "a cycle";  // its length stands beside the queues
    } else if (schedule.guarantee() == Guarantee::shortest) {
        phases += " = the bound";
    } else if (schedule.bound()) {
        phases += fmt::format(" (bound {})", *schedule.bound());
    }
    const std::string dummies = document.synchronisation.kind == Synchronisation::Kind::dummy
                                    ? fmt::format("{} dummies in nobody's way, ", document.dummies.size())
                                    : "";
    return fmt::format("certified: {} participants, {} messages, {}; {}; {}{}: {}{}\n",
                       schedule.placement().participants(), schedule.messages(), phases, phases_claim(schedule), queues,
                       to_string(document.synchronisation), dummies,
                       order_claim(document.synchronisation, document.edges.size()));
}

/// What the document says of queues, what these are where it has a cycle, and whether they fit the buffers if asked.
/// The part of the certificate about them; empty where nothing is said.
Expected<std::string, Violation> check_queues(const ScheduleDocument& document, const Schedule& schedule,
                                              std::int64_t segment_bytes) {
    if (!document.queue && !schedule.cycle() && segment_bytes == 0) {
        return "";
    }
    const auto certificate = certify_queues(schedule);
    if (!certificate) {
        return tl::unexpected(certificate.error());
    }
    const Network& network = schedule.network();
    if (document.queue) {
        if (auto violation = check_queue_claim(*certificate, network, *document.queue)) {
            return tl::unexpected(*violation);
        }
    }
    std::string text = schedule.cycle()     ? to_string(*certificate, network)
                       : certificate->exact ? queue_text(*certificate, network)
                                            : queue_text(*certificate, network) + "; " + certificate->sample;
    if (network.has_hashed_paths()) {
        text = "under draw 0 of the hash: " + text;
        if (const auto hashed = certify_hashed_queues(schedule)) {
            text += "; " + to_string(*hashed);
        }
    }
    if (segment_bytes > 0) {
        const auto bytes = static_cast<double>(segment_bytes);
        if (auto violation = check_buffers(*certificate, network, bytes)) {
            return tl::unexpected(*violation);
        }
        const bool has_buffers = std::any_of(network.links().begin(), network.links().end(), [](const Link& link) {
            return link.lower_buffer_bytes > 0 || link.upper_buffer_bytes > 0;
        });
        text += fmt::format("; at most {:.0f} bytes wait in segments of {}, {}", certificate->segments() * bytes,
                            segment_bytes, has_buffers ? "which fit every known buffer" : "and no buffer is known");
    }
    return text + "; ";
}

/// What is wrong with the synchronisation of a document, if anything.
std::optional<Violation> check_synchronisation_of(const ScheduleDocument& document, const Schedule& schedule) {
    if (auto violation = check_synchronisation(schedule, document.synchronisation, document.edges)) {
        return violation;
    }
    if (document.synchronisation.kind == Synchronisation::Kind::dummy) {
        return check_dummies(schedule, document.dummies);
    }
    return std::nullopt;
}

int run_check(const CheckOptions& options) {
    std::int64_t segment_bytes = 0;
    if (!options.segment.empty()) {
        auto size = parse_size(options.segment);
        if (!size || *size < 1) {
            return complain(size ? Diagnostic{.file = "--segment",
                                              .problem = "a segment of 0 bytes",
                                              .advice = "give a size such as 16KiB"}
                                 : about("--segment", size.error()));
        }
        segment_bytes = *size;
    }
    if (options.schedule == "-" && options.topology == "-") {
        return complain({.file = "standard input",
                         .problem = "two files are to be read from it",
                         .advice = "give a name for one of them"});
    }
    const Expected<Network> network = read_network(options.topology);
    if (!network) {
        return complain(network.error());
    }
    const Expected<std::string> text = read_file(options.schedule, schedule_document);
    if (!text) {
        return complain(text.error());
    }
    if (is_unequal_document(*text)) {
        return check_unequal(*text, shown_name(options.schedule), *network);
    }
    Expected<ScheduleDocument> document = read_schedule_document(*text, shown_name(options.schedule));
    if (!document) {
        return complain(document.error());
    }
    const Expected<Placement> placement = place_participants(*document, *network, options.topology);
    if (!placement) {
        return complain(about(options.schedule, placement.error()));
    }
    const Expected<Schedule, Violation> schedule = check_schedule(std::move(document->draft), *network, *placement);
    if (!schedule) {
        return complain_of_violation(options, schedule.error());
    }
    if (const std::optional<Violation> violation = check_synchronisation_of(*document, *schedule)) {
        return complain_of_violation(options, *violation);
    }
    const Expected<std::string, Violation> queues = check_queues(*document, *schedule, segment_bytes);
    if (!queues) {
        return complain_of_violation(options, queues.error());
    }
    return write_output("", certificate(*schedule, *document, *queues));
}

}  // namespace

void add_check_command(Command& program, Invocation& invocation) {
    Command command = program.subcommand("check", "Certify a schedule document, or name what is wrong with it");
    auto options = std::make_shared<CheckOptions>();
    command
        .option("SCHEDULE", options->schedule,
                "schedule document (docs/schedule-documents.md), or - for standard input")
        .required()
        .type_name("FILE");
    add_topology_argument(command, "TOPOLOGY", options->topology);
    command
        .option("--segment", options->segment,
                "size of the segments that messages are sent in, such as 16KiB: whether the queues fit the buffers of "
                "the topology file")
        .type_name("SIZE");
    command.example("aapc check schedule.json --topology cluster.toml", "a certificate, or the first mistake");
    command.on_run([options, &invocation] { invocation.status = run_check(*options); });
}

}  // namespace aapc::cli
