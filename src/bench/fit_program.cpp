// `aapc fit` as an MPI program: aapc-fit-<mpi>.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aapc/archive/tuning.hpp"
#include "aapc/input/statistics.hpp"
#include "aapc/offline/contention.hpp"
#include "aapc/offline/network_model.hpp"
#include "aapc/topology/clusters.hpp"
#include "aapc/topology/network_digest.hpp"
#include "bench/bench_options.hpp"
#include "bench/collective.hpp"
#include "bench/fit_options.hpp"
#include "bench/fit_point_to_point.hpp"
#include "bench/fit_report.hpp"
#include "bench/fit_team.hpp"
#include "bench/harness.hpp"
#include "bench/interruption.hpp"
#include "bench/program.hpp"
#include "console/command_line.hpp"
#include "console/job_output.hpp"
#include "console/output.hpp"

namespace {

using namespace aapc;
using namespace aapc::bench;

constexpr std::size_t fewest_that_contend = 3;
constexpr std::string_view wide_area_name = "wide-area";
/// Single messages scatter less than exchanges.
constexpr int most_repeats_of_messages = 51;

/// A network of its own: a cluster, or the whole.
struct Part {
    std::string name;  ///< empty for the whole
    std::vector<Rank> ranks;
    std::vector<ContentionSample> samples;
};

/// What was measured, for rank 0 to fit.
struct Measured {
    bool to_be_written = false;  ///< by this rank
    std::string method;
    std::vector<Part> parts;
    std::vector<ContentionSample> wide_area;
    std::vector<GapMeasurement> gaps;
};

bool contains(const std::vector<ContentionSample>& samples, Rank ranks, std::int64_t bytes) {
    return std::any_of(samples.begin(), samples.end(), [=](const ContentionSample& sample) {
        return sample.ranks == ranks && sample.message_bytes == bytes;
    });
}

/// From a byte to the largest, far enough apart for start-up and bandwidth to show.
std::vector<std::int64_t> point_to_point_sizes(std::int64_t largest) {
    constexpr std::int64_t shows_bandwidth = 1 << 18;
    std::vector<std::int64_t> sizes;
    for (std::int64_t size = 1; size <= std::max(largest, shows_bandwidth); size *= 8) {
        sizes.push_back(size);
    }
    return sizes;
}

/// One run of the program on all ranks. Its functions return the same on all ranks.
class Fit {
  public:
    Fit(const FitOptions& options, std::unique_ptr<Harness> harness, Measured& measured)
        : options_(options),
          harness_(std::move(harness)),
          measured_(measured),
          output_("aapc fit", harness_->rank() == 0) {}

    int run() {
        if (auto begun = begin(); !begun) {
            return output_.refuse(begun.error());
        }
        if (const auto played = measure_everything(); !played) {
            return output_.refuse(played.error());
        }
        output_.clear_progress();
        if (interrupted_) {
            output_.remark("interrupted; what was measured is kept, and the same command goes on from there");
            return ended_by_interruption;
        }
        if (late_) {
            output_.remark(
                fmt::format("{} minutes are over; fitted is what was measured until then", options_.minutes));
        }
        measured_.to_be_written = output_.speaks();
        return cli::done;
    }

  private:
    [[nodiscard]] bool ends() const { return interrupted_ || late_; }
    [[nodiscard]] std::string wide_area_file() const { return file_of_part(options_.csv, std::string(wide_area_name)); }

    // ---- Before the first measurement ----

    Expected<void> begin() {
        auto method = parse_method(options_.method, harness_->network().kind());
        if (!method) {
            Diagnostic diagnostic = method.error();
            diagnostic.file = "--method";
            return failure(std::move(diagnostic));
        }
        method_ = std::move(*method);
        measured_.method = to_string(method_);
        remarks_ = {fmt::format("topology: {}", network_digest(harness_->network())),
                    fmt::format("placement: {}", compact_hostlist(harness_->host_names())),
                    fmt::format("method: {}", measured_.method)};
        const auto sizes = parse_sizes(options_.sizes);
        if (!sizes) {
            return failure(sizes.error());
        }
        sizes_ = *sizes;
        find_parts();
        if (measured_.parts.empty()) {
            return failure(fmt::format("{} ranks are too few to contend", harness_->placement().participants()),
                           "start at least three, in one cluster");
        }
        for (const Part& part : measured_.parts) {
            if (const auto counts = rank_counts(options_.ranks, static_cast<Rank>(part.ranks.size())); !counts) {
                return failure(counts.error());
            }
        }
        return read_earlier();
    }

