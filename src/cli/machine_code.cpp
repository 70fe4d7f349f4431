#include "cli/machine_code.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include "cli/launch.hpp"
#include "input/environment.hpp"

namespace aapc::cli {

namespace {

namespace fs = std::filesystem;

using Header = std::conditional_t<sizeof(void*) == 8, Elf64_Ehdr, Elf32_Ehdr>;
using Segment = std::conditional_t<sizeof(void*) == 8, Elf64_Phdr, Elf32_Phdr>;
using Dynamic = std::conditional_t<sizeof(void*) == 8, Elf64_Dyn, Elf32_Dyn>;
constexpr unsigned char own_class = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;

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
        std::array<char, longest + 1> text{};
        stream_.getline(text.data(), text.size(), '\0');  // fails where the zero does not come in time
        return stream_.good() ? std::string(text.data()) : std::string();
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
    const std::string origin = absolute_path(object).parent_path();
    for (const std::string_view token : {"${ORIGIN}", "$ORIGIN"}) {
        for (std::size_t at = 0; (at = text.find(token, at)) != std::string::npos; at += origin.size()) {
            text.replace(at, token.size(), origin);
        }
    }
    return split(text, ":");
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

}  // namespace

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
    bool has_interpreter = false;
    for (unsigned index = 0; index < header->e_phnum; ++index) {
        const auto segment = file.record_at<Segment>(header->e_phoff + index * sizeof(Segment));
        if (segment && segment->p_type == PT_LOAD) {
            loaded.push_back(*segment);
        } else if (segment && segment->p_type == PT_DYNAMIC) {
            dynamic = segment;
        } else if (segment && segment->p_type == PT_INTERP) {
            has_interpreter = true;
        }
    }
    if (!dynamic) {
        return object;
    }
    object.is_static = false;
    std::uint64_t strings = 0;
    constexpr std::size_t most_names = 4096;                    // more than any program has; a file may say anything
    std::vector<std::pair<std::int64_t, std::uint64_t>> named;  // tag, offset into the strings
    for (std::uint64_t at = 0; at + sizeof(Dynamic) <= dynamic->p_filesz && named.size() < most_names;
         at += sizeof(Dynamic)) {
        const auto entry = file.record_at<Dynamic>(dynamic->p_offset + at);
        if (!entry || entry->d_tag == DT_NULL) {
            break;
        }
        if (entry->d_tag == DT_FLAGS_1) {
            // A program, not a library, and it names no dynamic linker; one is itself no program in this sense.
            object.is_static = !has_interpreter && (entry->d_un.d_val & DF_1_PIE) != 0;
        } else if (entry->d_tag == DT_STRTAB) {
            strings = entry->d_un.d_ptr;
        } else if (entry->d_tag == DT_NEEDED || entry->d_tag == DT_SONAME || entry->d_tag == DT_RPATH ||
                   entry->d_tag == DT_RUNPATH) {
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
        } else if (tag == DT_SONAME) {
            object.soname = text;
        } else {
            (tag == DT_RPATH ? object.rpath : object.runpath) = search_directories(text, path);
        }
    }
    return object;
}

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
                    if (!library->soname.empty()) {
                        names.insert(library->soname);
                    }
                    to_look_at.push_back(std::move(*library));
                }
            }
        }
    }
    return names;
}

}  // namespace aapc::cli
