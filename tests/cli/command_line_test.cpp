// What all commands have in common: wrong words, where the topology comes from, help, completion and manual pages.
#include <algorithm>
#include <string>
#include <vector>

#include "cli/program.hpp"

namespace aapc::test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

const std::string example = AAPC_SOURCE_DIRECTORY "/examples/chain-4x4.toml";

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines(1);
    for (const char character : text) {
        if (character == '\n') {
            lines.emplace_back();
        } else {
            lines.back() += character;
        }
    }
    return lines;
}

TEST(CommandLine, WrongWordsAreNamedWithTheNearestRightOne) {
    const Scratch scratch;
    const std::pair<const char*, const char*> cases[] = {
        {"topolgy x", "aapc: there is no command 'topolgy'; did you mean topology?"},
        {"wood", "aapc: there is no command 'wood'; aapc --help lists what there is"},
        {"--verison", "aapc: there is no option '--verison'; did you mean --version?"},
        {"", "aapc: a command is missing"},
        {"topology x --formt json", "aapc topology: there is no option '--formt'; did you mean --format?"},
        {"topology x --formt=json", "aapc topology: there is no option '--formt'; did you mean --format?"},
        {"schedule x --wood", "aapc schedule: there is no option '--wood'; aapc schedule --help lists"},
        {"bench --candidate native", "aapc bench: there is no option '--candidate'; did you mean --candidates?"},
        {"topology x y", "aapc topology: "},
        {"check a b c", "aapc check: one word too many, 'c'"},
        {"completion csh", "SHELL: 'csh' is none of bash, zsh, fish; aapc completion --help says more"},
        {"topology x --format yaml", "aapc topology: --format: 'yaml' is none of text, json, dot"},
        {"topology x --format", "aapc topology: --format: its value is missing"},
        {"topology x --topology y", "aapc topology: --topology: it is given more than once"},
        {"explain x --ranks 1.5", "--ranks: '1.5' is no whole number from 1 to 16777216"},
        {"discover --round 99", "--round: '99' is no number from 0.01 to 60"},
        {"schedule x --divisions x", "--divisions: 'x' is no number that it can be"},
        {"schedule x --pattern uniform --seed -1", "--seed: '-1' is no finite number of 0 or more"},
        {"predict --sizes 1K missing.json", "missing.json: cannot be opened"},
        {"manual wood", "aapc manual: there is no command 'wood'"},
        {"help exce", "aapc help: there is no command 'exce'; did you mean exec?"},
    };
    for (const auto& [words, message] : cases) {
        expect_refusal(scratch.run(words), 2, HasSubstr(message));
    }
}

TEST(CommandLine, TheTopologyIsGivenInTheSameWaysEverywhere) {
    const Scratch scratch;
    (void)scratch.file("n.toml", contents(example));
    (void)scratch.file("s.json", scratch.run("schedule n.toml --format json").out);
    for (const std::string command : {"topology", "schedule", "generate", "explain", "check s.json"}) {
        // The generated routine says how it was made, which is all that differs.
        const auto routine = [&scratch](const std::string& words, const std::string& input = "/dev/null") {
            const std::string text = scratch.run(words, input).out;
            const std::size_t made = text.find("Compiled and linked");
            return made == std::string::npos ? text : text.substr(made);
        };
        const std::string expected = routine(command + " n.toml");
        ASSERT_NE(expected, "") << command;
        EXPECT_EQ(routine(command + " --topology n.toml"), expected) << command;
        EXPECT_EQ(routine(command + " -", "n.toml"), expected) << command;
        setenv("AAPC_TOPOLOGY", "n.toml", 1);
        EXPECT_EQ(routine(command), expected) << command;
        EXPECT_THAT(scratch.run(command + " missing.toml").err, StartsWith("missing.toml")) << "the word counts";
        unsetenv("AAPC_TOPOLOGY");
        expect_refusal(scratch.run(command), 2, HasSubstr("is required"));
    }
    EXPECT_EQ(scratch.run("check - n.toml", "s.json").status, 0);
    expect_refusal(scratch.run("check - -"), 2, HasSubstr("two files"));
    expect_refusal(scratch.run("bench -"), 2, HasSubstr("cannot read standard input"));
}

TEST(CommandLine, StandardInputIsAFileOnceAndNowhereForRanks) {
    const Scratch scratch;
    (void)scratch.file("n.toml", contents(example));
    (void)scratch.file("t.toml", "format = 7\n");
    EXPECT_THAT(scratch.run("explain n.toml --tuning -", "t.toml").out, HasSubstr("standard input:1:10:"));
    EXPECT_THAT(scratch.run("explain - --tuning -", "n.toml").out,
                HasSubstr("standard input: two files are to be read"));
    expect_refusal(scratch.run("export -", "t.toml"), 2, StartsWith("standard input:1:10:"));
    EXPECT_THAT(scratch.run("topology --from slurm -", "t.toml").err, StartsWith("standard input:1:"));
    for (const std::string command : {"exec --tuning - -- true", "exec --topology - -- true", "tune -"}) {
        expect_refusal(scratch.run(command), 2, HasSubstr("cannot read standard input"));
    }
}

