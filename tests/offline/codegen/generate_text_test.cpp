// The parts of which generated text is made, and the text itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "aapc/offline/plan_from_schedule.hpp"
#include "aapc/plan/pacing.hpp"
#include "aapc/plan/plan.hpp"
#include "offline/codegen/render.hpp"
#include "offline/codegen/routine_support.hpp"
#include "offline/codegen/text.hpp"

namespace aapc::test {
namespace {

using codegen::in_comment;
using codegen::render;
using codegen::smallest_unsigned_type;
using codegen::string_literal;
using codegen::Values;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(InComment, LeavesOrdinaryTextAlone) {
    EXPECT_EQ(in_comment("aapc generate cluster-1.toml -o /tmp/x.c"), "aapc generate cluster-1.toml -o /tmp/x.c");
    EXPECT_EQ(in_comment("why? 2*3/4 */"), "why? 2*3/4 *\\057");
}

TEST(InComment, DisarmsWhatACompilerWouldSee) {
    EXPECT_EQ(in_comment("*/"), "*\\057");
    EXPECT_EQ(in_comment("/*"), "/\\052");
    EXPECT_EQ(in_comment("?\?/"), "?\\077/");
    EXPECT_EQ(in_comment("a\nb"), "a\\012b");
    EXPECT_EQ(in_comment("end\\"), "end\\134");
    EXPECT_EQ(in_comment("\xc3\xa4"), "\\303\\244");
}

// No two neighbouring bytes of any kind may form something: all triples of the bytes that matter.
TEST(InComment, NeverContainsAnActivePair) {
    constexpr std::string_view bytes = "*/?\\\n\r\"a";
    for (const char first : bytes) {
        for (const char second : bytes) {
            for (const char third : bytes) {
                const std::string text = in_comment(std::string{first, second, third});
                for (const std::string_view forbidden : {"*/", "/*", "?\?", "\n", "\r", "\\\\"}) {
                    EXPECT_EQ(text.find(forbidden), std::string::npos) << text;
                }
            }
        }
    }
}

TEST(InComment, CutsLongTexts) { EXPECT_EQ(in_comment(std::string(500, 'x'), 10), "xxxxxxxxxx..."); }

TEST(StringLiteral, EscapesQuotesBackslashesAndTrigraphs) {
    EXPECT_EQ(string_literal("n0"), "\"n0\"");
    EXPECT_EQ(string_literal("\"; system(\"x\"); \""), R"("\042; system(\042x\042); \042")");
    EXPECT_EQ(string_literal("?\?/\\\n1"), R"("\077\077/\134\0121")");
    EXPECT_EQ(string_literal(std::string(5000, 'x')).size(), 1025U);
}

TEST(SmallestUnsignedType, FitsExactly) {
    EXPECT_EQ(smallest_unsigned_type(255), "uint8_t");
    EXPECT_EQ(smallest_unsigned_type(256), "uint16_t");
    EXPECT_EQ(smallest_unsigned_type(65535), "uint16_t");
    EXPECT_EQ(smallest_unsigned_type(65536), "uint32_t");
    EXPECT_EQ(smallest_unsigned_type(std::int64_t{1} << 32), "uint64_t");
}

TEST(Render, KeepsLinesOfTheConditionAndFillsInValues) {
    const Values values{{"X", "TEMPLATE_X"}, {"YES", "1"}, {"NO", "0"}};
    const auto rendered = [&values](std::string_view text) { return render({{"a.c", text}}, "a.c", values); };
    EXPECT_EQ(rendered("a TEMPLATE_X;\n#if TEMPLATE_YES\nb\n#endif\n#if TEMPLATE_NO\nc\n#else\nd\n#endif\ne\n"),
              "a TEMPLATE_X;\nb\nd\ne\n");
    EXPECT_EQ(rendered("b TEMPLATE_UNKNOWN TEMPLATE_X2 TEMPLATE_X\n"), "b TEMPLATE_UNKNOWN TEMPLATE_X2 TEMPLATE_X\n");
    EXPECT_EQ(rendered("#if TEMPLATE_UNKNOWN\na\n#endif\n"), "#if TEMPLATE_UNKNOWN\na\n#endif\n");
}

TEST(Render, NestsConditionsAndLeavesThoseOfTheRoutine) {
    const Values values{{"YES", "1"}, {"NO", "0"}};
    const auto rendered = [&values](std::string_view text) { return render({{"a.c", text}}, "a.c", values); };
    EXPECT_EQ(rendered("#ifndef A\n#if TEMPLATE_NO\na\n#else\nb\n#endif\n#else\nc\n#endif\n"),
              "#ifndef A\nb\n#else\nc\n#endif\n");
    EXPECT_EQ(rendered("#if TEMPLATE_NO\n#ifdef A\na\n#else\nb\n#endif\n#else\nc\n#endif\n"), "c\n");
    EXPECT_EQ(rendered("#if TEMPLATE_NO\n#if TEMPLATE_YES\na\n#else\nb\n#endif\nc\n#endif\nd\n"), "d\n");
}

TEST(Render, PutsTheMarginBeforeEveryLineOfAValue) {
    EXPECT_EQ(render({{"a.c", "/*\n *   TEMPLATE_X\n */\n    TEMPLATE_X,\n"}}, "a.c", {{"X", "1\n2"}}),
              "/*\n *   1\n *   2\n */\n    1\n    2,\n");
}

TEST(Render, IncludesTemplatesAsParagraphs) {
    const codegen::Templates files{{"a.c",
                                    "#include \"values.h\"\n#include \"b.h\"\n#if TEMPLATE_NO\n#include \"b.h\"\n"
                                    "#endif\n#include <c.h>\n#include \"d.h\"\ne\n#include \"b.h\"\n"},
                                   {"b.h", "b TEMPLATE_NO\n"}};
    EXPECT_EQ(render(files, "a.c", {{"NO", "0"}}), "b 0\n\n#include <c.h>\n#include \"d.h\"\ne\n\nb 0\n");
}

class EverySynchronisation : public ::testing::TestWithParam<Synchronisation> {};

INSTANTIATE_TEST_SUITE_P(Generate, EverySynchronisation, ::testing::ValuesIn(every_synchronisation()),
                         [](const auto& param_info) { return test_name(to_string(param_info.param)); });

TEST_P(EverySynchronisation, IsDeterministicAndComplete) {
    const Network network = chain_of({2, 3, 1}).build();
    const std::string text = routine_for(network, GetParam());
    EXPECT_EQ(text, routine_for(network, GetParam()));
    EXPECT_THAT(text, Not(HasSubstr("TEMPLATE_"))) << "something was not filled in";
    EXPECT_THAT(text, Not(HasSubstr("#include \""))) << "something was not put in";
    EXPECT_THAT(text, HasSubstr("\nint MPI_Alltoall(const void *sendbuf, "));
    EXPECT_EQ(text.back(), '\n');
    EXPECT_THAT(text, Not(HasSubstr("\n\n\n")));
    EXPECT_THAT(text, Not(HasSubstr(" \n")));
    EXPECT_THAT(text, HasSubstr("\n *     aapc generate test\n"));
}

TEST_P(EverySynchronisation, SaysWhatItCosts) {
    const Network network = chain_of({2, 3, 1}).build();
    const BuiltSchedule built = build_schedule(network, "tree/merged+" + to_string(GetParam()));
    ASSERT_TRUE(built.schedule);
    std::int64_t tokens = 0;
    std::size_t dummies = 0;
    for (Rank rank = 0; rank < 6; ++rank) {
        const Plan plan = plan_from_schedule(*built.schedule, built.edges, rank, GetParam());
        dummies += plan.dummy_sends.size();
        for (const Token& token : plan.signals) {
            tokens += token.peer == rank ? 0 : 1;
        }
    }
    std::string more;
    if (GetParam().kind == Synchronisation::Kind::dummy) {
        more = fmt::format(", {} dummies", dummies);
    } else if (GetParam().kind == Synchronisation::Kind::barrier) {
        more = ", 7 barriers";
    } else if (phases_between_barriers(GetParam()) == 3) {
        more = ", 2 barriers";
    }
    // Machines {0,1}, {2,3,4}, {5}: the link between the first two switches carries 2·4 messages, the other one 5, and
    // a machine's own link 5.
    EXPECT_THAT(
        routine_for(network, GetParam()),
        HasSubstr(fmt::format("8 phases (bound: 8), 30 messages, {} synchronisation messages{}\n", tokens, more)));
}

// Only the code of the synchronisation that was asked for.
TEST(GenerateRoutine, ContainsNoCodeOfOtherSynchronisations) {
    const Network network = chain_of({2, 2}).build();
    const std::string none = routine_for(network, Synchronisation::none);
    EXPECT_THAT(none, Not(HasSubstr("token")));
    EXPECT_THAT(none, Not(HasSubstr("SEGMENT")));
    EXPECT_THAT(none, Not(HasSubstr("arrier")));
    EXPECT_THAT(none, Not(HasSubstr("BLOCKS")));
    EXPECT_THAT(none, Not(HasSubstr("ummies")));
    EXPECT_THAT(routine_for(network, Synchronisation::timed), Not(HasSubstr("aapc_token")));
    EXPECT_THAT(routine_for(network, Synchronisation::sender), Not(HasSubstr("own_tokens")));
    EXPECT_THAT(routine_for(network, Synchronisation::receiver), Not(HasSubstr("SEGMENT")));
    EXPECT_THAT(routine_for(network, Synchronisation::barrier), Not(HasSubstr("token")));
    EXPECT_THAT(routine_for(network, Synchronisation::dummy), Not(HasSubstr("token")));
    EXPECT_THAT(routine_for(network, "ring+window:1"), Not(HasSubstr("arrier")));
    EXPECT_THAT(routine_for(network, "bruck"), Not(HasSubstr("arrier")));
}

TEST(GenerateRoutine, ShowsTheTinyTopologyAndItsTables) {
    TreeBuilder tree;
    tree.add_switch(-1);
    tree.add_switch(0, 2.5e9);
    tree.add_machine(0);
    tree.add_machine(0, 1, 1e7);
    tree.add_machine(1);
    const std::string text = routine_for(tree.build(), Synchronisation::timed);
    EXPECT_THAT(text, HasSubstr(" *   s0: n0 at 100 Mbit/s; n1 at 10 Mbit/s; s1 at 2.5 Gbit/s;\n"
                                " *   s1: n2 at 100 Mbit/s;\n"));
    EXPECT_THAT(text, HasSubstr("#define AAPC_RANKS 3\n"));
    EXPECT_THAT(text, HasSubstr("#define AAPC_PHASES 2\n"));
    EXPECT_THAT(text, HasSubstr("#define AAPC_LINK_BITS_PER_SECOND 10000000.0\n"));
    EXPECT_THAT(text, HasSubstr("static const char *const aapc_machine[AAPC_RANKS] = {\n"
                                "    /* 0 */ \"n0\",\n    /* 1 */ \"n1\",\n    /* 2 */ \"n2\",\n};"));
}

// A row of each table against the plan, on a schedule that the reader can follow: phase k of a ring is i to i+k+1.
TEST(GenerateRoutine, WritesTheTablesOfARing) {
    const Network network = star_of({1, 1, 1, 1}).build();
    ScheduleDraft draft{"ring", "plain", 3, {}};
    for (int phase = 0; phase < 3; ++phase) {
        std::vector<Transfer>& transfers = draft.phases.emplace_back();
        for (Rank rank = 0; rank < 4; ++rank) {
            transfers.push_back({phase, rank, (rank + phase + 1) % 4});
        }
    }
    const auto schedule = check_schedule(draft, network, full_placement(network));
    ASSERT_TRUE(schedule) << schedule.error().what;
    const auto routine =
        generate_routine(*schedule, Synchronisation::timed, {}, {"by hand", 1, cadence_of_phases(1e8)});
    ASSERT_TRUE(routine) << to_string(routine.error());
    const std::string& text = *routine;
    EXPECT_THAT(text, HasSubstr("aapc_send_to[AAPC_RANKS][AAPC_PARTNERS] = {\n"
                                "    /* 0 */ {1, 2, 3},\n    /* 1 */ {2, 3, 0},\n    /* 2 */ {3, 0, 1},\n"
                                "    /* 3 */ {0, 1, 2},\n};"));
    EXPECT_THAT(text, HasSubstr("aapc_receive_from[AAPC_RANKS][AAPC_PARTNERS] = {\n    /* 0 */ {3, 2, 1},\n"));
    EXPECT_THAT(text, HasSubstr("aapc_send_phase[AAPC_RANKS][AAPC_PARTNERS] = {\n    /* 0 */ {0, 1, 2},\n"));
    EXPECT_THAT(text, HasSubstr(" *   phase 1: 0>2 1>3 2>0 3>1\n"));
    EXPECT_THAT(text, HasSubstr(" * Algorithm:       ring, variant plain\n"));
}

TEST(GenerateRoutine, WritesTheSegmentationThatTheExecutorUses) {
    for (const double speed : {1e6, 1e8, 1e9, 1e10}) {
        TreeBuilder tree;
        tree.add_switch(-1);
        tree.add_machine(0, 1, speed);
        tree.add_machine(0, 1, speed);
        EXPECT_THAT(routine_for(tree.build(), Synchronisation::timed),
                    HasSubstr(fmt::format("#define AAPC_SEGMENT_BYTES {}\n",
                                          segment_message(std::numeric_limits<int>::max(), speed).segment_bytes)));
    }
}

TEST(GenerateRoutine, TakesSegmentAndPaceFromTheSynchronisation) {
    const Network network = chain_of({2, 2}).build();
    const std::string chosen = routine_for(network, "tree+timed:4344@0.5");
    EXPECT_THAT(chosen, HasSubstr("#ifndef AAPC_SEGMENT_BYTES\n#define AAPC_SEGMENT_BYTES 4344\n"));
    EXPECT_THAT(chosen, HasSubstr("#ifndef AAPC_PACE\n#define AAPC_PACE 0.5\n"));
    EXPECT_THAT(chosen, HasSubstr(" * Synchronisation: timed:4344@0.5,"));
    EXPECT_THAT(routine_for(network, "tree+timed"), HasSubstr("#define AAPC_PACE 0.96\n"));
}

// Phases 0 to 2 of a ring of four in blocks of two, and all of them at once.
TEST(GenerateRoutine, WritesTheBlocksOfPhases) {
    const Network network = star_of({1, 1, 1, 1}).build();
    const std::string two = routine_for(network, "ring+window:2");
    EXPECT_THAT(two, HasSubstr("#define AAPC_BLOCKS 2\n"));
    EXPECT_THAT(two, HasSubstr("aapc_send_block[AAPC_RANKS][AAPC_PARTNERS] = {\n    /* 0 */ {0, 0, 1},\n"));
    EXPECT_THAT(two, HasSubstr("aapc_receive_block[AAPC_RANKS][AAPC_PARTNERS] = {\n    /* 0 */ {0, 0, 1},\n"));
    EXPECT_THAT(routine_for(network, "ring+window:all"), HasSubstr("#define AAPC_BLOCKS 1\n"));
    EXPECT_THAT(routine_for(network, "ring+barrier"), HasSubstr("#define AAPC_BLOCKS 3\n"));
}

TEST(GenerateRoutine, RefusesWhatNeedsContentionFreePhasesWithoutThem) {
    const Network network = chain_of({2, 2}).build();
    const BuiltSchedule ring = build_schedule(network, "ring");
    ASSERT_TRUE(ring.schedule);
    for (const Synchronisation synchronisation : every_synchronisation()) {
        const auto routine = generate_routine(*ring.schedule, synchronisation, {}, {"test", 1, ring.cadence});
        EXPECT_EQ(routine.has_value(), !needs_contention_free_phases(synchronisation)) << to_string(synchronisation);
        if (!routine) {
            EXPECT_THAT(routine.error().problem, HasSubstr(std::string(name_of(synchronisation.kind))));
            EXPECT_THAT(routine.error().advice, HasSubstr("window:W"));
        }
    }
}

TEST(GenerateRoutine, RefusesWhatNeedsSharedMemory) {
    const Network network = chain_of({2, 2}).build();
    const BuiltSchedule ring = build_schedule(network, "ring");
    ASSERT_TRUE(ring.schedule);
    const auto routine =
        generate_routine(*ring.schedule, *parse_synchronisation("ports:2"), {}, {"test", 1, ring.cadence});
    ASSERT_FALSE(routine);
    EXPECT_THAT(routine.error().problem, HasSubstr("'ports' needs memory that the ranks of a machine share"));
}

TEST(GenerateRoutine, LeavesSmallMessagesToTheMpi) {
    EXPECT_THAT(routine_for(chain_of({2, 2}).build(), Synchronisation::none),
                HasSubstr("#ifndef AAPC_MINIMUM_BYTES\n#define AAPC_MINIMUM_BYTES 8192\n#endif\n"));
}

/// Two switches whose trunk is twice as fast as the ports.
Network fast_trunk() {
    TreeBuilder tree;
    tree.add_switch(-1);
    tree.add_switch(0, 2e8);
    for (int machine = 0; machine < 4; ++machine) {
        tree.add_machine(machine % 2, 1, 1e8);
    }
    return tree.build();
}

TEST(GenerateRoutine, WritesTheTicksOfACycle) {
    const Network network = fast_trunk();
    const BuiltSchedule built = build_schedule(network, "lattice/settled+timed");
    ASSERT_TRUE(built.schedule);
    ASSERT_EQ(built.schedule->ticks(), Phase{3} << 20U);
    const std::string text = routine_for(network, "lattice/settled+timed");
    EXPECT_THAT(text, HasSubstr("a cycle of 3 ticks, 1 times as long as the bound, 12 messages, 0 synchronisation"));
    EXPECT_THAT(text, HasSubstr("Every message starts at its tick of a cycle"));
    EXPECT_THAT(text, HasSubstr("#define AAPC_PHASES 3\n"));
    const double slot = built.cadence.tick_seconds_per_byte * (1 << 20);
    EXPECT_DOUBLE_EQ(slot, 8e-8);
    EXPECT_THAT(text, HasSubstr(fmt::format("#define AAPC_SLOT_SECONDS_PER_BYTE {:#}\n", slot)));
    EXPECT_THAT(text, HasSubstr("\n *   tick 2: "));
    EXPECT_THAT(text, Not(HasSubstr("AAPC_LINK_BITS_PER_SECOND")));
    for (Rank rank = 0; rank < 4; ++rank) {
        EXPECT_THAT(text, HasSubstr(fmt::format("    /* {} */ {{0, 1, 2}}", rank))) << "each at its own tick";
    }
    const std::string formula = routine_for(network, "lattice/formula+timed");
    EXPECT_THAT(formula, HasSubstr("1.02 times as long as the bound"));
    EXPECT_THAT(formula, HasSubstr("#define AAPC_PACE 0.9792\n")) << "0.96 of the busiest link";
}

TEST(GenerateRoutine, KeepsNoTimeWhereNoMessageCrossesALink) {
    TreeBuilder tree;
    tree.add_switch(-1);
    tree.add_machine(0, 3);
    EXPECT_THAT(routine_for(tree.build(), Synchronisation::timed), HasSubstr("Synchronisation: none,"));
}

TEST(GenerateRoutine, HandsOverForASingleParticipant) {
    TreeBuilder tree;
    tree.add_switch(-1);
    tree.add_machine(0);
    const std::string text = routine_for(tree.build(), Synchronisation::timed);
    EXPECT_THAT(text, HasSubstr("return PMPI_Alltoall("));
    EXPECT_THAT(text, Not(HasSubstr("MPI_Isend")));
}

}  // namespace
}  // namespace aapc::test
