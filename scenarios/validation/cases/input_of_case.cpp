#include "scenarios/validation/cases/input_of_case.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "models/data_files.hpp"
#include "models/data_path/cache.hpp"
#include "models/data_path/host_memory.hpp"
#include "models/data_path/input_path.hpp"
#include "models/data_path/starvation.hpp"
#include "models/data_path/storage.hpp"
#include "models/data_path/storage_system.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "sim/json/reader.hpp"
#include "topologies/hardware/node_spec.hpp"

namespace rackcast {
namespace {

constexpr double imagenet_images = 1281167;
constexpr int prefetch = 2;            ///< batches, the default of scenarios
constexpr int warm_epoch = 10;         ///< published rates are of long runs, unless the case has an `epoch`
constexpr double shard_images = 1251;  ///< of the usual 1,024 TFRecord files

std::optional<std::string> dataset_of(const ValidationCase& c) {
  return text_in(c.workload.extra, "dataset");
}

struct Loader {
  Frequency per_core{0};
  bool jitter = false;
};

Loader loader_of(const ValidationCase& c) {
  const bool container = c.workload.framework_version.find("NGC") != std::string::npos;
  std::string name = text_in(c.workload.extra, "script").value_or("");
  if (text_in(c.workload.extra, "input_pipeline") == "dali" || (c.workload.framework == "mxnet" && container))
    name = "dali";  // NVIDIA's MXNet reads with DALI since 2018
  const Json file = parse_model_data("data_path/loaders.json");
  const Json* entry = file.find(name);
  if (entry == nullptr || name == "note") return {input_path_facts().decode_per_core, false};
  ObjectReader in{*entry};
  return {in.quantity<Frequency>("rate_per_core"), in.boolean_or("jitter", false)};
}

/// How the sources name systems that the catalogue holds.
std::optional<std::string> array_of(const ValidationCase& c) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> names{
      {{"Isilon F800", "isilon_f800"}, {"9 TB NFS over IPoIB on EDR", "nfs_ipoib_edr_9tb"}}};
  const auto stated = text_in(c.workload.extra, "storage");
  for (const auto& [name, id] : names)
    if (stated == name) return std::string{id};
  return std::nullopt;
}

/// Images/s of the storage; infinite where it is not known.
double storage_rate(const Catalog& catalog, const ValidationCase& c, int nodes, double share) {
  const auto array = array_of(c);
  if (!array || share <= 0) return std::numeric_limits<double>::infinity();
  const StorageFacts facts = storage_facts(catalog, *array);
  StorageSystem system;
  system.name = facts.name;
  system.kind = facts.kind;
  system.read = facts.read;
  system.operations = facts.operations;
  system.opens = facts.opens;
  system.per_client = facts.per_client;
  ReadLoad load;
  load.layout = {RecordFormat::tfrecord, imagenet_image, shard_images};
  load.nodes = nodes;
  load.share = share;
  return read_rate(with_kind_facts(std::move(system)), load).base();
}

}  // namespace

bool reads_imagenet(const ValidationCase& c) {
  const auto set = dataset_of(c);
  return c.workload.data == "real" && c.workload.task == "training" && set && set->starts_with("imagenet");
}

double share_of_storage(const ValidationCase& c, const NodeSpec& node, int nodes, int gpus) {
  const auto set = dataset_of(c);
  if (!set || !set->starts_with("imagenet") || !node.dram) return 1;
  CacheSpec spec;
  spec.set = imagenet_images * (*set == "imagenet-x10" ? 10.0 : 1.0) * imagenet_image;
  spec.nodes = nodes;
  spec.page_cache = page_cache_size(node.dram->value, {.gpus = gpus});
  const double epoch = number_in(c.workload.extra, "epoch").value_or(warm_epoch + 1);
  return epoch_hits(spec, static_cast<int>(std::clamp(epoch - 1, 0.0, double{warm_epoch}))).storage;
}

CaseInput input_of_case(const Catalog& catalog, const ValidationCase& c, const NodeSpec& node, int nodes,
                        int gpus) {
  if (!reads_imagenet(c) || !c.system.node || !node.cpu_cores) return {};
  const Loader loader = loader_of(c);
  const double cores = nodes * static_cast<double>(node.cpu_cores->value) * loader.per_core.base();
  const double stored = storage_rate(catalog, c, nodes, share_of_storage(c, node, nodes, gpus));
  const InputPathFacts facts = input_path_facts();
  return {Frequency{std::min(cores, stored)}, loader.jitter,
          stored < cores ? facts.storage_log_sigma : facts.decode_log_sigma,
          stored < cores ? "storage read" : "decoding on the host"};
}

PredictedFigure fed(const PredictedFigure& unfed, const CaseInput& input) {
  if (!(input.rate > Frequency{0})) return unfed;
  const double gpu_rate = unfed.value, gpu_log_sigma = std::log(unfed.high / unfed.low) / (2 * 1.645);
  const auto rate = [&](double gpus, double loader) {
    return input.jitter ? gpus * fed_fraction(loader, gpus, prefetch) : std::min(gpus, loader);
  };
  const double value = rate(gpu_rate, input.rate.base());
  // How much of a change of either side arrives, one standard deviation to each side.
  const auto arrives = [&](double gpus_log, double input_log) {
    return std::log(rate(gpu_rate * std::exp(gpus_log), input.rate.base() * std::exp(input_log)) /
                    rate(gpu_rate * std::exp(-gpus_log), input.rate.base() * std::exp(-input_log))) /
           2;
  };
  return figure_of(value, std::hypot(arrives(gpu_log_sigma, 0), arrives(0, input.log_sigma)),
                   gpu_rate > input.rate.base() ? input.binds : unfed.binds);
}

}  // namespace rackcast
