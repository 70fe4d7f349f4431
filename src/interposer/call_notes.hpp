/// @file
/// What the recorder wants to know of the calls on one communicator.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "aapc/mpi/exchange.hpp"
#include "aapc/plan/plan.hpp"
#include "interposer/recorder.hpp"

namespace aapc::interposer {

/// Used by one thread at a time.
class CallNotes {
  public:
    /// Of the call that was decided on and carried out last.
    struct Noted {
        double waited_seconds = -1;  ///< for others; below 0: not known
        std::uint32_t exchange = 0;  ///< whose segments were noted; 0: none were
        Recorder::MethodNumber unequal_method = Recorder::native;
    };

    /// `recorder` outlives this; null: calls are not noted.
    explicit CallNotes(Recorder* recorder) : recorder_(recorder) {}

    /// The ranks agree on the communicator's name in the record. Collective over `comm` if calls are noted.
    void agree_on_name(MPI_Comm comm) {
        if (recorder_ != nullptr) {
            name_ = recorder_->agree_on_name(comm);
        }
    }

    /// A call begins.
    void begin_call() { noted_ = {}; }
    void note_waiting(double seconds) { noted_.waited_seconds = seconds; }
    void add_waiting(double seconds) {
        if (seconds > 0) {
            noted_.waited_seconds = std::max(noted_.waited_seconds, 0.0) + seconds;
        }
    }
    void note_unequal_method(const std::string& method) {
        if (recorder_ != nullptr) {
            noted_.unequal_method = recorder_->method_number(method);
        }
    }
    /// Begins to note the segments of an exchange by the clock, if they are wanted.
    [[nodiscard]] std::optional<mpi::SegmentLog::Noting> note_segments(const Plan& plan) {
        if (recorder_ == nullptr || name_ < 0 || plan.synchronisation.kind != Synchronisation::Kind::timed) {
            return std::nullopt;
        }
        const std::uint32_t exchange = ++exchanges_;
        if (!recorder_->wants_segments_of(exchange)) {
            return std::nullopt;
        }
        noted_.exchange = exchange;
        return recorder_->note_segments(name_, exchange, plan.rank);
    }
    /// What `rank` has learned of its connections until now, if paths are wanted.
    void note_paths(const mpi::Wire& wire, int rank) const {
        if (recorder_ != nullptr && name_ >= 0) {
            recorder_->note_paths(name_, rank, wire);
        }
    }
    [[nodiscard]] const Noted& noted() const { return noted_; }

  private:
    Recorder* recorder_;
    std::int64_t name_ = -1;       ///< for segments and paths; below 0: they are not noted
    std::uint32_t exchanges_ = 0;  ///< by the clock, noted or not
    Noted noted_;
};

}  // namespace aapc::interposer
