// Whatever is given to the program, it ends, says why, and says it so that a terminal shows it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "cli/program.hpp"

namespace aapc::test {
namespace {

using testing::HasSubstr;

const std::string hostile_example = AAPC_SOURCE_DIRECTORY "/examples/switch-16.toml";

TEST(HostileInput, EndlessFilesAreRefusedForWhatTheyAre) {
    const Scratch scratch;
    for (const std::string& command :
         {"check /dev/zero --topology " + hostile_example, std::string("fit /dev/zero"),
          std::string("predict /dev/zero"), "predict " + hostile_example + " --model /dev/zero",
          "explain " + hostile_example + " --model /dev/zero", std::string("topology /dev/zero")}) {
        expect_refusal(scratch.run(command), 2, HasSubstr("/dev/zero:1:1: a zero byte; give "));
    }
    // A tuning that cannot be read is said, and decided without.
    EXPECT_THAT(scratch.run("explain " + hostile_example + " --tuning /dev/zero").out,
                HasSubstr("/dev/zero:1:1: a zero byte; give a tuning file, which is text"));
    for (const auto& [command, message] :
         {std::pair<std::string, std::string>{"topology",
                                              "standard input: it is larger than 16 MiB; give a topology file"},
          {"fit", "it is larger than 64 MiB; give samples as CSV"}}) {
        const std::string file = command == "fit" ? scratch.path("endless") : "-";
        // The shell holds the pipe at both ends meanwhile: whichever program opens it first waits for no other.
        const std::string feed = command == "fit"
                                     ? "mkfifo endless && (exec 9<>endless; yes >endless 2>/dev/null 9>&- & "
                                     : "(yes 2>/dev/null | ";
        const int status = std::system(("cd '" + scratch.path(".") + "' && " + feed + "'" AAPC_PROGRAM "' " + command +
                                        " " + file + " >out 2>err)")
                                           .c_str());
        EXPECT_EQ(WEXITSTATUS(status), 2);
        EXPECT_THAT(contents(scratch.path("err")), HasSubstr(message));
        EXPECT_EQ(contents(scratch.path("out")), "");
    }
}

TEST(HostileInput, EscapeCharactersAreShownAndNotSent) {
    const Scratch scratch;
    const std::string hostile = "$(printf '\\033[31mx\\033[0m\\nforged\\233m')";
    const std::string word = "\"" + hostile + "\"";
    for (const std::string& command : {word,
                                       "--" + word,
                                       "topology " + word,
                                       "topology --format " + word + " " + hostile_example,
                                       "topology --" + word,
                                       "schedule " + hostile_example + " --algorithm " + word,
                                       "schedule " + hostile_example + " --synchronisation " + word,
                                       "schedule " + hostile_example + " -o /nowhere/" + word,
                                       "generate " + hostile_example + " -o /nowhere/" + word,
                                       "exec --" + word + " -- true",
                                       "exec -- " + word,
                                       "exec --mpi " + word + " -- true",
                                       "explain " + hostile_example + " --machines " + word,
                                       "explain " + hostile_example + " --sizes " + word,
                                       "explain " + hostile_example + " --model " + word,
                                       "explain " + hostile_example + " --buffer-limit " + word,
                                       "explain " + hostile_example + " --ranks " + word,
                                       "check " + word + " --topology " + hostile_example,
                                       "fit " + word,
                                       "predict " + word,
                                       "bench --topology " + word,
                                       "bench --methods " + word,
                                       "bench " + word}) {
        const Outcome outcome = scratch.run(command);
        EXPECT_NE(outcome.status, 0) << command;
        EXPECT_EQ(outcome.out, "") << command;
        EXPECT_NE(outcome.err, "") << command;
        EXPECT_THAT(outcome.err, Not(HasSubstr("\n"
                                               "forged")))
            << command;
        EXPECT_TRUE(
            std::all_of(outcome.err.begin(), outcome.err.end(),
                        [](char character) { return character == '\n' || (character >= ' ' && character <= '~'); }))
            << command << ": " << outcome.err;
    }
}

}  // namespace
}  // namespace aapc::test
