#include "selection/settings.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/methods/preparation.hpp"
#include "aapc/offline/make_schedule.hpp"
#include "aapc/offline/schedule_text.hpp"
#include "aapc/topology/topology_file.hpp"
#include "selection/tunings.hpp"

namespace aapc::selection {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const std::string topology_directory = AAPC_SOURCE_DIRECTORY "/tests/interposer/";

class SettingsTest : public testing::Test {
  protected:
    void SetUp() override { clear(); }
    void TearDown() override { clear(); }

    static void clear() {
        for (const char* name : {"AAPC_TOPOLOGY", "AAPC_ALGORITHM", "AAPC_SYNCHRONISATION", "AAPC_VERBOSE",
                                 "AAPC_TUNING", "AAPC_SHARED_MEMORY", "AAPC_BUFFER_LIMIT", "AAPC_START",
                                 "AAPC_ALLTOALLV", "AAPC_ADAPT", "AAPC_WIRE", "AAPC_SCHEDULE", "AAPC_LEARNED"}) {
            unsetenv(name);
        }
    }

    static Settings settings(const std::string& algorithm, const std::string& synchronisation = "",
                             const std::string& verbosity = "") {
        Settings settings;
        settings.topology_file = "some.toml";
        settings.topology_text = "[network]\nspeed = \"1Gbit\"\n[[switch]]\nname = \"s0\"\nmachines = \"n[0-1]\"\n";
        settings.algorithm = algorithm;
        settings.synchronisation = synchronisation;
        settings.verbosity = verbosity;
        return settings;
    }
};

TEST_F(SettingsTest, NothingSetNothingSaid) {
    const Reading reading = read_settings();
    EXPECT_FALSE(reading.settings);
    EXPECT_THAT(reading.remarks, IsEmpty());
}

TEST_F(SettingsTest, SilencedAndNothingElseNothingSaid) {
    setenv("AAPC_VERBOSE", "0", 1);
    EXPECT_THAT(read_settings().remarks, IsEmpty());
}

TEST_F(SettingsTest, AnythingSetButTheTopologyIsRemarkedOnOnce) {
    for (const char* name : {"AAPC_ALGORITHM", "AAPC_SYNCHRONISATION", "AAPC_TUNING", "AAPC_VERBOSE"}) {
        clear();
        setenv(name, "1", 1);
        const Reading reading = read_settings();
        EXPECT_FALSE(reading.settings) << name;
        EXPECT_THAT(reading.remarks, ElementsAre(AllOf(HasSubstr("AAPC_TOPOLOGY is not set"),
                                                       EndsWith("using the MPI's own MPI_Alltoall"))))
            << name;
    }
}

TEST_F(SettingsTest, TopologyFileIsReadAndTravelsAsText) {
    setenv("AAPC_TOPOLOGY", (topology_directory + "eight.toml").c_str(), 1);
    setenv("AAPC_ALGORITHM", "tree", 1);
    const Reading reading = read_settings();
    EXPECT_THAT(reading.remarks, IsEmpty());
    ASSERT_TRUE(reading.settings);
    EXPECT_THAT(reading.settings->topology_text, HasSubstr("uplink = \"s0\""));
    const auto configuration = configure(*reading.settings);
    ASSERT_TRUE(configuration);
    EXPECT_EQ(configuration->network.machines().size(), 8U);
    EXPECT_EQ(configuration->forced.method, parse_method("tree", NetworkKind::tree).value());
    EXPECT_FALSE(configuration->tuning);
    EXPECT_EQ(configuration->verbosity, 0);
}

TEST_F(SettingsTest, WhateverIsWrongIsOneRemark) {
    for (const char* file : {"no-such-file.toml", "broken.toml", ""}) {
        setenv("AAPC_TOPOLOGY", (topology_directory + file).c_str(), 1);
        const Reading reading = read_settings();
        EXPECT_FALSE(reading.settings) << file;
        EXPECT_THAT(reading.remarks, ElementsAre(AllOf(StartsWith(topology_directory + file),
                                                       EndsWith("; using the MPI's own MPI_Alltoall"))));
    }
}

TEST_F(SettingsTest, TuningFileIsReadAndTravelsAsText) {
    const std::string file = testing::TempDir() + "aapc_settings_test_tuning.toml";
    std::ofstream(file) << tuning_text(test::example_tuning());
    setenv("AAPC_TOPOLOGY", (topology_directory + "eight.toml").c_str(), 1);
    setenv("AAPC_TUNING", file.c_str(), 1);
    const Reading reading = read_settings();
    std::remove(file.c_str());
    EXPECT_THAT(reading.remarks, IsEmpty());
    ASSERT_TRUE(reading.settings);
    const auto configuration = configure(decode(encode(*reading.settings)));
    ASSERT_TRUE(configuration);
    EXPECT_EQ(configuration->tuning_file, file);
    EXPECT_EQ(configuration->tuning, test::example_tuning());
}

TEST_F(SettingsTest, AWrongTuningFileIsDroppedWholeWithOneRemark) {
    const std::string file = testing::TempDir() + "aapc_settings_test_wrong.toml";
    std::string text = tuning_text(test::example_tuning());
    std::ofstream(file) << text.replace(text.find("2048"), 4, "4096");
    setenv("AAPC_TOPOLOGY", (topology_directory + "eight.toml").c_str(), 1);
    for (const std::string& wrong : {file, std::string("no-such-file.toml")}) {
        setenv("AAPC_TUNING", wrong.c_str(), 1);
        const Reading reading = read_settings();
        EXPECT_THAT(reading.remarks, ElementsAre(AllOf(StartsWith(wrong + ":"), EndsWith("; deciding without it"))));
        ASSERT_TRUE(reading.settings);
        const auto configuration = configure(*reading.settings);
        ASSERT_TRUE(configuration);
        EXPECT_FALSE(configuration->tuning);
    }
    std::remove(file.c_str());
}

TEST_F(SettingsTest, AScheduleFileTravelsCheckedOrIsDroppedWithOneRemark) {
    setenv("AAPC_TOPOLOGY", (topology_directory + "eight.toml").c_str(), 1);
    setenv("AAPC_SCHEDULE", "no-such-file.json", 1);
    const Reading missing = read_settings();
    EXPECT_THAT(missing.remarks,
                ElementsAre(AllOf(StartsWith("no-such-file.json:"), EndsWith("; deciding without it"))));
    ASSERT_TRUE(missing.settings);
    EXPECT_EQ(configure(*missing.settings)->given_schedule(), nullptr);
    const std::string file = testing::TempDir() + "aapc_settings_test_schedule.json";
    const auto network = read_topology(missing.settings->topology_text, "eight.toml");
    const Placement placement = full_placement(*network);
    const auto prepared = prepare(*network, placement, network_bound(*network, placement),
                                  *parse_method("lattice/settled+timed", network->kind()));
    const auto made = make_schedule(*prepared, *network, placement);
    ASSERT_TRUE(made) << made.error().what;
    std::ofstream(file) << schedule_json(made->schedule, Synchronisation::timed, {});
    setenv("AAPC_SCHEDULE", file.c_str(), 1);
    const Reading reading = read_settings();
    EXPECT_THAT(reading.remarks, IsEmpty());
    ASSERT_TRUE(reading.settings);
    const auto configuration = configure(decode(encode(*reading.settings)));
    ASSERT_TRUE(configuration);
    ASSERT_NE(configuration->given_schedule(), nullptr);
    EXPECT_TRUE(configuration->given_schedule()->is_for("lattice", "settled", placement));
    setenv("AAPC_TOPOLOGY", "detect:1Gbit", 1);
    EXPECT_THAT(read_settings().remarks, ElementsAre(StartsWith("AAPC_SCHEDULE: ")));
    std::remove(file.c_str());
}

TEST_F(SettingsTest, DetectionTakesThePlaceOfATopologyFile) {
    setenv("AAPC_TOPOLOGY", "detect:10Gbit", 1);
    setenv("AAPC_ALGORITHM", "factor", 1);
    const Reading reading = read_settings();
    EXPECT_THAT(reading.remarks, IsEmpty());
    ASSERT_TRUE(reading.settings);
    EXPECT_EQ(reading.settings->topology_file, "detect:10Gbit");
    EXPECT_EQ(reading.settings->topology_text, "");
    const auto configuration = configure(decode(encode(*reading.settings)));
    ASSERT_TRUE(configuration);
    EXPECT_EQ(configuration->network.kind(), NetworkKind::detected);
    EXPECT_EQ(configuration->forced.method, parse_method("factor", NetworkKind::detected).value());
    EXPECT_FALSE(configuration->only_tuned);
}

TEST_F(SettingsTest, AWrongSpeedOrAlgorithmUnderDetectionIsOneRemark) {
    setenv("AAPC_TOPOLOGY", "detect:fast", 1);
    EXPECT_THAT(read_settings().remarks, ElementsAre(StartsWith("AAPC_TOPOLOGY: ")));
    EXPECT_FALSE(read_settings().settings);
    setenv("AAPC_TOPOLOGY", "detect", 1);
    setenv("AAPC_ALGORITHM", "torus", 1);
    EXPECT_THAT(read_settings().remarks, ElementsAre(StartsWith("AAPC_ALGORITHM: ")));
    EXPECT_FALSE(read_settings().settings);
}

TEST_F(SettingsTest, ATuningMadeUnderDetectionAsksForItWhereNothingElseIsSaid) {
    const std::string file = testing::TempDir() + "aapc_settings_test_detected.toml";
    for (const auto& [topology, follows] :
         {std::pair{"detect", true}, {"detect:1Gbit", true}, {"detected.toml", false}, {"cluster.toml", false}}) {
        clear();
        Tuning tuning = test::example_tuning();
        tuning.fingerprint.topology_file = topology;
        std::ofstream(file) << tuning_text(tuning);
        setenv("AAPC_TUNING", file.c_str(), 1);
        const Reading reading = read_settings();
        EXPECT_EQ(reading.settings.has_value(), follows) << topology;
        EXPECT_EQ(reading.remarks.size(), follows ? 0U : 1U) << topology;
        if (follows) {
            EXPECT_EQ(reading.settings->topology_file, topology);
            const auto configuration = configure(*reading.settings);
            ASSERT_TRUE(configuration);
            EXPECT_TRUE(configuration->only_tuned);
            EXPECT_EQ(configuration->tuning, tuning);
        }
        setenv("AAPC_TOPOLOGY", "detect", 1);
        EXPECT_EQ(read_settings().settings->only_tuned, "") << "the user asks for detection";
    }
    std::remove(file.c_str());
}

TEST_F(SettingsTest, ForcedMethods) {
    const auto forced = [](const std::string& algorithm, const std::string& synchronisation = "") {
        return configure(settings(algorithm, synchronisation))->forced;
    };
    const auto method = [](std::string_view text) { return parse_method(text, NetworkKind::tree).value(); };
    EXPECT_EQ(forced("native").method, Method{});
    EXPECT_EQ(forced("native", "sender").method, Method{});
    EXPECT_EQ(forced("tree").method, method("tree/merged+timed"));
    EXPECT_EQ(forced("tree/paper").method, method("tree/paper+timed"));
    EXPECT_EQ(forced("tree/paper+sender-partial:8").method, method("tree/paper+sender-partial:8"));
    EXPECT_EQ(forced("tree/paper", "window:3").method, method("tree/paper+window:3"));
    EXPECT_EQ(forced("tree", "sender").synchronisation, std::nullopt);
    EXPECT_EQ(forced("", "sender").synchronisation, Synchronisation::sender);
    EXPECT_EQ(forced("", "sender").method, std::nullopt);
    EXPECT_EQ(forced("").method, std::nullopt);
    EXPECT_EQ(forced("").synchronisation, std::nullopt);
    EXPECT_EQ(configure(settings("", "", "2"))->verbosity, 2);
}

TEST_F(SettingsTest, EveryAlgorithmForATreeCanBeForced) {
    for (const Algorithm& algorithm : algorithms()) {
        if (algorithm.is_for(NetworkKind::tree)) {
            const auto configuration = configure(settings(std::string(algorithm.name)));
            ASSERT_TRUE(configuration) << algorithm.name;
            EXPECT_EQ(configuration->forced.method->algorithm, &algorithm);
        }
    }
}

TEST_F(SettingsTest, SharedMemoryIsUsedUnlessItIsSwitchedOff) {
    Settings given = settings("");
    EXPECT_EQ(configure(given)->shared_memory, SharedMemory::tickets_and_copies);
    given.shared_memory = "0";
    EXPECT_EQ(configure(given)->shared_memory, SharedMemory::nothing);
    given.shared_memory = "much";
    const auto wrong = configure(given);
    ASSERT_FALSE(wrong);
    EXPECT_THAT(to_string(wrong.error()), StartsWith("AAPC_SHARED_MEMORY: "));
    setenv("AAPC_TOPOLOGY", (topology_directory + "eight.toml").c_str(), 1);
    setenv("AAPC_SHARED_MEMORY", "tickets", 1);
    EXPECT_EQ(read_settings().settings->shared_memory, "tickets");
}

TEST_F(SettingsTest, BlocksTravelByOurConnectionsWhereThatIsAskedFor) {
    Settings given = settings("");
    EXPECT_EQ(configure(given)->wire, WireUse::automatic);
    given.wire = "tcp";
    EXPECT_EQ(configure(given)->wire, WireUse::tcp);
    EXPECT_EQ(configure(decode(encode(given)))->wire, WireUse::tcp);
    given.wire = "rope";
    const auto wrong = configure(given);
    ASSERT_FALSE(wrong);
    EXPECT_EQ(to_string(wrong.error()), "AAPC_WIRE: 'rope' is no kind of connections; give auto, mpi or tcp");
    setenv("AAPC_TOPOLOGY", (topology_directory + "eight.toml").c_str(), 1);
    setenv("AAPC_WIRE", "mpi", 1);
    EXPECT_EQ(read_settings().settings->wire, "mpi");
}

TEST_F(SettingsTest, UnequalMessagesAreExchangedAsAskedFor) {
    Settings given = settings("");
    EXPECT_EQ(configure(given)->unequal, UnequalUse::automatic);
    given.algorithm = "native";
    EXPECT_EQ(configure(given)->unequal, UnequalUse::never) << "the user insists on the MPI's own";
    given.unequal = "always";
    EXPECT_EQ(configure(given)->unequal, UnequalUse::always) << "but not for these";
    given.unequal = "often";
    EXPECT_THAT(to_string(configure(given).error()), StartsWith("AAPC_ALLTOALLV: "));
    setenv("AAPC_TOPOLOGY", (topology_directory + "eight.toml").c_str(), 1);
    setenv("AAPC_ALLTOALLV", "never", 1);
    EXPECT_EQ(configure(decode(encode(*read_settings().settings)))->unequal, UnequalUse::never);
}

TEST_F(SettingsTest, BuffersAreLimitedWhereAskedFor) {
    Settings given = settings("");
    EXPECT_EQ(configure(given)->buffer_limit, std::nullopt);
    given.buffer_limit = "64Mi";
    EXPECT_EQ(configure(given)->buffer_limit, 64 << 20);
    given.buffer_limit = "0";
    EXPECT_EQ(configure(given)->buffer_limit, 0);
    for (const char* wrong : {"much", "-1", "1.5Mi", "64 elephants"}) {
        given.buffer_limit = wrong;
        const auto configuration = configure(given);
        ASSERT_FALSE(configuration) << wrong;
        EXPECT_THAT(to_string(configuration.error()), StartsWith("AAPC_BUFFER_LIMIT: "));
    }
    setenv("AAPC_TOPOLOGY", (topology_directory + "eight.toml").c_str(), 1);
    setenv("AAPC_BUFFER_LIMIT", "12kB", 1);
    EXPECT_EQ(configure(decode(encode(*read_settings().settings)))->buffer_limit, 12000);
    setenv("AAPC_BUFFER_LIMIT", "12 elephants", 1);
    EXPECT_THAT(read_settings().remarks,
                ElementsAre(AllOf(StartsWith("AAPC_BUFFER_LIMIT: "), EndsWith("; using the MPI's own MPI_Alltoall"))));
}

TEST_F(SettingsTest, WhatAStartCostsIsATime) {
    Settings given = settings("");
    EXPECT_EQ(configure(given)->start_seconds, std::nullopt);
    given.start = "500us";
    EXPECT_DOUBLE_EQ(*configure(given)->start_seconds, 500e-6);
    given.start = "0.003";
    EXPECT_DOUBLE_EQ(*configure(given)->start_seconds, 3e-3) << "seconds, as on the command line";
    for (const char* wrong : {"soon", "-1ms", "3601", "3 elephants"}) {
        given.start = wrong;
        const auto configuration = configure(given);
        ASSERT_FALSE(configuration) << wrong;
        EXPECT_THAT(to_string(configuration.error()), StartsWith("AAPC_START: "));
    }
    setenv("AAPC_TOPOLOGY", (topology_directory + "eight.toml").c_str(), 1);
    setenv("AAPC_START", "2ms", 1);
    EXPECT_DOUBLE_EQ(*configure(decode(encode(*read_settings().settings)))->start_seconds, 2e-3);
}

TEST_F(SettingsTest, CallsTeachUnlessSomebodySaysOtherwise) {
    Settings given = settings("");
    EXPECT_TRUE(configure(given)->adapt);
    given.start = "1ms";
    EXPECT_FALSE(configure(given)->adapt) << "runs that have to decide alike";
    given.adapt = "1";
    EXPECT_TRUE(configure(given)->adapt);
    given.start = "";
    given.adapt = "0";
    EXPECT_FALSE(configure(given)->adapt);
    given.adapt = "sometimes";
    EXPECT_THAT(to_string(configure(given).error()), StartsWith("AAPC_ADAPT: "));
    setenv("AAPC_TOPOLOGY", (topology_directory + "eight.toml").c_str(), 1);
    setenv("AAPC_ADAPT", "0", 1);
    EXPECT_FALSE(configure(decode(encode(*read_settings().settings)))->adapt);
}

TEST_F(SettingsTest, UnknownNamesAreRefusedWithTheVariablesName) {
    const std::array<std::pair<Settings, const char*>, 9> wrong = {{
        {settings("wood"), "AAPC_ALGORITHM: "},
        {settings("tree/wood"), "AAPC_ALGORITHM: "},
        {settings("tree/"), "AAPC_ALGORITHM: "},
        {settings("native/paper"), "AAPC_ALGORITHM: "},
        {settings("tree+wood"), "AAPC_ALGORITHM: "},
        {settings("tree+barrier", "barrier"), "AAPC_SYNCHRONISATION: AAPC_ALGORITHM names a synchronisation, too"},
        {settings("", "wood"), "AAPC_SYNCHRONISATION: "},
        {settings("", "", "loud"), "AAPC_VERBOSE: "},
        {settings("", "", "-1"), "AAPC_VERBOSE: "},
    }};
    for (const auto& [given, beginning] : wrong) {
        const auto configuration = configure(given);
        ASSERT_FALSE(configuration) << given.algorithm << given.synchronisation << given.verbosity;
        EXPECT_THAT(to_string(configuration.error()), StartsWith(beginning));
    }
}

RC_GTEST_PROP(SettingsCode, DecodesWhatWasEncoded,
              (std::string file, std::string text, std::string algorithm, std::string synchronisation)) {
    const Settings settings{file,
                            text,
                            "t.toml",
                            text + file,
                            algorithm,
                            synchronisation,
                            std::string("1\0\n", 3),
                            algorithm + text,
                            synchronisation + file,
                            file + algorithm,
                            text + synchronisation,
                            algorithm + file,
                            text + algorithm,
                            file + synchronisation,
                            synchronisation + text,
                            algorithm + algorithm,
                            text + text,
                            text + "2",
                            file + "2",
                            algorithm + "2"};
    RC_ASSERT(decode(encode(settings)) == settings);
}

}  // namespace
}  // namespace aapc::selection