TEST(CommandLine, FitAndPredictTakeTheTopologyFromTheEnvironment) {
    const Scratch scratch;
    setenv("AAPC_TOPOLOGY", example.c_str(), 1);
    expect_refusal(scratch.run("fit"), 2, HasSubstr("no MPI's launcher"));
    expect_refusal(scratch.run("predict --sizes 1K"), 2, HasSubstr("--model"));
    expect_refusal(scratch.run("fit missing.csv"), 2, StartsWith("missing.csv"));
    unsetenv("AAPC_TOPOLOGY");
}

TEST(CommandLine, HelpNamesEveryValue) {
    const Scratch scratch;
    EXPECT_THAT(scratch.run("exec --help").out, StartsWith("Usage: aapc exec [OPTION]... -- PROGRAM [ARGUMENT]...\n"));
    EXPECT_THAT(scratch.run("bench --help").out, HasSubstr("--late RANK:TIME:EVERY"));
    EXPECT_THAT(scratch.run("predict --help").out, HasSubstr("--topology FILE"));
    EXPECT_THAT(scratch.run("schedule --help").out, AllOf(HasSubstr("--buffer-limit SIZE"), HasSubstr("[@PACE] ")));
}

TEST(CommandLine, TheVersionHasTwoOptions) {
    const Scratch scratch;
    EXPECT_THAT(scratch.run("--version").out, StartsWith("aapc "));
    EXPECT_EQ(scratch.run("-V").out, scratch.run("--version").out);
}

TEST(CommandLine, HelpIsACommandToo) {
    const Scratch scratch;
    EXPECT_EQ(scratch.run("help").out, scratch.run("--help").out);
    EXPECT_EQ(scratch.run("help report").out, scratch.run("report --help").out);
}

TEST(CommandLine, SettingsAreListedWithTheirValuesAndWhatIsWrongWithThem) {
    const Scratch scratch;
    setenv("AAPC_ALLTOALLV", "never", 1);
    const Outcome set = scratch.run("settings");
    EXPECT_NE(set.status, 2) << set.err;
    EXPECT_THAT(set.out, HasSubstr("AAPC_ALLTOALLV = 'never'  (set in the environment)"));
    EXPECT_THAT(set.out, HasSubstr("AAPC_TOPOLOGY  (not set; aapc exec --topology FILE)"));
    EXPECT_THAT(scratch.run("settings --format json").out, HasSubstr("\"value\": \"never\""));
    setenv("AAPC_TOPOLGY", "x", 1);
    const Outcome wrong = scratch.run("settings");
    unsetenv("AAPC_TOPOLGY");
    unsetenv("AAPC_ALLTOALLV");
    EXPECT_EQ(wrong.status, 1);
    EXPECT_THAT(wrong.err, HasSubstr("did you mean AAPC_TOPOLOGY?"));
    EXPECT_THAT(scratch.run("manual environment").out, HasSubstr("AAPC_RECORD_SEGMENTS"));
}

/// The names of all commands, as the completion of fish has them.
std::vector<std::string> commands() {
    const Scratch scratch;
    std::vector<std::string> names;
    const std::string before = "-n __fish_use_subcommand -f -a ";
    for (const std::string& line : lines_of(scratch.run("completion fish").out)) {
        if (const std::size_t at = line.find(before); at != std::string::npos) {
            const std::string rest = line.substr(at + before.size());
            names.push_back(rest.substr(0, rest.find(' ')));
        }
    }
    return names;
}

TEST(CommandLine, WhoeverTakesATopologyTakesItAsTheOthersDo) {
    const Scratch scratch;
    int takes = 0;
    for (const std::string& name : commands()) {
        const std::string help = scratch.run(name + " --help").out;
        if (help.find("\n  --topology") != std::string::npos) {
            EXPECT_THAT(help, HasSubstr("AAPC_TOPOLOGY")) << name;
            // The words of these are a program, samples and a record.
            EXPECT_EQ(help.find("  the same as --topology") == std::string::npos,
                      name == "exec" || name == "fit" || name == "report")
                << name;
            ++takes;
        }
    }
    EXPECT_GE(takes, 9);
}

