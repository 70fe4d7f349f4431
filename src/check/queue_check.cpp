// The certificate of queues from its definition (aapc/queues.hpp): each link by itself, with everything that uses it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "aapc/check/queues.hpp"
#include "check/channels.hpp"
#include "check/cycle_check.hpp"
#include "check/queue_process.hpp"

namespace aapc {

namespace {

using check::Channel;
using check::Channels;
using check::QueueProcess;
using check::Speeds;

/// So many segments are held at a time, 32 bytes each.
constexpr std::int64_t most_segments_held = 4'000'000;

using Visit = std::function<void(const Transfer&)>;

/// Where the messages come from.
struct Messages {
    Phase ticks = 0;  ///< phases, where there is no cycle
    std::optional<Cycle> cycle;
    std::function<void(Rank sender, const Visit& visit)> sent_by;
    std::function<void(Rank receiver, const Visit& visit)> received_by;
};

class QueueCheck {
  public:
    QueueCheck(const Messages& messages, const Network& network, const Placement& placement, Channels channels,
               const QueueRequest& request, std::vector<double>* found)
        : found_(found),
          messages_(messages),
          network_(network),
          placement_(placement),
          channels_(std::move(channels)),
          request_(request),
          speeds_(check::speeds_of(network)),
          is_sprayed_(channels_.has_several_ways() && network.forwarding().paths == FabricPaths::sprayed) {
        channels_.set_draw(request.draw);
    }

    Expected<QueueCertificate, Violation> run() {
        choose_links();
        add_loads();
        if (violation_) {
            return tl::unexpected(*violation_);
        }
        find_cycle();
        if (!violation_) {
            find_queues();
        }
        if (violation_) {
            return tl::unexpected(*violation_);
        }
        return std::move(certificate_);
    }

  private:
    static constexpr std::int32_t not_chosen = -1;

    [[nodiscard]] double bytes(Rank from, Rank to) const { return request_.bytes ? request_.bytes(from, to) : 1.0; }

    /// How many segments a message of so many bytes has.
    [[nodiscard]] std::int64_t segments(double bytes) const {
        return request_.segment_bytes > 0 ? static_cast<std::int64_t>(std::ceil(bytes / request_.segment_bytes)) : 1;
    }

    void choose_links() {
        certificate_.exact = placement_.participants() <= request_.most_ranks_exact;
        certificate_.sample = "all links";
        std::vector<DirectedLink> chosen;
        if (certificate_.exact) {
            for (DirectedLink link = 0; link < static_cast<DirectedLink>(2 * network_.links().size()); ++link) {
                chosen.push_back(link);
            }
        } else {
            chosen = sample();
        }
        place_of_.assign(2 * network_.links().size(), not_chosen);
        for (const DirectedLink link : chosen) {
            place_of_[static_cast<std::size_t>(link)] = static_cast<std::int32_t>(certificate_.links.size());
            certificate_.links.emplace_back().link = link;
        }
    }

    [[nodiscard]] std::vector<DirectedLink> sample() {
        const bool is_torus = network_.kind() == NetworkKind::torus;
        const bool has_tree_loads = !is_torus && network_.kind() != NetworkKind::fabric;
        const std::vector<std::int64_t> loads = has_tree_loads ? channels_.tree_loads() : std::vector<std::int64_t>();
        std::vector<DirectedLink> chosen;
        for (std::vector<DirectedLink> level : channels_.levels()) {
            if (has_tree_loads) {
                std::erase_if(level, [&](DirectedLink link) { return loads[static_cast<std::size_t>(link)] == 0; });
            }
            const std::size_t wanted =
                std::min(level.size(), static_cast<std::size_t>(std::max(request_.links_per_level, 1)));
            for (std::size_t index = 0; index < wanted; ++index) {
                const DirectedLink link = level[index * level.size() / wanted];
                chosen.insert(chosen.end(), {link, link ^ 1});
            }
        }
        std::sort(chosen.begin(), chosen.end());
        certificate_.sample =
            fmt::format("a sample of {} of {} directed links, up to {} links {}, both ways", chosen.size(),
                        2 * network_.links().size(), request_.links_per_level,
                        is_torus          ? "of every dimension"
                        : !has_tree_loads ? "of every stage"
                                          : fmt::format("at every distance from {}", network_.vertices()[0].name));
        return chosen;
    }

