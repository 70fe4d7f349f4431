/// @file
/// Every reader of the core as a function of bytes, for fuzzers and for the test that replays their seeds.
#pragma once

#include <span>
#include <string_view>

namespace aapc::fuzz {

/// A reader by name. Whatever the text, it returns.
struct Reader {
    std::string_view name;
    void (*read)(std::string_view text);
};

/// All of them, in the order of their names.
[[nodiscard]] std::span<const Reader> readers();

/// What has to hold of a refusal: it says why, on one line, and where no further than the text goes. Ends the process
/// where it does not.
void expect_sensible(std::string_view text, std::string_view problem, int line, int column);

}  // namespace aapc::fuzz
