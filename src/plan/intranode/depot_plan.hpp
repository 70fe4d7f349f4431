/// @file
/// What lies where in a depot: memory of a machine in which its ranks put what goes to other machines, ready to be sent
/// as it lies there, and out of which they take what has come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "aapc/timetable/timetable.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc::machine {

/// A message between a rank of this machine and one of another. Its blocks lie in its places one after the other.
struct Parcel {
    Transfer transfer;
    std::int64_t place = 0;   ///< the first
    std::int64_t blocks = 0;  ///< and their number

    friend bool operator==(const Parcel&, const Parcel&) = default;
};

/// Blocks of the program's buffer, for or from ranks `first`, `first` + 1, ..., and as many places from `place` on.
struct DepotRun {
    std::int64_t place = 0;
    Rank first = 0;
    std::int32_t blocks = 0;

    friend bool operator==(const DepotRun&, const DepotRun&) = default;
};

/// Blocks that came in a parcel and go on in another one.
struct PassedOn {
    std::size_t parcel = 0;  ///< index into DepotPlan::in
    std::int64_t from = 0;
    std::int64_t to = 0;
    std::int64_t blocks = 0;

    friend bool operator==(const PassedOn&, const PassedOn&) = default;
};

/// The part of one rank. What is said to be the machine's is the same on all its ranks.
struct DepotPlan {
    std::vector<Rank> ranks;  ///< of the machine, ascending
    std::size_t own = 0;      ///< index into `ranks`
    std::vector<Parcel> out;  ///< the machine's, in the order of Transfer
    std::vector<Parcel> in;   ///< the machine's, in the order of Transfer
    std::int64_t places = 0;  ///< the machine's, a block each

    std::vector<std::vector<DepotRun>> puts;         ///< [index into `out`] this rank's own blocks in that parcel
    std::vector<std::vector<PassedOn>> passes;       ///< [index into `out`] what this rank adds, if it sends the parcel
    std::vector<std::vector<DepotRun>> takes;        ///< [index into `in`] the blocks for this rank in that parcel
    std::vector<DepotRun> local_puts;                ///< its blocks for the other ranks of the machine
    std::vector<std::vector<DepotRun>> local_takes;  ///< [index into `ranks`] theirs for it; none from itself
};

/// The depot plan of `rank`, which sits as `placement` says, for a timetable that the checker has passed. Messages
/// inside the machine are left out: what they carry is put straight where it is sent from, and taken from where it has
/// come. Every parcel, and every block between two ranks of the machine, has places of its own: n·(P-n) blocks go out
/// of a machine with n of P ranks and as many come in, where none is passed on, and n² more stay. O(P·n·log P) time for
/// the messages, O(blocks in parcels) for the rest. Throws std::bad_alloc.
[[nodiscard]] DepotPlan make_depot_plan(const Timetable& timetable, const Placement& placement, Rank rank);

}  // namespace aapc::machine
