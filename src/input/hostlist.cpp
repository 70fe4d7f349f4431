// Slurm hostlists. The number of machines is known, and refused if absurd, before any name is written.
#include "aapc/input/hostlist.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "input/wording.hpp"

namespace aapc {

namespace {

constexpr std::size_t most_digits = 18;  // what surely fits in 64 bits

/// The numbers first, first + step … up to last, written with at least `width` digits.
struct Range {
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::int64_t step = 1;
    std::size_t width = 0;
};

using Bracket = std::vector<Range>;

/// One item between commas: literals[0] brackets[0] literals[1] …, always one literal more than brackets.
struct Item {
    int column = 0;
    std::vector<std::string_view> literals;
    std::vector<Bracket> brackets;
    std::int64_t machines = 1;
    std::int32_t ranks = 1;
};

bool is_digit(char character) { return character >= '0' && character <= '9'; }

std::size_t digit_count(std::int64_t number) { return fmt::formatted_size("{}", number); }

class HostlistReader {
  public:
    explicit HostlistReader(std::string_view text) : text_(text) {}

    Expected<std::vector<HostlistEntry>> read() {
        std::vector<HostlistEntry> entries;
        do {
            Item item;
            if (!read_item(item)) {
                return failure(std::move(*mistake_));
            }
            expand(item, entries);
        } while (skip(','));
        return entries;
    }

