#include "aapc/offline/tabulate.hpp"

#include <algorithm>
#include <utility>

#include "aapc/check/schedule.hpp"

namespace aapc {

namespace {

void fill_in_blocks(const Timetable& timetable, ScheduleDraft& draft) {
    for (const std::vector<Transfer>& phase : draft.phases) {
        std::vector<std::vector<Block>>& blocks = draft.blocks.emplace_back();
        for (const Transfer& transfer : phase) {
            timetable.append_blocks(transfer, blocks.emplace_back());
        }
    }
}

void append_cycle(const Timetable& timetable, ScheduleDraft& draft) {
    draft.cycle = timetable.cycle();
    draft.ticks = timetable.phases();
    const auto ranks = static_cast<std::size_t>(timetable.participants());
    draft.transfers.reserve(ranks * ranks);  // no growing by doubling: with 4,096 ranks they have 270 MB
    for (Rank rank = 0; rank < timetable.participants(); ++rank) {
        const std::vector<Transfer> sends = timetable.sends_of(rank);
        draft.transfers.insert(draft.transfers.end(), sends.begin(), sends.end());
    }
    std::sort(draft.transfers.begin(), draft.transfers.end());
}

}  // namespace

ScheduleDraft tabulate(const Timetable& timetable, std::string algorithm, std::string variant,
                       std::optional<std::int64_t> bound) {
    ScheduleDraft draft{std::move(algorithm), std::move(variant), bound, {}, timetable.guarantee(), {}};
    if (timetable.cycle()) {
        append_cycle(timetable, draft);
        return draft;
    }
    draft.phases.resize(static_cast<std::size_t>(std::max<Phase>(timetable.phases(), 0)));
    for (Rank rank = 0; rank < timetable.participants(); ++rank) {
        for (const Transfer& transfer : timetable.sends_of(rank)) {
            if (draft.phases.empty()) {
                draft.phases.emplace_back();
            }
            // A wrong answer is kept for the checker to complain of: in the last phase it stands out by its number.
            const auto last = static_cast<Phase>(draft.phases.size()) - 1;
            const bool known = transfer.phase >= 0 && transfer.phase <= last;
            draft.phases[static_cast<std::size_t>(known ? transfer.phase : last)].push_back(transfer);
        }
    }
    if (timetable.forwards()) {
        fill_in_blocks(timetable, draft);
    }
    return draft;
}

Expected<Schedule, Violation> schedule_of_timetable(const Timetable& timetable, std::string algorithm,
                                                    std::string variant, std::optional<std::int64_t> bound,
                                                    const Network& network, const Placement& placement) {
    return check_schedule(tabulate(timetable, std::move(algorithm), std::move(variant), bound), network, placement);
}

}  // namespace aapc
