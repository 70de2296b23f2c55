#pragma once
/// `rackcast calibrate fit` and `rackcast calibrate accuracy`.
#include <string>
#include <utility>
#include <vector>

#include "calibrate/tables/data_files.hpp"

namespace rackcast {

struct FitReport {
  std::vector<std::pair<std::string, std::string>> files;  ///< parameter files: name and text
  std::string accuracy;                                    ///< Markdown: errors on held-out shapes
  std::size_t kernels = 0, fits = 0;                       ///< measured rows and fitted sets
};

/// Fits everything in `files` (shipped_data_files() or read_data_folder(DIR)); about a minute and a half of
/// one core for the shipped measurements, and the same bytes on every machine. Throws Error on broken data.
FitReport calibrate_fit(const std::vector<DataFile>& files);

/// The parameter files alone, by name: what models/data/gpu_models would hold if these were all measurements.
std::vector<std::pair<std::string, std::string>> fitted_parameter_files(const std::vector<DataFile>& files);

/// Writes the parameter files below `folder`, which is created. Throws Error if that fails.
void write_parameter_files(const FitReport& report, const std::string& folder);

}  // namespace rackcast
