// Reads schedule documents as a stream of events, so that a large or hostile one costs no more than what it says: the
// depth of nesting is limited by the format, and nothing is kept that the format does not know.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>

#include "aapc/methods/schedule_file.hpp"
#include "methods/cycle_times.hpp"
#include "methods/schedule_format.hpp"

namespace aapc {

namespace {

using namespace documents;  // the format

/// Texts from the document, so that a diagnostic stays readable whatever they are.
std::string shortened(const std::string& text, std::size_t length = 60) {
    return text.size() <= length ? text : text.substr(0, length) + "...";
}

/// The middle of the parser's "[json.exception.parse_error.101] parse error at line 1, column 7: syntax error while …;
/// last read: '…'; expected …". Its position is left to us, and what it last read is sometimes more than the mistake.
std::string complaint_of(std::string what) {
    what.erase(0, what.find("] ") + 2);
    if (what.starts_with("parse error at ")) {
        what.erase(0, what.find(": ") + 2);
    }
    const std::size_t read = what.find("; last read: ");
    if (read != std::string::npos) {
        const std::size_t expected = what.rfind("; expected ");
        what.erase(read, expected == std::string::npos || expected < read ? std::string::npos : expected - read);
    }
    return what;
}

/// Feeds the parser and tells how far it has read, so that every event has its place in the text.
class Cursor {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    Cursor(const char* at, const char** read) : at_(at), read_(read) {}
    reference operator*() const { return *at_; }
    Cursor& operator++() {
        *read_ = ++at_;
        return *this;
    }
    Cursor operator++(int) {
        Cursor before = *this;
        ++*this;
        return before;
    }
    friend bool operator==(const Cursor& left, const Cursor& right) { return left.at_ == right.at_; }
    friend bool operator!=(const Cursor& left, const Cursor& right) { return !(left == right); }

  private:
    const char* at_;
    const char** read_;
};

/// A container that has been opened and not yet closed.
struct Frame {
    Place place = Place::document;
    std::size_t begin = 0;        ///< offset of its bracket
    unsigned seen = 0;            ///< of an object: bit i for member i
    std::size_t slot = 0;         ///< of an object: the member that is being read
    std::size_t elements = 0;     ///< of a list: how many have begun
    std::array<Rank, 2> ranks{};  ///< of a message, a block, an edge's end or a dummy
    Phase phase = 0;              ///< of a dummy
    double at = 0;                ///< of a transfer

    [[nodiscard]] bool has(std::size_t member) const { return (seen & (1U << member)) != 0; }
};

/// The parser's events; each returns whether to go on, as nlohmann's interface wants it.
class Reader : public nlohmann::json_sax<nlohmann::json> {
  public:
    Reader(std::string_view text, std::string_view file) : text_(text), file_(file), read_(text.data()) {}

    Expected<ScheduleDocument> read() {
        token_ = text_.find('\0');
        if (token_ != std::string_view::npos) {  // the parser would take it for the end
            fail("a zero byte", "a schedule document is text");
            return failure(std::move(diagnostic_));
        }
        const char* const begin = text_.data();
        const char* const end = begin + text_.size();
        const bool good = nlohmann::json::sax_parse(Cursor(begin, &read_), Cursor(end, &read_), this);
        if (!good) {
            return failure(std::move(diagnostic_));
        }
        fill_in_ticks();
        fill_in_phases();
        fill_in_guarantee();
        if (forwards_.value_or(false)) {
            document_.draft.blocks.resize(document_.draft.phases.size());
        }
        return std::move(document_);
    }

    bool null() override { return begin_value(Kind::null); }
    bool boolean(bool) override {
        begin_token();
        return wrong_kind("true or false");
    }
    bool number_integer(std::int64_t value) override { return take_number(value); }
    bool number_unsigned(std::uint64_t value) override {
        return take_number(static_cast<std::int64_t>(std::min<std::uint64_t>(value, largest_number)),
                           value > static_cast<std::uint64_t>(largest_number));
    }
    bool number_float(double value, const std::string& spelling) override {
        if (!frames_.empty() && slot().kind == Kind::real) {
            return begin_value(Kind::real) && take_real(value);
        }
        begin_token();
        return wrong_kind(fmt::format("the number {}", shortened(spelling)));
    }
    bool string(std::string& value) override { return begin_value(Kind::text) && take_text(value); }
    bool binary(nlohmann::json::binary_t&) override { return false; }  // JSON text has none

