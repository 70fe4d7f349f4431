#include "aapc/offline/method_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "aapc/methods/preparation.hpp"
#include "aapc/plan/pacing.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/routes.hpp"
#include "offline/models/link_costs.hpp"
#include "timetable/shares_memory.hpp"

namespace aapc {

namespace {

using Kind = Synchronisation::Kind;

/// A message with its route.
struct Load {
    Transfer transfer;
    std::int64_t blocks = 0;
    std::vector<std::size_t> links;  ///< directed
};

/// What one step costs: messages that are on their way at the same time.
struct StepCost {
    double start_up_seconds = 0;
    double seconds_per_byte = 0;
    double uncertain_per_byte = 0;
    bool contended = false;  ///< messages meet on a link
    // What pays delta: the rank that sends most messages over contended links, and the largest of them.
    std::int64_t paying_messages = 0;
    std::int64_t paying_blocks = 0;
    std::size_t paying_part = 0;
};

/// The links during one step.
class Step {
  public:
    Step(const LinkCosts& costs, std::size_t directed_links, Rank participants)
        : costs_(costs),
          blocks_(directed_links, 0),
          messages_(directed_links, 0),
          start_ups_(static_cast<std::size_t>(participants), 0.0),
          paying_(static_cast<std::size_t>(participants), 0) {}

    /// The messages of the step; it begins anew with each call.
    [[nodiscard]] StepCost cost_of(std::span<const Load> loads) {
        StepCost cost;
        for (const Load& load : loads) {
            for (const std::size_t link : load.links) {
                blocks_[link] += load.blocks;
                ++messages_[link];
            }
            double& start_up = start_ups_[static_cast<std::size_t>(load.transfer.from)];
            start_up += costs_.start_up_seconds(load.transfer.from, load.transfer.to);
            cost.start_up_seconds = std::max(cost.start_up_seconds, start_up);
        }
        for (const Load& load : loads) {
            add_links_of(load, cost);
        }
        for (const Load& load : loads) {
            for (const std::size_t link : load.links) {
                blocks_[link] = 0;
                messages_[link] = 0;
            }
            start_ups_[static_cast<std::size_t>(load.transfer.from)] = 0;
            paying_[static_cast<std::size_t>(load.transfer.from)] = 0;
        }
        return cost;
    }

  private:
    void add_links_of(const Load& load, StepCost& cost) {
        const double alone =
            static_cast<double>(load.blocks) * costs_.seconds_per_byte_alone(load.transfer.from, load.transfer.to);
        if (alone > cost.seconds_per_byte) {
            cost.seconds_per_byte = alone;
            cost.uncertain_per_byte = 0;
        }
        bool pays = false;
        for (const std::size_t directed : load.links) {
            const Part* part = costs_.part_of_link(directed / 2);
            const bool contended = messages_[directed] > 1 && part != nullptr;
            const double exact = static_cast<double>(blocks_[directed]) * costs_.seconds_per_byte(directed / 2);
            const double seconds = contended ? exact * part->contention_factor : exact;
            if (seconds > cost.seconds_per_byte) {
                cost.seconds_per_byte = seconds;
                const double deviation = contended ? std::sqrt(part->fit.variance_gamma) / part->fit.gamma.value : 0.0;
                cost.uncertain_per_byte = seconds * deviation;
            }
            pays = pays || contended;
        }
        if (pays) {
            cost.contended = true;
            const std::int64_t messages = ++paying_[static_cast<std::size_t>(load.transfer.from)];
            cost.paying_blocks = std::max(cost.paying_blocks, load.blocks);
            if (messages > cost.paying_messages) {
                cost.paying_messages = messages;
                cost.paying_part = costs_.part_of_rank(load.transfer.from);
            }
        }
    }

