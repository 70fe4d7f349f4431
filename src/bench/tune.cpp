// `aapc tune` as an MPI program: aapc-tune-<mpi>.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "aapc/archive/tuning.hpp"
#include "aapc/methods/unequal_exchange.hpp"
#include "aapc/offline/expected_by_model.hpp"
#include "aapc/offline/method_model.hpp"
#include "aapc/offline/network_model.hpp"
#include "aapc/offline/search.hpp"
#include "aapc/topology/patterns.hpp"
#include "bench/bench_options.hpp"
#include "bench/collective.hpp"
#include "bench/harness.hpp"
#include "bench/model_files.hpp"
#include "bench/program.hpp"
#include "bench/provenance.hpp"
#include "bench/tune_options.hpp"
#include "bench/tune_pass_through.hpp"
#include "bench/tune_report.hpp"
#include "bench/unequal_harness.hpp"
#include "console/command_line.hpp"
#include "console/job_output.hpp"
#include "console/output.hpp"
#include "console/output_file.hpp"
#include "input/text_file.hpp"
#include "selection/rule.hpp"
#include "selection/unequal_rule.hpp"

namespace {

using namespace aapc;
using namespace aapc::bench;

constexpr double seconds_between_lines = 30;
constexpr double seconds_between_bars = 0.2;
/// Calls that a method which finds its pace gets after a pause, before its times are believed again.
constexpr int calls_to_find_a_pace = 4;
/// Large enough for nothing to be rounded.
constexpr int mean_of_comparison = 1 << 20;

bool finds_its_pace(const Method& method) {
    return method.synchronisation.kind == Synchronisation::Kind::timed && method.synchronisation.pace <= 0;
}

/// One run of the program on all ranks. Its functions return the same on all ranks.
class Tune {
  public:
    Tune(TuneOptions options, std::unique_ptr<Harness> harness)
        : options_(std::move(options)),
          harness_(std::move(harness)),
          // Rank 0's for all, for the MPIs of two hosts may differ in what they say of their version, and ranks that
          // disagree on whether a state is theirs would go different ways.
          fingerprint_(make_fingerprint(harness_->network(), harness_->placement(), AAPC_MPI,
                                        shared_text(harness_->communicator(), mpi_library_version()),
                                        std::filesystem::path(options_.topology).filename().string())),
          output_("aapc tune", harness_->rank() == 0) {
        fingerprint_.unequal = !options_.pattern.empty();
    }

    int run() {
        if (const auto reason = selection::nothing_to_schedule(harness_->placement(), harness_->bound())) {
            return output_.refuse({.problem = *reason + ", so no tuning would ever be obeyed",
                                   .advice = "use at least three ranks, or two on one machine"});
        }
        if (const auto unequal = begin_pattern(); !unequal) {
            return output_.refuse(unequal.error());
        }
        auto search = begin();
        if (!search) {
            return output_.refuse(search.error());
        }
        if (const auto played = play(*search); !played) {
            return output_.refuse(played.error());
        }
        if (interrupted_) {
            if (save(*search)) {
                output_.remark(fmt::format("interrupted; {} has the state, and the same command goes on from there",
                                           options_.state_file()));
            }
            return ended_by_interruption;
        }
        return report(search->result());
    }

  private:
    Expected<Search> begin() {
        const auto sizes = parse_sizes(options_.sizes);
        if (!sizes) {
            return failure(sizes.error());
        }
        SearchSettings settings;
        settings.sizes = searched_sizes(*sizes);
        settings.budget_seconds = 60 * options_.minutes;
        settings.bound_seconds_per_byte = harness_->bound().seconds_per_byte;
        settings.slowest_bits_per_second = harness_->bound().slowest_bits_per_second;
        std::vector<Method> candidates;
        if (unequal_) {
            candidates = {Method{}, by_clock_};
        } else {
            candidates = candidate_methods(harness_->network(), harness_->placement());
        }
        auto expected = expected_by_file(candidates);
        if (!expected) {
            return failure(expected.error());
        }
        const selection::Decision untuned =
            selection::decide(harness_->network(), harness_->placement(), harness_->bound(), {}, nullptr, AAPC_MPI);
        Foreknowledge known{std::move(*expected), [untuned](std::int64_t bytes) { return untuned.at(bytes); }};
        if (unequal_) {
            known.untuned = nullptr;
        }
        const std::string state = options_.restart ? "" : shared_text(harness_->communicator(), read_state());
        if (state.empty()) {
            return Search::create(std::move(settings), std::move(candidates), known);
        }
        auto resumed = resume_from(state, fingerprint_, settings, candidates, harness_->network().kind(), known);
        if (!resumed) {
            Diagnostic diagnostic = resumed.error();
            diagnostic.file = options_.state_file();
            return failure(std::move(diagnostic));
        }
        resumed_ = true;
        output_.remark(
            fmt::format("goes on from {}, {:.0f} % done", options_.state_file(), 100 * resumed->progress().done));
        return resumed;
    }

