/// @file
/// One exchange, measured.
#pragma once

namespace aapc::bench {

/// A rank that comes late on purpose, to see what that does to the others.
struct LateRank {
    int rank = -1;       ///< below 0 if no rank is late
    double seconds = 0;  ///< by so much
    int every = 1;       ///< in the calls of each candidate whose number, from 1 and with warm-up, this divides
};

/// What the harness says of one exchange. The same on all ranks.
struct Sample {
    double seconds = 0;  ///< of the slowest rank, from its entering the exchange to its leaving it
    /// Whether aapc exchanged the blocks, not the native routine. It shows the interposer's choice for `interposed`.
    bool by_aapc = false;
    bool interrupted = false;  ///< a rank was asked to end (interruption.hpp) before or meanwhile
    // `timed` only, 0 for others; of the slowest rank each.
    double pace = 0;
    double scheduled_seconds = 0;  ///< from the common start to the end of the last slot
    double late_seconds = 0;       ///< how late the last segment was against its slot
    double agreement_seconds = 0;  ///< what the common start took, and with unequal messages the reduction before it
    double reduction_seconds = 0;  ///< the reduction alone
};

}  // namespace aapc::bench