    void find_parts() {
        const Network& network = harness_->network();
        const Placement& placement = harness_->placement();
        if (network.kind() != NetworkKind::clusters) {
            Part whole;
            whole.ranks = spread_evenly(placement.participants(), placement.participants());
            if (whole.ranks.size() >= fewest_that_contend) {
                measured_.parts.push_back(std::move(whole));
            }
            return;
        }
        const Clusters clusters = find_clusters(network);
        for (std::vector<Rank>& ranks : ranks_by_cluster(network, placement)) {
            const auto machine =
                static_cast<std::size_t>(placement.machine_of[static_cast<std::size_t>(ranks.front())]);
            const Vertex top = clusters.switch_of[static_cast<std::size_t>(clusters.cluster_of[machine])];
            const std::string& name = network.vertices()[static_cast<std::size_t>(top)].name;
            first_ranks_.push_back(ranks.front());
            if (ranks.size() >= fewest_that_contend) {
                measured_.parts.push_back({name, std::move(ranks), {}});
            } else {
                output_.remark(fmt::format("cluster {} has too few ranks to contend; it gets no signature", name));
            }
        }
    }

    /// What an earlier run left in the CSV files.
    Expected<void> read_earlier() {
        if (options_.restart) {
            return {};
        }
        for (Part& part : measured_.parts) {
            if (auto read = read_earlier(file_of_part(options_.csv, part.name), part.samples); !read) {
                return read;
            }
        }
        return first_ranks_.size() > 1 ? read_earlier(wide_area_file(), measured_.wide_area) : Expected<void>();
    }

    Expected<void> read_earlier(const std::string& file, std::vector<ContentionSample>& samples) {
        std::string text;
        std::error_code ignored;
        if (output_.speaks() && std::filesystem::exists(file, ignored)) {
            const auto contents = read_text_file(file, samples_file);
            // What is there and cannot be read is no reason to overwrite it without being asked to.
            text = contents && !contents->empty() ? *contents : "unreadable";
        }
        text = shared_text(harness_->communicator(), text);
        if (text.empty()) {
            return {};
        }
        const std::string ours = samples_csv(remarks_, {});
        if (!text.starts_with(ours)) {
            return failure({.file = file,
                            .problem = "holds no samples of this method on this topology and placement",
                            .advice = "give --restart to overwrite it, or another --csv"});
        }
        auto earlier = read_contention_samples(text, file);
        if (!earlier) {
            return failure(std::move(earlier.error()));
        }
        samples = std::move(*earlier);
        if (!samples.empty()) {
            output_.remark(fmt::format("goes on from {} samples in {}", samples.size(), file));
        }
        return {};
    }

    // ---- Measuring ----

    Expected<void> measure_everything() {
        for (Part& part : measured_.parts) {
            if (auto measured = measure_part(part); !measured || ends()) {
                return measured;
            }
        }
        return first_ranks_.size() > 1 ? measure_wide_area() : Expected<void>();
    }

    Expected<void> measure_part(Part& part) {
        if (auto measured = measure_pair(part); !measured) {
            return measured;
        }
        const auto counts = rank_counts(options_.ranks, static_cast<Rank>(part.ranks.size()));
        for (const Rank count : *counts) {
            for (const std::int64_t bytes : sizes_) {
                if (ends()) {
                    return {};
                }
                if (contains(part.samples, count, bytes)) {
                    continue;
                }
                if (auto measured = measure_exchange(part, count, bytes); !measured) {
                    return measured;
                }
            }
        }
        for (int further = 0; further < options_.next && !ends(); ++further) {
            const auto next = next_of(part);
            if (!next) {
                output_.remark("no further measurement can be chosen with these ranks");
                return {};
            }
            if (auto measured = measure_exchange(part, next->ranks, next->message_bytes); !measured) {
                return measured;
            }
        }
        return {};
    }