    /// Where messages are unequal: what they are exchanged by, and how their sizes compare with those of equal ones.
    Expected<void> begin_pattern() {
        if (options_.pattern.empty()) {
            return {};
        }
        if (!options_.models.empty()) {
            return failure("--model is of equal messages", "leave it out where there is a --pattern");
        }
        const auto method = selection::method_for_unequal(harness_->network().kind());
        const auto demand =
            make_demand(options_.pattern, harness_->placement().participants(), mean_of_comparison, options_.seed);
        if (!method || !demand) {
            return failure(method ? demand.error() : method.error());
        }
        by_clock_ = *method;
        unequal_.emplace(*harness_);
        if (auto prepared = unequal_->prepare(by_clock_); !prepared) {
            return prepared;
        }
        const auto bound = demand_bound(harness_->network(), harness_->placement(), *demand);
        if (!bound || bound->seconds() <= 0) {
            return failure(bound ? Diagnostic{.problem = "no message of this pattern crosses a link"} : bound.error());
        }
        equal_over_mean_ = bound->seconds() / (harness_->bound().seconds_per_byte * double{mean_of_comparison});
        return {};
    }

    /// Sizes of equal messages whose bound is as long as that of the pattern with these means.
    [[nodiscard]] std::vector<std::int64_t> searched_sizes(std::vector<std::int64_t> sizes) const {
        for (std::int64_t& size : sizes) {
            size = std::max<std::int64_t>(std::llround(static_cast<double>(size) * equal_over_mean_), 1);
        }
        sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
        return sizes;
    }

    Expected<Sample> run_once(const Search::Trial& trial) {
        if (!unequal_) {
            return harness_->run_once(trial.method, trial.block_bytes);
        }
        if (std::exchange(demand_is_of_, trial.block_bytes) != trial.block_bytes) {
            const auto mean =
                static_cast<std::int64_t>(std::ceil(static_cast<double>(trial.block_bytes) / equal_over_mean_));
            const auto demand =
                make_demand(options_.pattern, harness_->placement().participants(), mean, options_.seed);
            if (!demand) {
                return failure(demand.error());
            }
            if (auto set = unequal_->set_demand(*demand); !set) {
                return failure(set.error());
            }
        }
        return unequal_->run_once(trial.method);
    }

    /// What the model files say, as rank 0 reads them; null where none is given.
    Expected<ExpectedSeconds> expected_by_file(const std::vector<Method>& candidates) const {
        if (options_.models.empty()) {
            return ExpectedSeconds();
        }
        std::string text;
        std::optional<Diagnostic> complaint;
        if (output_.speaks()) {
            if (const auto model = read_model_files(options_.models); !model) {
                complaint = model.error();
            } else if (const auto fits = check_model_is_for(*model, harness_->network(), harness_->placement());
                       !fits) {
                complaint =
                    Diagnostic{.file = "--model", .problem = fits.error().problem, .advice = fits.error().advice};
            } else {
                text = network_model_json(*model);
            }
        }
        if (auto first = first_complaint(harness_->communicator(), complaint)) {
            return failure(std::move(*first));
        }
        const auto model = read_network_model(shared_text(harness_->communicator(), text), "--model");
        if (!model) {
            return failure(model.error());
        }
        return expected_by_model(harness_->network(), harness_->placement(), candidates, *model);
    }

    /// What the state file holds, on rank 0; empty if there is none.
    [[nodiscard]] std::string read_state() const {
        std::error_code ignored;
        if (!output_.speaks() || !std::filesystem::exists(options_.state_file(), ignored)) {
            return "";
        }
        const auto text = read_text_file(options_.state_file(), {"the state of a search"});
        // What is there and cannot be read is no reason to begin anew without being asked to.
        return text && !text->empty() ? *text : "unreadable";
    }

    [[nodiscard]] bool save(const Search& search) const {
        if (!output_.speaks()) {
            return false;
        }
        cli::OutputFile file(options_.state_file());
        file.write(state_file_text(fingerprint_, search));
        return file.finish() == cli::done;
    }

