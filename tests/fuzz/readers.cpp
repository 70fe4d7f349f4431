#include "fuzz/readers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "aapc/archive/record.hpp"
#include "aapc/archive/tuning.hpp"
#include "aapc/input/hostlist.hpp"
#include "aapc/input/units.hpp"
#include "aapc/methods/method.hpp"
#include "aapc/methods/schedule_file.hpp"
#include "aapc/offline/contention.hpp"
#include "aapc/offline/network_model.hpp"
#include "aapc/timetable/synchronisation.hpp"
#include "aapc/topology/demand_file.hpp"
#include "aapc/topology/topology_file.hpp"
#include "archive/kept_paths.hpp"
#include "archive/learned.hpp"
#include "cli/imports/imports.hpp"
#include "input/fnv1a.hpp"
#include "input/infiniband.hpp"
#include "selection/settings.hpp"

namespace aapc::fuzz {

namespace {

template <class T>
void judge(std::string_view text, const Expected<T>& result) {
    if (!result) {
        const Diagnostic& mistake = result.error();
        expect_sensible(text, to_string(mistake), mistake.line, mistake.column);
    }
}

void read_a_demand(std::string_view text) {
    judge(text, read_demand(text, "f", 4));
    judge(text, read_demand_fractions(text, "f", 4, 65536));
    judge(text, read_ucc_demands(text, "f", 4));
}

void read_forwarding(std::string_view text) { judge(text, infiniband::read_forwarding_tables(text, "f")); }

void read_a_hostlist(std::string_view text) {
    if (text.size() <= 256) {  // longer ones are within the larger readers
        judge(text, expand_hostlist(text));
    }
}

void read_a_method(std::string_view text) {
    for (const NetworkKind kind :
         {NetworkKind::tree, NetworkKind::torus, NetworkKind::clusters, NetworkKind::detected}) {
        judge(text, parse_method(text, kind));
    }
    judge(text, parse_synchronisation(text));
}

/// What sites have: of whatever is read a topology file is written, which can be read.
void read_what_a_site_has(std::string_view tool, std::string_view text) {
    auto wiring = imports::find_importer(tool)->read({text, "f", {}});
    judge(text, wiring);
    if (wiring) {
        imports::assume_speeds(*wiring, {1e9, 1e10});
        const auto imported = imports::topology_of(*wiring, "f");
        judge(text, imported);
        if (imported) {
            static_cast<void>(read_topology(imported->text, "f"));
        }
    }
}

/// As a job that ends leaves them: every section with the right checksum, so that what is behind it is read.
std::string sealed_anew(std::string_view text) {
    static constexpr std::string_view end = "\n[end]\n";
    std::string sealed;
    for (std::size_t at = text.find(end); at != std::string_view::npos; at = text.find(end)) {
        const std::string_view content = text.substr(0, at + 1);
        text.remove_prefix(at + end.size());
        text.remove_prefix(text.starts_with("checksum") ? std::min(text.find('\n'), text.size() - 1) + 1 : 0);
        sealed += fmt::format("{}[end]\nchecksum = \"{}\"\n", content, fnv1a_text(content));
    }
    return sealed + std::string(text);
}

/// Read as a job that begins does, and written as one that ends does: what is written can be read.
void read_what_jobs_have_learned(std::string_view text) {
    const std::string sealed = sealed_anew(text);
    const selection::LearnedFile file = selection::take_apart_learned(sealed, "f");
    if (file.damage) {
        expect_sensible(sealed, to_string(*file.damage), file.damage->line, file.damage->column);
    }
    std::vector<Tuning> learned;
    for (const std::string& section : file.sections) {
        if (auto tuning = read_tuning(section, "f", NetworkKind::tree)) {
            judge(sealed, selection::sections_for(file, tuning->fingerprint, NetworkKind::tree, "f"));
            selection::add_learned(learned, std::move(*tuning));
        }
    }
    for (const Tuning& tuning : learned) {
        static_cast<void>(selection::learned_method(tuning, 4096));
    }
    const std::string written = selection::with_learned(file, learned, NetworkKind::tree);
    if (selection::take_apart_learned(written, "f").damage) {
        std::fprintf(stderr, "what was written cannot be read: %s\n", written.c_str());
        std::abort();
    }
}

void read_a_model(std::string_view text) { judge(text, read_network_model(text, "f")); }

void read_samples(std::string_view text) { judge(text, read_contention_samples(text, "f")); }

/// As rank 0 gathers sections and as a file has them: what is written of them can be read, and says the same.
void read_kept_paths_of_jobs(std::string_view text) {
    judge(text, read_kept_paths(text, "f"));
    auto sections = read_kept_sections(text, "f");
    judge(text, sections);
    if (sections) {
        std::vector<KeptPaths> kept;
        add_kept_paths(kept, std::move(*sections));
        const std::string written = kept_paths_file(kept);
        const auto again = read_kept_paths(written, "f");
        if (!again || kept_paths_file(*again) != written) {
            std::fprintf(stderr, "what was written is not what is read: %s\n", written.c_str());
            std::abort();
        }
    }
}

void read_a_schedule(std::string_view text) { judge(text, read_schedule_document(text, "f")); }

/// The environment's variables and the files that they name, as rank 0 sends them; here with U+001E between them.
void read_settings_of_rank_0(std::string_view text) {
    selection::Settings settings;
    std::string_view rest = text;
    for (std::string* const field :
         {&settings.topology_file, &settings.topology_text, &settings.tuning_file, &settings.tuning_text,
          &settings.algorithm, &settings.synchronisation, &settings.verbosity, &settings.shared_memory,
          &settings.buffer_limit, &settings.start, &settings.record_segments, &settings.only_tuned}) {
        const std::size_t end = rest.find('\x1e');
        *field = rest.substr(0, end);
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    judge(text, selection::configure(settings));
}

void read_what_a_job_left(std::string_view text) { judge(text, read_record(text, "f")); }

void read_a_topology(std::string_view text) { judge(text, read_topology(text, "f")); }

void read_a_tuning(std::string_view text) { judge(text, read_tuning(text, "f", NetworkKind::tree)); }

void read_units(std::string_view text) {
    judge(text, parse_speed(text));
    judge(text, parse_duration(text));
    judge(text, parse_size(text));
}

}  // namespace

std::span<const Reader> readers() {
    static constexpr std::array all{
        Reader{"demand", read_a_demand},
        Reader{"forwarding", read_forwarding},
        Reader{"hostlist", read_a_hostlist},
        Reader{"ibnetdiscover", [](std::string_view text) { read_what_a_site_has("ibnetdiscover", text); }},
        Reader{"learned", read_what_jobs_have_learned},
        Reader{"lldp", [](std::string_view text) { read_what_a_site_has("lldp", text); }},
        Reader{"method", read_a_method},
        Reader{"model", read_a_model},
        Reader{"paths", read_kept_paths_of_jobs},
        Reader{"record", read_what_a_job_left},
        Reader{"samples", read_samples},
        Reader{"schedule", read_a_schedule},
        Reader{"settings", read_settings_of_rank_0},
        Reader{"simgrid", [](std::string_view text) { read_what_a_site_has("simgrid", text); }},
        Reader{"slurm", [](std::string_view text) { read_what_a_site_has("slurm", text); }},
        Reader{"topology", read_a_topology},
        Reader{"tuning", read_a_tuning},
        Reader{"units", read_units},
    };
    return all;
}

void expect_sensible(std::string_view text, std::string_view problem, int line, int column) {
    const auto lines = std::count(text.begin(), text.end(), '\n') + 2;  // what is missing is missing behind the last
    const bool sensible = !problem.empty() && problem.find('\n') == std::string_view::npos && line >= 0 &&
                          line <= lines && column >= 0 && column <= static_cast<std::ptrdiff_t>(text.size()) + 2;
    if (!sensible) {
        std::fprintf(stderr, "not sensible: line %d, column %d: %.*s\n", line, column, static_cast<int>(problem.size()),
                     problem.data());
        std::abort();
    }
}

}  // namespace aapc::fuzz
