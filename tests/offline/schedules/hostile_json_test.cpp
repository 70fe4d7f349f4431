#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "aapc/methods/schedule_file.hpp"

namespace aapc {
namespace {

constexpr std::string_view good = R"({
  "format": "aapc-schedule/1",
  "algorithm": "tree",
  "variant": "paper",
  "participants": [
    {"name": "n0", "machine": "n0"},
    {"name": "n1", "machine": "n1"}
  ],
  "bound": 1,
  "phases": [
    [{"from": 0, "to": 1}, {"from": 1, "to": 0}]
  ],
  "synchronisation": {
    "name": "sender",
    "edges": [
      {"after": [0, 1], "before": [1, 0]}
    ]
  }
}
)";

/// The good document with one piece of text replaced.
std::string with(std::string_view piece, std::string_view replacement) {
    std::string text(good);
    const std::size_t at = text.find(piece);
    EXPECT_NE(at, std::string::npos) << piece;
    return text.replace(at, piece.size(), replacement);
}

std::string diagnostic(std::string_view text) {
    const auto document = read_schedule_document(text, "f.json");
    return document ? "" : to_string(document.error());
}

TEST(HostileJson, TheGoodOneIsGood) { EXPECT_EQ(diagnostic(good), ""); }

TEST(HostileJson, WrongKindsHaveAPathAndAPosition) {
    EXPECT_EQ(diagnostic(with("\"to\": 1", "\"to\": \"1\"")),
              "f.json:11:24: phases[0][0].to is a string; it must be a whole number");
    EXPECT_EQ(diagnostic(with("\"to\": 0", "\"to\": 0.0")),
              "f.json:11:46: phases[0][1].to is the number 0.0; it must be a whole number");
    EXPECT_EQ(diagnostic(with("\"to\": 1", "\"to\": true")),
              "f.json:11:24: phases[0][0].to is true or false; it must be a whole number");
    EXPECT_EQ(diagnostic(with("\"to\": 1", "\"to\": null")),
              "f.json:11:24: phases[0][0].to is null; it must be a whole number");
    EXPECT_EQ(diagnostic(with("\"to\": 1", "\"to\": [1]")),
              "f.json:11:24: phases[0][0].to is a list; it must be a whole number");
    EXPECT_EQ(diagnostic(with("{\"from\": 1, \"to\": 0}", "7")),
              "f.json:11:28: phases[0][1] is a whole number; it must be an object");
    EXPECT_EQ(diagnostic(with("{\"from\": 1, \"to\": 0}", "false")),
              "f.json:11:28: phases[0][1] is true or false; it must be an object");
    EXPECT_EQ(diagnostic(with("\"bound\": 1", "\"bound\": \"1\"")),
              "f.json:9:12: bound is a string; it must be a whole number or null");
    EXPECT_EQ(diagnostic(with("{\"name\": \"n1\", \"machine\": \"n1\"}", "\"n1\"")),
              "f.json:7:5: participants[1] is a string; it must be an object");
    EXPECT_EQ(diagnostic(with("[1, 0]", "1")),
              "f.json:16:35: synchronisation.edges[0].before is a whole number; it must be a list");
    EXPECT_EQ(diagnostic(with("[1, 0]", "[1, \"0\"]")),
              "f.json:16:39: synchronisation.edges[0].before[1] is a string; it must be a whole number");
    EXPECT_EQ(diagnostic(with("\"sender\"", "2")),
              "f.json:14:13: synchronisation.name is a whole number; it must be a string");
}

