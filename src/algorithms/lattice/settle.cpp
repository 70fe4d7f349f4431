#include "algorithms/lattice/settle.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "algorithms/lattice/board.hpp"
#include "algorithms/lattice/choice.hpp"
#include "algorithms/lattice/random.hpp"

namespace aapc::lattice {

namespace {

/// The search: who has no slot, and what is to be done about it.
class Search {
  public:
    using Message = Board::Message;
    using Slot = Board::Slot;

    Search(const Traffic& traffic, Slot least_slots, Slot most_slots, std::int64_t seed)
        : board_(traffic, most_slots),
          random_(seed),
          open_(board_.words(), 0),
          blocked_(board_.words()),
          twice_(board_.words()),
          thrice_(board_.words()),
          tight_(board_.words()),
          usable_(board_.words()),
          banned_slot_(static_cast<std::size_t>(board_.messages()), -1),
          banned_until_(static_cast<std::size_t>(board_.messages()), 0) {
        open(least_slots);
        const std::int64_t unit = slot_speed(traffic);
        for (std::size_t channel = 0; channel < traffic.channels(); ++channel) {
            is_tight_.push_back(traffic.load(channel) * unit * 100 >=
                                tight_percent * least_slots * traffic.speed(channel));
        }
        for (Message message = 0; message < board_.messages(); ++message) {
            unplaced_.push_back(message);
        }
        work_ = work_to_begin(traffic, most_slots);
    }

    /// To set up the board and to place all messages once.
    [[nodiscard]] static std::int64_t work_to_begin(const Traffic& traffic, std::int64_t slots) {
        return traffic.hops() * work_of_a_hop + static_cast<std::int64_t>(traffic.channels()) * slots * work_of_a_cell;
    }

    [[nodiscard]] Slot slots() const { return slots_; }
    [[nodiscard]] std::int64_t work() const { return work_; }
    [[nodiscard]] std::int64_t unplaced() const { return static_cast<std::int64_t>(unplaced_.size()); }
    [[nodiscard]] const Board& board() const { return board_; }

    /// Allows the slots up to there.
    void open(Slot slots) {
        for (; slots_ < slots; ++slots_) {
            open_[static_cast<std::size_t>(slots_) / bits] |= Word{1} << (static_cast<std::size_t>(slots_) % bits);
        }
    }

    /// Puts every message where the lattice would, its slots spread over those that are open from `first_slot` of its
    /// own on, if there is room.
    void start_from(const LatticeFormula& formula, std::int64_t first_slot) {
        std::vector<Message> rest;
        for (const Message message : unplaced_) {
            const auto [from, to] = board_.pair(message);
            const std::int64_t of_lattice = formula.slot(from, to) - first_slot;
            const auto slot = static_cast<Slot>(of_lattice * slots_ / (formula.positions() - first_slot));
            const std::span<const Hop> route = board_.route(message);
            const bool has_room = std::none_of(route.begin(), route.end(),
                                               [&](const Hop& hop) { return board_.is_full(hop.channel, slot); });
            if (has_room) {
                board_.place(message, slot);
            } else {
                rest.push_back(message);
            }
        }
        unplaced_ = std::move(rest);
    }

    /// Runs until every message has a slot or so much work is done altogether.
    void run(std::int64_t until_work) {
        while (!unplaced_.empty() && work_ < until_work) {
            ++step_;
            const auto index = static_cast<std::size_t>(random_.draw(unplaced()));
            const Message message = unplaced_[index];
            unplaced_[index] = unplaced_.back();
            unplaced_.pop_back();
            settle_one(message);
        }
    }

  private:
    static constexpr std::int64_t work_of_a_hop = 30;
    static constexpr std::int64_t work_of_a_cell = 1;
    static constexpr std::int64_t work_of_a_look = 15;  ///< that does not depend on the number of words
    static constexpr int candidates = 20;               ///< slots of a kind that are tried for a message
    static constexpr std::int64_t ban = 12;           ///< steps for which a message does not return to a slot, at least
    static constexpr int one_in_so_many_pushes = 64;  ///< puts out two for one, lest the search goes in circles
    static constexpr std::int64_t tight_percent = 98;  ///< of the slots: channels that are busier have no room to spare

