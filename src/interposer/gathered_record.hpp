/// @file
/// The end of a record: rank 0 takes the texts of all ranks one after the other and writes them.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "aapc/archive/record.hpp"
#include "input/environment.hpp"
#include "interposer/tally.hpp"

namespace aapc::interposer {

/// What a rank has for the record.
struct RankRecord {
    /// What ranks tell rank 0 about what they send it, for MPI.
    struct Offer {
        std::int64_t text_bytes = 0;
        std::int64_t calls = 0;     ///< in the text
        std::int64_t segments = 0;  ///< in the text
        std::int64_t dropped_calls = 0;
        std::int64_t dropped_segments = 0;
        std::int64_t rank_calls = 0;
        std::int64_t rank_nanoseconds = 0;
        std::int64_t waited_nanoseconds = 0;
        std::int64_t calls_that_know = 0;
        std::array<char, longest_host_name> host{};
    };
    Offer offer;
    std::string text;  ///< lines of a record
};

/// Rank 0 gathers what all ranks have and writes the file, all or nothing; otherwise it says in one line why not. Texts
/// beyond 256 MiB are left out and counted. `head` is rank 0's. Collective over the world, which returns errors
/// meanwhile.
void gather_record(const std::string& file, RecordHead head, const Tally::Totals& totals, const RankRecord& own);

}  // namespace aapc::interposer
