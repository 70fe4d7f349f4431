#include "cli/report/fluid.hpp"

#include <algorithm>
#include <limits>

namespace aapc::report {

namespace {

constexpr int most_changes = 20000;
constexpr double nothing_left = 1e-9;  // of a message

struct Message {
    Rank from;
    Rank to;
    Phase step;
    double left = 1;  ///< the share that is still to come
    double rate = 0;  ///< bytes a second
    std::vector<DirectedLink> way{};
};

class Fluid {
  public:
    Fluid(const Ways& ways, const Timetable& timetable, Phase window, double bytes) : bytes_(bytes) {
        for (const Link& link : ways.network().links()) {
            speed_.insert(speed_.end(), 2, link.bits_per_second / 8);
            flow_speed_.insert(flow_speed_.end(), 2, link.flow_bits_per_second() / 8);
        }
        const Rank ranks = timetable.participants();
        const Phase steps = (timetable.phases() + window - 1) / window;
        step_.assign(static_cast<std::size_t>(ranks), 0);
        open_.assign(static_cast<std::size_t>(ranks), std::vector<int>(static_cast<std::size_t>(steps) + 1, 0));
        for (Rank rank = 0; rank < ranks; ++rank) {
            for (const Transfer& transfer : timetable.sends_of(rank)) {
                Message message{rank, transfer.to, transfer.phase / window};
                message.way = ways.of(rank, transfer.to);
                if (!message.way.empty()) {
                    ++open(rank, message.step);
                    ++open(transfer.to, message.step);
                    messages_.push_back(std::move(message));
                }
            }
        }
    }

    std::optional<FluidRun> run() {
        FluidRun run;
        std::size_t left = messages_.size();
        for (int change = 0; left > 0; ++change) {
            advance_steps();
            share();
            const double until = next_end();
            if (change == most_changes || until == std::numeric_limits<double>::infinity()) {
                return std::nullopt;
            }
            run.intervals.push_back({run.seconds, run.seconds + until, used_, waiting_});
            run.seconds += until;
            left -= let_pass(until);
        }
        return run;
    }

  private:
    int& open(Rank rank, Phase step) { return open_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(step)]; }

    void advance_steps() {
        for (std::size_t rank = 0; rank < step_.size(); ++rank) {
            while (static_cast<std::size_t>(step_[rank]) + 1 < open_[rank].size() &&
                   open_[rank][static_cast<std::size_t>(step_[rank])] == 0) {
                ++step_[rank];
            }
        }
    }
    [[nodiscard]] bool flows(const Message& message) const {
        return message.left > 0 && step_[static_cast<std::size_t>(message.from)] >= message.step &&
               step_[static_cast<std::size_t>(message.to)] >= message.step;
    }

    /// Max-min fairness by progressive filling: all rates grow together until a link is full, whose messages keep what
    /// they have.
    void share() {
        used_.assign(speed_.size(), 0);
        waiting_.assign(speed_.size(), 0);
        std::vector<double> room = speed_;
        std::vector<int> growing(speed_.size(), 0);
        std::vector<Message*> open;
        for (Message& message : messages_) {
            message.rate = 0;
            if (flows(message)) {
                open.push_back(&message);
                for (const DirectedLink link : message.way) {
                    ++growing[static_cast<std::size_t>(link)];
                }
            }
        }
        while (!open.empty()) {
            double least = std::numeric_limits<double>::infinity();
            for (const Message* message : open) {
                for (const DirectedLink link : message->way) {
                    least = std::min(least, fair(room, growing, link));
                }
            }
            const auto fixed = std::partition(open.begin(), open.end(), [&](const Message* message) {
                return std::none_of(message->way.begin(), message->way.end(), [&](DirectedLink link) {
                    return fair(room, growing, link) <= least * (1 + nothing_left);
                });
            });
            fix(fixed, open.end(), least, room, growing);
            open.erase(fixed, open.end());
        }
        for (std::size_t link = 0; link < speed_.size(); ++link) {
            used_[link] = static_cast<float>(1 - room[link] / speed_[link]);
        }
    }
    [[nodiscard]] double fair(const std::vector<double>& room, const std::vector<int>& growing,
                              DirectedLink link) const {
        const auto index = static_cast<std::size_t>(link);
        return std::min(flow_speed_[index], room[index] / growing[index]);
    }
    /// These have their rate. The link that holds them back is the one that is full with them.
    template <class Iterator>
    void fix(Iterator begin, Iterator end, double rate, std::vector<double>& room, std::vector<int>& growing) {
        std::vector<int> held(speed_.size(), 0);
        for (Iterator message = begin; message != end; ++message) {
            for (const DirectedLink link : (*message)->way) {
                if (fair(room, growing, link) <= rate * (1 + nothing_left)) {
                    ++held[static_cast<std::size_t>(link)];
                    break;
                }
            }
        }
        for (Iterator message = begin; message != end; ++message) {
            (*message)->rate = rate;
            for (const DirectedLink link : (*message)->way) {
                room[static_cast<std::size_t>(link)] = std::max(0.0, room[static_cast<std::size_t>(link)] - rate);
                --growing[static_cast<std::size_t>(link)];
            }
        }
        for (std::size_t link = 0; link < held.size(); ++link) {
            waiting_[link] += static_cast<float>(std::max(held[link] - 1, 0));
        }
    }

