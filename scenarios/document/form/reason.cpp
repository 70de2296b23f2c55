#include "scenarios/document/form/reason.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "scenarios/document/form/read.hpp"
#include "scenarios/document/form/reason_form.hpp"
#include "sim/json/reader.hpp"

namespace rackcast::doc {
namespace {

constexpr ReasonKind kinds[] = {
    // Rungs from data to nodes: what the value is, and what it follows from.
    {"data_given", "", "data_bytes", "the data set, as the scenario gives it"},
    {"data_of_fleet", "", "data_bytes vehicles each_bytes_per_s recorded_s days kept",
     "the data set of a fleet; recorded: of a day; kept: share of it"},
    {"data_by_date", "", "data_bytes after_s", "the data set so long after the first recording day"},
    {"data_of_learning", "", "data_bytes error a b c beyond",
     "the data set of an error on a x samples^-b + c; beyond: times the largest point"},
    {"samples", "", "samples data_bytes sample_bytes", "samples of the data set"},
    {"epochs_asked", "", "epochs reference_batch", "epochs at the batch that they were stated for"},
    {"epochs_after_law", "", "epochs batch critical_batch reference_batch staleness_penalty? stale_steps?",
     "epochs at the batch of this cluster, by the convergence law"},
    {"samples_seen", "", "samples epochs", "samples of all epochs"},
    {"arithmetic", "", "work_flop forward_flop", "arithmetic of all samples; forward: of one"},
    {"time_on_one_gpu", "", "time_s rate_per_s split epochs?",
     "as simulated; split: 1 where the network is split over GPUs elsewhere"},
    {"batch", "",
     "samples tokens? per_gpu gpus passes micro_batches? micro_batch? replicas? fixed times_of_one? "
     "largest_useful? largest_useful_tokens?",
     "samples of a step; fixed: 1 where they are the same on any number of GPUs"},
    {"steps", "", "steps samples batch", "optimizer steps"},
    {"time_to_train", "", "time_s steps step_s", "time to train, as simulated"},
    {"time_of_all", "", "time_s workloads", "time of all workloads, one after another"},
    {"nodes", "how objective?", "nodes spares deadline_s?",
     "the count of nodes; how: given, least (in time), all (least for all workloads), choice (by the "
     "objective) or none (no count keeps every limit)"},
    // Assumptions: hardware.
    {"link_rate", "node link", "rate_bytes_per_s ports?", "achievable rate of a link per direction"},
    {"node_cores", "node", "cores", "CPU cores of a node"},
    {"node_units", "node", "units", "rack units of a node"},
    {"node_power", "node", "rated_w", "rated power of a node"},
    {"node_memory", "node", "memory_bytes", "DRAM of a node, of which the page cache takes what is left"},
    {"ssd_cache", "node", "ssd_bytes", "local SSD cache of a node"},
    {"ssd_read", "node", "read_bytes_per_s", "read rate of the local SSD"},
    {"fp32_peak", "gpu", "peak_flop_per_s", "peak in single precision"},
    {"tensor_peak", "gpu", "peak_flop_per_s", "peak of the tensor cores"},
    {"memory_bandwidth", "gpu", "memory_bytes_per_s", "memory bandwidth of a GPU"},
    {"kernel_efficiencies", "gpu donor?", "",
     "which GPU's measured kernels stand for this one; absent: its own"},
    {"own_kernels", "gpu", "", "kernels as the scenario's own measurements have them"},
    {"own_collectives", "node", "latency load gpus nodes",
     "factors on latency and load of links, from a measured all-reduce"},
    {"recorded_step", "workload format gpu", "files ranks scaled",
     "the step as recorded on a GPU; scaled: 1 where the cluster has another one"},
    {"slow_nodes", "", "nodes compute network epochs?", "slow nodes; epochs: the last ones, absent: all"},
    {"array_read", "array", "read_bytes_per_s", "read rate of one storage array"},
    {"array_capacity", "array", "capacity_bytes", "capacity of one storage array"},
    // Assumptions: training.
    {"operators", "workload", "forward_flop", "operators of the network; forward: of one sample"},
    {"epochs", "workload", "epochs", "epochs that the network is trained for"},
    {"global_batch", "workload", "samples? tokens?", "samples or tokens of a step"},
    {"batch_per_gpu", "workload", "samples", "samples of a step on each GPU"},
    {"training_precision", "workload precision", "", "precision of the training"},
    {"tables_copied", "workload", "", "large tables stand whole on every GPU"},
    {"tables_split", "workload", "tables_bytes", "large tables are split over the GPUs"},
    {"epochs_by_batch", "workload", "critical_batch reference_batch staleness_penalty?",
     "the law by which epochs grow with the batch"},
    {"framework_profile", "profile", "names_none",
     "overheads of the framework; names_none: 1 where the scenario names no framework and splits the "
     "network"},
    {"network_of_framework", "name network", "", "what the framework's own scripts run under a name"},
    {"gradient_exchange", "workload exchange between_nodes?", "",
     "exchange of gradients; between_nodes: where it differs there"},
    {"image_decoding", "", "samples_per_s", "decoding and augmentation of images per CPU core"},
    {"record_decoding", "record of", "samples_per_s reference",
     "decoding of records per CPU core, at so much of its unit"},
    {"reading", "order sharding records", "", "reading order and sharding"},
    // Assumptions: failures.
    {"node_mtbf", "node?", "time_s", "time between failures of a node; node: of the catalogue"},
    {"detection", "", "time_s", "detection of a failure"},
    {"restart", "", "time_s", "restart after a failure"},
    {"repair", "", "time_s", "repair of a node"},
    // Assumptions: serving.
    {"serving_precision", "precision", "", "precision of serving"},
    {"daily_load", "", "peak", "the busiest hour in times of the mean"},
    {"random_arrivals", "", "", "requests arrive at random"},
    {"continuous_batches", "", "in_flight", "requests in flight in a copy, at most"},
    {"waiting_batches", "", "batch", "requests of a batch, at most"},
    {"equal_lengths", "", "", "all prompts and answers are of the mean length"},
    {"speculation", "", "drafts acceptance tokens_per_pass", "speculative decoding"},
    {"beside_queue", "", "way_s passes", "what a request takes beside the queue"},
    // Assumptions: site.
    {"pue", "plant climate?", "pue", "power of the site over that of its equipment"},
    {"cooling_limit", "cooling", "rack_w", "power of a rack that the cooling allows"},
    {"typical_as_nameplate", "item", "power_w", "a typical power, as no nameplate is known"},
    {"carbon", "region", "g_co2_per_kwh year?", "carbon intensity"},
    {"gpu_power", "measured", "power_w borrowed",
     "power of a GPU with kernels running, and whose measurement it is; borrowed: 1 where of another GPU"},
    {"electricity", "tariff", "usd_per_kwh year?", "price of electricity"},
    {"interest", "", "fraction year?", "interest of a year"},
    {"support", "", "fraction year?", "support of a year, of the purchase"},
    {"depreciation", "", "time_s year?", "time until the purchase is written off"},
    {"instance_rent", "instance", "usd_per_hour", "rent of a cloud instance"},
    {"staff", "", "people wage_usd_per_year share year?",
     "people, and the wage of one, which is a share of what they cost"},
    {"hall_space", "", "usd_per_kw_month", "space in a hall, per kW and month"},
    // Limits of a training.
    {"memory_of_batch", "workload gpu", "batch needed_bytes memory_bytes fits",
     "a batch does not fit the memory of a GPU; parts: memory_of_tables"},
    {"memory_of_tables", "", "tables_bytes each_bytes gpus least_gpus?",
     "what split embedding tables take; without least_gpus no number of GPUs is enough"},
    {"memory_of_split", "workload gpu split",
     "zero_stage needed_bytes weights_bytes gradients_bytes optimizer_bytes activations_bytes micro_batch "
     "memory_bytes least_gpus?",
     "a split network does not fit; without least_gpus no number of GPUs is enough"},
    {"memory_of_any_split", "workload gpu split", "gpus splits needed_bytes memory_bytes",
     "no split of a search fits; the one that needs least"},
    {"split_wins", "split second part", "step_s second_s part_s?",
     "the best split of a search beside the second; part: of a step, in which it gains most"},
    {"no_multiple", "workload split", "gpus unit", "the GPUs do not divide by what a split takes"},
    {"spares_past_most", "", "nodes spares max_nodes", "the nodes and their spares are more than max_nodes"},
    {"job_past_most", "", "gpus nodes max_nodes", "the nodes of a job are more than max_nodes"},
    {"split_past_most", "", "nodes max_nodes", "the nodes of the splits, its parts, are more than max_nodes"},
    {"split_takes", "workload split", "gpus", "the GPUs that a split takes"},
    {"uneven_batch", "", "max_nodes unit",
     "no number of nodes deals the global batch of its parts out evenly; GPUs in multiples of unit do"},
    {"workload", "title", "", "a workload"},
    {"no_common_count", "", "nodes max_nodes", "no number of nodes takes the splits and batches of all"},
    {"past_useful_batch", "workload node", "nodes batch useful", "a step takes more than trains faster"},
    {"stands_still", "node", "nodes kept asked", "training moves forward for a smaller share of the time"},
    {"precision", "message hint", "", "the GPU does not support the precision; as the error says it"},
    {"data_past_storage", "array", "data_bytes count capacity_bytes",
     "the data set does not fit the storage"},
    {"deadline", "binds", "least_nodes max_nodes deadline_s nodes time_s passes_s?",
     "no count of nodes meets the deadline; nodes and time of the fastest"},
    {"search_ends", "", "max_nodes spares", "the search ends at max_nodes, spares among them"},
    // Limits of a site. `missing` is what the sum leaves out, which makes it a lower bound.
    {"misfit", "why", "", "a device fits no rack"},
    {"undecided", "allowed missing", "", "whether a limit is kept depends on what is missing"},
    {"rack_units", "missing?", "units allowed", "rack units of the equipment"},
    {"racks", "missing?", "racks lower_bound allowed", "racks that the equipment fills"},
    {"floor_area", "missing?", "racks rack_m2 needed_m2 allowed_m2", "floor of the racks"},
    {"feed", "basis missing?", "it_w pue needed_w usable_w redundant",
     "power of the site; redundant: 1 where the feed may be used with a part of it failed"},
    {"money", "limit date missing?", "needed_usd allowed_usd", "a budget"},
    // Limits of a fleet that serves.
    {"refused", "message", "", "a node cannot serve so; as the error says it"},
    {"cannot_serve", "message", "", "a node that serves nothing in this precision; as the error says it"},
    {"lone_request", "gpu precision limit?", "time_s limit_s",
     "a single request takes longer than its limit"},
    {"no_load", "", "percentile limit_s", "no load at all keeps the limit"},
    {"fleet_past_most", "binds?", "nodes each_per_s max_nodes", "the busiest hour takes more nodes"},
    {"rarely_up", "", "nodes needed reached asked", "too few nodes are up for a share of the time"},
    {"fleet_spares_past_most", "", "nodes spares max_nodes", "nodes and spares are more than max_nodes"},
    {"fleet_takes", "", "nodes max_nodes", "a fleet with its spares is larger than max_nodes"},
    {"each_past_limit", "limit", "nodes each_per_s limit_per_s", "a limit of each node is passed"},
    {"overloaded", "", "nodes gpu_per_s asked_per_s", "a GPU does less than is asked of it"},
    {"late", "limit?", "nodes percentile time_s limit_s", "requests take longer than their limit"},
    {"fleet_past_limit", "limit", "nodes takes_per_s peak_per_s enough cores? cores_there?",
     "a limit of the nodes is passed; enough: nodes that keep it"},
    {"others_leave", "", "nodes", "what the other limits of a conflict leave; parts: what that breaks"},
    {"others_leave_late", "", "nodes limit_s time_s?", "likewise; without time_s it is overloaded"},
    {"gpus_overloaded", "", "gpus enough?", "all GPUs are overloaded; enough: nodes that are not"},
    {"busiest_hour", "", "percentile time_s limit_s", "requests take longer than their limit"},
    {"spares_too_few", "", "needed spares reached asked", "enough nodes are up for a share of the time"},
    {"without_spares", "", "spares needed reached with_spares", "share of the time with enough nodes up"},
    // What would change an answer.
    {"no_count_in_time", "", "", "no number of nodes keeps the latency"},
    {"breaks", "", "nodes", "the number of nodes that would do breaks the limits of its parts"},
    {"limit", "limit allowed", "", "a limit, and what it allows"},
    {"not_wired", "", "nodes", "the number of nodes that would do cannot be wired"},
    {"without_slow_nodes", "", "time_s now_s", "the time with all nodes as fast as the others"},
    {"past_context", "", "tokens longest", "prompt and answer are longer than the network takes"},
    // What a site's cost leaves out.
    {"no_staff", "", "", "no staff was asked for"},
    {"no_instance", "gpu terms date", "", "no cloud instance with the GPU has a price by then"},
    {"no_rent_yet", "instance terms first date", "", "the first price of an instance is later"},
    {"row_without_price", "item note", "quantity", "a row of the bill has no price"},
    {"without_power", "item", "", "energy and space of something without a power rating"},
    {"without_units", "item", "", "racks of something without rack units"},
    // Why a campaign has no power, cost or interval.
    {"unrated", "node", "others_w", "the catalogue has no power rating of the node"},
    {"no_power_model", "message", "", "the work cannot be modelled; as the error says it"},
    {"no_cost_model", "message", "", "likewise"},
    {"no_price_date", "", "", "the scenario names no date for prices"},
    {"no_node_held", "", "", "no job held a node after the warm-up"},
    {"nothing_drawn", "", "", "every job is stated or recorded, and nothing fails"},
    {"too_many_jobs", "", "jobs draws", "too many jobs to draw them so often"},
    {"drawn_too_rarely", "", "", "a limit ended the run"},
    // Warnings.
    {"other_gpu_measured", "file measured gpu", "", "a measured curve is of another GPU"},
    {"assumed_wiring", "text", "", "where GPUs are on PCIe is not known"},
    {"part_of_sample", "workload", "", "a GPU has a part of a sample, and its exchange has no model"},
    {"borrowed_kernels", "gpu family donor", "", "no kernel was measured in this precision"},
    {"convergence_law", "workload", "", "the epochs follow a published law"},
    {"stale_gradients", "workload", "", "what stale gradients cost is left out"},
    {"unknown_framework", "framework profile?", "",
     "there is no profile of the framework: that of another stands for it"},
    {"assumed_cores", "node", "cores", "the CPU cores of the node are not known"},
    {"idle_nodes", "", "idle nodes gpus", "nodes of a job's cluster have none of its GPUs"},
    {"no_cycle", "workload", "steps", "steps do not repeat"},
    {"collisions", "workload routing", "step_s adaptive_s", "flows share cables while others are idle"},
    {"superlinear", "workload part", "gpus efficiency part_s alone_s",
     "GPUs together do more than as many single ones: a part of the step is shorter"},
    {"batch_past_useful", "workload", "samples tokens? useful stated",
     "a step takes more than trains faster"},
    {"ended_early", "", "", "a limit ended the simulation"},
    {"options_left", "", "tried options", "a limit ended the search"},
    {"changes_left", "", "", "a limit ended what would change the answer"},
};

const ReasonKind* find_kind(std::string_view code) {
  const auto* found = std::ranges::find(kinds, code, &ReasonKind::code);
  return found == std::end(kinds) ? nullptr : found;
}

/// Calls `visit(key, may_be_absent)` for each key of a list.
template <class Visit>
void for_each_key(std::string_view list, Visit visit) {
  while (!list.empty()) {
    std::string_view key = list.substr(0, list.find(' '));
    list.remove_prefix(std::min(list.size(), key.size() + 1));
    const bool optional = key.ends_with('?');
    if (optional) key.remove_suffix(1);
    visit(key, optional);
  }
}

Written property(std::string_view type) {
  return {{"type", type}};
}

}  // namespace

std::span<const ReasonKind> reason_kinds() {
  return kinds;
}

Reason::Reason(std::string_view code, std::initializer_list<Fact> facts, std::vector<Reason> more)
    : parts{std::move(more)}, code_{code} {
  std::ranges::copy_if(facts, std::back_inserter(facts_), [](const Fact& f) { return !f.key.empty(); });
  if (const std::string wrong = fault(); !wrong.empty()) throw std::logic_error{wrong};
}

std::string Reason::fault() const {
  const ReasonKind* kind = find_kind(code_);
  if (!kind) return fmt::format("there is no reason \"{}\"", code_);
  std::string out;
  std::size_t known = 0;
  const auto check = [&](bool text) {
    return [&, text](std::string_view key, bool optional) {
      const Fact* fact = find(key);
      if (fact) ++known;
      if (fact ? std::holds_alternative<std::string>(fact->value) != text : !optional)
        out = fmt::format("the reason \"{}\" needs the {} \"{}\"", code_, text ? "text" : "number", key);
    };
  };
  for_each_key(kind->texts, check(true));
  for_each_key(kind->numbers, check(false));
  if (out.empty() && known < facts_.size()) out = fmt::format("the reason \"{}\" has a key too many", code_);
  return out;
}

const Reason::Fact* Reason::find(std::string_view key) const {
  const auto found = std::ranges::find(facts_, key, &Fact::key);
  return found == facts_.end() ? nullptr : &*found;
}

double Reason::number(std::string_view key) const {
  const Fact* fact = find(key);
  if (!fact) throw std::logic_error{fmt::format("the reason \"{}\" has no \"{}\"", code_, key)};
  return std::get<double>(fact->value);
}

std::optional<double> Reason::number_if(std::string_view key) const {
  return has(key) ? std::optional{number(key)} : std::nullopt;
}

const std::string& Reason::text(std::string_view key) const {
  const Fact* fact = find(key);
  if (!fact) throw std::logic_error{fmt::format("the reason \"{}\" has no \"{}\"", code_, key)};
  return std::get<std::string>(fact->value);
}

Written Custom<Reason>::write(const Reason& reason) {
  Written out{{"code", reason.code()}};
  for (const Reason::Fact& fact : reason.facts())
    std::visit([&](const auto& value) { out[fact.key] = value; }, fact.value);
  for (const Reason& part : reason.parts) out["parts"].push_back(write(part));
  return out;
}

Reason Custom<Reason>::read(const Json& json) {
  Reason out;
  out.code_ = json.require("code").string();
  for (const auto& [key, value] : json.object()) {
    if (key == "parts")
      for (const Json& part : value.array()) out.parts.push_back(read(part));
    else if (key != "code" && value.kind() == JsonKind::string)
      out.facts_.emplace_back(key, value.string());
    else if (key != "code")
      out.facts_.emplace_back(key, value.number());
  }
  if (const std::string wrong = out.fault(); !wrong.empty()) json.fail(wrong, std::string{damaged_hint});
  return out;
}

Written Custom<Reason>::schema() {
  Written any = Written::array();
  for (const ReasonKind& kind : kinds) {
    Written one{{"properties", {{"code", {{"const", kind.code}}}}}, {"required", {"code"}}};
    const auto add = [&one](std::string_view type) {
      return [&one, type](std::string_view key, bool optional) {
        one["properties"][std::string{key}] = property(type);
        if (!optional) one["required"].push_back(key);
      };
    };
    for_each_key(kind.texts, add("string"));
    for_each_key(kind.numbers, add("number"));
    any.push_back(std::move(one));
  }
  const Written parts{{"type", "array"}, {"items", {{"$ref", "#/definitions/reason"}}}};
  return {{"type", "object"}, {"properties", {{"parts", parts}}}, {"anyOf", any}};
}

std::vector<ReferenceRow> Custom<Reason>::rows() {
  std::vector<ReferenceRow> out;
  for (const ReasonKind& kind : kinds) {
    std::string keys;
    const auto add = [&keys](std::string_view key, bool optional) {
      keys += fmt::format("{}`{}`{}", keys.empty() ? "" : ", ", key, optional ? "?" : "");
    };
    for_each_key(kind.texts, add);
    for_each_key(kind.numbers, add);
    out.push_back({std::string{kind.code}, keys, "", std::string{kind.meaning}});
  }
  return out;
}

}  // namespace rackcast::doc
