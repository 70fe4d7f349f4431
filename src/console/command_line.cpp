#include "console/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "aapc/input/units.hpp"
#include "console/output.hpp"
#include "input/numbers.hpp"

namespace aapc::cli {

namespace {

/// CLI11's own ranges let "nan" pass, which compares false with everything, and its PositiveNumber "inf".
template <class Condition>
CLI::Validator finite_number(const std::string& what, Condition holds) {
    const auto check = [what, holds](const std::string& text) {
        double number = 0;
        const bool fits = CLI::detail::lexical_cast(text, number) && std::isfinite(number) && holds(number);
        return fits ? std::string() : "'" + text + "' is no " + what;
    };
    return {check, ""};
}

/// The parser's range with words of our own.
CLI::Validator in_range(const CLI::Validator& range, const std::string& kind, const std::string& least,
                        const std::string& most) {
    const auto check = [=](std::string& text) {
        return range(text).empty() ? std::string() : "'" + text + "' is no " + kind + " from " + least + " to " + most;
    };
    return {check, range.get_description()};
}

/// What CLI11 keeps of a command, and its examples.
class DescribedApp final : public CLI::App {
  public:
    DescribedApp(const std::string& summary, const std::string& name, CLI::App* parent)
        : CLI::App(summary, name, parent) {}

