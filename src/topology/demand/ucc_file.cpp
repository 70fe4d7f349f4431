// The pattern file of UCC's perftest (.ptini).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "aapc/topology/demand_file.hpp"
#include "input/lines.hpp"
#include "input/numbers.hpp"
#include "input/wording.hpp"

namespace aapc {

namespace {

constexpr std::int64_t most_bytes_of_message = std::int64_t{1} << 40U;  // as in demand_file.cpp

/// Bytes of a datatype of UCC's, or 0.
std::int64_t datatype_bytes(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, std::int64_t>, 18> datatypes{{
        {"INT8", 1},
        {"UINT8", 1},
        {"INT16", 2},
        {"UINT16", 2},
        {"FLOAT16", 2},
        {"BFLOAT16", 2},
        {"INT32", 4},
        {"UINT32", 4},
        {"FLOAT32", 4},
        {"INT64", 8},
        {"UINT64", 8},
        {"FLOAT64", 8},
        {"FLOAT32_COMPLEX", 8},
        {"INT128", 16},
        {"UINT128", 16},
        {"FLOAT128", 16},
        {"FLOAT64_COMPLEX", 16},
        {"FLOAT128_COMPLEX", 32},
    }};
    const auto* const found =
        std::find_if(datatypes.begin(), datatypes.end(), [&](const auto& datatype) { return datatype.first == name; });
    return found == datatypes.end() ? 0 : found->second;
}

class UccReader {
  public:
    UccReader(std::string_view file, Rank participants) : file_(file), participants_(participants) {}

    /// What is wrong with the next line of the file, if anything is.
    std::optional<Diagnostic> read_line(std::string_view line) {
        ++line_;
        const std::string_view text = trimmed(line);
        if (text.empty() || text.starts_with('#') || text.starts_with(';')) {
            return std::nullopt;
        }
        const auto offset = static_cast<std::size_t>(text.data() - line.data());
        if (in_counts_) {
            return read_counts(text, offset);
        }
        if (text.starts_with('[')) {
            auto mistake = end_section();
            in_collective_ = text == "[collective]";
            section_line_ = line_;
            return mistake;
        }
        return in_collective_ ? read_key(text, offset) : std::nullopt;
    }

    Expected<std::vector<Demand>> finish() {
        ++line_;
        if (in_counts_) {
            return failure(complaint(line_, 0, "the counts have no end", "close them with }"));
        }
        if (auto mistake = end_section()) {
            return failure(std::move(*mistake));
        }
        if (demands_.empty()) {
            return failure(complaint(line_, 0, "there is no section [collective]", "give one with type and counts"));
        }
        return std::move(demands_);
    }

  private:
    [[nodiscard]] Diagnostic complaint(int line, std::size_t offset, std::string problem, std::string advice) const {
        return {std::string(file_), line, static_cast<int>(offset) + 1, std::move(problem), std::move(advice)};
    }

    std::optional<Diagnostic> read_key(std::string_view text, std::size_t offset) {
        const std::size_t sign = text.find('=');
        if (sign == std::string_view::npos) {
            return complaint(line_, offset, fmt::format("{} is no key with a value", in_quotes(text)),
                             "write KEY = VALUE");
        }
        const std::string_view key = trimmed(text.substr(0, sign));
        const std::string_view value = trimmed(text.substr(sign + 1));
        const std::size_t place =
            offset + (value.empty() ? sign : static_cast<std::size_t>(value.data() - text.data()));
        if (key == "type" && value != "ALLTOALLV") {
            return complaint(line_, place, fmt::format("{} is no exchange of unequal messages", in_quotes(value)),
                             "only ALLTOALLV is read");
        }
        if (key == "team_size" && parse_number<Rank>(value) != participants_) {
            return complaint(
                line_, place,
                fmt::format("the counts are of {} ranks, and there are {}", in_quotes(value), participants_),
                "give a network with as many ranks");
        }
        if (key == "datatype") {
            bytes_of_count_ = datatype_bytes(value);
            if (bytes_of_count_ == 0) {
                return complaint(line_, place, fmt::format("{} is no datatype of UCC's", in_quotes(value)),
                                 "give one such as INT8, INT32 or FLOAT64");
            }
        }
        if (key == "counts") {
            if (has_counts_) {
                return complaint(line_, offset, "the section has counts twice", "begin another section [collective]");
            }
            if (!value.starts_with('{')) {
                return complaint(line_, place, "counts do not begin with {",
                                 "write counts = { and a row for every rank");
            }
            has_counts_ = true;
            in_counts_ = true;
            return read_counts(value.substr(1), place + 1);
        }
        return std::nullopt;
    }

