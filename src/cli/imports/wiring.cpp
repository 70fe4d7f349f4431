#include "cli/imports/wiring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "input/wording.hpp"

namespace aapc::imports {

void add_remark(std::vector<std::string>& remarks, const std::string& remark) {
    if (std::find(remarks.begin(), remarks.end(), remark) == remarks.end()) {
        remarks.push_back(remark);
    }
}

void join_unseen_parts(Wiring& wiring) {
    const std::set<std::string> machines(wiring.machines.begin(), wiring.machines.end());
    const std::set<std::string> taken(wiring.switches.begin(), wiring.switches.end());
    std::map<std::string, std::set<std::string>> next;
    std::set<std::string> with_machines;
    for (const Cable& cable : wiring.cables) {
        next[cable.one].insert(cable.other);
        next[cable.other].insert(cable.one);
        if (machines.contains(cable.other)) {
            with_machines.insert(cable.one);
        }
    }
    std::set<std::string> reached;
    std::vector<std::vector<std::string>> uplinks;  // of each part
    for (const std::string& start : with_machines) {
        if (!reached.insert(start).second) {
            continue;
        }
        std::vector<std::string> part = {start};
        for (std::size_t done = 0; done < part.size(); ++done) {
            for (const std::string& other : next[std::string(part[done])]) {
                if (reached.insert(other).second) {
                    part.push_back(other);
                }
            }
        }
        std::erase_if(part, [&](const std::string& name) { return !wiring.unseen.contains(name); });
        std::vector<std::string> upper = part;
        std::erase_if(upper, [&](const std::string& name) { return with_machines.contains(name); });
        uplinks.push_back(upper.empty() ? part : upper);
    }
    const bool is_unseen = std::none_of(uplinks.begin(), uplinks.end(), [](const auto& part) { return part.empty(); });
    if (uplinks.size() < 2 || !is_unseen) {
        return;
    }
    std::string core = "core";
    while (machines.contains(core) || taken.contains(core)) {
        core += "-above";
    }
    std::vector<std::string> below;
    for (const std::vector<std::string>& part : uplinks) {
        for (const std::string& name : part) {
            wiring.cables.push_back({core, name});
            below.push_back(name);
        }
    }
    wiring.switches.push_back(core);
    std::sort(below.begin(), below.end(), in_natural_order);
    add_remark(wiring.remarks,
               fmt::format("What connects {} is not known, since lldpctl was not run there: one uplink of each to a "
                           "switch '{}' stands for it. Say how fast they are, or run lldpctl there, too.",
                           listed(below), core));
}

Expected<void> leave_out(Wiring& wiring, const std::vector<std::string>& names) {
    std::set<std::string> unwanted;
    for (const std::string& name : names) {
        const auto has = [&](const std::vector<std::string>& all) {
            return std::find(all.begin(), all.end(), name) != all.end();
        };
        if (!has(wiring.switches) && !has(wiring.machines)) {
            return failure({.file = "--leave-out",
                            .problem = fmt::format("no switch or machine is called {}", in_quotes(name)),
                            .advice = "give names as the topology file has them"});
        }
        unwanted.insert(name);
    }
    const auto is_unwanted = [&](const std::string& name) { return unwanted.contains(name); };
    std::erase_if(wiring.switches, is_unwanted);
    std::erase_if(wiring.machines, is_unwanted);
    std::erase_if(wiring.cables,
                  [&](const Cable& cable) { return is_unwanted(cable.one) || is_unwanted(cable.other); });
    if (!names.empty()) {
        add_remark(wiring.remarks, fmt::format("Left out as --leave-out says: {}.", listed(names)));
        join_unseen_parts(wiring);
    }
    return {};
}

bool in_natural_order(std::string_view one, std::string_view other) {
    const auto is_digit = [](char character) { return std::isdigit(static_cast<unsigned char>(character)) != 0; };
    const auto take_digits = [&](std::string_view& text) {
        std::size_t length = 0;
        while (length < text.size() && is_digit(text[length])) {
            ++length;
        }
        std::string_view digits = text.substr(0, length);
        text.remove_prefix(length);
        digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
        return digits;
    };
    std::string_view left = one;
    std::string_view right = other;
    while (!left.empty() && !right.empty()) {
        if (is_digit(left.front()) && is_digit(right.front())) {
            const std::string_view left_number = take_digits(left);
            const std::string_view right_number = take_digits(right);
            if (left_number.size() != right_number.size()) {
                return left_number.size() < right_number.size();
            }
            if (left_number != right_number) {
                return left_number < right_number;
            }
        } else if (left.front() != right.front()) {
            return left.front() < right.front();
        } else {
            left.remove_prefix(1);
            right.remove_prefix(1);
        }
    }
    return left.empty() != right.empty() ? left.empty() : one < other;
}

std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t most_named = 6;
    const std::size_t named = names.size() <= most_named + 1 ? names.size() : most_named;
    std::string text;
    for (std::size_t index = 0; index < named; ++index) {
        const bool is_last = index + 1 == names.size() && index > 0;
        text += (index == 0 ? "" : is_last ? " and " : ", ") + names[index];
    }
    return named < names.size() ? fmt::format("{} and {} more", text, names.size() - named) : text;
}

}  // namespace aapc::imports
