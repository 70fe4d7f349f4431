#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "aapc/check/queues.hpp"
#include "aapc/offline/plan_from_schedule.hpp"
#include "aapc/offline/schedule_text.hpp"
#include "aapc/offline/synchronise.hpp"
#include "aapc/plan/plan.hpp"
#include "aapc/plan/staging.hpp"
#include "aapc/timetable/synchronisation.hpp"
#include "methods/cycle_times.hpp"
#include "offline/schedules/branches.hpp"
#include "offline/schedules/text_pieces.hpp"

namespace aapc {

namespace {

/// Two columns a branch fit on a screen up to here; beyond, each phase is a plain list.
constexpr std::size_t most_branches_in_columns = 8;

class Table {
  public:
    Table(const Schedule& schedule, const TakeText& take)
        : schedule_(schedule), names_(participant_names(schedule.network(), schedule.placement())), pieces_(take) {}

    bool write(const Synchronisation& synchronisation, const std::vector<Edge>& edges) {
        append_title();
        if (schedule_.forwards()) {
            append_buffers(synchronisation);
        }
        branches_ = documents::balanced_branches(schedule_.network(), schedule_.placement());
        const bool few_branches = branches_.size() >= 2 && branches_.size() <= most_branches_in_columns;
        const bool few_in_a_cell = is_contention_free(schedule_.guarantee());
        if (schedule_.cycle()) {
            append_times();
        } else if (few_branches && few_in_a_cell) {
            append_branches();
            append_columns();
        } else {
            append_lists();
        }
        if (schedule_.forwards()) {
            append_blocks();
        }
        append_synchronisation(synchronisation, edges);
        return pieces_.pass_on_all();
    }

  private:
    template <class... Arguments>
    void append(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    }

    [[nodiscard]] const std::string& name(Rank rank) const { return names_[static_cast<std::size_t>(rank)]; }

    [[nodiscard]] std::string name(const Transfer& message) const {
        return fmt::format("{}->{}", name(message.from), name(message.to));
    }

    void append_title() {
        append("{}{}{}: {} participants, {} messages, ", schedule_.algorithm(), schedule_.variant().empty() ? "" : " ",
               schedule_.variant(), names_.size(), schedule_.messages());
        if (schedule_.cycle()) {
            append_cycle();
            return;
        }
        append("{} phases", schedule_.phases().size());
        if (schedule_.guarantee() == Guarantee::shortest) {
            text_ += " = the bound\n";  // the checker has compared the two
        } else {
            append("; guarantee: {}\n", to_string(schedule_.guarantee()));
        }
    }

    /// The length of the cycle and the queues, which take the place of phases.
    void append_cycle() {
        if (const double seconds = schedule_.cycle()->seconds_per_byte; seconds > 0) {
            append("a cycle of {:.6g} s for each MB of message size", seconds * 1e6);
        } else {
            text_ += "a cycle";
        }
        append("; guarantee: {}\n", to_string(schedule_.guarantee()));
        if (const auto certificate = certify_queues(schedule_)) {
            append("{}\n", to_string(*certificate, schedule_.network()));
        }
    }

    /// A row for each time at which messages start.
    void append_times() {
        text_ += "\n      at  messages";
        Phase tick = -1;
        for (const Transfer& message : schedule_.transfers()) {
            if (message.phase != tick) {
                append("\n{:.6f}", documents::fraction_of(message.phase, schedule_.ticks()));
                tick = message.phase;
                pieces_.pass_on();
            }
            append("  {}", name(message));
        }
        text_ += '\n';
    }

    /// What the ranks that need most have to set aside, which is known before the first message.
    void append_buffers(const Synchronisation& synchronisation) {
        std::int64_t transit = 0;
        std::int64_t together = 0;
        Staging most_copied;
        for (Rank rank = 0; rank < schedule_.placement().participants(); ++rank) {
            const Plan plan = plan_from_schedule(schedule_, {}, rank, synchronisation);
            Staging staging = plan_staging(plan);
            transit = std::max<std::int64_t>(transit, plan.forwarding->transit_blocks);
            together = std::max(together, plan.forwarding->transit_blocks + static_cast<std::int64_t>(staging.blocks));
            if (staging.copied_blocks >= most_copied.copied_blocks) {
                most_copied = std::move(staging);
            }
        }
        append(
            "buffers for {} blocks at most on a rank, {} of them in transit; at most {} blocks copied, in {} pieces\n",
            together, transit, most_copied.copied_blocks, most_copied.copies);
    }

    /// "T0 = n0 n1 n2", a line each.
    void append_branches() {
        branch_of_.resize(names_.size());
        for (std::size_t branch = 0; branch < branches_.size(); ++branch) {
            append("T{} =", branch);
            for (const Rank rank : branches_[branch]) {
                append(" {}", name(rank));
                branch_of_[static_cast<std::size_t>(rank)] = branch;
            }
            text_ += '\n';
        }
    }