TEST(HostileJson, TheWholeDocumentOfTheWrongKind) {
    EXPECT_EQ(diagnostic("[]"), "f.json:1:1: the document is a list; a schedule document is an object");
    EXPECT_EQ(diagnostic(" 3"), "f.json:1:2: the document is a whole number; a schedule document is an object");
    EXPECT_EQ(diagnostic("-1.5"), "f.json:1:1: the document is the number -1.5; a schedule document is an object");
    EXPECT_EQ(diagnostic("\n\"x\""), "f.json:2:1: the document is a string; a schedule document is an object");
    EXPECT_EQ(diagnostic("null"), "f.json:1:1: the document is null; a schedule document is an object");
    EXPECT_EQ(diagnostic("true"), "f.json:1:1: the document is true or false; a schedule document is an object");
}

TEST(HostileJson, NumbersOutOfRange) {
    EXPECT_EQ(diagnostic(with("\"to\": 1", "\"to\": -1")),
              "f.json:11:24: phases[0][0].to is -1; it must be from 0 to 2147483647");
    EXPECT_EQ(diagnostic(with("\"to\": 1", "\"to\": 2147483648")),
              "f.json:11:24: phases[0][0].to is 2147483648; it must be from 0 to 2147483647");
    EXPECT_EQ(diagnostic(with("\"to\": 1", "\"to\": 2147483647")), "");
    EXPECT_EQ(diagnostic(with("\"bound\": 1", "\"bound\": -9223372036854775808")),
              "f.json:9:12: bound is -9223372036854775808; it must be from 0 to 9223372036854775807");
    EXPECT_EQ(diagnostic(with("\"bound\": 1", "\"bound\": 9223372036854775807")), "");
    EXPECT_EQ(diagnostic(with("\"bound\": 1", "\"bound\": 9223372036854775808")),
              "f.json:9:12: bound is more than 9223372036854775807; it must be from 0 to 9223372036854775807");
    EXPECT_EQ(diagnostic(with("\"bound\": 1", "\"bound\": 18446744073709551616")),
              "f.json:9:12: bound is the number 18446744073709551616; it must be a whole number or null");
    EXPECT_THAT(diagnostic(with("\"bound\": 1", "\"bound\": 1e999")), testing::HasSubstr("f.json:9:"));
    EXPECT_EQ(diagnostic(with("[0, 1]", "[0, 4294967296]")),
              "f.json:16:21: synchronisation.edges[0].after[1] is 4294967296; it must be from 0 to 2147483647");
}

TEST(HostileJson, MissingUnknownAndRepeatedMembers) {
    EXPECT_EQ(diagnostic("{}"),
              "f.json:1:1: the document has no member 'format'; the members are 'format', 'algorithm', 'variant', "
              "'participants', 'bound', 'guarantee', 'phases', 'cycle', 'transfers', 'queue', 'synchronisation'");
    EXPECT_EQ(diagnostic(with("{\"from\": 1, \"to\": 0}", "{\"from\": 1}")),
              "f.json:11:28: phases[0][1] has no member 'to'; the members are 'from', 'to', 'blocks'");
    EXPECT_EQ(diagnostic(with("{\"from\": 1, \"to\": 0}", "{}")),
              "f.json:11:28: phases[0][1] has no member 'from'; the members are 'from', 'to', 'blocks'");
    EXPECT_EQ(diagnostic(with(", \"before\": [1, 0]", "")),
              "f.json:16:7: synchronisation.edges[0] has no member 'before'; the members are 'after', 'before'");
    EXPECT_EQ(diagnostic(with("\"to\": 0}", "\"to\": 0, \"bytes\": [[1, 0]]}")),
              "f.json:11:49: phases[0][1] has an unknown member 'bytes'; the members are 'from', 'to', 'blocks'");
    EXPECT_EQ(
        diagnostic(with("\"bound\"", "\"bonud\"")),
        "f.json:9:3: the document has an unknown member 'bonud'; the members are 'format', 'algorithm', "
        "'variant', 'participants', 'bound', 'guarantee', 'phases', 'cycle', 'transfers', 'queue', 'synchronisation'");
    EXPECT_EQ(diagnostic(with("\"to\": 0}", "\"to\": 0, \"to\": 0}")),
              "f.json:11:49: phases[0][1].to is given twice; give it once");
    EXPECT_EQ(diagnostic(with("\"bound\": 1", "\"bound\": 1, \"phases\": [], \"bound\": 1")),
              "f.json:9:29: bound is given twice; give it once");
    EXPECT_EQ(
        diagnostic(with("[1, 0]", "[1]")),
        "f.json:16:35: synchronisation.edges[0].before has 1 elements; it must be a message as [sender, receiver]");
    EXPECT_EQ(
        diagnostic(with("[1, 0]", "[]")),
        "f.json:16:35: synchronisation.edges[0].before has 0 elements; it must be a message as [sender, receiver]");
    EXPECT_EQ(
        diagnostic(with("[1, 0]", "[1, 0, 1, 1]")),
        "f.json:16:35: synchronisation.edges[0].before has 4 elements; it must be a message as [sender, receiver]");
}

