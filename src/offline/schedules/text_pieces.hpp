/// @file
/// A text that is written piece by piece.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "aapc/offline/schedule_text.hpp"

namespace aapc::documents {

/// Collects what is appended to `text` and passes it on when there is a megabyte of it.
class TextPieces {
  public:
    explicit TextPieces(const TakeText& take) : take_(take) {}

    std::string text;

    /// To be called between lines. False once a piece was not taken.
    bool pass_on() { return text.size() < piece_bytes ? good_ : pass_on_all(); }

    /// Also the rest.
    bool pass_on_all() {
        good_ = good_ && take_(text);
        text.clear();
        return good_;
    }

  private:
    static constexpr std::size_t piece_bytes = 1 << 20;

    const TakeText& take_;
    bool good_ = true;
};

/// All pieces that `write` passes on, one behind the other.
template <typename Write>
[[nodiscard]] std::string whole_text(Write write) {
    std::string text;
    static_cast<void>(write([&text](std::string_view piece) {
        text += piece;
        return true;
    }));
    return text;
}

}  // namespace aapc::documents
