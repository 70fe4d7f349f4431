// The half of `aapc fit` that knows no MPI: who takes part, the CSV, the texts, the picture.
#include "bench/fit_options.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "bench/fit_plot.hpp"
#include "bench/fit_report.hpp"

namespace aapc::bench {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(RankCounts, AreAllThreeQuartersAndHalf) {
    EXPECT_THAT(*rank_counts({}, 16), ElementsAre(8, 12, 16));
    EXPECT_THAT(*rank_counts({}, 4), ElementsAre(3, 4));
    EXPECT_THAT(*rank_counts({}, 3), ElementsAre(3));
    EXPECT_THAT(*rank_counts({16, 5, 5}, 16), ElementsAre(5, 16));
    EXPECT_FALSE(rank_counts({}, 2));
    EXPECT_FALSE(rank_counts({2, 3}, 16));
    EXPECT_THAT(to_string(rank_counts({17}, 16).error()), HasSubstr("--ranks: there are 16 ranks"));
}

TEST(SpreadEvenly, TakesRanksFromEverywhere) {
    EXPECT_THAT(spread_evenly(4, 16), ElementsAre(0, 4, 8, 12));
    EXPECT_THAT(spread_evenly(3, 3), ElementsAre(0, 1, 2));
    for (Rank available = 1; available <= 40; ++available) {
        for (Rank count = 1; count <= available; ++count) {
            const std::vector<Rank> ranks = spread_evenly(count, available);
            ASSERT_EQ(ranks.size(), static_cast<std::size_t>(count));
            EXPECT_EQ(std::set<Rank>(ranks.begin(), ranks.end()).size(), ranks.size()) << count << " of " << available;
            EXPECT_TRUE(std::is_sorted(ranks.begin(), ranks.end()));
            EXPECT_LT(ranks.back(), available);
            // Any quarter has its share, but for one.
            const auto low = std::count_if(ranks.begin(), ranks.end(), [&](Rank rank) { return rank < available / 2; });
            EXPECT_NEAR(static_cast<double>(low), count * (available / 2) / static_cast<double>(available), 1);
        }
    }
}

TEST(SamplesCsv, IsReadAsItWasWritten) {
    const std::vector<ContentionSample> samples = {{2, 1, 1.0 / 3}, {16, 262144, 5.5e-7}, {3, 7, 12}};
    const std::string text = samples_csv({"method: native", "placement: n[0-3]"}, samples);
    EXPECT_TRUE(text.starts_with("# method: native\n# placement: n[0-3]\nranks,message_bytes,seconds\n2,1,"));
    const auto read = read_contention_samples(text, "s.csv");
    ASSERT_TRUE(read) << to_string(read.error());
    EXPECT_EQ(*read, samples);
    EXPECT_TRUE(text.starts_with(samples_csv({"method: native", "placement: n[0-3]"}, {})));
}

TEST(FileOfPart, StandsBesideTheWhole) {
    EXPECT_EQ(file_of_part("samples.csv", ""), "samples.csv");
    EXPECT_EQ(file_of_part("samples.csv", "nancy"), "samples-nancy.csv");
    EXPECT_EQ(file_of_part("/tmp/a.b/fit.svg", "wide-area"), "/tmp/a.b/fit-wide-area.svg");
    EXPECT_EQ(file_of_part("plain", "x"), "plain-x");
}

TEST(CheckFitOptions, ReadOrMeasure) {
    const auto wrong = [](const FitOptions& options) {
        const auto checked = check_fit_options(options);
        return checked ? "nothing" : to_string(checked.error());
    };
    FitOptions options;
    EXPECT_THAT(wrong(options), HasSubstr("neither samples nor a cluster"));
    options.samples = "s.csv";
    EXPECT_EQ(wrong(options), "nothing");
    options.next = 1;
    EXPECT_THAT(wrong(options), HasSubstr("--next"));
    options.topology = "t.toml";
    EXPECT_THAT(wrong(options), HasSubstr("to be read and to be measured"));
    options.samples.clear();
    EXPECT_EQ(wrong(options), "nothing");
    options.sizes = {"4:1:x2"};
    EXPECT_THAT(wrong(options), HasSubstr("--sizes"));
}

std::vector<ContentionSample> samples_with_delta() {
    std::vector<ContentionSample> samples;
    for (const std::int64_t bytes : {256, 1024, 4096, 8192, 65536, 1048576}) {
        samples.push_back({2, bytes, 50e-6 + static_cast<double>(bytes) * 10e-9});
        for (const Rank ranks : {8, 16, 24}) {
            const double one = 50e-6 + static_cast<double>(bytes) * 20e-9 + (bytes >= 8192 ? 3e-3 : 0);
            samples.push_back({ranks, bytes, (ranks - 1) * one * (bytes % 3 == 1 ? 1.02 : 0.99)});
        }
    }
    return samples;
}

TEST(FitSamples, TakesTheLinkFromTwoRanksUnlessItIsGiven) {
    const auto measured = fit_samples(samples_with_delta(), -1, -1, "native", "s.csv");
    ASSERT_TRUE(measured) << to_string(measured.error());
    EXPECT_NEAR(measured->link.alpha_seconds, 50e-6, 1e-8);
    EXPECT_EQ(measured->samples, 18U);
    EXPECT_EQ(measured->method, "native");
    const auto given = fit_samples(samples_with_delta(), 40e-6, 10e-9, "", "s.csv");
    EXPECT_EQ(given->link.alpha_seconds, 40e-6);
    EXPECT_EQ(given->samples, 18U) << "two ranks do not contend";
    EXPECT_THAT(to_string(fit_samples({{4, 1, 1}}, -1, -1, "", "s.csv").error()), HasSubstr("s.csv: "));
}

int count(const std::string& text, const std::string& part) {
    int found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++found;
    }
    return found;
}

