#include "interposer/type_contents.hpp"

namespace aapc::interposer {

Envelope envelope_of(MPI_Datatype type) {
    Envelope envelope;
    PMPI_Type_get_envelope(type, &envelope.integers, &envelope.addresses, &envelope.datatypes, &envelope.combiner);
    return envelope;
}

bool has_no_gaps(MPI_Datatype type, MPI_Aint& extent) {
    MPI_Count size = 0;
    MPI_Count lower = 0;
    MPI_Count whole = 0;
    MPI_Count true_lower = 0;
    MPI_Count true_extent = 0;
    PMPI_Type_size_x(type, &size);
    PMPI_Type_get_extent_x(type, &lower, &whole);
    PMPI_Type_get_true_extent_x(type, &true_lower, &true_extent);
    extent = static_cast<MPI_Aint>(whole);
    return lower == 0 && true_lower == 0 && size == whole && size == true_extent;
}

Contents::Contents(MPI_Datatype type, const Envelope& envelope)
    : integers_(static_cast<std::size_t>(envelope.integers)),
      addresses_(static_cast<std::size_t>(envelope.addresses)),
      datatypes_(static_cast<std::size_t>(envelope.datatypes), MPI_DATATYPE_NULL) {
    PMPI_Type_get_contents(type, envelope.integers, envelope.addresses, envelope.datatypes, integers_.data(),
                           addresses_.data(), datatypes_.data());
}

Contents::~Contents() {
    for (MPI_Datatype& inner : datatypes_) {
        // Only derived types come back as new references.
        if (envelope_of(inner).datatypes > 0) {
            PMPI_Type_free(&inner);
        }
    }
}

}  // namespace aapc::interposer
