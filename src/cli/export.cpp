// `aapc export`: what a tuning found to be the fastest of the algorithms that the MPI has itself, as a file that the
// MPI reads: rules for Open MPI's component "tuned", or MPICH's selection of collectives.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/archive/tuning.hpp"
#include "cli/command.hpp"
#include "console/output.hpp"
#include "input/mpis.hpp"
#include "input/wording.hpp"

namespace aapc::cli {

namespace {

using Json = nlohmann::ordered_json;  // the first member that fits is taken
using Kind = Synchronisation::Kind;

struct ExportOptions {
    std::string tuning;
    std::string library;
    std::string output;
};

/// Methods of baselines depend on no network, so that the file is read for whichever kind it fits.
Expected<Tuning> read_any_tuning(const std::string& file) {
    const Expected<std::string> text = read_file(file, {"a tuning file"});
    if (!text) {
        return failure(text.error());
    }
    Expected<Tuning> first = read_tuning(*text, shown_name(file), NetworkKind::tree);
    for (const NetworkKind kind :
         {NetworkKind::clusters, NetworkKind::torus, NetworkKind::detected, NetworkKind::fabric}) {
        if (!first) {
            if (auto other = read_tuning(*text, shown_name(file), kind)) {
                return other;
            }
        }
    }
    return first;
}

bool is_power_of_two(std::size_t number) { return (number & (number - 1)) == 0; }

bool takes_turns(const Method& method, Phase window) {
    return method.synchronisation.kind == Kind::window && method.synchronisation.block_phases == window;
}

/// The number by which Open MPI 4.1's component "tuned" knows what a method does; nothing where it has no such thing.
/// Source: coll_tuned_alltoall_decision.c of Open MPI 4.1.
std::optional<int> openmpi_algorithm(const Method& method, std::size_t ranks) {
    const std::string_view name = method.native() ? "" : method.algorithm->name;
    if (name == "linear" && takes_turns(method, all_phases)) {
        return 1;
    }
    // Open MPI's "pairwise" sends to i+k and receives from i-k.
    if ((name == "ring" || (name == "pairwise" && !is_power_of_two(ranks))) && takes_turns(method, 1)) {
        return 2;
    }
    return name == "bruck" && method.variant == "radix-2" ? std::optional(3) : std::nullopt;
}

/// The same for MPICH 4.0, which has names.
std::optional<std::string> mpich_algorithm(const Method& method, std::size_t ranks) {
    const std::string_view name = method.native() ? "" : method.algorithm->name;
    if ((name == "pairwise" || (name == "ring" && !is_power_of_two(ranks))) && takes_turns(method, 1)) {
        return "MPIR_Alltoall_intra_pairwise";
    }
    if (name == "scattered" && takes_turns(method, 32)) {
        return "MPIR_Alltoall_intra_scattered";
    }
    return name == "bruck" && method.variant == "radix-2" ? std::optional("MPIR_Alltoall_intra_brucks") : std::nullopt;
}

/// For what is left to the MPI, why.
std::string remark_on(const Method& method) {
    return method.native() ? "its own choice is the fastest"
                           : fmt::format("{} is faster, which aapc exec runs; else its own choice", to_string(method));
}

std::string openmpi_rules(const Tuning& tuning) {
    const std::size_t ranks = tuning.fingerprint.machine_of.size();
    std::string rules;
    for (const TunedRange& range : tuning.ranges) {
        const auto algorithm = openmpi_algorithm(range.method, ranks);
        // Sizes are those of all blocks together.
        rules += fmt::format("{} {} 0 0    # blocks from {} bytes: {}\n",
                             range.from_bytes * static_cast<std::int64_t>(ranks), algorithm.value_or(0),
                             range.from_bytes, algorithm ? to_string(range.method) : remark_on(range.method));
    }
    return fmt::format(
        "# MPI_Alltoall of {0} ranks, by aapc {1} under {2}:\n"
        "#   mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename FILE -n {0} ...\n"
        "1    # collective\n"
        "3    # it is MPI_Alltoall\n"
        "2    # sizes of communicators\n"
        "{0}    # ranks and more\n"
        "{3}    # sizes; then size, algorithm (0: Open MPI's choice), fan-out, segment\n"
        "{4}"
        "{5}    # ranks and more, of which nothing was measured\n"
        "1\n"
        "0 0 0 0\n",
        ranks, tuning.fingerprint.aapc_version, tuning.fingerprint.mpi_version, tuning.ranges.size(), rules, ranks + 1);
}

constexpr const char* name_it = "name the libmpich.so that programs use with --library";

/// The selection that a libmpich has inside, as JSON; a file of one's own takes the place of all of it.
Expected<Json> selection_in(const std::string& library) {
    constexpr FileKind mpich_library{"MPICH's library", 1024, Content::bytes};
    const Expected<std::string> bytes = read_text_file(library, mpich_library);
    if (!bytes) {
        return failure({.file = library, .problem = bytes.error().problem, .advice = name_it});
    }
    constexpr std::string_view start = "{\"collective=";
    for (std::size_t at = bytes->find(start); at != std::string::npos; at = bytes->find(start, at + 1)) {
        Json selection = Json::parse(bytes->c_str() + at, nullptr, false);
        const bool is_it = selection.is_object() && selection.contains("collective=alltoall") &&
                           selection["collective=alltoall"].dump().find("MPIR_Alltoall_intra_") != std::string::npos &&
                           selection["collective=alltoall"].contains("comm_type=intra");
        if (is_it) {
            return selection;
        }
    }
    return failure(
        {.file = library, .problem = "MPICH's selection of algorithms is not found in it", .advice = name_it});
}

/// Where systems have MPICH's library.
std::string find_mpich() {
    for (const char* const directory : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                                        "/usr/lib64/mpich/lib", "/usr/lib64", "/usr/lib", "/usr/local/lib"}) {
        std::string library = std::string(directory) + "/libmpich.so.12";
        if (std::error_code error; std::filesystem::exists(library, error)) {
            return library;
        }
    }
    return "libmpich.so.12";
}

Expected<std::string> mpich_selection(const Tuning& tuning, const std::string& library) {
    Expected<Json> selection = selection_in(library.empty() ? find_mpich() : library);
    if (!selection) {
        return failure(selection.error());
    }
    const std::size_t ranks = tuning.fingerprint.machine_of.size();
    Json& all = (*selection)["collective=alltoall"]["comm_type=intra"];
    const Json usual = all;
    Json sizes = Json::object();
    for (std::size_t index = 0; index < tuning.ranges.size(); ++index) {
        const bool last = index + 1 == tuning.ranges.size();
        const auto algorithm = mpich_algorithm(tuning.ranges[index].method, ranks);
        const std::string key =
            last ? "avg_msg_size=any" : fmt::format("avg_msg_size<{}", tuning.ranges[index + 1].from_bytes);
        sizes[key] = algorithm ? Json{{"algorithm=" + *algorithm, Json::object()}} : usual;
    }
    all = Json::object();
    all[fmt::format("comm_size<{}", ranks)] = usual;
    all[fmt::format("comm_size<={}", ranks)] = {{"is_sendbuf_inplace=yes", usual}, {"is_sendbuf_inplace=no", sizes}};
    all["comm_size=any"] = usual;
    return selection->dump(1) + "\n";
}

int run_export(const ExportOptions& options) {
    const Expected<Tuning> tuning = read_any_tuning(options.tuning);
    if (!tuning) {
        return complain(tuning.error());
    }
    const std::string& mpi = tuning->fingerprint.mpi;
    if (mpi == "openmpi") {
        return write_output(options.output, openmpi_rules(*tuning));
    }
    if (mpi != "mpich") {
        return complain({.file = shown_name(options.tuning),
                         .problem = fmt::format("it was tuned for {}, whose rules are not known", in_quotes(mpi)),
                         .advice = fmt::format("give a tuning for {}", known_mpi_names())});
    }
    const Expected<std::string> selection = mpich_selection(*tuning, options.library);
    return selection ? write_output(options.output, *selection) : complain(selection.error());
}

}  // namespace

void add_export_command(Command& program, Invocation& invocation) {
    Command command = program.subcommand(
        "export", "Write what a tuning found among the MPI's own algorithms as a file that the MPI itself reads");
    const auto options = std::make_shared<ExportOptions>();
    command.option("TUNING", options->tuning, "tuning file that aapc tune wrote, or - for standard input")
        .type_name("")
        .required();
    command
        .option("--library", options->library,
                "MPICH's library, whose selection of algorithms is changed (default: where systems have it)")
        .type_name("FILE");
    command.option("-o,--output", options->output, "file to write instead of standard output").type_name("FILE");
    command.example("aapc export tuning.toml -o rules.conf", "of a tuning under Open MPI");
    command.example(
        "mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename rules.conf -n 16 ./app",
        "and Open MPI by itself");
    command.example("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=selection.json mpiexec -n 16 ./app",
                    "what was written of a tuning under MPICH");
    command.on_run([options, &invocation] { invocation.status = run_export(*options); });
}

}  // namespace aapc::cli
