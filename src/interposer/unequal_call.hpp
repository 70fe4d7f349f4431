/// @file
/// One call of MPI_Alltoallv or MPI_Alltoallw, or of their large-count forms.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "interposer/routines.hpp"

namespace aapc::interposer {

/// An array of the program's: of int, or in the large-count forms of 64 bits (MPI_Count, MPI_Aint).
class Numbers {
  public:
    template <class Number>
    Numbers(const Number* numbers) : numbers_(numbers), wide_(sizeof(Number) == sizeof(std::int64_t)) {
        static_assert(sizeof(Number) == sizeof(std::int64_t) || sizeof(Number) == sizeof(int));
    }
    [[nodiscard]] bool missing() const { return numbers_ == nullptr; }
    /// Whether these are numbers of 64 bits.
    [[nodiscard]] bool wide() const { return wide_; }
    /// The array as the program gave it; `Number` has as many bits as its numbers.
    template <class Number>
    [[nodiscard]] const Number* as() const {
        return static_cast<const Number*>(numbers_);
    }
    [[nodiscard]] std::int64_t operator[](std::size_t index) const {
        if (!wide_) {
            return static_cast<const int*>(numbers_)[index];
        }
        // Copied: there are several types of 64 bits.
        std::int64_t number = 0;
        std::memcpy(&number, static_cast<const char*>(numbers_) + index * sizeof number, sizeof number);
        return number;
    }
    /// The first `count` of them, copied into `memory`. Throws std::bad_alloc.
    [[nodiscard]] Numbers copied_to(std::vector<std::int64_t>& memory, std::size_t count) const {
        Numbers copy = *this;
        if (!missing()) {
            memory.resize(count);
            std::memcpy(memory.data(), numbers_, count * (wide_ ? sizeof(std::int64_t) : sizeof(int)));
            copy.numbers_ = memory.data();
        }
        return copy;
    }
    /// Whether both are the same array.
    [[nodiscard]] bool operator==(const Numbers& other) const = default;

  private:
    const void* numbers_;
    bool wide_;
};

/// One side of the arguments, as the program gave them.
struct UnequalSide {
    const void* buffer;
    Numbers counts;
    Numbers displacements;
    MPI_Datatype type;          ///< of all messages; displacements count its extents
    const MPI_Datatype* types;  ///< where not null: one for each message; displacements are bytes

    [[nodiscard]] MPI_Datatype type_of(std::size_t peer) const { return types != nullptr ? types[peer] : type; }
};

struct UnequalCall {
    UnequalSide send;
    UnequalSide receive;
    MPI_Comm comm;
    Routine routine;
    bool typed;  ///< MPI_Alltoallw: a datatype for each message

    /// The program's, which it lets be written to.
    [[nodiscard]] void* receive_buffer() const { return const_cast<void*>(receive.buffer); }
    [[nodiscard]] bool in_place() const { return send.buffer == MPI_IN_PLACE; }
};

}  // namespace aapc::interposer
