// `aapc completion` and `aapc manual`: what is written from the command line itself.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "console/command_line.hpp"
#include "input/version.hpp"

namespace aapc::cli {

namespace {

int write_page(const CommandText& program, const std::string& name) {
    const auto& commands = program.commands;
    const auto found = std::find_if(commands.begin(), commands.end(),
                                    [&name](const CommandText& command) { return command.last_name() == name; });
    if (!name.empty() && found == commands.end()) {
        return complain({.file = "aapc manual",
                         .problem = "there is no command '" + name + "'",
                         .advice = "aapc --help lists them"});
    }
    std::vector<std::string> others;
    if (name.empty()) {
        for (const CommandText& command : commands) {
            others.push_back(command.name);
        }
    } else {
        others.push_back(program.name);
    }
    return write_output("", manual_page(name.empty() ? program : *found, "aapc " + std::string(version()), others));
}

}  // namespace

void add_completion_command(Command& program, Invocation& invocation) {
    Command command = program.subcommand("completion", "Print what completes aapc's words in a shell");
    const auto shell = std::make_shared<std::string>();
    command.option("SHELL", *shell, "the shell: bash, zsh or fish")
        .required()
        .one_of({std::begin(completed_shells), std::end(completed_shells)});
    command.example("source <(aapc completion bash)", "in the shell that is running, or in ~/.bashrc");
    command.example("aapc completion fish > ~/.config/fish/completions/aapc.fish", "for fish, from the next start on");
    command.on_run([shell, program, &invocation] {
        invocation.status = write_output("", completion_script(program.describe(), *shell));
    });
}

void add_manual_command(Command& program, Invocation& invocation) {
    Command command = program.subcommand("manual", "Print a manual page, of aapc or of one of its commands");
    const auto name = std::make_shared<std::string>();
    command.option("COMMAND", *name, "the command; aapc itself if not given").type_name("");
    command.example("aapc manual tune | man -l -", "read the page of aapc tune");
    command.on_run([name, program, &invocation] { invocation.status = write_page(program.describe(), *name); });
}

}  // namespace aapc::cli
