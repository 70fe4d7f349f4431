#include "cli/report/page.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "aapc/archive/tuning.hpp"
#include "aapc/check/queues.hpp"
#include "aapc/input/units.hpp"
#include "aapc/topology/bound.hpp"
#include "cli/report/page_style.hpp"
#include "cli/report/strips.hpp"
#include "cli/report/wording.hpp"

namespace aapc::report {

namespace {

constexpr std::size_t most_groups = 24;
constexpr std::size_t most_rank_columns = 512;
constexpr std::size_t most_leaf_pairs = 64;

class Page {
  public:
    Page(const Record& record, const Figures& figures) : record_(record), figures_(figures) {}

    std::string write() {
        add("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>All-to-alls of ");
        add(escaped(record_.head.program));
        add("</title>\n<style>");
        add(strip_style());
        add(page_style);
        add("</style>\n</head>\n<body>\n<main>\n");
        add_result();
        add_cards();
        add_when();
        add_groups();
        add_comparison();
        add_paths();
        add_ranks();
        add_next_steps();
        add_remarks();
        add("</main>\n</body>\n</html>\n");
        return std::move(text_);
    }

  private:
    void add(std::string_view text) { text_ += text; }

    void add_result() {
        const RecordHead& head = record_.head;
        std::vector<std::string> hosts = head.hosts;
        std::sort(hosts.begin(), hosts.end());
        const auto machines = std::unique(hosts.begin(), hosts.end()) - hosts.begin();
        add(fmt::format("<header>\n<p class=\"eyebrow\">{} · {} ranks on {} machine{} · {}</p>\n",
                        escaped(head.program), head.hosts.size(), machines, machines == 1 ? "" : "s",
                        escaped(library_text(head.library))));
        add("<h1>" + escaped(headline(figures_)) + "</h1>\n");
        add("<p class=\"lead\">");
        for (const std::string& sentence : figures_.results) {
            add(escaped(sentence) + " ");
        }
        add("</p>\n");
        add_job();
        add("</header>\n");
    }

    /// What tells this job from others.
    void add_job() {
        const RecordHead& head = record_.head;
        add("<dl class=\"job\">\n");
        for (const auto& [name, value] :
             {std::pair{"Command", &head.command}, {"Job", &head.job}, {"Ended", &head.date}}) {
            if (!value->empty()) {
                add(fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, escaped(*value)));
            }
        }
        add(fmt::format("<div><dt>Machines</dt><dd>{}</dd></div>\n", escaped(machines_text(head.hosts))));
        add(fmt::format("<div><dt>With</dt><dd>aapc {}, {}</dd></div>\n</dl>\n", escaped(head.aapc),
                        escaped(mpi_version_line(head.library))));
    }

    void add_next_steps() {
        add("<section>\n<h2>What to do next</h2>\n<ul>\n");
        for (const std::string& step : figures_.next_steps) {
            add("<li>" + escaped(step) + "</li>\n");
        }
        add("</ul>\n</section>\n");
    }

    void add_card(std::string_view name, const std::string& value, const std::string& more) {
        add(fmt::format("<div><dt>{}</dt><dd>{}<small>{}</small></dd></div>\n", name, value, more));
    }

    void add_cards() {
        add("<dl class=\"cards\">\n");
        const auto ranks = static_cast<double>(std::max<std::size_t>(record_.head.hosts.size(), 1));
        add_card("Time in all-to-alls", time_text(figures_.call_seconds), "of the mean rank");
        add_card("Calls", fmt::format("{:.6g}", figures_.calls / ranks), "of the mean rank");
        add_card("Served by aapc", figures_.calls > 0 ? percent(figures_.exchanged / figures_.calls) : "–",
                 "of the calls");
        add_card("Sent", rounded_size_text(figures_.bytes), "by all ranks");
        add_card("Waited for others", figures_.waiting_is_known ? time_text(figures_.waited_seconds) : "not known",
                 figures_.waiting_is_known ? "of the mean rank, in calls that know" : "no call had a common start");
        if (figures_.gain_seconds > 0) {
            add_card("Could be saved", time_text(figures_.gain_seconds), "predicted");
        }
        add("</dl>\n");
    }

