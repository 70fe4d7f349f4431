// docs/topology-files.md is true: its files can be read, its mistakes are answered as it says, its tables hold.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "aapc/input/hostlist.hpp"
#include "aapc/input/units.hpp"
#include "aapc/topology/topology_file.hpp"
#include "topology/files.hpp"

namespace {

using aapc::read_topology;

struct Block {
    std::string language;
    std::string text;
};

const std::string& page() {
    static const std::string text = aapc::test::contents(AAPC_SOURCE_DIRECTORY "/docs/topology-files.md");
    return text;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

std::vector<Block> fenced_blocks() {
    std::vector<Block> blocks;
    bool is_inside = false;
    for (const std::string& line : lines_of(page())) {
        if (line.starts_with("```")) {
            is_inside = !is_inside;
            if (is_inside) {
                blocks.push_back({line.substr(3), ""});
            }
        } else if (is_inside) {
            blocks.back().text += line + "\n";
        }
    }
    return blocks;
}

/// The cells of a table row, without their quoting; empty for any other line.
std::vector<std::string> cells(const std::string& line) {
    std::vector<std::string> result;
    if (!line.starts_with("| ")) {
        return result;
    }
    std::size_t start = 2;
    for (std::size_t end = line.find(" |", start); end != std::string::npos; end = line.find(" |", start)) {
        std::string cell = line.substr(start, end - start);
        std::erase(cell, '`');
        result.push_back(cell.substr(0, cell.find_last_not_of(' ') + 1));
        start = std::min(end + 3, line.size());
    }
    return result;
}

/// The rows of the table whose columns have these titles.
std::vector<std::vector<std::string>> table(const std::vector<std::string>& titles) {
    std::vector<std::vector<std::string>> rows;
    bool is_inside = false;
    for (const std::string& line : lines_of(page())) {
        const std::vector<std::string> row = cells(line);
        if (!row.empty() && row == titles) {
            is_inside = true;
        } else if (row.empty() && !line.starts_with("|-")) {
            is_inside = false;
        } else if (is_inside && !row.empty()) {
            rows.push_back(row);
        }
    }
    return rows;
}

TEST(TopologyFilesPage, FilesAreValidAndMistakesAreAnsweredAsWritten) {
    const std::vector<Block> blocks = fenced_blocks();
    int valid = 0;
    int wrong = 0;
    for (std::size_t index = 0; index < blocks.size(); ++index) {
        if (blocks[index].language != "toml") {
            continue;
        }
        const auto network = read_topology(blocks[index].text, "cluster.toml");
        if (index + 1 < blocks.size() && blocks[index + 1].language == "text") {
            ++wrong;
            ASSERT_FALSE(network) << blocks[index].text;
            EXPECT_EQ(to_string(network.error()) + "\n", blocks[index + 1].text);
        } else {
            ++valid;
            EXPECT_TRUE(network) << to_string(network.error()) << "\n" << blocks[index].text;
        }
    }
    EXPECT_GE(valid, 1);
    EXPECT_GE(wrong, 7);
}

TEST(TopologyFilesPage, Hostlists) {
    const auto rows = table({"hostlist", "machines"});
    EXPECT_GE(rows.size(), 5U);
    for (const auto& row : rows) {
        const auto entries = aapc::expand_hostlist(row.at(0));
        ASSERT_TRUE(entries) << row.at(0);
        std::string names;
        for (const auto& entry : *entries) {
            names +=
                (names.empty() ? "" : " ") + entry.name + (entry.ranks == 1 ? "" : ":" + std::to_string(entry.ranks));
        }
        EXPECT_EQ(names, row.at(1));
    }
}

TEST(TopologyFilesPage, Speeds) {
    const auto rows = table({"speed", "bits per second"});
    EXPECT_GE(rows.size(), 4U);
    for (const auto& row : rows) {
        const auto speed = aapc::parse_speed(row.at(0));
        ASSERT_TRUE(speed) << row.at(0);
        EXPECT_EQ(*speed, std::stod(row.at(1))) << row.at(0);
    }
}

}  // namespace
