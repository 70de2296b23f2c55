#include "calibrate/fit/calibrate_fit.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "calibrate/fit/kernel_accuracy.hpp"
#include "calibrate/fit/parameter_file.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/base/error.hpp"

namespace rackcast {

namespace {

std::vector<KernelFit> all_fits(const KernelData& data) {
  std::vector<KernelFit> fits = fit_all(data);
  if (fits.empty())
    throw Error{
        fmt::format("no kernel class has the {} measurements that a fit needs", FitOptions{}.least_rows),
        {},
        "measure more shapes of one class on one device"};
  return fits;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> fitted_parameter_files(const std::vector<DataFile>& files) {
  const KernelData data = load_kernel_data(files);
  const std::vector<KernelFit> fits = all_fits(data);
  return parameter_files(data, fits, network_sums(files, data, fits));
}

FitReport calibrate_fit(const std::vector<DataFile>& files) {
  const KernelData data = load_kernel_data(files);
  const std::vector<KernelFit> fits = all_fits(data);
  const std::vector<NetworkSum> sums = network_sums(files, data, fits);
  return {parameter_files(data, fits, sums),
          kernel_accuracy_markdown(data, fits, sums, borrowed_errors(data, fits),
                                   borrowed_convolutions(data, fits), borrowed_sums(files, data, fits)),
          data.kernels.size(), fits.size()};
}

void write_parameter_files(const FitReport& report, const std::string& folder) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) throw Error{"cannot create the folder \"" + folder + "\": " + code.message()};
  for (const auto& [name, text] : report.files)
    write_file_atomically((std::filesystem::path{folder} / name).string(), text);
}

}  // namespace rackcast
