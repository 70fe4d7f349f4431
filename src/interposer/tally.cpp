#include "interposer/tally.hpp"

#include <fmt/core.h>

#include "aapc/input/units.hpp"

namespace aapc::interposer {

void Tally::add(Routine routine, Outcome outcome, std::int64_t bytes, std::int64_t nanoseconds) {
    Entry& entry = at(routine, outcome);
    entry.calls.fetch_add(1, std::memory_order_relaxed);
    entry.bytes.fetch_add(bytes, std::memory_order_relaxed);
    entry.nanoseconds.fetch_add(nanoseconds, std::memory_order_relaxed);
}

Tally::Totals Tally::totals() const {
    Totals totals;
    for (std::size_t index = 0; index < totals.size(); ++index) {
        const Entry& entry = entries_[index];
        totals[index] = {entry.calls.load(std::memory_order_relaxed), entry.bytes.load(std::memory_order_relaxed),
                         entry.nanoseconds.load(std::memory_order_relaxed)};
    }
    return totals;
}

CallCounts call_counts(const Tally::Totals& totals) {
    CallCounts counts;
    for (std::size_t index = 0; index < totals.size(); ++index) {
        const bool exchanged = index % outcome_count == static_cast<std::size_t>(Outcome::exchanged);
        (exchanged ? counts.exchanged : counts.passed_through) += totals[index].calls;
    }
    return counts;
}

std::vector<std::string> describe(const Tally::Totals& totals, int ranks) {
    std::vector<std::string> lines;
    for (std::size_t routine = 0; routine < routine_count; ++routine) {
        std::string parts;
        for (std::size_t outcome = 0; outcome < outcome_count; ++outcome) {
            const Tally::Total& total = totals[routine * outcome_count + outcome];
            if (total.calls == 0) {
                continue;
            }
            const bool exchanged = outcome == static_cast<std::size_t>(Outcome::exchanged);
            parts += fmt::format("{}{} {}{} ({}, {})", parts.empty() ? "" : "; ", total.calls,
                                 exchanged ? "" : "passed through, ", outcome_texts[outcome],
                                 rounded_size_text(static_cast<double>(total.bytes)),
                                 duration_text(1e-9 * static_cast<double>(total.nanoseconds) / ranks, significant(3)));
        }
        if (!parts.empty()) {
            lines.push_back(fmt::format("{}: {}", routine_names[routine], parts));
        }
    }
    return lines;
}

}  // namespace aapc::interposer