TEST(HostileJson, WrongNames) {
    EXPECT_EQ(diagnostic(with("aapc-schedule/1", "aapc-schedule/2")),
              "f.json:2:13: the format is 'aapc-schedule/2'; this program reads 'aapc-schedule/1'");
    EXPECT_THAT(diagnostic(with("\"sender\"", "\"sneder\"")),
                testing::AllOf(testing::StartsWith("f.json:14:13: synchronisation.name: "),
                               testing::HasSubstr("sneder"), testing::HasSubstr("receiver")));
    const std::string huge(1'000'000, 'x');
    EXPECT_LT(diagnostic(with("aapc-schedule/1", huge)).size(), 300U);
    EXPECT_LT(diagnostic(with("bound", huge)).size(), 300U);
    EXPECT_LT(diagnostic(with("\"sender\"", '"' + huge + '"')).size(), 600U);
}

TEST(HostileJson, Guarantees) {
    EXPECT_EQ(diagnostic(with("\"bound\": 1", "\"guarantee\": \"one-port\"")), "");
    EXPECT_EQ(diagnostic(with("\"bound\": 1", "\"guarantee\": \"fast\"")),
              "f.json:9:16: guarantee is 'fast'; it must be 'shortest', 'contention-free', 'within-capacity', "
              "'one-port' or 'nothing'");
    EXPECT_EQ(diagnostic(with("\"bound\": 1", "\"guarantee\": null")),
              "f.json:9:16: guarantee is null; it must be a string");
    EXPECT_THAT(
        diagnostic(with("\"bound\": 1", "\"guarantee\": \"" + std::string(1'000'000, 'x') + "\"")),
        testing::AllOf(testing::StartsWith("f.json:9:16: guarantee is 'xxx"), testing::SizeIs(testing::Lt(300U))));
    EXPECT_EQ(diagnostic(with("\"bound\": 1", "\"guarantee\": \"nothing\", \"guarantee\": \"nothing\"")),
              "f.json:9:27: guarantee is given twice; give it once");
}

