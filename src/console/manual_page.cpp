#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "console/command_text.hpp"

namespace aapc::cli {

namespace {

/// Text for roff: no backslash, quote at the start of a line or dash means anything else than itself.
std::string roff(std::string_view text) {
    std::string safe;
    bool at_start = true;
    for (const char character : text) {
        if (character == '\\') {
            safe += "\\e";
        } else if (character == '-') {
            safe += "\\-";
        } else if (at_start && (character == '.' || character == '\'')) {
            safe += fmt::format("\\&{}", character);
        } else {
            safe += character;
        }
        at_start = character == '\n';
    }
    return safe;
}

std::string bold(std::string_view text) { return fmt::format("\\fB{}\\fR", roff(text)); }

std::string option_heading(const OptionText& option) {
    std::vector<std::string> names;
    names.reserve(option.names.size());
    for (const std::string& name : option.names) {
        names.push_back(bold(name));
    }
    const std::string value = option.value.empty() ? "" : fmt::format(" \\fI{}\\fR", roff(option.value));
    return names.empty() ? fmt::format("\\fI{}\\fR", roff(option.place))
                         : fmt::format("{}{}", fmt::join(names, ", "), value);
}

/// "aapc-topology" for "aapc topology".
std::string page_name(std::string_view command) {
    std::string name(command);
    std::replace(name.begin(), name.end(), ' ', '-');
    return name;
}

}  // namespace

std::string manual_page(const CommandText& command, std::string_view version, const std::vector<std::string>& others) {
    const std::string name = page_name(command.name);
    std::string title = name;
    std::transform(title.begin(), title.end(), title.begin(), [](char letter) {
        return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 32) : letter;
    });
    std::string page = fmt::format(".TH {} 1 \"\" \"{}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n", title, version,
                                   roff(name), roff(command.summary));
    page += fmt::format(".SH SYNOPSIS\n{}\n", bold(command.usage()));
    if (!command.commands.empty()) {
        page += ".SH COMMANDS\n";
        for (const CommandText& each : command.commands) {
            page += fmt::format(".TP\n{}\n{}\n", bold(each.name), roff(each.summary));
        }
    }
    page += ".SH OPTIONS\n";
    for (const OptionText& option : command.options) {
        page += fmt::format(".TP\n{}\n{}\n", option_heading(option), roff(option.help));
    }
    if (!command.more.empty()) {
        page += fmt::format(".SH NOTES\n.nf\n{}.fi\n", roff(notes_text(command.more, 72)));
    }
    page +=
        ".SH EXIT STATUS\n0 done; 1 a check failed; 2 bad usage or input: standard error says where, what is wrong and "
        "what would be right.\n";
    if (!command.examples.empty()) {
        page += ".SH EXAMPLES\n";
        for (const ExampleText& example : command.examples) {
            page += fmt::format(".TP\n{}\n{}\n", bold(example.command), roff(example.meaning));
        }
    }
    if (!others.empty()) {
        std::vector<std::string> pages;
        pages.reserve(others.size());
        for (const std::string& other : others) {
            pages.push_back(fmt::format("{}(1)", bold(page_name(other))));
        }
        page += fmt::format(".SH SEE ALSO\n{}\n", fmt::join(pages, ", "));
    }
    return page;
}

std::string variables_page(const std::vector<VariableText>& variables, std::string_view version) {
    std::string page = fmt::format(
        ".TH AAPC\\-ENVIRONMENT 7 \"\" \"{}\" \"Settings of aapc\"\n.SH NAME\naapc\\-environment \\- variables that "
        "aapc reads\n.SH DESCRIPTION\nRank 0 reads these variables when MPI begins, and all ranks follow it. {} lists "
        "them with the values that they have. A value that is wrong is named in one line, and all\\-to\\-alls are "
        "native then.\n.SH ENVIRONMENT\n",
        version, bold("aapc settings"));
    for (const VariableText& variable : variables) {
        const std::string option =
            variable.option.empty() ? "" : fmt::format(" ({})", bold("aapc exec " + variable.option));
        page += fmt::format(".TP\n{}{}\n{}\n", bold(variable.name), option, roff(variable.meaning));
    }
    return page + fmt::format(".SH SEE ALSO\n{}(1), {}(1)\n", bold("aapc"), bold("aapc-exec"));
}

}  // namespace aapc::cli