    const LinkCosts& costs_;
    std::vector<std::int64_t> blocks_;
    std::vector<std::int64_t> messages_;
    std::vector<double> start_ups_;
    std::vector<std::int64_t> paying_;
};

/// Whether a message that is late cannot meet those of the next phase.
bool keeps_phases_apart(Kind kind) {
    switch (kind) {
        case Kind::timed:
        case Kind::sender:
        case Kind::receiver:
        case Kind::barrier:
        case Kind::barrier_partial_sender:
        case Kind::barrier_partial_receiver:
            return true;
        default:
            return false;
    }
}

/// Rounds after which every rank has heard from every other.
double rounds_of_a_barrier(Rank participants) { return std::ceil(std::log2(std::max(participants, 1))); }

/// Start-ups of the messages that keep phases apart.
double start_ups_between(const Synchronisation& synchronisation, Phase phases, Rank participants) {
    double start_ups = 0;
    const Phase between_barriers = phases_between_barriers(synchronisation);
    for (Phase phase = 1; phase < phases; ++phase) {
        if (between_barriers > 0 && phase % between_barriers == 0) {
            start_ups += rounds_of_a_barrier(participants);
        } else if (uses_edges(synchronisation) && has_token_between(synchronisation, phase - 1, phase)) {
            start_ups += 1;
        }
    }
    return start_ups;
}

/// What it costs that ranks of a machine put blocks into memory that they share and take them out: assumed, since
/// `aapc fit` measures wires. Seconds until a rank sees what another one has put, seconds a block and a byte that is
/// copied while all ranks of a machine copy.
constexpr double handover_seconds = 5e-6;
constexpr double copy_seconds_per_block = 50e-9;
constexpr double copy_seconds_per_byte = 1e-9;

/// Whether messages inside machines are copies.
bool copies_between_ranks(const Timetable& timetable, const Method& method, const Placement& placement) {
    const std::set<Machine> machines(placement.machine_of.begin(), placement.machine_of.end());
    return dynamic_cast<const SharesMemory*>(&timetable) != nullptr && method.synchronisation.kind == Kind::window &&
           machines.size() < placement.machine_of.size();
}

Phase phases_in_a_step(const Synchronisation& synchronisation) {
    return synchronisation.kind == Kind::window ? synchronisation.block_phases : 1;
}

}  // namespace

/// Fills in a model.
class MethodModel::Builder {
  public:
    Builder(const Network& network, const Placement& placement, const Method& method, const NetworkModel& known)
        : network_(network), placement_(placement), method_(method), costs_(network, placement, known) {
        model_.participants_ = placement.participants();
        for (const Part& part : costs_.parts()) {
            model_.fits_.push_back(part.fit);
        }
        if (costs_.parts().size() > 1) {
            model_.grid_ = grid_model_of(known, network, placement);
        }
    }

    Expected<MethodModel> build() {
        if (method_.native() || (!model_.grid_ && to_string(method_) == model_.fits_.front().method)) {
            return by_signature();
        }
        const Bound bound = network_bound(network_, placement_);
        const auto prepared = prepare(network_, placement_, bound, method_);
        if (!prepared) {
            return failure(prepared.error());
        }
        const Timetable& timetable = *prepared->timetable;
        model_.copies_inside_machines_ = copies_between_ranks(timetable, method_, placement_);
        const std::optional<Cycle> cycle = timetable.cycle();
        if (cycle && method_.synchronisation.kind != Kind::timed) {
            return failure("what a cycle takes whose times nobody keeps is not modelled",
                           "choose the synchronisation timed");
        }
        if (cycle) {
            model_.seconds_per_byte_ = cycle->seconds_per_byte * costs_.slowness();
        } else if (auto added = add_phases(timetable); !added) {
            return failure(std::move(added.error()));
        }
        if (method_.synchronisation.kind == Kind::timed) {
            return timed(*prepared);
        }
        const double longest = costs_.longest_start_up_seconds();
        model_.start_up_seconds_ +=
            longest * start_ups_between(method_.synchronisation, timetable.phases(), placement_.participants());
        if (model_.copies_inside_machines_) {
            add_copies();
        }
        model_.kept_apart_ = keeps_phases_apart(method_.synchronisation.kind);
        model_.basis_ = fmt::format("{} phase{}, {}", timetable.phases(), timetable.phases() == 1 ? "" : "s",
                                    basis_of_synchronisation());
        return std::move(model_);
    }

