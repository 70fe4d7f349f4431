// The state of a search is what it was made from and what was measured; resuming does it all again. So it cannot
// differ from the uninterrupted one, and every line is checked by what the search asks for at that point.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "input/numbers.hpp"
#include "offline/search/state.hpp"

namespace aapc {

namespace {

constexpr std::string_view first_line = "aapc tournament 1";
constexpr std::string_view last_line = "end";

/// Takes the text up to the separator, and the separator, from the front; all of it if there is none.
std::string_view take(std::string_view& text, char separator) {
    const std::size_t end = text.find(separator);
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return part;
}

class Lines {
  public:
    explicit Lines(std::string_view text) : text_(text) {}

    std::string_view next() {
        ++line_;
        return take(text_, '\n');
    }
    /// What follows `key` and a blank on the next line; nothing if that is another.
    std::optional<std::string_view> value(std::string_view key) {
        std::string_view line = next();
        return take(line, ' ') == key ? std::optional(line) : std::nullopt;
    }
    template <class Number>
    std::optional<Number> numeric(std::string_view key) {
        const auto text = value(key);
        return text ? parse_number<Number>(*text) : std::nullopt;
    }
    [[nodiscard]] bool at_end() const { return text_.empty(); }
    [[nodiscard]] tl::unexpected<Diagnostic> damaged() const {
        return failure({"", line_, 0, "the state of the search is damaged", "begin a new one"});
    }

  private:
    std::string_view text_;
    int line_ = 0;
};

std::optional<std::vector<std::int64_t>> read_sizes(Lines& lines) {
    auto rest = lines.value("sizes");
    std::vector<std::int64_t> sizes;
    while (rest && !rest->empty()) {
        const auto size = parse_number<std::int64_t>(take(*rest, ' '));
        if (!size) {
            return std::nullopt;
        }
        sizes.push_back(*size);
    }
    return rest ? std::optional(std::move(sizes)) : std::nullopt;
}

Expected<SearchSettings> read_settings(Lines& lines) {
    if (lines.next() != first_line) {
        return lines.damaged();
    }
    SearchSettings settings;
    for (const auto& [key, where] : {std::pair("budget", &settings.budget_seconds),
                                     std::pair("seconds-per-byte", &settings.bound_seconds_per_byte),
                                     std::pair("bits-per-second", &settings.slowest_bits_per_second)}) {
        const auto value = lines.numeric<double>(key);
        if (!value) {
            return lines.damaged();
        }
        *where = *value;
    }
    const auto seed = lines.numeric<std::uint64_t>("seed");
    if (!seed) {
        return lines.damaged();
    }
    settings.seed = *seed;
    auto sizes = read_sizes(lines);
    if (!sizes) {
        return lines.damaged();
    }
    settings.sizes = std::move(*sizes);
    return settings;
}

Expected<std::vector<Method>> read_candidates(Lines& lines, NetworkKind kind) {
    const auto count = lines.numeric<std::size_t>("candidates");
    if (!count) {
        return lines.damaged();
    }
    std::vector<Method> candidates;
    for (std::size_t index = 0; index < *count; ++index) {
        auto method = parse_method(lines.next(), kind);
        if (!method) {
            return lines.damaged();
        }
        candidates.push_back(std::move(*method));
    }
    return candidates;
}

}  // namespace

std::string Search::state_text() const {
    const SearchSettings& settings = state_->settings();
    std::string text = fmt::format("{}\nbudget {}\nseconds-per-byte {}\nbits-per-second {}\nseed {}\nsizes", first_line,
                                   settings.budget_seconds, settings.bound_seconds_per_byte,
                                   settings.slowest_bits_per_second, settings.seed);
    for (const std::int64_t size : settings.sizes) {
        text += fmt::format(" {}", size);
    }
    text += fmt::format("\ncandidates {}\n", state_->candidates().size());
    for (const Method& method : state_->candidates()) {
        text += to_string(method) + '\n';
    }
    text += fmt::format("measurements {}\n", state_->log().size());
    for (const State::Logged& one : state_->log()) {
        text += fmt::format("{} {} {} {}\n", one.candidate, one.bytes, one.measurement.seconds,
                            one.measurement.spent_seconds);
    }
    text += fmt::format("{}\n", last_line);
    return text;
}

Expected<Search> Search::resume(std::string_view text, NetworkKind kind, Foreknowledge known) {
    Lines lines(text);
    auto settings = read_settings(lines);
    if (!settings) {
        return failure(std::move(settings.error()));
    }
    auto candidates = read_candidates(lines, kind);
    if (!candidates) {
        return failure(std::move(candidates.error()));
    }
    auto search = create(std::move(*settings), std::move(*candidates), std::move(known));
    if (!search) {
        return search;
    }
    const auto count = lines.numeric<std::size_t>("measurements");
    if (!count) {
        return lines.damaged();
    }
    for (std::size_t index = 0; index < *count; ++index) {
        std::string_view line = lines.next();
        const auto candidate = parse_number<std::size_t>(take(line, ' '));
        const auto bytes = parse_number<std::int64_t>(take(line, ' '));
        const auto seconds = parse_number<double>(take(line, ' '));
        const auto spent_seconds = parse_number<double>(line);
        State& state = *search->state_;
        if (!candidate || !bytes || !seconds || !spent_seconds || state.finished() || state.next() != *candidate ||
            state.bytes() != *bytes) {
            return lines.damaged();
        }
        state.observe({*seconds, *spent_seconds});
    }
    if (lines.next() != last_line || !lines.at_end() || !text.ends_with('\n')) {
        return lines.damaged();
    }
    return search;
}

}  // namespace aapc
