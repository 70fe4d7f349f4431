#include "aapc/mpi/agreement.hpp"

#include <algorithm>

#include "mpi/rest.hpp"

namespace aapc::mpi {

/// The operation lives as long as MPI: agreements are made until the very end of MPI_Finalize.
struct Agreement::Kind {
    Kind() {
        constexpr int commutes = 1;
        PMPI_Op_create(&Agreement::reduce, commutes, &operation);
    }

    /// Numbers are reduced one by one, so an MPI may split a message between any two of them, not within one. Only
    /// reduce() reads them. A derived type that is never freed is a leak to MPICH,
    /// which says so at the end.
    MPI_Datatype type = MPI_C_DOUBLE_COMPLEX;
    MPI_Op operation = MPI_OP_NULL;
};

const Agreement::Kind& Agreement::kind() {
    static const Kind made;
    return made;
}

void Agreement::reduce(void* from, void* to, int* count, MPI_Datatype*) {
    const auto* const others = static_cast<const Number*>(from);
    auto* const numbers = static_cast<Number*>(to);
    for (int index = 0; index < *count; ++index) {
        numbers[index].sum += others[index].sum;
        numbers[index].maximum = std::max(numbers[index].maximum, others[index].maximum);
    }
}

Agreement::Agreement(std::size_t most_loads) : numbers_(most_loads > 0 ? 2 * (most_fixed + most_loads) : 0) {}

std::span<Agreement::Number> Agreement::own() {
    const std::span<Number> all = numbers_.empty() ? std::span<Number>(fixed_numbers_) : std::span<Number>(numbers_);
    return all.first(all.size() / 2);
}

std::span<Agreement::Number> Agreement::result() {
    const std::span<Number> all = numbers_.empty() ? std::span<Number>(fixed_numbers_) : std::span<Number>(numbers_);
    return all.last(all.size() / 2);
}

std::span<const Agreement::Number> Agreement::result() const {
    const std::span<const Number> all =
        numbers_.empty() ? std::span<const Number>(fixed_numbers_) : std::span<const Number>(numbers_);
    return all.last(all.size() / 2);
}

int Agreement::write(const Claim& claim) {
    sums_ = std::min(claim.sums.size(), Claim::most_numbers);
    maxima_ = std::min(claim.maxima.size(), Claim::most_numbers);
    fixed_ = head + std::max(sums_, maxima_);
    const std::span<Number> numbers = own();
    std::fill_n(numbers.begin(), fixed_, Number{});
    // The largest of a number and of its complement are complements only where the number is the same on all ranks.
    numbers[0] = {claim.agrees ? 0U : 1U, static_cast<std::int64_t>(claim.equal)};
    numbers[1] = {(claim.has_memory ? 0U : std::uint64_t{1} << 32U) + 1, ~static_cast<std::int64_t>(claim.equal)};
    for (std::size_t index = 0; index < sums_; ++index) {
        numbers[head + index].sum = static_cast<std::uint64_t>(claim.sums[index]);
    }
    for (std::size_t index = 0; index < maxima_; ++index) {
        numbers[head + index].maximum = claim.maxima[index];
    }
    const std::size_t loads = std::min(claim.loads.size(), numbers.size() - fixed_);
    for (std::size_t index = 0; index < loads; ++index) {
        numbers[fixed_ + index] = {static_cast<std::uint64_t>(claim.loads[index]), 0};
    }
    return static_cast<int>(fixed_ + loads);
}

Agreed Agreement::read(int error) const {
    Agreed agreed;
    agreed.error = error;
    if (error != MPI_SUCCESS) {
        return agreed;
    }
    const std::span<const Number> numbers = result();
    agreed.refused = numbers[0].sum != 0;
    agreed.memory = numbers[1].sum >> 32U == 0;
    agreed.all = agreed.memory && !agreed.refused;
    agreed.same = numbers[0].maximum == ~numbers[1].maximum;
    agreed.ranks = static_cast<std::int64_t>(numbers[1].sum & UINT32_MAX);
    for (std::size_t index = 0; index < sums_; ++index) {
        agreed.sums[index] = static_cast<std::int64_t>(numbers[head + index].sum);
    }
    for (std::size_t index = 0; index < maxima_; ++index) {
        agreed.maxima[index] = numbers[head + index].maximum;
    }
    return agreed;
}

Agreed Agreement::agree(MPI_Comm comm, const Claim& claim) {
    const int count = write(claim);
    return read(PMPI_Allreduce(own().data(), result().data(), count, kind().type, kind().operation, comm));
}

void Agreement::post(MPI_Comm comm, const Claim& claim) {
    const int count = write(claim);
    posting_error_ =
        PMPI_Iallreduce(own().data(), result().data(), count, kind().type, kind().operation, comm, &request_);
    posted_ = true;
}

void Agreement::complete() {
    int done = request_ == MPI_REQUEST_NULL ? 1 : 0;
    Patience patience;
    while (done == 0) {
        const int error = PMPI_Test(&request_, &done, MPI_STATUS_IGNORE);
        if (error != MPI_SUCCESS) {
            posting_error_ = error;
            break;
        }
        if (done == 0) {
            patience.rest();
        }
    }
    request_ = MPI_REQUEST_NULL;
}

Agreed Agreement::collect() {
    complete();
    posted_ = false;
    return read(posting_error_);
}

}  // namespace aapc::mpi
