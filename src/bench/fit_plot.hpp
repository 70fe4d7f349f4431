/// @file
/// The prediction against the measurements, as a picture. gnuplot draws it. Knows no MPI.
#pragma once

#include <span>
#include <string>

#include "aapc/input/diagnostic.hpp"
#include "aapc/offline/contention.hpp"

namespace aapc::bench {

/// What gnuplot is told: for each number of ranks the samples as points, the model as a line, and the interval
/// of 95 % of single measurements as a band; both axes logarithmic.
[[nodiscard]] std::string plot_script(const ContentionFit& fit, std::span<const ContentionSample> samples,
                                      const std::string& title);

/// The picture, SVG. Where there is no gnuplot, the diagnostic says which package has it.
[[nodiscard]] Expected<std::string> plot_svg(const ContentionFit& fit, std::span<const ContentionSample> samples,
                                             const std::string& title);

}  // namespace aapc::bench