    /// When in the job calls ran, by who served them.
    void add_when() {
        constexpr std::size_t columns = 300;
        if (record_.calls.empty() || figures_.job_seconds <= 0) {
            return;
        }
        std::array<std::vector<double>, 2> shares{std::vector<double>(columns), std::vector<double>(columns)};
        const double width = figures_.job_seconds / columns;
        // A rank at a time: communicators of other ranks overlap.
        for (const RecordedCall& call : record_.calls) {
            if (call.communicator.rfind("0.", 0) != 0) {
                continue;
            }
            std::vector<double>& row = shares[call.method == "native" ? 1 : 0];
            const auto first = static_cast<std::size_t>(std::clamp(call.at_seconds / width, 0.0, columns - 1.0));
            for (std::size_t column = first; column < columns; ++column) {
                const double begin = static_cast<double>(column) * width;
                if (begin >= call.at_seconds + call.seconds) {
                    break;
                }
                row[column] += std::max(0.0, std::min(begin + width, call.at_seconds + call.seconds) -
                                                 std::max(begin, call.at_seconds)) /
                               width;
            }
        }
        add("<section>\n<h2>When</h2>\n<p class=\"note\">The share of each moment that rank 0 spent in calls on "
            "communicators of which it is rank 0.</p>\n<ul class=\"legend\">");
        add("<li><svg viewBox=\"0 0 1 1\"><rect class=\"fill-ours\" width=\"1\" height=\"1\"/></svg>served by aapc</li>"
            "<li><svg viewBox=\"0 0 1 1\"><rect class=\"fill-own\" width=\"1\" height=\"1\"/></svg>native</li></ul>\n");
        add(
            fmt::format("<figure><svg viewBox=\"0 0 {} 60\" preserveAspectRatio=\"none\" width=\"100%\" height=\"72\" "
                        "role=\"img\"><title>All-to-alls over the time of the job</title>",
                        columns));
        add(fmt::format("<rect class=\"fill-line\" y=\"59\" width=\"{}\" height=\"1\"/>", columns));
        for (std::size_t kind = 0; kind < shares.size(); ++kind) {
            std::string path;
            for (std::size_t column = 0; column < columns; ++column) {
                const double below = kind == 1 ? std::min(1.0, shares[0][column]) : 0;
                const double height = 60 * std::clamp(shares[kind][column], 0.0, 1 - below);
                if (height > 0.2) {
                    path += fmt::format("M{} {:.1f}h1v{:.1f}h-1z", column, 60 - 60 * below - height, height);
                }
            }
            add(fmt::format("<path class=\"{}\" d=\"{}\"/>", kind == 0 ? "fill-ours" : "fill-own", path));
        }
        add(fmt::format("</svg><div class=\"axis\"><span>0</span><span>{}</span></div></figure>\n</section>\n",
                        time_text(figures_.job_seconds)));
    }

    void add_groups() {
        if (figures_.groups.empty()) {
            return;
        }
        add(fmt::format(
            "<section>\n<h2>Which calls</h2>\n<p class=\"note\">Calls that are alike, those that took most time first. "
            "The {} is what no exchange can beat on this network.</p>\n",
            bound_name(figures_.bound_kind)));
        add("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Which calls\"><table "
            "class=\"calls\">\n<thead><tr>"
            "<th scope=\"col\">routine</th><th scope=\"col\">ranks</th><th scope=\"col\">to each</th>"
            "<th scope=\"col\">calls</th><th scope=\"col\">time</th><th scope=\"col\">median</th>"
            "<th scope=\"col\">bound</th><th scope=\"col\">of the bound</th><th scope=\"col\">waited</th>"
            "<th scope=\"col\">native</th><th scope=\"col\" class=\"text\">served by</th></tr></thead>\n<tbody>\n");
        for (std::size_t index = 0; index < std::min(most_groups, figures_.groups.size()); ++index) {
            add_group(figures_.groups[index]);
        }
        add("</tbody></table></div>\n");
        if (figures_.groups.size() > most_groups) {
            double rest = 0;
            for (std::size_t index = most_groups; index < figures_.groups.size(); ++index) {
                rest += figures_.groups[index].seconds;
            }
            add(fmt::format("<p class=\"note\">{} more kinds of calls took {} together.</p>\n",
                            figures_.groups.size() - most_groups, time_text(rest)));
        }
        add("</section>\n");
    }

