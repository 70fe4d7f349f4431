/// @file
/// Command lines of programs: options, subcommands, help. What parses them (CLI11) takes long to compile, so it is
/// behind this header, in one file; it offers what this project uses and nothing else.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "console/command_text.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace aapc::cli {

/// An option that was added; a handle, valid as long as its program's command line.
class Option {
  public:
    explicit Option(CLI::Option* option) : option_(option) {}

    Option& type_name(const std::string& name);              ///< what the help shows for its value; empty: nothing
    Option& show_default();                                  ///< the help shows the value that it has now
    Option& required();                                      ///< it must be given
    Option& one_of(std::vector<std::string> words);          ///< no other value is accepted
    Option& between(std::int64_t least, std::int64_t most);  ///< both included
    Option& between_reals(double least, double most);        ///< both included
    Option& positive();                                      ///< a finite number above 0
    Option& non_negative();                                  ///< a finite number of 0 or more
    /// Its number is a time in a unit of that many seconds; "50us", "2ms" and "3s" are taken as well.
    Option& duration(double unit_seconds = 1);
    Option& separated_by(char separator);               ///< one word may hold several values
    Option& values(int least, int most);                ///< how many values it takes
    Option& from_environment(const std::string& name);  ///< the variable that stands in where it is not given
    Option& needs(const Option& other);                 ///< it may only be given with that one
    Option& excludes(const Option& other);              ///< it may not be given with that one

  private:
    CLI::Option* option_;
};

/// What is wrong with the words as a whole; thrown by the function of Command::on_run().
class UsageError : public std::runtime_error {
  public:
    UsageError(std::string where, const std::string& advice) : std::runtime_error(advice), where_(std::move(where)) {}
    [[nodiscard]] const std::string& where() const { return where_; }

  private:
    std::string where_;
};

/// A program's command line or that of one of its subcommands; a handle like Option.
class Command {
  public:
    explicit Command(CLI::App* app) : app_(app) {}

    /// An option `--name`, `-n,--name`, or without dashes a word at its place; `FILE,--name` is both. `value` must live
    /// until the words have been parsed; what it holds is the default. Instantiated for the types in command_line.cpp.
    template <class Value>
    Option option(const std::string& name, Value& value, const std::string& help);
    /// An option whose number goes to a function.
    Option number(const std::string& name, std::function<void(std::uint16_t)> take, const std::string& help);
    Option flag(const std::string& name, bool& value, const std::string& help);

    Command subcommand(const std::string& name, const std::string& help);
    /// A command line that works as it is, for help and manual page, and what it does.
    void example(const std::string& command, const std::string& meaning);
    void group(const std::string& name);        ///< the subcommands that are added from now on are listed under it
    void on_run(std::function<void()> run);     ///< called once all words have been parsed
    void on_parsed(std::function<void()> run);  ///< called before that, to complete what was given
    void footer(const std::string& text);       ///< below the help: a paragraph on each line

    /// All that is known of it and of its subcommands.
    [[nodiscard]] CommandText describe() const;

  protected:
    CLI::App* app_;
};

/// The command line of a program; owns all of it.
class CommandLine : public Command {
  public:
    CommandLine(const std::string& summary, const std::string& name);
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;
    ~CommandLine();

    void version(const std::string& text);  ///< adds -V and --version
    void require_subcommand();

    /// Whether to go on, and the program's exit status otherwise.
    struct Outcome {
        bool parsed = false;
        int status = 0;  ///< done after --help, bad_input after a mistake
    };

    /// Parses the words and calls what on_run() was given. Help goes to standard output and complaints to standard
    /// error, both only if this process `speaks`.
    Outcome parse(int argc, char** argv, bool speaks = true);
    /// The same for words without the program's name, in order.
    Outcome parse(std::vector<std::string> words);
};

}  // namespace aapc::cli