    /// Numbers between braces, separated by commas or ends of lines.
    std::optional<Diagnostic> read_counts(std::string_view text, std::size_t offset) {
        const std::size_t brace = text.find('}');
        const std::string_view numbers = text.substr(0, brace);
        for (std::size_t begin = 0; begin <= numbers.size();) {
            const std::size_t comma = std::min(numbers.find(',', begin), numbers.size());
            const std::string_view field = trimmed(numbers.substr(begin, comma - begin));
            if (!field.empty()) {
                if (auto mistake = take(field, offset + static_cast<std::size_t>(field.data() - text.data()))) {
                    return mistake;
                }
            }
            begin = comma + 1;
        }
        if (brace == std::string_view::npos) {
            return std::nullopt;
        }
        in_counts_ = false;
        if (counts_.size() < most_counts()) {
            return complaint(line_, offset + brace,
                             fmt::format("there are {} counts, and {} ranks", counts_.size(), participants_),
                             "give one for every pair of ranks");
        }
        return std::nullopt;
    }

    std::optional<Diagnostic> take(std::string_view field, std::size_t offset) {
        const std::optional<std::int64_t> count = parse_number<std::int64_t>(field);
        if (!count || *count < 0) {
            return complaint(line_, offset, fmt::format("{} is no count", in_quotes(field)),
                             "give a whole number, 0 where there is nothing to send");
        }
        if (*count > std::numeric_limits<std::uint32_t>::max()) {
            return complaint(line_, offset, fmt::format("{} is more than a count can be", in_quotes(field)),
                             "give at most 4294967295");
        }
        if (counts_.size() == most_counts()) {
            return complaint(line_, offset, fmt::format("there are more than {} counts", counts_.size()),
                             "give one for every pair of ranks");
        }
        counts_.push_back(*count);
        return std::nullopt;
    }

    /// The datatype may stand after the counts.
    std::optional<Diagnostic> end_section() {
        if (!std::exchange(in_collective_, false)) {
            return std::nullopt;
        }
        if (!has_counts_) {
            return complaint(section_line_, 0, "the section has no counts",
                             "write counts = { and a row for every rank");
        }
        Demand demand(participants_);
        for (std::size_t place = 0; place < counts_.size(); ++place) {
            const auto ranks = static_cast<std::size_t>(participants_);
            demand.set(static_cast<Rank>(place / ranks), static_cast<Rank>(place % ranks),
                       counts_[place] * bytes_of_count_);
        }
        demands_.push_back(std::move(demand));
        counts_.clear();
        has_counts_ = false;
        bytes_of_count_ = usual_bytes_of_count;
        return std::nullopt;
    }

    [[nodiscard]] std::size_t most_counts() const {
        return static_cast<std::size_t>(participants_) * static_cast<std::size_t>(participants_);
    }

    static constexpr std::int64_t usual_bytes_of_count = 4;
    static_assert(std::int64_t{std::numeric_limits<std::uint32_t>::max()} * 32 < most_bytes_of_message);

    std::string_view file_;
    Rank participants_;
    int line_ = 0;
    int section_line_ = 0;
    bool in_collective_ = false;
    bool in_counts_ = false;
    bool has_counts_ = false;
    std::int64_t bytes_of_count_ = usual_bytes_of_count;
    std::vector<std::int64_t> counts_;
    std::vector<Demand> demands_;
};

}  // namespace

Expected<std::vector<Demand>> read_ucc_demands(std::string_view text, std::string_view file, Rank participants) {
    UccReader reader(file, participants);
    while (!text.empty()) {
        if (auto mistake = reader.read_line(take_line(text))) {
            return failure(std::move(*mistake));
        }
    }
    return reader.finish();
}

std::string ucc_section(const Demand& demand) {
    constexpr std::array<std::pair<std::string_view, std::int64_t>, 6> datatypes{
        {{"INT8", 1}, {"INT16", 2}, {"INT32", 4}, {"INT64", 8}, {"INT128", 16}, {"FLOAT128_COMPLEX", 32}}};
    std::int64_t longest = 0;
    for (Rank from = 0; from < demand.participants(); ++from) {
        for (const std::int64_t bytes : demand.row(from)) {
            longest = std::max(longest, bytes);
        }
    }
    const auto* datatype = std::find_if(datatypes.begin(), datatypes.end(), [&](const auto& one) {
        return longest <= one.second * std::int64_t{std::numeric_limits<std::uint32_t>::max()};
    });
    datatype -= datatype == datatypes.end() ? 1 : 0;
    std::string text = fmt::format("[collective]\ntype = ALLTOALLV\nteam_size = {}\ndatatype = {}\ncounts = {{\n",
                                   demand.participants(), datatype->first);
    for (Rank from = 0; from < demand.participants(); ++from) {
        text += from > 0 ? ",\n" : "";
        const char* between = "";
        for (const std::int64_t bytes : demand.row(from)) {
            text += fmt::format("{}{}", between, (bytes + datatype->second - 1) / datatype->second);
            between = ",";
        }
    }
    text += "\n}\n";
    return text;
}

}  // namespace aapc
