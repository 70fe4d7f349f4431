/// @file
/// What ranks tell each other so that all of them fail or none. Everything here waits patiently: ranks may outnumber
/// cores, and a rank that spins slows down those that are still at work.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "aapc/input/diagnostic.hpp"

namespace aapc::mpi {

/// Until it is complete.
void wait_patiently(MPI_Request request);

/// The bytes of rank `root` on all ranks. Collective.
void broadcast(MPI_Comm comm, void* bytes, std::size_t length, int root);

/// The text of rank `root` on all ranks. Collective.
[[nodiscard]] std::string text_from(MPI_Comm comm, const std::string& text, int root);

/// Whether all ranks say so, on all ranks; false where MPI fails. Collective; needs no memory of ours.
[[nodiscard]] bool all_agree(MPI_Comm comm, bool mine);

/// What ranks come to about a yes and about a number.
struct Agreed {
    bool all = false;        ///< say yes
    bool same = false;       ///< have the same number
    std::uint64_t most = 0;  ///< the largest of another number, where there is one
};
/// Both by one all-reduce, on all ranks; neither where MPI fails. Collective; needs no memory of ours.
[[nodiscard]] Agreed all_agree_on(MPI_Comm comm, bool mine, std::uint64_t number);

/// The same without waiting for anybody: begun in one call of the program, and ended in a later one. Needs no memory of
/// ours.
class AgreementInPassing {
  public:
    AgreementInPassing() = default;
    AgreementInPassing(const AgreementInPassing&) = delete;
    AgreementInPassing& operator=(const AgreementInPassing&) = delete;
    /// Waits for what is under way.
    ~AgreementInPassing() { complete(); }

    /// Collective over `comm`, which is there until complete() or end() has returned. `other` is what the largest of
    /// all ranks' is found of.
    void begin(MPI_Comm comm, bool mine, std::uint64_t number, std::uint64_t other);
    /// Whether something has been begun and not ended.
    [[nodiscard]] bool is_begun() const { return begun_; }
    /// Waits until all ranks have come to their begin().
    void complete();
    /// The same, and what they have come to.
    [[nodiscard]] Agreed end();

  private:
    std::array<std::uint64_t, 4> here_{};
    std::array<std::uint64_t, 4> largest_{};
    MPI_Request request_ = MPI_REQUEST_NULL;
    bool begun_ = false;
    bool fails_ = true;
};

/// What a complaint says where there is no memory for another one. Short enough to need none itself.
inline constexpr const char* no_memory = "no memory left";

/// The complaint of the lowest rank that has one, on all ranks; nothing if none has. `mine` is null on a rank that has
/// none. A text of more than 4,000 bytes is cut off. Collective, and takes no memory that could be missing: a rank that
/// has none for the complaint knows that there is one.
[[nodiscard]] std::optional<Diagnostic> first_complaint(MPI_Comm comm, const Diagnostic* mine);
[[nodiscard]] inline std::optional<Diagnostic> first_complaint(MPI_Comm comm, const std::optional<Diagnostic>& mine) {
    return first_complaint(comm, mine ? &*mine : nullptr);
}

}  // namespace aapc::mpi