    bool start_object(std::size_t) override { return open(Kind::object); }
    bool start_array(std::size_t) override { return open(Kind::list); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    bool key(std::string& name) override {
        begin_token();
        Frame& frame = frames_.back();
        const std::span<const Slot> slots = slots_of(frame.place);
        const auto found =
            std::find_if(slots.begin(), slots.end(), [&](const Slot& slot) { return slot.name == name; });
        if (found == slots.end()) {
            return fail(fmt::format("{} has an unknown member '{}'", described_path(false), shortened(name)),
                        fmt::format("the members are {}", member_names(frame.place)));
        }
        frame.slot = static_cast<std::size_t>(found - slots.begin());
        if (frame.has(frame.slot)) {
            return fail(fmt::format("{} is given twice", described_path()), "give it once");
        }
        frame.seen |= 1U << frame.slot;
        return true;
    }

    bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) override {
        const std::string what = complaint_of(error.what());
        const auto read = static_cast<std::size_t>(read_ - text_.data());
        const bool ended = what.find("unexpected end of input") != std::string::npos;
        token_ = ended || read == 0 ? read : read - 1;
        return fail(shortened(what, 200), "a schedule document is JSON, see docs/schedule-documents.md");
    }

  private:
    /// Finds where the token begins that the parser has just read. The parser has read it to its end, or one character
    /// further behind a number; between two tokens there are only blanks and separators.
    void begin_token() {
        token_ = std::min(text_.find_first_not_of(" \t\r\n,:", previous_), text_.size());
        previous_ = static_cast<std::size_t>(read_ - text_.data());
    }

    [[nodiscard]] const Slot& slot() const {
        const Frame& frame = frames_.back();
        return slots_of(frame.place)[is_list(frame.place) ? 0 : frame.slot];
    }

    /// Whether a value of this kind may begin here; counts it if it is a list's element.
    bool begin_value(Kind kind) {
        begin_token();
        if (frames_.empty()) {
            return kind == Kind::object ||
                   fail(fmt::format("the document is {}", to_string(kind)), "a schedule document is an object");
        }
        Frame& frame = frames_.back();
        if (is_list(frame.place)) {
            ++frame.elements;
        }
        const Kind wanted = slot().kind;
        const bool number_or_null = wanted == Kind::number_or_null && (kind == Kind::number || kind == Kind::null);
        const bool whole_real = wanted == Kind::real && kind == Kind::number;
        return wanted == kind || number_or_null || whole_real || wrong_kind(std::string(to_string(kind)), true);
    }

    bool wrong_kind(const std::string& what, bool counted = false) {
        if (frames_.empty()) {
            return fail(fmt::format("the document is {}", what), "a schedule document is an object");
        }
        if (!counted && is_list(frames_.back().place)) {
            ++frames_.back().elements;
        }
        return fail(fmt::format("{} is {}", described_path(), what),
                    fmt::format("it must be {}", to_string(slot().kind)));
    }

    bool open(Kind kind) {
        if (!begin_value(kind)) {
            return false;
        }
        const Place place = frames_.empty() ? Place::document : slot().inside;
        if (place == Place::phase) {
            document_.draft.phases.emplace_back();
        } else if (place == Place::participant) {
            document_.participants.emplace_back();
        } else if (place == Place::cycle) {
            document_.draft.cycle.emplace();
        } else if (place == Place::queue) {
            document_.queue.emplace();
        } else if (place == Place::edge) {
            document_.edges.emplace_back();
        }
        Frame frame;
        frame.place = place;
        frame.begin = token_;
        frames_.push_back(frame);
        return true;
    }

    bool close() {
        begin_token();
        const Frame frame = frames_.back();
        const std::span<const Slot> slots = slots_of(frame.place);
        for (std::size_t member = 0; !is_list(frame.place) && member < slots.size(); ++member) {
            if (is_missing(frame, member)) {
                token_ = frame.begin;
                return fail(fmt::format("{} has no member '{}'", described_path(false), slots[member].name),
                            fmt::format("the members are {}", member_names(frame.place)));
            }
        }
        if (frame.place == Place::document && frame.has(phases_slot) &&
            (frame.has(cycle_slot) || frame.has(transfers_slot))) {
            token_ = frame.begin;
            return fail("the document has 'phases' and times of a cycle", "give 'phases', or 'cycle' and 'transfers'");
        }
        const bool is_pair = frame.place == Place::edge_end || frame.place == Place::block;
        if (is_pair && frame.elements != 2) {
            token_ = frame.begin;
            return fail(fmt::format("{} has {} elements", described_path(false), frame.elements),
                        frame.place == Place::block ? "it must be a block as [origin, destination]"
                                                    : "it must be a message as [sender, receiver]");
        }
        if (frame.place == Place::message && !take_blocks(frame)) {
            return false;
        }
        if (frame.place == Place::synchronisation && frame.has(dummies_slot) &&
            document_.synchronisation.kind != Synchronisation::Kind::dummy) {
            token_ = frame.begin;
            return fail(fmt::format("{} has 'dummies', and is '{}'", described_path(false),
                                    to_string(document_.synchronisation)),
                        "leave them out, or give it the name 'dummy'");
        }
        frames_.pop_back();
        take_container(frame);
        return true;
    }

