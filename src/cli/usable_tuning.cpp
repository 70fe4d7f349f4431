#include "cli/usable_tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "console/output.hpp"
#include "selection/settings.hpp"

namespace aapc::cli {

ExplainedTuning read_explained_tuning(const std::string& file, const Network& network, const std::string& topology,
                                      const std::string& mpi) {
    if (file.empty()) {
        return {};
    }
    const auto without = [](const Diagnostic& why) {
        return ExplainedTuning{std::nullopt, selection::deciding_without_file(to_string(why))};
    };
    const Expected<std::string> text = read_file(file, {"a tuning file"});
    if (!text) {
        return without(text.error());
    }
    auto tuning = read_tuning(*text, shown_name(file), network.kind());
    if (!tuning) {
        return without(tuning.error());
    }
    const Fingerprint& tuned = tuning->fingerprint;
    Fingerprint here = make_fingerprint(network, {}, mpi.empty() ? tuned.mpi : mpi, tuned.mpi_version, topology);
    here.machine_of = tuned.machine_of;
    here.unequal = tuned.unequal;
    if (auto difference = mismatch(*tuning, here)) {
        difference->file = file;
        return without(*difference);
    }
    // A job cannot be placed on machines that the topology lacks, so its placement would differ from the tuned one.
    const auto unknown = std::find_if(tuned.machine_of.begin(), tuned.machine_of.end(),
                                      [&](const std::string& name) { return network.find_machine(name) < 0; });
    if (unknown != tuned.machine_of.end()) {
        return without(
            {.file = file,
             .problem = fmt::format("rank {} is placed on '{}', and there is no such machine in the topology",
                                    unknown - tuned.machine_of.begin(), *unknown),
             .advice = "tune again with aapc tune, or leave the file out"});
    }
    return {std::move(*tuning), ""};
}

}  // namespace aapc::cli
