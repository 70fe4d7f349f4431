// `aapc settings`: every variable that aapc reads, with the value that it has here, and what it means.
#include "selection/settings.hpp"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/command.hpp"
#include "console/command_text.hpp"
#include "input/environment.hpp"
#include "input/wording.hpp"
#include "selection/variables.hpp"

namespace aapc::cli {

namespace {

/// Empty if it is not set.
std::string value_of(const selection::Variable& variable) {
    return environment_variable(std::string(variable.name).c_str());
}

/// Whether it is set, and the option of aapc exec that sets it.
std::string origin_of(const selection::Variable& variable, const std::string& value) {
    return fmt::format("{}{}", value.empty() ? "not set" : "set in the environment",
                       variable.option.empty() ? "" : fmt::format("; aapc exec {}", variable.option));
}

std::string settings_text() {
    constexpr std::size_t indent = 4;
    std::string text;
    for (const selection::Variable& variable : selection::variables()) {
        const std::string value = value_of(variable);
        text += fmt::format("{}{}  ({})\n", variable.name, value.empty() ? "" : " = " + in_quotes(value),
                            origin_of(variable, value));
        const std::string meaning = fmt::format("{}; default: {}", variable.meaning, variable.default_value);
        text += std::string(indent, ' ') + wrapped(meaning, help_width(), indent) + "\n";
    }
    return text;
}

std::string settings_json() {
    auto settings = nlohmann::json::array();
    for (const selection::Variable& variable : selection::variables()) {
        const std::string value = value_of(variable);
        nlohmann::json one = {
            {"name", variable.name}, {"meaning", variable.meaning}, {"default", variable.default_value}};
        one["value"] = value.empty() ? nlohmann::json(nullptr) : nlohmann::json(value);
        one["option"] = variable.option.empty() ? nlohmann::json(nullptr) : nlohmann::json(variable.option);
        settings.push_back(std::move(one));
    }
    const nlohmann::json document = {{"format", "aapc-settings/1"}, {"settings", std::move(settings)}};
    return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

/// All variables, those with an option of aapc exec by that.
std::string notes() {
    std::string text =
        "Rank 0 reads the variables when MPI begins. The page aapc-environment(7) describes them.\nVariables:\n";
    for (const selection::Variable& variable : selection::variables()) {
        const std::string meaning(variable.option.empty() ? variable.meaning : variable.option);
        text += fmt::format("  {:21} {}{}\n", variable.name, variable.option.empty() ? "" : "aapc exec ", meaning);
    }
    return text;
}

/// What a job that is started here would say of these settings.
int say_remarks() {
    const selection::Reading reading = selection::read_settings();
    for (const std::string& remark : reading.remarks) {
        fmt::print(stderr, "aapc: {}\n", remark);
    }
    return reading.remarks.empty() ? done : check_failed;
}

}  // namespace

void add_settings_command(Command& program, Invocation& invocation) {
    Command command =
        program.subcommand("settings", "List every setting: its value here, where it is from, its meaning");
    const auto format = std::make_shared<std::string>("text");
    command.option("--format", *format, "text or json").one_of({"text", "json"}).show_default();
    command.example("aapc settings", "all variables, as a job that is started here has them");
    command.example("AAPC_ALGORITHM=tre aapc settings", "what is wrong with them; exit status 1");
    command.footer(notes());
    command.on_run([format, &invocation] {
        invocation.status = write_output("", *format == "json" ? settings_json() : settings_text());
        if (invocation.status == done) {
            invocation.status = say_remarks();
        }
    });
}

}  // namespace aapc::cli
