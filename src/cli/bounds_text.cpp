#include "cli/bounds_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "aapc/input/units.hpp"

namespace aapc::cli {

using nlohmann::ordered_json;

std::string_view about_bound(BoundKind kind) {
    switch (kind) {
        case BoundKind::even:
            return ", even: as if cables shared perfectly";
        case BoundKind::exact:
            return ", exact under the static tables";
        case BoundKind::only:
            break;
    }
    return ": at least as many phases";
}

std::string expected_text(const HashedBounds& bounds, double even, double bytes) {
    const auto time = [&](double seconds) { return duration_text(seconds * bytes, decimals(3)); };
    const auto line = [&](const std::string& basis, const ExpectedBound& expected) {
        return fmt::format(
            "          expected under a hash: mean {} ({:.3f} of the even bound), worst of twenty draws {} ({:.3f}), "
            "by {}\n",
            time(expected.mean), even / expected.mean, time(expected.worst), even / expected.worst, basis);
    };
    return line("formula", bounds.formula) +
           (bounds.sampled ? line(fmt::format("{} draws", bounds.draws), *bounds.sampled) : "");
}

void add_bounds(BoundKind kind, const std::optional<HashedBounds>& bounds, ordered_json& document) {
    if (kind != BoundKind::only) {
        document["kind"] = to_string(kind);
    }
    if (!bounds) {
        return;
    }
    const auto expected = [](const ExpectedBound& of) {
        return ordered_json{{"mean_seconds_per_byte", of.mean}, {"worst_of_twenty_seconds_per_byte", of.worst}};
    };
    document["expected_by_formula"] = expected(bounds->formula);
    if (bounds->sampled) {
        document["expected_by_draws"] = expected(*bounds->sampled);
        document["draws"] = bounds->draws;
    }
}

}  // namespace aapc::cli
