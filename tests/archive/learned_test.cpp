#include "archive/learned.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "selection/tunings.hpp"

namespace aapc::selection {
namespace {

using test::example_tuning;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

LearnedSize size_of(std::int64_t bytes, std::string_view name) {
    return {test::method(name), {bytes, 0.002, 0.001, {2, 1.5, 2.5}, 0.125, 7, std::nullopt}};
}

Tuning learned(std::vector<LearnedSize> sizes, std::vector<std::string> machine_of = {"n0", "n1", "n2"}) {
    Tuning tuning = example_tuning();
    tuning.fingerprint.machine_of = std::move(machine_of);
    tuning.conditions.calls = 40;
    tuning.ranges = learned_ranges(sizes);
    return tuning;
}

auto range(std::int64_t from_bytes, std::string_view name) {
    return testing::AllOf(Field(&TunedRange::from_bytes, from_bytes), Field(&TunedRange::method, test::method(name)));
}

TEST(Learned, ServesSizesAnOctaveAwayAndMeetsInTheMiddle) {
    const std::vector<LearnedSize> sizes = {size_of(1000, "ring"), size_of(4000, "tree"), size_of(100'000, "ring"),
                                            size_of(120'000, "native")};
    const Tuning tuning = learned(sizes);
    EXPECT_THAT(tuning.ranges, ElementsAre(range(0, "native"), range(500, "ring"), range(2000, "tree"),
                                           range(8000, "native"), range(50'000, "ring"), range(109'544, "native")));
    EXPECT_EQ(learned_sizes(tuning), sizes);
    EXPECT_EQ(read_tuning(tuning_text(tuning), "f", NetworkKind::tree).value(), tuning);
    EXPECT_EQ(*learned_method(tuning, 1900), test::method("ring"));
    EXPECT_EQ(*learned_method(tuning, 8000), test::method("tree"));
    EXPECT_EQ(learned_method(tuning, 8001), nullptr);
    EXPECT_EQ(learned_method(tuning, 499), nullptr);
    EXPECT_THAT(learned_ranges({size_of(1, "ring")}),
                ElementsAre(range(0, "native"), range(1, "ring"), range(2, "native")));
}

TEST(Learned, AFileIsWhatItsJobsHaveAdded) {
    const NetworkKind kind = NetworkKind::tree;
    std::string text = with_learned({}, {learned({size_of(1000, "ring"), size_of(4000, "ring")})}, kind);
    const Tuning others = learned({size_of(8, "tree")}, {"n0", "n1", "n2", "n3"});
    text = with_learned(take_apart_learned(text, "f"), {others, learned({size_of(4000, "tree")})}, kind);
    const LearnedFile file = take_apart_learned(text, "f");
    EXPECT_FALSE(file.damage);
    Fingerprint here = others.fingerprint;
    const auto sections = sections_for(file, here, kind, "f").value();
    ASSERT_EQ(sections.size(), 2);
    EXPECT_EQ(sections[0], others);
    EXPECT_EQ(learned_sizes(sections[1]), (std::vector<LearnedSize>{size_of(1000, "ring"), size_of(4000, "tree")}));
    EXPECT_EQ(sections[1].conditions.calls, 80);
    here.mpi_version = "another";
    EXPECT_THAT(sections_for(file, here, kind, "f").value(), IsEmpty());
    here.mpi_version.clear();
    EXPECT_EQ(sections_for(file, here, kind, "f").value().size(), 2);
    here.topology_digest = "fnv1a:1";
    EXPECT_THAT(sections_for(file, here, kind, "f").value(), IsEmpty());
}

TEST(Learned, KeepsWhatIsNotItsOwn) {
    // Another network's section is not understood, and one of aapc tune is not replaced.
    std::string other = tuning_text(learned({size_of(8, "tree")}));
    Tuning tuned = learned({size_of(8, "tree")});
    tuned.conditions.calls = 0;
    Tuning elsewhere = learned({size_of(16, "ring")});
    elsewhere.fingerprint.topology_digest = "fnv1a:1";
    const std::string before = tuning_text(elsewhere) + tuning_text(tuned);
    const std::string after =
        with_learned(take_apart_learned(before, "f"), {learned({size_of(8, "ring")})}, NetworkKind::tree);
    EXPECT_EQ(after, before + tuning_text(learned({size_of(8, "ring")})));
}

TEST(Learned, DamageIsNamedAndTheRestKept) {
    const std::string one = tuning_text(learned({size_of(8, "tree")}));
    std::string damaged = one;
    damaged[damaged.find("repeats")] = 'R';
    for (const std::string& text : {damaged + one, one.substr(0, one.size() / 2), one + "more\n", one.substr(1)}) {
        const LearnedFile file = take_apart_learned(text, "f");
        ASSERT_TRUE(file.damage) << text;
        EXPECT_TRUE(file.ours);
    }
    EXPECT_THAT(take_apart_learned(damaged + one, "f").sections, ElementsAre(one));
    EXPECT_EQ(take_apart_learned(one + damaged, "f").damage->line, std::count(one.begin(), one.end(), '\n') + 1);
    EXPECT_TRUE(take_apart_learned("", "f").ours);
    EXPECT_FALSE(take_apart_learned("[network]\nspeed = \"1Gbit\"\n", "f").ours);
}

}  // namespace
}  // namespace aapc::selection
