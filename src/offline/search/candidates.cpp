#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/methods/preparation.hpp"
#include "aapc/offline/search.hpp"
#include "aapc/topology/bound.hpp"

namespace aapc {

namespace {

using Kind = Synchronisation::Kind;

/// One variant of an algorithm, applied to the network and placement.
struct Applied {
    const Algorithm* algorithm;
    std::string variant;
    std::unique_ptr<Timetable> timetable;
};

/// The variants worth trying: those of the list, and a few of the numbered ones. Beyond the number of participants a
/// number (a radix, say) changes nothing any more.
std::vector<std::string> variants_to_try(const Algorithm& algorithm, Rank participants) {
    std::vector<std::string> variants(algorithm.variants.begin(), algorithm.variants.end());
    if (!algorithm.numbered_variants.empty()) {
        std::vector<Rank> numbers = {2, 3, 4, 8, 16, participants};
        std::sort(numbers.begin(), numbers.end());
        numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
        for (const Rank number : numbers) {
            std::string variant = std::string(algorithm.numbered_variants) + std::to_string(number);
            const bool listed = std::find(variants.begin(), variants.end(), variant) != variants.end();
            if (!listed && number >= 2 && number <= std::max(participants, 2)) {
                variants.push_back(std::move(variant));
            }
        }
    }
    return variants;
}

/// Whether every rank would send the same messages in the same phases.
bool same_timetable(const Timetable& one, const Timetable& other) {
    if (one.phases() != other.phases() || one.guarantee() != other.guarantee() || one.forwards() != other.forwards()) {
        return false;
    }
    std::vector<Block> blocks_of_one;
    std::vector<Block> blocks_of_other;
    for (Rank rank = 0; rank < one.participants(); ++rank) {
        const std::vector<Transfer> sends = one.sends_of(rank);
        if (sends != other.sends_of(rank)) {
            return false;
        }
        blocks_of_one.clear();
        blocks_of_other.clear();
        for (const Transfer& transfer : sends) {
            one.append_blocks(transfer, blocks_of_one);
            other.append_blocks(transfer, blocks_of_other);
        }
        if (blocks_of_one != blocks_of_other) {
            return false;
        }
    }
    return true;
}

std::vector<Applied> apply(const Algorithm& algorithm, const Network& network, const Placement& placement) {
    std::vector<Applied> applied;
    for (const std::string& variant : variants_to_try(algorithm, placement.participants())) {
        auto timetable = build_timetable(algorithm, variant, network, placement);
        if (!timetable) {
            continue;
        }
        const bool known = std::any_of(applied.begin(), applied.end(), [&](const Applied& earlier) {
            return same_timetable(*earlier.timetable, **timetable);
        });
        if (!known) {
            applied.push_back({&algorithm, variant, std::move(*timetable)});
        }
    }
    return applied;
}

/// Kinds with blocks, at sizes of a block that split the phases.
void add_blocks(std::vector<Synchronisation>& out, Kind kind, std::initializer_list<Phase> sizes, Phase phases) {
    for (const Phase size : sizes) {
        if (size < phases) {
            out.push_back(Synchronisation::with_blocks(kind, size));
        }
    }
}

/// `timed` with other segments than it chooses by itself, up to the whole of the largest messages, and at fixed paces.
void add_timed(std::vector<Synchronisation>& out) {
    constexpr std::int64_t frame = 1448;  // a full frame's payload under TCP
    constexpr std::int64_t whole = 64 << 20;
    for (const std::int64_t segment : {3 * frame, 6 * frame, 12 * frame, 22 * frame, whole}) {
        out.push_back({Kind::timed, 0, segment, 0});
    }
    for (const double pace : {0.92, 0.95, 0.97, 0.99}) {
        out.push_back({Kind::timed, 0, 0, pace});
    }
}

std::vector<Synchronisation> for_contention_free_phases(Phase phases, bool parameters_of_timed) {
    std::vector<Synchronisation> list = {Synchronisation::timed,  Synchronisation::none,     Synchronisation::dummy,
                                         Synchronisation::sender, Synchronisation::receiver, Synchronisation::barrier};
    add_blocks(list, Kind::sender_partial, {2, 8, 16}, phases);
    add_blocks(list, Kind::receiver_partial, {2, 8, 16}, phases);
    add_blocks(list, Kind::barrier_partial_none, {4, 16}, phases);
    add_blocks(list, Kind::barrier_partial_sender, {4, 16}, phases);
    add_blocks(list, Kind::barrier_partial_receiver, {4, 16}, phases);
    if (parameters_of_timed) {
        add_timed(list);
    }
    return list;
}

/// Windows around the customary one: small ones for algorithms that go step by step, larger ones for those that send
/// much at once, and the algorithm's own alone where that is everything at once.
std::vector<Synchronisation> windows(const Synchronisation& customary, Phase phases) {
    if (customary.kind != Kind::window || customary.block_phases == all_phases || phases <= 1) {
        return {customary};
    }
    std::vector<Synchronisation> list;
    if (customary.block_phases == 1) {
        add_blocks(list, Kind::window, {1, 2, 4}, phases);
    } else {
        add_blocks(list, Kind::window, {4, 8, 16, 32}, phases);
        list.push_back(Synchronisation::with_blocks(Kind::window, all_phases));
    }
    return list;
}

/// Ranks on the machine that has most.
Phase most_ranks_of_a_machine(const Placement& placement) {
    std::unordered_map<Machine, Phase> ranks;
    Phase most = 0;
    for (const Machine machine : placement.machine_of) {
        most = std::max(most, ++ranks[machine]);
    }
    return most;
}

/// Whether ranks of a machine share its card as they come or by tickets, which only a measurement can tell.
void add_tickets(std::vector<Synchronisation>& list, const Synchronisation& customary, const Placement& placement) {
    const Phase most = most_ranks_of_a_machine(placement);
    if (most < 2) {
        return;
    }
    if (customary.kind == Kind::window && std::find(list.begin(), list.end(), customary) == list.end()) {
        list.push_back(customary);
    }
    add_blocks(list, Kind::ports, {1, 2}, most);
}

/// Whether messages go from one machine to another.
bool crosses_links(const Placement& placement) {
    return std::adjacent_find(placement.machine_of.begin(), placement.machine_of.end(), std::not_equal_to<>()) !=
           placement.machine_of.end();
}

std::vector<Synchronisation> synchronisations_to_try(const Applied& applied, const Placement& placement,
                                                     const Bound& bound, bool default_variant) {
    const Timetable& timetable = *applied.timetable;
    std::vector<Synchronisation> list;
    if (timetable.forwards()) {
        list = {applied.algorithm->synchronisation};
    } else if (timetable.cycle()) {
        // Segments follow from the buffers, the pace from the controller, and the default variant is the best one that
        // a set-up has time for.
        if (default_variant) {
            list = {Synchronisation::timed};
        }
    } else if (check_synchronisation_fits(timetable, Synchronisation::timed)) {
        list = for_contention_free_phases(timetable.phases(), default_variant);
    } else {
        list = windows(applied.algorithm->synchronisation, timetable.phases());
    }
    if (crosses_links(placement) && default_variant) {
        add_tickets(list, applied.algorithm->synchronisation, placement);
    }
    std::erase_if(list, [&](const Synchronisation& one) { return !check_can_be_run(timetable, bound, one); });
    return list;
}

}  // namespace

std::vector<Method> candidate_methods(const Network& network, const Placement& placement) {
    const Bound bound = network_bound(network, placement);
    std::vector<Method> customary = {Method{}};
    std::vector<Method> others;
    for (const Algorithm& algorithm : algorithms()) {
        const bool worth_trying = algorithm.worth_trying == nullptr || algorithm.worth_trying(placement);
        const bool has_what_to_do = crosses_links(placement) || algorithm.on_one_machine;
        if (!algorithm.is_for(network.kind()) || !worth_trying || !has_what_to_do) {
            continue;
        }
        const std::vector<Applied> applied = apply(algorithm, network, placement);
        for (const Applied& one : applied) {
            const bool default_variant = &one == &applied.front();
            const std::vector<Synchronisation> synchronisations =
                synchronisations_to_try(one, placement, bound, default_variant);
            for (const Synchronisation& synchronisation : synchronisations) {
                const bool first = default_variant && &synchronisation == &synchronisations.front();
                (first ? customary : others).push_back({one.algorithm, one.variant, synchronisation});
            }
        }
    }
    // What each algorithm is usually run with comes first: where the budget reaches for a few only, they differ most.
    customary.insert(customary.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
    return customary;
}

}  // namespace aapc
