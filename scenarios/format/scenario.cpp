#include "scenarios/format/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>

#include "models/frameworks/framework.hpp"
#include "models/site/prices.hpp"
#include "scenarios/format/workload_choice.hpp"
#include "scenarios/names/defaults.hpp"
#include "scenarios/names/exchange_choice.hpp"
#include "scenarios/names/graph_spec.hpp"
#include "scenarios/names/own_file.hpp"
#include "scenarios/names/ranges.hpp"
#include "sim/units/quantity_text.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/catalog/catalog_file.hpp"
#include "topologies/fabrics/named_cluster.hpp"

namespace rackcast {
namespace {

/// A network in the scenario, or in a file that `rackcast import ibnetdiscover` wrote.
Json network_of(const Json& json) {
  if (json.kind() != JsonKind::string) return json;
  if (!is_catalog_file(json.string()))
    json.fail("a \"fabric\" is an object or a file", "for example {\"link\": \"edr\"}");
  const Json document = parse_json_file(name_or_file(json));
  const Json* format = document.kind() == JsonKind::object ? document.find("format") : nullptr;
  if (!format || format->kind() != JsonKind::string || format->string() != "rackcast-import")
    json.fail("this file is not an import", "`rackcast import ibnetdiscover FILE -o fabric.json` writes one");
  return document.require("fabric");
}

StorageSpec read_storage(const Json& json) {
  ObjectReader in{json};
  StorageSpec storage;
  storage.where = json.where();
  storage.array = name_or_file(in.require("array"));
  storage.count = static_cast<int>(in.integer_or("count", 1, 1, 100'000));
  in.finish();
  return storage;
}

/// The step was recorded with the batch and precision that the workload states.
void set_graph(const Json& json, ObjectReader& in, WorkloadSpec& workload) {
  if (workload.split_search)
    throw Error{"a recorded step has the split that it has", workload.split_search->where,
                "write this split"};
  if (workload.global_batch)
    throw Error{"a recorded step has the batch that it has", workload.global_batch->where,
                "leave \"global_batch\" out"};
  for (const char* key : {"recompute", "adapters", "convergence", "critical_batch"})
    if (const Json* found = in.find(key))
      found->fail(fmt::format("a recorded step has no \"{}\"", key), "record it so, or leave this out");
  if (!workload.parallelism && workload.batch_is_default)
    json.fail("the recorded step does not say how many samples it has", "add \"batch_per_gpu\": 32");
  GraphSpec graph = read_graph(json);
  graph.samples_per_rank = workload.batch_per_gpu * workload.accumulation;
  graph.precision = workload.precision;
  if (!graph.data_parallel && !workload.parallelism)
    json.fail("the recorded ranks do not all exchange with all, and nothing says how the network is split",
              "add \"parallelism\": the memory of a GPU follows from it");
  workload.graph = std::make_shared<const GraphSpec>(std::move(graph));
}

WorkloadSpec read_workload(const Json& json) {
  ObjectReader in{json};
  WorkloadSpec workload;
  workload.where = json.where();
  read_model(in.require("model"), workload);
  workload.epochs_is_default = !in.has("epochs");
  workload.epochs = in.number_or("epochs", defaults::epochs, 1e-6, 1e9);
  workload.batch_is_default = !in.has("batch_per_gpu");
  workload.batch_per_gpu = in.number_or("batch_per_gpu", defaults::batch_per_gpu, 0.01, 1e8);
  if (const Json* batch = in.find("global_batch")) workload.global_batch = read_global_batch(*batch);
  workload.precision_is_default = !in.has("precision");
  workload.precision = defaults::precision;
  workload.precision_where = json.where();
  if (const Json* precision = in.find("precision")) {
    workload.precision_where = precision->where();
    try {
      workload.precision = parse_precision(precision->string());
    } catch (const Error& e) {
      precision->fail(e.message(), e.hint());
    }
  }
  if (const Json* framework = in.find("framework")) read_software(*framework, workload);
  read_optimizer(in, workload);
  if (const Json* sample = in.find("sample")) read_sample(*sample, workload);
  if (const Json* exchange = in.find("exchange")) workload.exchange = read_exchange(*exchange);
  read_workload_split(in, workload);
  read_passes(in, workload);
  read_adapters(in, workload);
  if (const Json* graph = in.find("graph")) set_graph(*graph, in, workload);
  if (in.has("critical_batch")) workload.critical_batch = in.number("critical_batch", 1, 1e12);
  if (const Json* law = in.find("convergence")) workload.convergence = read_convergence(*law);
  in.finish();
  return workload;
}

std::vector<StragglerSpec> read_stragglers(const Json& json) {
  std::vector<StragglerSpec> out;
  for (const Json& one : json.array()) {
    ObjectReader in{one};
    StragglerSpec& spec = out.emplace_back();
    spec.group.nodes = static_cast<int>(in.integer_or("nodes", 1, 1, 100'000));
    spec.group.compute = in.number_or("compute", 1, 1e-3, 1);
    spec.group.network = in.number_or("network", 1, 1e-3, 1);
    if (in.has("epochs")) spec.epochs = in.number("epochs", 1e-6, 1e9);
    if (spec.group.compute == 1 && spec.group.network == 1)
      one.fail("these nodes are not slower than the others",
               "for example \"compute\": 0.8 or \"network\": 0.5");
    in.finish();
  }
  if (out.empty()) json.fail("no group of stragglers", "leave \"stragglers\" out");
  if (out.size() > 16) json.fail("more than 16 groups of stragglers");
  return out;
}

/// Throws Error if there are more slow nodes than nodes.
void check_stragglers(const ClusterSpec& cluster) {
  int slow = 0;
  for (const StragglerSpec& s : cluster.stragglers) slow += s.group.nodes;
  if (slow > cluster.nodes)
    throw Error{fmt::format("{} of {} nodes are stragglers", slow, cluster.nodes), cluster.where,
                "name as many nodes as there are, or fewer"};
}

/// What is said of the node beside its name. It replaces what the catalogue says.
void read_node_settings(ObjectReader& in, ClusterSpec& cluster) {
  if (in.has("peer_to_peer")) cluster.fabric.peer_to_peer = in.boolean_or("peer_to_peer", true);
  cluster.fabric.gpu_links = in.boolean_or("gpu_links", true);
  if (const Json* gpus = in.find("gpus_in_node")) {
    if (!cluster.named.empty())
      gpus->fail("a named cluster has the GPUs that it has",
                 "remove \"gpus_in_node\", or use fewer of them: \"gpus_per_node\"");
    cluster.fabric.gpus_in_node = static_cast<int>(in.integer("gpus_in_node", 1, 1024));
  }
  if (in.has("gpus_per_node")) cluster.gpus_per_node = static_cast<int>(in.integer("gpus_per_node", 1, 1024));
}

ClusterSpec read_cluster(const Json& json) {
  ObjectReader in{json};
  ClusterSpec cluster;
  cluster.where = json.where();
  if (in.has("node") == in.has("named")) {
    json.fail("a cluster has either a \"node\" or the name of a whole cluster, \"named\"",
              in.has("node") ? "remove one of them" : "for example \"node\": \"dgx1v_16gb\"");
  }
  if (const Json* node = in.find("node")) cluster.node = name_or_file(*node);
  cluster.named = in.string_or("named", "");
  if (const Json* gpu = in.find("gpu")) cluster.gpu = name_or_file(*gpu);
  if (!cluster.named.empty() && !cluster.gpu.empty()) {
    in.require("gpu").fail("a named cluster has the GPUs that it has", "remove \"gpu\", or give a \"node\"");
  }
  cluster.nodes_given = in.has("nodes");
  cluster.nodes = static_cast<int>(in.integer_or("nodes", 1, 1, 100'000));
  if (in.has("gpus_per_job"))
    cluster.gpus_per_job = static_cast<int>(in.integer("gpus_per_job", 1, 1'000'000));
  if (const Json* fabric = in.find("fabric")) {
    cluster.fabric_text = network_of(*fabric);
    cluster.fabric = read_fabric_options(cluster.fabric_text);
  }
  read_node_settings(in, cluster);
  if (const Json* stragglers = in.find("stragglers")) cluster.stragglers = read_stragglers(*stragglers);
  if (cluster.nodes_given) check_stragglers(cluster);
  in.finish();
  return cluster;
}

GoalSpec read_goal(const Json& json) {
  ObjectReader in{json};
  GoalSpec goal;
  goal.where = json.where();
  goal.deadline = in.quantity<Duration>("deadline");
  if (in.has("date")) goal.date = in.quantity<Duration>("date");
  if (in.has("retrain_every")) goal.retrain_every = in.quantity<Duration>("retrain_every");
  goal.max_nodes = static_cast<int>(in.integer_or("max_nodes", defaults::max_nodes, 1, 100'000));
  goal.objective_where = json.where();
  if (const Json* objective = in.find("objective")) {
    goal.objective = read_objective(*objective);
    goal.objective_where = objective->where();
  }
  if (in.has("availability")) goal.availability = in.number("availability", 0.001, 0.999999);
  if (const Json* alternatives = in.find("alternatives")) {
    for (const Json& one : alternatives->array()) goal.alternatives.push_back(name_or_file(one));
    if (goal.alternatives.size() > 32) alternatives->fail("more than 32 alternatives");
  }
  in.finish();
  return goal;
}

PublishedRow read_published(const Json& json) {
  ObjectReader in{json};
  PublishedRow row;
  row.label = in.string("label");
  row.model = name_or_file(in.require("model"));
  row.source = in.string("source");
  row.note = in.string_or("note", "");
  row.time = in.quantity<Duration>("time");
  row.text = in.string("time");
  row.cluster = read_cluster(in.require("cluster"));
  if (const Json* precision = in.find("precision")) row.precision = parse_precision(precision->string());
  if (in.has("gpus")) row.gpus = static_cast<int>(in.integer("gpus", 1, 1'000'000));
  if (in.has("global_batch")) row.global_batch = in.number("global_batch", 1, 1e12);
  in.finish();
  return row;
}

/// What an objective is counted in must be known.
void check_objective(const Scenario& s) {
  const GoalSpec& goal = *s.goal;
  if (goal.objective == Objective::lowest_energy && !s.site)
    throw Error{"the lowest energy needs a site: its power decides", goal.objective_where,
                "add \"site\": {} (industry averages), or describe its cooling"};
  if (goal.objective == Objective::lowest_cost && (!s.site || !s.site->prices))
    throw Error{"the lowest cost needs prices", goal.objective_where,
                R"(add "site": {"prices": {"date": "2018-06-30"}})"};
}

WorkloadsRun read_workloads_run(const Json& json) {
  for (const WorkloadsRun run : {WorkloadsRun::one_after_another, WorkloadsRun::each_on_its_own})
    if (json.string() == to_string(run)) return run;
  json.fail(
      fmt::format("workloads cannot run \"{}\"", json.string()),
      "\"one-after-another\" (their times add up) or \"each-on-its-own\" (each has the whole cluster and "
      "the whole deadline for itself)");
}

Scenario read_head(ObjectReader& in, const Json& text, const std::string& file) {
  Scenario scenario;
  scenario.file = file;
  scenario.text = text;
  scenario.storage.array = "none";
  in.string_or("$schema", "");
  scenario.name = in.string("name");
  scenario.description = in.string_or("description", "");
  if (const Json* start = in.find("start")) {
    scenario.start = start->string();
    try {
      check_date(scenario.start);
    } catch (const Error& error) {
      start->fail(error.message(), error.hint());
    }
  }
  scenario.seed =
      static_cast<std::uint64_t>(in.integer_or("seed", 1, 0, std::numeric_limits<std::int64_t>::max()));
  return scenario;
}

SearchReaders search_readers() {
  return {name_or_file, read_storage, [](const Json& fabric) {
            return read_fabric_options(network_of(fabric));
          }};
}

/// Of a fleet that serves, which has no deadline: the load never ends.
GoalSpec read_serving_goal(const Json& json) {
  ObjectReader in{json};
  GoalSpec goal;
  goal.where = goal.objective_where = json.where();
  goal.max_nodes = static_cast<int>(in.integer_or("max_nodes", defaults::max_nodes, 1, 100'000));
  if (const Json* objective = in.find("objective")) {
    goal.objective = read_objective(*objective);
    goal.objective_where = objective->where();
    if (goal.objective == Objective::fastest)
      objective->fail("a fleet that serves never finishes, so none is the fastest",
                      "tighten serving.latency, or ask for fewest-nodes, lowest-cost or lowest-energy");
  }
  if (in.has("deadline"))
    in.require("deadline").fail("a fleet that serves has no deadline", "serving.latency is its limit");
  in.finish();
  return goal;
}

/// Which nodes and precisions may be chosen for serving.
SearchSpec read_serving_search(const Json& json, PrecisionUse use) {
  for (const auto& [key, value] : json.object())
    if (key != "node" && key != "precision")
      value.fail(fmt::format("a search for serving does not choose \"{}\"", key),
                 "it has \"node\" and \"precision\"");
  SearchSpec out = read_search(json, search_readers());
  if (const Json* list = json.find("precision"))
    for (std::size_t i = 0; i < out.precision.size(); ++i)
      check_serving_precision(out.precision[i].value, use, list->array()[i]);
  return out;
}

}  // namespace

int used_in_node(const ClusterSpec& cluster, int in_node) {
  return std::max(1, std::min(in_node, cluster.gpus_per_node.value_or(in_node)));
}

std::string_view to_string(WorkloadsRun run) {
  return run == WorkloadsRun::one_after_another ? "one-after-another" : "each-on-its-own";
}

Scenario read_serving_scenario(const Json& text, const std::string& file) {
  ObjectReader in{at_middle(text)};
  Scenario scenario = read_head(in, text, file);
  scenario.serving = read_service(in.require("serving"));
  for (const char* training :
       {"data", "storage", "workloads", "workloads_run", "input", "campaign", "published"})
    if (const Json* found = in.find(training))
      found->fail(fmt::format("a scenario that serves has no \"{}\"", training),
                  "training and serving are asked in scenarios of their own");
  scenario.cluster = read_cluster(in.require("cluster"));
  const ClusterSpec& cluster = scenario.cluster;
  if (cluster.gpus_per_job || cluster.gpus_per_node || !cluster.stragglers.empty())
    throw Error{R"("gpus_per_job", "gpus_per_node" and "stragglers" are about training)", cluster.where,
                "remove them"};
  if (const Json* calibration = in.find("calibration"))
    scenario.calibration = read_calibration(*calibration, name_or_file);
  if (const Json* measured = in.find("measured")) scenario.measured = read_measured_serving(*measured);
  if (const Json* goal = in.find("goal")) scenario.goal = read_serving_goal(*goal);
  if (const Json* search = in.find("search"))
    scenario.search = read_serving_search(*search, scenario.serving->use());
  if (const Json* failures = in.find("failures")) {
    scenario.failures = read_failures(*failures);
    const FailureSpec& f = *scenario.failures;
    if (f.spares || f.interval || f.checkpoint_stall || failures->find("checkpoint"))
      failures->fail("checkpoints and spares of a training say nothing of a fleet that serves",
                     "spares are those of serving.spares or serving.availability");
  }
  if (const Json* site = in.find("site")) scenario.site = std::make_shared<const SiteSpec>(read_site(*site));
  if (scenario.goal) check_objective(scenario);
  in.finish();
  return scenario;
}

Scenario read_scenario(const Json& text, const std::string& file) {
  ObjectReader in{at_middle(text)};
  if (const Json* serving = in.find("serving"))
    serving->fail("this scenario serves requests, and this question is about training",
                  "`rackcast size`, `simulate`, `sweep`, `uncertainty`, `check` and `report` answer it");
  Scenario scenario = read_head(in, text, file);
  scenario.data = read_data(in.require("data"));
  if (const Json* storage = in.find("storage")) scenario.storage = read_storage(*storage);
  const Json& workloads = in.require("workloads");
  for (const Json& one : workloads.array()) scenario.workloads.push_back(read_workload(one));
  if (scenario.workloads.empty()) workloads.fail("at least one workload is needed");
  if (scenario.workloads.size() > 64) workloads.fail("more than 64 workloads");
  if (const Json* run = in.find("workloads_run")) scenario.workloads_run = read_workloads_run(*run);
  scenario.cluster = read_cluster(in.require("cluster"));
  if (const Json* calibration = in.find("calibration"))
    scenario.calibration = read_calibration(*calibration, name_or_file);
  if (const Json* measured = in.find("measured")) scenario.measured = read_measured(*measured);
  for (const MeasuredSpec& row : scenario.measured) workload_of(scenario, row);
  if (const Json* input = in.find("input")) scenario.input = read_input_options(*input);
  if (const Json* goal = in.find("goal")) {
    scenario.goal = read_goal(*goal);
    if (scenario.goal->date) cut_to_date(scenario.data, *scenario.goal->date, goal->require("date"));
    if (scenario.goal->retrain_every && !scenario.data.fleet)
      goal->require("retrain_every").fail("retraining needs data that grows", "describe the \"fleet\"");
  }
  if (const Json* search = in.find("search")) scenario.search = read_search(*search, search_readers());
  if (!scenario.search.parallelism.empty())
    for (const WorkloadSpec& w : scenario.workloads) refuse_listed_splits(w);
  if (const Json* campaign = in.find("campaign")) scenario.campaign = read_campaign(*campaign);
  if (const Json* failures = in.find("failures")) {
    scenario.failures = read_failures(*failures);
    if (scenario.failures->interval && scenario.input.checkpoint_every > Duration{0})
      failures->require("checkpoint")
          .fail("input.checkpoint_every says the interval too", "remove one of them");
    if (scenario.storage.array == "none" && !scenario.failures->checkpoint_stall)
      failures->fail("without storage there is nothing to say how long a checkpoint takes",
                     "give \"storage\", or \"checkpoint_stall\": \"30 s\"");
  }
  if (scenario.goal && scenario.goal->availability && !scenario.failures)
    in.require("goal")
        .require("availability")
        .fail("an availability needs failures: without them nothing ever stops training",
              "add \"failures\": {}");
  if (const Json* site = in.find("site")) scenario.site = std::make_shared<const SiteSpec>(read_site(*site));
  if (scenario.goal) check_objective(scenario);
  if (const Json* published = in.find("published")) {
    for (const Json& row : published->array()) scenario.published.push_back(read_published(row));
    if (scenario.published.size() > 256) published->fail("more than 256 published rows");
  }
  in.finish();
  return scenario;
}

namespace {

void resolve(ClusterSpec& cluster, const Catalog& catalog) {
  if (cluster.named.empty()) return;
  try {
    const NamedCluster known = cluster_of(catalog, cluster.named);
    cluster.node = known.node.id;
    if (!cluster.nodes_given) cluster.nodes = known.nodes;
    check_stragglers(cluster);
    const Fact* network = catalog.find("clusters", cluster.named).find("network");
    const bool said = cluster.fabric_text.kind() != JsonKind::null;
    if (network) {
      const FabricOptions own = cluster.fabric;
      cluster.fabric =
          read_fabric_options(said ? network->value().merged(cluster.fabric_text) : network->value());
      cluster.fabric.peer_to_peer = own.peer_to_peer;
      cluster.fabric.gpu_links = own.gpu_links;
    }
  } catch (const Error& e) {
    if (e.where().line) throw;
    throw Error{e.message(), cluster.where, e.hint(), e.kind()};
  }
}

}  // namespace

Scenario resolve_clusters(Scenario scenario, const Catalog& catalog) {
  resolve(scenario.cluster, catalog);
  for (PublishedRow& row : scenario.published) resolve(row.cluster, catalog);
  return scenario;
}

Scenario load_scenario(const std::string& path, const std::vector<std::string>& sets) {
  return read_scenario(load_scenario_text(path, sets), path);
}

}  // namespace rackcast
