#include "interposer/packable.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <vector>

#include "interposer/type_contents.hpp"
#include "mpi/have_memory.hpp"

namespace aapc::interposer {

namespace {

/// Whether MPI_Pack takes elements from wrong places, if they are one and a half of their size apart. Predefined types
/// without gaps.
bool is_misplaced(MPI_Datatype predefined) {
    constexpr int largest = 32;
    // Open MPI describes two elements one by one, which hides its fault.
    constexpr int elements = 4;
    MPI_Aint extent = 0;
    if (!has_no_gaps(predefined, extent) || extent < 2 || extent > largest) {
        return false;
    }
    const auto size = static_cast<std::size_t>(extent);
    const std::size_t apart = size / 2 * 3;
    MPI_Datatype several = MPI_DATATYPE_NULL;
    PMPI_Type_create_hvector(elements, 1, static_cast<MPI_Aint>(apart), predefined, &several);
    PMPI_Type_commit(&several);
    // Aligned: the elements of other places are copied by other means.
    alignas(largest) std::array<unsigned char, std::size_t{2} * elements * largest> from{};
    alignas(largest) std::array<unsigned char, std::size_t{elements} * largest> packed{};
    for (std::size_t i = 0; i < from.size(); ++i) {
        from[i] = static_cast<unsigned char>(i);
    }
    int position = 0;
    PMPI_Pack(from.data(), 1, several, packed.data(), static_cast<int>(packed.size()), &position, MPI_COMM_SELF);
    PMPI_Type_free(&several);
    for (std::size_t element = 0; element < elements; ++element) {
        if (std::memcmp(packed.data() + element * size, from.data() + element * apart, size) != 0) {
            return true;
        }
    }
    return false;
}

/// Types made for another one, freed at the end.
class MadeTypes {
  public:
    explicit MadeTypes(std::size_t count) : types_(count, MPI_DATATYPE_NULL) {}
    MadeTypes(const MadeTypes&) = delete;
    MadeTypes& operator=(const MadeTypes&) = delete;
    ~MadeTypes() {
        for (MPI_Datatype& type : types_) {
            if (type != MPI_DATATYPE_NULL) {
                PMPI_Type_free(&type);
            }
        }
    }
    MPI_Datatype& operator[](std::size_t index) { return types_[index]; }
    [[nodiscard]] const MPI_Datatype* data() const { return types_.data(); }
    [[nodiscard]] bool has_any() const {
        return std::any_of(types_.begin(), types_.end(), [](MPI_Datatype one) { return one != MPI_DATATYPE_NULL; });
    }

