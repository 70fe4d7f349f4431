// Damaged files: whatever happens to a valid file, the reader answers with a network or with a diagnostic.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/topology/bound.hpp"
#include "aapc/topology/fabric.hpp"
#include "aapc/topology/placement.hpp"
#include "aapc/topology/topology_file.hpp"
#include "aapc/topology/torus.hpp"
#include "topology/files.hpp"

namespace {

using aapc::Expected;
using aapc::Network;
using aapc::read_topology;

/// A network must be a tree, a torus or a fabric with machines and speeds; a diagnostic must point into the text.
void expect_an_answer(std::string_view text) {
    const Expected<Network> network = read_topology(text, "f");
    if (network) {
        EXPECT_FALSE(network->machines().empty());
        if (network->kind() == aapc::NetworkKind::torus) {
            EXPECT_TRUE(aapc::TorusWiring::find(*network));
        } else if (network->kind() == aapc::NetworkKind::fabric) {
            EXPECT_TRUE(aapc::FabricRoutes::find(*network));
        } else {
            EXPECT_EQ(network->links().size() + 1, network->vertices().size());
        }
        EXPECT_GE(network_bound(*network, full_placement(*network)).messages, 0);
        for (const aapc::Link& link : network->links()) {
            EXPECT_GT(link.bits_per_second, 0);
        }
        return;
    }
    EXPECT_FALSE(network.error().problem.empty());
    EXPECT_FALSE(network.error().advice.empty());
    EXPECT_EQ(network.error().file, "f");
    ASSERT_GE(network.error().line, 1);
    ASSERT_GE(network.error().column, 1);
    std::size_t start = 0;
    for (int line = 1; line < network.error().line; ++line) {
        start = text.find('\n', start);
        ASSERT_NE(start, std::string_view::npos) << "line " << network.error().line << " does not exist";
        ++start;
    }
    const std::size_t length = std::min(text.find('\n', start), text.size()) - start;
    EXPECT_LE(static_cast<std::size_t>(network.error().column), length + 1) << to_string(network.error());
}

std::vector<std::string> valid_files() {
    std::vector<std::string> files{aapc::test::everything};
    for (const auto& path : aapc::test::example_files()) {
        files.push_back(aapc::test::contents(path));
    }
    return files;
}

TEST(DamagedFile, CutAnywhere) {
    for (const std::string& text : valid_files()) {
        for (std::size_t length = 0; length <= text.size(); ++length) {
            expect_an_answer(std::string_view(text).substr(0, length));
            ASSERT_FALSE(HasFailure()) << "the first " << length << " bytes of:\n" << text;
        }
    }
}

TEST(DamagedFile, BytesChangedAtRandom) {
    const std::vector<std::string> files = valid_files();
    for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
        std::mt19937_64 random(seed);
        std::string text = files[random() % files.size()];
        for (std::uint64_t change = 1 + random() % 4; change > 0; --change) {
            const std::size_t at = random() % text.size();
            switch (random() % 5) {
                case 0:
                    text[at] = static_cast<char>(random());
                    break;
                case 1:
                    text[at] = static_cast<char>(text[at] ^ (1U << random() % 8));
                    break;
                case 2:
                    text.erase(at, 1 + random() % 8);
                    break;
                case 3:
                    text.insert(at, 1, "[]{}\"'.,:=-#\n\\0s"[random() % 16]);
                    break;
                default:
                    text.insert(at, text.substr(random() % text.size(), random() % 40));
                    break;
            }
            if (text.empty()) {
                break;
            }
        }
        expect_an_answer(text);
        ASSERT_FALSE(HasFailure()) << "seed " << seed << ":\n" << text;
    }
}

TEST(DamagedFile, LinesLostSwappedOrRepeated) {
    const std::vector<std::string> files = valid_files();
    for (std::uint64_t seed = 1; seed <= 5'000; ++seed) {
        std::mt19937_64 random(seed);
        const std::string& original = files[random() % files.size()];
        std::vector<std::string> lines;
        for (std::size_t start = 0; start < original.size();) {
            const std::size_t end = original.find('\n', start) + 1;
            lines.push_back(original.substr(start, end - start));
            start = end;
        }
        for (std::uint64_t change = 1 + random() % 3; change > 0; --change) {
            const std::size_t at = random() % lines.size();
            switch (random() % 3) {
                case 0:
                    lines[at].clear();
                    break;
                case 1:
                    std::swap(lines[at], lines[random() % lines.size()]);
                    break;
                default:
                    lines[at] += lines[random() % lines.size()];
                    break;
            }
        }
        std::string text;
        for (const std::string& line : lines) {
            text += line;
        }
        expect_an_answer(text);
        ASSERT_FALSE(HasFailure()) << "seed " << seed << ":\n" << text;
    }
}

}  // namespace
