/// @file
/// What is measured next to find a network, and what has been found.
#pragma once

#include <map>
#include <random>
#include <set>
#include <vector>

#include "offline/discovery/fit.hpp"
#include "offline/discovery/latency.hpp"
#include "offline/discovery/switch_tree.hpp"
#include "offline/discovery/trials.hpp"

namespace aapc::discovery {

/// What the measurements come to.
struct Findings {
    SwitchTree tree;
    /// The median of |measured/expected - 1| over flows of random rounds that the tree was not made from, and the same
    /// of what all flows of a round carry.
    double flow_error = 0;
    double total_error = 0;
    int rounds = 0;
    /// Links that messages take time to cross and that were never full, so that their speed is a bound.
    int seen_by_latency_alone = 0;
    /// Groups that round trips hint at, not clearly, and that streams say nothing of; the likeliest first. None is in
    /// the tree.
    std::vector<LatencySplit> hinted;
};

/// Plans rounds of flows and takes what was measured of them, in steps: rounds of few flows, which show ports; rounds
/// among all machines, shifted and at random; then, as often as new groups turn up, rounds that test each, and once all
/// are confirmed, rounds within each part. What stays has been confirmed by tests of its own. Knows no clock and no
/// MPI. A dozen steps; the number of rounds grows with the logarithm of the number of machines and with the number of
/// switches.
class Explorer {
  public:
    /// `machines` of at least 2.
    Explorer(Machine machines, const RoundTrips& trips, std::uint64_t seed);

    /// What to measure next; nothing once all is done. To be followed by add().
    [[nodiscard]] std::vector<Round> next();
    /// The same rounds with what each flow carried. A flow that carried nothing is left out.
    void add(const std::vector<Round>& measured);
    /// Valid once next() has nothing.
    [[nodiscard]] const Findings& findings() const { return findings_; }

  private:
    enum class Step : std::uint8_t { ports, tests, parts, verification, done };

    [[nodiscard]] std::vector<Round> first_rounds();
    [[nodiscard]] std::vector<Round> rounds_in_parts();
    /// How many rounds at random within these parts: more for large ones that are new.
    [[nodiscard]] int rounds_at_random(const std::vector<std::vector<Machine>>& parts);
    /// Adds rounds that fill what round trips hint at, once for each such group.
    void add_hinted(std::vector<Round>& rounds);
    /// Of some ways to fill the links of these groups the one in which other links get least in the way.
    [[nodiscard]] std::vector<Round> best_filling(const std::vector<std::vector<Machine>>& groups);
    /// The tree that all rounds suggest, without what tests refute.
    void fit();
    /// Takes what tests refute from the tree, and remembers it. Whether there was anything.
    bool drop_refuted();
    /// The groups that the tests say this of.
    [[nodiscard]] std::vector<std::size_t> indices(Verdict wanted) const;
    /// The tree with those alone that are confirmed.
    [[nodiscard]] SwitchTree confirmed() const;
    void choose_step();
    void verify(const std::vector<Round>& measured);
    void add_what_latency_shows();

    Machine machines_;
    std::vector<LatencySplit> latency_;
    std::mt19937_64 random_;
    Step step_ = Step::ports;
    int parts_ = 0;  ///< steps so far that measured within parts
    int tests_ = 0;  ///< steps so far that tested
    int tests_in_a_row_ = 0;
    std::vector<Round> rounds_;
    Suspicions suspicions_;
    Trials trials_;
    std::vector<Verdict> verdicts_;                             ///< of each group of the tree, since it was fitted
    std::set<std::vector<Machine>> explored_;                   ///< large parts that have had rounds of their own
    std::set<std::vector<Machine>> followed_;                   ///< hints that have had rounds
    std::map<std::vector<std::vector<Machine>>, int> divided_;  ///< how often the parts of these groups were measured
    Findings findings_;
};

}  // namespace aapc::discovery
