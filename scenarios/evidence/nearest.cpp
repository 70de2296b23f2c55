/// How far a measured training is from the one in question, in numbers and in words.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "scenarios/evidence/evidence.hpp"
#include "scenarios/evidence/statistics.hpp"
#include "sim/base/error.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/catalog/plain_name.hpp"

namespace rackcast {
namespace {

const CatalogEntry* gpu_entry(const Catalog& catalog, const std::string& id) {
  try {
    return &catalog.find("gpus", id);
  } catch (const Error&) {  // of a user's own catalogue, or of a later one
    return nullptr;
  }
}

std::string architecture(const CatalogEntry* gpu) {
  return gpu == nullptr ? std::string{} : std::string{gpu->attribute("architecture")};
}

std::string name_of(const CatalogEntry* gpu, const std::string& id) {
  return gpu == nullptr ? id : gpu->name;
}

/// "resnet" of "resnet50-v1.5", "gpt" of "gpt3-2.7b" and of "gpt-l24-h1024".
std::string family(const std::string& model) {
  return model.substr(0, model.find_first_of("0123456789-"));
}

/// 16-bit arithmetic on tensor cores, whatever a source calls it.
bool half_width(const std::string& precision) {
  return precision == "fp16" || precision == "mixed" || precision == "bf16";
}

double doublings(double a, double b) {
  return a > 0 && b > 0 ? std::abs(std::log2(a / b)) : 0;
}

/// Adds up one distance and its words.
class Comparison {
 public:
  Comparison(const Catalog& catalog, const TrainingTraits& asked, const ValidatedRun& run)
      : catalog_{catalog}, asked_{asked}, here_{run.traits} {
    near_.run = run;
  }

  NearRun make() {
    gpu();
    network();
    size();
    const bool alike = half_width(here_.precision) && half_width(asked_.precision);
    near_.distance += differs("precision", here_.precision, asked_.precision, alike ? 0.25 : 1);
    near_.distance += differs("software", here_.framework, asked_.framework, 0.5);
    interconnect();
    return std::move(near_);
  }

 private:
  void gpu() {
    const CatalogEntry* here = gpu_entry(catalog_, here_.gpu);
    const CatalogEntry* asked = gpu_entry(catalog_, asked_.gpu);
    near_.system = fmt::format("{} × {}", here_.gpus, name_of(here, here_.gpu));
    if (here_.nodes > 1) near_.system += fmt::format(" in {} nodes", here_.nodes);
    if (here_.gpu == asked_.gpu) {
      near_.same.emplace_back("GPU");
    } else if (!architecture(here).empty() && architecture(here) == architecture(asked)) {
      near_.same.push_back(architecture(here) + " architecture");
      near_.other.emplace_back("another GPU");
      near_.distance += 1;
    } else {
      near_.other.push_back(fmt::format("{} instead of {}", architecture(here), architecture(asked)));
      near_.distance += 3;
    }
  }

  void network() {
    if (here_.model == asked_.model) {
      near_.same.emplace_back("network");
      return;
    }
    near_.other.push_back(here_.model + " instead of " + asked_.model);
    if (family(here_.model) == family(asked_.model)) {
      near_.distance += 0.5;
    } else if (here_.kind == asked_.kind) {
      near_.distance += 1 + doublings(here_.flop_per_parameter, asked_.flop_per_parameter) / 4;
    } else {
      near_.distance += 4;
    }
  }

  void size() {
    near_.distance += doublings(here_.gpus, asked_.gpus) / 2;
    if (here_.gpus == asked_.gpus) {
      near_.same.emplace_back("number of GPUs");
    } else {
      near_.other.push_back(fmt::format("{} instead of {} GPUs", here_.gpus, asked_.gpus));
    }
    if ((here_.nodes > 1) == (asked_.nodes > 1)) return;
    near_.distance += 0.5;
    near_.other.emplace_back(here_.nodes > 1 ? "several nodes" : "one node");
  }

  double differs(const char* what, const std::string& here, const std::string& asked, double weight) {
    if (!here.empty() && here == asked) {
      near_.same.emplace_back(what);
      return 0;
    }
    near_.other.push_back(here.empty()    ? fmt::format("{} not stated", what)
                          : asked.empty() ? plain_name(here)
                                          : plain_name(here) + " instead of " + plain_name(asked));
    return weight;
  }

  void interconnect() {
    if (here_.nodes < 2 || asked_.nodes < 2) return;
    if (here_.node_gbit > 0 && std::abs(here_.node_gbit / asked_.node_gbit - 1) < 0.02) {
      near_.same.emplace_back("network rate");
      return;
    }
    near_.distance += 0.5;
    near_.other.push_back(here_.node_gbit > 0 ? fmt::format("{:.0f} instead of {:.0f} Gbit/s per node",
                                                            here_.node_gbit, asked_.node_gbit)
                                              : std::string{"network between nodes not known"});
  }

  const Catalog& catalog_;
  const TrainingTraits& asked_;
  const TrainingTraits& here_;
  NearRun near_;
};

/// Adds rows up.
class Tally {
 public:
  void add(const ValidatedRun& run) {
    ++tally_.rows;
    tally_.cases += run.like;
    tally_.covered += run.covered;
    errors_.push_back(std::abs(run.speed_ratio().value - 1));
  }
  [[nodiscard]] EvidenceTally result() const {
    EvidenceTally out = tally_;
    out.median_error = quantile(errors_, 0.5).value_or(0);
    return out;
  }

 private:
  EvidenceTally tally_;
  std::vector<double> errors_;
};

}  // namespace

Evidence nearest_runs(const Catalog& catalog, const std::vector<ValidatedRun>& runs,
                      const TrainingTraits& asked, std::size_t most) {
  Evidence evidence;
  Tally known, same_gpu, same_architecture;
  const std::string wanted = architecture(gpu_entry(catalog, asked.gpu));
  std::vector<NearRun> all;
  for (const ValidatedRun& run : runs) {
    const bool same = run.traits.gpu == asked.gpu;
    known.add(run);
    if (same) same_gpu.add(run);
    if (same || (!wanted.empty() && architecture(gpu_entry(catalog, run.traits.gpu)) == wanted))
      same_architecture.add(run);
    all.push_back(Comparison(catalog, asked, run).make());
  }
  evidence.all = known.result();
  evidence.same_gpu = same_gpu.result();
  evidence.same_architecture = same_architecture.result();
  std::ranges::stable_sort(all, {},
                           [](const NearRun& near) { return std::pair(near.distance, -near.run.like); });
  std::set<std::string> seen;
  for (NearRun& near : all) {
    if (evidence.nearest.size() == most) break;
    const TrainingTraits& t = near.run.traits;
    if (seen.insert(t.gpu + "/" + t.model + "/" + t.framework).second)
      evidence.nearest.push_back(std::move(near));
  }
  return evidence;
}

}  // namespace rackcast
