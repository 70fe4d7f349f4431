#include "cli/unequal_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "aapc/input/units.hpp"
#include "aapc/methods/cadence.hpp"
#include "aapc/offline/method_model.hpp"
#include "aapc/offline/unequal_model.hpp"
#include "console/output.hpp"
#include "selection/unequal_rule.hpp"

namespace aapc::cli {

Expected<UnequalMethod> find_unequal_method(const std::string& text, const Network& network, const Placement& placement,
                                            std::optional<double> start_seconds) {
    const auto method = parse_method(text.empty() ? "lattice/formula" : text, network.kind());
    if (!method) {
        return failure(method.error());
    }
    const auto needs = [&](std::string problem, std::string advice) {
        return failure(said_of(*method, {.problem = std::move(problem), .advice = std::move(advice)}));
    };
    if (method->native() || method->synchronisation.kind != Synchronisation::Kind::timed) {
        return needs("it does not go by the clock, and unequal messages do", "choose lattice, or tree+timed");
    }
    const Bound bound = network_bound(network, placement);
    auto prepared = prepare(network, placement, bound, *method);
    if (!prepared) {
        return failure(said_of(*method, std::move(prepared.error())));
    }
    if (prepared->timetable->forwards()) {
        return needs("it forwards blocks, which have to be equal", "choose lattice");
    }
    const auto loads = LinkLoads::find(network, placement);
    if (!loads) {
        return failure(loads.error());
    }
    UnequalMethod found;
    found.cadence = cadence_for_unequal(network, bound, prepared->cadence);
    found.sums = loads->sums();
    found.maxima = LinkLoads::maxima();
    const double forced = prepared->method.synchronisation.pace;
    found.pace = forced > 0 ? forced : found.cadence.initial_pace();
    found.crossover = selection::unequal_crossover(network, placement, bound, start_seconds);
    found.equal_seconds_per_byte = bound.seconds_per_byte;
    found.prepared = std::move(*prepared);
    return found;
}

namespace {

void count_messages(const Demand& demand, UnequalLine& line) {
    for (Rank from = 0; from < demand.participants(); ++from) {
        for (Rank to = 0; to < demand.participants(); ++to) {
            if (from != to) {
                const std::int64_t bytes = demand.bytes(from, to);
                line.messages += bytes > 0 ? 1 : 0;
                line.bytes += bytes;
                line.longest = std::max(line.longest, bytes);
            }
        }
    }
}

bool is_tuned_to_clock(const UnequalMethod& method, const DemandBound& bound) {
    return !selection::tuned_method(*method.tuning, std::llround(bound.seconds() / method.equal_seconds_per_byte))
                .native();
}

/// As the interposer decides: by a tuning first for the bytes alone and, once there is an exchange, with headers.
bool is_exchanged(const UnequalMethod& method, const UnequalLine& line) {
    if (method.tuning != nullptr) {
        return is_tuned_to_clock(method, line.bound) && is_tuned_to_clock(method, line.exchange.bound);
    }
    return selection::worth_exchanging(selection::UnequalUse::automatic, line.exchange.bound, 0, method.crossover);
}

}  // namespace

Expected<UnequalLine> examine_unequal(const Network& network, const Placement& placement, const UnequalMethod& method,
                                      const NamedDemand& demand, const NetworkModel* model) {
    UnequalLine line;
    line.name = demand.name;
    count_messages(demand.demand, line);
    const auto bound = demand_bound(network, placement, demand.demand);
    if (!bound) {
        return failure(bound.error());
    }
    line.bound = *bound;
    auto exchange = examine_unequal_exchange(network, placement, *method.prepared.timetable, method.cadence,
                                             method.prepared.method.synchronisation.segment_bytes, demand.demand);
    if (!exchange) {
        return failure(std::move(exchange.error()));
    }
    line.exchange = std::move(*exchange);
    line.predicted_seconds = predict_timed_unequal(line.exchange, method.pace, placement.participants(),
                                                   model != nullptr ? largest_start_up_seconds(*model) : 0);
    line.exchanged = is_exchanged(method, line);
    if (model != nullptr) {
        const auto native = MethodModel::create(network, placement, Method{}, *model);
        if (!native) {
            return failure(said_of(Method{}, native.error()));
        }
        line.native_seconds = predict_native_unequal(*native, network_bound(network, placement), line.bound,
                                                     mean_message_bytes(demand.demand));
    }
    return line;
}

namespace {

/// The demands of the question by one method, added to what is said.
Expected<std::string> answer_for(const UnequalQuestion& question, const std::string& name,
                                 const std::vector<NamedDemand>& demands) {
    auto method = find_unequal_method(name, question.network, question.placement, question.start_seconds);
    if (!method) {
        return failure(std::move(method.error()));
    }
    method->tuning = question.tuning;
    method->tuning_rejected = question.tuning_rejected;
    method->siblings = question.siblings;
    std::vector<UnequalLine> lines;
    for (const NamedDemand& demand : demands) {
        auto line = examine_unequal(question.network, question.placement, *method, demand,
                                    question.model ? &*question.model : nullptr);
        if (!line) {
            return failure(std::move(line.error()));
        }
        lines.push_back(std::move(*line));
    }
    return question.as_json ? unequal_json(question.network, *method, lines)
                            : unequal_text(question.network, *method, lines);
}

}  // namespace

int answer_unequal(const UnequalQuestion& question) {
    const auto demands = question.demand.given()
                             ? read_demands(question.demand, question.mean_bytes, question.placement.participants())
                             : Expected<std::vector<NamedDemand>>();
    if (!demands) {
        return complain(demands.error());
    }
    std::string text;
    std::vector<std::string> names = question.methods;
    if (question.model) {
        std::erase(names, "native");  // it has a column of its own
    }
    for (const std::string& name : names.empty() ? std::vector<std::string>{""} : names) {
        const auto answer = answer_for(question, name, *demands);
        if (!answer) {
            return complain(answer.error());
        }
        text += (text.empty() ? "" : question.as_json ? "," : "\n") + *answer;
    }
    return write_output("", question.as_json ? "[" + text + "]\n" : text);
}

}  // namespace aapc::cli
