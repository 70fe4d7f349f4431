// The table of variables, what is said of others, and AAPC_OFF.
#include "selection/variables.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "selection/settings.hpp"

namespace aapc::selection {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Variables, ThePageHasThoseOfTheTable) {
    std::ifstream stream(AAPC_SOURCE_DIRECTORY "/docs/interposer.md");
    const std::string page(std::istreambuf_iterator<char>(stream), {});
    for (const Variable& variable : variables()) {
        EXPECT_THAT(page, HasSubstr("\n| `" + std::string(variable.name) + "` |"));
    }
    const std::size_t rows = variables().size();
    std::size_t found = 0;
    for (std::size_t at = 0; (at = page.find("\n| `AAPC_", at)) != std::string::npos; ++at) {
        ++found;
    }
    EXPECT_EQ(found, rows);
}

TEST(Variables, AMistypedOneIsNamedWithTheNearest) {
    EXPECT_EQ(remark_on_unknown_variables({"AAPC_ALGORTHM", "AAPC_TOPOLOGY", "AAPC_TEST_X"}),
              "no such setting: 'AAPC_ALGORTHM' (did you mean AAPC_ALGORITHM?); it has no effect");
    EXPECT_EQ(remark_on_unknown_variables({"AAPC_COLOUR"}), "no such setting: 'AAPC_COLOUR'; it has no effect");
    EXPECT_EQ(remark_on_unknown_variables({"AAPC_A1", "AAPC_A2", "AAPC_A3", "AAPC_A4", "AAPC_A5", "AAPC_A6"}),
              "no such setting: 'AAPC_A1', 'AAPC_A2', 'AAPC_A3', 'AAPC_A4' and 2 more; it has no effect");
    for (const Variable& variable : variables()) {
        EXPECT_EQ(remark_on_unknown_variables({std::string(variable.name)}), std::nullopt);
    }
}

/// What rank 0 makes of an environment that has these alone.
class VariablesOfTheProcess : public testing::Test {
  protected:
    VariablesOfTheProcess() { clear(); }
    ~VariablesOfTheProcess() override { clear(); }

  private:
    static void clear() {
        for (const std::string& name : aapc_variables_of_process()) {
            unsetenv(name.c_str());
        }
    }
};

TEST_F(VariablesOfTheProcess, AMistypedOneIsSaidWithoutATopologyToo) {
    EXPECT_THAT(read_settings().remarks, IsEmpty());
    setenv("AAPC_TOPOLGY", "cluster.toml", 1);
    EXPECT_THAT(read_settings().remarks, ElementsAre(HasSubstr("'AAPC_TOPOLGY' (did you mean AAPC_TOPOLOGY?)")));
}

TEST_F(VariablesOfTheProcess, OffIsOff) {
    setenv("AAPC_TOPOLOGY", AAPC_SOURCE_DIRECTORY "/examples/switch-16.toml", 1);
    setenv("AAPC_RECORD", "record", 1);
    setenv("AAPC_ALGORTHM", "tree", 1);
    setenv("AAPC_OFF", "1", 1);
    EXPECT_FALSE(read_settings().settings);
    EXPECT_THAT(read_settings().remarks, IsEmpty());
    setenv("AAPC_OFF", "0", 1);
    EXPECT_TRUE(read_settings().settings);
    setenv("AAPC_OFF", "perhaps", 1);
    EXPECT_FALSE(read_settings().settings);
    EXPECT_THAT(read_settings().remarks,
                ElementsAre("AAPC_OFF: 'perhaps' says neither yes nor no; give 1 (everything is native) or 0; using "
                            "the MPI's own MPI_Alltoall"));
}

TEST_F(VariablesOfTheProcess, OnlyRecordingIsNobodysAlgorithm) {
    setenv("AAPC_RECORD", "record", 1);
    const Reading reading = read_settings();
    ASSERT_TRUE(reading.settings);
    const auto configuration = configure(decode(encode(*reading.settings)));
    ASSERT_TRUE(configuration);
    EXPECT_STREQ(configuration->forced.native_reason, "no topology is given, and calls are recorded only");
}

TEST_F(VariablesOfTheProcess, AValueOf100000CharactersIsShortened) {
    const std::string value(100'000, 'x');
    for (const char* const name : {"AAPC_TOPOLOGY", "AAPC_VERBOSE", "AAPC_ALGORITHM", "AAPC_START", "AAPC_OFF",
                                   "AAPC_SYNCHRONISATION", "AAPC_BUFFER_LIMIT", "AAPC_SHARED_MEMORY"}) {
        setenv("AAPC_TOPOLOGY", AAPC_SOURCE_DIRECTORY "/examples/switch-16.toml", 1);
        setenv(name, value.c_str(), 1);
        const Reading reading = read_settings();
        ASSERT_EQ(reading.remarks.size(), 1U) << name;
        EXPECT_LT(reading.remarks.front().size(), 2000U) << name;
        unsetenv(name);
    }
}

}  // namespace
}  // namespace aapc::selection
