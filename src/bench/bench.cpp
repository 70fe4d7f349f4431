// `aapc bench` as an MPI program: aapc-bench-<mpi>.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aapc/topology/network_digest.hpp"
#include "aapc/topology/patterns.hpp"
#include "bench/bench_options.hpp"
#include "bench/bench_results.hpp"
#include "bench/collective.hpp"
#include "bench/harness.hpp"
#include "bench/program.hpp"
#include "bench/provenance.hpp"
#include "bench/unequal_harness.hpp"
#include "console/command_line.hpp"
#include "console/job_output.hpp"
#include "console/output.hpp"
#include "input/version.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves declaring it to the program

namespace {

using namespace aapc;
using namespace aapc::bench;

std::vector<std::pair<std::string, std::string>> aapc_variables() {
    std::vector<std::pair<std::string, std::string>> variables;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::size_t equals = text.find('=');
        if (text.starts_with("AAPC_") && equals != std::string_view::npos) {
            variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
        }
    }
    std::sort(variables.begin(), variables.end());
    return variables;
}

/// One run of the program on all ranks. Its functions return the same on all ranks.
class Bench {
  public:
    Bench(BenchOptions options, std::unique_ptr<Harness> harness)
        : options_(std::move(options)),
          harness_(std::move(harness)),
          output_("aapc bench", harness_->rank() == 0),
          order_(options_.seed) {
        facts_.topology_digest = network_digest(harness_->network());
    }

    int run() {
        if (const auto known = check_pattern(options_.pattern); !known) {
            return output_.refuse(known.error());
        }
        if (!options_.pattern.empty()) {
            unequal_.emplace(*harness_);
        }
        if (auto complaint = choose_candidates()) {
            return output_.refuse(std::move(*complaint));
        }
        const auto sizes = parse_sizes(options_.sizes);
        if (!sizes) {
            return output_.refuse(sizes.error());
        }
        const auto late = parse_late_rank(options_.late, harness_->placement().participants());
        if (!late) {
            return output_.refuse(late.error());
        }
        harness_->let_be_late(*late);
        gather_facts();
        show(table_head(facts_));
        std::vector<SizeResult> results;
        for (const std::int64_t size : *sizes) {
            auto result = measure(size);
            if (!result) {
                return output_.refuse(result.error());
            }
            if (!result->samples.front().empty()) {
                results.push_back(std::move(*result));
                show(table_rows(facts_, results.back()));
            }
            if (interrupted_) {
                return end_early(results);
            }
        }
        return write(results);
    }

  private:
    /// Writes what was measured until the interruption.
    [[nodiscard]] int end_early(const std::vector<SizeResult>& results) const {
        if (results.empty()) {
            output_.remark("interrupted before the first round was complete; nothing is written");
            return ended_by_interruption;
        }
        output_.remark(fmt::format("interrupted; what was measured until then is written, of {} bytes {} of {} rounds",
                                   results.back().block_bytes, results.back().samples.front().size(),
                                   options_.repeats));
        const int status = write(results);
        return status == cli::done ? ended_by_interruption : status;
    }

    /// Whether the table appears line by line while it is being made.
    [[nodiscard]] bool shows() const {
        return output_.speaks() && options_.format == "table" && (options_.output.empty() || options_.output == "-");
    }

    void show(const std::string& lines) const {
        if (shows()) {
            cli::write_output("", lines);
        }
    }

    [[nodiscard]] std::optional<Diagnostic> choose_candidates() {
        const NetworkKind kind = harness_->network().kind();
        const bool asked_for = !options_.candidates.empty();
        const auto usual = unequal_ ? default_unequal_candidates() : default_candidates(kind);
        auto parsed = parse_candidates(asked_for ? options_.candidates : usual, kind);
        if (!parsed) {
            return parsed.error();
        }
        for (Candidate& candidate : *parsed) {
            const auto prepared = candidate.is_interposed() ? Expected<void>{}
                                  : unequal_                ? unequal_->prepare(candidate.method)
                                                            : harness_->prepare(candidate.method);
            if (!prepared && asked_for) {
                return prepared.error();
            }
            if (prepared) {
                candidates_.push_back(std::move(candidate));
            } else {
                output_.remark(fmt::format("left out: {}", to_string(prepared.error())));
            }
        }
        return std::nullopt;
    }

    void gather_facts() {
        facts_.aapc_version = version();
        facts_.mpi_version = short_mpi_version();
        facts_.date = date_now();
        facts_.bound_messages = harness_->bound().messages;
        facts_.host_names = harness_->host_names();
        facts_.congestion_control = congestion_control();
        facts_.environment = aapc_variables();
        facts_.options = options_;
        for (const Candidate& candidate : candidates_) {
            facts_.candidates.push_back(candidate.name);
        }
    }

    Expected<Sample> run_once(const Candidate& candidate, std::int64_t block_bytes) {
        if (unequal_) {
            return candidate.is_interposed() ? unequal_->run_interposed_once() : unequal_->run_once(candidate.method);
        }
        return candidate.is_interposed() ? harness_->run_interposed_once(block_bytes)
                                         : harness_->run_once(candidate.method, block_bytes);
    }

