#include "aapc/methods/method.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "support/networks.hpp"

namespace aapc {
namespace {

using Kind = Synchronisation::Kind;
using testing::HasSubstr;

Method method_of(std::string_view algorithm, std::string variant, const Synchronisation& synchronisation) {
    return {*find_algorithm(algorithm), std::move(variant), synchronisation};
}

/// What parse_method() has against a text.
Diagnostic mistake(std::string_view text, NetworkKind kind = NetworkKind::tree) {
    const auto method = parse_method(text, kind);
    EXPECT_FALSE(method.has_value()) << text << " was read as " << to_string(*method);
    return method ? Diagnostic{} : method.error();
}

/// Every kind with every parameter that it takes, small, large and not given.
std::vector<Synchronisation> many_synchronisations() {
    std::vector<Synchronisation> list;
    for (const SynchronisationEntry& entry : synchronisations()) {
        if (entry.has_blocks) {
            for (const Phase phases : {Phase{1}, Phase{8}, Phase{1} << 40, all_phases}) {
                list.push_back(Synchronisation::with_blocks(entry.kind, phases));
            }
        } else if (entry.kind == Kind::timed) {
            for (const std::int64_t segment :
                 {std::int64_t{0}, std::int64_t{1}, std::int64_t{8688}, std::numeric_limits<std::int64_t>::max()}) {
                for (const double pace : {0.0, 0.95, 1.0, 0.1 + 0.2, 1e-300, 100.0}) {
                    list.push_back({entry.kind, 0, segment, pace});
                }
            }
        } else {
            list.push_back({entry.kind, 0, 0, 0});
        }
    }
    return list;
}

TEST(Method, IsReadBackAsItWasWritten) {
    for (const Algorithm& algorithm : algorithms()) {
        std::vector<std::string> variants(algorithm.variants.begin(), algorithm.variants.end());
        if (!algorithm.numbered_variants.empty()) {
            variants.push_back(std::string(algorithm.numbered_variants) + "7");
        }
        for (const NetworkKind kind : {NetworkKind::tree, NetworkKind::torus, NetworkKind::clusters}) {
            for (const std::string& variant : variants) {
                for (const Synchronisation& synchronisation : many_synchronisations()) {
                    const Method method{&algorithm, variant, synchronisation};
                    const auto read = parse_method(to_string(method), kind);
                    ASSERT_EQ(read.has_value(), algorithm.is_for(kind)) << to_string(method);
                    if (read) {
                        EXPECT_EQ(*read, method) << to_string(method);
                        EXPECT_EQ(to_string(*read), to_string(method));
                    }
                }
            }
        }
    }
}

TEST(Method, TheMpisOwn) {
    for (const NetworkKind kind : {NetworkKind::tree, NetworkKind::torus, NetworkKind::clusters}) {
        const auto method = parse_method("native", kind);
        ASSERT_TRUE(method.has_value());
        EXPECT_TRUE(method->native());
        EXPECT_EQ(*method, Method{});
        EXPECT_EQ(to_string(*method), "native");
    }
}

TEST(Method, WhatIsLeftOutIsTheAlgorithmsDefault) {
    EXPECT_EQ(*parse_method("tree", NetworkKind::tree), method_of("tree", "merged", Synchronisation::timed));
    EXPECT_EQ(*parse_method("tree/paper", NetworkKind::tree), method_of("tree", "paper", Synchronisation::timed));
    EXPECT_EQ(*parse_method("tree+barrier", NetworkKind::tree), method_of("tree", "merged", Synchronisation::barrier));
    EXPECT_EQ(*parse_method("tree/paper+timed-grid:8688@0.95", NetworkKind::tree),
              method_of("tree", "paper", {Kind::timed, 0, 8688, 0.95, true}));
    EXPECT_EQ(to_string(*parse_method("lattice+timed-grid", NetworkKind::tree)), "lattice/settled+timed-grid");
    EXPECT_FALSE(parse_synchronisation("timed-gri"));
    EXPECT_EQ(*parse_method("tree/paper+timed:8688@0.95", NetworkKind::tree),
              method_of("tree", "paper", {Kind::timed, 0, 8688, 0.95}));
    for (const Algorithm& algorithm : algorithms()) {
        for (const NetworkKind kind : {NetworkKind::tree, NetworkKind::torus}) {
            if (algorithm.is_for(kind)) {
                EXPECT_EQ(*parse_method(algorithm.name, kind),
                          (Method{&algorithm, std::string(algorithm.variants.front()), algorithm.synchronisation}));
            }
        }
    }
}

TEST(Method, UnknownAlgorithms) {
    for (const std::string_view text :
         {"", "Tree", "tree ", "/paper", "+sender", "native/plain", "native+none", "trees"}) {
        const Diagnostic diagnostic = mistake(text);
        EXPECT_THAT(diagnostic.problem, HasSubstr("there is no algorithm"));
        EXPECT_THAT(diagnostic.advice, testing::AllOf(HasSubstr("tree"), HasSubstr("ring"), HasSubstr("native")));
        EXPECT_EQ(diagnostic.file, "");
    }
}

TEST(Method, UnknownVariants) {
    for (const std::string_view text :
         {"tree/", "tree/papers", "tree/paper/paper", "tree/Paper+sender", "tree/merged "}) {
        EXPECT_THAT(mistake(text).problem, HasSubstr("'tree' has no variant '"));
        EXPECT_THAT(mistake(text).advice, HasSubstr("merged, paper"));
    }
    for (const std::string_view text : {"bruck/radix-", "bruck/radix-1", "bruck/radix-0", "bruck/radix--2",
                                        "bruck/radix-2x", "bruck/radix-99999999999", "bruck/radix-02"}) {
        EXPECT_THAT(mistake(text).problem, HasSubstr("'bruck' has no variant 'radix-"));
        EXPECT_THAT(mistake(text).advice, HasSubstr("radix-N"));
    }
}

TEST(Method, UnknownSynchronisations) {
    EXPECT_THAT(mistake("tree+").problem, HasSubstr("there is no synchronisation ''"));
    EXPECT_THAT(mistake("tree+senders").problem, HasSubstr("there is no synchronisation 'senders'"));
    EXPECT_THAT(mistake("tree+sender+sender").problem, HasSubstr("there is no synchronisation 'sender+sender'"));
    EXPECT_THAT(mistake("tree+senders").advice, HasSubstr("barrier-partial-receiver:BS"));
    EXPECT_THAT(mistake("tree+sender:8").problem, HasSubstr("takes no parameter"));
    EXPECT_THAT(mistake("tree+sender@0.5").problem, HasSubstr("takes no parameter"));
    EXPECT_THAT(mistake("tree+sender-partial:8@1").problem, HasSubstr("takes no parameter"));
    EXPECT_THAT(mistake("tree+sender-partial").problem, HasSubstr("does not say how many phases"));
    for (const std::string_view size : {"0", "-1", "8x", " 8", "1.5", "99999999999999999999", "ALL"}) {
        EXPECT_THAT(mistake("tree+sender-partial:" + std::string(size)).problem, HasSubstr("is no number of phases"));
    }
    for (const std::string_view size : {"", "0", "-5", "8k"}) {
        EXPECT_THAT(mistake("tree+timed:" + std::string(size)).problem, HasSubstr("is no size of a segment"));
    }
    for (const std::string_view pace : {"", "0", "-1", "nan", "inf", "101", "0.9x"}) {
        EXPECT_THAT(mistake("tree+timed@" + std::string(pace)).problem, HasSubstr("is no pace"));
    }
}

TEST(Method, AlgorithmsForOtherNetworks) {
    const Diagnostic diagnostic = mistake("tree", NetworkKind::torus);
    EXPECT_THAT(diagnostic.problem, testing::AllOf(HasSubstr("'tree'"), HasSubstr("torus")));
    EXPECT_THAT(diagnostic.advice, HasSubstr("native"));
}

/// A timetable of nobody that promises what it is told to.
class Promise final : public Timetable {
  public:
    Promise(Guarantee guarantee, bool forwards) : guarantee_(guarantee), forwards_(forwards) {}
    [[nodiscard]] Rank participants() const override { return 1; }
    [[nodiscard]] Phase phases() const override { return 0; }
    [[nodiscard]] Guarantee guarantee() const override { return guarantee_; }
    [[nodiscard]] std::vector<Transfer> sends_of(Rank) const override { return {}; }
    [[nodiscard]] std::vector<Transfer> receives_of(Rank) const override { return {}; }
    [[nodiscard]] bool forwards() const override { return forwards_; }

