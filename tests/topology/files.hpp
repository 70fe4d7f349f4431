/// @file
/// The topology files that the tests of the reader start from.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace aapc::test {

inline std::string contents(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// Every file of examples/, in order of name.
inline std::vector<std::filesystem::path> example_files() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(AAPC_SOURCE_DIRECTORY "/examples")) {
        if (entry.path().extension() == ".toml") {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

/// A valid file that uses every part of the format and of TOML that a file may use.
inline constexpr const char* everything = R"([network]
kind  = "tree"
speed = "100Mbit" # of every link that says nothing else

[[switch]]
name     = "s0"
machines = ["n0", "n[1-7]"]

[[switch]]
name          = 's1'
uplink        = "s0"
speed         = "1Gbit"
machine_speed = "2.5 Gbit/s"
machines      = "r[1-2]n[08-11]:2,x.cluster.example"

[[switch]]
name = """s2"""
uplink = "s\u0031"
machines = [
  'y-1_a',
  """\
  z[3,5-6]""",
]
)";

}  // namespace aapc::test
