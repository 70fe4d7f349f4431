#include "console/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "console/output.hpp"

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

CommandLine::Outcome outcome_of(const CLI::App& app, const CLI::Error& error, bool speaks) {
    const bool wanted = error.get_exit_code() == 0;  // --help, --version
    if (speaks) {
        static_cast<void>(app.exit(error));
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
    option_->check(CLI::IsMember(std::move(words)));
    return *this;
}

Option& Option::between(std::int64_t least, std::int64_t most) {
    option_->check(CLI::Range(least, most));
    return *this;
}

Option& Option::between_reals(double least, double most) {
    option_->check(CLI::Range(least, most));
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

Option& Option::separated_by(char separator) {
    option_->delimiter(separator);
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
    return Command(app_->add_subcommand(name, help));
}

void Command::on_run(std::function<void()> run) {
    app_->callback([run = std::move(run)] {
        try {
            run();
        } catch (const UsageError& error) {
            throw CLI::ValidationError(error.where(), error.what());
        }
    });
}

void Command::footer(const std::string& text) { app_->footer(text); }

CommandLine::CommandLine(const std::string& summary, const std::string& name) : Command(new CLI::App(summary, name)) {}

CommandLine::~CommandLine() { delete app_; }

void CommandLine::version(const std::string& text) { app_->set_version_flag("--version", text); }

void CommandLine::require_subcommand() { app_->require_subcommand(1); }

void CommandLine::column_width(std::size_t characters) { app_->get_formatter()->column_width(characters); }

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
