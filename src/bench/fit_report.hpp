/// @file
/// What `aapc fit` says. Knows no MPI.
#pragma once

#include <string>
#include <vector>

#include "aapc/offline/contention.hpp"
#include "aapc/offline/network_model.hpp"

namespace aapc::bench {

/// "1.25 ms", or "unbounded".
[[nodiscard]] std::string seconds_text(double seconds);

/// The signature, its intervals, what the data cannot tell and the next measurement, for people.
[[nodiscard]] std::string fit_text(const ContentionFit& fit);

/// The same for each cluster, and what a message costs across the wide area.
[[nodiscard]] std::string model_text(const NetworkModel& model);

/// The samples as the CSV that read_contention_samples() reads, behind `remarks` as comment lines.
[[nodiscard]] std::string samples_csv(const std::vector<std::string>& remarks,
                                      const std::vector<ContentionSample>& samples);

/// A name for a file of one part of a network beside that of the whole: "samples.csv" and "nancy" make
/// "samples-nancy.csv"; nothing is added for a part without a name.
[[nodiscard]] std::string file_of_part(const std::string& file, const std::string& part);

/// The full name of a method for whatever kind of network, as in "tree/merged+timed" for "tree"; the diagnostic is
/// about
/// --method.
[[nodiscard]] Expected<std::string> full_method_name(const std::string& text);

/// Fits `samples`. Those of 2 ranks count for `alpha` and `beta` where these are not given (below 0), and for nothing
/// else unless there are no others. `file` is named in diagnostics.
[[nodiscard]] Expected<ContentionFit> fit_samples(std::vector<ContentionSample> samples, double alpha, double beta,
                                                  const std::string& method, const std::string& file);

}  // namespace aapc::bench