  private:
    [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
    [[nodiscard]] char current() const { return text_[at_]; }
    [[nodiscard]] bool is_at(char character) const { return !at_end() && current() == character; }

    bool skip(char character) {
        if (!is_at(character)) {
            return false;
        }
        ++at_;
        return true;
    }

    bool wrong(std::size_t at, std::string problem, std::string advice) {
        mistake_ =
            Diagnostic{.column = static_cast<int>(at) + 1, .problem = std::move(problem), .advice = std::move(advice)};
        return false;
    }

    bool wrong_character() {
        switch (current()) {
            case ']':
                return wrong(at_, "']' without '['", "open the bracket before it, as in n[0-3]");
            case ':':
                return wrong(at_, "a name is missing before ':'", "write the name, then the ranks, as in n0:4");
            case '-':
            case '_':
            case '.':
                return wrong(at_, fmt::format("the name of a machine starts with '{}'", current()),
                             "let it start with a letter or a digit");
            default:
                return wrong(at_, fmt::format("{} in the name of a machine", describe_character(current())),
                             "use letters, digits, '-', '_' and '.', and separate names by commas alone");
        }
    }

    bool read_item(Item& item) {
        const std::size_t start = at_;
        item.column = static_cast<int>(at_) + 1;
        if (at_end() || current() == ',') {
            return wrong(at_, text_.empty() ? "an empty list of machines" : "a name is missing beside a comma",
                         text_.empty() ? "name the machines, as in \"n[0-3]\", or leave the key out"
                                       : "name a machine or remove the comma");
        }
        if (current() != '[' && !is_name_start(current())) {
            return wrong_character();
        }
        item.literals.push_back(read_literal());
        while (is_at('[')) {
            if (!read_bracket(item)) {
                return false;
            }
            if (item.machines > max_machines) {
                return too_many(start, item.machines);
            }
            item.literals.push_back(read_literal());
        }
        if (is_at(':') && !read_ranks(item)) {
            return false;
        }
        if (!at_end() && current() != ',') {
            return wrong_character();
        }
        return check_length(item, start) && count(item, start);
    }

    std::string_view read_literal() {
        const std::size_t start = at_;
        while (!at_end() && is_name_character(current())) {
            ++at_;
        }
        return text_.substr(start, at_ - start);
    }

    bool read_bracket(Item& item) {
        const std::size_t open = at_++;
        Bracket& bracket = item.brackets.emplace_back();
        std::int64_t numbers = 0;
        do {
            Range range;
            if (!read_range(range, open)) {
                return false;
            }
            // No overflow: each range has fewer than 10^18 numbers and the sum is checked after each.
            numbers += (range.last - range.first) / range.step + 1;
            if (numbers > max_machines) {
                return too_many(open, numbers);
            }
            bracket.push_back(range);
        } while (skip(','));
        if (!skip(']')) {
            return wrong_in_bracket(open);
        }
        // Nor does the product: both are at most max_machines.
        item.machines *= numbers;
        return true;
    }

    bool too_many(std::size_t at, std::int64_t machines) {
        return wrong(at, fmt::format("{} machines in one list", machines),
                     fmt::format("describe at most {}; is a range mistyped?", max_machines));
    }

    bool wrong_in_bracket(std::size_t open) {
        if (at_end()) {
            return wrong(open, "'[' without ']'", "close the bracket, as in n[0-3]");
        }
        if (current() == '[') {
            return wrong(at_, "a bracket inside a bracket", "close the first one before it");
        }
        return wrong(at_, fmt::format("{} where a number should be", describe_character(current())),
                     "write numbers and ranges in brackets, as in n[0-3,7]");
    }

    bool read_range(Range& range, std::size_t open) {
        const std::size_t start = at_;
        std::string_view first;
        if (!read_number(range.first, first, open)) {
            return false;
        }
        // "01" asks for two digits everywhere in the range; "1" asks for nothing.
        range.width = first.starts_with('0') ? first.size() : 1;
        range.last = range.first;
        if (!skip('-')) {
            return true;
        }
        const std::size_t second = at_;
        std::string_view last;
        if (!read_number(range.last, last, open)) {
            return false;
        }
        if (range.last < range.first) {
            return wrong(start, fmt::format("the range {}-{} runs backwards", in_quotes(first), in_quotes(last)),
                         "write the smaller number first");
        }
        if (last.starts_with('0') && last.size() != range.width) {
            return wrong(second, fmt::format("{} and {} are padded differently", in_quotes(first), in_quotes(last)),
                         "write both ends of a range with the same number of digits, as in [01-16]");
        }
        return !skip('/') || read_step(range, open);
    }

    bool read_step(Range& range, std::size_t open) {
        const std::size_t start = at_;
        std::string_view step;
        if (!read_number(range.step, step, open)) {
            return false;
        }
        return range.step > 0 || wrong(start, "a range in steps of 0", "write the step behind it, as in n[0-8/2]");
    }

    bool read_number(std::int64_t& number, std::string_view& digits, std::size_t open) {
        const std::size_t start = at_;
        while (!at_end() && is_digit(current())) {
            ++at_;
        }
        digits = text_.substr(start, at_ - start);
        if (digits.empty()) {
            return at_end() || current() == '[' ||
                           (current() != ',' && current() != ']' && current() != '-' && current() != '/')
                       ? wrong_in_bracket(open)
                       : wrong(at_, "a number is missing in a bracket",
                               "write numbers and ranges in brackets, as in n[0-3,7]");
        }
        const std::size_t leading_zeros = std::min(digits.find_first_not_of('0'), digits.size() - 1);
        const std::string_view significant = digits.substr(leading_zeros);
        if (significant.size() > most_digits) {
            return wrong(start, fmt::format("the number {} is too large", in_quotes(digits)),
                         fmt::format("use numbers of at most {} digits", most_digits));
        }
        number = 0;
        for (const char digit : significant) {
            number = number * 10 + (digit - '0');
        }
        return true;
    }

    bool read_ranks(Item& item) {
        const std::size_t start = ++at_;
        while (!at_end() && is_digit(current())) {
            ++at_;
        }
        const std::string_view digits = text_.substr(start, at_ - start);
        if (digits.empty() || (!at_end() && current() != ',')) {
            return wrong(digits.empty() ? start : at_, "':' is not followed by a number of ranks",
                         "write how many ranks each machine runs, as in n[0-3]:4");
        }
        std::int64_t ranks = 0;
        for (const char digit : digits) {
            ranks = std::min<std::int64_t>(ranks * 10 + (digit - '0'), max_ranks + 1);
        }
        if (ranks < 1) {
            return wrong(start, "0 ranks on a machine", "give it at least one rank or leave it out");
        }
        if (ranks > max_ranks) {
            return wrong(start, fmt::format("{} ranks on a machine", in_quotes(digits)),
                         fmt::format("describe at most {} ranks", max_ranks));
        }
        item.ranks = static_cast<std::int32_t>(ranks);
        return true;
    }

    bool check_length(const Item& item, std::size_t start) {
        std::size_t length = 0;
        for (const std::string_view literal : item.literals) {
            length += literal.size();
        }
        for (const Bracket& bracket : item.brackets) {
            std::size_t longest = 0;
            for (const Range& range : bracket) {
                longest = std::max({longest, range.width, digit_count(range.last)});
            }
            length += longest;
        }
        return length <= max_name_length || wrong(start, fmt::format("the name of a machine has {} characters", length),
                                                  fmt::format("use at most {}", max_name_length));
    }

    bool count(const Item& item, std::size_t start) {
        machines_ += item.machines;
        return machines_ <= max_machines || too_many(start, machines_);
    }

    /// Appends the names of an item: the last bracket runs fastest, as in Slurm.
    static void expand(const Item& item, std::vector<HostlistEntry>& entries) {
        std::vector<std::string> names{std::string(item.literals[0])};
        for (std::size_t bracket = 0; bracket < item.brackets.size(); ++bracket) {
            std::vector<std::string> longer;
            for (const std::string& name : names) {
                for (const Range& range : item.brackets[bracket]) {
                    for (std::int64_t number = range.first; number <= range.last; number += range.step) {
                        longer.push_back(
                            fmt::format("{}{:0{}}{}", name, number, range.width, item.literals[bracket + 1]));
                    }
                }
            }
            names = std::move(longer);
        }
        for (std::string& name : names) {
            entries.push_back({std::move(name), item.ranks, item.column});
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::int64_t machines_ = 0;
    std::optional<Diagnostic> mistake_;
};

}  // namespace

Expected<std::vector<HostlistEntry>> expand_hostlist(std::string_view text) { return HostlistReader(text).read(); }

}  // namespace aapc
