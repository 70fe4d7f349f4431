#include "interposer/blocks.hpp"

#include <array>
#include <cstring>

#include "interposer/packable.hpp"
#include "interposer/type_contents.hpp"
#include "mpi/returned_errors.hpp"

namespace aapc::interposer {

namespace {

/// Extents alone do not tell: a struct may list its members in any order and still have no gap. Only types made of one
/// predefined type by mere repetition are known to be in order.
bool is_in_order(MPI_Datatype type, const Envelope& envelope) {
    if (envelope.combiner != MPI_COMBINER_CONTIGUOUS && envelope.combiner != MPI_COMBINER_DUP) {
        return envelope.datatypes == 0;  // named, or one of Fortran's by precision
    }
    std::array<int, 1> integers{};
    std::array<MPI_Aint, 1> addresses{};
    MPI_Datatype inner = MPI_DATATYPE_NULL;
    PMPI_Type_get_contents(type, envelope.integers, envelope.addresses, envelope.datatypes, integers.data(),
                           addresses.data(), &inner);
    const Envelope envelope_of_inner = envelope_of(inner);
    const bool in_order = is_in_order(inner, envelope_of_inner);
    // Only derived types come back as new references.
    if (envelope_of_inner.datatypes > 0) {
        PMPI_Type_free(&inner);
    }
    return in_order;
}

/// Elements of a type at an address in the program, as MPI_Pack and MPI_Unpack take them. MPICH takes address 0 there
/// for no buffer, but types of absolute addresses are used with it (MPI_BOTTOM): from a place that has another address
/// the same data are reached by another type.
class Elements {
  public:
    Elements(const void* address, int count, MPI_Datatype type) : address_(address), count_(count), type_(type) {
        if (address != nullptr) {
            return;
        }
        address_ = this;
        MPI_Aint back = 0;
        PMPI_Get_address(this, &back);
        back = -back;
        error_ = PMPI_Type_create_hindexed(1, &count, &back, type, &moved_);
        if (error_ == MPI_SUCCESS) {
            error_ = PMPI_Type_commit(&moved_);
        }
        count_ = 1;
        type_ = moved_;
    }
    Elements(const Elements&) = delete;
    Elements& operator=(const Elements&) = delete;
    ~Elements() {
        if (moved_ != MPI_DATATYPE_NULL) {
            PMPI_Type_free(&moved_);
        }
    }

    [[nodiscard]] int pack(std::byte* packed, int bytes, MPI_Comm comm) const {
        int position = 0;
        return error_ == MPI_SUCCESS ? PMPI_Pack(address_, count_, type_, packed, bytes, &position, comm) : error_;
    }
    [[nodiscard]] int unpack(const std::byte* packed, int bytes, MPI_Comm comm) const {
        int position = 0;
        return error_ == MPI_SUCCESS
                   ? PMPI_Unpack(packed, bytes, &position, const_cast<void*>(address_), count_, type_, comm)
                   : error_;
    }

  private:
    const void* address_;
    int count_;
    MPI_Datatype type_;
    MPI_Datatype moved_ = MPI_DATATYPE_NULL;
    int error_ = MPI_SUCCESS;
};

/// Whole blocks from an address on. Integers, because MPI_BOTTOM is 0, from which no pointer may be moved.
const void* at_block(const void* buffer, MPI_Aint stride, int block) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the program's address
    return reinterpret_cast<const void*>(reinterpret_cast<std::intptr_t>(buffer) + stride * block);
}

/// Until one fails: an MPI error code.
template <class Move>
int for_each_block(int blocks, Move move) {
    int error = MPI_SUCCESS;
    for (int block = 0; block < blocks && error == MPI_SUCCESS; ++block) {
        error = move(block);
    }
    return error;
}

}  // namespace

const Layout& LayoutReader::of(MPI_Datatype type) {
    if (type_ != MPI_DATATYPE_NULL && type_ == type) {
        return layout_;
    }
    const Envelope envelope = envelope_of(type);
    const bool no_gaps = has_no_gaps(type, layout_.extent);
    layout_.plain = no_gaps && is_in_order(type, envelope);
    layout_.predefined = envelope.combiner == MPI_COMBINER_NAMED;
    type_ = layout_.predefined ? type : MPI_DATATYPE_NULL;
    return layout_;
}

int Block::pack(const void* buffer, int blocks, std::byte* packed, MPI_Comm comm) const {
    if (plain_) {
        std::memcpy(packed, buffer, static_cast<std::size_t>(bytes_) * static_cast<std::size_t>(blocks));
        return MPI_SUCCESS;
    }
    const Packable packable(type_);
    if (packable.error() != MPI_SUCCESS) {
        return mpi::raise(comm, packable.error());
    }
    return for_each_block(blocks, [&](int block) {
        return Elements(at_block(buffer, stride_, block), count_, packable.type())
            .pack(packed + bytes_ * block, static_cast<int>(bytes_), comm);
    });
}

int Block::unpack(const std::byte* packed, int blocks, void* buffer, MPI_Comm comm) const {
    const Packable packable(type_);
    if (packable.error() != MPI_SUCCESS) {
        return mpi::raise(comm, packable.error());
    }
    return for_each_block(blocks, [&](int block) {
        return Elements(at_block(buffer, stride_, block), count_, packable.type())
            .unpack(packed + bytes_ * block, static_cast<int>(bytes_), comm);
    });
}

bool packs_plain_bytes() {
    MPI_Datatype every_other = MPI_DATATYPE_NULL;
    PMPI_Type_vector(2, 1, 2, MPI_INT, &every_other);
    PMPI_Type_commit(&every_other);
    const std::array<int, 3> source = {0x01020304, 0x05060708, 0x090a0b0c};
    const std::array<int, 2> expected = {source[0], source[2]};
    std::array<int, 2> packed = {0, 0};
    std::array<int, 3> target = {-1, -1, -1};
    int packed_bytes = 0;
    int position = 0;
    PMPI_Pack(source.data(), 1, every_other, packed.data(), sizeof packed, &packed_bytes, MPI_COMM_SELF);
    PMPI_Unpack(packed.data(), sizeof packed, &position, target.data(), 1, every_other, MPI_COMM_SELF);
    PMPI_Type_free(&every_other);
    return packed_bytes == static_cast<int>(sizeof packed) && packed == expected &&
           target == std::array<int, 3>{source[0], -1, source[2]};
}

}  // namespace aapc::interposer
