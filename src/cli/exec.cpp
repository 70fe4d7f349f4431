// `aapc exec`: finds out which MPI a program uses, without running it, and runs it with that MPI's interposer.
//
// Nothing here stops a program from running but its own absence: ranks of one job must not go different ways, and a
// wrong topology file is the interposer's to report, which asks one rank only.
#include <elf.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/launch.hpp"
#include "input/environment.hpp"

namespace aapc::cli {

namespace {

namespace fs = std::filesystem;

// ---- What a file of machine code needs ----

using Header = std::conditional_t<sizeof(void*) == 8, Elf64_Ehdr, Elf32_Ehdr>;
using Segment = std::conditional_t<sizeof(void*) == 8, Elf64_Phdr, Elf32_Phdr>;
using Dynamic = std::conditional_t<sizeof(void*) == 8, Elf64_Dyn, Elf32_Dyn>;
constexpr unsigned char own_class = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;

/// The part of an ELF file that the dynamic linker reads.
struct DynamicObject {
    fs::path path;
    bool has_dynamic_part = false;
    std::vector<std::string> needed;        ///< names of libraries
    std::vector<std::string> rpath;         ///< directories, looked at before LD_LIBRARY_PATH
    std::vector<std::string> runpath;       ///< directories, looked at after it
    decltype(Header::e_machine) machine{};  ///< what processor it is for
};

/// Bytes of a file at their offsets; everything is checked, since any file may be named as a program.
class FileBytes {
  public:
    explicit FileBytes(const fs::path& path) : stream_(path, std::ios::binary) {}

    template <class Record>
    std::optional<Record> record_at(std::uint64_t offset) {
        Record record;
        if (!read(offset, reinterpret_cast<char*>(&record), sizeof record)) {
            return std::nullopt;
        }
        return record;
    }

    /// Text up to its zero byte; empty if there is none within a sensible length.
    std::string text_at(std::uint64_t offset) {
        constexpr std::size_t longest = 16384;
        stream_.clear();
        stream_.seekg(static_cast<std::streamoff>(offset));
        std::string text;
        std::getline(stream_, text, '\0');
        return text.size() <= longest && !stream_.eof() ? text : std::string();
    }

  private:
    bool read(std::uint64_t offset, char* to, std::size_t size) {
        stream_.clear();
        stream_.seekg(static_cast<std::streamoff>(offset));
        return static_cast<bool>(stream_.read(to, static_cast<std::streamsize>(size)));
    }