    /// Fills blocked_, twice_ and thrice_: in which slots at least one channel of the message's way is full, or two, or
    /// three; tight_: in which one is full that has no room to spare; and usable_: which are open to all.
    void look_at(Message message) {
        std::fill(blocked_.begin(), blocked_.end(), 0);
        std::fill(twice_.begin(), twice_.end(), 0);
        std::fill(thrice_.begin(), thrice_.end(), 0);
        std::fill(tight_.begin(), tight_.end(), 0);
        usable_ = open_;
        const std::span<const Hop> route = board_.route(message);
        for (const Hop& hop : route) {
            const Word* full = board_.full(hop.channel);
            for (std::size_t word = 0; word < open_.size(); ++word) {
                thrice_[word] |= twice_[word] & full[word];
                twice_[word] |= blocked_[word] & full[word];
                blocked_[word] |= full[word];
            }
            if (is_tight_[static_cast<std::size_t>(hop.channel)]) {
                for (std::size_t word = 0; word < open_.size(); ++word) {
                    tight_[word] |= full[word];
                }
            }
            if (const Word* closed = board_.closed(hop.channel)) {
                for (std::size_t word = 0; word < open_.size(); ++word) {
                    usable_[word] &= ~closed[word];
                }
            }
        }
        work_ += static_cast<std::int64_t>((route.size() + 2) * open_.size()) + work_of_a_look;
    }

    /// A slot that is free for the message, found from a random place on; -1 if there is none.
    [[nodiscard]] Slot free_slot(Message message) {
        work_ += work_of_a_look;
        const std::span<const Hop> route = board_.route(message);
        const std::size_t words = open_.size();
        auto word = static_cast<std::size_t>(random_.draw(static_cast<std::int64_t>(words)));
        for (std::size_t tried = 0; tried < words; ++tried) {
            Word free = open_[word];
            for (const Hop& hop : route) {
                free &= ~board_.full(hop.channel)[word];
            }
            if (free != 0) {
                work_ += static_cast<std::int64_t>((tried + 1) * route.size());
                return static_cast<Slot>(word * bits + static_cast<std::size_t>(std::countr_zero(free)));
            }
            word = word + 1 == words ? 0 : word + 1;
        }
        work_ += static_cast<std::int64_t>(words * route.size());
        return -1;
    }

    /// A random slot whose bit is set in `word_at(word)`, roughly evenly; -1 if there is none.
    template <class WordAt>
    [[nodiscard]] Slot random_slot(WordAt word_at) {
        work_ += work_of_a_look;
        const std::size_t words = open_.size();
        auto word = static_cast<std::size_t>(random_.draw(static_cast<std::int64_t>(words)));
        for (std::size_t tried = 0; tried < words; ++tried) {
            Word set = word_at(word);
            if (set != 0) {
                const auto skip = random_.draw(std::popcount(set));
                for (std::int64_t bit = 0; bit < skip; ++bit) {
                    set &= set - 1;
                }
                work_ += static_cast<std::int64_t>(tried) + skip;
                return static_cast<Slot>(word * bits + static_cast<std::size_t>(std::countr_zero(set)));
            }
            word = word + 1 == words ? 0 : word + 1;
        }
        work_ += static_cast<std::int64_t>(words);
        return -1;
    }

    [[nodiscard]] bool is_banned(Message message, Slot slot) const {
        const auto index = static_cast<std::size_t>(message);
        return banned_slot_[index] == slot && banned_until_[index] > step_;
    }

