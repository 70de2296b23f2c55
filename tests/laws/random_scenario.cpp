#include "tests/laws/random_scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "models/data_files.hpp"
#include "models/frameworks/framework.hpp"
#include "models/gpu/precision_support.hpp"
#include "models/gpu/rates_of.hpp"
#include "models/networks/transformer.hpp"
#include "models/networks/workload.hpp"
#include "scenarios/listings/listing.hpp"
#include "sim/base/error.hpp"
#include "sim/base/random.hpp"
#include "topologies/hardware/node_spec.hpp"

namespace rackcast {
namespace {

using nlohmann::json;

/// First column of a table of `rackcast catalog list KIND`.
std::vector<std::string> listed(const Catalog& catalog, const char* kind) {
  std::vector<std::string> out;
  const json document = json::parse(list_catalog(catalog, kind));
  for (const json& row : document.at("tables").at(0).at("rows")) out.push_back(row.at(0).get<std::string>());
  return out;
}

std::vector<std::string> first_names(const std::vector<EmbeddedFile>& files) {
  std::vector<std::string> out;
  for (const EmbeddedFile& file : files) {
    const json profile = json::parse(file.text, nullptr, true, true);  // with comments
    if (profile.contains("names")) out.push_back(profile["names"].at(0).get<std::string>());
  }
  return out;
}

class Draw {
 public:
  Draw(std::uint64_t seed, const ScenarioNames& all, const Catalog& parts)
      : random(seed, "scenario"), names(all), catalog(parts) {}

  json scenario();

 private:
  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[random.below(all.size())];
  }
  std::string word(std::initializer_list<const char*> all) { return all.begin()[random.below(all.size())]; }
  bool chance(double p) { return random.uniform() < p; }
  int whole(int low, int high) {
    return low + static_cast<int>(random.below(static_cast<std::uint64_t>(high - low + 1)));
  }
  int power_of_two(int most) { return 1 << whole(0, static_cast<int>(std::log2(most))); }
  double spread(double low, double high) { return std::exp(random.uniform(std::log(low), std::log(high))); }
  std::string amount(double low, double high, const char* unit) {
    return fmt::format("{:.3g} {}", spread(low, high), unit);
  }

  json cluster(int most_nodes, bool trains);
  json fabric();
  json data();
  json input();
  json exchange();
  json workload(bool split);
  json parallelism(const NetworkName& network);
  json failures(bool has_storage);
  json site();
  json goal();
  json search();
  json serving(bool tokens);
  std::string precision(PrecisionUse use);