    [[nodiscard]] double next_end() const {
        double least = std::numeric_limits<double>::infinity();
        for (const Message& message : messages_) {
            if (message.rate > 0) {
                least = std::min(least, message.left * bytes_ / message.rate);
            }
        }
        return least;
    }
    /// How many messages end by then.
    std::size_t let_pass(double seconds) {
        std::size_t ended = 0;
        for (Message& message : messages_) {
            if (message.rate > 0) {
                message.left -= message.rate * seconds / bytes_;
                if (message.left < nothing_left) {
                    message.left = 0;
                    --open(message.from, message.step);
                    --open(message.to, message.step);
                    ++ended;
                }
            }
        }
        return ended;
    }

    double bytes_;
    std::vector<double> speed_;       ///< by directed link, in bytes a second
    std::vector<double> flow_speed_;  ///< of which a message can have so much
    std::vector<Message> messages_;
    std::vector<Phase> step_;             ///< by rank
    std::vector<std::vector<int>> open_;  ///< by rank and step: messages at either end
    std::vector<float> used_;
    std::vector<float> waiting_;
};

}  // namespace

std::optional<FluidRun> run_as_fluid(const Ways& ways, const Timetable& timetable, Phase window, double bytes) {
    const auto& links = ways.network().links();
    const bool known =
        std::all_of(links.begin(), links.end(), [](const Link& link) { return link.bits_per_second > 0; });
    if (!known || timetable.forwards() || timetable.cycle() || timetable.participants() > most_fluid_ranks) {
        return std::nullopt;
    }
    return Fluid(ways, timetable, std::max<Phase>(window, 1), bytes).run();
}

LinkUse use_of_fluid(const FluidRun& run, const Frame& frame) {
    LinkUse use{frame.seconds, frame.columns, frame.links, {}, run.seconds};
    use.cells.resize(frame.links.size() * frame.columns);
    const double width = frame.seconds / static_cast<double>(frame.columns);
    for (const FluidRun::Interval& interval : run.intervals) {
        const auto first = static_cast<std::size_t>(interval.begin_seconds / width);
        for (std::size_t column = first; column < frame.columns; ++column) {
            const double begin = static_cast<double>(column) * width;
            const double part =
                std::max(0.0, std::min(interval.end_seconds, begin + width) - std::max(interval.begin_seconds, begin));
            if (begin >= interval.end_seconds) {
                break;
            }
            for (std::size_t row = 0; row < frame.links.size(); ++row) {
                LinkUse::Cell& cell = use.cells[row * frame.columns + column];
                const auto link = static_cast<std::size_t>(frame.links[row]);
                cell.used += interval.used[link] * part / width;
                cell.waiting += interval.waiting[link] * part / width;
            }
        }
    }
    return use;
}

}  // namespace aapc::report
