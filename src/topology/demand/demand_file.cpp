#include "aapc/topology/demand_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "aapc/input/units.hpp"
#include "input/wording.hpp"

namespace aapc {

namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 40U;  // so that no sum of 2^22 of them overflows

class DemandReader {
  public:
    DemandReader(std::string_view file, Rank participants) : file_(file), demand_(participants) {}

    /// What is wrong with a line of the file, if anything is.
    std::optional<Diagnostic> read_line(int number, std::string_view line) {
        if (trimmed(line).empty() || trimmed(line).front() == '#') {
            return std::nullopt;
        }
        if (rows_ == demand_.participants()) {
            return complaint(number, 0, fmt::format("there is a row {}, but {} ranks", rows_ + 1, rows_),
                             "give a row for every rank");
        }
        Rank to = 0;
        for (std::size_t begin = 0; begin <= line.size(); ++to) {
            const std::size_t comma = std::min(line.find(',', begin), line.size());
            if (to == demand_.participants()) {
                return complaint(number, begin, fmt::format("the row has more than {} numbers", to),
                                 "give a number of bytes for every rank");
            }
            if (auto mistake = read_field(number, line, begin, comma, to)) {
                return mistake;
            }
            begin = comma + 1;
        }
        if (to < demand_.participants()) {
            return complaint(number, line.size(),
                             fmt::format("the row has {} numbers, and there are {} ranks", to, demand_.participants()),
                             "give a number of bytes for every rank");
        }
        ++rows_;
        return std::nullopt;
    }

    Expected<Demand> finish(int lines) {
        if (rows_ < demand_.participants()) {
            return failure(complaint(lines + 1, 0,
                                     fmt::format("there are {} rows, and {} ranks", rows_, demand_.participants()),
                                     "give a row for every rank"));
        }
        return std::move(demand_);
    }

  private:
    [[nodiscard]] Diagnostic complaint(int line, std::size_t offset, std::string problem, std::string advice) const {
        return {std::string(file_), line, static_cast<int>(offset) + 1, std::move(problem), std::move(advice)};
    }

    std::optional<Diagnostic> read_field(int number, std::string_view line, std::size_t begin, std::size_t end,
                                         Rank to) {
        const std::string_view field = trimmed(line.substr(begin, end - begin));
        const auto offset = field.empty() ? begin : static_cast<std::size_t>(field.data() - line.data());
        if (field.empty()) {
            return complaint(number, offset, "a number is missing", "give bytes, 0 where there is nothing to send");
        }
        const Expected<std::int64_t> bytes = parse_size(field);
        if (!bytes) {
            return complaint(number, offset, bytes.error().problem, bytes.error().advice);
        }
        if (*bytes > most_bytes) {
            return complaint(number, offset, fmt::format("{} is more than a message can have here", in_quotes(field)),
                             "give at most 1024Gi");
        }
        demand_.set(rows_, to, *bytes);
        return std::nullopt;
    }

    std::string_view file_;
    Demand demand_;
    Rank rows_ = 0;
};

}  // namespace

Expected<Demand> read_demand(std::string_view text, std::string_view file, Rank participants) {
    DemandReader reader(file, participants);
    int lines = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (auto mistake = reader.read_line(++lines, text.substr(0, end))) {
            return failure(std::move(*mistake));
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return reader.finish(lines);
}

std::string demand_csv(const Demand& demand) {
    std::string text;
    for (Rank from = 0; from < demand.participants(); ++from) {
        for (Rank to = 0; to < demand.participants(); ++to) {
            text += fmt::format("{}{}", to > 0 ? "," : "", demand.bytes(from, to));
        }
        text += '\n';
    }
    return text;
}

}  // namespace aapc