    Expected<void> play(Search& search) {
        double last_saved = PMPI_Wtime();
        while (!search.finished() && !interrupted_) {
            const Search::Trial trial = search.next();
            if (auto settled = settle(trial); !settled) {
                return settled;
            }
            const double begin = PMPI_Wtime();
            const auto sample = run_once(trial);
            if (!sample) {
                return failure(sample.error());
            }
            std::array<double, 1> spent = {PMPI_Wtime() - begin};
            maximise(harness_->communicator(), spent);
            if (interrupted_ || sample->interrupted) {
                interrupted_ = true;
                break;
            }
            search.observe({sample->seconds, spent[0]});
            show_progress(search.progress());
            // An end without warning costs half a minute at most.
            if (output_.speaks() && PMPI_Wtime() - last_saved > seconds_between_lines) {
                if (!save(search)) {
                    output_.remark("the search goes on, but cannot be resumed");
                }
                last_saved = PMPI_Wtime();
            }
        }
        output_.clear_progress();
        return {};
    }

    /// After a pause, methods that had found their pace begin at the beginning; that is nothing to count against them.
    Expected<void> settle(const Search::Trial& trial) {
        if (!resumed_ || !finds_its_pace(trial.method) ||
            !settled_.insert({to_string(trial.method), trial.block_bytes}).second) {
            return {};
        }
        for (int call = 0; call < calls_to_find_a_pace && !interrupted_; ++call) {
            const auto sample = run_once(trial);
            if (!sample) {
                return failure(sample.error());
            }
            interrupted_ = sample->interrupted;
        }
        return {};
    }

    void show_progress(const Search::Progress& progress) {
        const double now = PMPI_Wtime();
        if (!output_.speaks() ||
            now - last_shown_ < (output_.watched() ? seconds_between_bars : seconds_between_lines)) {
            return;
        }
        last_shown_ = now;
        if (output_.watched()) {
            output_.show_progress(progress_line(progress));
        } else {
            fmt::print(stderr, "aapc tune: {}\n", progress_line(progress));
        }
    }

    [[nodiscard]] Tuning tuning_of(const Search::Result& result) const {
        Tuning tuning;
        tuning.fingerprint = fingerprint_;
        tuning.conditions.date = date_now();
        tuning.conditions.duration_seconds = result.spent_seconds;
        tuning.conditions.congestion_control = congestion_control();
        tuning.conditions.host = harness_->host_names().front();
        tuning.ranges = result.ranges;
        return tuning;
    }

    [[nodiscard]] int report(const Search::Result& result) {
        const std::string pass_through = pass_through_report(harness_->communicator());
        if (!output_.speaks()) {
            return cli::done;
        }
        if (const int status = cli::write_output(options_.output, tuning_text(tuning_of(result)));
            status != cli::done) {
            return status;
        }
        std::error_code ignored;
        std::filesystem::remove(options_.state_file(), ignored);
        std::string text = results_table(result);
        text += remarks_on_speeds(result, harness_->bound().seconds_per_byte, options_.topology);
        if (unequal_) {
            text += fmt::format("sizes are those of equal messages whose bound is as long, {:.2f} times the mean\n",
                                equal_over_mean_);
        }
        text += fmt::format("{} exchanges in {:.0f} s; {} written\n", result.measurements, result.spent_seconds,
                            options_.output);
        if (!result.unmet.empty()) {
            text +=
                fmt::format("native without comparison, for lack of time: {} bytes\n", fmt::join(result.unmet, ", "));
        }
        return cli::write_output("", text + pass_through);
    }

    TuneOptions options_;
    std::unique_ptr<Harness> harness_;
    std::optional<UnequalHarness> unequal_;  ///< where there is a pattern
    Method by_clock_;                        ///< what unequal messages are exchanged by
    double equal_over_mean_ = 1;             ///< size of equal messages over the mean of unequal ones, of one bound
    std::int64_t demand_is_of_ = 0;          ///< the size that is set; 0: none
    Fingerprint fingerprint_;
    cli::JobOutput output_;
    bool resumed_ = false;
    bool interrupted_ = false;
    double last_shown_ = PMPI_Wtime();
    std::set<std::pair<std::string, std::int64_t>> settled_;
};

int run_program(int argc, char** argv) {
    TuneOptions options;
    cli::CommandLine app{"Finds the fastest method for each message size. Started by aapc tune.", "aapc tune"};
    add_tune_options(app, options);
    return run_in_harness(app, argc, argv, options.topology, [&options](std::unique_ptr<Harness> harness) {
        return Tune(options, std::move(harness)).run();
    });
}

}  // namespace

int main(int argc, char** argv) { return end_job_on_exception("aapc tune", run_program, argc, argv); }
