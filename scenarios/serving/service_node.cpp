#include "scenarios/serving/service_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/data_path/preprocess.hpp"
#include "models/frameworks/framework.hpp"
#include "models/frameworks/gpu_step.hpp"
#include "models/gpu/cost.hpp"
#include "models/gpu/rates_of.hpp"
#include "models/mechanism_spread.hpp"
#include "models/memory/memory.hpp"
#include "models/networks/transformer.hpp"
#include "models/power/gpu_power.hpp"
#include "scenarios/evaluate/ledger.hpp"
#include "scenarios/names/placed.hpp"
#include "scenarios/serving/service_measured.hpp"
#include "scenarios/serving/token_server.hpp"
#include "sim/units/quantity_text.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/fabrics/named_cluster.hpp"

namespace rackcast {

namespace {

double speed_under_cap(const SiteSpec* site, const GpuSpec& gpu) {
  if (site == nullptr || !site->power.gpu_cap) return 1;
  return placed(site->power.gpu_cap_where, [&] {
    if (!gpu.tdp) throw Error{"the power limit of " + gpu.name + " is not known, so it cannot be capped"};
    return capped_speed(gpu_power_model(gpu), gpu.tdp->value, *site->power.gpu_cap);
  });
}

/// So many that the percentile rests on a hundred requests beyond it.
int requests_for(double percentile) {
  constexpr double least = 20'000, beyond = 100;
  return static_cast<int>(std::max(least, std::ceil(beyond / (1 - percentile))));
}

/// Are requests so rare that no two of those simulated meet? With days between them, sums of times lose the
/// digits of a batch.
bool never_meets(const ServingSpec& spec) {
  return spec.rate * spec.batch_time.front() < requests_never_meet;
}

/// Every request by itself.
ServingResult alone(const ServingSpec& spec) {
  ServingResult out;
  out.p50 = out.p90 = out.p99 = out.mean = out.asked = spec.batch_time.front();
  out.mean_batch = 1;
  out.utilisation = spec.rate * spec.batch_time.front();
  return out;
}

/// A network that answers token by token is asked for so many of them, and no other network is.
void check_network(const Workload& network, const ServiceSpec& service) {
  const bool causal = network.transformer && network.transformer->causal;
  if (service.tokens && !causal)
    throw Error{network.title + " does not answer token by token", service.model_where,
                "leave \"prompt\" and \"output\" out; its answer is one pass"};
  if (!service.tokens && causal)
    throw Error{
        network.title + " answers token by token: how long are prompts and answers?", service.where,
        R"(add "prompt": 1000 and "output": 300, in tokens, with "first_token" and "token" as limits; )"
        "`rackcast generation` says what one node does"};
  if (!service.tokens) return;
  const std::int64_t longest = longest_context(*network.transformer);
  const double asked = service.tokens->prompt + service.tokens->output;
  if (longest > 0 && asked > static_cast<double>(longest))
    throw Error{
        fmt::format("a prompt of {:g} tokens and an answer of {:g} are {:g} tokens; {} takes {} at most",
                    service.tokens->prompt, service.tokens->output, asked, network.title, longest),
        service.tokens->where, "give shorter ones, or a network with a longer context"};
  if (service.tokens->drafts > 0 && !can_be_guessed(*network.transformer))
    throw Error{
        "speculative decoding has no model for networks with state-space layers: their states cannot be "
        "undone",
        service.tokens->where, "leave \"draft_tokens\" out"};
}

}  // namespace

ServiceNode::ServiceNode(const Catalog& catalog, const GpuModelLibrary& kernels, const Scenario& scenario,
                         const ClusterSpec& cluster, Precision precision, Ledger& ledger,
                         std::shared_ptr<KnownServers> known)
    : service_(*scenario.serving),
      precision_(precision),
      seed_(scenario.seed),
      known_(known ? std::move(known) : std::make_shared<KnownServers>()) {
  node_ = placed(cluster.where, [&] {
    return node_spec(catalog, with_ports(NodeChoice{cluster.node, cluster.gpu}, cluster.fabric));
  });
  title_ = node_.name;
  ledger.note_node(node_);
  const Workload network = placed(service_.model_where, [&] { return load_workload(service_.model); });
  const FrameworkProfile framework = framework_profile(
      {.name = service_.framework, .version = service_.framework_version, .training = false});
  const GpuCostModel gpu = placed(cluster.where, [&] {
    return GpuCostModel::create(gpu_rates(node_.gpu), framework.lowering(), kernels);
  });
  ledger.note_gpu(node_.gpu, gpu, network, precision);
  const double speed = speed_under_cap(scenario.site.get(), node_.gpu);
  if (!supports(gpu.gpu(), precision, service_.use())) {
    unsupported_ = precision_refusal(gpu.gpu(), node_.gpu.name, precision, service_.use());
    refused_ = fmt::format("{} ({})", unsupported_->message, unsupported_->hint);
  }
  check_network(network, service_);
  if (service_.tokens) {
    if (unsupported_) return;
    const auto with_speed = [&](double faster) {
      tokens_ = placed(cluster.where, [&] {
        return std::make_shared<const TokenServer>(
            TokenServerParts{catalog, node_, network, gpu, framework, *known_}, service_, precision,
            speed * faster, seed_);
      });
    };
    with_speed(1);
    refused_ = tokens_->refused();
    memory_ = tokens_->memory();
    log_sigma_ = tokens_->log_sigma();
    learn(catalog, kernels, scenario, with_speed);
  } else {
    prepare_passes(network, gpu, framework, speed);
    prepare_decoding();
    learn(catalog, kernels, scenario, [this](double faster) {
      for (Duration& time : batch_time_) time = time / faster;
    });
  }
  const Bytes larger = std::max(service_.request, service_.response);
  if (larger > Bytes{0} && node_.nic_link)
    network_rate_ = node_.nics * node_.nic_link->achievable.value / larger;
}

void ServiceNode::learn(const Catalog& catalog, const GpuModelLibrary& kernels, const Scenario& scenario,
                        const std::function<void(double speed)>& with_speed) {
  if (scenario.measured.empty() || !refused_.empty()) return;
  const FactorBelief belief = service_belief(catalog, kernels, scenario, *this);
  with_speed(std::exp(belief.mean[index_of(Factor::kernels)]));
  log_sigma_ = belief.log_sigma(Factor::kernels);
}

Frequency ServiceNode::batch_rate(int batch, const Where& place) const {
  const auto most = static_cast<int>(batch_time_.size());
  if (batch > most)
    throw Error{fmt::format("the service takes batches of {} at most, not {}", most, batch), place,
                "write the batch as \"requests\", or a larger serving.max_batch"};
  return batch / batch_time_[static_cast<std::size_t>(batch) - 1];
}

void ServiceNode::prepare_passes(const Workload& network, const GpuCostModel& gpu,
                                 const FrameworkProfile& framework, double speed) {
  memory_ = serving_memory(network, service_.max_batch, precision_);
  if (memory_ > service_.memory_factor * node_.gpu.memory.value)
    refused_ = fmt::format("{} in batches of {} take {} of the {} of {}", network.title, service_.max_batch,
                           to_text(memory_), to_text(node_.gpu.memory.value), node_.gpu.name);
  StepOptions options;
  options.precision = precision_;
  options.training = false;
  for (int batch = 1; batch <= service_.max_batch; ++batch) {
    options.batch = batch;
    const StepTime step = step_time(network, gpu, framework, options);
    batch_time_.push_back(step.total / speed);
    log_sigma_ = std::max(log_sigma_, step.log_sigma);
  }
}

void ServiceNode::prepare_decoding() {
  if (service_.record.empty()) return;
  const RecordKind kind = record_kind(service_.record);
  const double size = service_.record_size > 0 ? service_.record_size : kind.reference;
  decode_ = 1 / kind.rate_per_core * (size / kind.reference);
  if (!node_.cpu_cores)
    throw Error{node_.name + ": the catalogue does not say how many cores decode", service_.record_where,
                "leave \"record\" out, or describe the node in a catalogue of your own"};
  decode_rate_ = node_.cpu_cores->value / decode_;
}

Duration ServiceNode::single() const {
  if (tokens_) return tokens_->lone().asked;
  return batch_time_.empty() ? Duration{0} : batch_time_.front() + decode_;
}

std::vector<ServiceTarget> ServiceNode::targets(const ServingResult& r) const {
  std::vector<ServiceTarget> out;
  if (std::isfinite(service_.latency.base()))
    out.push_back({Limit::latency, service_.latency, r.asked, service_.percentile});
  if (!service_.tokens || !r.tokens) return out;
  if (service_.tokens->first)
    out.push_back(
        {Limit::first_token, *service_.tokens->first, r.tokens->first, service_.tokens->first_percentile});
  if (service_.tokens->token)
    out.push_back(
        {Limit::token_time, *service_.tokens->token, r.tokens->token, service_.tokens->token_percentile});
  return out;
}

std::optional<ServiceTarget> ServiceNode::broken(const ServingResult& r) const {
  const auto all = targets(r);
  const auto worst =
      std::ranges::max_element(all, {}, [](const ServiceTarget& t) { return t.reached / t.limit; });
  if (worst == all.end() || worst->reached <= worst->limit) return std::nullopt;
  return *worst;
}

std::optional<ServiceTarget> ServiceNode::broken_alone() const {
  ServingResult alone;
  if (tokens_) alone = tokens_->lone();
  alone.asked = single();
  return broken(alone);
}

ServingSpec ServiceNode::spec(double slower) const {
  ServingSpec out;
  out.seed = seed_;
  out.percentile = service_.percentile;
  out.requests = requests_for(service_.percentile);
  for (const Duration time : batch_time_) out.batch_time.push_back(slower * time);
  return out;
}

double ServiceNode::first_token_spread() const {
  return tokens_ ? mechanism_log_sigma(Mechanism::first_token) : 0;
}

double ServiceNode::first_log_sigma() const {
  const bool asked = tokens_ && (tokens_->limits().first || tokens_->limits().answer);
  return asked ? first_token_spread() : 0;
}

Frequency ServiceNode::gpu_rate(double slower, double first) const {
  if (tokens_) return tokens_->rate(slower, first);
  if (decode_ >= service_.latency) return Frequency{0};
  return highest_rate(spec(slower), service_.latency - decode_);
}

Frequency ServiceNode::gpu_rate_within(Duration latency) const {
  return highest_rate(spec(1), latency);
}

Frequency ServiceNode::gpu_capacity() const {
  return tokens_ ? tokens_->capacity() : serving_capacity(spec(1));
}

std::vector<ServiceLimit> ServiceNode::limits(double slower) const {
  std::vector<ServiceLimit> out{{"GPUs within the latency", node_.gpus * gpu_rate(slower)}};
  const auto add = [&out](Limit limit, const std::optional<Frequency>& rate) {
    if (rate) out.push_back({std::string{kind_of(limit).title}, *rate, limit});
  };
  add(Limit::host_decoding, decode_rate_);
  add(Limit::network_ports, network_rate_);
  return out;
}

ServingResult ServiceNode::under(Frequency rate, double slower) const {
  if (tokens_) return tokens_->under(rate, slower);
  ServingSpec asked = spec(slower);
  asked.rate = rate;
  ServingResult out = never_meets(asked) ? alone(asked) : simulate_serving(asked);
  for (Duration* latency : {&out.p50, &out.p90, &out.p99, &out.mean, &out.asked}) *latency += decode_;
  return out;
}

bool ServiceNode::host_takes(Frequency each) const {
  return (!decode_rate_ || each <= *decode_rate_) && (!network_rate_ || each <= *network_rate_);
}

bool ServiceNode::holds(Frequency load, int nodes, double slower) const {
  const Frequency each = load / nodes;
  if (!host_takes(each)) return false;
  const ServingResult r = under(each / node_.gpus, slower);
  return !r.saturated && !broken(r);
}

double ServiceNode::first_token_room(Frequency load, int nodes, double slower) const {
  if (!tokens_) return holds(load, nodes, slower) ? std::numeric_limits<double>::infinity() : 0;
  const Frequency each = load / nodes;
  if (!host_takes(each)) return 0;
  return tokens_->limits().first_token_room(under(each / node_.gpus, slower));
}

}  // namespace rackcast
