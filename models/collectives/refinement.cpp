#include "models/collectives/refinement.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "models/collectives/comm_model.hpp"
#include "sim/base/error.hpp"

namespace rackcast {
namespace {

constexpr double prior_sigma = 1;  ///< of ln a and ln b
/// Spread expected of one time before the residuals are known: run-to-run spread is smaller, the form's error
/// larger (spread.json: 0.1 for one node).
constexpr double expected_sigma = 0.1;

struct Parts {
  double latency = 0, transfer = 0, measured = 0;
};

/// Normal equations of ln t at (x, y) = (ln a, ln b): 2 x 2, solved directly.
struct Step {
  double xx = 0, xy = 0, yy = 0, gx = 0, gy = 0;

  void add(double dx, double dy, double residual, double weight) {
    xx += weight * dx * dx;
    xy += weight * dx * dy;
    yy += weight * dy * dy;
    gx += weight * dx * residual;
    gy += weight * dy * residual;
  }
  [[nodiscard]] double determinant() const { return xx * yy - xy * xy; }
};

Step linearise(const std::vector<Parts>& parts, double x, double y) {
  Step step;
  for (const Parts& p : parts) {
    const double latency = std::exp(x) * p.latency, transfer = std::exp(y) * p.transfer;
    const double time = latency + transfer;
    step.add(latency / time, transfer / time, std::log(p.measured / time),
             1 / (expected_sigma * expected_sigma));
  }
  step.add(1, 0, -x, 1 / (prior_sigma * prior_sigma));
  step.add(0, 1, -y, 1 / (prior_sigma * prior_sigma));
  return step;
}

}  // namespace

CommRefinement refine(const Cluster& cluster, const CommSpec& spec, std::span<const CurvePoint> curve) {
  if (curve.size() < 4) throw Error{"a measured curve needs at least four sizes to refine the model"};
  CommSpec plain = spec;
  plain.refined.reset();
  CommModel model{cluster, plain};
  std::vector<Parts> parts;
  for (const CurvePoint& point : curve) {
    const double latency = model.plan(Collective::all_reduce, point.size).latency().base();
    const double all = model.time(Collective::all_reduce, point.size).base();
    parts.push_back({latency, std::max(all - latency, 1e-12), point.time.base()});
  }
  double x = 0, y = 0;
  for (int i = 0; i < 50; ++i) {
    const Step step = linearise(parts, x, y);
    const double dx = (step.yy * step.gx - step.xy * step.gy) / step.determinant();
    const double dy = (step.xx * step.gy - step.xy * step.gx) / step.determinant();
    x += std::clamp(dx, -1.0, 1.0);
    y += std::clamp(dy, -1.0, 1.0);
    if (std::abs(dx) + std::abs(dy) < 1e-9) break;
  }
  CommRefinement out{std::exp(x), std::exp(y), 0};
  double squares = 0;
  for (const Parts& p : parts)
    squares += std::pow(std::log(p.measured / (out.latency * p.latency + out.load * p.transfer)), 2);
  out.log_sigma = std::sqrt(squares / static_cast<double>(parts.size() - 2));
  return out;
}

}  // namespace rackcast
