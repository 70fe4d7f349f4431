/// @file
/// The tree of switches that explains rounds that were measured.
#pragma once

#include <map>
#include <vector>

#include "offline/discovery/evidence.hpp"
#include "offline/discovery/switch_tree.hpp"

namespace aapc::discovery {

/// Groups of machines, ascending and without machine 0, that there is a word to say about beforehand.
struct Suspicions {
    std::vector<std::vector<Machine>> hints;  ///< to think of besides those that the rounds suggest
    /// Groups that a test has shown not to be behind a link that carries less than that (bytes per second).
    std::map<std::vector<Machine>, double> refuted;
};

/// The tree with as many groups as the rounds convince of, the most convincing first: where flows that leave a group of
/// machines never carry more together, however much is offered, there is a link. All rates are above 0. Roughly
/// O(groups · rounds · machines · (groups + machines)).
[[nodiscard]] SwitchTree fit_tree(const std::vector<Round>& rounds, Machine machines, const Suspicions& suspicions);

/// What each port carries where few machines send at a time, if that is more than `ports`: with all at once, what the
/// machines themselves have to do may keep streams below the speed of their ports. O(flows).
[[nodiscard]] std::vector<double> ports_by_few(const std::vector<Round>& rounds, std::vector<double> ports);

/// What the rounds say of one more group: its machines, ascending.
[[nodiscard]] Support support_of(const std::vector<Round>& rounds, const SwitchTree& tree,
                                 const std::vector<Machine>& machines);

/// Whether the group can be added: it has two machines at least, as have the others, and it is nested with each group
/// that is there or apart from it, and equal to none.
[[nodiscard]] bool fits_into(const SwitchTree& tree, const std::vector<Machine>& machines);

/// Adds a group at its place.
void add_group(SwitchTree& tree, Group group);

/// The same groups, whatever they carry.
[[nodiscard]] bool same_groups(const SwitchTree& one, const SwitchTree& other);

/// What is plugged into each switch: its machines one by one, and the groups below it as a whole. The topmost switch
/// (that of machine 0) first, then one for each group.
[[nodiscard]] std::vector<std::vector<Item>> items_by_switch(const SwitchTree& tree);

}  // namespace aapc::discovery
