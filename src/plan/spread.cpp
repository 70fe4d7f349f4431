#include "plan/spread.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace aapc {

namespace {

std::size_t index(std::int32_t value) { return static_cast<std::size_t>(value); }

void sort_by_time(std::vector<TimedSegment>& segments) {
    std::sort(segments.begin(), segments.end(), [](const TimedSegment& left, const TimedSegment& right) {
        return std::pair(left.start_seconds, left.peer) < std::pair(right.start_seconds, right.peer);
    });
}

double size_of(const TimedSegment& segment) { return static_cast<double>(segment.bytes); }

/// Settles one group.
void settle(double cycle, std::vector<TimedSegment>& segments) {
    sort_by_time(segments);
    double total = 0;
    double largest = 0;
    for (const TimedSegment& segment : segments) {
        total += size_of(segment);
        largest = std::max(largest, size_of(segment));
    }
    // The mean delay of the starts against an even flow from 0 on. That flow is delayed by as much, so that ranks whose
    // messages begin at different times still do.
    double before = 0;
    double later = 0;
    for (const TimedSegment& segment : segments) {
        later += size_of(segment) / total * (segment.start_seconds - cycle * (before + size_of(segment) / 2) / total);
        before += size_of(segment);
    }
    before = 0;
    const double most = most_segments_off * largest / total * cycle;
    for (TimedSegment& segment : segments) {
        const double even = cycle * (before + size_of(segment) / 2) / total + later;
        double& start = segment.start_seconds;
        start = std::clamp(start, even - most, even + most);
        start += start < 0 ? cycle : start >= cycle ? -cycle : 0;
        before += size_of(segment);
    }
}

/// Which piece of its message a segment is.
struct Piece {
    std::int64_t offset = 0;
    std::int64_t bytes = 0;

    friend auto operator<=>(const Piece&, const Piece&) = default;
};

/// Gives the pieces of every message to its segments in the order of their starts.
void put_in_order(std::size_t participants, std::vector<TimedSegment>& segments) {
    std::vector<std::vector<Piece>> pieces(participants);
    for (const TimedSegment& segment : segments) {
        pieces[index(segment.peer)].push_back({segment.offset, segment.bytes});
    }
    for (std::vector<Piece>& message : pieces) {
        std::sort(message.begin(), message.end());
    }
    std::vector<std::size_t> next(participants, 0);
    for (TimedSegment& segment : segments) {
        const std::size_t peer = index(segment.peer);
        const Piece& piece = pieces[peer][next[peer]++];
        segment.offset = piece.offset;
        segment.bytes = piece.bytes;
    }
}

}  // namespace

void spread_evenly(const RouteTree& tree, double cycle_seconds, std::vector<TimedSegment>& segments) {
    std::vector<std::vector<TimedSegment>> groups(tree.parent.size());
    for (const TimedSegment& segment : segments) {
        groups[index(tree.group_of[index(segment.peer)])].push_back(segment);
    }
    for (std::size_t group = groups.size(); group-- > 0;) {
        std::vector<TimedSegment>& own = groups[group];
        if (group > 0) {
            settle(cycle_seconds, own);
        }
        if (group > 0) {
            std::vector<TimedSegment>& parent = groups[index(tree.parent[group])];
            parent.insert(parent.end(), own.begin(), own.end());
            own = {};
        }
    }
    segments = std::move(groups.front());
    sort_by_time(segments);
    put_in_order(tree.group_of.size(), segments);
}

}  // namespace aapc
