// The certificate of segments from its definition (aapc/check/segments.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "aapc/check/segments.hpp"
#include "aapc/input/units.hpp"
#include "check/channels.hpp"
#include "check/cycle_check.hpp"
#include "check/queue_process.hpp"

namespace aapc {

namespace {

using check::Channels;
using check::QueueProcess;
using check::Speeds;

class SegmentCheck {
  public:
    SegmentCheck(const Network& network, const Placement& placement, Channels channels,
                 const SegmentedExchange& exchange)
        : network_(network),
          placement_(placement),
          channels_(std::move(channels)),
          exchange_(exchange),
          speeds_(check::speeds_of(network)) {}

    Expected<QueueCertificate, Violation> run() {
        for (const auto* const end : {&exchange_.sent, &exchange_.received}) {
            if (auto violation = check_bytes(*end, end == &exchange_.sent ? "sent" : "received")) {
                return tl::unexpected(std::move(*violation));
            }
        }
        if (auto violation = compare_ends()) {
            return tl::unexpected(std::move(*violation));
        }
        add_segments();
        if (auto violation = check_loads()) {
            return tl::unexpected(std::move(*violation));
        }
        find_queues();
        return std::move(certificate_);
    }

  private:
    static std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }
    [[nodiscard]] std::size_t pair(Rank from, Rank to) const {
        return index(from) * placement_.machine_of.size() + index(to);
    }
    [[nodiscard]] bool is_rank(Rank rank) const { return rank >= 0 && rank < placement_.participants(); }
    [[nodiscard]] std::string name(Rank from, Rank to) const {
        return check::message_name(network_, placement_, from, to);
    }

    /// Whether each message's segments follow each other from its first byte to its last.
    std::optional<Violation> check_bytes(const std::vector<StartedSegment>& segments, const char* done) const {
        struct Progress {
            std::int64_t bytes = 0;
            double last_start = 0;
        };
        std::vector<Progress> progress(placement_.machine_of.size() * placement_.machine_of.size());
        for (const StartedSegment& segment : segments) {
            if (!is_rank(segment.from) || !is_rank(segment.to) || segment.from == segment.to || segment.bytes <= 0) {
                return Violation{
                    fmt::format("A segment of {} bytes from rank {} to rank {} is {}, which is none of "
                                "this exchange.",
                                segment.bytes, segment.from, segment.to, done)};
            }
            Progress& here = progress[pair(segment.from, segment.to)];
            if (segment.offset != here.bytes) {
                return Violation{fmt::format("After {} bytes of message {} the one at {} is {}.", here.bytes,
                                             name(segment.from, segment.to), segment.offset, done)};
            }
            const double start = segment.start_seconds;
            if (!(start >= here.last_start) || !(start <= exchange_.cycle_seconds)) {
                return Violation{fmt::format(
                    "The segment at byte {} of message {} starts at {} s, after one at {} s "
                    "and in a cycle of {} s.",
                    segment.offset, name(segment.from, segment.to), start, here.last_start, exchange_.cycle_seconds)};
            }
            here = {segment.offset + segment.bytes, start};
        }
        return check_complete([&](Rank from, Rank to) { return progress[pair(from, to)].bytes; }, done);
    }

    template <class Done>
    std::optional<Violation> check_complete(Done done_bytes, const char* done) const {
        for (Rank from = 0; from < placement_.participants(); ++from) {
            for (Rank to = 0; to < placement_.participants(); ++to) {
                const std::int64_t wanted = from == to ? 0 : exchange_.bytes(from, to);
                const std::int64_t found = done_bytes(from, to);
                const bool is_left_out =
                    found == 0 && placement_.machine_of[index(from)] == placement_.machine_of[index(to)];
                if (found != wanted && !is_left_out) {
                    return Violation{
                        fmt::format("{} of {} bytes of message {} are {}.", found, wanted, name(from, to), done)};
                }
            }
        }
        return std::nullopt;
    }

    /// Both ends of a message have the same segments.
    std::optional<Violation> compare_ends() const {
        const auto ordered = [](std::vector<StartedSegment> segments) {
            std::sort(segments.begin(), segments.end(), [](const StartedSegment& left, const StartedSegment& right) {
                return std::tuple(left.from, left.to, left.offset) < std::tuple(right.from, right.to, right.offset);
            });
            return segments;
        };
        const std::vector<StartedSegment> sent = ordered(exchange_.sent);
        const std::vector<StartedSegment> received = ordered(exchange_.received);
        for (std::size_t segment = 0; segment < std::max(sent.size(), received.size()); ++segment) {
            const bool both = segment < sent.size() && segment < received.size();
            if (!both || sent[segment].from != received[segment].from || sent[segment].to != received[segment].to ||
                sent[segment].offset != received[segment].offset || sent[segment].bytes != received[segment].bytes) {
                const StartedSegment& one = segment < sent.size() ? sent[segment] : received[segment];
                return Violation{fmt::format("The ends of message {} cut it differently, at byte {}.",
                                             name(one.from, one.to), one.offset)};
            }
        }
        return std::nullopt;
    }

