/// @file
/// The text of the generated C file, in the order in which its pieces follow one another. render.hpp fills them in.
#pragma once

#include <string_view>

namespace aapc::generate::pieces {

extern const std::string_view head;                ///< the comment that says what this is
extern const std::string_view settings;            ///< what can be set at compile time, and the schedule's numbers
extern const std::string_view schedule;            ///< the phases in a comment, and the machines
extern const std::string_view partners;            ///< tables where a message is one block: who sends to whom, in order
extern const std::string_view messages_of_blocks;  ///< tables where blocks are forwarded: the messages and their blocks
extern const std::string_view communicator;        ///< whether the schedule is for a communicator; what is kept with it
extern const std::string_view blocks;              ///< packing, and a rank's block for itself
extern const std::string_view progress;            ///< waiting, and what has to go on meanwhile
extern const std::string_view byte_blocks;         ///< the program's buffers as bytes
/// Ways of running, of which a routine has one: all messages whole, one at a time or in windows; in segments by the
/// clock; forwarding blocks.
extern const std::string_view whole_messages;  ///< before the next two
extern const std::string_view one_at_a_time;
extern const std::string_view windows;
extern const std::string_view whole_exchange;  ///< after these two
extern const std::string_view segments;
extern const std::string_view forwarding;
extern const std::string_view entry;  ///< MPI_Alltoall
extern const std::string_view alone;  ///< instead of all but the head, for a single participant

}  // namespace aapc::generate::pieces