  private:
    Expected<MethodModel> by_signature() {
        model_.by_signature_ = true;
        const std::string& measured = model_.fits_.front().method;
        const std::string whose =
            measured.empty() || measured == to_string(method_) ? "" : fmt::format(" of {}", measured);
        model_.basis_ = model_.grid_ ? fmt::format("signatures{} of the clusters, equation 6, links shared", whose)
                                     : fmt::format("signature{}, equations 4 and 5", whose);
        return std::move(model_);
    }

    Expected<MethodModel> timed(const Prepared& prepared) {
        const Synchronisation& synchronisation = method_.synchronisation;
        const Timetable& timetable = *prepared.timetable;
        const double pace = synchronisation.pace > 0 ? synchronisation.pace : prepared.cadence.initial_pace();
        model_.slots_ = Slots{timetable.phases(), prepared.cadence, synchronisation.segment_bytes, pace};
        // Slots are time-triggered: no start-up in each, but a common start, there and back.
        model_.start_up_seconds_ =
            costs_.longest_start_up_seconds() * (1 + 2 * rounds_of_a_barrier(placement_.participants()));
        model_.basis_ = prepared.cadence.cyclic
                            ? fmt::format("a cycle of {:.2f} times the bound by the clock, pace {:.4g}",
                                          prepared.cadence.cycle_over_bound, pace)
                            : fmt::format("{} phases by the clock, pace {}", timetable.phases(), pace);
        return std::move(model_);
    }

    [[nodiscard]] std::string basis_of_synchronisation() const {
        const Synchronisation& synchronisation = method_.synchronisation;
        std::string text = token_giver(synchronisation) != TokenGiver::nobody ? "tokens" : "";
        if (phases_between_barriers(synchronisation) > 0) {
            text += text.empty() ? "barriers" : " and barriers";
        }
        if (text.empty() && synchronisation.kind == Kind::window) {
            text = synchronisation.block_phases == all_phases ? "all at once"
                                                              : fmt::format("{} at once", synchronisation.block_phases);
        }
        text = text.empty() ? "one after the other" : text;
        if (model_.copies_inside_machines_) {
            text += ", copies inside machines";
        }
        return contended_ ? text + ", messages meet on links" : text;
    }

    /// Every block is copied in and out once: two copies, and a rank waits two times for another's blocks.
    void add_copies() {
        const double copies = 2.0 * (placement_.participants() - 1);
        model_.start_up_seconds_ += 2 * handover_seconds + copies * copy_seconds_per_block;
        model_.seconds_per_byte_ += copies * copy_seconds_per_byte;
    }

    Expected<void> add_phases(const Timetable& timetable) {
        const auto routes = Routes::find(network_);
        if (!routes) {
            return failure(routes.error());
        }
        const std::vector<Load> loads = loads_of(timetable, *routes);
        Step step(costs_, 2 * network_.links().size(), placement_.participants());
        const Phase together = phases_in_a_step(method_.synchronisation);
        std::map<std::pair<std::int64_t, std::size_t>, double> paying;
        for (std::size_t begin = 0; begin < loads.size();) {
            std::size_t end = begin;
            while (end < loads.size() &&
                   loads[end].transfer.phase / together == loads[begin].transfer.phase / together) {
                ++end;
            }
            const StepCost cost = step.cost_of({loads.data() + begin, end - begin});
            model_.start_up_seconds_ += cost.start_up_seconds;
            model_.seconds_per_byte_ += cost.seconds_per_byte;
            model_.uncertain_per_byte_ += cost.uncertain_per_byte;
            contended_ = contended_ || cost.contended;
            paying[{cost.paying_blocks, cost.paying_part}] += static_cast<double>(cost.paying_messages);
            begin = end;
        }
        for (const auto& [what, messages] : paying) {
            if (messages > 0) {
                model_.paying_.push_back({what.first, messages, what.second});
            }
        }
        return {};
    }