    void add_group(const Group& group) {
        const auto cell = [](const std::optional<double>& seconds) {
            return seconds ? time_text(*seconds) : std::string("–");
        };
        std::string fraction = "–";
        if (group.bound_seconds && group.median_seconds > 0) {
            const double reached = *group.bound_seconds / group.median_seconds;
            // The bar is full at the bound; the number is not bounded.
            fraction = fmt::format("<span class=\"bar{}\"><i style=\"width:{:.0f}%\"></i></span>{:.2f}",
                                   group.native() ? " own" : "", 100 * std::min(1.0, reached), reached);
        }
        // Narrow screens show each call as a list, with these names.
        const auto add_cell = [&](std::string_view label, const std::string& value) {
            add(fmt::format("<td data-label=\"{}\">{}</td>", label, value));
        };
        add("<tr><th scope=\"row\" data-label=\"routine\">" + escaped(group.routine) + "</th>");
        add_cell("ranks", fmt::format("{}", group.ranks));
        add_cell("to each", size_range(group));
        add_cell("calls", fmt::format("{}", group.calls));
        add_cell("time", time_text(group.seconds));
        add_cell("median", time_text(group.median_seconds));
        add_cell("bound", cell(group.bound_seconds));
        add_cell("of the bound", fraction);
        add_cell("waited", group.waited_share ? percent(*group.waited_share) : "–");
        add_cell("native", cell(group.native_seconds));
        add("<td class=\"text\" data-label=\"served by\">");
        add(group.native() ? "<span class=\"own\">native</span>: " + escaped(group.reason)
                           : "<span class=\"ours\">" + escaped(group.method) + "</span>");
        if (const auto too_fast =
                group.bound_seconds && !group.lengths_known
                    ? faster_than_wires(*group.bound_seconds, group.median_seconds, record_.head.topology_file)
                    : std::nullopt) {
            add("; <strong>" + escaped(*too_fast) + "</strong>");
        }
        if (group.better_seconds) {
            add(fmt::format("; <span class=\"ours\">{}</span> should take {}", escaped(group.better_method),
                            time_text(*group.better_seconds)));
        }
        add("</td></tr>\n");
    }

    void add_comparison() {
        if (!figures_.comparison) {
            return;
        }
        const Comparison& comparison = *figures_.comparison;
        add(fmt::format(
            "<section>\n<h2>Links over time</h2>\n<p>One exchange of the kind that took most time: {}. A row "
            "for each direction of a link, time from left to right, one axis for all: what ends further "
            "left is sooner done.{}</p>\n<ul class=\"legend\">",
            escaped(comparison.heading),
            comparison.together > 1 ? fmt::format(" {} communicators exchange at the same time: the pictures have the "
                                                  "messages of one of them, the bound is that of all.",
                                                  comparison.together)
                                    : ""));
        for (const LegendEntry& entry : strip_legend) {
            add(fmt::format("<li><svg viewBox=\"0 0 1 1\"><rect class=\"{}\" width=\"1\" height=\"1\"/></svg>{}</li>",
                            entry.name, entry.text));
        }
        add("<li><span class=\"dash\"></span>the bound: nothing ends before it</li></ul>\n");
        add_measured(comparison);
        for (const Panel& panel : comparison.panels) {
            add_panel(comparison, panel);
        }
        add("</section>\n");
    }

    void add_measured(const Comparison& comparison) {
        std::string text = comparison.ours_seconds ? fmt::format("aapc took <strong class=\"ours\">{}</strong>",
                                                                 time_text(*comparison.ours_seconds))
                                                   : "";
        if (comparison.own_seconds) {
            text += fmt::format("{}native calls took <strong class=\"own\">{}</strong>", text.empty() ? "" : ", ",
                                time_text(*comparison.own_seconds));
        }
        add("<p>Measured in the job, with starts, waiting and losses: " + text + " (medians).</p>\n");
    }