    std::ifstream stream_;
};

/// Directories of a DT_RPATH or DT_RUNPATH.
std::vector<std::string> search_directories(std::string text, const fs::path& object) {
    const std::string origin = fs::absolute(object).parent_path();
    for (const std::string_view token : {"${ORIGIN}", "$ORIGIN"}) {
        for (std::size_t at = 0; (at = text.find(token, at)) != std::string::npos; at += origin.size()) {
            text.replace(at, token.size(), origin);
        }
    }
    return split(text, ":");
}

/// Reads an ELF file of this machine's own word size; nothing if it is something else.
std::optional<DynamicObject> read_object(const fs::path& path) {
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) {
        return std::nullopt;
    }
    FileBytes file(path);
    const auto header = file.record_at<Header>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != own_class ||
        header->e_phentsize != sizeof(Segment)) {
        return std::nullopt;
    }
    DynamicObject object;
    object.path = path;
    object.machine = header->e_machine;
    std::vector<Segment> loaded;
    std::optional<Segment> dynamic;
    for (unsigned index = 0; index < header->e_phnum; ++index) {
        const auto segment = file.record_at<Segment>(header->e_phoff + index * sizeof(Segment));
        if (segment && segment->p_type == PT_LOAD) {
            loaded.push_back(*segment);
        } else if (segment && segment->p_type == PT_DYNAMIC) {
            dynamic = segment;
        }
    }
    if (!dynamic) {
        return object;
    }
    object.has_dynamic_part = true;
    std::uint64_t strings = 0;
    std::vector<std::pair<std::int64_t, std::uint64_t>> named;  // tag, offset into the strings
    for (std::uint64_t at = 0; at + sizeof(Dynamic) <= dynamic->p_filesz; at += sizeof(Dynamic)) {
        const auto entry = file.record_at<Dynamic>(dynamic->p_offset + at);
        if (!entry || entry->d_tag == DT_NULL) {
            break;
        }
        if (entry->d_tag == DT_STRTAB) {
            strings = entry->d_un.d_ptr;
        } else if (entry->d_tag == DT_NEEDED || entry->d_tag == DT_RPATH || entry->d_tag == DT_RUNPATH) {
            named.emplace_back(entry->d_tag, entry->d_un.d_val);
        }
    }
    // The table's place is given as an address; the segments say where in the file that is.
    const auto holds_strings = [strings](const Segment& segment) {
        return strings >= segment.p_vaddr && strings - segment.p_vaddr < segment.p_filesz;
    };
    const auto segment = std::find_if(loaded.begin(), loaded.end(), holds_strings);
    if (segment == loaded.end()) {
        return object;
    }
    const std::uint64_t table = strings - segment->p_vaddr + segment->p_offset;
    for (const auto& [tag, offset] : named) {
        const std::string text = file.text_at(table + offset);
        if (tag == DT_NEEDED) {
            object.needed.push_back(text);
        } else {
            (tag == DT_RPATH ? object.rpath : object.runpath) = search_directories(text, path);
        }
    }
    return object;
}

/// The dynamic linker's cache of libraries: names and where they are. Format: "glibc-ld.so.cache1.1", as glibc 2.2 and
/// later write it (its elf/cache.c, dl-cache.h).
class LinkerCache {
  public:
    explicit LinkerCache(const fs::path& path) {
        std::ifstream stream(path, std::ios::binary);
        text_.assign(std::istreambuf_iterator<char>(stream), {});
        constexpr std::string_view magic = "glibc-ld.so.cache1.1";
        if (!std::string_view(text_).starts_with(magic)) {
            return;
        }
        const std::uint32_t count = number_at(magic.size());
        for (std::uint32_t index = 0; index < count; ++index) {
            const std::size_t entry = header_bytes + std::size_t{index} * entry_bytes;
            entries_.emplace_back(name_at(number_at(entry + 4)), name_at(number_at(entry + 8)));
            if (entry > text_.size()) {
                return;
            }
        }
    }

    /// The places of the library of that name.
    [[nodiscard]] std::vector<fs::path> find(const std::string& name) const {
        std::vector<fs::path> places;
        for (const auto& [known, place] : entries_) {
            if (known == name) {
                places.emplace_back(place);
            }
        }
        return places;
    }

  private:
    static constexpr std::size_t header_bytes = 48;
    static constexpr std::size_t entry_bytes = 24;

    [[nodiscard]] std::uint32_t number_at(std::size_t offset) const {
        std::uint32_t number = 0;
        if (offset + sizeof number <= text_.size()) {
            std::memcpy(&number, text_.data() + offset, sizeof number);
        }
        return number;
    }
    [[nodiscard]] std::string_view name_at(std::size_t offset) const {
        return offset < text_.size() ? std::string_view(text_.c_str() + offset) : std::string_view();
    }

    std::string text_;
    std::vector<std::pair<std::string_view, std::string_view>> entries_;
};