    /// What no exchange of that size can beat; with unequal messages, their demand is set.
    Expected<double> least_seconds(std::int64_t block_bytes) {
        if (!unequal_) {
            return harness_->least_seconds(block_bytes);
        }
        const auto demand =
            make_demand(options_.pattern, harness_->placement().participants(), block_bytes, options_.seed);
        if (!demand) {
            return failure(demand.error());
        }
        if (const auto set = unequal_->set_demand(*demand); !set) {
            return failure(set.error());
        }
        return unequal_->least_seconds();
    }

    Expected<SizeResult> measure(std::int64_t block_bytes) {
        const auto least = least_seconds(block_bytes);
        if (!least) {
            return failure(least.error());
        }
        SizeResult result{block_bytes, *least, {}};
        result.samples.resize(candidates_.size());
        if (const auto taught = teach(block_bytes); !taught) {
            return failure(taught.error());
        }
        double begin = 0;
        std::vector<std::size_t> turns(candidates_.size());
        for (std::size_t turn = 0; turn < turns.size(); ++turn) {
            turns[turn] = turn;
        }
        for (int round = -options_.warm_up; round < options_.repeats && !interrupted_; ++round) {
            if (round == 0) {
                begin = PMPI_Wtime();
            }
            // The same order on all ranks, another in every round: what a candidate leaves behind (queues, congestion
            // windows) meets everyone.
            std::shuffle(turns.begin(), turns.end(), order_);
            for (const std::size_t turn : turns) {
                show_progress(block_bytes, round, candidates_[turn].name);
                const auto sample = run_once(candidates_[turn], block_bytes);
                if (!sample) {
                    return failure(sample.error());
                }
                if (sample->interrupted) {
                    interrupted_ = true;
                    keep_complete_rounds(result);
                    output_.clear_progress();
                    return result;
                }
                if (round >= 0) {
                    result.samples[turn].push_back(*sample);
                }
            }
            std::array<double, 1> elapsed = {PMPI_Wtime() - begin};
            maximise(harness_->communicator(), elapsed);
            if (round >= 0 && elapsed[0] > options_.most_seconds) {
                break;
            }
        }
        output_.clear_progress();
        return result;
    }

    /// Every round has a sample of each candidate.
    static void keep_complete_rounds(SizeResult& result) {
        std::size_t complete = result.samples.front().size();
        for (const std::vector<Sample>& samples : result.samples) {
            complete = std::min(complete, samples.size());
        }
        for (std::vector<Sample>& samples : result.samples) {
            samples.resize(complete);
        }
    }

    /// Calls in which `interposed` may learn what is the fastest, before any that count.
    Expected<void> teach(std::int64_t block_bytes) {
        const auto taught = std::find_if(candidates_.begin(), candidates_.end(),
                                         [](const Candidate& candidate) { return candidate.is_interposed(); });
        for (int call = 0; taught != candidates_.end() && call < options_.teach && !interrupted_; ++call) {
            show_progress(block_bytes, -1, taught->name);
            const auto sample = run_once(*taught, block_bytes);
            if (!sample) {
                return failure(sample.error());
            }
            interrupted_ = sample->interrupted;
        }
        return {};
    }

    void show_progress(std::int64_t block_bytes, int round, const std::string& candidate) const {
        if (output_.watched()) {
            const std::string what = round < 0 ? "warm-up" : fmt::format("round {} of {}", round + 1, options_.repeats);
            output_.show_progress(fmt::format("{} bytes, {}, {}", block_bytes, what, candidate));
        }
    }

    [[nodiscard]] int write(const std::vector<SizeResult>& results) const {
        if (!output_.speaks() || shows()) {
            return cli::done;
        }
        std::string text;
        if (options_.format == "csv") {
            text = csv_text(facts_, results);
        } else if (options_.format == "json") {
            text = json_text(facts_, results);
        } else {
            text = table_head(facts_);
            for (const SizeResult& result : results) {
                text += table_rows(facts_, result);
            }
        }
        return cli::write_output(options_.output, text);
    }

    BenchOptions options_;
    std::unique_ptr<Harness> harness_;
    std::optional<UnequalHarness> unequal_;  ///< where messages are unequal
    cli::JobOutput output_;
    std::mt19937_64 order_;
    BenchFacts facts_;
    std::vector<Candidate> candidates_;
    bool interrupted_ = false;
};

int run_program(int argc, char** argv) {
    BenchOptions options;
    cli::CommandLine app{"Measures ways of doing an all-to-all against each other. Started by aapc bench.",
                         "aapc bench"};
    add_bench_options(app, options);
    return run_in_harness(app, argc, argv, options.topology, [&options](std::unique_ptr<Harness> harness) {
        return Bench(options, std::move(harness)).run();
    });
}

}  // namespace

int main(int argc, char** argv) { return end_job_on_exception("aapc bench", run_program, argc, argv); }