    /// Whether a container that is being closed lacks a member that it must have. A document has phases, or a cycle
    /// with transfers.
    [[nodiscard]] bool is_missing(const Frame& frame, std::size_t member) const {
        const bool has_cycle = frame.has(cycle_slot) || frame.has(transfers_slot);
        const bool required = frame.place != Place::document ? slots_of(frame.place)[member].required
                              : member == phases_slot        ? !has_cycle
                              : member == cycle_slot || member == transfers_slot
                                  ? has_cycle
                                  : slots_of(frame.place)[member].required;
        const bool names_no_link = frame.place == Place::queue &&
                                   (member == queue_from_slot || member == queue_to_slot) &&
                                   document_.queue->messages > 0;
        return (required || names_no_link) && !frame.has(member);
    }

    /// What a container that has been closed says.
    void take_container(const Frame& frame) {
        const auto [first, second] = frame.ranks;
        if (frame.place == Place::message) {
            document_.draft.phases.back().push_back(
                {static_cast<Phase>(document_.draft.phases.size()) - 1, first, second});
        } else if (frame.place == Place::block) {
            blocks_.push_back({first, second});
        } else if (frame.place == Place::edge_end) {
            Edge& edge = document_.edges.back();
            (frames_.back().slot == 0 ? edge.after : edge.before) = {-1, first, second};
        } else if (frame.place == Place::transfer) {
            document_.draft.transfers.push_back({0, first, second});
            fractions_.push_back(frame.at);
        } else if (frame.place == Place::dummy) {
            document_.dummies.push_back({frame.phase, first, second});
        }
    }

    /// The blocks of a message that is complete. All messages must have them or none; the first one decides.
    bool take_blocks(const Frame& message) {
        const bool has_blocks = message.has(blocks_slot);
        if (has_blocks != forwards_.value_or(has_blocks)) {
            token_ = message.begin;
            return fail(fmt::format("{} has {}member 'blocks', unlike the messages before it", described_path(false),
                                    has_blocks ? "a " : "no "),
                        "give the blocks of every message, or of none if each carries its sender's for its receiver");
        }
        forwards_ = has_blocks;
        if (has_blocks) {
            document_.draft.blocks.resize(document_.draft.phases.size());
            document_.draft.blocks.back().push_back(std::move(blocks_));
            blocks_.clear();
        }
        return true;
    }

    bool take_text(std::string& value) {
        const Frame& frame = frames_.back();
        if (frame.place == Place::participant) {
            ScheduleDocument::Participant& participant = document_.participants.back();
            (frame.slot == 0 ? participant.name : participant.machine) = std::move(value);
            return true;
        }
        if (frame.place == Place::synchronisation) {
            const Expected<Synchronisation> synchronisation = parse_synchronisation(shortened(value));
            if (!synchronisation) {
                return fail(fmt::format("{}: {}", described_path(), synchronisation.error().problem),
                            synchronisation.error().advice);
            }
            document_.synchronisation = *synchronisation;
            return true;
        }
        if (frame.place == Place::queue) {
            if (frame.slot == queue_from_slot || frame.slot == queue_to_slot) {
                (frame.slot == queue_from_slot ? document_.queue->from : document_.queue->to) = std::move(value);
            }
            return true;
        }
        if (frame.slot == 0) {
            return value == document_format || fail(fmt::format("the format is '{}'", shortened(value)),
                                                    fmt::format("this program reads '{}'", document_format));
        }
        if (slot().name == "guarantee") {
            guarantee_ = parse_guarantee(value);
            return guarantee_ ||
                   fail(fmt::format("guarantee is '{}'", shortened(value)),
                        "it must be 'shortest', 'contention-free', 'within-capacity', 'one-port' or 'nothing'");
        }
        (frame.slot == 1 ? document_.draft.algorithm : document_.draft.variant) = std::move(value);
        return true;
    }

    bool take_number(std::int64_t value, bool overflow = false) {
        if (!begin_value(Kind::number)) {
            return false;
        }
        if (slot().kind == Kind::real) {
            return take_real(static_cast<double>(value));
        }
        if (value < slot().smallest || value > slot().largest || overflow) {
            return fail(fmt::format("{} is {}{}", described_path(), overflow ? "more than " : "", value),
                        fmt::format("it must be from {} to {}", slot().smallest, slot().largest));
        }
        Frame& frame = frames_.back();
        if (frame.place == Place::document) {
            document_.draft.bound = value;
        } else if (frame.place == Place::cycle) {
            document_.draft.ticks = value;
        } else if (frame.place == Place::dummy && frame.slot == 0) {
            frame.phase = value;
        } else {
            const bool is_transfer = frame.place == Place::message || frame.place == Place::transfer;
            const std::size_t index = is_transfer                   ? frame.slot
                                      : frame.place == Place::dummy ? frame.slot - 1
                                                                    : std::min<std::size_t>(frame.elements, 2) - 1;
            frame.ranks[index] = static_cast<Rank>(value);
        }
        return true;
    }

