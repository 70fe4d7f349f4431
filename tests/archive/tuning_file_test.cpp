#include <gmock/gmock.h>

#include <regex>
#include <string>
#include <utility>

#include "aapc/input/hostlist.hpp"
#include "selection/tunings.hpp"

namespace aapc {
namespace {

using test::example_tuning;
using test::method;
using test::random_tuning;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

Expected<Tuning> read(std::string_view text) { return read_tuning(text, "t.toml", NetworkKind::tree); }

/// As a person does who edits a file on purpose: tries it and puts in the checksum that the message tells.
std::string blessed(std::string text) {
    const auto refused = read(text);
    if (refused) {
        return text;
    }
    std::smatch found;
    const std::string advice = refused.error().advice;
    if (std::regex_search(advice, found, std::regex("checksum = \"(fnv1a:[0-9a-f]{16})\""))) {
        text = std::regex_replace(text, std::regex("fnv1a:[0-9a-f]{16}\"\n$"), found[1].str() + "\"\n");
    }
    return text;
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

TEST(TuningFile, ReadsAsAPersonExpects) {
    EXPECT_EQ(tuning_text(example_tuning()),
              R"(# Which method serves which message sizes on one cluster, and on what evidence: see docs/tuning.md.
# Written by aapc tune. Whoever edits it gets the new checksum from the message that refuses it.
format = "aapc-tuning/1"

[fingerprint]
aapc = "0.1.0"
mpi = "openmpi"
mpi_version = "Open MPI v4.1.4, package: \"Debian\" Open MPI"
topology = "fnv1a:0123456789abcdef"
topology_file = "eight machines\\of ours.toml"
ranks = 8
placement = "n[0-7]"

[conditions]
date = "2026-11-21T07:15:00Z"
duration_seconds = 512.25
congestion_control = "cubic"
host = "n0"

[[range]]
from_bytes = 0
method = "native"

[[range.measured]]
bytes = 1
native_seconds = 0.000125
chosen_seconds = 0.000125
lead = 1
lead_low = 1
lead_high = 1
spread = 0.0625
repeats = 25
runner_up = "tree/merged+none"
runner_up_seconds = 0.00025

[[range]]
from_bytes = 2048
method = "tree/paper+sender-partial:8"

[[range.measured]]
bytes = 4096
native_seconds = 0.003
chosen_seconds = 0.002
lead = 1.5
lead_low = 1.375
lead_high = 1.625
spread = 0.03125
repeats = 21
runner_up = "native"
runner_up_seconds = 0.003

[[range.measured]]
bytes = 16384
native_seconds = 0.0125
chosen_seconds = 0.0075
lead = 1.625
lead_low = 1.5
lead_high = 1.75
spread = 0
repeats = 13

[[range]]
from_bytes = 65536
method = "tree/merged+timed:8688@0.95"

[[range.measured]]
bytes = 1048576
native_seconds = 12.5
chosen_seconds = 3.125
lead = 4
lead_low = 3.875
lead_high = 4.125
spread = 0.015625
repeats = 5
runner_up = "tree/merged+barrier"
runner_up_seconds = 4.5

[end]
checksum = "fnv1a:25687c39bfba4bd9"
)");
}

TEST(TuningFile, ComesBackAsItWas) {
    const auto example = read(tuning_text(example_tuning()));
    ASSERT_TRUE(example) << to_string(example.error());
    EXPECT_EQ(*example, example_tuning());
    for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
        const Tuning tuning = random_tuning(seed);
        const auto back = read(tuning_text(tuning));
        ASSERT_TRUE(back) << "random_tuning(" << seed << "): " << to_string(back.error()) << '\n'
                          << tuning_text(tuning);
        ASSERT_EQ(*back, tuning) << "random_tuning(" << seed << ")\n" << tuning_text(tuning);
    }
}

TEST(TuningFile, NumbersAreRoundedToSixDigitsOnce) {
    Tuning tuning = example_tuning();
    tuning.ranges[1].measured[0].native_seconds = 1.0 / 3;
    const auto back = read(tuning_text(tuning));
    ASSERT_TRUE(back);
    EXPECT_EQ(back->ranges[1].measured[0].native_seconds, 0.333333);
    EXPECT_EQ(tuning_text(*back), tuning_text(tuning));
}

TEST(TuningFile, CutAnywhereItIsRefused) {
    const std::string text = tuning_text(example_tuning());
    for (std::size_t length = 0; length < text.size(); ++length) {
        const auto tuning = read(std::string_view(text).substr(0, length));
        ASSERT_FALSE(tuning) << "the first " << length << " bytes pass";
        ASSERT_THAT(to_string(tuning.error()), StartsWith("t.toml:")) << length;
        ASSERT_GE(tuning.error().line, 1) << length;
        ASSERT_GE(tuning.error().column, 1) << length;
        ASSERT_FALSE(tuning.error().advice.empty()) << length;
    }
}

TEST(TuningFile, LinesLostDoubledOrSwappedAreNoticed) {
    const std::string text = tuning_text(example_tuning());
    std::vector<std::string> lines;
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = text.find('\n', start) + 1;
        lines.push_back(text.substr(start, end - start));
        start = end;
    }
    const auto joined = [](const std::vector<std::string>& all) {
        std::string whole;
        for (const std::string& line : all) {
            whole += line;
        }
        return whole;
    };
    for (std::size_t at = 0; at < lines.size(); ++at) {
        std::vector<std::string> lost = lines;
        lost.erase(lost.begin() + static_cast<std::ptrdiff_t>(at));
        EXPECT_FALSE(read(joined(lost))) << "without line " << at + 1;
        std::vector<std::string> doubled = lines;
        doubled[at] += lines[at];
        EXPECT_FALSE(read(joined(doubled))) << "with line " << at + 1 << " twice";
        std::vector<std::string> swapped = lines;
        std::swap(swapped[at], swapped[(at + 1) % lines.size()]);
        if (swapped != lines) {
            EXPECT_FALSE(read(joined(swapped))) << "with lines " << at + 1 << " and the next swapped";
        }
    }
}

TEST(TuningFile, DamagedCopiesNeverPassWithAnotherContent) {
    for (std::uint64_t seed = 1; seed <= 5'000; ++seed) {
        std::mt19937_64 random(seed);
        const Tuning original = seed % 2 == 0 ? example_tuning() : random_tuning(seed);
        std::string text = tuning_text(original);
        for (std::uint64_t change = 1 + random() % 3; change > 0; --change) {
            const std::size_t at = random() % text.size();
            switch (random() % 6) {
                case 0:
                    text[at] = static_cast<char>(random());
                    break;
                case 1:
                    text[at] = static_cast<char>(text[at] ^ (1U << random() % 8));
                    break;
                case 2:
                    text.erase(at, 1 + random() % 8);
                    break;
                case 3:
                    text.insert(at, 1, "[]{}\"'.,:=-#\n\\0e"[random() % 16]);
                    break;
                case 4:
                    text += "\n[[range]]\nfrom_bytes = 99999999\nmethod = \"native\"\n";
                    break;
                default:
                    text.insert(at, text.substr(random() % text.size(), random() % 60));
                    break;
            }
            if (text.empty()) {
                break;
            }
        }
        const auto tuning = read(text);
        ASSERT_TRUE(!tuning || *tuning == original) << "seed " << seed << " passes:\n" << text;
    }
}

TEST(TuningFile, WhatIsAddedBehindTheChecksumIsRefused) {
    const std::string text = tuning_text(example_tuning());
    for (const char* addition :
         {"\n", " ", "# remark\n", "more = 1\n", "[[range]]\nfrom_bytes = 2000000\nmethod = \"native\"\n"}) {
        const auto tuning = read(text + addition);
        ASSERT_FALSE(tuning) << addition;
    }
    EXPECT_THAT(to_string(read(text + "# remark\n").error()), HasSubstr("end with two whole lines"));
}

TEST(TuningFile, AnEditIsRefusedUntilItIsBlessed) {
    const std::string edited = replaced(tuning_text(example_tuning()), "from_bytes = 2048", "from_bytes = 4096");
    const auto refused = read(edited);
    ASSERT_FALSE(refused);
    EXPECT_THAT(to_string(refused.error()),
                AllOf(HasSubstr("t.toml:79:12: the file has changed since this checksum was made; restore it or tune "
                                "again; if the change is meant, write checksum = \"fnv1a:")));
    const auto accepted = read(blessed(edited));
    ASSERT_TRUE(accepted) << to_string(accepted.error());
    EXPECT_EQ(accepted->ranges[1].from_bytes, 4096);
}

struct Mistake {
    const char* what;
    const char* by;
    const char* message;  ///< behind "t.toml:"
};

class TuningMistake : public testing::TestWithParam<Mistake> {};

TEST_P(TuningMistake, IsToldWithItsPlace) {
    const auto& [what, by, message] = GetParam();
    const auto tuning = read(replaced(tuning_text(example_tuning()), what, by));
    ASSERT_FALSE(tuning);
    EXPECT_THAT(to_string(tuning.error()), StartsWith(std::string("t.toml:") + message));
}

INSTANTIATE_TEST_SUITE_P(
    Table, TuningMistake,
    testing::Values(
        Mistake{"aapc-tuning/1", "aapc-tuning/2",
                "3:10: the format is 'aapc-tuning/2'; 'aapc-tuning/1' is what this version reads"},
        Mistake{"format = ", "# format = ", "1:1: 'format' is missing at the top of the file"},
        Mistake{"format = \"aapc-tuning/1\"", "format = 1", "3:10: 'format' is an integer; it must be a string"},
        Mistake{"mpi = \"openmpi\"", "mpi = openmpi", "7:7: not valid TOML: "},
        Mistake{"mpi = \"openmpi\"\n", "", "5:1: 'mpi' is missing in [fingerprint]"},
        Mistake{"mpi = \"openmpi\"", "mbi = \"openmpi\"",
                "7:1: unknown key 'mbi' in [fingerprint]; did you mean 'mpi'?"},
        Mistake{"ranks = 8", "ranks = 9", "12:13: the placement is of 8 ranks, 'ranks' says 9; make both the same"},
        Mistake{"ranks = 8", "ranks = -8", "11:9: 'ranks' is -8; it must be 1 or more"},
        Mistake{"ranks = 8", "ranks = 8.5", "11:9: 'ranks' is a floating-point number; it must be a whole number"},
        Mistake{"n[0-7]", "n[0-x]", "12:18: "},
        Mistake{"duration_seconds = 512.25", "duration_seconds = nan", "16:20: 'duration_seconds' is nan"},
        Mistake{"duration_seconds = 512.25", "duration_seconds = -1", "16:20: 'duration_seconds' is -1; it must be 0"},
        Mistake{"duration_seconds = 512.25", "duration_seconds = \"x\"", "16:20: 'duration_seconds' is a string"},
        Mistake{"[conditions]", "[condition]",
                "14:2: unknown key 'condition' at the top of the file; did you mean 'conditions'?"},
        Mistake{"[[range]]", "[range]",
                "36:1: not valid TOML: Error while parsing table header: cannot redefine existing table 'range' as "
                "array-of-tables; start every range with [[range]], in double brackets"},
        Mistake{"from_bytes = 0", "from_bytes = 1", "21:14: the first range begins at 1 bytes; let it begin at 0"},
        Mistake{"from_bytes = 0", "from_bytes = -1", "21:14: 'from_bytes' is -1"},
        Mistake{"from_bytes = 2048", "from_bytes = 0",
                "37:14: a range from 0 bytes follows one from 0 bytes; write ranges in ascending order"},
        Mistake{"from_bytes = 2048", "from_bytes = 1",
                "37:14: the range begins at 1 bytes, and the one before it has a measurement at 1"},
        Mistake{"from_bytes = 65536", "from_bytes = 1024",
                "63:14: a range from 1024 bytes follows one from 2048 bytes"},
        Mistake{"method = \"native\"", "method = \"nativ\"", "22:10: 'method': there is no algorithm 'nativ'"},
        Mistake{"tree/paper+", "tree/oak+", "38:10: 'method': 'tree' has no variant 'oak'"},
        Mistake{"sender-partial:8", "sender-partial", "38:10: 'method': 'sender-partial' does not say how many"},
        Mistake{"runner_up = \"native\"", "runner_up = \"wood\"", "49:13: 'runner_up': there is no algorithm 'wood'"},
        Mistake{"runner_up_seconds = 0.00025\n", "", "24:1: 'runner_up_seconds' is missing in [[range.measured]]"},
        Mistake{"bytes = 1\n", "bytes = 0\n", "25:9: 'bytes' is 0; it must be 1 or more"},
        Mistake{"bytes = 16384", "bytes = 4096", "53:9: a measurement at 4096 bytes here; at least 4097 can follow"},
        Mistake{"bytes = 4096", "bytes = 2047", "41:9: a measurement at 2047 bytes here; at least 2048 can follow"},
        Mistake{"native_seconds = 0.000125", "native_seconds = 0",
                "26:18: 'native_seconds' is 0; it must be more than 0"},
        Mistake{"chosen_seconds = 0.000125", "chosen_seconds = -1", "27:18: 'chosen_seconds' is -1"},
        Mistake{"chosen_seconds = 0.000125", "chosen_seconds = inf", "27:18: 'chosen_seconds' is inf"},
        Mistake{"lead = 1.5", "lead = 1.75", "44:8: 'lead' is 1.75; it must lie between 'lead_low', 1.375"},
        Mistake{"spread = 0.0625", "spread = true", "31:10: 'spread' is a boolean; it must be a number"},
        Mistake{"repeats = 25", "repeats = 0", "32:11: 'repeats' is 0"},
        Mistake{"repeats = 25", "repeats = 25\nmedian = 3", "33:1: unknown key 'median' in [[range.measured]]"},
        Mistake{"checksum = \"fnv1a", "checksum = \"md5", "79:12: the file has changed since this checksum was made"},
        Mistake{"[end]", "[ende]", "78:2: unknown key 'ende' at the top of the file; did you mean 'end'?"}));

TEST(TuningFile, FilesThatCannotBeReadAreDiagnostics) {
    const auto missing = read_tuning_file("no-such-file.toml", NetworkKind::tree);
    ASSERT_FALSE(missing);
    EXPECT_THAT(to_string(missing.error()), StartsWith("no-such-file.toml: cannot be opened: "));
    const auto directory = read_tuning_file("/", NetworkKind::tree);
    ASSERT_FALSE(directory);
    EXPECT_THAT(to_string(directory.error()), HasSubstr("a directory; give the name of a tuning file"));
}

TEST(TuningFile, MethodsForAnotherKindOfNetworkAreRefused) {
    EXPECT_FALSE(read_tuning(tuning_text(example_tuning()), "t.toml", NetworkKind::torus));
}

// ---- Fingerprints ----

TEST(Fingerprint, EveryDifferenceIsNamedWithBothValues) {
    const Tuning tuning = example_tuning();
    const auto complaint = [&](auto change) {
        Fingerprint here = tuning.fingerprint;
        change(here);
        const auto difference = mismatch(tuning, here);
        return difference ? to_string(*difference) : std::string();
    };
    EXPECT_EQ(complaint([](Fingerprint&) {}), "");
    EXPECT_EQ(complaint([](Fingerprint& here) { here.topology_file = "elsewhere.toml"; }), "");
    EXPECT_THAT(complaint([](Fingerprint& here) { here.aapc_version = "0.2.0"; }),
                StartsWith("it was made for aapc 0.1.0, and here it is 0.2.0; tune again"));
    EXPECT_THAT(complaint([](Fingerprint& here) { here.mpi = "mpich"; }),
                StartsWith("it was made for the MPI 'openmpi', and here it is 'mpich'"));
    EXPECT_THAT(complaint([](Fingerprint& here) { here.mpi_version = "Open MPI v5"; }),
                AllOf(HasSubstr("v4.1.4"), HasSubstr("v5")));
    EXPECT_THAT(complaint([](Fingerprint& here) { here.topology_digest = "fnv1a:0"; }),
                AllOf(HasSubstr("fnv1a:0123456789abcdef"), HasSubstr("here it is fnv1a:0 ")));
    EXPECT_THAT(complaint([](Fingerprint& here) { here.machine_of.pop_back(); }),
                StartsWith("it was made for a number of ranks of 8, and here it is 7"));
    EXPECT_THAT(complaint([](Fingerprint& here) { std::swap(here.machine_of[1], here.machine_of[2]); }),
                StartsWith("it was made for rank 1 on n1 (placement 'n[0-7]'), and here it is n2 "
                           "('n0,n2,n1,n[3-7]')"));
}

TEST(Fingerprint, MpiVersionIsTheFirstLine) {
    EXPECT_EQ(mpi_version_line("MPICH Version:\t4.0.2\nMPICH Release date:\tThu"), "MPICH Version: 4.0.2");
    EXPECT_EQ(mpi_version_line("  Open \t MPI v4 \r\n"), "Open MPI v4");
    EXPECT_EQ(mpi_version_line(std::string_view("Open MPI\0rest", 13)), "Open MPI");
    EXPECT_EQ(mpi_version_line(""), "");
}

TEST(CompactHostlist, WritesRangesAndCounts) {
    using Names = std::vector<std::string>;
    EXPECT_EQ(compact_hostlist({}), "");
    EXPECT_EQ(compact_hostlist(Names{"n0"}), "n0");
    EXPECT_EQ(compact_hostlist(Names{"n0", "n1", "n2"}), "n[0-2]");
    EXPECT_EQ(compact_hostlist(Names{"n0", "n0", "n1", "n1"}), "n[0-1]:2");
    EXPECT_EQ(compact_hostlist(Names{"n0", "n1", "n0", "n1"}), "n[0-1],n[0-1]");
    EXPECT_EQ(compact_hostlist(Names{"n8", "n9", "n10"}), "n[8-10]");
    EXPECT_EQ(compact_hostlist(Names{"n08", "n09", "n10"}), "n[08-10]");
    EXPECT_EQ(compact_hostlist(Names{"n08", "n9"}), "n08,n9");
    EXPECT_EQ(compact_hostlist(Names{"r1n0", "r1n1", "r2n0"}), "r1n[0-1],r2n0");
    EXPECT_EQ(compact_hostlist(Names{"n0.lan", "n1.lan"}), "n[0-1].lan");
    EXPECT_EQ(compact_hostlist(Names{"7", "8"}), "7,8");
    EXPECT_EQ(compact_hostlist(Names{"n2", "n1"}), "n2,n1");
    EXPECT_EQ(compact_hostlist(Names{"n1234567890", "n1234567891"}), "n1234567890,n1234567891");
}

TEST(CompactHostlist, ExpandsToTheSameNames) {
    for (std::uint64_t seed = 1; seed <= 5'000; ++seed) {
        const std::vector<std::string> names = random_tuning(seed).fingerprint.machine_of;
        const auto entries = expand_hostlist(compact_hostlist(names));
        ASSERT_TRUE(entries) << "random_tuning(" << seed << ")";
        std::vector<std::string> back;
        for (const HostlistEntry& entry : *entries) {
            back.insert(back.end(), static_cast<std::size_t>(entry.ranks), entry.name);
        }
        ASSERT_EQ(back, names) << "random_tuning(" << seed << "): " << compact_hostlist(names);
    }
}

}  // namespace
}  // namespace aapc