  private:
    std::vector<MPI_Datatype> types_;
};

/// The same routine with the same arguments, but for the types. `type` is kept if the kind of it is unknown.
int make_alike(MPI_Datatype type, int combiner, const Contents& contents, const MadeTypes& of, MPI_Datatype* made) {
    const int* const numbers = contents.integers().data();
    const MPI_Aint* const addresses = contents.addresses().data();
    const MPI_Datatype* const inner = of.data();
    switch (combiner) {
        case MPI_COMBINER_DUP:
            return PMPI_Type_dup(*inner, made);
        case MPI_COMBINER_CONTIGUOUS:
            return PMPI_Type_contiguous(numbers[0], *inner, made);
        case MPI_COMBINER_VECTOR:
            return PMPI_Type_vector(numbers[0], numbers[1], numbers[2], *inner, made);
        case MPI_COMBINER_HVECTOR:
            return PMPI_Type_create_hvector(numbers[0], numbers[1], addresses[0], *inner, made);
        case MPI_COMBINER_INDEXED:
            return PMPI_Type_indexed(numbers[0], numbers + 1, numbers + 1 + numbers[0], *inner, made);
        case MPI_COMBINER_HINDEXED:
            return PMPI_Type_create_hindexed(numbers[0], numbers + 1, addresses, *inner, made);
        case MPI_COMBINER_INDEXED_BLOCK:
            return PMPI_Type_create_indexed_block(numbers[0], numbers[1], numbers + 2, *inner, made);
        case MPI_COMBINER_HINDEXED_BLOCK:
            return PMPI_Type_create_hindexed_block(numbers[0], numbers[1], addresses, *inner, made);
        case MPI_COMBINER_STRUCT:
            return PMPI_Type_create_struct(numbers[0], numbers + 1, addresses, inner, made);
        case MPI_COMBINER_RESIZED:
            return PMPI_Type_create_resized(*inner, addresses[0], addresses[1], made);
        case MPI_COMBINER_SUBARRAY: {
            const std::ptrdiff_t dimensions = numbers[0];
            const int* const sizes = numbers + 1;
            const int* const parts = sizes + dimensions;
            const int* const starts = parts + dimensions;
            return PMPI_Type_create_subarray(numbers[0], sizes, parts, starts, starts[dimensions], *inner, made);
        }
        case MPI_COMBINER_DARRAY: {
            const std::ptrdiff_t dimensions = numbers[2];
            const int* const sizes = numbers + 3;
            const int* const distributions = sizes + dimensions;
            const int* const arguments = distributions + dimensions;
            const int* const processes = arguments + dimensions;
            return PMPI_Type_create_darray(numbers[0], numbers[1], numbers[2], sizes, distributions, arguments,
                                           processes, processes[dimensions], *inner, made);
        }
        default:
            return PMPI_Type_dup(type, made);
    }
}

/// Bytes are aligned anywhere, and MPI may round an extent up to an alignment.
int give_extent_of(MPI_Datatype type, MPI_Datatype& made) {
    const auto extent_of = [](MPI_Datatype of) {
        std::array<MPI_Aint, 2> extent{};
        PMPI_Type_get_extent(of, &extent[0], &extent[1]);
        return extent;
    };
    const auto wanted = extent_of(type);
    if (extent_of(made) == wanted) {
        return MPI_SUCCESS;
    }
    MPI_Datatype resized = MPI_DATATYPE_NULL;
    const int error = PMPI_Type_create_resized(made, wanted[0], wanted[1], &resized);
    if (error == MPI_SUCCESS) {
        PMPI_Type_free(&made);
        made = resized;
    }
    return error;
}

/// Makes a type in which bytes take the place of what is misplaced, or none if nothing is. It is not committed, and its
/// caller frees it. Returns an MPI error code. Throws std::bad_alloc.
int make_of_bytes(MPI_Datatype type, MPI_Datatype& made) {
    const Envelope envelope = envelope_of(type);
    MPI_Aint extent = 0;
    if (envelope.datatypes == 0) {
        return has_no_gaps(type, extent) && is_misplaced(type)
                   ? PMPI_Type_contiguous(static_cast<int>(extent), MPI_BYTE, &made)
                   : MPI_SUCCESS;
    }
    const Contents contents(type, envelope);
    MadeTypes inner(contents.datatypes().size());
    for (std::size_t i = 0; i < contents.datatypes().size(); ++i) {
        const int error = make_of_bytes(contents.datatypes()[i], inner[i]);
        if (error != MPI_SUCCESS) {
            return error;
        }
    }
    if (!inner.has_any()) {
        return MPI_SUCCESS;
    }
    for (std::size_t i = 0; i < contents.datatypes().size(); ++i) {
        const int error =
            inner[i] == MPI_DATATYPE_NULL ? PMPI_Type_dup(contents.datatypes()[i], &inner[i]) : MPI_SUCCESS;
        if (error != MPI_SUCCESS) {
            return error;
        }
    }
    // Whatever becomes of the following step, the caller frees what is in `made`.
    const int error = make_alike(type, envelope.combiner, contents, inner, &made);
    return error == MPI_SUCCESS ? give_extent_of(type, made) : error;
}

}  // namespace

Packable::Packable(MPI_Datatype type) : type_(type) {
    static const bool may_misplace = is_misplaced(MPI_C_DOUBLE_COMPLEX);
    if (!may_misplace) {
        return;
    }
    error_ = MPI_ERR_NO_MEM;
    if (mpi::have_memory_for([&] { error_ = make_of_bytes(type, made_); }) && error_ == MPI_SUCCESS &&
        made_ != MPI_DATATYPE_NULL) {
        type_ = made_;
        error_ = PMPI_Type_commit(&made_);
    }
}

Packable::~Packable() {
    if (made_ != MPI_DATATYPE_NULL) {
        PMPI_Type_free(&made_);
    }
}

}  // namespace aapc::interposer