TEST(HostileJson, Blocks) {
    const std::string_view messages = R"({"from": 0, "to": 1}, {"from": 1, "to": 0})";
    const auto blocks = [&](std::string_view first, std::string_view second) {
        return diagnostic(
            with(messages, fmt::format(R"({{"from": 0, "to": 1{}}}, {{"from": 1{}, "to": 0}})", first, second)));
    };
    EXPECT_EQ(blocks(R"(, "blocks": [[0, 1]])", R"(, "blocks": [[1, 0]])"), "");
    EXPECT_EQ(blocks(R"(, "blocks": [])", R"(, "blocks": [])"), "") << "for the checker to judge";
    EXPECT_EQ(blocks(R"(, "blocks": [[0, 1]])", ""),
              "f.json:11:48: phases[0][1] has no member 'blocks', unlike the messages before it; give the blocks of "
              "every message, or of none if each carries its sender's for its receiver");
    EXPECT_EQ(blocks("", R"(, "blocks": [[0, 1]])"),
              "f.json:11:28: phases[0][1] has a member 'blocks', unlike the messages before it; give the blocks of "
              "every message, or of none if each carries its sender's for its receiver");
    EXPECT_EQ(blocks(R"(, "blocks": 1)", ""), "f.json:11:37: phases[0][0].blocks is a whole number; it must be a list");
    EXPECT_EQ(blocks(R"(, "blocks": null)", ""), "f.json:11:37: phases[0][0].blocks is null; it must be a list");
    EXPECT_EQ(blocks(R"(, "blocks": [0, 1])", ""),
              "f.json:11:38: phases[0][0].blocks[0] is a whole number; it must be a list");
    EXPECT_EQ(blocks(R"(, "blocks": [[0, 1], {}])", ""),
              "f.json:11:46: phases[0][0].blocks[1] is an object; it must be a list");
    EXPECT_EQ(blocks(R"(, "blocks": [[0, 1], [0]])", ""),
              "f.json:11:46: phases[0][0].blocks[1] has 1 elements; it must be a block as [origin, destination]");
    EXPECT_EQ(blocks(R"(, "blocks": [[0, 1, 2]])", ""),
              "f.json:11:38: phases[0][0].blocks[0] has 3 elements; it must be a block as [origin, destination]");
    EXPECT_EQ(blocks(R"(, "blocks": [[0, "1"]])", ""),
              "f.json:11:42: phases[0][0].blocks[0][1] is a string; it must be a whole number");
    EXPECT_EQ(blocks(R"(, "blocks": [[0, -1]])", ""),
              "f.json:11:42: phases[0][0].blocks[0][1] is -1; it must be from 0 to 2147483647");
    EXPECT_EQ(blocks(R"(, "blocks": [[4294967296, 1]])", ""),
              "f.json:11:39: phases[0][0].blocks[0][0] is 4294967296; it must be from 0 to 2147483647");
    EXPECT_EQ(blocks(R"(, "blocks": [[0, 1]], "blocks": [[0, 1]])", ""),
              "f.json:11:47: phases[0][0].blocks is given twice; give it once");
}

TEST(HostileJson, Dummies) {
    const auto dummies = [&](std::string_view name, std::string_view list) {
        std::string text = with("\"sender\"", fmt::format("\"{}\", \"dummies\": {}", name, list));
        return diagnostic(text);
    };
    EXPECT_EQ(dummies("dummy", "[]"), "");
    EXPECT_EQ(dummies("dummy", R"([{"phase": 3, "from": 7, "to": 7}])"), "") << "for the checker to judge";
    EXPECT_EQ(dummies("dummy", R"([{"phase": 9223372036854775807, "to": 7, "from": 7}])"), "");
    EXPECT_EQ(dummies("sender", "[]"),
              "f.json:13:22: synchronisation has 'dummies', and is 'sender'; leave them out, or give it the name "
              "'dummy'");
    EXPECT_EQ(dummies("dummy", "{}"), "f.json:14:33: synchronisation.dummies is an object; it must be a list");
    EXPECT_EQ(dummies("dummy", "[[0, 1, 2]]"),
              "f.json:14:34: synchronisation.dummies[0] is a list; it must be an object");
    EXPECT_EQ(dummies("dummy", R"([{"phase": 3, "from": 7}])"),
              "f.json:14:34: synchronisation.dummies[0] has no member 'to'; the members are 'phase', 'from', 'to'");
    EXPECT_EQ(dummies("dummy", R"([{"phase": -3, "from": 7, "to": 7}])"),
              "f.json:14:44: synchronisation.dummies[0].phase is -3; it must be from 0 to 9223372036854775807");
    EXPECT_EQ(dummies("dummy", R"([{"phase": 3, "from": 7, "to": 2147483648}])"),
              "f.json:14:64: synchronisation.dummies[0].to is 2147483648; it must be from 0 to 2147483647");
    EXPECT_EQ(dummies("dummy", R"([{"phase": 3, "from": 7, "to": 7, "size": 1}])"),
              "f.json:14:67: synchronisation.dummies[0] has an unknown member 'size'; the members are 'phase', 'from', "
              "'to'");
}