    void settle_one(Message message) {
        if (const Slot slot = free_slot(message); slot >= 0) {
            board_.place(message, slot);
            return;
        }
        look_at(message);
        const auto once = [&](std::size_t word) { return blocked_[word] & ~twice_[word] & usable_[word]; };
        const auto two = [&](std::size_t word) { return twice_[word] & ~thrice_[word] & usable_[word]; };
        const auto loose_once = [&](std::size_t word) { return once(word) & ~tight_[word]; };
        const auto loose_two = [&](std::size_t word) { return two(word) & ~tight_[word]; };
        Slot single = -1;
        Slot both = -1;
        if (try_slots(message, loose_once, single) || try_slots(message, loose_two, both) ||
            try_slots(message, once, single) || try_slots(message, two, both)) {
            return;
        }
        const bool costly = single < 0 || (both >= 0 && random_.draw(one_in_so_many_pushes) == 0);
        Slot slot = costly ? both : single;
        if (slot < 0) {
            slot = random_slot([&](std::size_t word) { return usable_[word]; });
        }
        if (slot < 0) {  // not while so few slots are open
            unplaced_.push_back(message);
            return;
        }
        push_in(message, slot);
    }

    /// Tries some random slots with a bit in `word_at(word)`; whether one let the message in. `last`: the last one that
    /// did not and is not banned.
    template <class WordAt>
    bool try_slots(Message message, WordAt word_at, Slot& last) {
        for (int candidate = 0; candidate < candidates; ++candidate) {
            const Slot slot = random_slot(word_at);
            if (slot < 0) {
                return false;
            }
            if (is_banned(message, slot)) {
                continue;
            }
            if (swap_in(message, slot)) {
                return true;
            }
            last = slot;
        }
        return false;
    }

    /// The message takes the slot if, on every channel that is full there, one can go to a free slot instead.
    bool swap_in(Message message, Slot slot) {
        moved_.clear();
        for (const Hop& hop : board_.route(message)) {
            if (!board_.is_full(hop.channel, slot)) {
                continue;
            }
            Message leaver = -1;
            Slot there = -1;
            board_.for_each_user(hop.channel, slot, [&](Message user) {
                if (there < 0) {
                    leaver = user;
                    there = free_slot(user);
                }
            });
            if (there < 0) {
                move_back(slot);
                return false;
            }
            board_.remove(leaver);
            board_.place(leaver, there);
            moved_.push_back(leaver);
        }
        board_.place(message, slot);
        return true;
    }

    void move_back(Slot slot) {
        for (auto moved = moved_.rbegin(); moved != moved_.rend(); ++moved) {
            board_.remove(*moved);
            board_.place(*moved, slot);
        }
    }

    /// The message takes the slot; on every channel that is full there one goes.
    void push_in(Message message, Slot slot) {
        for (const Hop& hop : board_.route(message)) {
            if (!board_.is_full(hop.channel, slot)) {
                continue;
            }
            Message leaver = -1;
            std::int64_t seen = 0;
            board_.for_each_user(hop.channel, slot, [&](Message user) {
                if (random_.draw(++seen) == 0) {
                    leaver = user;
                }
            });
            board_.remove(leaver);
            banned_slot_[static_cast<std::size_t>(leaver)] = slot;
            banned_until_[static_cast<std::size_t>(leaver)] = step_ + ban + random_.draw(unplaced() + 1);
            unplaced_.push_back(leaver);
            work_ += seen;
        }
        board_.place(message, slot);
    }

