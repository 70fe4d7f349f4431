// `aapc completion`, `aapc help` and `aapc manual`: what is written from the command line itself.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/timetable/synchronisation.hpp"
#include "aapc/topology/patterns.hpp"
#include "cli/command.hpp"
#include "console/command_line.hpp"
#include "console/command_text.hpp"
#include "input/mpis.hpp"
#include "input/version.hpp"
#include "selection/variables.hpp"

namespace aapc::cli {

namespace {

/// aapc-environment(7).
std::string environment_page(const std::string& version) {
    std::vector<VariableText> texts;
    for (const selection::Variable& variable : selection::variables()) {
        texts.push_back({std::string(variable.name), std::string(variable.option),
                         fmt::format("{}. Default: {}.", variable.meaning, variable.default_value)});
    }
    return variables_page(texts, version);
}

/// The command of that name, the program itself for an empty one; null after a complaint of `asker`.
const CommandText* find_command(const CommandText& program, const std::string& name, const char* asker) {
    if (name.empty()) {
        return &program;
    }
    std::vector<std::string_view> names;
    names.reserve(program.commands.size());
    for (const CommandText& command : program.commands) {
        if (command.last_name() == name) {
            return &command;
        }
        names.push_back(command.last_name());
    }
    complain(no_such_word(asker, "command", name, names, "aapc --help lists them"));
    return nullptr;
}

int write_help(const CommandText& program, const std::string& name) {
    const CommandText* const command = find_command(program, name, "aapc help");
    return command != nullptr ? write_output("", help_text(*command, help_width())) : bad_input;
}

int write_page(const CommandText& program, const std::string& name) {
    const std::string version_text = "aapc " + std::string(version());
    if (name == "environment") {
        return write_output("", environment_page(version_text));
    }
    const CommandText* const command = find_command(program, name, "aapc manual");
    if (command == nullptr) {
        return bad_input;
    }
    std::vector<std::string> others;
    if (name.empty()) {
        for (const CommandText& each : program.commands) {
            others.push_back(each.name);
        }
    } else {
        others.push_back(program.name);
    }
    return write_output("", manual_page(*command, version_text, others));
}

/// The names in an internal table.
template <class Table>
std::vector<std::string> names_in(const Table& table) {
    std::vector<std::string> names;
    names.reserve(std::size(table));
    for (const auto& entry : table) {
        names.emplace_back(entry.name);
    }
    return names;
}

/// Options mean the same in all commands, so that their words are known by their names. A shell offers these; others,
/// such as a method with a variant, may be given as well.
void offer_words(CommandText& command) {
    std::vector<std::string> methods = names_in(algorithms());
    if (command.last_name() == "exec") {
        methods.emplace_back("native");
    }
    const std::vector<std::pair<std::string_view, std::vector<std::string>>> offers{
        {"--algorithm", methods},
        {"--synchronisation", names_in(synchronisations())},
        {"--pattern", names_in(patterns())},
        {"--mpi", names_in(known_mpis)},
    };
    for (OptionText& option : command.options) {
        for (const auto& [name, words] : offers) {
            if (option.choices.empty() &&
                std::find(option.names.begin(), option.names.end(), name) != option.names.end()) {
                option.choices = words;
            }
        }
    }
    for (CommandText& each : command.commands) {
        offer_words(each);
    }
}

}  // namespace

void add_completion_command(Command& program, Invocation& invocation) {
    Command command = program.subcommand("completion", "Print what completes aapc's words in a shell");
    const auto shell = std::make_shared<std::string>();
    command.option("SHELL", *shell, "the shell: bash, zsh or fish")
        .required()
        .one_of({std::begin(completed_shells), std::end(completed_shells)});
    command.example("source <(aapc completion bash)",
                    "in the shell that is running, or in ~/.bashrc; zsh likewise, after compinit");
    command.example("aapc completion fish > ~/.config/fish/completions/aapc.fish", "for fish, from the next start on");
    command.on_run([shell, program, &invocation] {
        CommandText text = program.describe();
        offer_words(text);
        invocation.status = write_output("", completion_script(text, *shell));
    });
}

void add_help_command(Command& program, Invocation& invocation) {
    Command command = program.subcommand("help", "Print the help of aapc or of one of its commands");
    const auto name = std::make_shared<std::string>();
    command.option("COMMAND", *name, "the command; aapc itself if not given").type_name("");
    command.example("aapc help exec", "the same as aapc exec --help");
    command.on_run([name, program, &invocation] { invocation.status = write_help(program.describe(), *name); });
}

void add_manual_command(Command& program, Invocation& invocation) {
    Command command = program.subcommand("manual", "Print a manual page, of aapc or of one of its commands");
    const auto name = std::make_shared<std::string>();
    command.option("COMMAND", *name, "the command, or environment for aapc-environment(7); aapc itself if not given")
        .type_name("");
    command.example("aapc manual tune | man -l -", "read the page of aapc tune");
    command.on_run([name, program, &invocation] { invocation.status = write_page(program.describe(), *name); });
}

}  // namespace aapc::cli