  private:
    Guarantee guarantee_;
    bool forwards_;
};

TEST(SynchronisationFits, NeedsContentionFreePhasesOfSingleBlocksOrNothing) {
    for (const Guarantee guarantee :
         {Guarantee::shortest, Guarantee::contention_free, Guarantee::one_port, Guarantee::nothing}) {
        const bool contention_free = guarantee == Guarantee::shortest || guarantee == Guarantee::contention_free;
        for (const bool forwards : {false, true}) {
            for (const Synchronisation& synchronisation : many_synchronisations()) {
                const auto fits = check_synchronisation_fits(Promise(guarantee, forwards), synchronisation);
                const bool needs = needs_contention_free_phases(synchronisation);
                const bool needs_single_blocks = needs || synchronisation.kind == Kind::ports;
                ASSERT_EQ(fits.has_value(), (!needs || contention_free) && (!needs_single_blocks || !forwards))
                    << to_string(synchronisation);
                if (!fits) {
                    EXPECT_THAT(fits.error().problem,
                                HasSubstr(!needs || contention_free ? "orders single messages"
                                                                    : "keeps contention-free phases apart"));
                    EXPECT_THAT(fits.error().problem, HasSubstr(std::string(name_of(synchronisation.kind))));
                    EXPECT_THAT(fits.error().advice, HasSubstr("barrier-partial-none:BS"));
                }
            }
        }
    }
}

TEST(SynchronisationFits, CyclesGoByTheClockOrByNothingAtAll) {
    std::string fitting;
    for (const Synchronisation& synchronisation : many_synchronisations()) {
        const auto fits = check_synchronisation_fits(Promise(Guarantee::within_capacity, false), synchronisation);
        ASSERT_EQ(fits.has_value(), fits_cycles(synchronisation)) << to_string(synchronisation);
        if (!fits) {
            EXPECT_THAT(fits.error().problem, HasSubstr("at times of a cycle"));
            EXPECT_THAT(fits.error().problem, HasSubstr(std::string(name_of(synchronisation.kind))));
        } else if (!fitting.ends_with(std::string(name_of(synchronisation.kind)) + " ")) {
            fitting += std::string(name_of(synchronisation.kind)) + " ";
        }
    }
    EXPECT_EQ(fitting, "none window timed ");
    EXPECT_TRUE(check_synchronisation_fits(Guarantee::shortest, false, Synchronisation::sender).has_value());
}

/// What the command line and the tuner offer for each algorithm can be had.
TEST(SynchronisationFits, EveryAlgorithmsDefault) {
    const Network network = test::chain_of({3, 2, 2}).build();
    for (const Algorithm& algorithm : algorithms()) {
        for (const std::string_view variant : algorithm.variants) {
            const auto timetable = build_timetable(algorithm, variant, network, full_placement(network));
            if (!timetable) {
                continue;  // not every variant is for every number of ranks
            }
            EXPECT_TRUE(check_synchronisation_fits(**timetable, algorithm.synchronisation).has_value())
                << algorithm.name << "/" << variant;
        }
    }
}

/// The kinds that the paper's scheduling needs, named one by one.
TEST(SynchronisationFits, WhichKindsNeedContentionFreePhases) {
    std::vector<std::string_view> free;
    for (const SynchronisationEntry& entry : synchronisations()) {
        if (!needs_contention_free_phases({entry.kind, 0, 0, 0})) {
            free.push_back(entry.name);
        }
    }
    EXPECT_THAT(free, testing::ElementsAre("none", "barrier", "barrier-partial-none", "window", "ports"));
}

}  // namespace
}  // namespace aapc