    /// Whether messages are visited for many links at once: always in a fabric, where nearly every rank uses each link.
    [[nodiscard]] bool visits_all() const { return certificate_.exact || network_.kind() == NetworkKind::fabric; }

    /// Visits the messages that use the chosen links from `first` up to `end`, and others.
    void visit_users(std::size_t first, std::size_t end, const Visit& visit) {
        if (visits_all()) {
            for (Rank rank = 0; rank < placement_.participants(); ++rank) {
                messages_.sent_by(rank, [&](const Transfer& message) {
                    if (check_message(message, message.from == rank)) {
                        visit(message);
                    }
                });
            }
            return;
        }
        for (std::size_t place = first; place < end; ++place) {
            const Channels::Users users = channels_.users(certificate_.links[place].link);
            const bool by_sender = users.senders.size() <= users.receivers.size();
            for (const Rank rank : by_sender ? users.senders : users.receivers) {
                (by_sender ? messages_.sent_by : messages_.received_by)(rank, [&](const Transfer& message) {
                    if (check_message(message, (by_sender ? message.from : message.to) == rank)) {
                        visit(message);
                    }
                });
            }
        }
    }

    /// Of a timetable, which nobody has checked.
    bool check_message(const Transfer& message, bool is_of_its_rank) {
        const auto is_rank = [&](Rank rank) { return rank >= 0 && rank < placement_.participants(); };
        const bool good = is_of_its_rank && is_rank(message.from) && is_rank(message.to) &&
                          message.from != message.to && message.phase >= 0 && message.phase < messages_.ticks;
        if (!good && !violation_) {
            violation_ =
                Violation{fmt::format("There is a message from rank {} to rank {} at {} of {}, which is none of "
                                      "this exchange or none of its sender's or receiver's.",
                                      message.from, message.to, message.phase, messages_.ticks)};
        }
        return good;
    }

    /// What a message puts on links: all on one route, or parts of it where packets are spread over all ways.
    void find_crossings(const Transfer& message) {
        if (is_sprayed_) {
            channels_.crossings(message.from, message.to, crossings_);
            return;
        }
        channels_.route(message.from, message.to, route_);
        crossings_.clear();
        for (const Channel channel : route_) {
            crossings_.push_back({channel, 1});
        }
    }

    /// Calls `use(place, part, bytes a second at which that flows in)` for every link between `first` and `end` that
    /// the message or a part of it crosses.
    template <class Use>
    void for_each_use(const Transfer& message, std::size_t first, std::size_t end, Use use) {
        find_crossings(message);
        double slowest = std::numeric_limits<double>::infinity();  // at which the whole message flows
        for (const auto& [channel, part] : crossings_) {
            if (channel >= static_cast<Channel>(place_of_.size())) {
                continue;  // a rank's own port
            }
            const auto link = static_cast<std::size_t>(channel);
            const double own = speeds_.of_message[link];
            const std::int32_t place = place_of_[link];
            if (place != not_chosen && static_cast<std::size_t>(place) >= first &&
                static_cast<std::size_t>(place) < end) {
                use(static_cast<std::size_t>(place), part, part * (std::isinf(slowest) ? own : slowest));
            }
            slowest = std::min(slowest, own / part);
            slowest_used_ = std::min(slowest_used_, own);
        }
    }

    void add_loads() {
        const bool is_counted = !certificate_.exact && network_.kind() != NetworkKind::torus &&
                                network_.kind() != NetworkKind::fabric && !request_.bytes;
        if (is_counted) {
            count_loads();
            return;
        }
        const auto add = [&](std::size_t first, std::size_t end) {
            visit_users(first, end, [&](const Transfer& message) {
                const double size = bytes(message.from, message.to);
                if (!(size > 0)) {
                    return;
                }
                const std::int64_t pieces = segments(size);
                largest_message_ = std::max(largest_message_, size);
                largest_segment_ = std::max(largest_segment_, size / static_cast<double>(pieces));
                for_each_use(message, first, end, [&](std::size_t place, double part, double) {
                    LinkQueue& link = certificate_.links[place];
                    link.load_seconds += part * size / speeds_.of_link[static_cast<std::size_t>(link.link)];
                    link.segments += pieces;
                });
            });
        };
        for_each_batch(add);
        for (const LinkQueue& link : certificate_.links) {
            certificate_.bound_seconds = std::max(certificate_.bound_seconds, link.load_seconds);
        }
    }

