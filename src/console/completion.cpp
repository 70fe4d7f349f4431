#include <fmt/format.h>
#include <fmt/ranges.h>

#include "console/command_text.hpp"

namespace aapc::cli {

namespace {

std::vector<std::string> names_of_commands(const CommandText& program) {
    std::vector<std::string> names;
    names.reserve(program.commands.size());
    for (const CommandText& command : program.commands) {
        names.emplace_back(command.last_name());
    }
    return names;
}

/// Inside single quotes of a shell.
std::string for_shell(std::string_view text) {
    std::string safe;
    for (const char character : text) {
        safe += character == '\'' ? "'\\''" : std::string(1, character);
    }
    return safe;
}

/// The first clause, so that a menu has a line for each.
std::string_view brief(std::string_view help) {
    help = help.substr(0, help.find_first_of(":;("));
    return help.substr(0, help.find_last_not_of(' ') + 1);
}

/// The cases of one command: options behind which words of their own come, and all options.
std::string bash_case(const CommandText& command) {
    std::string values;
    std::vector<std::string> names;
    for (const OptionText& option : command.options) {
        names.insert(names.end(), option.names.begin(), option.names.end());
        if (!option.choices.empty() && !option.names.empty()) {
            values += fmt::format("        {}) words='{}' ;;\n", fmt::join(option.names, "|"),
                                  fmt::join(option.choices, " "));
        }
    }
    std::string places;
    for (const OptionText& option : command.options) {
        if (option.names.empty() && !option.choices.empty()) {
            places = fmt::format(" {}", fmt::join(option.choices, " "));
        }
    }
    return fmt::format(
        "    {})\n      case \"$before\" in\n{}        *) case \"$word\" in\n             -*) words='{}' ;;\n"
        "             *) words='{}' ;;\n           esac ;;\n      esac ;;\n",
        command.last_name(), values, fmt::join(names, " "), places);
}

std::string bash_script(const CommandText& program) {
    std::string text = fmt::format(
        "# Completion of {0} for bash: source it, or install it as share/bash-completion/completions/{0}.\n"
        "_{0}() {{\n  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words='' command='' "
        "each\n"
        "  for each in \"${{COMP_WORDS[@]:1:COMP_CWORD-1}}\"; do\n"
        "    case \"$each\" in\n      -*) ;;\n      *) command=$each; break ;;\n    esac\n  done\n"
        "  case \"$command\" in\n    '') words='{1} --help --version' ;;\n",
        program.last_name(), fmt::join(names_of_commands(program), " "));
    for (const CommandText& command : program.commands) {
        text += bash_case(command);
    }
    return text + fmt::format(
                      "  esac\n  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}}\n"
                      "complete -o default -o bashdefault -F _{0} {0}\n",
                      program.last_name());
}

std::string zsh_script(const CommandText& program) {
    std::string text = fmt::format(
        "#compdef {0}\n# Completion of {0} for zsh: a file _{0} in a directory of $fpath, or sourced after "
        "compinit.\n_{0}() {{\n  local -a "
        "commands\n  commands=(\n",
        program.last_name());
    for (const CommandText& command : program.commands) {
        text += fmt::format("    '{}:{}'\n", command.last_name(), for_shell(brief(command.summary)));
    }
    // _arguments takes the first word for the command, and offers no options behind the first word of a rest.
    text +=
        "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
        "  shift words\n  (( CURRENT-- ))\n  case $words[1] in\n";
    for (const CommandText& command : program.commands) {
        text += fmt::format("    {})\n      _arguments -S", command.last_name());
        bool takes_the_rest = false;
        for (const OptionText& option : command.options) {
            std::string meaning(brief(option.help));
            for (const char special : {'[', ']'}) {
                std::erase(meaning, special);
            }
            if (option.is_program()) {
                text += " \\\n        '*:::program:_normal'";
                takes_the_rest = true;
                continue;
            }
            const std::string values = option.value.empty() && !option.names.empty() ? ""
                                       : option.choices.empty()
                                           ? ":value:_files"
                                           : fmt::format(":value:({})", fmt::join(option.choices, " "));
            for (const std::string& name : option.names) {
                text += fmt::format(" \\\n        '{}[{}]{}'", name, for_shell(meaning), values);
            }
            if (option.names.empty()) {
                text += fmt::format(" \\\n        '{}:{}'", option.several ? "*" : "", values);
                takes_the_rest |= option.several;
            }
        }
        // zsh takes one definition of the rest only.
        text += takes_the_rest ? " ;;\n" : " \\\n        '*:file:_files' ;;\n";
    }
    // zsh runs the file of $fpath as the function; whoever sources it wants the function known.
    return text + fmt::format(
                      "  esac\n}}\nif [[ $funcstack[1] == _{0} ]]; then\n  _{0} \"$@\"\nelse\n  compdef _{0} {0}\nfi\n",
                      program.last_name());
}

std::string fish_script(const CommandText& program) {
    const std::string_view name = program.last_name();
    std::string text = fmt::format("# Completion of {0} for fish: share/fish/vendor_completions.d/{0}.fish.\n", name);
    for (const CommandText& command : program.commands) {
        text += fmt::format("complete -c {} -n __fish_use_subcommand -f -a {} -d '{}'\n", name, command.last_name(),
                            for_shell(brief(command.summary)));
        const std::string condition = fmt::format("-n '__fish_seen_subcommand_from {}'", command.last_name());
        for (const OptionText& option : command.options) {
            std::string words;
            for (const std::string& each : option.names) {
                words += each.starts_with("--") ? fmt::format(" -l {}", each.substr(2))
                                                : fmt::format(" -s {}", each.substr(1));
            }
            if (!option.choices.empty()) {
                words +=
                    fmt::format(" {}-f -a '{}'", option.names.empty() ? "" : "-x ", fmt::join(option.choices, " "));
            } else if (!option.value.empty() && !option.names.empty()) {
                words += " -r";
            }
            if (!words.empty()) {
                text +=
                    fmt::format("complete -c {} {}{} -d '{}'\n", name, condition, words, for_shell(brief(option.help)));
            }
        }
    }
    return text;
}

}  // namespace

std::string completion_script(const CommandText& program, std::string_view shell) {
    return shell == "bash" ? bash_script(program) : shell == "zsh" ? zsh_script(program) : fish_script(program);
}

}  // namespace aapc::cli
