#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "cli/program.hpp"

namespace aapc::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

const std::string programs = AAPC_TEST_PROGRAMS "/";
const std::string interposers =
    (fs::path(AAPC_PROGRAM).parent_path().parent_path() / "lib" / "libaapc-").lexically_normal();

const std::vector<std::string> mpis = {
#ifdef AAPC_TEST_WITH_openmpi
    "openmpi",
#endif
#ifdef AAPC_TEST_WITH_mpich
    "mpich",
#endif
};

/// No launcher's variable reaches these tests unless they set it.
class ExecCommand : public testing::Test {
  protected:
    void SetUp() override {
        for (const char* name :
             {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_STEP_ID", "LD_PRELOAD",
              "AAPC_TOPOLOGY", "AAPC_ALGORITHM", "AAPC_SYNCHRONISATION", "AAPC_BUFFER_LIMIT", "AAPC_VERBOSE",
              "AAPC_ASYNC_PROGRESS", "AAPC_LIBRARY_PATH", "OMPI_MCA_coll"}) {
            unsetenv(name);
        }
    }
    void TearDown() override { SetUp(); }

    /// The environment as the program saw it, under `aapc exec OPTIONS -- PROGRAM`.
    [[nodiscard]] Outcome run(const std::string& options, const std::string& program) const {
        return directory_.run("exec " + options + " -- " + program);
    }

    Scratch directory_;
};

std::string preloaded(const std::string& mpi) { return "LD_PRELOAD=" + interposers + mpi + ".so\n"; }

/// Whether `mpi` loads a component of this build.
bool has_component(const std::string& mpi) {
    return mpi == "openmpi" &&
           fs::exists(fs::path(AAPC_PROGRAM).parent_path().parent_path() / "lib/openmpi/mca_coll_aapc.so");
}

/// By what a program of `mpi` has aapc unless somebody asks for another way.
std::string put_into(const std::string& mpi) { return has_component(mpi) ? "LD_PRELOAD=\n" : preloaded(mpi); }

int lines(const std::string& text) { return static_cast<int>(std::count(text.begin(), text.end(), '\n')); }

TEST_F(ExecCommand, NeedsAProgram) {
    for (const char* arguments : {"exec", "exec --", "exec --topology x --"}) {
        const Outcome outcome = directory_.run(arguments);
        EXPECT_EQ(outcome.status, 2) << arguments;
        EXPECT_THAT(outcome.out, IsEmpty());
        EXPECT_THAT(outcome.err, HasSubstr("required"));
    }
}

TEST_F(ExecCommand, WantsTheProgramBehindTwoDashes) {
    const Outcome outcome = directory_.run("exec echo hello");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(outcome.err, HasSubstr("write -- before the program"));
}

TEST_F(ExecCommand, ProgramThatIsNotThere) {
    for (const char* program : {"no-such-program-anywhere", "./nor-here", "/nor/there"}) {
        const Outcome outcome = run("", program);
        EXPECT_EQ(outcome.status, 127) << program;
        EXPECT_THAT(outcome.err, AllOf(StartsWith(program), HasSubstr("no such program")));
        EXPECT_EQ(lines(outcome.err), 1) << outcome.err;
    }
}

TEST_F(ExecCommand, FileThatMayNotBeRun) {
    const Outcome outcome = run("", directory_.file("data", "nothing"));
    EXPECT_EQ(outcome.status, 126);
    EXPECT_THAT(outcome.err, HasSubstr("cannot be run"));
}

/// What the system says of a program that it cannot even look for is said, and nothing throws.
TEST_F(ExecCommand, ProgramThatCannotBeLookedFor) {
    fs::create_symlink("loop2", directory_.path("loop1"));
    fs::create_symlink("loop1", directory_.path("loop2"));
    const std::string overlong = "./" + std::string(5000, 'a');
    for (const auto& [name, cause] :
         {std::pair<std::string, std::string>{"./loop1", "Too many levels of symbolic links"},
          {overlong, "File name too long"},
          {"./loop1/program", "Too many levels of symbolic links"}}) {
        const Outcome outcome = run("--topology some.toml", name);
        EXPECT_EQ(outcome.status, 126);
        EXPECT_EQ(outcome.err, name + ": cannot be run: " + cause + "; give a file that may be executed\n");
    }
}