    /// Equal messages in a tree: no need to ask for them.
    void count_loads() {
        const std::vector<std::int64_t> loads = channels_.tree_loads();
        for (std::size_t link = 0; link < loads.size(); ++link) {
            const double seconds = static_cast<double>(loads[link]) / speeds_.of_link[link];
            certificate_.bound_seconds = std::max(certificate_.bound_seconds, seconds);
            slowest_used_ = loads[link] > 0 ? std::min(slowest_used_, speeds_.of_message[link]) : slowest_used_;
            if (place_of_[link] != not_chosen) {
                LinkQueue& chosen = certificate_.links[static_cast<std::size_t>(place_of_[link])];
                chosen.load_seconds = seconds;
                chosen.segments = loads[link];
            }
        }
        largest_message_ = largest_segment_ = 1;
    }

    /// The chosen links in pieces of which each fits into memory; link by link where each is asked for by itself.
    template <class Take>
    void for_each_batch(Take take) {
        std::size_t first = 0;
        while (first < certificate_.links.size()) {
            std::size_t end = first;
            std::int64_t held = 0;
            do {
                held += certificate_.links[end++].segments;
            } while (visits_all() && end < certificate_.links.size() &&
                     held + certificate_.links[end].segments <= most_segments_held);
            take(first, end);
            first = end;
        }
    }

    void find_cycle() {
        certificate_.largest_segment_bytes = largest_segment_;
        const double bound = certificate_.bound_seconds;
        if (!messages_.cycle) {
            const double phases = static_cast<double>(messages_.ticks) * largest_message_ / slowest_used_;
            certificate_.cycle_seconds = std::max(bound, bound > 0 ? phases : 0);
            return;
        }
        const Cycle& cycle = *messages_.cycle;
        // Without speeds nothing says how long it is: as short as can be.
        const double slack =
            cycle.bound_seconds_per_byte > 0 ? cycle.seconds_per_byte / cycle.bound_seconds_per_byte : 1;
        certificate_.cycle_seconds = request_.bytes || !speeds_.known ? slack * bound : cycle.seconds_per_byte;
        if (channels_.has_several_ways() && !is_sprayed_) {
            // Under this draw the fullest cable may need longer than the cycle; the exchange then takes so long.
            certificate_.cycle_seconds = std::max(certificate_.cycle_seconds, bound);
        }
        const bool long_enough =
            certificate_.cycle_seconds >= bound || check::nearly_equal(certificate_.cycle_seconds, bound);
        if (!long_enough) {
            violation_ = Violation{
                fmt::format("The cycle takes {:.9g} s, but its bound is {:.9g} s.", certificate_.cycle_seconds, bound)};
        }
    }

    void find_queues() {
        std::erase_if(certificate_.links, [](const LinkQueue& link) { return link.segments == 0; });
        place_of_.assign(place_of_.size(), not_chosen);
        for (std::size_t place = 0; place < certificate_.links.size(); ++place) {
            place_of_[static_cast<std::size_t>(certificate_.links[place].link)] = static_cast<std::int32_t>(place);
        }
        for_each_batch([&](std::size_t first, std::size_t end) { find_queues(first, end); });
        for (const LinkQueue& link : certificate_.links) {
            if (certificate_.longest.link < 0 || link.queue_bytes > certificate_.longest.queue_bytes * (1 + 1e-12)) {
                certificate_.longest = link;
            }
        }
    }

