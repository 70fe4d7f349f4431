// Every mistake has a line, a column, and says what is wrong and what would be right.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "aapc/input/hostlist.hpp"
#include "aapc/topology/topology_file.hpp"

namespace {

using aapc::read_topology;

/// A table `[network]` with a speed; what follows it starts in line 3.
const std::string network = "[network]\nspeed = '1Gbit'\n";
/// A valid file of five lines; what follows it starts in line 6.
const std::string one_switch = network + "[[switch]]\nname = 's0'\nmachines = 'n[0-3]'\n";

struct Mistake {
    const char* title;
    std::string text;
    int line;
    int column;
    std::string problem;  ///< part of what is wrong
    std::string advice;   ///< part of what would be right
};

/// Shown by name, not by bytes, where a case fails.
void PrintTo(const Mistake& mistake, std::ostream* stream) { *stream << mistake.title; }

class TopologyMistake : public testing::TestWithParam<Mistake> {};

TEST_P(TopologyMistake, IsAnsweredWithItsPlace) {
    const Mistake& mistake = GetParam();
    const auto result = read_topology(mistake.text, "file.toml");
    ASSERT_FALSE(result) << mistake.text;
    const std::string message = to_string(result.error());
    EXPECT_EQ(result.error().file, "file.toml");
    EXPECT_EQ(result.error().line, mistake.line) << message;
    EXPECT_EQ(result.error().column, mistake.column) << message;
    EXPECT_NE(result.error().problem.find(mistake.problem), std::string::npos) << message;
    EXPECT_NE(result.error().advice.find(mistake.advice), std::string::npos) << message;
    EXPECT_FALSE(result.error().advice.empty()) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
}

std::string title(const testing::TestParamInfo<Mistake>& info) { return info.param.title; }

const Mistake toml_mistakes[] = {
    {"MissingQuotes", network + "[[switch]]\nname = s0\n", 4, 8, "not valid TOML", "quotation marks"},
    {"MissingQuotesOfASpeed", "[network]\nspeed = 100Mbit\n", 2, 9, "not valid TOML", ""},
    {"MissingClosingQuote", network + "[[switch]]\nname = 's0\nmachines = 'n0'\n", 4, 11, "not valid TOML", ""},
    {"MissingValue", "[network]\nspeed =\n", 2, 8, "not valid TOML", ""},
    {"TableWithoutAName", "[.network]\nspeed = '1Gbit'\n", 1, 2, "not valid TOML", ""},
    {"MissingBracket", "[network\nspeed = '1Gbit'\n", 1, 9, "not valid TOML", ""},
    {"CutInATableHeader", network + "[[switch]", 3, 10, "end-of-file", "cut off"},
    {"CutInAString", network + "[[switch]]\nname = \"s", 4, 10, "end-of-file", "cut off"},
    {"CutInAKey", network + "[[switch]]\nna", 4, 3, "end-of-file", "cut off"},
    {"CutInAnArray", network + "[[switch]]\nmachines = ['n0',", 4, 18, "end-of-file", "cut off"},
    {"CutBehindAnEqualsSign", network + "[[switch]]\nname =", 4, 7, "end-of-file", "cut off"},
    {"KeyTwice", one_switch + "name = 's1'\n", 6, 8, "cannot redefine", "keep one"},
    {"NetworkTwice", one_switch + "[network]\n", 6, 1, "cannot redefine", "keep one"},
    {"SwitchInSingleBracketsTwice", "[switch]\nname = 'a'\n[switch]\nname = 'b'\n", 3, 1, "cannot redefine",
     "[[switch]], in double brackets"},
    {"EmbeddedNul", network + std::string("[[switch]]\nname = 's\0'\n", 22), 4, 10, "not valid TOML", ""},
    {"NulBetweenTables", one_switch + std::string("\0\n", 2), 6, 1, "not valid TOML", ""},
    {"ControlCharacter", network + "[[switch]]\nname = \"s\x01\"\n", 4, 10, "not valid TOML", ""},
    {"BadEscape", network + "[[switch]]\nname = \"s\\q\"\n", 4, 11, "not valid TOML", ""},
    {"NotUtf8", one_switch + "# caf\xe9\n", 6, 6, "utf-8", "UTF-8"},
    {"Binary",
     "\x7f"
     "ELF\x02\x01\x01",
     1, 1, "not valid TOML", ""},
    {"Utf16", std::string("\xff\xfe[\0n\0", 6), 1, 1, "utf-8", "UTF-8"},
    // Characters that the parser takes for impossible where it looks for white space.
    {"WideCharacterForWhiteSpace", network + "[[switch]]\nname =\xc2\xa1's0'\n", 4, 7, "not valid TOML", ""},
    {"WideCharacterInAKey", network + "# \xd2\x99\n[[switch]]\nn\xd2\x99me = 's0'\n", 5, 2, "not valid TOML", ""},
    {"WideCharacterAtTheEnd", network + "\xd0\x80", 3, 1, "not valid TOML", ""},
    {"WideCharacterBehindANumber", "a = 2\"\xcd\x9d\xce\x91", 1, 6, "not valid TOML", ""},
    {"WideCharacterBehindABackslash", "a = \"\"\"\n\\\xef\xbb\xb5", 2, 2, "not valid TOML", ""},
    {"Json", "{\"network\": {}}\n", 1, 1, "not valid TOML", ""},
    {"ColumnsCountBytes", "x = \"\xc3\xa9\" y", 1, 10, "not valid TOML", ""},
    {"TooManyParts", "[network]\na.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a = 1\n", 2, 1, "16 dots",
     "no keys of several parts"},
};
INSTANTIATE_TEST_SUITE_P(Toml, TopologyMistake, testing::ValuesIn(toml_mistakes), title);

const Mistake table_mistakes[] = {
    {"EmptyFile", "", 1, 1, "describes no switch", "[[switch]]"},
    {"OnlyAComment", "# nothing here\n", 1, 1, "describes no switch", "[[switch]]"},
    {"OnlyAByteOrderMark", "\xef\xbb\xbf", 1, 1, "describes no switch", "[[switch]]"},
    {"OnlyTheNetwork", network, 1, 1, "describes no switch", "[[switch]]"},
    {"EmptyArrayOfSwitches", "switch = []\n", 1, 10, "describes no switch", "[[switch]]"},
    {"UnknownTable", one_switch + "[netwrok]\n", 6, 2, "unknown key 'netwrok' at the top of the file", "'network'"},
    {"UnknownTableFarFromAny", one_switch + "[wide_area]\n", 6, 2, "unknown key 'wide_area'",
     "known here: network, switch"},
    {"UnknownKeyInNetwork", "[network]\nsped = '1Gbit'\n", 2, 1, "unknown key 'sped' in [network]", "'speed'"},
    {"UnknownKeyFarFromAny", "[network]\nlatency = '1ms'\n", 2, 1, "unknown key 'latency'", "kind, speed"},
    {"UnknownKeyInSwitch", one_switch + "[[switch]]\nnmae = 's1'\n", 7, 1, "unknown key 'nmae' in [[switch]]",
     "'name'"},
    {"UnknownKeyMachine", network + "[[switch]]\nname = 's0'\nmachine = 'n0'\n", 5, 1, "unknown key 'machine'",
     "'machines'"},
    {"KeyInCapitals", network + "[[switch]]\nName = 's0'\n", 4, 1, "unknown key 'Name'", "'name'"},
    {"EmptyKey", one_switch + "'' = 1\n", 6, 1, "unknown key ''", "known here"},
    {"KeyWithALineBreak", one_switch + "\"a\\nb\" = 1\n", 6, 1, "unknown key 'a\nb'", "known here"},
    {"DottedKey", network + "[[switch]]\nname.first = 's0'\n", 4, 1, "name is a table", "name = \"s0\""},
    {"NetworkIsAString", "network = 'tree'\n", 1, 11, "network is a string", "[network]"},
    {"NetworkInDoubleBrackets", "[[network]]\nspeed = '1Gbit'\n", 1, 1, "network is an array", "single brackets"},
    {"SwitchInSingleBrackets", network + "[switch]\nname = 's0'\n", 3, 1, "switch is a table", "double brackets"},
    {"SwitchIsAString", "switch = 's0'\n", 1, 10, "switch is a string", "[[switch]]"},
    {"SwitchesAreStrings", "switch = ['s0']\n", 1, 11, "a switch is a string", "[[switch]]"},
    {"KindIsNoString", "[network]\nkind = 3\n", 2, 8, "kind is an integer", "kind = \"tree\""},
    {"KindUnknown", "[network]\nkind = 'trea'\n", 2, 8, "unknown kind of network 'trea'", "\"tree\""},
    {"SpeedIsANumber", "[network]\nspeed = 100\n", 2, 9, "speed is an integer", "with a unit"},
    {"BufferIsANumber", "[network]\nbuffer = 100\n", 2, 10, "buffer is an integer", "buffer = \"128KiB\""},
    {"BufferIsASpeed", "[network]\nbuffer = '1Mbit'\n", 2, 10, "'1Mbit' is not a size", "32K"},
    {"BufferIsZero", "[network]\nbuffer = '0'\n", 2, 10, "buffer is 0", "128KiB"},
    {"BufferOfASwitch", one_switch + "buffer = '1.5KiB'\n", 6, 10, "not a whole number", ""},
    {"BufferOfMachines", one_switch + "machine_buffer = '0KiB'\n", 6, 18, "machine_buffer is 0", "128KiB"},
    {"BufferOfNoUplink", one_switch + "uplink_buffer = '1KiB'\n", 6, 17, "this switch has none", "all ports"},
    {"MtuIsAString", "[network]\nmtu = '9000'\n", 2, 7, "mtu is a string", "mtu = 9000"},
    {"MtuTooSmall", "[network]\nmtu = 100\n", 2, 7, "mtu is 100", "from 576 to 65536"},
    {"MtuTooLarge", "[network]\nmtu = 9223372036854775807\n", 2, 7, "mtu is 9223372036854775807", "65536"},
    {"NoCables", one_switch + "[[switch]]\nname = 's1'\nuplink = 's0'\nuplink_links = 0\n", 9, 16, "uplink_links is 0",
     "from 1 to 1024"},
    {"CablesOfNoUplink", one_switch + "uplink_links = 4\n", 6, 16, "this switch has none", "add the uplink"},
    {"CablesAreWords", one_switch + "[[switch]]\nname = 's1'\nuplink = 's0'\nuplink_links = 'four'\n", 9, 16,
     "uplink_links is a string", "uplink_links = 4"},
    {"MtuOfASwitch", one_switch + "mtu = 9000\n", 6, 1, "unknown key 'mtu' in [[switch]]", ""},
    {"SpeedIsInfinite", "[network]\nspeed = inf\n", 2, 9, "speed is a floating-point number", "with a unit"},
    {"SpeedIsADate", "[network]\nspeed = 2005-04-04\n", 2, 9, "speed is a date", "with a unit"},
    {"SpeedIsABoolean", "[network]\nspeed = true\n", 2, 9, "speed is a boolean", "with a unit"},
    {"SpeedWithoutUnit", "[network]\nspeed = \"100\"\n", 2, 9, "'100' is not a speed: it has no unit", "100Mbit"},
    {"SpeedInBytes", "[network]\nspeed = \"100MB\"\n", 2, 9, "unknown unit, 'MB'", "Mbit"},
    {"SpeedZero", "[network]\nspeed = \"0Mbit\"\n", 2, 9, "not more than 0", ""},
    {"SpeedNegative", "[network]\nspeed = \"-1Mbit\"\n", 2, 9, "not more than 0", ""},
    {"SpeedInfiniteString", "[network]\nspeed = \"inf\"\n", 2, 9, "does not start with a number", ""},
    {"SpeedAbsurd", "[network]\nspeed = \"1e99bit\"\n", 2, 9, "unknown unit", ""},
    {"SpeedTooFast", "[network]\nspeed = \"2000Tbit\"\n", 2, 9, "more than 1000 Tbit", ""},
    {"SpeedOfAnUplink", one_switch + "[[switch]]\nname = 's1'\nuplink = 's0'\nspeed = 'fast'\n", 9, 9,
     "'fast' is not a speed", ""},
    {"SpeedOfMachines", network + "[[switch]]\nname = 's0'\nmachine_speed = '1Gb'\n", 5, 17, "unknown unit, 'Gb'", ""},
    {"SpeedWithoutUplink", network + "[[switch]]\nname = 's0'\nspeed = '1Gbit'\nmachines = 'n'\n", 5, 9,
     "this switch has none", "machine_speed"},
    {"NoName", network + "[[switch]]\nmachines = 'n0'\n", 3, 1, "a switch without a name", "name ="},
    {"NameIsNoString", network + "[[switch]]\nname = 0\n", 4, 8, "name is an integer", "name = \"s0\""},
    {"NameIsEmpty", network + "[[switch]]\nname = ''\n", 4, 9, "is empty", "letters"},
    {"NameWithASpace", network + "[[switch]]\nname = 'rack 1'\n", 4, 13, "a space", "letters"},
    {"NameWithAQuotationMark", network + "[[switch]]\nname = 's\"0'\n", 4, 10, "a quotation mark", "letters"},
    {"NameWithAnEscapedQuotationMark", network + "[[switch]]\nname = \"s\\\"0\"\n", 4, 8, "a quotation mark",
     "letters"},
    {"NameWithALineBreak", network + "[[switch]]\nname = \"s\\n0\"\n", 4, 8, "a line break", "letters"},
    {"NameOnTwoLines", network + "[[switch]]\nname = '''s\n0'''\n", 4, 8, "a line break", "letters"},
    {"NameWithAControlCharacter", network + "[[switch]]\nname = \"s\\u0007\"\n", 4, 8, "a control character",
     "letters"},
    {"NameOutsideAscii", network + "[[switch]]\nname = 'h\xc3\xb6rsaal'\n", 4, 10, "outside ASCII", "letters"},
    {"NameWithABackslash", network + "[[switch]]\nname = 's\\'\n", 4, 10, "'\\'", "letters"},
    {"NameWithADollar", network + "[[switch]]\nname = '$s'\n", 4, 9, "'$'", "letters"},
    {"NameStartsWithADot", network + "[[switch]]\nname = '.s'\n", 4, 9, "starts with '.'", "start with a letter"},
    {"NameTooLong", network + "[[switch]]\nname = '" + std::string(256, 's') + "'\n", 4, 9, "256 characters", "255"},
    {"UplinkIsNoString", one_switch + "[[switch]]\nname = 's1'\nuplink = ['s0']\n", 8, 10, "uplink is an array",
     "one switch"},
    {"MachinesIsANumber", network + "[[switch]]\nname = 's0'\nmachines = 4\n", 5, 12, "machines is an integer",
     "machines = \"n[0-3]\""},
    {"MachinesIsATable", network + "[[switch]]\nname = 's0'\nmachines = {n = 4}\n", 5, 12, "machines is a table",
     "machines ="},
    {"AMachineIsANumber", network + "[[switch]]\nname = 's0'\nmachines = ['n0', 1]\n", 5, 19, "a machine is an integer",
     "machines ="},
    {"AMachineIsAList", network + "[[switch]]\nname = 's0'\nmachines = [['n0']]\n", 5, 13, "a machine is an array",
     "machines ="},
    {"MachinesIsAnEmptyString", network + "[[switch]]\nname = 's0'\nmachines = ''\n", 5, 13, "an empty list",
     "leave the key out"},
    {"HostlistWithASpace", network + "[[switch]]\nname = 's0'\nmachines = 'n0, n1'\n", 5, 16, "a space",
     "commas alone"},
    {"HostlistWithALineBreak", network + "[[switch]]\nname = 's0'\nmachines = \"n0\\nn1\"\n", 5, 12, "a line break",
     ""},
    {"HostlistWithAQuotationMark", network + "[[switch]]\nname = 's0'\nmachines = ['n0', 'n\"1']\n", 5, 21,
     "a quotation mark", ""},
    {"HostlistOutsideAscii", network + "[[switch]]\nname = 's0'\nmachines = ['\xc3\xa9']\n", 5, 14, "outside ASCII",
     ""},
    {"HostlistBehindACharacterOutsideAscii", network + "[[switch]]\nmachines = 'n:0' # \xc3\xa9\nname = '\xc3\xa9'\n",
     4, 15, "0 ranks", ""},
    {"HostlistUnclosed", network + "[[switch]]\nname = 's0'\nmachines = 'm,n[0-3'\n", 5, 16, "'[' without ']'",
     "close"},
    {"HostlistReversed", network + "[[switch]]\nname = 's0'\nmachines = 'n[3-0]'\n", 5, 15, "runs backwards",
     "smaller"},
    {"HostlistOfAMillion", network + "[[switch]]\nname = 's0'\nmachines = 'n[0-999999]'\n", 5, 14, "1000000 machines",
     "65536"},
    {"HostlistOfATrillionTrillion", network + "[[switch]]\nname = 's0'\nmachines = 'n[0-999999999999999999999999]'\n",
     5, 17, "too large", "18 digits"},
    {"RanksZero", network + "[[switch]]\nname = 's0'\nmachines = 'n0:0'\n", 5, 16, "0 ranks", "at least one"},
    {"RanksAbsurd", network + "[[switch]]\nname = 's0'\nmachines = 'n0:4000000000'\n", 5, 16, "'4000000000' ranks",
     "65536"},
    {"RanksOfAllTogether", network + "[[switch]]\nname = 's0'\nmachines = ['a[0-1]:32768', 'b,c']\n", 5, 30,
     "65537 ranks", "65536"},
    {"MachinesOfAllTogether", network + "[[switch]]\nname = 's0'\nmachines = ['a[0-65535]', 'b']\n", 5, 27,
     "65537 machines", "65536"},
    {"FirstOfSeveral", "[network]\nspeed = '1'\nkind = 'x'\n[[switch]]\nnme = 's'\n", 2, 9, "no unit", ""},
    {"FirstOfSeveralOnALine", "switch = [{uplink = 1, name = 2}]\n", 1, 21, "uplink is an integer", ""},
};
INSTANTIATE_TEST_SUITE_P(Tables, TopologyMistake, testing::ValuesIn(table_mistakes), title);

/// A torus file; what follows it starts in line 5.
const std::string torus = network + "kind = 'torus'\nsides = [2, 3]\n";

const Mistake torus_mistakes[] = {
    {"TorusWithoutSides", network + "kind = 'torus'\nmachines = 't[0-5]'\n", 1, 1, "a torus without sides",
     "sides = [8, 8]"},
    {"TorusWithoutMachines", torus, 1, 1, "a torus without machines", "row by row"},
    {"TorusWithoutSpeed", "[network]\nkind = 'torus'\nsides = [2, 3]\nmachines = 't[0-5]'\n", 1, 1,
     "the links of the torus have no speed", "speed = \"1Gbit\""},
    {"TorusWithSwitches", torus + "machines = 't[0-5]'\n[[switch]]\nname = 's0'\n", 6, 3,
     "unknown key 'switch' at the top of the file", "network"},
    {"TorusWithAMistypedKey", network + "kind = 'torus'\nside = [2, 3]\n", 4, 1, "unknown key 'side' in [network]",
     "'sides'"},
    {"SidesAreANumber", network + "kind = 'torus'\nsides = 8\n", 4, 9, "sides is an integer", "sides = [8, 8]"},
    {"SidesAreAString", network + "kind = 'torus'\nsides = '8x8'\n", 4, 9, "sides is a string", "sides = [8, 8]"},
    {"NoSides", network + "kind = 'torus'\nsides = []\n", 4, 9, "a torus of 0 sides", "one to 3 sides"},
    {"FourSides", network + "kind = 'torus'\nsides = [2, 2, 2, 2]\n", 4, 9, "a torus of 4 sides", "one to 3 sides"},
    {"ASideIsAString", network + "kind = 'torus'\nsides = [8, '8']\n", 4, 13, "a side is a string", "sides ="},
    {"ASideIsAFraction", network + "kind = 'torus'\nsides = [8.0, 8]\n", 4, 10, "a side is a floating-point number",
     "sides ="},
    {"ASideOfNone", network + "kind = 'torus'\nsides = [8, 0]\n", 4, 13, "a side of 0 machines", "from 1 to 65536"},
    {"ASideBelowNone", network + "kind = 'torus'\nsides = [-8, 8]\n", 4, 10, "a side of -8 machines", "from 1"},
    {"ASideTooLong", network + "kind = 'torus'\nsides = [9223372036854775807]\n", 4, 10,
     "a side of 9223372036854775807 machines", "65536"},
    {"SidesTooLongTogether", network + "kind = 'torus'\nsides = [65536, 65536, 2]\n", 4, 17,
     "4294967296 machines up to this side", "at most 65536"},
    {"MachinesTooFew", torus + "machines = 't[0-4]'\n", 5, 12, "5 machines for a torus of 2 x 3, which has room for 6",
     "product of the sides"},
    {"MachinesTooMany", torus + "machines = ['t[0-5]', 'u']\n", 5, 12, "7 machines for a torus of 2 x 3", "product"},
    {"OneMachineForMany", torus + "machines = 't'\n", 5, 12, "1 machine for a torus of 2 x 3", "product"},
    {"MachinesOfATorusTwice", torus + "machines = 't[0-2],a,b,t1'\n", 5, 24,
     "machine 't1' is listed twice (first in line 5, column 13)", "NAME:RANKS"},
    {"MachinesOfATorusAreANumber", torus + "machines = 6\n", 5, 12, "machines is an integer", "machines = "},
    {"HostlistOfATorus", torus + "machines = 't[0-5'\n", 5, 14, "'[' without ']'", "close"},
    {"SpeedOfATorus", "[network]\nspeed = '1GB'\nkind = 'torus'\nsides = [2]\nmachines = 'a,b'\n", 2, 9,
     "unknown unit, 'GB'", "Mbit"},
    {"SidesOfATree", network + "sides = [8, 8]\n", 3, 1, "unknown key 'sides' in [network]", "kind, speed"},
};
INSTANTIATE_TEST_SUITE_P(Tori, TopologyMistake, testing::ValuesIn(torus_mistakes), title);

const Mistake tree_mistakes[] = {
    {"UplinkUnknown", one_switch + "[[switch]]\nname = 's1'\nuplink = 'spine'\n", 8, 10,
     "uplink 'spine' is not a switch", "name = \"spine\""},
    {"UplinkMistyped", one_switch + "[[switch]]\nname = 's1'\nuplink = 's00'\n", 8, 10, "uplink 's00'",
     "did you mean 's0'?"},
    {"UplinkEmpty", one_switch + "[[switch]]\nname = 's1'\nuplink = ''\n", 8, 10, "uplink ''", "a [[switch]]"},
    {"UplinkWithALineBreak", one_switch + "[[switch]]\nname = 's1'\nuplink = \"a\\nb\"\n", 8, 10, "uplink 'a\nb'", ""},
    {"UplinkIsAMachine", one_switch + "[[switch]]\nname = 's1'\nuplink = 'n3'\n", 8, 10, "'n3' is a machine",
     "the switch that"},
    {"UplinkIsItself", network + "[[switch]]\nname = 's0'\nuplink = 's0'\nmachines = 'n'\n", 5, 10,
     "switch 's0' is its own uplink", "topmost"},
    {"CycleOfTwo",
     network + "[[switch]]\nname = 's3'\nuplink = 's4'\nmachines = 'n'\n[[switch]]\nname = 's4'\nuplink = 's3'\n", 5,
     10, "switch 's3' is its own uplink, through 's4'", "form a tree"},
    {"CycleBesideATree",
     one_switch + "[[switch]]\nname = 'd'\nuplink = 'c'\n[[switch]]\nname = 'a'\nuplink = 'b'\n[[switch]]\nname = 'b'\n"
                  "uplink = 'c'\n[[switch]]\nname = 'c'\nuplink = 'a'\n",
     11, 10, "switch 'a' is its own uplink, through 'b', 'c'", "form a tree"},
    {"SwitchTwice", one_switch + "[[switch]]\nname = 's0'\nuplink = 's0'\n", 7, 8, "a second switch 's0'",
     "its own name"},
    {"SwitchTwiceSaysWhere", one_switch + "[[switch]]\nname = 's0'\n", 7, 8, "line 4, column 8", ""},
    {"MachineTwice", one_switch + "[[switch]]\nname = 's1'\nuplink = 's0'\nmachines = 'm,n2'\n", 9, 15,
     "machine 'n2' is listed twice (first in line 5, column 13)", "NAME:RANKS"},
    {"MachineTwiceInOneList", network + "[[switch]]\nname = 's0'\nmachines = 'a,n[0-3],n3'\n", 5, 22,
     "machine 'n3' is listed twice (first in line 5, column 15)", ""},
    {"MachineTwiceInOneBracket", network + "[[switch]]\nname = 's0'\nmachines = 'n[0-3,2]'\n", 5, 13,
     "'n2' is listed twice", ""},
    {"MachineTwiceByTwoBrackets", network + "[[switch]]\nname = 's0'\nmachines = 'n[1,11][1,11]'\n", 5, 13,
     "'n111' is listed twice", ""},
    {"MachineNamedAsASwitch", one_switch + "[[switch]]\nname = 's1'\nuplink = 's0'\nmachines = 's0'\n", 9, 13,
     "'s0' is the name of a switch and of a machine (line 4, column 8)", "another name"},
    {"SwitchNamedAsAMachine", one_switch + "[[switch]]\nname = 'n1'\nuplink = 's0'\n", 7, 8,
     "'n1' is the name of a switch and of a machine (line 5, column 13)", "another name"},
    {"TwoWithoutUplink", one_switch + "[[switch]]\nname = 's1'\nmachines = 'm'\n", 7, 8,
     "switch 's1' is not connected to switch 's0' (line 4)", "every switch but one"},
    {"NoMachines", network + "[[switch]]\nname = 's0'\n[[switch]]\nname = 's1'\nuplink = 's0'\nmachines = []\n", 3, 1,
     "no switch of this file has a machine", "machines = "},
    {"NoSpeedAtAll", "[[switch]]\nname = 's0'\nmachines = 'n'\n", 1, 1, "the machines of switch 's0' have no speed",
     "speed = \"1Gbit\" to [network]"},
    {"NoSpeedOfAnUplink",
     "[[switch]]\nname = 'a'\n[[switch]]\nname = 'b'\nuplink = 'a'\nmachine_speed = '1Gbit'\nmachines = 'n'\n", 3, 1,
     "the uplink of switch 'b' has no speed", "speed = \"1Gbit\" here"},
};
/// A fabric; what follows it starts in line 7.
const std::string fabric =
    "[network]\nkind = 'fabric'\nspeed = '1Gbit'\n[[switch]]\nname = 's0'\nmachines = 'n[0-3]'\n";

const Mistake fabric_mistakes[] = {
    {"UnknownPaths", "[network]\nkind = 'fabric'\npaths = 'hash'\n", 3, 9, "unknown paths 'hash'", "sprayed"},
    {"UnknownUplinkOfAFabric", fabric + "uplinks = ['s1', 'top']\n[[switch]]\nname = 's1'\n", 7, 19, "'top'",
     "[[switch]]"},
    {"MistypedUplinkOfAFabric", fabric + "uplinks = 'spine'\n[[switch]]\nname = 'spin'\n", 7, 12, "'spine'", "'spin'?"},
    {"UplinkOfAFabricIsAMachine", fabric + "uplinks = 'n1'\n", 7, 12, "'n1' is a machine", "name the switch"},
    {"OwnUplinkOfAFabric", fabric + "uplinks = 's0'\n", 7, 12, "its own uplink", "name the switches"},
    {"CablesListedAtBothEnds", fabric + "uplinks = 's1'\n[[switch]]\nname = 's1'\nuplinks = 's0'\n", 10, 12,
     "listed twice (first in line 7, column 12)", "list them once"},
    {"CablesListedTwice", fabric + "uplinks = ['s1', 's1']\n[[switch]]\nname = 's1'\n", 7, 19, "listed twice",
     "spine1:2"},
    {"UplinkInsteadOfUplinks", fabric + "uplink = 's1'\n[[switch]]\nname = 's1'\n", 7, 1, "unknown key 'uplink'",
     "'uplinks'?"},
    {"UplinkSpeedWithoutUplinks", fabric + "uplink_speed = '1Gbit'\n", 7, 16, "this switch has none", "add uplinks"},
    {"PartsOfAFabric", fabric + "[[switch]]\nname = 's1'\nmachines = 'm'\n", 4, 1, "no cables lead from switch 's1'",
     "uplinks"},
    {"RoutesOfHashedPaths", fabric + "uplinks = 's1'\nroutes = { s1 = 'n0' }\n[[switch]]\nname = 's1'\n", 8, 10,
     "static paths only", "paths = \"static\""},
    {"SpeedlessUplinks",
     "[network]\nkind = 'fabric'\n[[switch]]\nname = 'a'\nuplinks = 'b'\n[[switch]]\nname = 'b'\nmachines = 'n'\n", 3,
     1, "uplinks of switch 'a' have no speed", "uplink_speed"},
    {"TooManyCables", fabric + "uplinks = 's1:2000'\n[[switch]]\nname = 's1'\n", 7, 12, "2000 cables", "at most 1024"},
    {"FabricWithoutMachines", "[network]\nkind = 'fabric'\nspeed = '1Gbit'\n[[switch]]\nname = 'a'\n", 4, 1,
     "has a machine", "list the machines"},
};

/// Two leaves and a spine with tables; `a` says its routes in line 9.
std::string with_routes(const std::string& routes) {
    return "[network]\nkind = 'fabric'\nspeed = '1Gbit'\npaths = 'static'\n[[switch]]\nname = 'a'\nuplinks = "
           "'s:2'\nmachines "
           "= 'n[0-1]'\nroutes = " +
           routes + "\n[[switch]]\nname = 'b'\nuplinks = 's'\nmachines = 'm'\n[[switch]]\nname = 's'\n";
}

const Mistake route_mistakes[] = {
    {"RouteToAStranger", with_routes("{ s = 'x' }"), 9, 17, "'x' is not a machine", "name machines"},
    {"RouteByAStranger", with_routes("{ b = 'm' }"), 9, 16, "no cable to 'b'", "name a switch"},
    {"RouteByACableTooMany", with_routes("{ 's:3' = 'm' }"), 9, 20, "only 2 cables", "which one"},
    {"TwoRoutesToAMachine", with_routes("{ s = 'm', 's:2' = 'm' }"), 9, 30, "a second route", "one route"},
    {"RoutesAsText", with_routes("'m'"), 9, 10, "routes is", "write routes"},
    {"RoutesInACircle",
     "[network]\nkind = 'fabric'\nspeed = '1Gbit'\npaths = 'static'\n[[switch]]\nname = 'a'\nuplinks = 's'\nmachines = "
     "'n'\n[[switch]]\nname = 'b'\nuplinks = 's'\nmachines = 'm'\n[[switch]]\nname = 's'\nroutes = { a = 'm' }\n",
     5, 1, "in a circle", "correct the routes"},
};

INSTANTIATE_TEST_SUITE_P(Fabric, TopologyMistake, testing::ValuesIn(fabric_mistakes), title);
INSTANTIATE_TEST_SUITE_P(Routes, TopologyMistake, testing::ValuesIn(route_mistakes), title);
INSTANTIATE_TEST_SUITE_P(Trees, TopologyMistake, testing::ValuesIn(tree_mistakes), title);

TEST(TopologyMistakes, TooManySwitches) {
    std::string text = network;
    for (std::int64_t index = 0; index <= aapc::max_machines; ++index) {
        text += fmt::format("[[switch]]\nname = 's{}'\n", index);
    }
    const auto result = read_topology(text, "f");
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().problem, "more than 65536 switches");
    EXPECT_EQ(result.error().line, 2 + 2 * 65'536 + 1);
}

TEST(TopologyMistakes, LongCyclesAreNotListedInFull) {
    std::string text = network;
    constexpr int switches = 50'000;
    for (int index = 0; index < switches; ++index) {
        text += fmt::format("[[switch]]\nname = 's{}'\nuplink = 's{}'\n", index, (index + 1) % switches);
    }
    const auto result = read_topology(text, "f");
    ASSERT_FALSE(result);
    EXPECT_EQ(
        to_string(result.error()),
        "f:5:10: switch 's0' is its own uplink, through 's1', 's2', 's3', 's4', 's5', 's6', 's7', 's8', ...; remove "
        "one of these uplinks, so that the switches form a tree");
}

TEST(TopologyMistakes, ManyLargeListsDoNotFillTheMemory) {
    std::string text = network + "[[switch]]\nname = 's0'\nmachines = [\n";
    for (int index = 0; index < 100'000; ++index) {
        text += fmt::format("'n{}x[0-65535]',\n", index);
    }
    const auto result = read_topology(text + "]\n", "f");
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().line, 7);
    EXPECT_EQ(result.error().problem, "131072 machines up to here");
}