    /// alpha and beta: the first rank and the last on another machine.
    Expected<void> measure_pair(Part& part) {
        const std::vector<Machine>& machine_of = harness_->placement().machine_of;
        const Rank first = part.ranks.front();
        const auto elsewhere = std::find_if(part.ranks.rbegin(), part.ranks.rend(), [&](Rank rank) {
            return machine_of[static_cast<std::size_t>(rank)] != machine_of[static_cast<std::size_t>(first)];
        });
        const Pair pair{first, elsewhere != part.ranks.rend() ? *elsewhere : part.ranks.back()};
        return measure_messages({pair}, file_of_part(options_.csv, part.name), part.samples);
    }

    /// Samples of two ranks: of several pairs the median.
    Expected<void> measure_messages(const std::vector<Pair>& pairs, const std::string& file,
                                    std::vector<ContentionSample>& samples) {
        for (const std::int64_t bytes : point_to_point_sizes(sizes_.back())) {
            if (contains(samples, 2, bytes)) {
                continue;
            }
            output_.show_progress(fmt::format("single messages of {} bytes", bytes));
            std::vector<double> of_pairs;
            for (const Pair& pair : pairs) {
                const auto seconds = one_way_seconds(*harness_, pair, bytes,
                                                     std::min(2 * options_.repeats + 1, most_repeats_of_messages));
                if (!seconds) {
                    return failure(seconds.error());
                }
                of_pairs.push_back(*seconds);
            }
            samples.push_back({2, bytes, median(of_pairs)});
            look_at_the_clock();
            if (auto saved = save(file, samples); !saved || ends()) {
                return saved;
            }
        }
        return {};
    }

    Expected<void> measure_exchange(Part& part, Rank count, std::int64_t bytes) {
        output_.show_progress(
            fmt::format("{}{} ranks, {} bytes", part.name.empty() ? "" : part.name + ": ", count, bytes));
        std::vector<Rank> members;
        for (const Rank index : spread_evenly(count, static_cast<Rank>(part.ranks.size()))) {
            members.push_back(part.ranks[static_cast<std::size_t>(index)]);
        }
        const auto team = Team::create(*harness_, members);
        if (!team) {
            return failure(team.error());
        }
        std::vector<double> seconds;
        for (int repeat = -1; repeat < options_.repeats; ++repeat) {
            const auto sample = (*team)->run_once(method_, bytes);
            if (!sample) {
                return failure(sample.error());
            }
            if (sample->interrupted) {
                interrupted_ = true;
                return {};
            }
            if (repeat >= 0) {
                seconds.push_back(sample->seconds);
            }
        }
        part.samples.push_back({count, bytes, median(seconds)});
        look_at_the_clock();
        return save(file_of_part(options_.csv, part.name), part.samples);
    }

    /// What rank 0 finds to help most.
    std::optional<NextMeasurement> next_of(const Part& part) {
        std::string text;
        if (output_.speaks()) {
            const auto fit = fit_samples(part.samples, options_.alpha, options_.beta, measured_.method, "");
            const auto most = static_cast<Rank>(part.ranks.size());
            if (!fit) {
                output_.remark(to_string(fit.error()));
            } else if (const auto next = next_within(*fit, most, INT32_MAX)) {
                text = fmt::format("{} {}", next->ranks, next->message_bytes);
                output_.remark(
                    fmt::format("next: {} ranks at {} bytes. {}", next->ranks, next->message_bytes, next->why));
            }
        }
        text = shared_text(harness_->communicator(), text);
        if (text.empty()) {
            return std::nullopt;
        }
        NextMeasurement next;
        const char* const end = text.data() + text.size();
        const auto ranks = std::from_chars(text.data(), end, next.ranks);
        std::from_chars(ranks.ptr + 1, end, next.message_bytes);
        return next;
    }