    void find_queues(std::size_t first, std::size_t end) {
        const auto ticks = static_cast<double>(messages_.ticks);
        const double seconds_per_tick = certificate_.cycle_seconds / ticks;
        std::vector<QueueProcess> processes;
        for (std::size_t place = first; place < end; ++place) {
            const auto link = static_cast<std::size_t>(certificate_.links[place].link);
            processes.emplace_back(ticks, speeds_.of_link[link] * seconds_per_tick);
        }
        std::vector<std::int64_t> found(end - first, 0);
        visit_users(first, end, [&](const Transfer& message) {
            const double size = bytes(message.from, message.to);
            if (!(size > 0)) {
                return;
            }
            const std::int64_t pieces = segments(size);
            for_each_use(message, first, end, [&](std::size_t place, double part, double speed) {
                found[place - first] += pieces;
                for (std::int64_t piece = 0; piece < pieces; ++piece) {
                    // In whole ticks where there is one piece: then nothing is rounded.
                    const double start = (static_cast<double>(piece) * ticks + static_cast<double>(message.phase)) /
                                         static_cast<double>(pieces);
                    processes[place - first].add(start, speed * seconds_per_tick,
                                                 part * size / static_cast<double>(pieces));
                }
            });
        });
        for (std::size_t place = first; place < end; ++place) {
            if (found[place - first] != certificate_.links[place].segments && !violation_) {
                violation_ = Violation{fmt::format("{} messages use {}, which {} have to cross.", found[place - first],
                                                   channels_.name(certificate_.links[place].link),
                                                   certificate_.links[place].segments)};
            }
            const Link& cable = network_.links()[static_cast<std::size_t>(certificate_.links[place].link / 2)];
            const bool is_between = network_.vertices()[static_cast<std::size_t>(cable.lower)].is_switch &&
                                    network_.vertices()[static_cast<std::size_t>(cable.upper)].is_switch;
            const QueueProcess::Longest longest = processes[place - first].longest(is_between ? found_ : nullptr);
            if (longest.bytes > check::least_queue * largest_segment_) {
                certificate_.links[place].queue_bytes = longest.bytes;
                certificate_.links[place].at = longest.at / ticks;
            }
        }
    }

    std::vector<double>* found_;  ///< what segments find at links between switches; null: not asked
    const Messages& messages_;
    const Network& network_;
    const Placement& placement_;
    Channels channels_;
    const QueueRequest& request_;
    Speeds speeds_;
    bool is_sprayed_;
    std::vector<std::int32_t> place_of_;         ///< by directed link: where it is in QueueCertificate::links
    std::vector<Channel> route_;                 ///< scratch
    std::vector<Channels::Crossing> crossings_;  ///< scratch
    double largest_message_ = 0;
    double largest_segment_ = 0;
    double slowest_used_ = std::numeric_limits<double>::infinity();  ///< bytes a second
    std::optional<Violation> violation_;
    QueueCertificate certificate_;
};

Expected<QueueCertificate, Violation> certify(const Messages& messages, const Network& network,
                                              const Placement& placement, const QueueRequest& request,
                                              std::vector<double>* found = nullptr) {
    Expected<Channels, Violation> channels = Channels::find(network, placement);
    if (!channels) {
        return tl::unexpected(channels.error());
    }
    return QueueCheck(messages, network, placement, std::move(*channels), request, found).run();
}

/// The messages of a table, by their senders or their receivers.
class Grouped {
  public:
    Grouped(const Schedule& schedule, Rank Transfer::*end)
        : schedule_(schedule), begin_(schedule.placement().machine_of.size() + 1, 0) {
        for (const std::vector<Transfer>& phase : schedule.phases()) {
            phase_ends_.push_back((phase_ends_.empty() ? 0 : phase_ends_.back()) + phase.size());
        }
        schedule.for_each_message([&](const Transfer& message) { ++begin_[index(message.*end) + 1]; });
        for (std::size_t rank = 1; rank < begin_.size(); ++rank) {
            begin_[rank] += begin_[rank - 1];
        }
        numbers_.resize(begin_.back());
        std::vector<std::size_t> next = begin_;
        std::uint32_t number = 0;
        schedule.for_each_message([&](const Transfer& message) { numbers_[next[index(message.*end)]++] = number++; });
    }

    void visit(Rank rank, const Visit& visit) const {
        for (std::size_t at = begin_[index(rank)]; at < begin_[index(rank) + 1]; ++at) {
            visit(message(numbers_[at]));
        }
    }

  private:
    static std::size_t index(Rank rank) { return static_cast<std::size_t>(rank); }

