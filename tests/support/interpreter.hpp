/// @file
/// Carries out the plans of all ranks, phase by phase, without an MPI.
#pragma once

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "aapc/plan/plan.hpp"

namespace aapc::test {

/// One rank's buffers. Each block's content is whose it is; {-1, -1} where there is nothing.
struct Buffers {
    std::vector<Block> send;
    std::vector<Block> receive;
    std::vector<Block> transit;

    std::vector<Block>& of(BlockRun::Buffer buffer) {
        return buffer == BlockRun::Buffer::send ? send : buffer == BlockRun::Buffer::receive ? receive : transit;
    }
};

/// Goes through the phases as struct Forwarding says: in each, all ranks pack what they send and then put in place what
/// they receive. Returns what went wrong first, or "" if each rank ends with everybody's block for it in place.
class Interpreter {
  public:
    explicit Interpreter(const std::vector<Plan>& plans) : plans_(plans) {
        const auto participants = static_cast<Rank>(plans.size());
        for (const Plan& plan : plans) {
            Buffers& buffers = buffers_.emplace_back();
            for (Rank rank = 0; rank < participants; ++rank) {
                buffers.send.push_back({plan.rank, rank});
            }
            buffers.receive.resize(plans.size());
            buffers.transit.resize(plan.forwarding ? static_cast<std::size_t>(plan.forwarding->transit_blocks) : 0);
            sent_.push_back(0);
            received_.push_back(0);
        }
    }

    std::string run() {
        for (const Phase phase : busy_phases()) {
            if (!wrong_.empty()) {
                break;
            }
            for (std::size_t rank = 0; rank < plans_.size(); ++rank) {
                send(rank, phase);
            }
            for (std::size_t rank = 0; rank < plans_.size(); ++rank) {
                receive(rank, phase);
            }
            if (!on_the_way_.empty()) {
                complain(fmt::format("phase {}: a message that nobody receives", phase));
            }
        }
        check_result();
        return wrong_;
    }

  private:
    /// Phases in which anybody does anything: there may be far more in which nobody does.
    [[nodiscard]] std::set<Phase> busy_phases() const {
        std::set<Phase> phases;
        for (const Plan& plan : plans_) {
            for (const std::vector<Transfer>& transfers : {plan.sends, plan.receives}) {
                for (const Transfer& transfer : transfers) {
                    phases.insert(transfer.phase);
                }
            }
        }
        return phases;
    }

    void complain(std::string what) {
        if (wrong_.empty()) {
            wrong_ = std::move(what);
        }
    }

    static std::vector<BlockRun> runs(const Plan& plan, const std::vector<std::vector<BlockRun>> Forwarding::*of,
                                      std::size_t step, BlockRun direct) {
        if (!plan.forwarding) {
            return {direct};
        }
        return step < ((*plan.forwarding).*of).size() ? ((*plan.forwarding).*of)[step] : std::vector<BlockRun>();
    }

    /// Calls `visit` for every place of some runs.
    template <class Visit>
    void for_each_place(std::size_t rank, const std::vector<BlockRun>& runs, Visit visit) {
        for (const BlockRun& run : runs) {
            std::vector<Block>& buffer = buffers_[rank].of(run.buffer);
            for (std::int32_t place = run.first; place < run.first + run.blocks; ++place) {
                if (place < 0 || static_cast<std::size_t>(place) >= buffer.size()) {
                    complain(fmt::format("rank {} has no place {}", rank, place));
                    return;
                }
                visit(buffer[static_cast<std::size_t>(place)], run.buffer);
            }
        }
    }

    void send(std::size_t rank, Phase phase) {
        const Plan& plan = plans_[rank];
        for (std::size_t& step = sent_[rank]; step < plan.sends.size() && plan.sends[step].phase == phase; ++step) {
            std::vector<Block>& message = on_the_way_[plan.sends[step]];
            for_each_place(rank,
                           runs(plan, &Forwarding::of_send, step, {BlockRun::Buffer::send, plan.sends[step].to, 1}),
                           [&](Block& block, BlockRun::Buffer buffer) {
                               message.push_back(block);
                               if (buffer == BlockRun::Buffer::transit) {
                                   block = {};  // the place may be used again: what lies there is lost
                               }
                           });
        }
    }

    void receive(std::size_t rank, Phase phase) {
        const Plan& plan = plans_[rank];
        for (std::size_t& step = received_[rank]; step < plan.receives.size() && plan.receives[step].phase == phase;
             ++step) {
            const auto arrived = on_the_way_.find(plan.receives[step]);
            if (arrived == on_the_way_.end()) {
                complain(fmt::format("rank {}, phase {}: a message that nobody sends", rank, phase));
                return;
            }
            std::size_t next = 0;
            for_each_place(
                rank,
                runs(plan, &Forwarding::of_receive, step, {BlockRun::Buffer::receive, plan.receives[step].from, 1}),
                [&](Block& block, BlockRun::Buffer buffer) {
                    if (block != Block{} || buffer == BlockRun::Buffer::send || next >= arrived->second.size()) {
                        complain(
                            fmt::format("rank {}, phase {}: a place that is taken, or no block for it", rank, phase));
                        return;
                    }
                    block = arrived->second[next++];
                });
            if (next != arrived->second.size()) {
                complain(fmt::format("rank {}, phase {}: a message longer than its places", rank, phase));
            }
            on_the_way_.erase(arrived);
        }
    }

    void check_result() {
        for (std::size_t rank = 0; rank < plans_.size(); ++rank) {
            for (std::size_t origin = 0; origin < plans_.size(); ++origin) {
                const Block expected =
                    origin == rank ? Block{} : Block{static_cast<Rank>(origin), static_cast<Rank>(rank)};
                if (buffers_[rank].receive[origin] != expected) {
                    complain(fmt::format("rank {} does not have the block from {}", rank, origin));
                }
            }
        }
    }

    const std::vector<Plan>& plans_;
    std::vector<Buffers> buffers_;
    std::vector<std::size_t> sent_;      ///< of each rank: the next step
    std::vector<std::size_t> received_;  ///< of each rank: the next step
    std::map<Transfer, std::vector<Block>> on_the_way_;
    std::string wrong_;
};

inline std::string carry_out(const std::vector<Plan>& plans) { return Interpreter(plans).run(); }

}  // namespace aapc::test
