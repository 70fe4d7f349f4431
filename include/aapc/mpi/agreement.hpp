/// @file
/// The one way in which ranks agree: a reduction of what each of them claims.
#pragma once

#include <mpi.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace aapc::mpi {

/// What one rank brings. Spans have the same length on all ranks, and are not read after agree() or post() returned.
struct Claim {
    bool agrees = true;                         ///< false: this rank cannot take part
    bool has_memory = true;                     ///< false: it cannot for want of memory
    std::uint64_t equal = 0;                    ///< must be the same number on all ranks for Agreed::same
    std::span<const std::int64_t> sums = {};    ///< numbers to be added, most_numbers at most; overflow wraps around
    std::span<const std::int64_t> maxima = {};  ///< numbers of which the largest counts, most_numbers at most
    std::span<const std::int64_t> loads =
        {};  ///< more numbers to be added, as many as the Agreement was made for at most

    static constexpr std::size_t most_numbers = 16;
};

/// The result, the same on all ranks. Times travel as whole nanoseconds, so it does not depend on the order of
/// additions.
struct Agreed {
    int error = MPI_ERR_OTHER;  ///< of MPI; nothing else is meaningful unless it is MPI_SUCCESS
    bool all = false;           ///< every rank agrees and has memory
    bool refused = false;       ///< a rank does not agree
    bool memory = false;        ///< every rank has memory
    bool same = false;          ///< `equal` is the same number on every rank
    std::int64_t ranks = 0;
    std::array<std::int64_t, Claim::most_numbers> sums{};
    std::array<std::int64_t, Claim::most_numbers> maxima{};
};

/// One reduction at a time, on any communicator. Each is one message of 16 bytes for every number, which is never
/// split. Not for concurrent use.
class Agreement {
  public:
    /// With room for `most_loads` loads. Throws std::bad_alloc where that is not 0; nothing else here asks for memory.
    explicit Agreement(std::size_t most_loads = 0);
    Agreement(const Agreement&) = delete;
    Agreement& operator=(const Agreement&) = delete;
    /// Waits for what has been posted.
    ~Agreement() { complete(); }

    /// Reduces the claims of all ranks of `comm`: blocking and collective. Nothing may be posted.
    [[nodiscard]] Agreed agree(MPI_Comm comm, const Claim& claim);

    /// Begins the same without waiting for any rank. Collective over `comm`, which exists until collect() or complete()
    /// has returned.
    void post(MPI_Comm comm, const Claim& claim);
    /// True from post() until collect().
    [[nodiscard]] bool is_posted() const { return posted_; }
    /// Waits until all ranks have posted; sleeps meanwhile, since ranks may outnumber cores.
    void complete();
    /// complete(), and the result of what was posted.
    [[nodiscard]] Agreed collect();

    /// Sum of the load of that index, of the latest result.
    [[nodiscard]] std::int64_t load(std::size_t index) const {
        return static_cast<std::int64_t>(result()[fixed_ + index].sum);
    }

  private:
    /// What travels: the operation adds the one and takes the maximum of the other.
    struct Number {
        std::uint64_t sum = 0;
        std::int64_t maximum = 0;
    };
    static_assert(sizeof(Number) == 2 * sizeof(double));  // as MPI_C_DOUBLE_COMPLEX, which is what MPI takes it for
    static constexpr std::size_t head = 2;
    static constexpr std::size_t most_fixed = head + Claim::most_numbers;

    static void reduce(void* from, void* to, int* count, MPI_Datatype* type);
    /// Of all agreements: made at the first one.
    struct Kind;
    static const Kind& kind();

    /// Writes the claim; returns how many numbers travel.
    int write(const Claim& claim);
    [[nodiscard]] Agreed read(int error) const;
    [[nodiscard]] std::span<Number> own();
    [[nodiscard]] std::span<Number> result();
    [[nodiscard]] std::span<const Number> result() const;

    std::array<Number, 2 * most_fixed> fixed_numbers_;  ///< own, then the result, unless there are loads
    std::vector<Number> numbers_;                       ///< the same with loads
    std::size_t fixed_ = head;                          ///< numbers before the loads, of the latest claim
    std::size_t sums_ = 0;
    std::size_t maxima_ = 0;
    MPI_Request request_ = MPI_REQUEST_NULL;
    bool posted_ = false;
    int posting_error_ = MPI_SUCCESS;
};

/// Times as agreements carry them.
[[nodiscard]] inline std::int64_t nanoseconds(double seconds) { return std::llround(1e9 * seconds); }
[[nodiscard]] inline double seconds(std::int64_t nanoseconds) { return 1e-9 * static_cast<double>(nanoseconds); }

/// Whether all ranks say so, on all ranks; false if MPI fails. Collective; needs no memory.
[[nodiscard]] inline bool all_agree(MPI_Comm comm, bool mine) { return Agreement().agree(comm, {.agrees = mine}).all; }

}  // namespace aapc::mpi
