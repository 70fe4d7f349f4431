/// @file
/// By which name people know a job: its command line, its date, its number in the batch system.
#pragma once

#include "aapc/archive/record.hpp"

namespace aapc::interposer {

/// Fills in command, date and job of `head` from this process. Throws std::bad_alloc alone.
void name_job(RecordHead& head);

}  // namespace aapc::interposer
