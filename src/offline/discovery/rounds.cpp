#include "offline/discovery/rounds.hpp"

#include <algorithm>

namespace aapc::discovery {

namespace {

/// std::shuffle() is not the same everywhere.
void shuffle(std::vector<Machine>& machines, Random& random) {
    for (std::size_t left = machines.size(); left > 1; --left) {
        std::swap(machines[left - 1], machines[random() % left]);
    }
}

void add_shifted(const std::vector<Machine>& part, std::size_t distance, Round& round) {
    if (part.size() < 2 || distance % part.size() == 0) {
        return;
    }
    for (std::size_t index = 0; index < part.size(); ++index) {
        round.push_back({part[index], part[(index + distance) % part.size()]});
    }
}

/// One round of flows between groups and others; groups that were served go from `groups`.
Round fill_some(std::vector<std::vector<Machine>>& groups, Machine machines, Random& random) {
    std::vector<char> used(static_cast<std::size_t>(machines), 0);
    Round round;
    std::vector<std::vector<Machine>> left;
    for (std::vector<Machine>& group : groups) {
        std::vector<Machine> outside;
        for (Machine machine = 0; machine < machines; ++machine) {
            if (used[static_cast<std::size_t>(machine)] == 0 &&
                !std::binary_search(group.begin(), group.end(), machine)) {
                outside.push_back(machine);
            }
        }
        std::vector<Machine> inside = group;
        std::erase_if(inside, [&](Machine machine) { return used[static_cast<std::size_t>(machine)] != 0; });
        const std::size_t wanted = std::min(group.size(), static_cast<std::size_t>(machines) - group.size());
        if (std::min(inside.size(), outside.size()) < wanted) {
            left.push_back(std::move(group));
            continue;
        }
        shuffle(inside, random);
        shuffle(outside, random);
        for (std::size_t index = 0; index < wanted; ++index) {
            round.push_back({inside[index], outside[index]});
            round.push_back({outside[index], inside[index]});
            used[static_cast<std::size_t>(inside[index])] = used[static_cast<std::size_t>(outside[index])] = 1;
        }
    }
    groups = std::move(left);
    return round;
}

}  // namespace

Round shifted(const std::vector<std::vector<Machine>>& parts, std::size_t distance) {
    Round round;
    for (const std::vector<Machine>& part : parts) {
        add_shifted(part, distance, round);
    }
    return round;
}

Round shifted_by_half(const std::vector<std::vector<Machine>>& parts) {
    Round round;
    for (const std::vector<Machine>& part : parts) {
        add_shifted(part, part.size() / 2, round);
    }
    return round;
}

Round at_random(const std::vector<std::vector<Machine>>& parts, Random& random) {
    Round round;
    for (std::vector<Machine> part : parts) {
        shuffle(part, random);
        add_shifted(part, 1, round);
    }
    return round;
}

Round sparse(Machine machines, Machine first, Machine stride) {
    Round round;
    for (Machine from = first; from < machines; from += stride) {
        round.push_back({from, (from + 1) % machines});
    }
    return round;
}

std::vector<Round> filling(std::vector<std::vector<Machine>> groups, Machine machines, Random& random) {
    for (std::size_t left = groups.size(); left > 1; --left) {
        std::swap(groups[left - 1], groups[random() % left]);
    }
    std::vector<Round> rounds;
    while (!groups.empty()) {
        rounds.push_back(fill_some(groups, machines, random));
    }
    return rounds;
}

}  // namespace aapc::discovery