    void add_segments() {
        const std::size_t links = 2 * network_.links().size();
        for (std::size_t link = 0; link < links; ++link) {
            processes_.emplace_back(exchange_.cycle_seconds, speeds_.of_link[link]);
        }
        loads_.assign(links, 0);
        counts_.assign(links, 0);
        for (const StartedSegment& segment : exchange_.sent) {
            const std::int64_t sent = exchange_.wire_bytes ? exchange_.wire_bytes(segment.bytes) : segment.bytes;
            const std::int64_t answer = exchange_.answer_bytes ? exchange_.answer_bytes(segment.bytes) : 0;
            add_flow(segment.from, segment.to, segment.start_seconds, sent);
            if (answer > 0) {
                add_flow(segment.to, segment.from, segment.start_seconds, answer);
            }
        }
    }

    /// Something to every link that it or a part of it crosses, at the speed of the slowest link before that.
    void add_flow(Rank from, Rank to, double start, std::int64_t flow_bytes) {
        const auto bytes = static_cast<double>(flow_bytes);
        channels_.crossings(from, to, crossings_);
        double slowest = std::numeric_limits<double>::infinity();
        for (const auto& [channel, part] : crossings_) {
            if (index(channel) >= processes_.size()) {
                continue;  // a rank's own port
            }
            certificate_.largest_segment_bytes = std::max(certificate_.largest_segment_bytes, bytes);
            const double own = speeds_.of_message[index(channel)];
            if (exchange_.cycle_seconds > 0) {
                processes_[index(channel)].add(start, part * (std::isinf(slowest) ? own : slowest), part * bytes);
            }
            loads_[index(channel)] += part * bytes;
            ++counts_[index(channel)];
            slowest = std::min(slowest, own / part);
        }
    }

    std::optional<Violation> check_loads() {
        certificate_.cycle_seconds = exchange_.cycle_seconds;
        for (std::size_t link = 0; link < loads_.size(); ++link) {
            if (counts_[link] == 0) {
                continue;
            }
            LinkQueue& found = certificate_.links.emplace_back();
            found.link = static_cast<DirectedLink>(link);
            found.load_seconds = loads_[link] / speeds_.of_link[link];
            found.segments = counts_[link];
            certificate_.bound_seconds = std::max(certificate_.bound_seconds, found.load_seconds);
            const bool fits = found.load_seconds <= exchange_.cycle_seconds ||
                              check::nearly_equal(found.load_seconds, exchange_.cycle_seconds);
            if (!fits) {
                return Violation{fmt::format("{} needs {} s for what crosses it in a cycle of {} s.",
                                             channels_.name(found.link), found.load_seconds, exchange_.cycle_seconds)};
            }
        }
        certificate_.sample = "all links";
        return std::nullopt;
    }

    void find_queues() {
        for (LinkQueue& link : certificate_.links) {
            const QueueProcess::Longest longest = processes_[index(link.link)].longest();
            if (longest.bytes > check::least_queue * certificate_.largest_segment_bytes) {
                link.queue_bytes = longest.bytes;
                link.at = longest.at / exchange_.cycle_seconds;
            }
            if (certificate_.longest.link < 0 || link.queue_bytes > certificate_.longest.queue_bytes * (1 + 1e-12)) {
                certificate_.longest = link;
            }
        }
    }

    const Network& network_;
    const Placement& placement_;
    Channels channels_;
    const SegmentedExchange& exchange_;
    Speeds speeds_;
    std::vector<Channels::Crossing> crossings_;  // scratch
    std::vector<QueueProcess> processes_;        // by directed link, as the following
    std::vector<double> loads_;
    std::vector<std::int64_t> counts_;
    QueueCertificate certificate_;
};

}  // namespace

Expected<QueueCertificate, Violation> certify_segments(const Network& network, const Placement& placement,
                                                       const SegmentedExchange& exchange) {
    Expected<Channels, Violation> channels = Channels::find(network, placement);
    if (!channels) {
        return tl::unexpected(channels.error());
    }
    return SegmentCheck(network, placement, std::move(*channels), exchange).run();
}

std::string segments_text(const QueueCertificate& certificate, const Network& network) {
    const std::string queue = certificate.longest.queue_bytes > 0
                                  ? fmt::format("longest queue {} on {}, at {:.2g} of the cycle",
                                                rounded_size_text(certificate.longest.queue_bytes),
                                                link_name(network, certificate.longest.link), certificate.longest.at)
                                  : "no queue";
    return fmt::format("bound {}; cycle {:.4g} of the bound; {}",
                       duration_text(certificate.bound_seconds, significant(4)), certificate.cycle_over_bound(), queue);
}

}  // namespace aapc