TEST_F(ExecCommand, ProgramInADirectoryThatMayNotBeSearched) {
    fs::create_directory(directory_.path("locked"));
    fs::copy_file("/bin/true", directory_.path("locked/program"));
    fs::permissions(directory_.path("locked"), fs::perms::none);
    // Root may search everything, unless it gives that up.
    const std::string given_up = geteuid() == 0 ? "setpriv --bounding-set=-all --inh-caps=-all " : "";
    const std::string command =
        "cd '" + directory_.path(".") + "' && " + given_up + "'" AAPC_PROGRAM "' exec -- locked/program 2>err";
    const int status = std::system(command.c_str());
    fs::permissions(directory_.path("locked"), fs::perms::owner_all);
    EXPECT_EQ(WEXITSTATUS(status), 126);
    EXPECT_EQ(contents(directory_.path("err")),
              "locked/program: cannot be run: Permission denied; give a file that may be executed\n");
}

TEST_F(ExecCommand, StartedInADirectoryThatIsGone) {
    for (const std::string& mpi : mpis) {
        const std::string command = "mkdir '" + directory_.path("gone") + "' && cd '" + directory_.path("gone") +
                                    "' && rmdir ../gone && '" AAPC_PROGRAM "' exec --topology here.toml -- '" +
                                    programs + "environment_" + mpi + "' >'" + directory_.path("out") + "'";
        EXPECT_EQ(std::system(command.c_str()), 0);
        EXPECT_THAT(contents(directory_.path("out")), HasSubstr("AAPC_TOPOLOGY=here.toml\n"));
    }
}

TEST_F(ExecCommand, StatusAndArgumentsAreTheProgramsOwn) {
    const Outcome outcome =
        run("", R"(sh -c 'for word; do echo "[$word]"; done; exit 5' name --topology x -- '' '*' 'a b' --help)");
    EXPECT_EQ(outcome.status, 5);
    EXPECT_EQ(outcome.out, "[--topology]\n[x]\n[--]\n[]\n[*]\n[a b]\n[--help]\n");
}

TEST_F(ExecCommand, FindsTheMpiThatAProgramIsLinkedTo) {
    ASSERT_THAT(mpis, Not(IsEmpty()));
    for (const std::string& mpi : mpis) {
        for (const char* kind : {"environment_", "environment_behind_"}) {
            const Outcome outcome = run("--topology some.toml", programs + kind + mpi);
            EXPECT_EQ(outcome.status, 0);
            EXPECT_THAT(outcome.out, StartsWith(put_into(mpi))) << kind;
            EXPECT_THAT(outcome.err, IsEmpty());
            EXPECT_THAT(run("--topology some.toml --way preload", programs + kind + mpi).out,
                        StartsWith(preloaded(mpi)))
                << kind;
        }
    }
}

TEST_F(ExecCommand, TheComponentTakesThePlaceOfThePreloadedLibrary) {
    for (const std::string& mpi : mpis) {
        for (const bool asked : {false, true}) {
            const Outcome outcome =
                run(std::string("--topology some.toml --verbose 1") + (asked ? " --way component" : ""),
                    programs + "environment_" + mpi);
            EXPECT_EQ(outcome.status, 0);
            EXPECT_THAT(outcome.out, StartsWith(put_into(mpi)));
            const std::string answering =
                has_component(mpi) ? "Open MPI's component coll/aapc" : "libaapc-" + mpi + ".so";
            EXPECT_THAT(outcome.err, EndsWith(": " + answering + " answers for MPI_Alltoall\n"));
            EXPECT_EQ(lines(outcome.err), asked && !has_component(mpi) ? 2 : 1) << outcome.err;
            if (asked && !has_component(mpi)) {
                EXPECT_THAT(outcome.err, StartsWith("aapc: --way component: "));
                EXPECT_THAT(outcome.err, HasSubstr("; preloading libaapc-" + mpi + ".so\n"));
            }
        }
    }
    const Outcome wrong = run("--way compnent", "true");
    EXPECT_EQ(wrong.status, 2);
    EXPECT_THAT(wrong.err, HasSubstr("component"));
}