    Board board_;
    Generator random_;
    std::vector<Word> open_;
    std::vector<Word> blocked_;
    std::vector<Word> twice_;
    std::vector<Word> thrice_;
    std::vector<Word> tight_;
    std::vector<Word> usable_;
    std::vector<bool> is_tight_;
    std::vector<Message> moved_;
    std::vector<Message> unplaced_;
    std::vector<Slot> banned_slot_;
    std::vector<std::int64_t> banned_until_;
    Slot slots_ = 0;
    std::int64_t step_ = 0;
    std::int64_t work_ = 0;
};

/// More cells than that (channels times slots) take too much memory.
constexpr std::int64_t most_cells = std::int64_t{1} << 26U;

/// Where the search begins: at a lattice. Where ports bind there is one slot less than ranks, and the lattices that
/// fill such slots are those in which every rank's message to itself is in slot 0.
void start(Search& search, std::int64_t positions) {
    if (search.slots() == positions - 1) {
        search.start_from(LatticeFormula(positions, {positions - 1, 1, false}), 1);
    } else {
        search.start_from(LatticeFormula(positions, theoretical_multipliers(positions, 16)), 0);
    }
}

/// Runs until everything has a slot or so much work is done altogether, with ever more slots.
void open_gradually(Search& search, Board::Slot most_slots, std::int64_t until_work) {
    const Board::Slot step = std::max((most_slots - search.slots()) / 4, 1);
    while (search.unplaced() > 0 && search.slots() < most_slots) {
        search.open(std::min(search.slots() + step, most_slots));
        search.run(search.work() + (until_work - search.work()) / 3);
    }
    search.run(until_work);
}

std::vector<std::int32_t> written_down(const Board& board, Position positions) {
    const auto row = static_cast<std::size_t>(positions);
    std::vector<std::int32_t> slots(row * row, -1);
    for (Board::Message message = 0; message < board.messages(); ++message) {
        const auto [from, to] = board.pair(message);
        slots[static_cast<std::size_t>(from) * row + static_cast<std::size_t>(to)] = board.slot_of(message);
    }
    return slots;
}

}  // namespace

std::int64_t slot_speed(const Traffic& traffic) {
    std::int64_t slowest = std::numeric_limits<std::int64_t>::max();
    for (Position from = 0; from < traffic.positions(); ++from) {
        const Position to = from == 0 ? traffic.positions() - 1 : 0;
        if (const std::span<const Hop> route = traffic.route(from, to); !route.empty()) {
            slowest = std::min(slowest, traffic.speed(static_cast<std::size_t>(route.front().channel)));
        }
    }
    return slowest == std::numeric_limits<std::int64_t>::max() ? 1 : slowest;
}

std::int64_t fewest_slots(const Traffic& traffic) {
    const std::int64_t unit = slot_speed(traffic);
    std::int64_t slots = 1;
    for (std::size_t channel = 0; channel < traffic.channels(); ++channel) {
        const std::int64_t speed = traffic.speed(channel);
        slots = std::max(slots, (traffic.load(channel) * unit + speed - 1) / speed);
    }
    return slots;
}

Settlement settle(const Traffic& traffic, const SettleLimits& limits, std::int64_t seed) {
    Settlement settlement;
    settlement.bound = fewest_slots(traffic);
    const BusyTime busiest = traffic.busiest();
    const std::int64_t most = std::max(
        busiest.messages * slot_speed(traffic) * (1000 + limits.slack) / (1000 * busiest.speed), settlement.bound);
    const auto channels = static_cast<std::int64_t>(traffic.channels());
    if (most > most_cells / std::max<std::int64_t>(channels, 1) || traffic.hops() > most_cells ||
        2 * Search::work_to_begin(traffic, most) > limits.work) {
        settlement.unplaced = std::int64_t{traffic.positions()} * (traffic.positions() - 1);
        return settlement;
    }
    // Searches differ much in how long they take: two short ones and a longer one for the bound's slots, which take
    // half of the work, and then one for which slots are opened, some at a time.
    const auto least_slots = static_cast<Board::Slot>(settlement.bound);
    for (const std::int64_t share : {8, 8, 4, 2}) {
        const bool is_last = share == 2;
        if (!is_last && 2 * share * Search::work_to_begin(traffic, least_slots) > limits.work) {
            continue;  // little more than a beginning
        }
        Search search(traffic, least_slots, is_last ? static_cast<Board::Slot>(most) : least_slots, ++seed);
        start(search, traffic.positions());
        search.run(is_last ? (limits.work - settlement.work) / 2 : limits.work / share);
        if (is_last) {
            open_gradually(search, static_cast<Board::Slot>(most), limits.work - settlement.work);
        }
        settlement.work += search.work();
        settlement.slot_count = search.slots();
        settlement.unplaced = search.unplaced();
        if (search.unplaced() == 0) {
            settlement.slots = written_down(search.board(), traffic.positions());
            break;
        }
    }
    return settlement;
}

}  // namespace aapc::lattice
