#include "scenarios/plan/design.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/format/parallelism.hpp"
#include "scenarios/names/count_text.hpp"
#include "scenarios/names/placed.hpp"
#include "topologies/catalog/catalog.hpp"

namespace rackcast {

namespace {

/// Past goal.max_nodes a search looks only where that limit may be what conflicts, and not at giants.
constexpr int kLargestBeyond = 1024;

ClusterSpec with_node(const ClusterSpec& own, const Choice<std::string>& node) {
  ClusterSpec out = own;
  if (node.value == own.node) return out;
  out.node = node.value;
  out.gpu.clear();
  out.named.clear();
  out.gpus_per_node.reset();
  out.fabric = own.fabric.for_another_node();
  out.where = node.where;
  return out;
}

std::vector<ClusterSpec> clusters(const Scenario& s) {
  std::vector<ClusterSpec> out{s.cluster};
  const auto multiply = [&out](const auto& choices, auto&& apply) {
    if (choices.empty()) return;
    std::vector<ClusterSpec> wider;
    for (const ClusterSpec& base : out)
      for (const auto& choice : choices) wider.push_back(apply(base, choice));
    out = std::move(wider);
  };
  multiply(s.search.node, with_node);
  multiply(s.search.fabric, [](ClusterSpec c, const Choice<FabricOptions>& fabric) {
    c.fabric = fabric.value;
    return c;
  });
  multiply(s.search.oversubscription, [](ClusterSpec c, double over) {
    c.fabric.choice.oversubscription = over;
    return c;
  });
  return out;
}

std::string network_text(const Scenario& s, const ClusterSpec& c) {
  std::string out;
  const FabricChoice& f = c.fabric.choice;
  if (!s.search.fabric.empty()) {
    out = f.kind.empty() ? "network chosen by size" : f.kind;
    if (!f.leaf_switch.empty()) out += ", " + f.leaf_switch;
    if (!c.fabric.link.empty()) out += ", " + c.fabric.link;
    if (f.routing) out += fmt::format(", routing {}", to_string(*f.routing));
    if (c.fabric.links_per_node) out += fmt::format(", {} ports", *c.fabric.links_per_node);
  }
  if (!s.search.oversubscription.empty() || (!s.search.fabric.empty() && f.oversubscription > 1))
    out += fmt::format("{}{:g}:1 oversubscribed", out.empty() ? "" : ", ", f.oversubscription);
  return out;
}

bool takes_batches(Evaluator& evaluator, const Scenario& s, const Design& d, int gpus) {
  for (std::size_t w = 0; w < s.workloads.size(); ++w) {
    Question q = question(s, d.with_split(w, s.workloads[w]));
    q.cluster = d.cluster;
    if (!evaluator.takes(q, gpus)) return false;
  }
  return true;
}

/// Text of a split that a search chose, and what it steps through.
std::string split_choice_text(const Mesh& p) {
  std::string out = split_text(p) + fmt::format(", {} x {} sequences", p.micro_batches, p.micro_batch);
  if (p.zero_stage > 0) out += fmt::format(", ZeRO {}", p.zero_stage);
  if (p.recompute != Recomputation::none) out += fmt::format(", recompute {}", to_string(p.recompute));
  return out;
}

/// Leaves of the sizes those whose GPUs are a multiple of every workload's split and take equal shares of
/// every global batch, and gives the nodes from one whole copy to the next. Where none is: of a range the
/// smallest past it, which breaks max_nodes; of a list all, each refused when it is simulated.
int whole_copies_only(Evaluator& evaluator, const Scenario& s, Design& d, bool range) {
  const int per_node = used_in_node(d.cluster, d.node.gpus);
  int unit = 1;
  for (std::size_t w = 0; w < s.workloads.size(); ++w)
    unit = std::lcm(unit, split_unit(d.with_split(w, s.workloads[w])));
  const int step = s.cluster.gpus_per_job ? 1 : unit / std::gcd(unit, per_node);
  std::vector<PlanSize> whole = d.sizes;
  std::erase_if(whole, [&](const PlanSize& size) {
    return size.gpus % unit != 0 || !takes_batches(evaluator, s, d, size.gpus);
  });
  if (whole.empty() && range && !s.cluster.gpus_per_job)
    whole.push_back({step, step * per_node, {}, static_cast<double>(step) / s.goal->max_nodes});
  if (!whole.empty()) d.sizes = std::move(whole);
  return step;
}

void add_sizes(Evaluator& evaluator, const Scenario& s, Design& d) {
  const int per_node = used_in_node(d.cluster, d.node.gpus);
  const auto add = [&](int nodes, std::optional<int> job, double of_most) {
    d.sizes.push_back({nodes, job.value_or(nodes * per_node), job, of_most});
  };
  Question q;
  q.cluster = d.cluster;
  q.failures = s.failures;
  q.workload = s.workloads.front();
  const auto with_spares = [&](int nodes) {
    q.cluster.nodes = nodes;
    q.gpus = q.cluster.gpus_per_job = s.cluster.gpus_per_job;
    return nodes + evaluator.spares(q);
  };
  if (!s.search.gpus_per_job.empty()) {
    for (const int gpus : s.search.gpus_per_job) add((gpus + per_node - 1) / per_node, gpus, 0);
  } else if (!s.search.nodes.empty()) {
    for (const int nodes : s.search.nodes) add(nodes, s.cluster.gpus_per_job, 0);
  } else {
    const int most = s.goal->max_nodes;
    for (int nodes = 1; nodes <= most && (nodes == 1 || with_spares(nodes) <= most); ++nodes)
      add(nodes, s.cluster.gpus_per_job, static_cast<double>(with_spares(nodes)) / most);
  }
  // A job of so many GPUs does not fit fewer nodes.
  std::erase_if(d.sizes, [&](const PlanSize& size) { return size.gpus > size.nodes * per_node; });
  const bool range = s.search.gpus_per_job.empty() && s.search.nodes.empty();
  const int step = whole_copies_only(evaluator, s, d, range);
  d.asked = d.sizes.size();
  if (!range || d.sizes.empty()) return;
  const int most = s.goal->max_nodes;
  for (const int nodes : {(11 * most + 9) / 10, 2 * most})
    if (const int whole = (nodes + step - 1) / step * step; whole > d.sizes.back().nodes &&
                                                            whole <= kLargestBeyond &&
                                                            takes_batches(evaluator, s, d, whole * per_node))
      add(whole, s.cluster.gpus_per_job, static_cast<double>(with_spares(whole)) / most);
}

std::vector<WorkloadSpec> variants_of(const SearchSpec& search, const WorkloadSpec& own) {
  std::vector<WorkloadSpec> out{own};
  const auto multiply = [&out](const auto& choices, auto&& apply) {
    if (choices.empty()) return;
    std::vector<WorkloadSpec> wider;
    for (const WorkloadSpec& base : out)
      for (const auto& choice : choices) {
        wider.push_back(base);
        apply(wider.back(), choice);
      }
    out = std::move(wider);
  };
  multiply(search.batch_per_gpu, [](WorkloadSpec& w, int batch) {
    w.batch_per_gpu = batch;
    w.batch_is_default = false;
  });
  multiply(search.precision, [](WorkloadSpec& w, const Choice<Precision>& precision) {
    w.precision = precision.value;
    w.precision_where = precision.where;
    w.precision_is_default = false;
  });
  multiply(search.framework, [](WorkloadSpec& w, const Choice<FrameworkName>& framework) {
    w.framework = framework.value.name;
    w.framework_version = framework.value.version;
    w.framework_script.clear();
    w.cudnn.clear();
  });
  multiply(search.exchange, [](WorkloadSpec& w, const std::string& exchange) { w.exchange = exchange; });
  return out;
}

/// An unknown name is an error, where a network that cannot be built is only a design that fails.
void check_switches(const Catalog& catalog, const SearchSpec& search) {
  for (const Choice<FabricOptions>& fabric : search.fabric) {
    const FabricChoice& choice = fabric.value.choice;
    for (const std::string& name : {choice.leaf_switch, choice.spine_switch, choice.core_switch})
      if (!name.empty()) placed(fabric.where, [&] { return catalog.find("switches", name).id; });
  }
}

}  // namespace

ClusterSpec Design::at(std::size_t size) const {
  ClusterSpec out = cluster;
  out.nodes = sizes[size].nodes;
  out.gpus_per_job = sizes[size].gpus_per_job;
  return out;
}

WorkloadSpec Design::with_split(std::size_t workload, WorkloadSpec w) const {
  if (splits.empty()) return w;
  const auto& [split, where] = splits[workload];
  w.parallelism = split;
  w.split_search.reset();
  w.batch_per_gpu = split.batch() / split.gpus();
  w.batch_is_default = false;
  w.where = where;
  return w;
}

namespace {

/// Each workload has a split of its own, so their choices multiply; each of these is a search over sizes.
constexpr std::size_t most_split_choices = 256;

/// A precision that no design's GPU trains in leaves nothing to search.
void check_trainable(Evaluator& evaluator, const PlanSpace& space) {
  for (const auto& variants : space.variants) {
    std::optional<Error> first;
    bool any = false;
    for (const Design& design : space.designs) {
      for (const WorkloadSpec& variant : variants) {
        const auto refusal = evaluator.precision_refusal(design.cluster, variant);
        any = any || !refusal;
        if (!first) first = refusal;
      }
    }
    if (!any && first) throw Error{*first};
  }
}

/// "8-way tensor-parallel", of several workloads with the name of each.
std::string splits_text(const Scenario& s, const Design& d) {
  std::string out;
  for (std::size_t w = 0; w < d.splits.size(); ++w)
    out += (out.empty() ? "" : "; ") + (d.splits.size() > 1 ? s.workloads[w].model + ": " : std::string{}) +
           split_choice_text(d.splits[w].value);
  return out;
}

/// One for each way to give every workload a split of the search, or the one without. Throws Error where
/// these are too many.
std::vector<Design> with_splits(const Scenario& s, const Design& base) {
  const auto& choices = s.search.parallelism;
  if (choices.empty()) return {base};
  std::vector<Design> out{base};
  for (std::size_t w = 0; w < s.workloads.size(); ++w) {
    if (out.size() * choices.size() > most_split_choices)
      throw Error{fmt::format("{} splits for each of {} workloads are more than {} choices", choices.size(),
                              s.workloads.size(), most_split_choices),
                  choices.front().where, "list fewer splits, or ask about the workloads one by one"};
    std::vector<Design> longer;
    for (const Design& some : out)
      for (const Choice<Mesh>& split : choices) longer.emplace_back(some).splits.push_back(split);
    out = std::move(longer);
  }
  for (Design& d : out) d.network += (d.network.empty() ? "" : ", ") + splits_text(s, d);
  return out;
}

}  // namespace

PlanSpace plan_space(Evaluator& evaluator, const Scenario& s) {
  PlanSpace space;
  check_switches(evaluator.catalog(), s.search);
  std::vector<StorageSpec> stores = s.search.storage;
  if (stores.empty()) stores.push_back(s.storage);
  for (const ClusterSpec& cluster : clusters(s)) {
    for (const StorageSpec& storage : stores) {
      const Design base{cluster, storage, evaluator.node(cluster), network_text(s, cluster), {}, 0};
      if (storage.array != "none") {
        Question q;
        q.cluster = cluster;
        q.storage = storage;
        (void)evaluator.storage_capacity(q);  // an unknown name is an error here and not a design that fails
      }
      for (Design& d : with_splits(s, base)) {
        add_sizes(evaluator, s, d);
        if (!d.sizes.empty()) space.designs.push_back(std::move(d));
      }
    }
  }
  if (space.designs.empty())
    throw Error{
        s.cluster.gpus_per_job
            ? fmt::format("no number of nodes that may be chosen has {} GPUs", *s.cluster.gpus_per_job)
            : std::string{"no size of the search takes the GPUs of a job"},
        s.search.where.file.empty() ? s.cluster.where : s.search.where,
        "allow more nodes (goal.max_nodes, search.nodes), or ask for fewer GPUs (cluster.gpus_per_job)"};
  for (const WorkloadSpec& w : s.workloads) {
    (void)evaluator.workload(w);
    space.variants.push_back(variants_of(s.search, w));
  }
  check_trainable(evaluator, space);
  return space;
}

Question question_of(const Scenario& scenario, const Design& design, std::size_t size, std::size_t workload,
                     const WorkloadSpec& variant) {
  Question q = question(scenario, design.with_split(workload, variant));
  q.cluster = design.at(size);
  q.storage = design.storage;
  q.gpus = q.cluster.gpus_per_job;
  return q;
}

Scenario with_choice(const Scenario& scenario, const PlanSpace& space, std::size_t design, std::size_t size,
                     const std::vector<std::size_t>& variants) {
  Scenario out = scenario;
  out.cluster = space.designs[design].at(size);
  out.storage = space.designs[design].storage;
  for (std::size_t w = 0; w < out.workloads.size(); ++w)
    out.workloads[w] = space.designs[design].with_split(w, space.variants[w][variants[w]]);
  return out;
}

}  // namespace rackcast