    [[nodiscard]] const Transfer& message(std::uint32_t number) const {
        if (schedule_.cycle()) {
            return schedule_.transfers()[number];
        }
        const auto phase = std::upper_bound(phase_ends_.begin(), phase_ends_.end(), number);
        const std::size_t before = phase == phase_ends_.begin() ? 0 : *std::prev(phase);
        return schedule_.phases()[static_cast<std::size_t>(phase - phase_ends_.begin())][number - before];
    }

    const Schedule& schedule_;
    std::vector<std::size_t> phase_ends_;
    std::vector<std::size_t> begin_;      ///< by rank, in numbers_
    std::vector<std::uint32_t> numbers_;  ///< of messages in the schedule: a quarter of what they would take themselves
};

}  // namespace

namespace {

/// The messages of a schedule, which must outlive this.
class ScheduleMessages {
  public:
    explicit ScheduleMessages(const Schedule& schedule) : schedule_(schedule), by_sender_(schedule, &Transfer::from) {
        messages_.ticks = schedule.cycle() ? schedule.ticks() : static_cast<Phase>(schedule.phases().size());
        messages_.cycle = schedule.cycle();
        messages_.sent_by = [this](Rank rank, const Visit& visit) { by_sender_.visit(rank, visit); };
        messages_.received_by = [this](Rank rank, const Visit& visit) {
            if (!by_receiver_) {
                by_receiver_.emplace(schedule_, &Transfer::to);
            }
            by_receiver_->visit(rank, visit);
        };
    }
    ScheduleMessages(const ScheduleMessages&) = delete;
    ScheduleMessages& operator=(const ScheduleMessages&) = delete;
    [[nodiscard]] const Messages& get() const { return messages_; }

  private:
    const Schedule& schedule_;
    Grouped by_sender_;
    std::optional<Grouped> by_receiver_;
    Messages messages_;
};

}  // namespace

Expected<QueueCertificate, Violation> certify_queues(const Schedule& schedule, const QueueRequest& request) {
    if (schedule.forwards()) {
        return tl::unexpected(Violation{"The schedule forwards blocks, so its messages are of different sizes."});
    }
    const ScheduleMessages messages(schedule);
    return certify(messages.get(), schedule.network(), schedule.placement(), request);
}

namespace {

Messages messages_of(const Timetable& timetable) {
    Messages messages;
    messages.ticks = timetable.phases();
    messages.cycle = timetable.cycle();
    const auto visit_all = [](const std::vector<Transfer>& transfers, const Visit& visit) {
        for (const Transfer& message : transfers) {
            visit(message);
        }
    };
    messages.sent_by = [&timetable, visit_all](Rank rank, const Visit& visit) {
        visit_all(timetable.sends_of(rank), visit);
    };
    messages.received_by = [&timetable, visit_all](Rank rank, const Visit& visit) {
        visit_all(timetable.receives_of(rank), visit);
    };
    return messages;
}

/// A cable with so many evenly paced streams.
struct Streams {
    double streams = 0;
    double utilisation = 0;

    /// P(Q > q), exactly: the sum over q < n <= N of C(N, n) ((n-q)/D)^n (1-(n-q)/D)^(N-n) (D-N+q)/(D-n+q), with
    /// D = N/r services in a cycle (Roberts & Virtamo 1991).
    [[nodiscard]] double beyond(double queue) const {
        if (utilisation >= 1) {
            return beyond_when_full(queue);
        }
        const double period = streams / utilisation;
        double sum = 0;
        const auto last = static_cast<std::int64_t>(streams);
        for (auto whole = static_cast<std::int64_t>(std::floor(queue)) + 1; whole <= last; ++whole) {
            const auto n = static_cast<double>(whole);
            const double part = (n - queue) / period;
            const double term = std::exp(std::lgamma(streams + 1) - std::lgamma(n + 1) - std::lgamma(streams - n + 1) +
                                         n * std::log(part) + (streams - n) * std::log1p(-part)) *
                                (period - streams + queue) / (period - n + queue);
            sum += term;
        }
        return std::min(sum, 1.0);
    }