/// Where Open MPI might not load the component, or that might do less, the library is preloaded unless the component is
/// asked for.
TEST_F(ExecCommand, PreloadsWhereTheComponentMightNotServe) {
    for (const std::string& mpi : mpis) {
        const std::string program = programs + "environment_" + mpi;
        EXPECT_THAT(run("--topology x --async-progress", program).out, StartsWith(preloaded(mpi)));
        EXPECT_THAT(run("--topology x --async-progress --way component", program).out, StartsWith(put_into(mpi)));
        setenv("OMPI_MCA_coll", "tuned,basic", 1);
        EXPECT_THAT(run("--topology x", program).out, StartsWith(preloaded(mpi)));
        EXPECT_THAT(run("--topology x --way component", program).out, StartsWith(put_into(mpi)));
        unsetenv("OMPI_MCA_coll");
    }
}

/// Open MPI says nothing when it does not load a component of another series; what the component is linked to says so.
TEST_F(ExecCommand, PreloadsWhereTheComponentIsForAnotherOpenMpi) {
    if (!has_component("openmpi")) {
        GTEST_SKIP() << "this build has no component";
    }
    const fs::path built = fs::path(AAPC_PROGRAM).parent_path().parent_path() / "lib";
    fs::create_directories(directory_.path("lib/openmpi"));
    fs::copy_file(built / "libaapc-openmpi.so", directory_.path("lib/libaapc-openmpi.so"));
    const std::string component = contents(built / "openmpi/mca_coll_aapc.so");
    const std::size_t at = component.find("libopen-pal.so.");
    ASSERT_NE(at, std::string::npos);
    std::string other = component;
    other.replace(at + std::string("libopen-pal.so.").size(), 2, "99");
    const std::vector<std::pair<std::string, std::string>> cases = {
        {component, ""},
        {other, "is for an Open MPI with libopen-pal.so.99"},
        {"no library", "there is no mca_coll_aapc.so"},
    };
    for (const auto& [text, complaint] : cases) {
        static_cast<void>(directory_.file("lib/openmpi/mca_coll_aapc.so", text));
        const std::string command = "AAPC_LIBRARY_PATH='" + directory_.path("lib") +
                                    "' '" AAPC_PROGRAM "' exec --topology x --way component -- '" + programs +
                                    "environment_openmpi' >'" + directory_.path("out") + "' 2>'" +
                                    directory_.path("err") + "'";
        ASSERT_EQ(std::system(command.c_str()), 0);
        const std::string preload = complaint.empty() ? "" : directory_.path("lib/libaapc-openmpi.so");
        EXPECT_THAT(contents(directory_.path("out")), StartsWith("LD_PRELOAD=" + preload + "\n"));
        EXPECT_THAT(contents(directory_.path("err")), HasSubstr(complaint));
    }
}

TEST_F(ExecCommand, TheProgramsLinkageOutweighsTheLauncher) {
    setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
    setenv("PMI_RANK", "0", 1);
    for (const std::string& mpi : mpis) {
        EXPECT_THAT(run("--topology some.toml", programs + "environment_" + mpi).out, StartsWith(put_into(mpi)));
    }
}

TEST_F(ExecCommand, OptionsBecomeVariables) {
    for (const std::string& mpi : mpis) {
        const Outcome outcome =
            run("--topology sub/../some.toml --tuning tuned.toml --algorithm tree/paper --synchronisation sender "
                "--buffer-limit 64Mi --verbose 2 --async-progress",
                programs + "environment_" + mpi);
        const std::string here = fs::path(directory_.path("sub/../some.toml"));
        EXPECT_EQ(outcome.out, preloaded(mpi) + "AAPC_TOPOLOGY=" + here +
                                   "\nAAPC_TUNING=" + directory_.path("tuned.toml") +
                                   "\nAAPC_ALGORITHM=tree/paper\nAAPC_SYNCHRONISATION=sender\nAAPC_BUFFER_LIMIT=64Mi\n"
                                   "AAPC_VERBOSE=2\nAAPC_ASYNC_PROGRESS=1\n");
    }
}

TEST_F(ExecCommand, WithoutOptionsTheEnvironmentSpeaks) {
    setenv("AAPC_TOPOLOGY", "/some/where.toml", 1);
    setenv("AAPC_ALGORITHM", "tree", 1);
    for (const std::string& mpi : mpis) {
        const Outcome outcome = run("", programs + "environment_" + mpi);
        EXPECT_THAT(outcome.out, HasSubstr("AAPC_TOPOLOGY=/some/where.toml\nAAPC_TUNING=\nAAPC_ALGORITHM=tree\n"));
        EXPECT_THAT(outcome.err, IsEmpty());
    }
}

