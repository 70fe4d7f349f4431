/// @file
/// When the segments of exchanges by the clock were started, for whoever asks (AAPC_RECORD_SEGMENTS).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

#include "aapc/topology/network.hpp"

namespace aapc::mpi {

/// Room for so many segments and no more. Any thread may note; reading is for when nobody does any more.
class SegmentLog {
  public:
    struct Started {
        double due_seconds;      ///< after the origin of times that the exchange named
        float late_seconds;      ///< behind that
        std::uint32_t exchange;  ///< what Noting was told
        Rank to;
        std::uint32_t bytes;
    };

    /// Without memory for them there is room for none. Nothing is touched before it is used.
    explicit SegmentLog(std::size_t most) : started_(new (std::nothrow) Started[most]), room_(started_ ? most : 0) {}

    void note(const Started& segment) noexcept {
        const std::size_t index = count_.fetch_add(1, std::memory_order_relaxed);
        if (index < room_) {
            started_[index] = segment;
        }
    }
    [[nodiscard]] std::span<const Started> started() const { return {started_.get(), std::min(room_, count_.load())}; }
    [[nodiscard]] std::size_t dropped() const { return count_.load() - started().size(); }

    /// While one lives, this thread's exchanges are noted, under that number.
    class Noting {
      public:
        Noting(SegmentLog& log, std::uint32_t exchange) {
            current_ = &log;
            exchange_ = exchange;
        }
        Noting(const Noting&) = delete;
        Noting& operator=(const Noting&) = delete;
        ~Noting() { current_ = nullptr; }
    };

    /// Where this thread's exchange is noted; null: nowhere.
    [[nodiscard]] static SegmentLog* current() { return current_; }
    [[nodiscard]] static std::uint32_t current_exchange() { return exchange_; }

  private:
    static inline thread_local SegmentLog* current_ = nullptr;
    static inline thread_local std::uint32_t exchange_ = 0;

    std::unique_ptr<Started[]> started_;
    std::size_t room_;
    std::atomic<std::size_t> count_ = 0;
};

}  // namespace aapc::mpi