    bool take_real(double value) {
        Frame& frame = frames_.back();
        const bool is_fraction = frame.place == Place::transfer;
        if (!(value >= 0) || (is_fraction && value >= 1)) {
            return fail(fmt::format("{} is {}", described_path(), value),
                        is_fraction ? "it must be at least 0 and less than 1" : "it must be at least 0");
        }
        if (is_fraction) {
            frame.at = value;
        } else if (frame.place == Place::queue) {
            document_.queue->messages = value;
        } else {
            Cycle& cycle = *document_.draft.cycle;
            (frame.slot == 0 ? cycle.seconds_per_byte : cycle.bound_seconds_per_byte) = value;
        }
        return true;
    }

    /// Documents from before guarantees were written stated a bound only where phases are as many.
    void fill_in_guarantee() {
        const Guarantee usual = document_.draft.cycle   ? Guarantee::within_capacity
                                : document_.draft.bound ? Guarantee::shortest
                                                        : Guarantee::contention_free;
        document_.draft.guarantee = guarantee_.value_or(usual);
    }

    /// Once the whole document has been read, since how many ticks there are may be said behind the messages.
    void fill_in_ticks() {
        ScheduleDraft& draft = document_.draft;
        if (!draft.cycle) {
            return;
        }
        draft.ticks = draft.ticks > 0 ? draft.ticks : usual_ticks;
        for (std::size_t message = 0; message < draft.transfers.size(); ++message) {
            draft.transfers[message].phase = tick_at(fractions_[message], draft.ticks);
        }
        std::sort(draft.transfers.begin(), draft.transfers.end());
    }

    /// Edges name messages by their ends. If a draft sends a message twice, its first phase counts.
    void fill_in_phases() {
        if (document_.edges.empty()) {
            return;
        }
        const auto by_ends = [](const Transfer& left, const Transfer& right) {
            return std::pair(left.from, left.to) < std::pair(right.from, right.to);
        };
        std::vector<Transfer> messages;
        document_.draft.for_each_message([&](const Transfer& message) { messages.push_back(message); });
        std::stable_sort(messages.begin(), messages.end(), by_ends);
        for (Edge& edge : document_.edges) {
            for (Transfer* end : {&edge.after, &edge.before}) {
                const auto found = std::lower_bound(messages.begin(), messages.end(), *end, by_ends);
                if (found != messages.end() && !by_ends(*end, *found)) {
                    *end = *found;
                }
            }
        }
    }

    /// "phases[3][1].from" for what is being read, or (not `inside`) for its container; "the document" for the whole.
    [[nodiscard]] std::string described_path(bool inside = true) const {
        std::string path;
        for (std::size_t depth = 0; depth + (inside ? 0 : 1) < frames_.size(); ++depth) {
            const Frame& frame = frames_[depth];
            if (is_list(frame.place)) {
                path += fmt::format("[{}]", frame.elements - 1);
            } else {
                path += fmt::format("{}{}", path.empty() ? "" : ".", slots_of(frame.place)[frame.slot].name);
            }
        }
        return path.empty() ? "the document" : path;
    }

    static std::string member_names(Place place) {
        std::string names;
        for (const Slot& slot : slots_of(place)) {
            names += fmt::format("{}'{}'", names.empty() ? "" : ", ", slot.name);
        }
        return names;
    }

    /// Keeps the diagnostic, at the token that begin_token() found; always false.
    bool fail(std::string problem, std::string advice) {
        const std::string_view before = text_.substr(0, token_);
        const auto line = std::count(before.begin(), before.end(), '\n') + 1;
        const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0, the first line's
        diagnostic_ = {std::string(file_), static_cast<int>(line), static_cast<int>(token_ - line_begin) + 1,
                       std::move(problem), std::move(advice)};
        return false;
    }

    std::string_view text_;
    std::string_view file_;
    const char* read_;          ///< behind the last character that the parser has read
    std::size_t previous_ = 0;  ///< offset behind the previous token
    std::size_t token_ = 0;     ///< offset of the current token
    std::vector<Frame> frames_;
    std::vector<Block> blocks_;           ///< of the message that is being read
    std::vector<double> fractions_;       ///< of the cycle, at which the transfers start
    std::optional<bool> forwards_;        ///< whether messages have blocks; nullopt if none has been read
    std::optional<Guarantee> guarantee_;  ///< what the document says
    ScheduleDocument document_;
    Diagnostic diagnostic_;
};

}  // namespace

Expected<ScheduleDocument> read_schedule_document(std::string_view text, std::string_view file) {
    return Reader(text, file).read();
}

}  // namespace aapc
