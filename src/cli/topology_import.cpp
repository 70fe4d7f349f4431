// `aapc topology --from TOOL`: a topology file from what a site has.
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "aapc/input/hostlist.hpp"
#include "aapc/input/units.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/topology_file.hpp"
#include "cli/imports/imports.hpp"
#include "cli/topology_command.hpp"
#include "console/output.hpp"
#include "input/infiniband.hpp"

namespace aapc::cli {

namespace {

struct ImportOptions {
    std::string from;
    std::string speed;
    std::string uplink_speed;
    std::string leave_out;
    std::string tables;

    /// An option that has no meaning without --from; empty if there is none.
    [[nodiscard]] const char* given_in_vain() const {
        return !from.empty()           ? ""
               : !speed.empty()        ? "--speed"
               : !uplink_speed.empty() ? "--uplink-speed"
               : !leave_out.empty()    ? "--leave-out"
               : !tables.empty()       ? "--tables"
                                       : "";
    }
};

constexpr FileKind description_kind{"the description of a network", 64};

/// 0 if it is not given.
Expected<double> speed_given(const char* option, const std::string& text) {
    if (text.empty()) {
        return 0;
    }
    auto speed = parse_speed(text);
    if (!speed) {
        speed.error().file = option;
    }
    return speed;
}

Expected<std::vector<std::string>> names_given(const std::string& list) {
    std::vector<std::string> names;
    if (list.empty()) {
        return names;
    }
    auto entries = expand_hostlist(list);
    if (!entries) {
        entries.error().file = "--leave-out";
        return failure(entries.error());
    }
    for (HostlistEntry& entry : *entries) {
        names.push_back(std::move(entry.name));
    }
    return names;
}

/// Paths in a file are relative to its directory, those on standard input to the current one.
Expected<std::string> included(const std::string& file, const std::string& path) {
    const std::filesystem::path directory = file == "-" ? "" : std::filesystem::path(file).parent_path();
    return read_text_file((directory / path).string(), description_kind);
}

/// The wiring with what the options say of it.
Expected<imports::Wiring> wiring_of(const ImportOptions& options, const std::string& file) {
    const auto speed = speed_given("--speed", options.speed);
    const auto uplink_speed = speed_given("--uplink-speed", options.uplink_speed);
    const auto unwanted = names_given(options.leave_out);
    if (!speed || !uplink_speed || !unwanted) {
        return failure(!speed ? speed.error() : !uplink_speed ? uplink_speed.error() : unwanted.error());
    }
    const Expected<std::string> text = read_file(file, description_kind);
    if (!text) {
        return failure(text.error());
    }
    auto wiring = imports::find_importer(options.from)->read({*text, shown_name(file), [&](const std::string& path) {
                                                                  return included(file, path);
                                                              }});
    if (!wiring) {
        return wiring;
    }
    if (const auto left = imports::leave_out(*wiring, *unwanted); !left) {
        return failure(left.error());
    }
    imports::assume_speeds(*wiring, {*speed, *uplink_speed});
    if (options.tables.empty()) {
        return wiring;
    }
    if (wiring->guids.empty()) {
        return failure({.file = "--tables",
                        .problem = "forwarding tables are InfiniBand's",
                        .advice = "give them with --from ibnetdiscover"});
    }
    const auto tables = read_file(options.tables, infiniband::forwarding_tables);
    if (!tables) {
        return failure(tables.error());
    }
    const auto added = imports::add_forwarding(*wiring, *tables, shown_name(options.tables));
    return added ? std::move(wiring) : failure(added.error());
}

std::string bound_line(const Network& network) {
    const Bound bound = network_bound(network, full_placement(network));
    if (bound.links.empty()) {
        return "";
    }
    const Link& link = network.links()[static_cast<std::size_t>(bound.links.front().link)];
    const auto& vertices = network.vertices();
    return fmt::format(
        "bound: {} for each MB of message size, on {} - {}\n", duration_text(bound.seconds_per_byte * 1e6, decimals(3)),
        vertices[static_cast<std::size_t>(link.lower)].name, vertices[static_cast<std::size_t>(link.upper)].name);
}

int import(const ImportOptions& options, const std::string& file) {
    const auto wiring = wiring_of(options, file);
    if (!wiring) {
        return complain(wiring.error());
    }
    const auto imported = imports::topology_of(*wiring, shown_name(file));
    if (!imported) {
        return complain(imported.error());
    }
    // A speed that is to be filled in makes it no topology file yet; anything else wrong with it is said here.
    std::string bound;
    if (imported->is_complete) {
        const auto network = read_topology(imported->text, shown_name(file));
        if (!network) {
            return complain(
                {.file = shown_name(file), .problem = network.error().problem, .advice = network.error().advice});
        }
        bound = bound_line(*network);
    }
    const int status = write_output("", imported->text);
    if (status == done) {
        for (const std::string& line : imported->summary) {
            std::cerr << line << '\n';
        }
        std::cerr << bound;
    }
    return status;
}

}  // namespace

void add_importing_topology_command(Command& program, Invocation& invocation) {
    const auto options = std::make_shared<ImportOptions>();
    Command command = add_topology(program, invocation, [options](const std::string& file) -> std::optional<int> {
        if (const std::string option = options->given_in_vain(); !option.empty()) {
            return complain({.file = option, .problem = "it is for --from only", .advice = "write it into the file"});
        }
        return options->from.empty() ? std::nullopt : std::optional(import(*options, file));
    });
    std::vector<std::string> names;
    std::string inputs;
    for (const imports::Importer& each : imports::importers()) {
        names.emplace_back(each.name);
        inputs += fmt::format("{}{} ({})", inputs.empty() ? "" : ", ", each.name, each.input);
    }
    command.option("--from", options->from, "what FILE is, to write a topology file from it: " + inputs).one_of(names);
    command.option("--speed", options->speed, "with --from: of all links of which no speed is known")
        .type_name("SPEED");
    command
        .option("--uplink-speed", options->uplink_speed,
                "with --from: of each cable between switches of which no speed is known; that of --speed if not given")
        .type_name("SPEED");
    command
        .option("--leave-out", options->leave_out,
                "with --from: switches or machines that do not belong to it, such as a management network's")
        .type_name("HOSTLIST");
    command
        .option("--tables", options->tables,
                "with --from ibnetdiscover: what ibroute, dump_lfts.sh or dump_fts print of all switches")
        .type_name("FILE");
    for (const imports::Importer& each : imports::importers()) {
        command.example(std::string(each.example), std::string(each.example_meaning));
    }
}

}  // namespace aapc::cli
