#include "scenarios/measured/factors.hpp"

#include <cmath>

#include "models/data_files.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {

const CommonShares& common_shares() {
  static const CommonShares known = [] {
    const Json file = parse_model_data("host/common_shares.json");
    const auto share = [&file](const char* name) {
      const Json& value = file.require(name).require("value");
      if (!(value.number() >= 0 && value.number() <= 1)) value.fail("a share is between 0 and 1");
      return value.number();
    };
    return CommonShares{.batch = share("batch"),
                        .count = share("count"),
                        .requests = share("requests"),
                        .shapes = share("shapes"),
                        .network = share("network"),
                        .gpu = share("gpu"),
                        .software = share("software"),
                        .precision = share("precision"),
                        .split = share("split")};
  }();
  return known;
}

namespace {

/// Between runs that differ by so many doublings; 1 where one does not say.
double per_doubling(double share, double a, double b) {
  return a > 0 && b > 0 ? std::pow(share, std::abs(std::log2(a / b))) : 1;
}

}  // namespace

double correlation(Factor factor, const RunTraits& a, const RunTraits& b, const CommonShares& shares) {
  double out = 1;
  const auto where = [&out](bool differs, double share) {
    if (differs) out *= share;
  };
  if (factor != Factor::kernels) out *= per_doubling(shares.count, a.gpus, b.gpus);
  where(a.gpu != b.gpu, shares.gpu);
  if (factor != Factor::kernels) {
    where(a.machine != b.machine, shares.gpu);
    where(a.nodes > 1 && b.nodes > 1 && a.fabric != b.fabric, shares.gpu);
  }
  if (factor == Factor::exchange) where((a.nodes > 1) != (b.nodes > 1), 0);
  if (factor == Factor::pace || factor == Factor::input) return out;
  out *= per_doubling(shares.batch, a.batch, b.batch);
  out *= per_doubling(shares.requests, a.requests, b.requests);
  where(a.shapes != b.shapes, shares.shapes);
  where(a.network != b.network, shares.network);
  where(a.software != b.software, shares.software);
  where(a.precision != b.precision, shares.precision);
  where(a.split != b.split, shares.split);
  return out;
}

}  // namespace rackcast
