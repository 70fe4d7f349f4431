#include "interposer/kept_connections.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "aapc/mpi/agreement.hpp"
#include "input/file_writer.hpp"
#include "input/text_file.hpp"
#include "interposer/communicator.hpp"
#include "interposer/job_identity.hpp"
#include "interposer/remarks.hpp"
#include "interposer/share_text.hpp"
#include "mpi/gather_lists.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/ranks.hpp"
#include "selection/wire_use.hpp"

namespace aapc::interposer {

namespace {

namespace fs = std::filesystem;
using mpi::have_memory_for;

constexpr FileKind kept_kind{"a file of paths"};

/// What the file says; nothing where there is none.
Expected<std::vector<KeptPaths>> read_kept_file(const std::string& path) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
        return std::vector<KeptPaths>();
    }
    const auto text = read_text_file(path, kept_kind);
    if (!text) {
        return failure(text.error());
    }
    return read_kept_paths(*text, path);
}

/// On rank 0. A file with a mistake is written anew, unless it is something else.
Expected<void> add_to_kept_file(const std::string& path, const std::string& texts) {
    auto since = read_kept_sections(texts, path);
    if (!since) {
        return failure(since.error());
    }
    // The ranks of a communicator follow each other, but those of two may alternate.
    std::vector<KeptPaths> whole;
    for (KeptPaths& one : *since) {
        const auto same =
            std::find_if(whole.begin(), whole.end(), [&](const KeptPaths& other) { return other.key == one.key; });
        if (same == whole.end()) {
            whole.push_back(std::move(one));
        } else {
            same->pairs.insert(same->pairs.end(), one.pairs.begin(), one.pairs.end());
        }
    }
    auto sections = read_kept_file(path).value_or(std::vector<KeptPaths>());
    add_kept_paths(sections, std::move(whole));
    FileWriter writer(path, Patience::bounded);
    writer.write(kept_paths_file(sections));
    return writer.finish();
}

}  // namespace

void KeptConnections::read(const std::string& learned) {
    is_kept_ =
        !learned.empty() && configuration_.wire != selection::WireUse::mpi && configuration_.network.has_hashed_paths();
    if (!is_kept_) {
        return;
    }
    std::string text;
    if (mpi::rank_in(MPI_COMM_WORLD) == 0) {
        static_cast<void>(have_memory_for([&] {
            std::error_code ignored;
            // A name that is not a regular file's, such as /dev/null, has no file beside it.
            if (const fs::path file(learned); !fs::exists(file, ignored) || fs::is_regular_file(file, ignored)) {
                path_ = learned + ".paths";
            }
            if (path_.empty()) {
                return;
            }
            if (const auto sections = read_kept_file(path_)) {
                for (const KeptPaths& section : *sections) {
                    text += kept_paths_text(section);
                }
            } else {
                reject(fmt::format("{}; learning paths from scratch", to_string(sections.error())));
            }
        }));
    }
    const bool shared = share_text(text);
    const bool understood =
        shared && have_memory_for([&] { before_ = read_kept_sections(text, "").value_or(std::vector<KeptPaths>()); });
    if (!mpi::all_agree(MPI_COMM_WORLD, understood)) {
        before_.clear();
    }
}

mpi::Wire::Kept KeptConnections::take(const Placement& placement, Rank rank) {
    mpi::Wire::Kept kept;
    const std::lock_guard lock(mutex_);
    if (before_.empty()) {
        return kept;
    }
    const std::string key = kept_paths_key(fingerprint_of(configuration_, placement));
    const auto section =
        std::find_if(before_.begin(), before_.end(), [&](const KeptPaths& one) { return one.key == key; });
    if (section == before_.end()) {
        return kept;
    }
    for (const KeptPair& pair : section->pairs) {
        if (pair.from == rank) {
            kept.pairs.push_back(
                {pair.to, pair.listens, pair.ports, static_cast<double>(pair.share) / double{kept_shares}});
        } else if (pair.to == rank) {
            kept.listens = pair.listens;
        }
    }
    before_.erase(section);
    return kept;
}

std::string KeptConnections::own_text(Communicators::States states) const {
    std::string text;
    std::set<std::string> keys;
    for (const auto& state : states) {
        const mpi::Wire::Kept kept = state->kept_connections();
        if (kept.pairs.empty()) {
            continue;
        }
        KeptPaths paths{kept_paths_key(fingerprint_of(configuration_, state->placement())), {}};
        // The first one with a placement takes what is kept, also in the next job.
        if (!keys.insert(paths.key).second) {
            continue;
        }
        for (const mpi::Wire::KeptPair& pair : kept.pairs) {
            paths.pairs.push_back({state->rank(), pair.to, pair.listens, pair.ports,
                                   static_cast<int>(std::lround(pair.share * double{kept_shares}))});
        }
        text += kept_paths_text(paths);
    }
    return text;
}

bool KeptConnections::write(Communicators::States states) {
    if (!is_kept_) {
        return false;
    }
    std::string text;
    if (!have_memory_for([&] { text = own_text(states); })) {
        text.clear();
    }
    mpi::GatheredLists<std::string> texts;
    const mpi::Agreed gathered = texts.gather(MPI_COMM_WORLD, &text, mpi::GatherTo::rank_0);
    if (gathered.all && !texts.all().empty() && !path_.empty()) {
        Expected<void> result;
        if (!have_memory_for([&] { result = add_to_kept_file(path_, texts.all()); })) {
            say("no memory is left to keep what was learned of paths");
        } else if (!result) {
            static_cast<void>(have_memory_for(
                [&] { say(fmt::format("{}; what was learned of paths is not kept", to_string(result.error()))); }));
        }
    }
    PMPI_Barrier(MPI_COMM_WORLD);
    return true;
}

}  // namespace aapc::interposer