TEST_F(ExecCommand, SaysWhereNativeCallsAreNoted) {
    for (const std::string& mpi : mpis) {
        const Outcome outcome = run("--record /tmp/job.jsonl", programs + "environment_" + mpi);
        EXPECT_THAT(outcome.err, HasSubstr("every all-to-all is native; /tmp/job.jsonl will have them all\n"));
        EXPECT_EQ(lines(outcome.err), 1);
        unsetenv("AAPC_RECORD");
    }
}

TEST_F(ExecCommand, SaysOnceThatNoTopologyIsGiven) {
    for (const std::string& mpi : mpis) {
        const Outcome outcome = run("", programs + "environment_" + mpi);
        EXPECT_EQ(outcome.status, 0);
        EXPECT_THAT(outcome.err, HasSubstr("no topology is given"));
        EXPECT_EQ(lines(outcome.err), 1);
        setenv("OMPI_COMM_WORLD_RANK", "1", 1);
        EXPECT_THAT(run("", programs + "environment_" + mpi).err, IsEmpty());
        unsetenv("OMPI_COMM_WORLD_RANK");
    }
}

TEST_F(ExecCommand, WhatIsPreloadedAlreadyStays) {
    setenv("LD_PRELOAD", "libm.so.6", 1);
    for (const std::string& mpi : mpis) {
        EXPECT_THAT(run("--topology x --way preload", programs + "environment_" + mpi).out,
                    StartsWith("LD_PRELOAD=" + interposers + mpi + ".so:libm.so.6\n"));
    }
}

TEST_F(ExecCommand, AScriptGetsWhatWaitsForAnMpi) {
    const Outcome outcome = run("--topology x", "sh -c 'echo LD_PRELOAD=$LD_PRELOAD; echo $AAPC_INTERPOSERS'");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.out, StartsWith(preloaded("late")));
    for (const std::string& mpi : mpis) {
        EXPECT_THAT(outcome.out, HasSubstr("=" + interposers + mpi + ".so"));
    }
    EXPECT_THAT(outcome.err, IsEmpty());
}

TEST_F(ExecCommand, TheNamedMpiIsThatOfAScript) {
    for (const std::string& mpi : mpis) {
        EXPECT_EQ(run("--topology x --mpi " + mpi, "sh -c 'echo LD_PRELOAD=$LD_PRELOAD'").out, preloaded(mpi));
    }
}

/// With the interposer of another MPI than it is linked to, a program hangs or crashes.
TEST_F(ExecCommand, AProgramOfAnotherMpiThanTheNamedOneRunsAsItIs) {
    setenv("PMI_RANK", "0", 1);
    for (const std::string& linked_to : mpis) {
        for (const std::string& named : mpis) {
            const Outcome outcome = run("--topology x --mpi " + named, programs + "environment_" + linked_to);
            EXPECT_EQ(outcome.status, 0);
            if (named == linked_to) {
                EXPECT_THAT(outcome.out, StartsWith(put_into(named)));
                EXPECT_THAT(outcome.err, IsEmpty());
            } else {
                EXPECT_THAT(outcome.out, StartsWith("LD_PRELOAD=\n"));
                EXPECT_THAT(outcome.err, AllOf(HasSubstr("the interposer of --mpi " + named + " is for programs of"),
                                               HasSubstr("running it as it is")));
                EXPECT_EQ(lines(outcome.err), 1);
            }
        }
    }
}

#ifdef AAPC_TEST_WITH_mpich
/// MPICH's library under the name that Intel MPI's and MVAPICH's have. Debian 13 ships such a link.
TEST_F(ExecCommand, AnotherNameOfTheSameLibraryWillDo) {
    const std::string own_name = "libmpich.so.12";
    const std::string other_name = "libmpi.so.12";
    std::string program = contents(programs + "environment_mpich");
    const std::size_t at = program.find(own_name);
    ASSERT_NE(at, std::string::npos);
    program.replace(at, own_name.size(), other_name + std::string(own_name.size() - other_name.size(), '\0'));
    const std::string renamed = directory_.file("renamed", program);
    fs::permissions(renamed, fs::perms::owner_all);
    const Outcome found = directory_.run("exec -- sh -c \"ldconfig -p || /sbin/ldconfig -p\"");
    const std::size_t arrow = found.out.find("=> ", found.out.find(own_name));
    ASSERT_NE(arrow, std::string::npos) << found.out;
    const std::string library = found.out.substr(arrow + 3, found.out.find('\n', arrow) - arrow - 3);
    fs::create_symlink(fs::canonical(library), directory_.path(other_name));
    setenv("LD_LIBRARY_PATH", directory_.path("").c_str(), 1);
    const Outcome outcome = run("--topology x", renamed);
    unsetenv("LD_LIBRARY_PATH");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.out, StartsWith(preloaded("mpich")));
    EXPECT_THAT(outcome.err, IsEmpty());
}
#endif

