#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace {

using aapc::test::contents;
using aapc::test::expect_refusal;
using aapc::test::Outcome;
using aapc::test::Scratch;
using testing::AllOf;
using testing::HasSubstr;

std::string seconds_text(double seconds) { return fmt::format("{:.12g}", seconds); }

// gamma 2, alpha 50 us, beta 10 ns a byte, delta 3 ms from 8 KB on; exact.
std::string exact_samples(bool with_pairs) {
    std::string text = "ranks,message_bytes,seconds\n";
    for (const int bytes : {1024, 4096, 8192, 65536, 1048576}) {
        for (const int ranks : {8, 16}) {
            const double one = 50e-6 + bytes * 10e-9 * 2 + (bytes >= 8192 ? 3e-3 : 0);
            text += std::to_string(ranks) + ',' + std::to_string(bytes) + ',' + seconds_text((ranks - 1) * one) + '\n';
        }
        if (with_pairs) {
            text += "2," + std::to_string(bytes) + ',' + seconds_text(50e-6 + bytes * 10e-9) + '\n';
        }
    }
    return text;
}

TEST(FitCommand, WritesTheDocumentOfTheContract) {
    const Scratch scratch;
    (void)scratch.file("s.csv", exact_samples(false));
    const Outcome run = scratch.run("fit s.csv --alpha 50e-6 --beta 10e-9 --format json");
    ASSERT_EQ(run.status, 0) << run.err;
    const auto document = nlohmann::json::parse(run.out);
    EXPECT_NEAR(document["gamma"]["value"].get<double>(), 2, 0.01);
    EXPECT_NEAR(document["delta"]["value"].get<double>(), 3e-3, 3e-5);
    EXPECT_EQ(document["threshold"]["interval"], (std::vector<int>{4096, 8192}));
    EXPECT_LE(document["gamma"]["interval"][0].get<double>(), document["gamma"]["value"].get<double>());
    EXPECT_LE(document["gamma"]["value"].get<double>(), document["gamma"]["interval"][1].get<double>());
}

TEST(FitCommand, TakesAlphaAndBetaFromTwoRanks) {
    const Scratch scratch;
    (void)scratch.file("s.csv", exact_samples(true));
    const Outcome run = scratch.run("fit s.csv -o fit.txt");
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(
        contents(scratch.path("fit.txt")),
        AllOf(HasSubstr("beta   10 ns"), HasSubstr("M      above 4096, not above 8192 bytes"), HasSubstr("next ")));
}

TEST(FitCommand, PredictionsComeBackFromTheDocument) {
    const Scratch scratch;
    (void)scratch.file("s.csv", exact_samples(false));
    ASSERT_EQ(scratch.run("fit s.csv --alpha 50e-6 --beta 10e-9 --format json -o fit.json").status, 0);
    const Outcome run = scratch.run("predict fit.json --ranks 12,100 --sizes 1Ki,64Ki --format json");
    ASSERT_EQ(run.status, 0) << run.err;
    const auto document = nlohmann::json::parse(run.out);
    ASSERT_EQ(document.size(), 4U);
    EXPECT_NEAR(document[1]["seconds"].get<double>(), 11 * (50e-6 + 65536 * 20e-9 + 3e-3), 1e-4);
    EXPECT_EQ(document[1]["remark"], "");
    EXPECT_THAT(document[3]["remark"].get<std::string>(), HasSubstr("100 ranks are more than the 16"));
    const Outcome text = scratch.run("predict fit.json --ranks 100 --sizes 64Ki");
    EXPECT_THAT(text.out, HasSubstr("* 100 ranks are more than the 16"));
    expect_refusal(scratch.run("predict fit.json --ranks 4 --sizes 1Ki,many"), 2,
                   HasSubstr("--sizes: 'many' is not a size"));
}

TEST(FitCommand, RefusesBadInputWithItsPlace) {
    const Scratch scratch;
    (void)scratch.file("s.csv", "ranks,message_bytes,seconds\n16,1k,0.5\n");
    (void)scratch.file("few.csv", "ranks,message_bytes,seconds\n16,1024,0.5\n");
    (void)scratch.file("other.json", R"({"format": "aapc-schedule/1"})");
    (void)scratch.file("part.json", R"({"format": "aapc-fit/1", "alpha_seconds": 1})");
    expect_refusal(scratch.run("fit s.csv -o f.json"), 2, HasSubstr("s.csv:2:4: '1k' is no value for message_bytes"));
    expect_refusal(scratch.run("fit few.csv"), 2, HasSubstr("give --alpha and --beta"));
    expect_refusal(scratch.run("fit few.csv --alpha 0 --beta 1e-9"), 2, HasSubstr("few.csv: 1 of 1 samples"));
    expect_refusal(scratch.run("fit none.csv"), 2, HasSubstr("none.csv: cannot be opened"));
    expect_refusal(scratch.run("predict other.json --ranks 4 --sizes 1"), 2, HasSubstr("no document of format"));
    expect_refusal(scratch.run("predict part.json --ranks 4 --sizes 1"), 2,
                   HasSubstr("beta_seconds_per_byte is missing"));
    EXPECT_THAT(scratch.files(), testing::ElementsAre("few.csv", "other.json", "part.json", "s.csv"));
}

}  // namespace
