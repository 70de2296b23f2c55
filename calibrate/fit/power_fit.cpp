#include "calibrate/fit/power_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "calibrate/tables/csv_table.hpp"
#include "calibrate/tables/data_files.hpp"
#include "sim/base/error.hpp"

namespace rackcast {

namespace {

struct Epoch {
  double limit, seconds, watts;
};
/// One network with one batch size and optimizer under all its limits.
using Series = std::vector<Epoch>;
using SeriesByName = std::map<std::string, std::vector<Series>>;  ///< by data set

struct Device {
  std::string name, gpus, architecture;
};
/// The catalogue's GPUs that begin so are the measured chip; its architecture lends to the others.
const Device known_devices[] = {{"A40", "a40", "Ampere"},
                                {"P100", "p100", "Pascal"},
                                {"RTX6000", "rtx6000", "Turing"},
                                {"V100", "v100", "Volta"}};

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

/// Standard deviation of the logarithms.
double log_sigma(const std::vector<double>& values) {
  std::vector<double> logs;
  for (const double v : values) logs.push_back(std::log(v));
  const double middle = mean(logs);
  double sum = 0;
  for (const double l : logs) sum += (l - middle) * (l - middle);
  return std::sqrt(sum / static_cast<double>(logs.size()));
}

/// Mean power at the highest limit, as fractions of it.
std::vector<double> fractions_at(double limit, const std::vector<Series>& all) {
  std::vector<double> out;
  for (const Series& one : all) {
    for (const Epoch& e : one) {
      if (e.limit == limit) out.push_back(e.watts / limit);
    }
  }
  return out;
}

/// A cap that binds, and the logarithm of the speed that is left.
struct Capped {
  double watts, log_speed;
};

std::vector<Capped> capped(double limit, double busy, const std::vector<Series>& all) {
  std::vector<Capped> out;
  for (const Series& one : all) {
    const auto full = std::ranges::find(one, limit, &Epoch::limit);
    if (full == one.end()) continue;
    for (const Epoch& e : one) {
      if (e.limit < busy) out.push_back({e.limit, std::log(full->seconds / e.seconds)});
    }
  }
  return out;
}

double log_ratio(double watts, double fixed, double busy) {
  return std::log((watts - fixed) / (busy - fixed));
}

void fit_speed(const std::vector<Capped>& points, double busy, PowerFit& fit) {
  const double lowest = std::ranges::min(points, {}, &Capped::watts).watts;
  double best = INFINITY;
  for (double fixed = 0; fixed < lowest; fixed += 1) {
    double xy = 0, xx = 0, error = 0;
    for (const Capped& p : points) {
      const double x = log_ratio(p.watts, fixed, busy);
      xy += x * p.log_speed;
      xx += x * x;
    }
    const double exponent = xy / xx;
    for (const Capped& p : points) {
      const double residual = p.log_speed - exponent * log_ratio(p.watts, fixed, busy);
      error += residual * residual;
    }
    if (error < best) {
      best = error;
      fit.static_fraction = fixed / fit.limit_w;
      fit.speed_exponent = exponent;
    }
  }
  fit.rows = static_cast<int>(points.size());
  fit.speed_log_sigma = std::sqrt(best / static_cast<double>(points.size()));
  fit.lowest_cap = lowest / fit.limit_w;
}

double median_error(std::vector<double> ratios) {
  for (double& r : ratios) r = std::abs(r - 1);
  std::ranges::sort(ratios);
  return ratios[ratios.size() / 2];
}

PowerFit fit_device(const std::string& name, const SeriesByName& data) {
  for (const char* needed : {"imagenet", "squad", "sentiment140", "movielens-1m"}) {
    if (!data.contains(needed)) throw Error{fmt::format("{} has no rows of {}", name, needed)};
  }
  PowerFit fit;
  fit.device = name;
  std::vector<Series> fitted = data.at("imagenet");
  fitted.insert(fitted.end(), data.at("squad").begin(), data.at("squad").end());
  for (const Series& one : fitted) {
    for (const Epoch& e : one) fit.limit_w = std::max(fit.limit_w, e.limit);
  }
  const std::vector<double> busy = fractions_at(fit.limit_w, fitted);
  fit.busy_fraction = mean(busy);
  fit.busy_log_sigma = log_sigma(busy);
  fit.floor_fraction = mean(fractions_at(fit.limit_w, data.at("movielens-1m")));
  const double busy_w = fit.busy_fraction * fit.limit_w;
  fit_speed(capped(fit.limit_w, busy_w, fitted), busy_w, fit);

  std::vector<double> power, speed;
  const auto& held = data.at("sentiment140");
  for (const double measured : fractions_at(fit.limit_w, held)) power.push_back(fit.busy_fraction / measured);
  for (const Capped& p : capped(fit.limit_w, busy_w, held)) {
    const double fixed = fit.static_fraction * fit.limit_w;
    speed.push_back(std::exp(fit.speed_exponent * log_ratio(p.watts, fixed, busy_w) - p.log_speed));
  }
  fit.held_out_busy = median_error(power);
  fit.held_out_speed = median_error(speed);
  return fit;
}

std::string parameters(const PowerFit& f) {
  return fmt::format(
      "\"floor_fraction\": {:.4g}, \"busy_fraction\": {:.4g}, \"static_fraction\": {:.4g},\n"
      "      \"speed_exponent\": {:.4g}, \"busy_log_sigma\": {:.4g}, \"speed_log_sigma\": {:.4g}, "
      "\"lowest_cap\": {:.4g}",
      f.floor_fraction, f.busy_fraction, f.static_fraction, f.speed_exponent, f.busy_log_sigma,
      f.speed_log_sigma, f.lowest_cap);
}

/// The mean chip; its spread is that between the chips on top of that within one.
PowerFit pooled(const std::vector<PowerFit>& fits) {
  const auto all = [&fits](double PowerFit::*member) {
    std::vector<double> out;
    for (const PowerFit& f : fits) out.push_back(f.*member);
    return out;
  };
  PowerFit pool;
  pool.floor_fraction = mean(all(&PowerFit::floor_fraction));
  pool.busy_fraction = mean(all(&PowerFit::busy_fraction));
  pool.static_fraction = mean(all(&PowerFit::static_fraction));
  pool.speed_exponent = mean(all(&PowerFit::speed_exponent));
  pool.lowest_cap = std::ranges::max(all(&PowerFit::lowest_cap));
  pool.busy_log_sigma =
      std::hypot(log_sigma(all(&PowerFit::busy_fraction)), mean(all(&PowerFit::busy_log_sigma)));
  // The speed that each chip keeps at a cap of half the limit.
  std::vector<double> kept;
  for (const PowerFit& f : fits) {
    kept.push_back(std::exp(f.speed_exponent * log_ratio(0.5, f.static_fraction, f.busy_fraction)));
  }
  pool.speed_log_sigma = std::hypot(log_sigma(kept), mean(all(&PowerFit::speed_log_sigma)));
  return pool;
}

}  // namespace

std::vector<PowerFit> fit_gpu_power() {
  const std::vector<DataFile> shipped = shipped_data_files();
  const auto zeus = std::ranges::find(shipped, "power/zeus.csv", &DataFile::name);
  if (zeus == shipped.end()) throw Error{"power/zeus.csv is missing", {}, {}, ErrorKind::internal};
  const CsvTable table{*zeus,
                       {"device", "dataset", "network", "batch_size", "optimizer", "power_limit_W",
                        "time_per_epoch_s", "average_power_W", "energy_per_epoch_J"}};
  // device -> data set -> network, batch and optimizer -> limits; sorted, so that the sums have one order.
  std::map<std::string, std::map<std::string, std::map<std::string, Series>>> rows;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::string key = fmt::format("{}/{}/{}", table.text(i, "network"), table.text(i, "batch_size"),
                                        table.text(i, "optimizer"));
    rows[std::string{table.text(i, "device")}][std::string{table.text(i, "dataset")}][key].push_back(
        {table.number(i, "power_limit_W", 1), table.number(i, "time_per_epoch_s", 1e-3),
         table.number(i, "average_power_W", 1)});
  }
  std::vector<PowerFit> fits;
  for (const auto& [device, by_set] : rows) {
    SeriesByName data;
    for (const auto& [set, by_key] : by_set) {
      for (const auto& [key, series] : by_key) data[set].push_back(series);
    }
    fits.push_back(fit_device(device, data));
  }
  return fits;
}