/// The names of all libraries that a program needs, directly or not, found as the dynamic linker would find them.
std::set<std::string> libraries_of(const DynamicObject& program) {
    const LinkerCache cache("/etc/ld.so.cache");
    const std::vector<std::string> from_environment = split(environment_variable("LD_LIBRARY_PATH"), ":;");
    const auto find = [&](const std::string& name, const DynamicObject& wanted_by) -> std::optional<DynamicObject> {
        std::vector<fs::path> places;
        const auto add_directories = [&](const std::vector<std::string>& directories) {
            for (const std::string& directory : directories) {
                places.push_back(fs::path(directory) / name);
            }
        };
        if (name.find('/') != std::string::npos) {
            places.emplace_back(name);
        } else {
            if (wanted_by.runpath.empty()) {
                add_directories(wanted_by.rpath);
                add_directories(program.rpath);
            }
            add_directories(from_environment);
            add_directories(wanted_by.runpath);
            const auto cached = cache.find(name);
            places.insert(places.end(), cached.begin(), cached.end());
            add_directories({"/lib64", "/usr/lib64", "/lib", "/usr/lib"});
        }
        for (const fs::path& place : places) {
            if (auto object = read_object(place); object && object->machine == program.machine) {
                return object;
            }
        }
        return std::nullopt;
    };
    std::set<std::string> names;
    std::deque<DynamicObject> to_look_at = {program};
    while (!to_look_at.empty()) {
        const DynamicObject object = std::move(to_look_at.front());
        to_look_at.pop_front();
        for (const std::string& name : object.needed) {
            if (names.insert(name).second) {
                if (auto library = find(name, object)) {
                    to_look_at.push_back(std::move(*library));
                }
            }
        }
    }
    return names;
}

// ---- Interposers ----

constexpr std::string_view interposer_prefix = "libaapc-";
constexpr std::string_view interposer_suffix = ".so";

struct Interposer {
    std::string mpi;  ///< "openmpi", from the file's name
    fs::path path;
    std::string mpi_library;  ///< "libmpi.so.40", what it needs
};

bool is_mpi_library(std::string_view name) {
    return name.starts_with("libmpi.so") || name.starts_with("libmpich.so") || name.starts_with("libmpi_abi.so");
}

/// The first of each MPI.
std::vector<Interposer> find_interposers() {
    std::vector<Interposer> found;
    for (const fs::path& directory : library_directories()) {
        std::error_code error;
        // LD_PRELOAD separates by these and has no way to quote them.
        const fs::path absolute = fs::weakly_canonical(directory, error);
        if (error || absolute.string().find_first_of(": ") != std::string::npos) {
            continue;
        }
        for (const auto& entry : fs::directory_iterator(absolute, error)) {
            const std::string name = entry.path().filename();
            if (!name.starts_with(interposer_prefix) || !name.ends_with(interposer_suffix)) {
                continue;
            }
            const std::string mpi = name.substr(interposer_prefix.size(),
                                                name.size() - interposer_prefix.size() - interposer_suffix.size());
            const bool known = std::any_of(found.begin(), found.end(),
                                           [&mpi](const Interposer& interposer) { return interposer.mpi == mpi; });
            const auto object = read_object(entry.path());
            if (known || !object) {
                continue;
            }
            const auto library = std::find_if(object->needed.begin(), object->needed.end(), is_mpi_library);
            if (library != object->needed.end()) {
                found.push_back({mpi, entry.path(), *library});
            }
        }
    }
    return found;
}

