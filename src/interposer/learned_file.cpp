#include "interposer/learned_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <mpi.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

#include "aapc/mpi/agreement.hpp"
#include "archive/learned.hpp"
#include "input/file_writer.hpp"
#include "input/text_file.hpp"
#include "interposer/remarks.hpp"
#include "interposer/share_text.hpp"
#include "mpi/gather_lists.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/ranks.hpp"

namespace aapc::interposer {

namespace {

namespace fs = std::filesystem;
using mpi::all_agree;
using mpi::have_memory_for;

constexpr FileKind learned_kind{"a file of what was learned"};

/// While it lives, no other job changes files of that directory. As far as the file system lets it: what it protects
/// from is a rare accident, so it does not wait long.
class DirectoryLock {
  public:
    explicit DirectoryLock(const fs::path& directory) : descriptor_(open(directory.c_str(), O_RDONLY | O_CLOEXEC)) {
        constexpr int attempts = 40;
        constexpr useconds_t pause = 25'000;
        for (int attempt = 0; attempt < attempts && taken_by_others(); ++attempt) {
            usleep(pause);
        }
    }
    DirectoryLock(const DirectoryLock&) = delete;
    DirectoryLock& operator=(const DirectoryLock&) = delete;
    ~DirectoryLock() {
        if (descriptor_ >= 0) {
            close(descriptor_);
        }
    }

  private:
    [[nodiscard]] bool taken_by_others() const {
        return descriptor_ >= 0 && flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    }

    int descriptor_;
};

/// A pipe, a device or a socket, in which nothing is kept: it is written to and never read.
bool keeps_nothing(const std::string& path) {
    std::error_code ignored;
    const fs::file_status status = fs::status(path, ignored);
    return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

/// The file as it is; empty where there is none, or none that can be read again.
Expected<selection::LearnedFile> read_file(const std::string& path) {
    std::error_code ignored;
    if ((!fs::exists(path, ignored) && !ignored) || keeps_nothing(path)) {
        return selection::LearnedFile{};
    }
    const auto text = read_text_file(path, learned_kind);
    if (!text) {
        return failure(text.error());
    }
    return selection::take_apart_learned(*text, path);
}

/// The name that stays the file's wherever the program goes, through all links.
std::string lasting_name(const std::string& path) {
    std::error_code unknown;
    fs::path name = fs::weakly_canonical(path, unknown);
    return unknown ? path : name.string();
}

/// On rank 0: the sections that fit as one text.
std::string fitting_text(std::string& path, const Fingerprint& here, NetworkKind kind) {
    path = lasting_name(path);
    if (keeps_nothing(path)) {
        reject(
            fmt::format("{}: it is no regular file, so what is learned is written to it and not read from it; "
                        "learning from scratch",
                        path));
    }
    const auto file = read_file(path);
    if (!file || !file->ours) {
        reject(fmt::format("{}; learning from scratch, and the file stays as it is",
                           to_string(file ? *file->damage : file.error())));
        path.clear();
        return "";
    }
    auto sections = selection::sections_for(*file, here, kind, path);
    if (file->damage || !sections) {
        reject(fmt::format("{}; learning from scratch", to_string(file->damage ? *file->damage : sections.error())));
        return "";
    }
    std::string text;
    for (const Tuning& section : *sections) {
        text += tuning_text(section);
    }
    return text;
}

/// On rank 0.
Expected<void> add_to_file(const std::string& path, const std::string& texts, const Fingerprint& here,
                           NetworkKind kind) {
    std::vector<Tuning> since;
    for (const std::string& text : selection::take_apart_learned(texts, path).sections) {
        auto tuning = read_tuning(text, path, kind);
        if (!tuning) {
            return failure(std::move(tuning.error()));
        }
        // What rank 0 says of the MPI's version holds for all.
        std::vector<std::string> machine_of = std::move(tuning->fingerprint.machine_of);
        const bool unequal = tuning->fingerprint.unequal;
        tuning->fingerprint = here;
        tuning->fingerprint.machine_of = std::move(machine_of);
        tuning->fingerprint.unequal = unequal;
        since.push_back(std::move(*tuning));
    }
    const DirectoryLock lock(fs::path(path).parent_path());
    const auto file = read_file(path);
    if (!file || !file->ours) {
        return failure(file ? *file->damage : file.error());
    }
    FileWriter writer(path, Patience::bounded);
    writer.write(selection::with_learned(*file, since, kind));
    return writer.finish();
}

}  // namespace

std::vector<Tuning> read_learned(std::string& path, const Fingerprint& here, NetworkKind kind) {
    std::string text;
    if (mpi::rank_in(MPI_COMM_WORLD) == 0 && !have_memory_for([&] { text = fitting_text(path, here, kind); })) {
        path.clear();
        reject("no memory is left for what was learned");
    }
    int kept = path.empty() ? 0 : 1;
    PMPI_Bcast(&kept, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (kept == 0) {
        path.clear();
    }
    std::vector<Tuning> sections;
    const bool shared = share_text(text);
    const bool understood = shared && have_memory_for([&] {
                                // Rank 0 has judged: the MPIs of two hosts may differ in what they say of their
                                // version.
                                for (const std::string& one : selection::take_apart_learned(text, path).sections) {
                                    sections.push_back(read_tuning(one, path, kind).value());
                                }
                            });
    if (!all_agree(MPI_COMM_WORLD, understood)) {
        sections.clear();
    }
    return sections;
}

void write_learned(const std::string& path, const std::vector<Tuning>& mine, const Fingerprint& here,
                   NetworkKind kind) {
    std::string text;
    const bool worded = have_memory_for([&] {
        for (const Tuning& tuning : mine) {
            text += tuning_text(tuning);
        }
    });
    if (!worded) {
        text.clear();
    }
    mpi::GatheredLists<std::string> texts;
    bool written = texts.gather(MPI_COMM_WORLD, &text, mpi::GatherTo::rank_0).all;
    if (mpi::rank_in(MPI_COMM_WORLD) != 0 || (written && texts.all().empty())) {
        return;
    }
    Expected<void> result;
    written = written && have_memory_for([&] { result = add_to_file(path, texts.all(), here, kind); });
    if (!written) {
        say("no memory is left to keep what was learned");
    } else if (!result) {
        static_cast<void>(
            have_memory_for([&] { say(fmt::format("{}; what was learned is not kept", to_string(result.error()))); }));
    }
}

}  // namespace aapc::interposer
