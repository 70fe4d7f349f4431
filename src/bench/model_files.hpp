/// @file
/// What `aapc fit` wrote, as `aapc predict`, `aapc explain` and `aapc tune` are given it. Knows no MPI.
#pragma once

#include <string>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/offline/network_model.hpp"

namespace aapc::bench {

/// Reads the files that the words name, each FILE or CLUSTER=FILE, and puts them together. `wide_area`, if not empty,
/// is a start-up in seconds and seconds a byte, and counts instead of what the files say of the wide area.
[[nodiscard]] Expected<NetworkModel> read_model_files(const std::vector<std::string>& words,
                                                      const std::vector<double>& wide_area = {});

}  // namespace aapc::bench
