#include "aapc/input/diagnostic.hpp"

#include <gtest/gtest.h>

#include "input/on_one_line.hpp"

namespace {

using aapc::Diagnostic;
using aapc::on_one_line;
using aapc::to_string;

TEST(Diagnostic, SaysWhereWhatAndWhatWouldBeRight) {
    EXPECT_EQ(to_string({"a.toml", 3, 14, "it is wrong", "do it so"}), "a.toml:3:14: it is wrong; do it so");
}

TEST(Diagnostic, LeavesOutWhatItDoesNotHave) {
    EXPECT_EQ(to_string({"a.toml", 3, 0, "wrong", ""}), "a.toml:3: wrong");
    EXPECT_EQ(to_string({"a.toml", 0, 0, "wrong", "right"}), "a.toml: wrong; right");
    EXPECT_EQ(to_string({"", 3, 4, "wrong", "right"}), "wrong; right");
}

TEST(Diagnostic, StaysOnOneLineWhateverTheTextsContain) {
    EXPECT_EQ(to_string({"a\nb", 1, 2, "x\r\n\x1b[31m", std::string("\0\x7f", 2)}),
              "a\\x0ab:1:2: x\\x0d\\x0a\\x1b[31m; \\x00\\x7f");
}

TEST(Diagnostic, ShowsOtherTextAsItIs) {
    EXPECT_EQ(to_string({"Übung.toml", 1, 1, "naïve \xe2\x86\x92", ""}), "Übung.toml:1:1: naïve \xe2\x86\x92");
    // U+009B starts an escape sequence on some terminals; U+00A0 does not.
    EXPECT_EQ(to_string({"", 0, 0, "\xc2\x9b\xc2\xa0", ""}), "\\x9b\xc2\xa0");
    EXPECT_EQ(to_string({"", 0, 0, "cut \xc2", ""}), "cut \xc2");
    // The same as a byte of its own, which is no UTF-8, and as a part of U+065B and U+1F69B, which is.
    EXPECT_EQ(on_one_line("\x9b\xe2\x9b\x1b"), "\\x9b\xe2\x9b\\x1b");
    EXPECT_EQ(on_one_line("\xd9\x9b\xf0\x9f\x9a\x9b\x9b"), "\xd9\x9b\xf0\x9f\x9a\x9b\\x9b");
}

}  // namespace
