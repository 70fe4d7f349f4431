/// @file
/// One exchange by the clock: every segment starts when it is due, and what is still on its way at the end is waited
/// for. What the segments are, the caller knows: of equal messages (timed_execution.cpp) or of unequal ones
/// (unequal_exchange.cpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "mpi/execution.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/local_copies.hpp"
#include "mpi/pending.hpp"
#include "mpi/progress.hpp"
#include "mpi/rest.hpp"
#include "mpi/segment_log.hpp"
#include "mpi/transport.hpp"

namespace aapc::mpi {

/// The longest sleep while segments are due. What arrives meanwhile waits in the sockets.
inline constexpr double longest_nap_seconds = 0.3e-3;

/// With less time left until a segment is due no block of this machine is copied: a piece takes about half of it.
inline constexpr double shortest_time_to_copy = 50e-6;

/// What a rank sends, and when: on the clock of now_seconds().
struct OutgoingSegment {
    double due;
    Rank to;
    const std::byte* content;
    std::size_t bytes;  ///< at most a piece of the transport's
};

/// What a rank receives.
struct IncomingSegment {
    Rank from;
    std::byte* place;
    std::size_t bytes;
};

/// The two queues of requests that a run needs, empty before and after it.
struct TimedRequests {
    Pending receives;  ///< in the order of the segments
    Pending sends;
};

/// All calls of one run get the same segments, of which they use what they need: `incoming()` and `outgoing()`, how
/// many there are; incoming(index) in the order in which their senders start them; outgoing_segment(index) in order of
/// time; and posted(), for how many receives are posted at a time.
class TimedRun {
  public:
    /// All outlive it; `copies` may be null.
    TimedRun(const Transport& transport, TimedRequests& requests, LocalCopies* copies)
        : transport_(transport), requests_(requests), copies_(copies) {}

    /// What the times of segments are noted against, where they are: on the clock of now_seconds().
    void count_times_from(double origin) { origin_ = origin; }

    template <class Segments>
    [[nodiscard]] int post_first_receives(const Segments& segments) {
        return post_receives(segments, segments.posted());
    }
    /// Starts every segment when it is due. One that is further away than `longest_wait_seconds` starts at once: a
    /// clock has jumped.
    template <class Segments>
    [[nodiscard]] int send_all(const Segments& segments, double longest_wait_seconds);
    /// Waits for what is still on its way.
    template <class Segments>
    [[nodiscard]] int drain(const Segments& segments);

  private:
    template <class Segments>
    int post_receives(const Segments& segments, std::int64_t until);
    template <class Segments>
    int advance(const Segments& segments, int& completed);
    template <class Segments>
    int wait_until(const Segments& segments, double due, double longest_wait_seconds);
    template <class Segments>
    int make_room(const Segments& segments);
    void note(const OutgoingSegment& segment);

    const Transport& transport_;
    TimedRequests& requests_;
    LocalCopies* copies_;
    std::int64_t posted_ = 0;  ///< receives posted
    std::int64_t received_ = 0;
    SegmentLog* log_ = SegmentLog::current();
    double origin_ = 0;
};

inline void TimedRun::note(const OutgoingSegment& segment) {
    if (log_ != nullptr) {
        log_->note({segment.due - origin_, static_cast<float>(now_seconds() - segment.due),
                    SegmentLog::current_exchange(), segment.to, static_cast<std::uint32_t>(segment.bytes)});
    }
}

template <class Segments>
int TimedRun::post_receives(const Segments& segments, std::int64_t until) {
    for (until = std::min(until, segments.incoming()); posted_ < until; ++posted_) {
        const IncomingSegment segment = segments.incoming(posted_);
        const int error = transport_.receive(segment.place, segment.bytes, segment.from, Tag::data, requests_.receives);
        if (error != MPI_SUCCESS) {
            return error;
        }
    }
    return MPI_SUCCESS;
}

/// Takes in what has come and posts as many receives again.
template <class Segments>
int TimedRun::advance(const Segments& segments, int& completed) {
    int received = 0;
    if (const int error = requests_.receives.test(received); error != MPI_SUCCESS) {
        return error;
    }
    completed += received;
    received_ += received;
    if (const int error = post_receives(segments, posted_ + received); error != MPI_SUCCESS) {
        return error;
    }
    return requests_.sends.test(completed);
}

template <class Segments>
int TimedRun::wait_until(const Segments& segments, double due, double longest_wait_seconds) {
    const auto is_to_come = [&] {
        const double left = due - now_seconds();
        return left > 0 && left <= longest_wait_seconds;
    };
    do {
        int completed = 0;
        if (const int error = advance(segments, completed); error != MPI_SUCCESS) {
            return error;
        }
        int copied = 0;
        if (due - now_seconds() > shortest_time_to_copy) {
            if (const int error = advance_copies(copies_, copied); error != MPI_SUCCESS) {
                return error;
            }
        }
        if (copied == 0 && is_to_come()) {
            rest_until(due, longest_nap_seconds);
        }
    } while (is_to_come());
    return MPI_SUCCESS;
}

/// Without memory for one more, one of those under way has to end. It will: all ranks take in what comes meanwhile.
template <class Segments>
int TimedRun::make_room(const Segments& segments) {
    if (requests_.sends.has_room() || have_memory_for([&] { requests_.sends.reserve_more(); })) {
        return MPI_SUCCESS;
    }
    return advance_until([&] { return requests_.sends.has_room(); },
                         [&](int& completed) { return advance(segments, completed); });
}

template <class Segments>
int TimedRun::send_all(const Segments& segments, double longest_wait_seconds) {
    for (std::int64_t index = 0; index < segments.outgoing(); ++index) {
        const OutgoingSegment segment = segments.outgoing_segment(index);
        int error = wait_until(segments, segment.due, longest_wait_seconds);
        if (error == MPI_SUCCESS) {
            error = make_room(segments);
        }
        if (error != MPI_SUCCESS) {
            return error;
        }
        note(segment);
        error = transport_.send(segment.content, segment.bytes, segment.to, Tag::data, requests_.sends);
        if (error != MPI_SUCCESS) {
            return error;
        }
    }
    return MPI_SUCCESS;
}

template <class Segments>
int TimedRun::drain(const Segments& segments) {
    transport_.end_sending();
    return advance_until([&] { return received_ == segments.incoming() && requests_.sends.empty(); },
                         [&](int& completed) {
                             const int error = advance(segments, completed);
                             return error == MPI_SUCCESS ? advance_copies(copies_, completed) : error;
                         });
}

}  // namespace aapc::mpi
