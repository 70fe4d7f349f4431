/// @file
/// How a datatype was made, as MPI tells it.
#pragma once

#include <mpi.h>

#include <vector>

namespace aapc::interposer {

/// The kind of a datatype, and how many numbers and other types describe it.
struct Envelope {
    int integers = 0;
    int addresses = 0;
    int datatypes = 0;  ///< 0 for predefined types and for those of Fortran by precision
    int combiner = MPI_COMBINER_NAMED;
};
[[nodiscard]] Envelope envelope_of(MPI_Datatype type);

/// Whether the data of a type are all bytes of its extent, and begin where it lies. Their order may be any. Puts the
/// extent into `extent`.
[[nodiscard]] bool has_no_gaps(MPI_Datatype type, MPI_Aint& extent);

/// The arguments with which a derived type was made, in the order of MPI_Type_get_contents.
class Contents {
  public:
    /// Throws std::bad_alloc.
    Contents(MPI_Datatype type, const Envelope& envelope);
    Contents(const Contents&) = delete;
    Contents& operator=(const Contents&) = delete;
    ~Contents();

    [[nodiscard]] const std::vector<int>& integers() const { return integers_; }
    [[nodiscard]] const std::vector<MPI_Aint>& addresses() const { return addresses_; }
    /// They are valid as long as this object is.
    [[nodiscard]] const std::vector<MPI_Datatype>& datatypes() const { return datatypes_; }

  private:
    std::vector<int> integers_;
    std::vector<MPI_Aint> addresses_;
    std::vector<MPI_Datatype> datatypes_;
};

}  // namespace aapc::interposer