  RandomStream random;
  const ScenarioNames& names;
  const Catalog& catalog;
  std::optional<NodeSpec> node;
  int nodes = 1;
};

json Draw::fabric() {
  json out = json::object();
  if (chance(0.6)) out["kind"] = one_of(names.fabrics);
  if (chance(0.5)) out["oversubscription"] = word({"1", "2", "4"}) == "1" ? 1 : whole(2, 8);
  if (chance(0.4)) out["rails"] = word({"by_node", "by_rail", "separate"});
  if (chance(0.5)) out["routing"] = word({"dmodk", "ecmp", "adaptive"});
  if (chance(0.2)) out["link"] = one_of(names.links);
  if (chance(0.15)) out["links_per_node"] = power_of_two(8);
  if (chance(0.25)) out["link_rate"] = fmt::format("{} Gbit/s", word({"10", "20", "40", "100", "200"}));
  if (chance(0.1)) out["switch"] = one_of(names.switches);
  return out;
}

json Draw::cluster(int most_nodes, bool trains) {
  json out;
  for (int attempt = 0; attempt < 50 && !node; ++attempt) {
    NodeChoice choice{one_of(names.nodes)};
    if (catalog.find("nodes", choice.node).json.find("template")) choice.gpu = one_of(names.gpus);
    try {
      node = node_spec(catalog, choice);
      if (supported_precisions(gpu_rates(node->gpu), PrecisionUse::training).empty()) node.reset();
    } catch (const Error&) {
      node.reset();
    }
    out = {{"node", choice.node}};
    if (!choice.gpu.empty()) out["gpu"] = choice.gpu;
  }
  nodes = static_cast<int>(spread(1, most_nodes + 0.99));
  out["nodes"] = nodes;
  if (chance(0.6)) out["fabric"] = fabric();
  if (chance(0.05)) out["peer_to_peer"] = chance(0.5);
  if (chance(0.05)) out["gpu_links"] = false;
  if (!trains) return out;
  if (chance(0.1)) out["gpus_per_node"] = whole(1, std::max(1, node ? node->gpus : 1));
  if (chance(0.1) && node) out["gpus_per_job"] = whole(1, nodes * node->gpus);
  if (chance(0.08))
    out["stragglers"] = json::array({{{"nodes", 1}, {"compute", 0.8}, {"network", chance(0.5) ? 0.5 : 1.0}}});
  return out;
}

std::string Draw::precision(PrecisionUse use) {
  if (!node) return "fp32";
  const auto known = supported_precisions(gpu_rates(node->gpu), use);
  return known.empty() ? "fp32" : std::string{to_string(one_of(known))};
}

json Draw::data() {
  json out;
  const double kind = random.uniform();
  if (kind < 0.7)
    out["samples"] = static_cast<std::int64_t>(spread(1e4, 1e9));
  else if (kind < 0.85)
    out["size"] = amount(1, 1e5, "GB");
  else
    out["fleet"] = {{"vehicles", whole(1, 1000)},
                    {"capture_rate", amount(0.01, 2, "TB/h")},
                    {"recording_per_day", fmt::format("{} h", whole(1, 24))},
                    {"days", whole(1, 400)},
                    {"kept", spread(1e-4, 1e-2)}};
  if (chance(0.6)) out["bytes_per_sample"] = amount(0.5, 2000, "kB");
  if (chance(0.1)) out["compression"] = random.uniform(1, 4);
  if (chance(0.1)) out["copies"] = whole(1, 3);
  return out;
}

json Draw::input() {
  json out = json::object();
  if (chance(0.3)) out["record"] = word({"jpeg", "raw", "audio", "text", "lidar", "video", "volume"});
  if (chance(0.4)) out["format"] = word({"files", "tfrecord", "recordio", "lmdb"});
  if (chance(0.4)) out["sharding"] = word({"fixed", "resampled", "all"});
  if (chance(0.3)) out["order"] = word({"shuffled", "sequential"});
  if (chance(0.3)) out["page_cache"] = chance(0.5);
  if (chance(0.3)) out["ssd_cache"] = chance(0.5);
  if (chance(0.3)) out["decoder"] = word({"cpu", "gpu", "gpu_engine"});
  if (chance(0.3)) out["workers_per_gpu"] = whole(1, 16);
  if (chance(0.3)) out["prefetch"] = whole(1, 8);
  if (chance(0.2)) out["pinned"] = chance(0.5);
  if (chance(0.2)) out["jitter"] = chance(0.5);
  if (chance(0.2)) out["checkpoint_every"] = amount(1, 600, "min");
  if (chance(0.2)) out["asynchronous_checkpoint"] = chance(0.5);
  return out;
}

json Draw::exchange() {
  if (chance(0.4)) return one_of(names.exchanges);
  if (chance(0.4)) return one_of(names.collectives);
  json out = json::object();
  if (chance(0.5))
    out["strategy"] = word({"all_reduce", "parameter_server", "local_sgd", "model_parallel", "hybrid"});
  if (chance(0.4)) out["algorithm"] = one_of(names.collectives);
  if (chance(0.4)) out["transport"] = one_of(names.transports);
  if (chance(0.3)) out["stack"] = word({"rdma", "tcp"});
  if (chance(0.3)) out["compression"] = one_of(names.compressions);
  if (chance(0.2)) out["bucket"] = amount(0.1, 100, "MiB");
  if (chance(0.2)) out["after_backward"] = chance(0.5);
  if (out.value("strategy", "") == "parameter_server") {
    if (chance(0.5)) out["servers"] = whole(0, 8);
    if (chance(0.5)) out["mode"] = word({"synchronous", "asynchronous"});
  }
  if (out.value("strategy", "") == "local_sgd") out["local_steps"] = whole(1, 32);
  return out;
}

/// A split whose parts divide what they split, mostly.
json Draw::parallelism(const NetworkName& network) {
  const int gpus = nodes * (node ? node->gpus : 1);
  json out = json::object();
  int tensor = 1, pipeline = 1;
  if (chance(0.7)) {
    tensor = std::min(power_of_two(8), gpus);
    while (tensor > 1 && (gpus % tensor != 0 || network.heads % tensor != 0)) --tensor;
  }
  if (chance(0.5)) {
    pipeline = std::min(power_of_two(8), gpus / tensor);
    while (pipeline > 1 && ((gpus / tensor) % pipeline != 0 || network.layers % pipeline != 0)) --pipeline;
  }
  if (tensor > 1) out["tensor"] = tensor;
  if (pipeline > 1) out["pipeline"] = pipeline;
  if (pipeline > 1 && chance(0.3)) out["interleave"] = 2;
  if (pipeline > 1 && !out.contains("interleave") && chance(0.4))
    out["schedule"] = word({"1f1b", "gpipe", "zero_bubble", "zero_bubble_2p", "dualpipe"});
  if (chance(0.1)) out["context"] = 2;
  if (network.experts > 0 && chance(0.5)) out["expert"] = power_of_two(8);
  if (chance(0.5)) out["micro_batch"] = power_of_two(4);
  out["micro_batches"] = pipeline > 1 ? 2 * pipeline * whole(1, 4) : whole(1, 8);
  if (chance(0.6)) out["zero_stage"] = whole(0, out.contains("expert") ? 1 : 3);
  if (out.value("zero_stage", 0) == 3 && chance(0.3)) out["gather"] = word({"layers", "tensors"});
  if (chance(0.5)) out["recompute"] = word({"none", "selective", "full"});
  if (chance(0.3)) out["sequence_parallel"] = chance(0.5);
  return out;
}

json Draw::workload(bool split) {
  std::vector<NetworkName> possible;
  const double memory = node ? node->gpu.memory.value.base() : 16e9;
  const double gpus = nodes * (node ? node->gpus : 1);
  for (const NetworkName& n : names.networks) {
    // 20 bytes hold a parameter with its gradient and optimizer states; the rest is for activations.
    const bool fits = 20 * n.parameters < memory * (split ? std::min(gpus, 64.0) : 1.0);
    if (fits && (!split || n.transformer)) possible.push_back(n);
  }
  if (possible.empty()) possible = names.networks;
  const NetworkName& network = one_of(possible);
  json out = {{"model", network.name}, {"precision", precision(PrecisionUse::training)}};
  if (chance(0.8)) out["epochs"] = spread(0.5, 90);
  if (chance(0.8)) out["framework"] = {{"name", one_of(names.frameworks)}};
  if (out.contains("framework") && chance(0.1)) out["framework"]["compiled"] = true;
  if (chance(0.2)) out["optimizer"] = word({"momentum", "adam", "none"});
  if (split) {
    out["parallelism"] = parallelism(network);
    if (chance(0.1)) out["adapters"] = {{"rank", 16}};
    return out;
  }
  if (chance(0.9)) out["batch_per_gpu"] = power_of_two(network.transformer ? 16 : 256);
  if (chance(0.4)) out["exchange"] = exchange();
  if (chance(0.1)) out["accumulation"] = whole(1, 8);
  if (chance(0.1)) out["recompute"] = word({"none", "selective", "full"});
  if (chance(0.1)) out["critical_batch"] = std::floor(spread(256, 65536));
  if (chance(0.1))
    out["convergence"] = {
        {"critical_batch", std::floor(spread(256, 65536))}, {"reference_batch", 256}, {"source", "drawn"}};
  return out;
}

json Draw::failures(bool has_storage) {
  json out = json::object();
  if (!has_storage || chance(0.2)) out["checkpoint_stall"] = amount(1, 120, "s");
  if (chance(0.3)) out["node_mtbf"] = amount(30, 3000, "days");
  if (chance(0.3)) out["spares"] = whole(0, 4);
  if (chance(0.3)) out["checkpoint"] = word({"daly", "young", "30 min"});
  return out;
}

json Draw::site() {
  json out = json::object();
  if (chance(0.5))
    out["racks"] = {{"basis", word({"nameplate", "typical"})}, {"power", amount(10, 60, "kW")}};
  if (chance(0.5)) out["power"]["feed"] = amount(50, 5000, "kW");
  if (chance(0.3)) out["power"]["gpu_cap"] = fmt::format("{} W", whole(100, 700));
  if (chance(0.3)) out["cooling"]["rack"] = word({"air", "contained_air", "rear_door", "direct_liquid"});
  if (chance(0.3)) out["cooling"]["pue"] = random.uniform(1, 2);
  if (chance(0.3)) out["grid"]["region"] = word({"world", "germany", "us_virginia"});
  if (chance(0.2)) out["floor"]["area"] = amount(20, 2000, "m2");
  if (chance(0.5)) {
    out["prices"]["date"] = fmt::format("{}-06-30", whole(2017, 2025));
    if (chance(0.4)) out["prices"]["budget"] = amount(0.5, 100, "million USD");
  }
  return out;
}

json Draw::goal() {
  json out = {{"deadline", amount(0.2, 1000, "h")}, {"max_nodes", power_of_two(128)}};
  if (chance(0.3)) out["objective"] = word({"fewest-nodes", "fastest"});
  return out;
}

json Draw::search() {
  json out = json::object();
  if (chance(0.5)) out["oversubscription"] = {1, 2, 4};
  if (chance(0.5)) {
    out["precision"] = json::array();
    if (node)
      for (const Precision p : supported_precisions(gpu_rates(node->gpu), PrecisionUse::training))
        out["precision"].push_back(std::string{to_string(p)});
  }
  if (chance(0.3)) out["batch_per_gpu"] = {8, 32};
  if (out.empty()) out["nodes"] = {1, 2, 4, 8, 16};
  return out;
}

json Draw::serving(bool tokens) {
  std::vector<NetworkName> possible;
  const double memory = node ? node->gpu.memory.value.base() * std::max(1, node->gpus) : 16e9;
  for (const NetworkName& n : names.networks)
    if (tokens ? n.causal && 3 * n.parameters < memory : !n.causal && 4 * n.parameters < memory / 8)
      possible.push_back(n);
  if (possible.empty()) possible = names.networks;
  json out = {{"model", one_of(possible).name},
              {"precision", precision(tokens ? PrecisionUse::generation : PrecisionUse::inference)}};
  if (tokens) {
    out["rate"] = fmt::format("{:.3g}/s", spread(0.1, 100));
    out["prompt"] = std::floor(spread(16, 2000));
    out["output"] = std::floor(spread(16, 500));
    out["first_token"] = amount(0.1, 10, "s");
    out["token"] = amount(10, 300, "ms");
  } else {
    out["rate"] = fmt::format("{:.3g}/s", spread(1, 1e5));
    out["latency"] = amount(5, 500, "ms");
    if (chance(0.3)) out["max_batch"] = power_of_two(128);
    if (chance(0.2)) out["request"] = amount(1, 1000, "kB");
  }
  if (chance(0.6)) out["framework"] = {{"name", one_of(tokens ? names.engines : names.frameworks)}};
  if (chance(0.4)) out["peak"] = random.uniform(1, 4);
  if (chance(0.3)) out["percentile"] = word({"50", "99"}) == "50" ? 50 : 99;
  if (chance(0.3)) out["spares"] = whole(0, 3);
  return out;
}

json Draw::scenario() {
  json out = {{"name", "drawn"}};
  const double kind = random.uniform();
  if (kind < 0.12) {
    out["cluster"] = cluster(32, false);
    out["serving"] = serving(kind < 0.02);
    if (chance(0.5)) {
      out["cluster"].erase("nodes");
      out["goal"] = {{"max_nodes", power_of_two(256)}};
    }
    if (chance(0.2)) out["site"] = site();
    return out;
  }
  const bool split = kind < 0.35, sizes = chance(0.3);
  out["cluster"] = cluster(sizes || split ? 16 : 128, true);
  out["data"] = data();
  if (chance(0.5)) out["storage"] = {{"array", one_of(names.storage)}, {"count", power_of_two(16)}};
  if (chance(0.25)) out["input"] = input();
  out["workloads"] = json::array({workload(split)});
  if (chance(0.1)) {
    out["workloads"].push_back(workload(false));
    if (chance(0.5)) out["workloads_run"] = "each-on-its-own";
  }
  if (chance(0.2)) out["failures"] = failures(out.contains("storage"));
  if (chance(0.2)) out["site"] = site();
  if (sizes) {
    out["goal"] = goal();
    if (!split && chance(0.4)) out["search"] = search();
  }
  return out;
}

}  // namespace