/// The parser makes a table of each part of a key and takes them down recursively.
TEST(TopologyMistakes, DeepNestingIsNoStackOfCalls) {
    std::string dots;
    std::string brackets;
    for (int index = 0; index < 1'000'000; ++index) {
        dots += "a.";
        brackets += "[";
    }
    for (const std::string& text :
         {"[" + dots + "a]\n", dots + "a = 1\n", "x = {" + dots + "a = 1}\n", "'x' . \"y\" . " + dots + "a = 1\n",
          "x = '''\n'''\n" + dots + "a = 1\n", "x = \"\\\"\"\n" + dots + "a = 1\n",
          "x = '''a'''''\n" + dots + "a = 1\n", "x = \"\"\"\\\\\"\"\"\n" + dots + "a = 1\n",
          "x = '\\'\n" + dots + "a = 1\n", "x = " + brackets, "x = [" + brackets, "[" + brackets}) {
        const auto result = read_topology(text, "f");
        ASSERT_FALSE(result);
        EXPECT_GE(result.error().line, 1) << text.substr(0, 40);
    }
    std::string most_nested = "[a.a.a.a.a.a.a.a]\n";
    std::string closing;
    for (int depth = 0; depth < 120; ++depth) {
        most_nested += "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a = [\n{ ";
        closing += "}]";
    }
    ASSERT_FALSE(read_topology(most_nested + "a = 1" + closing, "f"));
}

TEST(TopologyMistakes, DotsInStringsAndCommentsAreNoKeys) {
    const std::string hosts = "a.b.c.d.e,f.g.h.i.j,k.l.m.n.o,p.q.r.s.t,u.v.w.x.y";
    EXPECT_TRUE(
        read_topology(network + "[[switch]]\nname = 's'\nmachines = '" + hosts + "' # ......................\n", "f"));
    EXPECT_TRUE(read_topology(network + "[[switch]]\nname = 's'\nmachines = \"\"\"\n" + hosts + "\"\"\"\n", "f"));
}

}  // namespace
