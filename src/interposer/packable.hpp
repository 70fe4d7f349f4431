/// @file
/// A way around MPI_Pack and MPI_Unpack where they take elements from wrong places. Those of Open MPI 5.0 divide the
/// distance of elements by their size and round down. So they misplace complex numbers that are one and a half of
/// their size apart, silently. `tests/interposer/programs/misplaced-elements.c` shows it without aapc.
#pragma once

#include <mpi.h>

namespace aapc::interposer {

/// A datatype as MPI_Pack and MPI_Unpack can be given it. This is the type itself, unless they misplace elements of it.
/// Then it is a type of the same bytes in the same places, in which bytes take the place of what is misplaced. Whether
/// elements are misplaced is tried, first for MPI_C_DOUBLE_COMPLEX, once in a process.
class Packable {
  public:
    /// A committed type.
    explicit Packable(MPI_Datatype type);
    Packable(const Packable&) = delete;
    Packable& operator=(const Packable&) = delete;
    ~Packable();

    /// Valid as long as this object is, if there was no error.
    [[nodiscard]] MPI_Datatype type() const { return type_; }
    /// An MPI error code: MPI_ERR_NO_MEM, or that of a routine that makes types.
    [[nodiscard]] int error() const { return error_; }

  private:
    MPI_Datatype type_;
    MPI_Datatype made_ = MPI_DATATYPE_NULL;
    int error_ = MPI_SUCCESS;
};

}  // namespace aapc::interposer