    /// As in the papers' Table 4: the global messages from each branch, then the local messages of each branch that has
    /// any.
    void append_columns() {
        const std::size_t branches = branches_.size();
        std::vector<std::string> heads{"phase"};
        for (std::size_t branch = 0; branch < branches; ++branch) {
            heads.push_back(fmt::format("T{}->", branch));
        }
        for (std::size_t branch = 0; branch < branches && branches_[branch].size() > 1; ++branch) {
            heads.push_back(fmt::format("T{}", branch));
        }
        std::vector<std::size_t> widths;
        std::transform(heads.begin(), heads.end(), std::back_inserter(widths), std::mem_fn(&std::string::size));
        // Made twice: the first time to know how wide they are.
        for (std::size_t phase = 0; phase < schedule_.phases().size(); ++phase) {
            const std::vector<std::string> row = cells_of(phase, heads.size());
            for (std::size_t column = 0; column < row.size(); ++column) {
                widths[column] = std::max(widths[column], row[column].size());
            }
        }
        std::vector<std::string> groups(heads.size());
        groups[1] = "global messages";
        if (heads.size() > 1 + branches) {
            groups[1 + branches] = "local messages";
        }
        text_ += '\n';
        append_groups(groups, widths);
        append_row(heads, widths);
        for (std::size_t phase = 0; phase < schedule_.phases().size() && pieces_.pass_on(); ++phase) {
            append_row(cells_of(phase, heads.size()), widths);
        }
    }

    /// The columns of a phase.
    std::vector<std::string> cells_of(std::size_t phase, std::size_t columns) const {
        std::vector<std::string> row(columns);
        row[0] = fmt::format("{:>5}", phase);
        for (const Transfer& message : sorted(schedule_.phases()[phase])) {
            const std::size_t from = branch_of_[static_cast<std::size_t>(message.from)];
            const std::size_t to = branch_of_[static_cast<std::size_t>(message.to)];
            std::string& cell = row[1 + from + (from == to ? branches_.size() : 0)];
            cell += fmt::format("{}{}", cell.empty() ? "" : " ", name(message));
        }
        return row;
    }

    /// Headings that may run over empty columns to their right.
    void append_groups(const std::vector<std::string>& groups, const std::vector<std::size_t>& widths) {
        std::string line;
        std::size_t begin = 0;
        for (std::size_t column = 0; column < groups.size(); ++column) {
            if (!groups[column].empty()) {
                line.resize(std::max(begin, line.empty() ? 0 : line.size() + 2), ' ');
                line += groups[column];
            }
            begin += widths[column] + 2;
        }
        text_ += line;
        text_ += '\n';
    }

    void append_row(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) {
        for (std::size_t column = 0; column < cells.size(); ++column) {
            append("{:<{}}  ", cells[column], widths[column]);
        }
        text_.resize(text_.find_last_not_of(' ') + 1);
        text_ += '\n';
    }

    void append_lists() {
        text_ += "\nphase  messages\n";
        std::size_t number = 0;
        for (const std::vector<Transfer>& phase : schedule_.phases()) {
            append("{:>5}", number++);
            for (const Transfer& message : sorted(phase)) {
                append("  {}", name(message));
            }
            text_ += '\n';
            if (!pieces_.pass_on()) {
                return;
            }
        }
    }

    static std::vector<Transfer> sorted(std::vector<Transfer> phase) {
        std::sort(phase.begin(), phase.end());
        return phase;
    }

    /// What each message carries, as the blocks' origins and destinations.
    void append_blocks() {
        text_ += "\nphase  message: blocks\n";
        for (std::size_t phase = 0; phase < schedule_.phases().size(); ++phase) {
            for (std::size_t index = 0; index < schedule_.phases()[phase].size(); ++index) {
                append("{:>5}  {}:", phase, name(schedule_.phases()[phase][index]));
                for (const Block& block : schedule_.blocks()[phase][index]) {
                    append(" {}->{}", name(block.origin), name(block.destination));
                }
                text_ += '\n';
                pieces_.pass_on();
            }
        }
    }

    void append_synchronisation(const Synchronisation& synchronisation, const std::vector<Edge>& edges) {
        append("\nsynchronisation {}", to_string(synchronisation));
        if (uses_edges(synchronisation)) {
            append(": {} edges\n", edges.size());
            for (const Edge& edge : edges) {
                append("{} before {}\n", name(edge.after), name(edge.before));
                pieces_.pass_on();
            }
        } else if (synchronisation.kind == Synchronisation::Kind::dummy) {
            append_dummies(dummy_transfers(schedule_, synchronisation));
        } else {
            text_ += '\n';
        }
    }

    /// Sorted by phase, as dummy_transfers() gives them: a line for each phase that has some.
    void append_dummies(const std::vector<Transfer>& dummies) {
        append(": {} dummies\n", dummies.size());
        if (dummies.empty()) {
            return;
        }
        text_ += "phase  dummies";
        Phase phase = -1;
        for (const Transfer& dummy : dummies) {
            if (dummy.phase != phase) {
                append("\n{:>5}", dummy.phase);
                phase = dummy.phase;
            }
            append("  {}", name(dummy));
        }
        text_ += '\n';
    }

    const Schedule& schedule_;
    std::vector<std::string> names_;
    std::vector<std::vector<Rank>> branches_;
    std::vector<std::size_t> branch_of_;  ///< of each rank
    documents::TextPieces pieces_;
    std::string& text_ = pieces_.text;
};

}  // namespace

bool write_schedule_table(const Schedule& schedule, const Synchronisation& synchronisation,
                          const std::vector<Edge>& edges, const TakeText& take) {
    return Table(schedule, take).write(synchronisation, edges);
}

std::string schedule_table(const Schedule& schedule, const Synchronisation& synchronisation,
                           const std::vector<Edge>& edges) {
    return documents::whole_text(
        [&](const TakeText& take) { return write_schedule_table(schedule, synchronisation, edges, take); });
}

}  // namespace aapc