/// Either the interposer or why there is none.
Expected<Interposer, std::string> choose_interposer(const fs::path& program) {
    const std::vector<Interposer> interposers = find_interposers();
    const auto found = [&interposers](const auto& matches) -> std::optional<Interposer> {
        const auto interposer = std::find_if(interposers.begin(), interposers.end(), matches);
        return interposer == interposers.end() ? std::nullopt : std::optional<Interposer>(*interposer);
    };
    const auto object = read_object(program);
    if (object && !object->has_dynamic_part) {
        return tl::unexpected<std::string>("it is statically linked, and nothing can be put before its MPI");
    }
    if (object) {
        const std::set<std::string> libraries = libraries_of(*object);
        if (const auto library = std::find_if(libraries.begin(), libraries.end(), is_mpi_library);
            library != libraries.end()) {
            if (auto interposer = found([&](const Interposer& one) { return libraries.contains(one.mpi_library); })) {
                return *interposer;
            }
            return tl::unexpected(fmt::format(
                "it uses {}, for which there is no interposer beside this program or in $AAPC_LIBRARY_PATH", *library));
        }
    }
    // A script, or an interpreter that loads its MPI later. Whoever launched it knows which one.
    const std::string mpi = launcher();
    if (mpi.empty()) {
        return tl::unexpected<std::string>(
            "it is not linked to an MPI and no MPI's launcher has started it (write mpirun before aapc exec)");
    }
    if (auto interposer = found([&mpi](const Interposer& one) { return one.mpi == mpi; })) {
        return *interposer;
    }
    return tl::unexpected(fmt::format("there is no libaapc-{}.so beside this program or in $AAPC_LIBRARY_PATH", mpi));
}

// ---- The command ----

struct Request {
    std::string topology;
    std::string tuning;
    std::string algorithm;
    std::string synchronisation;
    std::string buffer_limit;
    std::string verbosity;
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

void prepare_environment(const Request& request, const Interposer& interposer) {
    // The rank that reads the file may start in another directory than this.
    set_unless_empty("AAPC_TOPOLOGY", request.topology.empty() ? "" : topology_for_ranks(request.topology));
    set_unless_empty("AAPC_TUNING", request.tuning.empty() ? "" : fs::absolute(request.tuning).string());
    set_unless_empty("AAPC_ALGORITHM", request.algorithm);
    set_unless_empty("AAPC_SYNCHRONISATION", request.synchronisation);
    set_unless_empty("AAPC_BUFFER_LIMIT", request.buffer_limit);
    set_unless_empty("AAPC_VERBOSE", request.verbosity);
    preload(interposer.path);
    if (environment_variable("AAPC_TOPOLOGY").empty() && environment_variable("AAPC_TUNING").empty()) {
        remark(
            "no topology is given (--topology FILE or detect, or AAPC_TOPOLOGY); the MPI's own MPI_Alltoall is used");
    }
}

int run_program(const Request& request, std::vector<std::string> command) {
    const fs::path program = find_program(command.front());
    if (program.empty() || !fs::exists(program)) {
        complain({command.front(), 0, 0, "there is no such program", "give one that exists or is in PATH"});
        return program_not_found;
    }
    if (const auto interposer = choose_interposer(program)) {
        prepare_environment(request, *interposer);
    } else {
        remark(fmt::format("{}: {}; running it as it is", command.front(), interposer.error()));
    }
    return become(std::move(command));
}

}  // namespace

void add_exec_command(Command& program, Invocation& invocation) {
    Command command =
        program.subcommand("exec",
                           "Run an unmodified MPI program so that its MPI_Alltoall follows a schedule for the network: "
                           "mpirun -n 16 aapc exec --topology cluster.toml -- ./app");
    const auto request = std::make_shared<Request>();
    command
        .option("--topology", request->topology,
                "topology file, or detect[:SPEED]: the ranks find out which of them share a machine "
                "(AAPC_TOPOLOGY)")
        .type_name("FILE");
    command.option("--tuning", request->tuning, "tuning file that aapc tune wrote (AAPC_TUNING)").type_name("FILE");
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
    const auto words = std::make_shared<std::vector<std::string>>();
    command.option("program", *words, "the program and its arguments, after --")
        .type_name("-- PROGRAM [ARGUMENT]...")
        .required();
    command.on_run([request, words, &invocation] {
        // Without it an option of the program's might be taken for one of ours.
        if (std::find(invocation.arguments.begin(), invocation.arguments.end(), "--") == invocation.arguments.end()) {
            throw UsageError("aapc exec", "write -- before the program");
        }
        invocation.status = run_program(*request, *words);
    });
}

}  // namespace aapc::cli