ScenarioNames ScenarioNames::of(const Catalog& catalog) {
  ScenarioNames out;
  for (const WorkloadSummary& summary : workload_list()) {
    const Workload network = load_workload(summary.name);
    NetworkName& n = out.networks.emplace_back();
    n.name = summary.name;
    n.parameters = network.parameters();
    n.transformer = network.transformer != nullptr;
    if (!n.transformer) continue;
    n.causal = network.transformer->causal;
    n.heads = static_cast<int>(network.transformer->heads);
    n.layers = static_cast<int>(network.transformer->layers);
    n.experts = static_cast<int>(network.transformer->experts);
  }
  out.nodes = catalog.ids("nodes");
  out.gpus = catalog.ids("gpus");
  out.clusters = catalog.ids("clusters");
  out.storage = catalog.ids("storage");
  out.switches = catalog.ids("switches");
  for (const char* file : {"infiniband_4x", "ethernet"})
    for (const Fact& fact : catalog.find("links", file).facts) {
      const std::string name = fact.key().substr(0, fact.key().find('/'));
      if (std::ranges::find(out.links, name) == out.links.end()) out.links.push_back(name);
    }
  out.frameworks = first_names(framework_files());
  for (const auto& [engine, habits] : parse_model_data("host/serving.json").require("servers").object())
    out.engines.push_back(engine);
  out.exchanges = listed(catalog, "exchanges");
  out.collectives = listed(catalog, "collectives");
  out.transports = listed(catalog, "transports");
  out.compressions = listed(catalog, "compressions");
  out.fabrics = listed(catalog, "fabrics");
  return out;
}

nlohmann::json random_scenario(std::uint64_t seed, const ScenarioNames& names, const Catalog& catalog) {
  return Draw{seed, names, catalog}.scenario();
}

}  // namespace rackcast