bool has_gnuplot() { return std::system("command -v gnuplot >/dev/null 2>&1") == 0; }

TEST(Plot, HasEverySampleAndIsWellFormed) {
    if (!has_gnuplot()) {
        GTEST_SKIP() << "no gnuplot here (Debian's package gnuplot-nox)";
    }
    const auto samples = samples_with_delta();
    const auto fit = fit_samples(samples, -1, -1, "native", "");
    const auto picture = plot_svg(*fit, samples, "native on <s0> & 'others'");
    ASSERT_TRUE(picture) << to_string(picture.error());
    // Every sample of more than two ranks is a symbol, and every number of ranks has one in the legend.
    EXPECT_EQ(count(*picture, "<use xlink:href='#gpPt6' transform="), 18 + 3);
    for (const char* text : {">8 ranks<", ">16 ranks<", ">24 ranks<", "native on &lt;s0> &amp; 'others'"}) {
        EXPECT_EQ(count(*picture, text), 1) << text;
    }
    EXPECT_EQ(count(*picture, "<svg"), 1);
    const std::string file = testing::TempDir() + "aapc-plot-test.svg";
    std::FILE* const stream = std::fopen(file.c_str(), "w");
    std::fwrite(picture->data(), 1, picture->size(), stream);
    std::fclose(stream);
    const std::string parse = "python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' " + file;
    EXPECT_EQ(std::system(parse.c_str()), 0);
    std::filesystem::remove(file);
}

TEST(Plot, SaysWhichPackageIsMissing) {
    const std::string path = std::getenv("PATH");
    ::setenv("PATH", "/nowhere", 1);
    const auto fit = fit_samples(samples_with_delta(), -1, -1, "native", "");
    const auto picture = plot_svg(*fit, samples_with_delta(), "");
    ::setenv("PATH", path.c_str(), 1);
    ASSERT_FALSE(picture);
    EXPECT_THAT(to_string(picture.error()), AllOf(HasSubstr("gnuplot: cannot be run"), HasSubstr("gnuplot-nox")));
}

TEST(ModelText, SaysWhatWasMeasuredAcrossTheWideArea) {
    const auto fit = fit_samples(samples_with_delta(), -1, -1, "native", "");
    NetworkModel model{{{"nancy", *fit}}, WideAreaFit{{5e-3, 1e-8}, 4.9e-3, {{1024, 1e-4, 2e-5, 3e-5}}}};
    EXPECT_THAT(model_text(model), AllOf(HasSubstr("cluster nancy\nalpha  50 µs\n"), HasSubstr("samples of native"),
                                         HasSubstr("wide area\nalpha  5 ms\n"), HasSubstr("L      4.9 ms\n"),
                                         HasSubstr("      1024       100 µs        20 µs        30 µs\n")));
    EXPECT_THAT(fit_text(*fit), Not(HasSubstr("wide area")));
}

}  // namespace
}  // namespace aapc::bench