TEST(CommandLine, AMethodIsWrittenAsEverywhere) {
    const Scratch scratch;
    (void)scratch.file("n.toml", contents(example));
    const std::string parts = "schedule n.toml --algorithm tree --variant paper --synchronisation sender";
    EXPECT_EQ(scratch.run("schedule n.toml --algorithm tree/paper+sender").out, scratch.run(parts).out);
    EXPECT_EQ(scratch.run("schedule n.toml --algorithm tree/paper --synchronisation sender").out,
              scratch.run(parts).out);
    expect_refusal(scratch.run("schedule n.toml --algorithm tree/papper"), 2, StartsWith("--algorithm: "));
    expect_refusal(scratch.run("schedule n.toml --algorithm native+none"), 2, StartsWith("--algorithm: "));
    expect_refusal(scratch.run("generate n.toml --algorithm tree/paper --variant merged"), 2,
                   StartsWith("--variant: "));
}

TEST(CommandLine, HelpFitsTheTerminal) {
    const Scratch scratch;
    ASSERT_GE(commands().size(), 12U);
    for (const std::string& name : commands()) {
        setenv("COLUMNS", "70", 1);
        const std::string help = scratch.run(name + " --help").out;
        unsetenv("COLUMNS");
        EXPECT_THAT(help, StartsWith("Usage: aapc " + name));
        EXPECT_THAT(help, HasSubstr("\nExamples:\n  ")) << name;
        bool among_examples = false;  // which can be copied as they are
        for (const std::string& line : lines_of(help)) {
            among_examples = (among_examples && !line.empty()) || line == "Examples:";
            if (!among_examples) {
                EXPECT_LE(line.size(), 70U) << line;
            }
        }
    }
}

TEST(CommandLine, ForZshEachCommandDefinesTheRestOnceAtMost) {
    const Scratch scratch;
    const std::string script = scratch.run("completion zsh").out;
    std::size_t cases = 0;
    for (std::size_t at = script.find("_arguments"); at != std::string::npos;) {
        const std::size_t end = script.find(";;", at);
        std::size_t rests = 0;
        for (std::size_t rest = script.find("'*:", at); rest < end; rest = script.find("'*:", rest + 1)) {
            ++rests;
        }
        EXPECT_EQ(rests, 1U) << script.substr(at, end - at);
        ++cases;
        at = script.find("_arguments", end);
    }
    EXPECT_GT(cases, 10U);
}

TEST(CommandLine, BashCompletesCommandsOptionsAndTheirValues) {
    const Scratch scratch;
    (void)scratch.file("completion", scratch.run("completion bash").out);
    const auto completed = [&scratch](const std::string& words, int position) {
        (void)scratch.file("try", ". ./completion\nCOMP_WORDS=(" + words + ")\nCOMP_CWORD=" + std::to_string(position) +
                                      "\n_aapc\necho \"${COMPREPLY[@]}\"\n");
        const int status = std::system(("cd '" + scratch.path("") + "' && bash ./try >completed").c_str());
        EXPECT_EQ(status, 0);
        return contents(scratch.path("completed"));
    };
    EXPECT_EQ(completed("aapc top", 1), "topology\n");
    EXPECT_EQ(completed("aapc topology --fo", 2), "--format\n");
    EXPECT_EQ(completed("aapc topology x --format ''", 4), "text json dot\n");
    EXPECT_EQ(completed("aapc completion ''", 2), "bash zsh fish\n");
    EXPECT_EQ(completed("aapc topology x", 2), "\n") << "names of files are left to the shell";
    EXPECT_EQ(completed("aapc exec --algorithm nat", 3), "native\n");
    EXPECT_EQ(completed("aapc schedule --algorithm nat", 3), "\n") << "it makes schedules of our own";
    EXPECT_EQ(completed("aapc exec --synchronisation sender", 3), "sender sender-partial\n");
    EXPECT_EQ(completed("aapc tune --pattern zi", 3), "zipf\n");
    EXPECT_EQ(completed("aapc exec --mpi ''", 3), "openmpi mpich\n");
}

TEST(CommandLine, EveryCommandHasItsManualPage) {
    const Scratch scratch;
    std::vector<std::string> names = commands();
    names.emplace_back("");
    for (const std::string& name : names) {
        const std::string page = scratch.run("manual " + name).out;
        EXPECT_THAT(page, AllOf(StartsWith(".TH AAPC"), HasSubstr("\n.SH SYNOPSIS\n"), HasSubstr("\n.SH OPTIONS\n"),
                                HasSubstr("\n.SH EXAMPLES\n"), EndsWith("\n")));
        EXPECT_THAT(page, HasSubstr("\\-\\-help")) << name;
        if (std::system("command -v groff >/dev/null") == 0) {
            (void)scratch.file("page", page);
            EXPECT_EQ(
                std::system(("cd '" + scratch.path("") + "' && groff -man -Tascii -ww page >shown 2>warnings").c_str()),
                0);
            EXPECT_EQ(contents(scratch.path("warnings")), "") << name;
        }
    }
}

}  // namespace
}  // namespace aapc::test