    std::vector<ExampleText> examples;
    std::string group_of_next = "Commands";  ///< of the subcommands to come
};

/// "aapc topology".
std::string full_name(const CLI::App& app) {
    return app.get_parent() == nullptr ? app.get_name() : full_name(*app.get_parent()) + " " + app.get_name();
}

/// The words that CLI11 puts in braces into what it says of an option's type: "TEXT:{text,json}".
std::vector<std::string> choices_in(const std::string& type) {
    const std::size_t open = type.find('{');
    const std::size_t close = type.find('}', open);
    if (open == std::string::npos || close == std::string::npos) {
        return {};
    }
    return CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

/// What is called INT and so on if nobody has named it.
std::string value_name(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    if (const auto choices = choices_in(type); !choices.empty()) {
        return CLI::detail::join(choices, "|");
    }
    // Behind the name CLI11 puts a range, "N:INT in [1 - 9]"; a name may have colons of its own.
    const std::size_t range = type.find(" in [");
    const std::string name = range == std::string::npos ? type : type.substr(0, type.rfind(':', range));
    return name == "INT" || name == "UINT" ? "N" : name == "FLOAT" ? "X" : name;
}

OptionText describe_option(const CLI::Option& option) {
    OptionText text;
    for (const std::string& name : option.get_snames()) {
        text.names.push_back("-" + name);
    }
    for (const std::string& name : option.get_lnames()) {
        text.names.push_back("--" + name);
    }
    text.place = option.get_positional() ? option.get_name(true) : "";
    const bool is_flag = option.get_expected_max() == 0;
    text.value = is_flag ? "" : value_name(option);
    text.choices = choices_in(option.get_type_name());
    text.required = option.get_required();
    text.several = option.get_items_expected_max() > 1;
    text.help = option.get_description();
    const std::string type = option.get_type_name();
    if (const std::size_t range = type.find(" in ["); range != std::string::npos) {
        const std::size_t dash = type.find(" - ", range);
        text.help += " (" + type.substr(range + 5, dash - range - 5) + " to " +
                     type.substr(dash + 3, type.find(']', dash) - dash - 3) + ")";
    }
    std::string value = option.get_default_str();
    std::erase_if(value, [](char character) { return character == '[' || character == ']'; });  // around lists
    if (!value.empty()) {
        text.help += " (default: " + value + ")";
    }
    if (const std::string& variable = option.get_envname(); !variable.empty()) {
        text.help += " [" + variable + "]";
    }
    return text;
}

CommandText describe_app(const CLI::App& app) {
    CommandText text;
    text.name = full_name(app);
    text.group = app.get_group();
    text.summary = app.get_description();
    text.more = app.get_footer();
    while (text.more.starts_with('\n')) {
        text.more.erase(0, 1);
    }
    for (const CLI::Option* option : app.get_options()) {
        text.options.push_back(describe_option(*option));
    }
    text.examples = static_cast<const DescribedApp&>(app).examples;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        text.commands.push_back(describe_app(*command));
    }
    return text;
}

class HelpFormatter final : public CLI::Formatter {
  public:
    std::string make_help(const CLI::App* app, std::string /*name*/, CLI::AppFormatMode /*mode*/) const override {
        return help_text(describe_app(*app), help_width());
    }
};

/// The parser's own words on an option's values, for people.
std::string in_plain_words(const std::string& problem) {
    const auto before = [&problem](std::string_view phrase) { return problem.substr(0, problem.find(phrase)); };
    const std::string_view twice = " At Most 1 required but received";
    const std::string_view nothing = ": 1 required ";
    const std::string_view no_number = "Could not convert: ";
    if (problem.find(twice) != std::string::npos) {
        return before(twice) + " it is given more than once";
    }
    if (problem.find(nothing) != std::string::npos && problem.ends_with(" missing")) {
        return before(nothing) + ": its value is missing";
    }
    if (const std::size_t equals = problem.find(" = "); problem.starts_with(no_number) && equals != std::string::npos) {
        const std::string name = problem.substr(no_number.size(), equals - no_number.size());
        return name + ": '" + problem.substr(equals + 3) + "' is no number that it can be";
    }
    return problem;
}

/// The command that the words are about.
const CLI::App* innermost(const CLI::App* app) {
    const std::vector<CLI::App*> chosen = app->get_subcommands();
    return chosen.empty() ? app : innermost(chosen.front());
}

/// The first word that nobody asked for, what it was taken for and what is most like it.
std::optional<Diagnostic> unknown_word(const CLI::App& app) {
    std::vector<std::string> words = app.remaining(true);
    std::erase(words, "--");
    const auto is_option = [](const std::string& word) { return word.size() > 1 && word.front() == '-'; };
    const auto option = std::find_if(words.begin(), words.end(), is_option);
    if (words.empty()) {
        return std::nullopt;
    }
    const bool is_command = option == words.end();
    const std::string word = is_command ? words.front() : option->substr(0, option->find('='));
    const CommandText command = describe_app(*innermost(&app));
    std::vector<std::string_view> candidates;
    for (const OptionText& each : command.options) {
        if (!is_command) {
            candidates.insert(candidates.end(), each.names.begin(), each.names.end());
        }
    }
    for (const CommandText& each : command.commands) {
        if (is_command) {
            candidates.push_back(each.last_name());
        }
    }
    Diagnostic diagnostic = no_such_word(command.name, is_command ? "command" : "option", word, candidates,
                                         command.name + " --help lists what there is");
    if (is_command && command.commands.empty()) {
        diagnostic.problem = "one word too many, '" + word + "'";
    }
    return diagnostic;
}

CommandLine::Outcome outcome_of(const CLI::App& app, const CLI::Error& error, bool speaks) {
    const bool wanted = error.get_exit_code() == 0;  // --help, --version
    if (speaks && wanted) {
        static_cast<void>(app.exit(error));
    } else if (speaks) {
        const bool about_words = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
                                 dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
        const auto unknown = about_words ? unknown_word(app) : std::nullopt;
        const std::string name = full_name(*innermost(&app));
        std::string problem = in_plain_words(error.what());
        std::string advice = name + " --help says more";
        for (const OptionText& option : describe_app(*innermost(&app)).options) {
            if (!option.names.empty() && !option.place.empty() && problem == option.names.back() + " is required") {
                problem = option.place + " is required";
                advice = "give it there or as " + option.names.back() + ", or see " + name + " --help";
            }
        }
        if (problem.starts_with(name + ": ")) {
            problem.erase(0, name.size() + 2);
        } else if (problem == "A subcommand is required") {
            problem = "a command is missing";
        }
        complain(unknown ? *unknown : Diagnostic{.file = name, .problem = problem, .advice = advice});
    }
    return {false, wanted ? done : bad_input};
}

}  // namespace

Option& Option::type_name(const std::string& name) {
    option_->type_name(name);
    return *this;
}

Option& Option::show_default() {
    option_->capture_default_str();
    return *this;
}

Option& Option::required() {
    option_->required();
    return *this;
}

Option& Option::one_of(std::vector<std::string> words) {
    const std::string listed = CLI::detail::join(words, ", ");
    const std::string described = "{" + CLI::detail::join(words, ",") + "}";
    const auto check = [words = std::move(words), listed](const std::string& text) {
        const bool known = std::find(words.begin(), words.end(), text) != words.end();
        return known ? std::string() : "'" + text + "' is none of " + listed;
    };
    option_->check(CLI::Validator(check, described));
    return *this;
}

Option& Option::between(std::int64_t least, std::int64_t most) {
    option_->check(in_range(CLI::Range(least, most), "whole number", std::to_string(least), std::to_string(most)));
    return *this;
}

Option& Option::between_reals(double least, double most) {
    option_->check(in_range(CLI::Range(least, most), "number", fmt::format("{}", least), fmt::format("{}", most)));
    return *this;
}

Option& Option::positive() {
    option_->check(finite_number("finite number above 0", [](double number) { return number > 0; }));
    return *this;
}

Option& Option::non_negative() {
    option_->check(finite_number("finite number of 0 or more", [](double number) { return number >= 0; }));
    return *this;
}

Option& Option::duration(double unit_seconds) {
    const auto in_unit = [unit_seconds](std::string& text) {
        if (parse_number<double>(text)) {
            return std::string();
        }
        const auto seconds = parse_duration(text);
        if (!seconds) {
            return to_string(seconds.error());
        }
        text = fmt::format("{}", *seconds / unit_seconds);
        return std::string();
    };
    option_->transform(CLI::Validator(in_unit, ""));
    option_->type_name(unit_seconds == 1 ? "SECONDS" : "MINUTES");
    return *this;
}

Option& Option::separated_by(char separator) {
    // A word behind them is another argument.
    option_->delimiter(separator)->allow_extra_args(false);
    return *this;
}

Option& Option::values(int least, int most) {
    option_->expected(least, most);
    return *this;
}

Option& Option::from_environment(const std::string& name) {
    option_->envname(name);
    return *this;
}

Option& Option::needs(const Option& other) {
    option_->needs(other.option_);
    return *this;
}

Option& Option::excludes(const Option& other) {
    option_->excludes(other.option_);
    return *this;
}

template <class Value>
Option Command::option(const std::string& name, Value& value, const std::string& help) {
    return Option(app_->add_option(name, value, help));
}

template Option Command::option(const std::string&, std::string&, const std::string&);
template Option Command::option(const std::string&, std::vector<std::string>&, const std::string&);
template Option Command::option(const std::string&, int&, const std::string&);
template Option Command::option(const std::string&, std::int64_t&, const std::string&);
template Option Command::option(const std::string&, std::uint64_t&, const std::string&);
template Option Command::option(const std::string&, double&, const std::string&);
template Option Command::option(const std::string&, std::vector<int>&, const std::string&);
template Option Command::option(const std::string&, std::vector<double>&, const std::string&);
template Option Command::option(const std::string&, std::optional<int>&, const std::string&);
template Option Command::option(const std::string&, std::optional<double>&, const std::string&);

Option Command::number(const std::string& name, std::function<void(std::uint16_t)> take, const std::string& help) {
    return Option(app_->add_option_function<std::uint16_t>(name, std::move(take), help));
}

Option Command::flag(const std::string& name, bool& value, const std::string& help) {
    return Option(app_->add_flag(name, value, help));
}

Command Command::subcommand(const std::string& name, const std::string& help) {
    CLI::App* const added = app_->add_subcommand(std::make_shared<DescribedApp>(help, name, app_));
    added->group(static_cast<DescribedApp*>(app_)->group_of_next);
    return Command(added);
}

void Command::example(const std::string& command, const std::string& meaning) {
    static_cast<DescribedApp*>(app_)->examples.push_back({command, meaning});
}

void Command::group(const std::string& name) { static_cast<DescribedApp*>(app_)->group_of_next = name; }

CommandText Command::describe() const { return describe_app(*app_); }

void Command::on_run(std::function<void()> run) {
    app_->callback([run = std::move(run)] {
        try {
            run();
        } catch (const UsageError& error) {
            throw CLI::ValidationError(error.where(), error.what());
        }
    });
}

void Command::on_parsed(std::function<void()> run) { app_->parse_complete_callback(std::move(run)); }

void Command::footer(const std::string& text) { app_->footer(text); }

CommandLine::CommandLine(const std::string& summary, const std::string& name)
    : Command(new DescribedApp(summary, name, nullptr)) {
    app_->formatter(std::make_shared<HelpFormatter>());
    app_->set_help_flag("-h,--help", "print this and end");
}

CommandLine::~CommandLine() { delete app_; }

void CommandLine::version(const std::string& text) {
    app_->set_version_flag("-V,--version", text, "print the version and end");
}

void CommandLine::require_subcommand() { app_->require_subcommand(1); }

CommandLine::Outcome CommandLine::parse(int argc, char** argv, bool speaks) {
    try {
        app_->parse(argc, argv);
    } catch (const CLI::Error& error) {
        return outcome_of(*app_, error, speaks);
    }
    return {true, done};
}

CommandLine::Outcome CommandLine::parse(std::vector<std::string> words) {
    std::reverse(words.begin(), words.end());  // the parser takes them from the back
    try {
        app_->parse(words);
    } catch (const CLI::Error& error) {
        return outcome_of(*app_, error, true);
    }
    return {true, done};
}

}  // namespace aapc::cli
