/// @file
/// What all ranks of the job learn first: whether there is anything to do. The first thing that they do together, so it
/// also shows whether all of them have this library in them.
#pragma once

#include <cstdint>

namespace aapc::interposer {

/// What rank 0 of MPI_COMM_WORLD has to say, 0 where nothing is set. Collective. Each rank asks one below it in a
/// binomial tree and is asked by those above, so that a rank which nobody asks sends nothing. Where the word is not 0
/// and a rank does not come within a minute, one rank says so and ends the job, which would wait for good; so does a
/// rank that is not answered. Where the word is 0, a rank that misses others says so, and all go on.
[[nodiscard]] std::uint64_t word_of_rank_0(std::uint64_t mine);

}  // namespace aapc::interposer
