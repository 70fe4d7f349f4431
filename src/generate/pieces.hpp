/// @file
/// The text of the generated C file, in the order in which its pieces follow one another. render.hpp fills them in.
#pragma once

#include <string_view>

namespace aapc::generate::pieces {

extern const std::string_view head;            ///< the comment that says what this is, and the includes
extern const std::string_view settings;        ///< what can be changed at compile time, and the schedule's numbers
extern const std::string_view tables;          ///< who sends to whom in which order
extern const std::string_view communicator;    ///< whether the schedule is for a communicator; what is kept with it
extern const std::string_view blocks;          ///< packing, and a rank's block for itself
extern const std::string_view whole_messages;  ///< the exchange with `none`, `sender` and `receiver`
extern const std::string_view segments;        ///< the exchange with `timed`
extern const std::string_view entry;           ///< MPI_Alltoall
extern const std::string_view alone;           ///< instead of all but the head, for a single participant

}  // namespace aapc::generate::pieces
