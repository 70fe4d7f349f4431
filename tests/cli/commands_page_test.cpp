// docs/commands.md against the program: every command and every option has its place in the first table.
#include <gtest/gtest.h>

#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "cli/program.hpp"

namespace aapc::test {
namespace {

std::vector<std::string> lines_of_help(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

/// The first words of the lines between the examples and the options.
std::vector<std::string> commands_of(const std::string& help) {
    const std::regex entry("^  ([a-z]+)  .*");
    std::vector<std::string> names;
    std::smatch found;
    for (const std::string& line : lines_of_help(help.substr(0, help.find("Options:")))) {
        if (std::regex_match(line, found, entry)) {
            names.push_back(found[1]);
        }
    }
    return names;
}

/// Of each option in a command's help the short form if it has one, else the long one; what is also a word at its place
/// is left out.
std::vector<std::string> options(const std::string& help) {
    const std::regex entry("^  (-[a-z]|--[a-z-]+)[ ,].*");
    std::vector<std::string> names;
    std::smatch found;
    for (const std::string& line : lines_of_help(help)) {
        if (std::regex_match(line, found, entry) && found[1] != "-h" &&
            help.find("the same as " + found[1].str() + "\n") == std::string::npos) {
            names.push_back(found[1]);
        }
    }
    return names;
}

std::string row_of(const std::string& page, const std::string& command) {
    for (const std::string& line : lines_of_help(page)) {
        if (line.starts_with("| `aapc " + command + " ")) {
            return line;
        }
    }
    return "";
}

TEST(CommandsPage, HasEveryCommandWithEveryOption) {
    const Scratch scratch;
    const std::string page = contents(AAPC_SOURCE_DIRECTORY "/docs/commands.md");
    const std::vector<std::string> names = commands_of(scratch.run("--help").out);
    ASSERT_GE(names.size(), 10U) << "the help is not read as it is written";
    std::size_t seen = 0;
    for (const std::string& name : names) {
        const std::string row = row_of(page, name);
        EXPECT_NE(row, "") << "docs/commands.md does not list aapc " << name;
        for (const std::string& option : options(scratch.run(name + " --help").out)) {
            EXPECT_TRUE(std::regex_search(row, std::regex(option + "[^a-z-]"))) << "aapc " << name << ": " << option;
            ++seen;
        }
    }
    EXPECT_GE(seen, 30U) << "the help is not read as it is written";
}

}  // namespace
}  // namespace aapc::test
