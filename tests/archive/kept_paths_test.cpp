#include "archive/kept_paths.hpp"

#include <gmock/gmock.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

namespace aapc {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

KeptPaths section(std::string key, std::size_t pairs) {
    KeptPaths paths{std::move(key), {}};
    for (std::size_t index = 0; index < pairs; ++index) {
        const auto rank = static_cast<Rank>(index);
        paths.pairs.push_back({rank, rank + 1, 40'000, {40'001, 50'000}, static_cast<int>(index % 1025)});
    }
    return paths;
}

TEST(KeptPaths, AFileIsWhatWasWritten) {
    const std::vector<KeptPaths> sections = {section("fnv1a:1", 3), section("fnv1a:2", 0), section("fnv1a:3", 1)};
    EXPECT_EQ(read_kept_paths(kept_paths_file(sections), "f").value(), sections);
    EXPECT_THAT(read_kept_paths(kept_paths_file({}), "f").value(), IsEmpty());
    EXPECT_EQ(kept_paths_text(section("fnv1a:2", 2)), "of fnv1a:2\n0 1 40000 40001 50000 0\n1 2 40000 40001 50000 1\n");
}

TEST(KeptPaths, SectionsOfOneKeyThatFollowEachOtherAreOne) {
    const KeptPaths both = section("fnv1a:1", 2);
    const KeptPaths first{both.key, {both.pairs[0]}};
    const KeptPaths second{both.key, {both.pairs[1]}};
    EXPECT_EQ(read_kept_sections(kept_paths_text(first) + kept_paths_text(second), "f").value(),
              std::vector<KeptPaths>{both});
}

TEST(KeptPaths, MistakesAreNamed) {
    const auto said = [](const std::string& text) {
        const auto read = read_kept_sections(text, "f");
        return read ? std::string("nothing") : to_string(read.error());
    };
    EXPECT_EQ(said("of k\n0 1 2 3 4 5\n"), "nothing");
    for (const char* const line :
         {"0 1 2 3 4", "0 1 2 3 4 5 6", "0 1 2 3 4 5 ", " 0 1 2 3 4 5", "0 1 0 3 4 5", "0 1 2 0 4 5", "0 1 2 3 65536 5",
          "-1 1 2 3 4 5", "0 99999999 2 3 4 5", "0 1 2 3 4 1025", "0 0 2 3 4 5", "0 1 2 3 3 5", "0 1 2 3 4 x", "", "x",
          "0 1 2 3 4 99999999999999999999"}) {
        EXPECT_EQ(said(std::string("of k\n") + line + "\n"), "f:2: this is no pair of connections") << line;
    }
    EXPECT_EQ(said("0 1 2 3 4 5\n"), "f:1: this is no pair of connections");
    EXPECT_EQ(to_string(read_kept_paths("", "f").error()), "f:1: this is no file of paths");
    EXPECT_EQ(to_string(read_kept_paths("aapc paths 1\nfnv1a:0\n", "f").error()), "f:2: the checksum is wrong");
}

TEST(KeptPaths, TheOldestSectionsGo) {
    std::vector<KeptPaths> sections;
    add_kept_paths(sections, {section("a", 1), section("b", 2)});
    add_kept_paths(sections, {section("a", 3)});
    EXPECT_EQ(sections, (std::vector<KeptPaths>{section("b", 2), section("a", 3)}));
    add_kept_paths(sections, {section("c", most_kept_pairs - 3)});
    EXPECT_THAT(sections, SizeIs(2));
    add_kept_paths(sections, {section("d", most_kept_pairs + 1)});
    EXPECT_THAT(sections, IsEmpty());
}

/// Changed bytes, lines and halves are a mistake or other pairs, which are in their ranges.
TEST(KeptPaths, NoFileDoesHarm) {
    std::string text;
    for (const KeptPaths& one : {section("fnv1a:1", 3), section("fnv1a:2", 5)}) {
        text += kept_paths_text(one);
    }
    for (unsigned seed = 0; seed < 3000; ++seed) {
        std::mt19937 random(seed);
        std::string changed = text;
        for (unsigned change = 0; change <= random() % 4; ++change) {
            const std::size_t place = random() % changed.size();
            switch (random() % 3) {
                case 0:
                    changed[place] = static_cast<char>(random());
                    break;
                case 1:
                    changed.erase(place, random() % 8);
                    break;
                default:
                    changed.insert(place, changed.substr(random() % changed.size(), random() % 30));
                    break;
            }
            changed += changed.empty() ? "0" : "";
        }
        SCOPED_TRACE("seed " + std::to_string(seed) + ": " + changed);
        EXPECT_TRUE(changed == text || !read_kept_paths("aapc paths 1\nfnv1a:0\n" + changed, "f"));
        const auto read = read_kept_sections(changed, "f");
        if (!read) {
            EXPECT_GE(read.error().line, 1);
            continue;
        }
        for (const KeptPaths& paths : *read) {
            for (const KeptPair& pair : paths.pairs) {
                EXPECT_TRUE(pair.from >= 0 && pair.to >= 0 && pair.from != pair.to && pair.listens > 0);
                EXPECT_TRUE(pair.ports[0] > 0 && pair.ports[1] > 0 && pair.ports[0] != pair.ports[1]);
                EXPECT_TRUE(pair.share >= 0 && pair.share <= kept_shares);
            }
        }
        EXPECT_EQ(read_kept_paths(kept_paths_file(*read), "f").value(), *read);
    }
}

}  // namespace
}  // namespace aapc
