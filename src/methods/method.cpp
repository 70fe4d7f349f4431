#include "aapc/methods/method.hpp"

#include <fmt/format.h>

namespace aapc {

std::string to_string(const Method& method) {
    if (method.native()) {
        return "native";
    }
    return fmt::format("{}/{}+{}", method.algorithm->name, method.variant, to_string(method.synchronisation));
}

Expected<Method> parse_method(std::string_view text, NetworkKind kind) {
    if (text == "native") {
        return Method{};
    }
    const std::size_t plus = text.find('+');
    const std::string_view what = text.substr(0, plus);
    const std::size_t slash = what.find('/');
    const auto algorithm = find_algorithm(what.substr(0, slash));
    if (!algorithm) {
        Diagnostic diagnostic = algorithm.error();
        diagnostic.advice += ", native";
        return failure(std::move(diagnostic));
    }
    if (!(*algorithm)->is_for(kind)) {
        return failure(fmt::format("'{}' is for a {}, the topology is a {}", (*algorithm)->name,
                                   to_string(*(*algorithm)->network), to_string(kind)),
                       "choose an algorithm for this kind of network, or native");
    }
    Method method{*algorithm, std::string((*algorithm)->variants.front()), (*algorithm)->synchronisation};
    if (slash != std::string_view::npos) {
        method.variant = what.substr(slash + 1);
        if (!(*algorithm)->has_variant(method.variant)) {
            return failure(fmt::format("'{}' has no variant '{}'", (*algorithm)->name, method.variant),
                           fmt::format("choose one of: {}", (*algorithm)->variant_names()));
        }
    }
    if (plus != std::string_view::npos) {
        const auto synchronisation = parse_synchronisation(text.substr(plus + 1));
        if (!synchronisation) {
            return failure(synchronisation.error());
        }
        method.synchronisation = *synchronisation;
    }
    return method;
}

Expected<void> check_synchronisation_fits(const Timetable& timetable, const Synchronisation& synchronisation) {
    return check_synchronisation_fits(timetable.guarantee(), timetable.forwards(), synchronisation);
}

}  // namespace aapc
