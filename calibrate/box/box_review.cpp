#include "calibrate/box/box_review.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "sim/units/quantity_text.hpp"

namespace rackcast {
namespace {

using Weight = Finding::Weight;

// Bounds of what is worth a word. Load: of one core. Clock: boost clocks breathe by a few per cent. Noise:
// half width of the interval of the median. Outliers: calibrate/fit/statistics.hpp.
constexpr double much_load = 0.25, clock_fall = 0.05, noisy = 0.05, many_outliers = 0.10, half_rate = 0.65;

/// "12 measurements (gpu_gemm/..., ... and 10 more)".
std::string some(const std::vector<std::string>& ids) {
  std::string out = fmt::format("{} measurement{} ({}", ids.size(), ids.size() == 1 ? "" : "s", ids.front());
  if (ids.size() > 1) out += ", " + ids[1];
  if (ids.size() > 2) out += fmt::format(" and {} more", ids.size() - 2);
  return out + ")";
}

template <class Test>
std::vector<std::string> which(const Box& box, Test test) {
  std::vector<std::string> out;
  for (const Measurement& m : box.measurements)
    if (test(m)) out.push_back(m.id);
  return out;
}

void check_conditions(const Box& box, std::vector<Finding>& out) {
  const auto report = [&](const std::vector<std::string>& ids, const char* text, const char* hint) {
    if (!ids.empty()) out.push_back({Weight::warning, some(ids) + " " + text, hint});
  };
  std::map<std::string, std::vector<std::string>> throttled;
  for (const Measurement& m : box.measurements)
    for (const std::string& reason : m.conditions.throttle) throttled[reason].push_back(m.id);
  for (const auto& [reason, ids] : throttled)
    out.push_back({Weight::warning, fmt::format("{} slowed down by the device: {}", some(ids), reason),
                   reason == "power cap" ? "the GPU runs at its power limit; normal for long matrix products"
                                         : "look at cooling, fans and dust"});
  report(which(box, [](const Measurement& m) { return m.conditions.clock_drop.value_or(0) > clock_fall; }),
         "saw the clock fall by more than 5 %", "let the machine cool down, or fix the cooling");
  report(which(box, [](const Measurement& m) { return m.conditions.load.value_or(0) > much_load; }),
         "ran beside other work on the machine", "stop it and measure again");
  report(which(box,
               [](const Measurement& m) {
                 const SampleSummary s = m.summary();
                 return s.confidence > 0 && s.median > 0 && (s.high - s.low) / 2 > noisy * s.median;
               }),
         "are noisy: the median is known to no better than 5 %", "measure longer: --thorough or --time");
  report(which(box,
               [](const Measurement& m) {
                 return m.samples.size() >= 10 && outlier_share(m.samples) > many_outliers;
               }),
         "have many outliers: something else ran now and then", "stop other work and measure again");
  report(which(box, [](const Measurement& m) { return m.summary().confidence == 0; }),
         "have too few samples for an interval", "measure longer: --thorough or --time");
}

/// Of links and GPUs that should be alike, those far below the best. `strip` makes their ids equal.
void compare_siblings(const Box& box, std::string_view kind, std::vector<Finding>& out) {
  std::map<std::string, std::vector<const Measurement*>> groups;
  for (const Measurement& m : box.measurements) {
    if (m.kind != kind) continue;
    std::string key = m.id;
    for (std::size_t at = 0; !m.device.empty() && (at = key.find(m.device, at)) != std::string::npos;)
      key.erase(at, m.device.size());
    while (key.ends_with('/')) key.pop_back();
    groups[key].push_back(&m);
  }
  for (const auto& [key, list] : groups) {
    if (list.size() < 2) continue;
    const Measurement* best =
        *std::ranges::max_element(list, {}, [](const Measurement* m) { return m->rate(); });
    for (const Measurement* m : list)
      if (m->rate() < half_rate * best->rate())
        out.push_back({Weight::fault,
                       fmt::format("{}: {:.3g} G{}/s, and {} reaches {:.3g} G{}/s", m->id, m->rate() / 1e9,
                                   m->amount_unit, best->device, best->rate() / 1e9, best->amount_unit),
                       "a link at half its width, a card in the wrong slot, or a sick GPU"});
  }
}

/// Pinned copies of the largest size against the rates of PCIe generations: half of one is a link at half
/// width.
void check_host_link(const Box& box, std::vector<Finding>& out) {
  for (const char* direction : {"h2d", "d2h"}) {
    const Measurement* large = nullptr;
    for (const Measurement& m : box.measurements) {
      const auto pattern = m.labels.find("pattern"), memory = m.labels.find("memory");
      if (m.kind != "gpu_host_copy" || m.device != "gpu0" || pattern == m.labels.end() ||
          pattern->second != direction || memory == m.labels.end() || memory->second != "pinned")
        continue;
      if (!large || m.amount > large->amount) large = &m;
    }
    // PCIe 3.0 x16 reaches about 12 GB/s with pinned memory; every data-centre GPU since Pascal has it.
    if (large && large->rate() < 8e9)
      out.push_back({Weight::warning,
                     fmt::format("copies {} run at {:.3g} GB/s, below a PCIe 3.0 x16 link", direction,
                                 large->rate() / 1e9),
                     "look at the width of the link: nvidia-smi -q, \"Link Width\""});
  }
}

void check_memory(const Box& box, std::vector<Finding>& out) {
  if (box.gpus.empty() || !(box.gpus.front().memory_peak.base() > 0)) return;
  double best = 0;
  for (const Measurement& m : box.measurements)
    if (m.kind == "gpu_memory" && m.device == "gpu0") {
      const auto bytes = m.numbers.find("bytes");
      if (bytes != m.numbers.end() && bytes->second >= 2 * box.gpus.front().l2.base())
        best = std::max(best, m.rate());
    }
  const double share = best / box.gpus.front().memory_peak.base();
  if (best > 0 && share < 0.6)
    out.push_back(
        {Weight::warning,
         fmt::format("device memory reaches {:.0f} % of its pin rate; 75 to 95 % are usual", 100 * share),
         "ECC errors, another process on the GPU, or a low memory clock"});
}

}  // namespace

std::vector<Finding> check_box(const Box& box) {
  std::vector<Finding> out;
  if (!box.complete)
    out.push_back({Weight::warning, "the box is partial: measuring was interrupted or ran out of time",
                   "measure again with more time"});
  std::map<std::string, std::vector<std::string>> missing;
  for (const NotMeasured& n : box.not_measured) missing[n.reason].push_back(n.what);
  for (const auto& [reason, what] : missing) {
    const bool wrong = reason.starts_with("wrong result");
    std::string names = what.front();
    if (what.size() > 1) names += fmt::format(" and {} more", what.size() - 1);
    out.push_back({wrong ? Weight::fault : Weight::note, fmt::format("not measured: {}: {}", names, reason),
                   wrong ? "the GPU or its libraries compute wrongly: do not use this machine" : ""});
  }
  check_conditions(box, out);
  for (const std::string_view kind : {"gpu_peer_copy", "gpu_host_copy", "gpu_gemm", "gpu_memory"})
    compare_siblings(box, kind, out);
  check_host_link(box, out);
  check_memory(box, out);
  for (const BoxGpu& gpu : box.gpus)
    if (gpu.name != box.gpus.front().name)
      out.push_back({Weight::warning,
                     fmt::format("the GPUs differ: {} and {}", box.gpus.front().name, gpu.name),
                     "models are fitted to the first"});
  if (box.host.governor == "powersave" || box.host.governor == "ondemand")
    out.push_back({Weight::note, fmt::format("the CPU's frequency governor is \"{}\"", box.host.governor),
                   "\"performance\" gives steadier numbers"});
  for (const std::string& warning : box.warnings) out.push_back({Weight::note, warning, ""});
  if (std::ranges::none_of(out, [](const Finding& f) { return f.weight != Weight::note; }))
    out.push_back({Weight::note, "nothing suspicious was found", ""});
  std::ranges::stable_sort(out, std::ranges::greater{}, &Finding::weight);
  return out;
}

BoxDifference compare_boxes(const Box& a, const Box& b) {
  BoxDifference out;
  const auto fact = [&](const char* name, const std::string& x, const std::string& y) {
    if (x != y)
      out.facts.push_back(
          fmt::format("{}: {} | {}", name, x.empty() ? "unknown" : x, y.empty() ? "unknown" : y));
  };
  fact("CPU", a.host.cpu_model, b.host.cpu_model);
  fact("cores", std::to_string(a.host.cores), std::to_string(b.host.cores));
  fact("memory", to_text(a.host.memory), to_text(b.host.memory));
  fact("GPUs", std::to_string(a.gpus.size()), std::to_string(b.gpus.size()));
  if (!a.gpus.empty() && !b.gpus.empty()) {
    fact("GPU", a.gpus.front().name, b.gpus.front().name);
    fact("driver", a.gpus.front().driver, b.gpus.front().driver);
    fact("CUDA", a.gpus.front().runtime, b.gpus.front().runtime);
  }
  fact("effort", a.effort, b.effort);
  for (const Measurement& x : a.measurements) {
    const Measurement* y = b.find(x.id);
    if (!y) {
      out.only_a.push_back(x.id);
      continue;
    }
    if (!(x.rate() > 0) || !(y->rate() > 0)) continue;
    const SampleSummary s = x.summary(), t = y->summary();
    // As rates, for test files may differ in size.
    const double ratio = y->rate() / x.rate();
    const bool apart = x.amount / s.high > y->amount / t.low || y->amount / t.high > x.amount / s.low;
    out.changes.push_back(
        {x.id, ratio, apart && s.confidence > 0 && t.confidence > 0 && std::abs(std::log(ratio)) > 0.03});
  }
  for (const Measurement& y : b.measurements)
    if (!a.find(y.id)) out.only_b.push_back(y.id);
  std::ranges::stable_sort(out.changes, std::ranges::greater{},
                           [](const BoxChange& c) { return std::abs(std::log(c.ratio)); });
  return out;
}

}  // namespace rackcast
