#include "scenarios/measured/factors.hpp"

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
                        .network = share("network"),
                        .gpu = share("gpu"),
                        .software = share("software"),
                        .precision = share("precision"),
                        .split = share("split")};
  }();
  return known;
}

double correlation(Factor factor, const RunTraits& a, const RunTraits& b, const CommonShares& shares) {
  double out = 1;
  const auto where = [&out](bool differs, double share) {
    if (differs) out *= share;
  };
  where(a.gpus != b.gpus || a.nodes != b.nodes, factor == Factor::kernels ? 1 : shares.count);
  where(a.gpu != b.gpu, shares.gpu);
  if (factor != Factor::kernels) {
    where(a.machine != b.machine, shares.gpu);
    where(a.nodes > 1 && b.nodes > 1 && a.fabric != b.fabric, shares.gpu);
  }
  if (factor == Factor::exchange) where((a.nodes > 1) != (b.nodes > 1), 0);
  if (factor == Factor::pace || factor == Factor::input) return out;
  where(a.batch != b.batch, shares.batch);
  where(a.network != b.network, shares.network);
  where(a.software != b.software, shares.software);
  where(a.precision != b.precision, shares.precision);
  where(a.split != b.split, shares.split);
  return out;
}

}  // namespace rackcast
