/// @file
/// Algorithm `lattice`: every message starts at its time in a cycle, on any network whose routes are known, at any
/// speeds (docs/lattice.md).
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aapc/algorithms/algorithm.hpp"
#include "algorithms/lattice/formula.hpp"
#include "algorithms/lattice/positions.hpp"

namespace aapc::lattice {

inline constexpr std::string_view name = "lattice";
/// `settled` first: it is `formula` where settling takes longer than a set-up may.
inline constexpr std::array<std::string_view, 2> variants{"settled", "formula"};

/// On fabrics nothing else is near the bound, nor on trees whose links differ in speed. Where they do not, programs of
/// 8 KB take 5 % less than with phases, and as long with larger blocks (docs/lattice.md).
inline constexpr Use uses[] = {
    {.kind = NetworkKind::tree}, {.kind = NetworkKind::clusters}, {.kind = NetworkKind::fabric}};

/// What the variant `settled` may spend on settling: some 30 to 50 ms.
inline constexpr std::int64_t work_at_set_up = 25'000'000;

/// A lattice of one network and placement. Only the ranks' positions and their offsets are held: 24 bytes a
/// participant.
class LatticeTimetable final : public Timetable {
  public:
    LatticeTimetable(Positions positions, LatticeFormula formula, const Cycle& cycle)
        : positions_(std::move(positions)), formula_(std::move(formula)), cycle_(cycle) {}

    /// Says what somebody who asked for something else should know.
    void set_remark(std::string remark) { remark_ = std::move(remark); }

    [[nodiscard]] Rank participants() const override { return static_cast<Rank>(positions_.rank_at.size()); }
    [[nodiscard]] Phase phases() const override { return formula_.ticks(); }
    [[nodiscard]] Guarantee guarantee() const override { return Guarantee::within_capacity; }
    [[nodiscard]] std::optional<Cycle> cycle() const override { return cycle_; }
    [[nodiscard]] std::string remark() const override { return remark_; }
    /// O(participants).
    [[nodiscard]] std::vector<Transfer> sends_of(Rank rank) const override;
    /// O(participants).
    [[nodiscard]] std::vector<Transfer> receives_of(Rank rank) const override;

    /// When one rank's message to another starts. O(1).
    [[nodiscard]] Phase tick(Rank from, Rank to) const { return formula_.tick(position_of(from), position_of(to)); }
    [[nodiscard]] const LatticeFormula& formula() const { return formula_; }
    [[nodiscard]] const Positions& positions() const { return positions_; }

  private:
    [[nodiscard]] Position position_of(Rank rank) const {
        return positions_.position_of[static_cast<std::size_t>(rank)];
    }
    [[nodiscard]] std::vector<Transfer> in_order_of_time(std::vector<Transfer> transfers) const;

    Positions positions_;
    LatticeFormula formula_;
    Cycle cycle_;
    std::string remark_;
};

/// The lattice for any kind of network. Its cycle is 1.02 times the bound (1.03 on a torus); in a
/// fabric with hashed paths, 1.02 times the mean of the bound over all draws of the hash. At most about 20 ms are
/// spent on the choice of its multipliers. In a fabric with static paths on which shifts collide it is 60 to 130 ms at
/// 400 to 1,100 machines, and up to half a second at 4,000, since all routes are walked (docs/lattice.md).
/// Fails if the network is not what its kind says.
[[nodiscard]] Expected<std::unique_ptr<LatticeTimetable>> build_formula(const Network& network,
                                                                        const Placement& placement);

/// The row of the table.
[[nodiscard]] Expected<std::unique_ptr<Timetable>> build(const Network& network, const Placement& placement,
                                                         std::string_view variant);
/// Slots that are settled with as much work as is usual beforehand, or why there are none; `formula` is as it is.
[[nodiscard]] Expected<std::unique_ptr<Timetable>> build_thoroughly(const Network& network, const Placement& placement,
                                                                    std::string_view variant);

}  // namespace aapc::lattice
