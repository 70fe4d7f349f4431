/// @file
/// A call that does not block, with what it needs until it is complete.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <variant>
#include <vector>

#include "interposer/call.hpp"
#include "interposer/unequal_call.hpp"

namespace aapc::interposer {

class Job;

/// A datatype that the program may free as soon as its call has returned.
class HeldType {
  public:
    HeldType() = default;
    /// Null and predefined types are taken as they are, of others a duplicate. Local.
    explicit HeldType(MPI_Datatype type);
    HeldType(HeldType&& other) noexcept;
    HeldType& operator=(HeldType&& other) noexcept;
    HeldType(const HeldType&) = delete;
    HeldType& operator=(const HeldType&) = delete;
    ~HeldType();

    [[nodiscard]] MPI_Datatype get() const { return type_; }

  private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
    bool is_ours_ = false;
};

/// The arguments of a call. Buffers and arrays of counts and places stay the program's, which the standard forbids it
/// to change before the call is complete; datatypes are held.
class Operation {
  public:
    explicit Operation(const Call& call);
    /// Throws std::bad_alloc.
    explicit Operation(const UnequalCall& call);
    Operation(Operation&&) noexcept = default;
    Operation& operator=(Operation&&) noexcept = default;
    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;
    ~Operation() = default;

    /// Carries it out as a call that blocks on `comm`, whose ranks are those of the program's communicator. Collective
    /// over `comm`; as often as wanted. Returns an MPI error code.
    [[nodiscard]] int carry_out(Job& job, MPI_Comm comm);
    /// Sets up what carry_out() will need: plan, memory, connections. Collective over `comm`. Reads the arguments, and
    /// no message.
    void plan_ahead(Job& job, MPI_Comm comm);
    /// As carry_out(), by the native routine, on the program's communicator.
    [[nodiscard]] int carry_out_natively(Job& job);

  private:
    /// A side's types where it has one for each message, otherwise its one type; and its counts and displacements.
    struct HeldSide {
        std::vector<std::int64_t> counts;
        std::vector<std::int64_t> displacements;
        std::vector<HeldType> held;
        std::vector<MPI_Datatype> types;  ///< of `held`, as MPI wants them

        void hold(UnequalSide& side, bool typed, std::size_t peers);
    };

    std::variant<Call, UnequalCall> call_;
    HeldSide send_;
    HeldSide receive_;
};

}  // namespace aapc::interposer