    void add_panel(const Comparison& comparison, const Panel& panel) {
        const LinkUse& use = panel.use;
        add(fmt::format(
            "<figure>\n<figcaption><strong>{}: {}</strong>{}{}</figcaption>\n<div class=\"plot\">\n<div "
            "class=\"names\" aria-hidden=\"true\">",
            escaped(panel.title), time_text(panel.end_seconds), escaped(panel.basis),
            use.links.size() < 2 * comparison.links_with_messages
                ? fmt::format(" Shown: {} of {} links.", use.links.size() / 2, comparison.links_with_messages)
                : ""));
        std::string rows;
        std::string table;
        for (std::size_t row = 0; row < use.links.size(); ++row) {
            const std::string name = escaped(link_name(*comparison.network, use.links[row]));
            const RowSummary summary = summary_of_row(use, row, panel.end_seconds);
            add("<span>" + name + "</span>");
            rows += fmt::format(
                "<g><title>{}: {}</title><rect y=\"{}\" width=\"{}\" height=\"11\" fill-opacity=\"0\"/></g>", name,
                to_string(summary), 13 * row, use.columns);
            table += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{:.1f}</td></tr>\n", name,
                                 percent(summary.busy), percent(summary.fought_over), summary.longest_waiting);
        }
        add(
            fmt::format("</div>\n<div class=\"place\"><svg viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" "
                        "height=\"{}\" role=\"img\"><title>{}</title>{}{}</svg>",
                        use.columns, 13 * use.links.size(), 13 * use.links.size(), escaped(panel.title),
                        strip_paths(use, 13), rows));
        if (comparison.bound_seconds && comparison.seconds > 0) {
            add(fmt::format("<span class=\"mark\" style=\"left:{:.2f}%\"></span>",
                            100 * *comparison.bound_seconds / comparison.seconds));
        }
        add(
            fmt::format("</div>\n<div class=\"axis\"><span>0</span><span>{}</span></div>\n</div>\n"
                        "<details><summary>The same as a table</summary><div class=\"scroll\" tabindex=\"0\" "
                        "role=\"region\" aria-label=\"{}\"><table><thead><tr><th scope=\"col\">link</th><th "
                        "scope=\"col\">busy</th><th scope=\"col\">fought over</th><th scope=\"col\">most that "
                        "wait</th></tr></thead><tbody>\n{}</tbody></table></div></details>\n</figure>\n",
                        time_text(comparison.seconds), escaped(panel.title), table));
    }

    /// How late the learned paths were at the end, from leaf switch to leaf switch.
    void add_paths() {
        if (!figures_.paths || figures_.paths->pairs.empty()) {
            return;
        }
        const LearnedPaths& learned = *figures_.paths;
        add(fmt::format(
            "<section>\n<h2>Learned paths</h2>\n<p class=\"note\">{} The schedule was {:.2f} times as long as the even "
            "bound. A path that is late by a share of it crosses a cable with that much more load; one on time crosses "
            "cables with {:.2f} times the load of even sharing or less.</p>\n<div class=\"scroll\" tabindex=\"0\" "
            "role=\"region\" aria-label=\"Learned paths\"><table><thead><tr><th scope=\"col\">from</th><th "
            "scope=\"col\">to</th><th scope=\"col\">connections</th><th scope=\"col\">late, mean</th><th "
            "scope=\"col\">late, most</th><th scope=\"col\">load of the latest</th></tr></thead>\n<tbody>\n",
            escaped(sentence_of(learned)), learned.over_bound, learned.over_bound));
        for (std::size_t index = 0; index < std::min(most_leaf_pairs, learned.pairs.size()); ++index) {
            const LearnedPaths::LeafPair& pair = learned.pairs[index];
            add(fmt::format(
                "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.2f}</td></tr>\n",
                escaped(pair.from), escaped(pair.to), pair.connections, percent(pair.mean_late),
                percent(pair.most_late), pair.latest_load));
        }
        add("</tbody></table></div>\n");
        if (learned.pairs.size() > most_leaf_pairs) {
            add(fmt::format("<p class=\"note\">{} more pairs of leaf switches.</p>\n",
                            learned.pairs.size() - most_leaf_pairs));
        }
        add("</section>\n");
    }

