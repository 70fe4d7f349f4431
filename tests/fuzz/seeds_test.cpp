// Replays the seeds of the fuzzers, and what is next to them: every beginning of each, and each with a byte changed.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "fuzz/readers.hpp"

namespace aapc::fuzz {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> seeds_of(std::string_view reader) {
    std::vector<std::string> seeds;
    for (const auto& entry : fs::directory_iterator(fs::path(AAPC_SOURCE_DIRECTORY "/tests/fuzz/seeds") / reader)) {
        std::ifstream stream(entry.path(), std::ios::binary);
        seeds.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
    }
    return seeds;
}

class Seeds : public testing::TestWithParam<Reader> {};

TEST_P(Seeds, AreReadOrRefused) {
    const std::vector<std::string> seeds = seeds_of(GetParam().name);
    ASSERT_FALSE(seeds.empty());
    std::mt19937 random(1);
    for (const std::string& seed : seeds) {
        GetParam().read(seed);
        for (int attempt = 0; attempt < 100 && !seed.empty(); ++attempt) {
            GetParam().read(std::string_view(seed).substr(0, random() % seed.size()));
            std::string changed = seed;
            changed[random() % changed.size()] = static_cast<char>(random());
            GetParam().read(changed);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Readers, Seeds, testing::ValuesIn(readers().begin(), readers().end()), [](const auto& reader) {
    std::string name(reader.param.name);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

}  // namespace
}  // namespace aapc::fuzz