TEST(HostileJson, SyntaxErrorsHaveAPosition) {
    EXPECT_THAT(diagnostic(""), testing::StartsWith("f.json:1:1: "));
    EXPECT_THAT(diagnostic("{\n  \"format\": aapc"), testing::StartsWith("f.json:2:13: "));
    EXPECT_THAT(diagnostic("{\n  \"format\" 3"), testing::StartsWith("f.json:2:"));
    EXPECT_THAT(diagnostic(with("\"bound\": 1,", "\"bound\": 1")), testing::StartsWith("f.json:10:"));
    EXPECT_THAT(diagnostic(std::string(good) + "x"),
                testing::AllOf(testing::StartsWith("f.json:20:1: "), testing::Not(testing::HasSubstr("U+000A"))));
    EXPECT_THAT(diagnostic(with("\"n1\"", "\"n\xFF\"")), testing::StartsWith("f.json:7:16: "));
    EXPECT_THAT(diagnostic(with("\"n1\"", "\"n\n1\"")), testing::StartsWith("f.json:7:"));
    EXPECT_THAT(diagnostic(with("\"n1\"", "\"\\ud800\"")), testing::StartsWith("f.json:7:"));
    EXPECT_THAT(diagnostic(std::string("{\0}", 3)), testing::StartsWith("f.json:1:2: "));
    EXPECT_EQ(diagnostic(std::string(good) + '\0' + "x"), "f.json:20:1: a zero byte; a schedule document is text");
    EXPECT_THAT(diagnostic(with("1}", "1}]]]]")), testing::StartsWith("f.json:11:"));
}

TEST(HostileJson, Nesting) {
    for (const std::string bracket : {"[", "{", "{\"phases\":", "{\"phases\":["}) {
        std::string deep;
        for (int level = 0; level < 200'000; ++level) {
            deep += bracket;
        }
        EXPECT_THAT(diagnostic(deep), testing::StartsWith("f.json:1:")) << bracket;
    }
}

constexpr std::string_view good_with_blocks = R"({
  "format": "aapc-schedule/1",
  "participants": [],
  "guarantee": "one-port",
  "phases": [
    [{"from": 0, "to": 1, "blocks": [[0, 1], [0, 2]]}, {"from": 1, "to": 0, "blocks": [[1, 0]]}],
    []
  ],
  "synchronisation": {
    "name": "dummy",
    "dummies": [
      {"phase": 1, "from": 0, "to": 0}
    ]
  }
}
)";

/// Every prefix, and every document with some bytes changed, is read or refused with one line; nothing else can happen.
TEST(HostileJson, TruncatedAndDamagedDocuments) {
    std::mt19937_64 random(20'050'926);
    for (const std::string_view document : {good, good_with_blocks}) {
        EXPECT_EQ(diagnostic(document), "");
        for (std::size_t length = 0; length + 1 < document.size(); ++length) {  // the last newline may go
            EXPECT_THAT(diagnostic(document.substr(0, length)), testing::StartsWith("f.json:")) << length;
        }
        for (int round = 0; round < 20'000; ++round) {
            std::string text(document);
            for (int change = 0; change < 1 + round % 3; ++change) {
                text[random() % text.size()] =
                    round % 2 == 0 ? static_cast<char>(random() % 256) : "{}[],:\"0 -.eE\\ntu"[random() % 17];
            }
            const std::string line = diagnostic(text);
            EXPECT_TRUE(line.empty() || line.starts_with("f.json:")) << text;
            EXPECT_EQ(line.find('\n'), std::string::npos) << text;
        }
    }
}

}  // namespace
}  // namespace aapc