    /// Which ranks waited: the one that waited least came last.
    void add_ranks() {
        double most = 0;
        for (const RecordedRank& rank : record_.ranks) {
            most = std::max(most, rank.seconds);
        }
        if (most <= 0 || record_.ranks.size() > most_rank_columns) {
            return;
        }
        add("<section>\n<h2>Rank by rank</h2>\n<p class=\"note\">Time in all calls, and what of it was waiting for "
            "others, as far as calls know. The rank that waits least comes last.</p>\n<ul class=\"legend\">"
            "<li><svg viewBox=\"0 0 1 1\"><rect class=\"fill-ours\" width=\"1\" height=\"1\"/></svg>in calls</li>"
            "<li><svg viewBox=\"0 0 1 1\"><rect class=\"fill-wait\" width=\"1\" "
            "height=\"1\"/></svg>waiting</li></ul>\n");
        std::string bars;
        std::string table;
        for (std::size_t index = 0; index < record_.ranks.size(); ++index) {
            const RecordedRank& rank = record_.ranks[index];
            const std::string host = index < record_.head.hosts.size() ? escaped(record_.head.hosts[index]) : "";
            const double height = 100 * rank.seconds / most;
            const double waited = 100 * std::min(rank.waited_seconds, rank.seconds) / most;
            const std::string words =
                fmt::format("rank {} on {}: {} in calls, waited {}", rank.rank, host, time_text(rank.seconds),
                            rank.calls_known > 0 ? time_text(rank.waited_seconds) : "not known");
            bars += fmt::format(
                "<g><title>{}</title><rect class=\"fill-ours\" x=\"{}\" y=\"{:.1f}\" width=\".86\" "
                "height=\"{:.1f}\"/><rect class=\"fill-wait\" x=\"{}\" y=\"{:.1f}\" width=\".86\" "
                "height=\"{:.1f}\"/></g>",
                words, index, 100 - height, height, index, 100 - waited, waited);
            table += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                                 rank.rank, host, rank.calls, time_text(rank.seconds),
                                 rank.calls_known > 0 ? time_text(rank.waited_seconds) : "–");
        }
        add(fmt::format(
            "<figure><svg viewBox=\"0 0 {} 100\" preserveAspectRatio=\"none\" width=\"100%\" height=\"110\" "
            "role=\"img\"><title>Time in calls by rank</title>{}</svg><div class=\"axis\"><span>rank 0</span><span>the "
            "highest: {}</span>"
            "<span>rank {}</span></div>\n<details><summary>The same as a table</summary><div class=\"scroll\" "
            "tabindex=\"0\" role=\"region\" aria-label=\"Rank by rank\"><table><thead><tr><th scope=\"col\">rank"
            "</th><th scope=\"col\">host</th><th scope=\"col\">calls</th><th scope=\"col\">in calls</th><th "
            "scope=\"col\">waited</th></tr></thead><tbody>\n{}</tbody></table></div></details></figure>\n"
            "</section>\n",
            record_.ranks.size(), bars, time_text(most), record_.ranks.size() - 1, table));
    }

    void add_remarks() {
        add("<footer>\n");
        for (const std::string& remark : figures_.remarks) {
            add("<p>" + escaped(remark) + "</p>\n");
        }
        const RecordHead& head = record_.head;
        add(fmt::format("<p>Topology of the record: {}.</p>\n</footer>\n",
                        head.topology_text.empty() ? "none" : escaped(head.topology_file)));
    }

    const Record& record_;
    const Figures& figures_;
    std::string text_;
};

}  // namespace

std::string page_of(const Record& record, const Figures& figures) { return Page(record, figures).write(); }

}  // namespace aapc::report
