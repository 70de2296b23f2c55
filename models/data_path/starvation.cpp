#include "models/data_path/starvation.hpp"

#include <cmath>

#include "sim/base/error.hpp"

namespace rackcast {

double fed_fraction(double loader_rate, double trainer_rate, int prefetch) {
  if (!(loader_rate > 0) || !(trainer_rate > 0)) throw Error{"rates of loader and trainer must be positive"};
  if (prefetch < 1) throw Error{"a loader keeps at least one batch ready"};
  const double r = loader_rate / trainer_rate, k = prefetch + 1.0;
  if (!std::isfinite(r)) return 1;
  if (std::abs(r - 1) < 1e-6) return k / (k + 1);
  // For large r: (1-r)/(1-r^(k+1)) underflows to 0, as it should.
  return 1 - (1 - r) / (1 - std::pow(r, k + 1));
}

}  // namespace rackcast
