#include "learning/reasons.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "aapc/input/units.hpp"
#include "input/enumerator_names.hpp"
#include "learning/policy.hpp"

namespace aapc::learning {

namespace {

constexpr EnumeratorNames<State, State::watch> state_names({
    {State::opening, "opening"},
    {State::choose, "choose"},
    {State::try_, "try"},
    {State::exploit, "exploit"},
    {State::watch, "watch"},
});

constexpr EnumeratorNames<Standing, Standing::withdrawn> standing_names({
    {Standing::serves, "serves"},
    {Standing::on_trial, "on_trial"},
    {Standing::waits_for_evidence, "waits_for_evidence"},
    {Standing::waits_for_its_look, "waits_for_its_look"},
    {Standing::cannot_gain, "cannot_gain"},
    {Standing::not_worth_its_price, "not_worth_its_price"},
    {Standing::over_budget, "over_budget"},
    {Standing::due, "due"},
    {Standing::withdrawn, "withdrawn"},
});

std::string seconds_text(double seconds) { return duration_text(seconds, significant(3)); }

std::string evidence_text(const CandidateReason& one) {
    if (one.knows_first_call_only) {
        return fmt::format("{} by its first call, which says little", seconds_text(*one.typical_seconds));
    }
    if (one.typical_seconds) {
        return fmt::format("{} in {} sample{}", seconds_text(*one.typical_seconds), one.samples,
                           one.samples == 1 ? "" : "s");
    }
    if (one.least_seconds <= 0) {
        return "no sample, no prior";
    }
    if (one.most_seconds <= 0) {
        return fmt::format("no sample, at least {}", seconds_text(one.least_seconds));
    }
    return fmt::format("no sample, prior {} to {}", seconds_text(one.least_seconds), seconds_text(one.most_seconds));
}

/// What has to happen before that candidate serves; empty where nothing is to be said.
std::string condition_text(const CandidateReason& one) {
    switch (one.standing) {
        case Standing::serves:
            return "";
        case Standing::on_trial:
            return "on trial";
        case Standing::waits_for_evidence:
            return "waits until native calls are measured";
        case Standing::waits_for_its_look:
            return fmt::format("tried again in {} call{}", one.calls_until_look, one.calls_until_look == 1 ? "" : "s");
        case Standing::cannot_gain:
            return "cannot be faster";
        case Standing::not_worth_its_price:
            return "so few calls are not worth its trial";
        case Standing::over_budget:
            return "the budget does not allow its trial yet";
        case Standing::due:
            return "tried next";
        case Standing::withdrawn:
            return "could not be set up";
    }
    return "";
}

}  // namespace

std::string_view name_of(State state) { return state_names[state]; }

std::string_view name_of(Standing standing) { return standing_names[standing]; }

Reasons reasons(const Trials& trials, const Budget& others) {
    Reasons found;
    found.state = trials.state();
    found.size = trials.size();
    Budget together = trials.budget();
    found.calls = together.calls;
    found.bound_seconds = trials.least_seconds();
    together += others;
    found.budget_seconds = trials.allowed_seconds(together) - together.spent_seconds;
    found.share_of_ranks = trials.share_of_ranks();
    found.candidates.reserve(trials.prospects().size());
    for (std::size_t index = 0; index < trials.prospects().size(); ++index) {
        const Prospect& prospect = trials.prospects()[index];
        CandidateReason one;
        one.method = prospect.method;
        one.standing = trials.standing(index, others);
        one.samples = trials.evidence(index).samples.size();
        one.knows_first_call_only = index == 0 && trials.is_native_unknown();
        one.typical_seconds = trials.typical_seconds(index);
        one.least_seconds = std::max(trials.least_seconds(), prospect.least_seconds);
        // Nothing is believed of the native routine but that the links need their time.
        one.most_seconds = index == 0 ? 0 : one.least_seconds + trials.prior_spread_seconds(index);
        if (one.standing == Standing::waits_for_its_look) {
            one.calls_until_look = trials.calls_until_look(index);
        }
        found.candidates.push_back(one);
    }
    return found;
}

std::string words(const Reasons& reasons, const std::function<std::string(std::size_t method)>& name) {
    std::vector<std::string> parts;
    for (const CandidateReason& one : reasons.candidates) {
        if (one.standing == Standing::serves) {
            parts.insert(parts.begin(), fmt::format("{} serves: {}", name(one.method), evidence_text(one)));
        } else {
            parts.push_back(fmt::format("{}: {}, {}", name(one.method), evidence_text(one), condition_text(one)));
        }
    }
    std::string text = fmt::format("{}; state: {} after {} call{}", fmt::join(parts, "; "), name_of(reasons.state),
                                   reasons.calls, reasons.calls == 1 ? "" : "s");
    if (reasons.bound_seconds > 0) {
        text += fmt::format("; bound {}", seconds_text(reasons.bound_seconds));
    }
    if (reasons.calls == 0) {
        return text + fmt::format("; in the first {} calls trials may cost {:g} of one", policy::first_calls,
                                  reasons.share_of_ranks * policy::first_allowance);
    }
    text += reasons.budget_seconds > 0 ? fmt::format("; {} left for trials", seconds_text(reasons.budget_seconds))
                                       : "; nothing left for trials";
    return text + fmt::format("; a change of its cost by {:.0f} % begins anew", 100 * (policy::changed - 1));
}

}  // namespace aapc::learning
