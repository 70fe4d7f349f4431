/// @file
/// Tests of single links: few streams across one, nearly all else quiet.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "offline/discovery/rounds.hpp"
#include "offline/discovery/switch_tree.hpp"

namespace aapc::discovery {

/// What a link's own tests say of it.
enum class Verdict : std::uint8_t {
    open,       ///< it has to be tested, once more perhaps
    confirmed,  ///< none of its tests let more pass than it carries, although more was offered
    refuted,    ///< in a test, about as much passed as was offered
    untestable  ///< tested often, and more could hardly be offered than it is said to carry
};

/// Plans rounds that are to fill the links of groups, each with the fewest flows that do and in one direction only, and
/// remembers what they carried. What disturbs streams (machines that are busy, acknowledgements that wait behind other
/// streams, losses) only ever makes them slower, and does it less the fewer they are. So what passed in one such test
/// is what the link carries at least, and a link that no test was able to pass is there.
class Trials {
  public:
    /// Tests for the groups of `tree` with these indices. Few groups and those of few machines have rounds of their
    /// own, two each; of more, those that need different machines share rounds, and have four. O(groups · flows ·
    /// fair_rates()) and, where they share rounds, once more for each round.
    [[nodiscard]] std::vector<Round> plan(const SwitchTree& tree, const std::vector<std::size_t>& groups,
                                          Random& random);

    /// The rounds that were planned last, measured. All rates are above 0.
    void add(const std::vector<Round>& measured);

    /// For each group of `tree`, by all tests that these machines ever had. A link is confirmed by what more the rest
    /// of the tree would have let pass, and refuted only by what passed although nothing that is confirmed held it up:
    /// the rest of the tree may be wrong as well. O(groups · tests · fair_rates()).
    [[nodiscard]] std::vector<Verdict> judge(const SwitchTree& tree) const;

    /// The most that a test of this group let pass in one direction, in bytes per second.
    [[nodiscard]] double carried(const std::vector<Machine>& group) const;

  private:
    /// What the tests of one link come to.
    struct Outcome {
        int tests = 0;
        int informative = 0;                                      ///< those that offered more than it is said to carry
        double least = std::numeric_limits<double>::infinity();   ///< of what was offered, divided by what passed
        double second = std::numeric_limits<double>::infinity();  ///< the least but one
        [[nodiscard]] bool passed() const;
    };
    [[nodiscard]] Outcome outcome_of(const Group& group, const SwitchTree& others) const;

    std::map<std::vector<Machine>, std::vector<Round>> tests_;
    std::vector<std::vector<std::vector<Machine>>> planned_;  ///< for each round the groups that it tests
};

/// What the flows of a round that cross the link of a group come to in each direction, out and in: `rates` has a rate
/// for each flow.
struct CrossingSums {
    double out = 0;
    double in = 0;
};
[[nodiscard]] CrossingSums crossing_sums(const Round& round, const std::vector<double>& rates,
                                         const std::vector<Machine>& group);

}  // namespace aapc::discovery