TEST_F(ExecCommand, AnMpiThatNobodyKnowsIsRefused) {
    const Outcome outcome = run("--topology x --mpi wood", "echo hello");
    expect_refusal(outcome, 2, AllOf(StartsWith("--mpi: "), HasSubstr("'wood'"), HasSubstr(mpis.front())));
    for (const char* rank : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
        setenv(rank, "1", 1);
        EXPECT_THAT(run("--topology x --mpi wood", "echo hello").err, IsEmpty()) << "one rank speaks, not " << rank;
        unsetenv(rank);
    }
}

TEST_F(ExecCommand, AStaticProgramRunsAsItIs) {
    setenv("PMI_RANK", "0", 1);
    for (const char* const program : {"environment_static", "environment_static_pie"}) {
        const Outcome outcome = run("--topology x", programs + program);
        EXPECT_EQ(outcome.status, 0);
        EXPECT_THAT(outcome.out, StartsWith("LD_PRELOAD=\n"));
        EXPECT_THAT(outcome.err, HasSubstr("statically linked"));
        EXPECT_EQ(lines(outcome.err), 1);
    }
}

TEST_F(ExecCommand, TheDynamicLinkerItselfIsNoStaticProgram) {
    const std::string linker = "/lib64/ld-linux-x86-64.so.2";
    if (!fs::exists(linker)) {
        GTEST_SKIP() << linker << " is not here";
    }
    const Outcome outcome = run("--topology x", linker + " /bin/echo hello");
    EXPECT_EQ(outcome.out, "hello\n");
    EXPECT_THAT(outcome.err, IsEmpty());
}

TEST_F(ExecCommand, OffAsksForNoTopology) {
    setenv("AAPC_OFF", "1", 1);
    EXPECT_THAT(run("", "echo hello").err, IsEmpty());
    EXPECT_THAT(run("--topology x --verbose 1", "echo hello").err,
                EndsWith("echo is linked to no MPI: AAPC_OFF=1, so every all-to-all is native\n"));
    unsetenv("AAPC_OFF");
    EXPECT_THAT(run("", "echo hello").err, HasSubstr("no topology is given"));
}

TEST_F(ExecCommand, LibraryPathComesFirst) {
    for (const std::string& mpi : mpis) {
        const std::string library = "libaapc-" + mpi + ".so";
        fs::copy_file(interposers + mpi + ".so", directory_.path(library));
        setenv("AAPC_LIBRARY_PATH", ("/nowhere:" + directory_.path("")).c_str(), 1);
        const std::string there = fs::canonical(directory_.path(library));
        EXPECT_THAT(run("--topology x", programs + "environment_" + mpi).out, StartsWith("LD_PRELOAD=" + there + "\n"));
    }
}

TEST_F(ExecCommand, FilesThatOnlyBeginLikeProgramsDoNoHarm) {
    const std::string whole = contents(programs + "environment_" + mpis.front());
    for (const std::size_t length : {4UL, 16UL, 63UL, 64UL, 200UL, 700UL, 1000UL, 4000UL, 12000UL}) {
        const std::string program = directory_.file("cut", whole.substr(0, length));
        fs::permissions(program, fs::perms::owner_all);
        const Outcome outcome = run("--topology x", program);
        // Cut in the middle of its pages it may start and crash, or be taken for a script; that is not aapc's affair.
        EXPECT_TRUE(outcome.status != 0 || length >= 4000) << length;
        EXPECT_NE(outcome.status, 124) << "took too long at " << length;
        EXPECT_THAT(outcome.err, Not(HasSubstr("terminate called"))) << length;
    }
}

}  // namespace
}  // namespace aapc::test
