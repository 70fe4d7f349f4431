/// @file
/// Arguments of which the MPI's own routine complains on sight. A call with such arguments is the MPI's, whose error
/// handling speaks then; without a message, as it would without us. What an MPI lets pass is exchanged.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>

#include "interposer/call.hpp"
#include "interposer/unequal_call.hpp"

namespace aapc::interposer {

/// Whether a datatype is part of the MPI, so that its handle never means another one. Not MPI_DATATYPE_NULL.
[[nodiscard]] bool is_predefined(MPI_Datatype type);

/// What this MPI's MPI_Alltoall refuses. Safe for several threads at a time.
class Refusals {
  public:
    /// Tries it on this process alone. Local, between MPI_Init and MPI_Finalize; nothing if MPI gives no communicator.
    [[nodiscard]] static std::optional<Refusals> find_out();
    /// Gives back what MPI gave. Before MPI_Finalize; refuse() is not called any more.
    void release();

    /// Whether the MPI's own routine, or the kernel, is to judge a well-formed call that has data. Asks MPI about a
    /// datatype only where that is not a predefined one.
    [[nodiscard]] bool refuse(const Call& call) const;
    /// Whether a rank that sends blocks of another size than it receives is told so before anything is sent.
    [[nodiscard]] bool refuses_unequal() const { return unequal_; }

    /// One that is not committed.
    [[nodiscard]] bool refuses_type(MPI_Datatype type) const;
    /// Whether a message of no elements may have MPI_DATATYPE_NULL for its type. `typed`: in MPI_Alltoallw.
    [[nodiscard]] bool allows_no_type(bool typed) const { return typed && typeless_; }
    /// One message of unequal ones; `known` is a type that has been looked at, or null.
    [[nodiscard]] bool refuses_message(std::int64_t count, MPI_Datatype type, MPI_Datatype known) const {
        return count < 0 || type == MPI_DATATYPE_NULL || (type != known && refuses_type(type));
    }
    /// Any of them that has data, of `ranks` ranks, or the whole: what an MPI lets pass is not refused. O(ranks).
    [[nodiscard]] bool refuse(const UnequalCall& call, int ranks) const;
    /// One buffer for what is sent and what is received, described by the same words.
    [[nodiscard]] bool refuses_one_buffer(const UnequalCall& call) const;
    /// Whether a buffer at address 0 is none: MPI_BOTTOM, which is 0, is one for types of absolute addresses, whose
    /// data lie elsewhere.
    [[nodiscard]] static bool is_missing(const void* buffer, MPI_Datatype type);

  private:
    MPI_Comm alone_ = MPI_COMM_NULL;  ///< of this process, with MPI_ERRORS_RETURN
    bool aliasing_ = false;           ///< one buffer for what is sent and what is received
    bool unequal_ = false;            ///< less is sent than received
    bool typeless_ = false;           ///< MPI_Alltoallw with no type for no elements; lets that pass
};

}  // namespace aapc::interposer
