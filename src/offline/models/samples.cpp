#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "aapc/offline/contention.hpp"
#include "input/lines.hpp"
#include "input/numbers.hpp"
#include "input/wording.hpp"

namespace aapc {

namespace {

constexpr std::string_view header = "ranks,message_bytes,seconds";

/// One line of three fields.
class Line {
  public:
    Line(std::string_view text, std::string_view file, int number) : text_(text), file_(file), number_(number) {}

    Expected<ContentionSample> sample() {
        constexpr double longest = 1e9;  // seconds
        const auto ranks = field<Rank>("ranks", "a whole number of at least 2");
        if (!ranks) {
            return failure(ranks.error());
        }
        const auto bytes = field<std::int64_t>("message_bytes", "a whole number of at least 1");
        if (!bytes) {
            return failure(bytes.error());
        }
        const auto seconds = field<double>("seconds", "a number above 0");
        if (!seconds) {
            return failure(seconds.error());
        }
        if (position_ <= text_.size()) {
            return failure(complaint(position_, "there is a fourth field", fmt::format("give {}", header)));
        }
        if (*ranks < 2 || *bytes < 1 || !(*seconds > 0 && *seconds < longest)) {
            return failure(complaint(
                0,
                fmt::format("{} ranks, {} bytes and {} seconds are no measured all-to-all", *ranks, *bytes, *seconds),
                "give at least 2 ranks, at least 1 byte and a time above 0"));
        }
        return ContentionSample{*ranks, *bytes, *seconds};
    }

  private:
    [[nodiscard]] Diagnostic complaint(std::size_t position, std::string problem, std::string advice) const {
        return {std::string(file_), number_, static_cast<int>(position) + 1, std::move(problem), std::move(advice)};
    }

    template <class Value>
    Expected<Value> field(std::string_view name, std::string_view advice) {
        const std::size_t begin = position_;
        if (begin > text_.size()) {
            return failure(complaint(begin, fmt::format("{} is missing", name), fmt::format("give {}", header)));
        }
        const std::size_t comma = std::min(text_.find(',', begin), text_.size());
        const std::string_view text = trimmed(text_.substr(begin, comma - begin));
        position_ = comma + 1;
        const auto value = parse_number<Value>(text);
        if (!value) {
            return failure(
                complaint(begin, fmt::format("'{}' is no value for {}", text, name), fmt::format("give {}", advice)));
        }
        return *value;
    }

    std::string_view text_;
    std::string_view file_;
    int number_;
    std::size_t position_ = 0;
};

}  // namespace

Expected<std::vector<ContentionSample>> read_contention_samples(std::string_view text, std::string_view file) {
    std::vector<ContentionSample> samples;
    bool has_header = false;
    int number = 0;
    while (!text.empty()) {
        const std::string_view line = trimmed(take_line(text));
        ++number;
        if (line.empty() || line.front() == '#') {
            continue;
        }
        if (!has_header) {
            if (line != header) {
                return failure({std::string(file), number, 1, fmt::format("the first line is '{}'", line),
                                fmt::format("begin with the line {}", header)});
            }
            has_header = true;
            continue;
        }
        const auto sample = Line(line, file, number).sample();
        if (!sample) {
            return failure(sample.error());
        }
        samples.push_back(*sample);
    }
    if (!has_header) {
        return failure(
            {std::string(file), 1, 1, "there are no samples", fmt::format("begin with the line {}", header)});
    }
    return samples;
}

}  // namespace aapc
