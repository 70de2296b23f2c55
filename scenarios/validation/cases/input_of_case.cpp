#include "scenarios/validation/cases/input_of_case.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "models/data_path/host_memory.hpp"
#include "models/data_path/loaders.hpp"
#include "models/data_path/page_cache.hpp"
#include "topologies/hardware/node_spec.hpp"

namespace rackcast {
namespace {

constexpr double imagenet_images = 1281167;
constexpr int warm_epoch = 10;  ///< published rates are of long runs, unless the case has an `epoch`

std::optional<std::string> dataset_of(const ValidationCase& c) {
  return text_in(c.workload.extra, "dataset");
}

bool is_imagenet(const ValidationCase& c) {
  const auto set = dataset_of(c);
  return set && set->starts_with("imagenet");
}

/// Empty: the usual rate.
std::string loader_of(const ValidationCase& c) {
  const bool container = c.workload.framework_version.find("NGC") != std::string::npos;
  std::string name = text_in(c.workload.extra, "script").value_or("");
  if (text_in(c.workload.extra, "input_pipeline") == "dali" || (c.workload.framework == "mxnet" && container))
    name = "dali";  // NVIDIA's MXNet reads with DALI since 2018
  const auto known = loader_names();
  return std::ranges::find(known, name) != known.end() ? name : "";
}

/// How the sources name systems that the catalogue holds.
std::string array_of(const ValidationCase& c) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> names{
      {{"Isilon F800", "isilon_f800"}, {"9 TB NFS over IPoIB on EDR", "nfs_ipoib_edr_9tb"}}};
  const auto stated = text_in(c.workload.extra, "storage");
  for (const auto& [name, id] : names)
    if (stated == name) return std::string{id};
  return "host_memory";
}

}  // namespace

bool reads_images(const Catalog& catalog, const ValidationCase& c) {
  return c.workload.data == "real" && c.workload.task == "training" && is_imagenet(c) && c.system.node &&
         node_spec(catalog, {.node = *c.system.node, .gpu = c.system.gpu.value_or("")}).cpu_cores;
}

nlohmann::ordered_json storage_document(const ValidationCase& c) {
  return {{"array", array_of(c)}};
}

nlohmann::ordered_json input_document(const ValidationCase& c) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  if (const std::string loader = loader_of(c); !loader.empty()) out["loader"] = loader;
  return out;
}

double images_of_set(const ValidationCase& c) {
  return imagenet_images * (dataset_of(c) == "imagenet-x10" ? 10.0 : 1.0);
}

double epoch_of_rate(const ValidationCase& c) {
  return std::clamp(number_in(c.workload.extra, "epoch").value_or(warm_epoch + 1), 1.0, warm_epoch + 1.0);
}

double share_of_storage(const ValidationCase& c, const NodeSpec& node, int nodes, int gpus) {
  if (!is_imagenet(c) || !node.dram) return 1;
  CacheSpec spec;
  spec.set = images_of_set(c) * imagenet_image;
  spec.nodes = nodes;
  spec.page_cache = page_cache_size(node.dram->value, {.gpus = gpus});
  return epoch_hits(spec, static_cast<int>(epoch_of_rate(c)) - 1).storage;
}

}  // namespace rackcast