std::string gpu_power_file(const std::vector<PowerFit>& fits) {
  std::string devices;
  for (const PowerFit& f : fits) {
    const Device* known = std::ranges::find(known_devices, f.device, &Device::name);
    if (known == std::end(known_devices)) throw Error{fmt::format("\"{}\" is not a known device", f.device)};
    devices += fmt::format(
        "{}    {{\n      \"device\": \"{}\", \"gpus\": \"{}\", \"architecture\": \"{}\", \"limit\": \"{:g} "
        "W\", "
        "\"rows\": {},\n      {},\n      \"held_out\": {{\"busy_median_abs_error\": {:.4g}, "
        "\"speed_median_abs_error\": {:.4g}}}\n    }}",
        devices.empty() ? "" : ",\n", f.device, known->gpus, known->architecture, f.limit_w, f.rows,
        parameters(f), f.held_out_busy, f.held_out_speed);
  }
  return fmt::format(
      "{{\n  \"source\": \"fit_gpu_power on calibrate/data/power/zeus.csv (Zeus, You et al., NSDI 2023): "
      "ResNet-50 "
      "and BERT-base on SQuAD; BERT-base on Sentiment140 held out\",\n  \"devices\": [\n{}\n  ],\n"
      "  \"pooled\": {{\n      \"device\": \"pooled\",\n      {}\n  }}\n}}\n",
      devices, parameters(pooled(fits)));
}

}  // namespace rackcast
