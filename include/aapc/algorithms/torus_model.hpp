/// @file
/// What an exchange on a torus costs in the model of the divide-and-conquer paper (section 3 and Table 1), as corrected
/// in docs/torus.md: S·ts + m·(B·td + R·tr) for blocks of m bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/topology/torus.hpp"

namespace aapc {

/// What an exchange asks of the machine that has most to do in each step. Counted are all blocks, a rank's for itself
/// among them; the timetables leave those at their destination where they are, which is up to 0.3 % less
/// (docs/torus.md).
struct TorusWork {
    std::int64_t start_ups = 0;          ///< S: steps in which messages are sent
    std::int64_t sent_blocks = 0;        ///< B: the largest message of each step, added up
    std::int64_t rearranged_blocks = 0;  ///< R: what a machine holds between one stage of the algorithm and the next
    std::int64_t buffer_blocks = 0;      ///< the most that a machine holds at once; 0 where nothing is forwarded

    friend bool operator==(const TorusWork&, const TorusWork&) = default;
};

/// The work of `torus` in the variant divisions-`divisions` with a rank on every machine, from its steps, or why the
/// torus cannot be divided so often. On N x N machines, N a multiple of 4·2^K and g = 2^K: S = 3K + N/(2g) + 2,
/// B = N²(N/4 + 3.5g - 2.5), and from N/g = 8 on R = (7g - 4)N². `grid` has no side of 1. O(steps).
[[nodiscard]] Expected<TorusWork> divided_work(const TorusGrid& grid, std::int32_t divisions);

/// That of `torus-direct`: as many start-ups and blocks as phases. Nothing where it cannot be had.
[[nodiscard]] std::optional<TorusWork> direct_work(const TorusGrid& grid);

/// A row of the paper's Table 1 as printed, for N x N machines.
struct PublishedWork {
    std::string_view algorithm;
    TorusWork work;                         ///< the buffer is not in that table: 0
    std::optional<std::int32_t> divisions;  ///< the divisions of our equal algorithm; nullopt if there is none
};

/// Table 1 for that side: a power of two from 2^2 to 2^16; empty for others.
[[nodiscard]] std::vector<PublishedWork> published_table(std::int32_t side);

/// What a step, a byte on a link and a byte in memory cost. None is negative, and not all are 0.
struct TorusCosts {
    double start_up_seconds = 0;       ///< ts
    double seconds_per_byte = 0;       ///< td
    double copy_seconds_per_byte = 0;  ///< tr
};

[[nodiscard]] double predict_seconds(const TorusWork& work, const TorusCosts& costs, double message_bytes);

/// From which message size on `with_more_start_ups` is faster than `with_fewer`; nothing if it never is, 0 if always.
[[nodiscard]] std::optional<double> break_even_bytes(const TorusWork& with_fewer, const TorusWork& with_more_start_ups,
                                                     const TorusCosts& costs);

/// An algorithm for a torus, and its work there.
struct TorusCandidate {
    std::string method;  ///< "torus/divisions-1", as parse_method() reads it
    TorusWork work;
};

/// All there are for this torus: every number of divisions, ascending, then `torus-direct` if it can be had. `grid` has
/// no side of 1; empty for a single machine.
[[nodiscard]] std::vector<TorusCandidate> torus_candidates(const TorusGrid& grid);

/// A candidate that is the fastest from a message size on, until the next one is.
struct TorusRange {
    double from_bytes = 0;
    std::size_t candidate = 0;  ///< index
};

/// Which candidate is the fastest for which message sizes, by the model: ascending from 0. O(candidates²).
[[nodiscard]] std::vector<TorusRange> fastest_by_size(const std::vector<TorusCandidate>& candidates,
                                                      const TorusCosts& costs);

}  // namespace aapc
