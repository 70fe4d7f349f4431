// The templates as C: each is a program for itself, and the generator makes of it what the preprocessor makes of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "offline/codegen/render.hpp"
#include "offline/codegen/routine_support.hpp"
#include "offline/codegen/templates.hpp"

namespace aapc::test {
namespace {

using codegen::templates;
using codegen::Values;
using ::testing::HasSubstr;
using ::testing::Not;

const std::filesystem::path directory_of_templates =
    std::filesystem::path(AAPC_SOURCE_DIRECTORY) / "src" / "offline" / "codegen" / "templates";

std::string contents_of(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

/// A template with conditions that hold for it; the others do not.
struct Program {
    std::string file;
    std::vector<std::string> conditions;
};

void PrintTo(const Program& program, std::ostream* out) {
    *out << program.file;
    for (const std::string& condition : program.conditions) {
        *out << ' ' << condition;
    }
}

/// Every template with all conditions that the generator combines.
std::vector<Program> programs() {
    return {{"alone.c", {}},
            {"timed.c", {}},
            {"timed.c", {"CYCLE"}},
            {"windows.c", {}},
            {"forwarding.c", {}},
            {"forwarding.c", {"BARRIERS"}},
            {"one_at_a_time.c", {}},
            {"one_at_a_time.c", {"DUMMIES"}},
            {"one_at_a_time.c", {"SENDER_TOKENS"}},
            {"one_at_a_time.c", {"RECEIVER_TOKENS"}},
            {"one_at_a_time.c", {"BARRIERS"}},
            {"one_at_a_time.c", {"BARRIERS", "SENDER_TOKENS"}},
            {"one_at_a_time.c", {"BARRIERS", "RECEIVER_TOKENS"}}};
}

class EveryProgram : public ::testing::TestWithParam<Program> {
    void SetUp() override {
        if (mpis().empty()) {
            GTEST_SKIP() << "no MPI was found when this was configured";
        }
    }
};

INSTANTIATE_TEST_SUITE_P(Templates, EveryProgram, ::testing::ValuesIn(programs()),
                         [](const auto& param_info) { return test_name(::testing::PrintToString(param_info.param)); });

/// The options by which the preprocessor knows the conditions.
std::string options_for(const Program& program) {
    std::string options;
    for (const std::string& condition : program.conditions) {
        options += " -DTEMPLATE_" + condition + "=1";
    }
    return options;
}

TEST_P(EveryProgram, CompilesAlone) {
    for (const Mpi& mpi : mpis()) {
        for (const std::string& compiler : compilers()) {
            const CommandResult result =
                run_command(fmt::format("{} -O1 {} {} -c {} -o /dev/null", with_compiler(mpi, compiler), very_strict,
                                        options_for(GetParam()), (directory_of_templates / GetParam().file).string()));
            EXPECT_EQ(result.status, 0) << mpi.name << ", " << compiler << ":\n" << result.output;
        }
    }
}

/// What values.h has for the generator, with these conditions.
Values values_of_header(const Program& program) {
    Values values;
    std::string text = contents_of(directory_of_templates / "values.h");
    for (std::size_t end = text.find("\\\n"); end != std::string::npos; end = text.find("\\\n")) {
        text.replace(end, 2, " ");
    }
    std::istringstream lines(text);
    const std::string start = "#define TEMPLATE_";
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(start)) {
            const std::size_t space = line.find(' ', start.size());
            values[line.substr(start.size(), space - start.size())] = line.substr(space + 1);
        }
    }
    for (const std::string& condition : program.conditions) {
        values.at(condition) = "1";
    }
    values.at("TOKENS") = values.at("SENDER_TOKENS") == "1" || values.at("RECEIVER_TOKENS") == "1" ? "1" : "0";
    return values;
}

/// What a compiler sees of a file: no comments, macros expanded, and no space of any kind.
std::string preprocessed(const std::string& options, const std::string& file) {
    CommandResult result = run_command(fmt::format("{} -std=c11 -E -P {} {}", mpis().front().compiler, options, file));
    EXPECT_EQ(result.status, 0) << result.output;
    std::erase_if(result.output, [](char character) { return std::isspace(static_cast<unsigned char>(character)); });
    return result.output;
}

TEST_P(EveryProgram, IsRenderedAsThePreprocessorSeesIt) {
    const TemporaryDirectory directory;
    const std::string rendered = codegen::render(templates(), GetParam().file, values_of_header(GetParam()));
    write_file(directory.file("routine.c"), rendered);
    const std::string seen = preprocessed(options_for(GetParam()), (directory_of_templates / GetParam().file).string());
    EXPECT_THAT(seen, HasSubstr("intMPI_Alltoall("));
    EXPECT_TRUE(preprocessed("", directory.file("routine.c")) == seen) << rendered;
}

/// A name that has no value and that a template compiles with all the same stands in its comments.
TEST_P(EveryProgram, LeavesNoDirectiveOfTheTemplates) {
    const std::string rendered = codegen::render(templates(), GetParam().file, values_of_header(GetParam()));
    EXPECT_THAT(rendered, Not(HasSubstr("#if TEMPLATE_")));
    EXPECT_THAT(rendered, Not(HasSubstr("#include \"")));
}

TEST(Templates, AreTheFilesOfTheirDirectory) {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(directory_of_templates)) {
        const std::string name = entry.path().filename().string();
        if (name.front() != '.' && name != "values.h") {
            files[name] = contents_of(entry.path());
        }
    }
    std::map<std::string, std::string> embedded;
    for (const auto& [name, text] : templates()) {
        embedded.emplace(name, text);
    }
    EXPECT_EQ(embedded, files);
}

/// A template that no program includes is never compiled.
TEST(Templates, AreAllPartOfAProgram) {
    std::set<std::string> compiled;
    for (const Program& program : programs()) {
        compiled.insert(program.file);
        for (const auto& [name, text] : templates()) {
            if (templates().at(program.file).find(fmt::format("#include \"{}\"\n", name)) != std::string_view::npos) {
                compiled.insert(std::string(name));
            }
        }
    }
    for (const auto& [name, text] : templates()) {
        EXPECT_TRUE(compiled.contains(std::string(name))) << name;
    }
}

}  // namespace
}  // namespace aapc::test
