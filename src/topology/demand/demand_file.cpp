#include "aapc/topology/demand_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "aapc/input/units.hpp"
#include "input/lines.hpp"
#include "input/numbers.hpp"
#include "input/wording.hpp"

namespace aapc {

namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 40U;  // so that no sum of 2^22 of them overflows

class DemandReader {
  public:
    /// If `whole` is not null, numbers are fractions of so many bytes.
    DemandReader(std::string_view file, Rank participants, const std::int64_t* whole)
        : file_(file), demand_(participants), whole_(whole) {}

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
        if (whole_ != nullptr) {
            const std::optional<double> fraction = parse_number<double>(field);
            if (!fraction || !(*fraction >= 0 && *fraction <= 1)) {
                return complaint(number, offset, fmt::format("{} is no fraction between 0 and 1", in_quotes(field)),
                                 "numbers with a point are fractions of the size that is asked for");
            }
            demand_.set(rows_, to, static_cast<std::int64_t>(*fraction * static_cast<double>(*whole_)));
            return std::nullopt;
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
    const std::int64_t* whole_;
    Rank rows_ = 0;
};

Expected<Demand> read_rows(std::string_view text, std::string_view file, Rank participants, const std::int64_t* whole) {
    DemandReader reader(file, participants, whole);
    int lines = 0;
    while (!text.empty()) {
        if (auto mistake = reader.read_line(++lines, take_line(text))) {
            return failure(std::move(*mistake));
        }
    }
    return reader.finish(lines);
}

}  // namespace

DemandFormat demand_format(std::string_view text) {
    while (!text.empty()) {
        const std::string_view line = trimmed(take_line(text));
        if (line.starts_with('#') || line.starts_with(';')) {
            continue;
        }
        if (line.starts_with('[')) {
            return DemandFormat::ucc;
        }
        if (line.find('.') != std::string_view::npos) {
            return DemandFormat::fractions;
        }
    }
    return DemandFormat::bytes;
}

Expected<Demand> read_demand(std::string_view text, std::string_view file, Rank participants) {
    return read_rows(text, file, participants, nullptr);
}

Expected<Demand> read_demand_fractions(std::string_view text, std::string_view file, Rank participants,
                                       std::int64_t whole) {
    return read_rows(text, file, participants, &whole);
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
