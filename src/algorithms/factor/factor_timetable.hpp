/// @file
/// The algorithm `factor`: all-to-all among machines with any numbers of ranks, by factors of the complete graph
/// (Sanders & Träff 2002). docs/factor.md says what is corrected in the paper and what each variant is good for.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "aapc/algorithms/algorithm.hpp"

namespace aapc::factor {

inline constexpr std::string_view fill = "fill";
inline constexpr std::string_view permutation = "permutation";
inline constexpr std::string_view paper = "paper";
inline constexpr std::string_view exchange = "exchange";
inline constexpr std::string_view flat = "flat";
inline constexpr std::string_view variants[] = {fill, permutation, paper, exchange, flat};

/// Numbered variants: "ports-2" for machines that carry on two exchanges with others at a time, and so on.
inline constexpr std::string_view ports_prefix = "ports-";

/// The wires of a detected network are not known, so the rule is more cautious there. At 10 Gbit/s this many bytes take
/// 26 µs, about the start-up of a message; for smaller blocks the number of messages in transit matters more than their
/// order. Native MPICH was faster where both were measured (docs/measurements.md).
inline constexpr std::int64_t smallest_block_on_unknown_wires = 32768;
inline constexpr Use uses[] = {
    {.kind = NetworkKind::detected, .from_bytes = smallest_block_on_unknown_wires, .not_under = "mpich"}};

/// The one that was measured to be best (docs/measurements.md, "Machines with several ranks"): `permutation` where some
/// machine has more ranks than another, else `fill`.
[[nodiscard]] std::string_view best_variant(const Placement& placement);

/// A phase is a step of the algorithm, copies of ranks to themselves included. P ranks, n of them on the largest
/// machine. In all variants but the last two a machine sends to at most one other machine in a step, and receives from
/// at most one.
///
/// `paper`: Figure 2, n·P steps. `exchange`: the same, but ranks of one machine exchange in both directions at once;
/// the form of Figure 3. `fill`: machines are paired with themselves all at once if their number is even, and do their
/// inner work as far as others keep the wire busy anyway, the rest at the end. `permutation`: as `fill`, but a machine
/// need not receive from where it sends to, which makes do with n·(P-n) steps on the wire, the fewest possible, for all
/// sizes. `ports-K`: `permutation` for machines taken apart into K parts, each with a port of its own. `flat`: section
/// 2, P steps; every rank by itself.
[[nodiscard]] Expected<std::unique_ptr<Timetable>> build(const Network& network, const Placement& placement,
                                                         std::string_view variant);

}  // namespace aapc::factor