  private:
    /// The Brownian bridge: a cable that is never idle.
    [[nodiscard]] double beyond_when_full(double queue) const { return std::exp(-2 * queue * queue / streams); }
};

/// The queue that the segments of all these cables together find exceeded with that probability.
double queue_by_formula(const std::vector<Streams>& cables, double probability) {
    double least = 0;
    double most = 1;
    double segments = 0;
    std::map<std::pair<double, double>, double> alike;  // how many, by streams and utilisation to a thousandth
    for (const Streams& cable : cables) {
        most = std::max(most, cable.streams);
        segments += cable.streams;
        alike[{cable.streams, std::round(1000 * cable.utilisation) / 1000}] += 1;
    }
    for (int halving = 0; halving < 60; ++halving) {
        const double middle = (least + most) / 2;
        double beyond = 0;
        for (const auto& [cable, count] : alike) {
            const auto& [streams, utilisation] = cable;
            beyond += count * streams / segments * Streams{streams, utilisation}.beyond(middle);
        }
        (beyond > probability ? least : most) = middle;
    }
    return most;
}

}  // namespace

double evenly_paced_queue(double streams, double utilisation, double probability) {
    const double room = 1 - std::min(utilisation, 1.0);
    return (std::sqrt(room * room - 2 * std::log(probability) / streams) - room) * streams / 2;
}

namespace {

Expected<HashedQueues, Violation> certify_hashed(const Messages& messages, const Network& network,
                                                 const Placement& placement, int draws, double probability) {
    if (!network.has_hashed_paths()) {
        return tl::unexpected(Violation{"The network is not a fabric with hashed paths."});
    }
    HashedQueues queues;
    queues.probability = probability;
    queues.draws = draws;
    std::vector<double> found;
    std::vector<Streams> cables;
    QueueRequest request;
    for (int draw = 0; draw < draws; ++draw) {
        request.draw = static_cast<std::uint64_t>(draw);
        const auto certificate = certify(messages, network, placement, request, &found);
        if (!certificate) {
            return tl::unexpected(certificate.error());
        }
        double fullest = 0;
        for (const LinkQueue& link : certificate->links) {
            const Link& cable = network.links()[static_cast<std::size_t>(link.link / 2)];
            if (network.vertices()[static_cast<std::size_t>(cable.lower)].is_switch) {
                cables.push_back({static_cast<double>(link.segments), link.load_seconds / certificate->cycle_seconds});
                fullest = std::max(fullest, cables.back().utilisation);
            }
        }
        queues.utilisation += fullest / draws;
    }
    if (found.empty()) {
        return queues;
    }
    const auto rank = static_cast<std::ptrdiff_t>(static_cast<double>(found.size() - 1) * (1 - probability));
    std::nth_element(found.begin(), found.begin() + rank, found.end());
    queues.segments = found[static_cast<std::size_t>(rank)];
    queues.formula_segments = queue_by_formula(cables, probability);
    return queues;
}

}  // namespace

Expected<HashedQueues, Violation> certify_hashed_queues(const Timetable& timetable, const Network& network,
                                                        const Placement& placement, int draws, double probability) {
    if (timetable.forwards()) {
        return tl::unexpected(Violation{"The timetable forwards blocks, so its messages are of different sizes."});
    }
    return certify_hashed(messages_of(timetable), network, placement, draws, probability);
}

Expected<HashedQueues, Violation> certify_hashed_queues(const Schedule& schedule, int draws, double probability) {
    if (schedule.forwards()) {
        return tl::unexpected(Violation{"The schedule forwards blocks, so its messages are of different sizes."});
    }
    const ScheduleMessages messages(schedule);
    return certify_hashed(messages.get(), schedule.network(), schedule.placement(), draws, probability);
}

std::string to_string(const HashedQueues& queues) {
    return fmt::format(
        "1 of {:.0f} segments finds more than {:.1f} segments (formula {:.1f}) under a hash, by {} draws",
        1 / queues.probability, queues.segments, queues.formula_segments, queues.draws);
}

Expected<QueueCertificate, Violation> certify_queues(const Timetable& timetable, const Network& network,
                                                     const Placement& placement, const QueueRequest& request) {
    if (timetable.forwards()) {
        return tl::unexpected(Violation{"The timetable forwards blocks, so its messages are of different sizes."});
    }
    return certify(messages_of(timetable), network, placement, request);
}

}  // namespace aapc