    /// All messages in order of phase.
    [[nodiscard]] std::vector<Load> loads_of(const Timetable& timetable, const Routes& routes) const {
        std::vector<Load> loads;
        std::vector<DirectedLink> route;
        std::vector<Block> blocks;
        const auto machine_of = [&](Rank rank) { return placement_.machine_of[static_cast<std::size_t>(rank)]; };
        for (Rank rank = 0; rank < timetable.participants(); ++rank) {
            for (const Transfer& transfer : timetable.sends_of(rank)) {
                if (model_.copies_inside_machines_ && machine_of(transfer.from) == machine_of(transfer.to)) {
                    continue;
                }
                Load& load = loads.emplace_back();
                load.transfer = transfer;
                blocks.clear();
                timetable.append_blocks(transfer, blocks);
                load.blocks = static_cast<std::int64_t>(blocks.size());
                route.clear();
                routes.append(machine_of(transfer.from), machine_of(transfer.to), route);
                load.links.assign(route.begin(), route.end());
            }
        }
        std::sort(loads.begin(), loads.end(),
                  [](const Load& left, const Load& right) { return left.transfer < right.transfer; });
        return loads;
    }

    const Network& network_;
    const Placement& placement_;
    const Method& method_;
    LinkCosts costs_;
    bool contended_ = false;
    MethodModel model_;
};

Expected<MethodModel> MethodModel::create(const Network& network, const Placement& placement, const Method& method,
                                          const NetworkModel& model) {
    if (placement.participants() < 2) {
        return failure("fewer than two ranks exchange nothing", "give at least two");
    }
    if (auto complete = check_model_is_for(model, network, placement); !complete) {
        return failure(std::move(complete.error()));
    }
    return Builder(network, placement, method, model).build();
}

Estimate MethodModel::signature_seconds(std::int64_t message_bytes) const {
    return grid_ ? predict_direct_seconds(*grid_, message_bytes)
                 : predict_seconds(fits_.front(), participants_, message_bytes);
}

double MethodModel::phases_seconds(std::int64_t message_bytes) const {
    const auto bytes = static_cast<double>(message_bytes);
    double on_the_links = seconds_per_byte_ * bytes;
    if (slots_) {
        const Segmentation segmentation = segment_message(message_bytes, slots_->cadence, slots_->segment_bytes);
        // Where the network is slower than declared, slots do not make it faster.
        on_the_links = std::max(on_the_links, segmentation.end_seconds(slots_->phases) / slots_->pace);
    }
    double seconds = start_up_seconds_ + on_the_links;
    for (const Paying& paying : paying_) {
        const ContentionFit& fit = fits_[paying.fit];
        if (fit.threshold && paying.blocks * message_bytes >= fit.threshold->up_to) {
            seconds += paying.messages * fit.delta.value;
        }
    }
    return seconds;
}

Estimate MethodModel::seconds(std::int64_t message_bytes) const {
    if (by_signature_) {
        return signature_seconds(message_bytes);
    }
    const double seconds = phases_seconds(message_bytes);
    const double uncertain = uncertain_per_byte_ * static_cast<double>(message_bytes) / seconds;
    double reach = 0;
    for (const ContentionFit& fit : fits_) {
        reach = std::max(reach, fit.quantile * std::hypot(uncertain, fit.relative_deviation));
    }
    Estimate estimate{seconds, {seconds * std::exp(-reach), seconds * std::exp(reach), usual_confidence}};
    if (!kept_apart_) {
        estimate.interval.high = std::max(estimate.interval.high, signature_seconds(message_bytes).interval.high);
    }
    return estimate;
}

std::string MethodModel::extrapolation_remark(std::int64_t message_bytes) const {
    for (std::size_t index = 0; index < fits_.size(); ++index) {
        const Rank ranks = grid_ ? grid_->clusters[index].ranks : participants_;
        if (std::string remark = aapc::extrapolation_remark(fits_[index], ranks, message_bytes); !remark.empty()) {
            return remark;
        }
    }
    return {};
}

}  // namespace aapc
