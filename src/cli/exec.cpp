// `aapc exec`: finds out which MPI a program uses, without running it, and runs it with that MPI's interposer.
//
// Nothing here stops a program from running but its own absence: ranks of one job must not go different ways, and a
// wrong topology file is the interposer's to report, which asks one rank only.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/interposers.hpp"
#include "cli/launch.hpp"
#include "input/environment.hpp"
#include "input/mpis.hpp"

namespace aapc::cli {

namespace {

namespace fs = std::filesystem;

struct Request {
    std::string topology;
    std::string tuning;
    std::string schedule;
    std::string learned;
    std::string algorithm;
    std::string synchronisation;
    std::string buffer_limit;
    std::string verbosity;
    std::string record;
    bool async_progress = false;
    std::string mpi;
    std::string way = "auto";
};

void remark(const std::string& text) {
    if (speaks()) {
        fmt::print(stderr, "{}\n", to_string(Diagnostic{.file = "aapc", .problem = text}));
    }
}

/// The file that execvp would run; empty if there is none.
fs::path find_program(const std::string& name) {
    if (name.find('/') != std::string::npos) {
        return name;
    }
    for (const std::string& directory : split(environment_variable("PATH"), ":")) {
        fs::path candidate = fs::path(directory.empty() ? "." : directory) / name;
        if (std::error_code error; fs::is_regular_file(candidate, error) && access(candidate.c_str(), X_OK) == 0) {
            return candidate;
        }
    }
    return {};
}

void set_unless_empty(const char* name, const std::string& value) {
    if (!value.empty()) {
        setenv(name, value.c_str(), 1);
    }
}

/// Has Open MPI load the component, as the module file does (packaging/modulefile.in).
void load_component(const fs::path& directory) {
    const std::string others = environment_variable("OMPI_MCA_mca_base_component_path");
    // Open MPI looks no further than to the first directory that is not there, which the user's may be.
    const std::string behind = others.empty() ? "SYSTEM_DEFAULT:USER_DEFAULT" : others;
    setenv("OMPI_MCA_mca_base_component_path", (directory.string() + ":" + behind).c_str(), 1);
    setenv("OMPI_MCA_coll_aapc_priority", "95", 0);
    // PMIx takes Open MPI 5's path for its own, and complains of what is in it, unless it has one, if an empty one.
    setenv("PMIX_MCA_mca_base_component_path", "", 0);
}

/// Whether a preloaded library may do more than the component: OMPI_MCA_coll may choose other components, and the
/// component has a thread only where the program asks for MPI_THREAD_MULTIPLE, for which an interposer asks itself.
bool component_may_do_less() {
    return !environment_variable("OMPI_MCA_coll").empty() || environment_variable("AAPC_ASYNC_PROGRESS") == "1";
}

/// Puts aapc into the program in the way that is asked for, and says by what it is answered for.
std::string put_into_program(const Request& request, const Interposing& interposing) {
    std::string library = interposing.library.filename().string();
    const bool asked = request.way == "component";
    const bool wants = asked || (request.way == "auto" && !component_may_do_less());
    if (wants) {
        const auto component = find_component(interposing);
        if (component) {
            load_component(*component);
            return "Open MPI's component coll/aapc";
        }
        if (asked) {
            remark(fmt::format("--way component: {}; preloading {}", component.error(), library));
        }
    }
    preload(interposing.library);
    return library;
}

void prepare_environment(const Request& request, const std::string& command, const Interposing& interposing) {
    // The rank that reads the file may start in another directory than this.
    set_unless_empty("AAPC_TOPOLOGY", request.topology.empty() ? "" : topology_for_ranks(request.topology));
    if (request.tuning == "-") {
        throw UsageError("--tuning", "the ranks of a program cannot read standard input; give a file");
    }
    set_unless_empty("AAPC_TUNING", request.tuning.empty() ? "" : absolute_path(request.tuning).string());
    set_unless_empty("AAPC_SCHEDULE", request.schedule.empty() ? "" : absolute_path(request.schedule).string());
    set_unless_empty("AAPC_LEARNED", request.learned.empty() ? "" : absolute_path(request.learned).string());
    set_unless_empty("AAPC_ALGORITHM", request.algorithm);
    set_unless_empty("AAPC_SYNCHRONISATION", request.synchronisation);
    set_unless_empty("AAPC_BUFFER_LIMIT", request.buffer_limit);
    set_unless_empty("AAPC_VERBOSE", request.verbosity);
    set_unless_empty("AAPC_RECORD", request.record.empty() ? "" : absolute_path(request.record).string());
    set_unless_empty("AAPC_ASYNC_PROGRESS", request.async_progress ? "1" : "");
    set_unless_empty("AAPC_INTERPOSERS", interposing.later);
    const std::string answering = put_into_program(request, interposing);
    const bool off = environment_variable("AAPC_OFF") == "1";
    if (const std::string verbose = environment_variable("AAPC_VERBOSE"); !verbose.empty() && verbose != "0") {
        remark(fmt::format(
            "{} {}: {}", command,
            interposing.of_program.empty() ? std::string("is linked to no MPI") : "uses " + interposing.of_program,
            off ? "AAPC_OFF=1, so every all-to-all is native" : answering + " answers for MPI_Alltoall"));
    }
    if (!off && environment_variable("AAPC_TOPOLOGY").empty() && environment_variable("AAPC_TUNING").empty()) {
        const std::string record = environment_variable("AAPC_RECORD");
        remark(record.empty()
                   ? "no topology is given (--topology FILE or detect, or AAPC_TOPOLOGY); every all-to-all is native"
                   : fmt::format("no topology is given, so every all-to-all is native; {} will have them all", record));
    }
}

/// What is wrong with --mpi, if anything.
std::optional<Diagnostic> mistake_in_mpi(const std::string& mpi) {
    std::vector<std::string> known;
    for (const Interposer& interposer : find_interposers()) {
        known.push_back(interposer.mpi);
    }
    const bool fits = mpi.empty() || std::find(known.begin(), known.end(), mpi) != known.end();
    return fits ? std::nullopt : std::optional(unknown_mpi(mpi, known));
}

int run_program(const Request& request, std::vector<std::string> command) {
    if (const auto mistake = mistake_in_mpi(request.mpi)) {
        return speaks() ? complain(*mistake) : bad_input;
    }
    const fs::path program = find_program(command.front());
    std::error_code unknown;  // a directory that may not be searched, links in a circle: the system says which
    if (program.empty() || (!fs::exists(program, unknown) && !unknown)) {
        complain({command.front(), 0, 0, "there is no such program", "give one that exists or is in PATH"});
        return program_not_found;
    }
    if (unknown) {
        return become(std::move(command));
    }
    const auto run_as_it_is = [&](std::string_view why) {
        remark(fmt::format("{}: {}; running it as it is", command.front(), why));
    };
    try {
        if (const auto interposing = choose_interposer(program, request.mpi)) {
            prepare_environment(request, command.front(), *interposing);
        } else {
            run_as_it_is(interposing.error());
        }
    } catch (const UsageError&) {
        throw;
    } catch (const std::exception& error) {  // a disk with an error, no memory
        run_as_it_is(error.what());
    }
    return become(std::move(command));
}

}  // namespace

void add_exec_command(Command& program, Invocation& invocation) {
    Command command = program.subcommand(
        "exec", "Run an unmodified MPI program so that its MPI_Alltoall follows a schedule for the network");
    const auto request = std::make_shared<Request>();
    command
        .option("--topology", request->topology,
                "topology file, or detect[:SPEED]: the ranks find out which of them share a machine "
                "(AAPC_TOPOLOGY)")
        .type_name("FILE");
    command.option("--tuning", request->tuning, "tuning file that aapc tune wrote (AAPC_TUNING)").type_name("FILE");
    command
        .option("--schedule", request->schedule,
                "schedule file that aapc schedule --thorough wrote, followed where lattice is used on its machines "
                "(AAPC_SCHEDULE)")
        .type_name("FILE");
    command
        .option("--learned", request->learned,
                "where what the program's calls teach is kept for the next run (AAPC_LEARNED)")
        .type_name("FILE");
    command.option("--algorithm", request->algorithm, "use this method, for every size (AAPC_ALGORITHM)")
        .type_name("ALGORITHM[/VARIANT][+SYNCHRONISATION]");
    command
        .option("--synchronisation", request->synchronisation, "keep phases apart in this way (AAPC_SYNCHRONISATION)")
        .type_name("NAME");
    command
        .option("--buffer-limit", request->buffer_limit,
                "most memory for forwarded blocks on a rank, such as 64Mi (AAPC_BUFFER_LIMIT)")
        .type_name("SIZE");
    command.option("--verbose", request->verbosity, "0, 1 or 2: say what is chosen and why (AAPC_VERBOSE)")
        .type_name("LEVEL");
    command.option("--record", request->record, "note every all-to-all in this file, for aapc report (AAPC_RECORD)")
        .type_name("FILE");
    command.flag("--async-progress", request->async_progress,
                 "a thread carries out calls that do not block, such as MPI_Ialltoall (AAPC_ASYNC_PROGRESS)");
    command
        .option(
            "--mpi", request->mpi,
            fmt::format("the MPI that a script or an interpreter loads, {} (default: whichever it loads); a program "
                        "that is linked to another one runs as it is",
                        known_abi_names()))
        .type_name("NAME");
    command
        .option("--way", request->way,
                "how aapc comes into a program: its library is preloaded, or Open MPI loads its component, which also "
                "sees calls that a tool makes through PMPI_ names; auto takes the component where the program's Open "
                "MPI can load it")
        .one_of({"auto", "preload", "component"})
        .show_default();
    const auto words = std::make_shared<std::vector<std::string>>();
    command.option("PROGRAM", *words, "the program and its arguments, behind --")
        .type_name("-- PROGRAM [ARGUMENT]...")
        .required();
    command.example("mpirun -n 16 aapc exec --topology cluster.toml -- ./app", "under Open MPI or MPICH");
    command.example("srun --mpi=pmix aapc exec --verbose 1 -- python3 app.py",
                    "under Slurm, with AAPC_TOPOLOGY set; says what was chosen");
    command.on_run([request, words, &invocation] {
        // Without it an option of the program might be taken for one of aapc.
        if (std::find(invocation.arguments.begin(), invocation.arguments.end(), "--") == invocation.arguments.end()) {
            throw UsageError("aapc exec", "write -- before the program");
        }
        invocation.status = run_program(*request, *words);
    });
}

}  // namespace aapc::cli