    /// The first ranks of every two clusters; overheads and gaps between those of the first two.
    Expected<void> measure_wide_area() {
        std::vector<Pair> pairs;
        for (std::size_t one = 0; one < first_ranks_.size(); ++one) {
            for (std::size_t other = one + 1; other < first_ranks_.size(); ++other) {
                pairs.push_back({first_ranks_[one], first_ranks_[other]});
            }
        }
        if (auto measured = measure_messages(pairs, wide_area_file(), measured_.wide_area); !measured) {
            return measured;
        }
        for (const std::int64_t bytes : point_to_point_sizes(sizes_.back())) {
            if (ends()) {
                return {};
            }
            output_.show_progress(fmt::format("wide area: gap and overheads of {} bytes", bytes));
            const auto gap = gap_and_overheads(*harness_, pairs.front(), bytes,
                                               std::min(options_.repeats, most_repeats_of_messages));
            if (!gap) {
                return failure(gap.error());
            }
            measured_.gaps.push_back(*gap);
            look_at_the_clock();
        }
        return {};
    }

    /// Whether it is time to end, for all ranks.
    void look_at_the_clock() {
        constexpr double seconds_in_a_minute = 60;
        std::array<double, 2> values = {PMPI_Wtime() - begin_, interrupted() ? 1.0 : 0.0};
        maximise(harness_->communicator(), values);
        late_ = late_ || values[0] > seconds_in_a_minute * options_.minutes;
        interrupted_ = interrupted_ || values[1] > 0;
    }

    /// The file is whole at any time.
    Expected<void> save(const std::string& file, const std::vector<ContentionSample>& samples) {
        std::optional<Diagnostic> complaint;
        if (output_.speaks() && cli::write_output(file, samples_csv(remarks_, samples)) != cli::done) {
            complaint = Diagnostic{
                .file = file, .problem = "the samples cannot be kept", .advice = "make room, or give another --csv"};
        }
        if (auto first = first_complaint(harness_->communicator(), complaint)) {
            return failure(std::move(*first));
        }
        return {};
    }

    const FitOptions& options_;
    std::unique_ptr<Harness> harness_;
    Measured& measured_;
    cli::JobOutput output_;
    std::vector<std::string> remarks_;  ///< of the CSV files: what they are of
    Method method_;
    std::vector<std::int64_t> sizes_;
    std::vector<Rank> first_ranks_;  ///< of each cluster
    double begin_ = PMPI_Wtime();
    bool late_ = false;
    bool interrupted_ = false;
};

Expected<WideAreaFit> wide_area_of(const Measured& measured, const std::string& file) {
    const auto link = point_to_point_of(measured.wide_area);
    if (!link) {
        return failure({.file = file, .problem = link.error().problem, .advice = link.error().advice});
    }
    WideAreaFit fit{*link, 0, measured.gaps};
    if (!measured.gaps.empty()) {
        const auto smallest = std::min_element(
            measured.wide_area.begin(), measured.wide_area.end(),
            [](const auto& one, const auto& other) { return one.message_bytes < other.message_bytes; });
        // Half a round trip is L + g(m).
        fit.latency_seconds = std::max(0.0, smallest->seconds - measured.gaps.front().gap_seconds);
    }
    return fit;
}

int fit_and_write(const FitOptions& options, const Measured& measured) {
    NetworkModel model;
    std::vector<SamplesOfPart> parts;
    for (const Part& part : measured.parts) {
        auto fit = fit_samples(part.samples, options.alpha, options.beta, measured.method,
                               file_of_part(options.csv, part.name));
        if (!fit) {
            return cli::complain(fit.error());
        }
        model.clusters.push_back({part.name, std::move(*fit)});
        parts.push_back({part.name, part.samples});
    }
    if (!measured.wide_area.empty()) {
        auto wide_area = wide_area_of(measured, file_of_part(options.csv, std::string(wide_area_name)));
        if (!wide_area) {
            return cli::complain(wide_area.error());
        }
        model.wide_area = std::move(*wide_area);
    }
    return write_fit(options, model, parts);
}

int run_program(int argc, char** argv) {
    FitOptions options;
    Measured measured;
    cli::CommandLine app{"Measures what contention costs. Started by aapc fit.", "aapc fit"};
    add_fit_options(app, options);
    const int status = run_in_harness(app, argc, argv, options.topology, [&](std::unique_ptr<Harness> harness) {
        return Fit(options, std::move(harness), measured).run();
    });
    // gnuplot is a process of its own, and MPIs do not like to be forked.
    return status == cli::done && measured.to_be_written ? fit_and_write(options, measured) : status;
}

}  // namespace

int main(int argc, char** argv) { return end_job_on_exception("aapc fit", run_program, argc, argv); }
