#include "interpose/settings.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cstdlib>
#include <string>

namespace aapc::interpose {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const std::string topology_directory = AAPC_SOURCE_DIRECTORY "/tests/interpose/";

class SettingsTest : public testing::Test {
  protected:
    void SetUp() override { clear(); }
    void TearDown() override { clear(); }

    static void clear() {
        for (const char* name :
             {"AAPC_TOPOLOGY", "AAPC_ALGORITHM", "AAPC_SYNCHRONISATION", "AAPC_VERBOSE", "AAPC_TUNING"}) {
            unsetenv(name);
        }
    }

    static Settings settings(const std::string& algorithm, const std::string& synchronisation = "",
                             const std::string& verbosity = "") {
        return {"some.toml", "[network]\nspeed = \"1Gbit\"\n[[switch]]\nname = \"s0\"\nmachines = \"n[0-1]\"\n",
                algorithm, synchronisation, verbosity};
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
    EXPECT_EQ(configuration->forced.algorithm, find_algorithm("tree").value());
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

TEST_F(SettingsTest, TuningFilesComeLater) {
    setenv("AAPC_TOPOLOGY", (topology_directory + "eight.toml").c_str(), 1);
    setenv("AAPC_TUNING", "tuned.toml", 1);
    const Reading reading = read_settings();
    EXPECT_TRUE(reading.settings);
    EXPECT_THAT(reading.remarks, ElementsAre(HasSubstr("AAPC_TUNING")));
}

TEST_F(SettingsTest, ForcedChoices) {
    EXPECT_TRUE(configure(settings("native"))->forced.native);
    EXPECT_EQ(configure(settings("tree"))->forced.variant, "");
    EXPECT_EQ(configure(settings("tree/paper"))->forced.variant, "paper");
    EXPECT_EQ(configure(settings("", "sender"))->forced.synchronisation, Synchronisation::sender);
    EXPECT_EQ(configure(settings(""))->forced.synchronisation, std::nullopt);
    EXPECT_EQ(configure(settings("", "", "2"))->verbosity, 2);
}

TEST_F(SettingsTest, UnknownNamesAreRefusedWithTheVariablesName) {
    const std::array<std::pair<Settings, const char*>, 7> wrong = {{
        {settings("wood"), "AAPC_ALGORITHM: "},
        {settings("tree/wood"), "AAPC_ALGORITHM: "},
        {settings("tree/"), "AAPC_ALGORITHM: "},
        {settings("native/paper"), "AAPC_ALGORITHM: "},
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
    const Settings settings{file, text, algorithm, synchronisation, std::string("1\0\n", 3)};
    RC_ASSERT(decode(encode(settings)) == settings);
}

}  // namespace
}  // namespace aapc::interpose
