#include "bench/fit_plot.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves declaring it to the program

namespace aapc::bench {

namespace {

/// A file without a name, gone when it is closed.
using Scratch = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

Scratch scratch_file() { return {std::tmpfile(), &std::fclose}; }

std::string contents(std::FILE* file) {
    std::string text;
    if (std::fseek(file, 0, SEEK_SET) != 0) {
        return text;
    }
    std::array<char, 65536> piece{};
    for (std::size_t read = 0; (read = std::fread(piece.data(), 1, piece.size(), file)) > 0;) {
        text.append(piece.data(), read);
    }
    return text;
}

tl::unexpected<Diagnostic> no_picture(std::string problem, std::string advice) {
    return failure({.file = "gnuplot", .problem = std::move(problem), .advice = std::move(advice)});
}

tl::unexpected<Diagnostic> no_room() {
    return no_picture("there is no room for a temporary file", "make room in the directory for temporary files");
}

/// Runs gnuplot with the files as its standard input, output and error. Its wait status, or -1 with errno.
int run_gnuplot(std::FILE* in, std::FILE* out, std::FILE* err) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(in), 0);
    posix_spawn_file_actions_adddup2(&actions, fileno(out), 1);
    posix_spawn_file_actions_adddup2(&actions, fileno(err), 2);
    std::array<char, 8> name = {"gnuplot"};
    const std::array<char*, 2> words = {name.data(), nullptr};
    pid_t child = 0;
    const int error = posix_spawnp(&child, name.data(), &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        errno = error;
        return -1;
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

/// Sizes close enough together for a smooth line, with both sides of the step at M.
std::set<std::int64_t> sizes_of_line(const ContentionFit& fit, std::int64_t smallest, std::int64_t largest) {
    constexpr int steps = 80;
    std::set<std::int64_t> sizes;
    const double ratio = static_cast<double>(largest) / static_cast<double>(smallest);
    for (int step = 0; step <= steps; ++step) {
        sizes.insert(std::llround(static_cast<double>(smallest) * std::pow(ratio, static_cast<double>(step) / steps)));
    }
    if (fit.threshold) {
        for (const std::int64_t size :
             {fit.threshold->above, fit.threshold->above + 1, fit.threshold->up_to - 1, fit.threshold->up_to}) {
            if (size > smallest && size < largest) {
                sizes.insert(size);
            }
        }
    }
    return sizes;
}

std::string line_data(const ContentionFit& fit, Rank ranks, const std::set<std::int64_t>& sizes) {
    std::string text = fmt::format("$line{} << END\n", ranks);
    for (const std::int64_t size : sizes) {
        const Estimate seconds = predict_seconds(fit, ranks, size);
        text += fmt::format("{} {} {} {}\n", size, seconds.value, seconds.interval.low, seconds.interval.high);
    }
    return text + "END\n";
}

std::string point_data(std::span<const ContentionSample> samples, Rank ranks) {
    std::string text = fmt::format("$points{} << END\n", ranks);
    for (const ContentionSample& sample : samples) {
        if (sample.ranks == ranks) {
            text += fmt::format("{} {}\n", sample.message_bytes, sample.seconds);
        }
    }
    return text + "END\n";
}

/// For gnuplot's single quotes.
std::string quoted(const std::string& text) {
    std::string inside;
    for (const char character : text) {
        inside += character == '\n' ? std::string(" ") : std::string(character == '\'' ? 2 : 1, character);
    }
    return "'" + inside + "'";
}

}  // namespace

std::string plot_script(const ContentionFit& fit, std::span<const ContentionSample> samples, const std::string& title) {
    // Samples of two ranks are of single messages, unless there is nothing else.
    const Rank fewest =
        std::any_of(samples.begin(), samples.end(), [](const auto& one) { return one.ranks > 2; }) ? 3 : 2;
    std::set<Rank> counts;
    std::int64_t smallest = fit.smallest_bytes;
    std::int64_t largest = fit.largest_bytes;
    for (const ContentionSample& sample : samples) {
        if (sample.ranks >= fewest) {
            counts.insert(sample.ranks);
            smallest = std::min(smallest, sample.message_bytes);
            largest = std::max(largest, sample.message_bytes);
        }
    }
    const std::set<std::int64_t> sizes = sizes_of_line(fit, smallest, largest);
    std::string text = fmt::format(
        "set terminal svg size 900,600 noenhanced background rgb 'white'\nset logscale xy\nset key left top\n"
        "set xlabel 'message, bytes'\nset ylabel 'all-to-all, seconds'\nset format y '%.0e'\nset grid\n"
        "set style fill transparent solid 0.2 noborder\nset title {}\n",
        quoted(title));
    std::string plots;
    int colour = 1;
    for (const Rank ranks : counts) {
        text += line_data(fit, ranks, sizes) + point_data(samples, ranks);
        plots += fmt::format(
            "{0}$line{1} using 1:3:4 with filledcurves linecolor {2} notitle, $line{1} using 1:2 with lines linecolor "
            "{2} notitle, $points{1} using 1:2 with points pointtype 7 linecolor {2} title '{1} ranks'",
            plots.empty() ? "plot " : ", ", ranks, colour);
        ++colour;
    }
    return text + plots + "\n";
}

Expected<std::string> plot_svg(const ContentionFit& fit, std::span<const ContentionSample> samples,
                               const std::string& title) {
    const Scratch in = scratch_file();
    const Scratch out = scratch_file();
    const Scratch err = scratch_file();
    if (!in || !out || !err) {
        return no_room();
    }
    const std::string script = plot_script(fit, samples, title);
    if (std::fwrite(script.data(), 1, script.size(), in.get()) != script.size() ||
        std::fseek(in.get(), 0, SEEK_SET) != 0) {
        return no_room();
    }
    const int status = run_gnuplot(in.get(), out.get(), err.get());
    if (status < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 127)) {
        return no_picture(fmt::format("cannot be run: {}", std::strerror(status < 0 ? errno : ENOENT)),
                          "install Debian's package gnuplot-nox, or leave --plot out");
    }
    std::string picture = contents(out.get());
    if (status != 0 || picture.empty()) {
        return no_picture(fmt::format("drew nothing: {}", contents(err.get())), "report it with the samples");
    }
    return picture;
}

}  // namespace aapc::bench
