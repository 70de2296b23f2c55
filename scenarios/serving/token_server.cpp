#include "scenarios/serving/token_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/collectives/cluster.hpp"
#include "models/collectives/comm_model.hpp"
#include "models/frameworks/framework.hpp"
#include "models/gpu/cost.hpp"
#include "models/networks/workload.hpp"
#include "sim/units/quantity_text.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/hardware/node_spec.hpp"

namespace rackcast {

namespace {

GenerationSpec generation_spec(const TokenServerParts& parts, const ServiceSpec& service, Precision precision,
                               const ServerHabits& habits) {
  GenerationSpec out;
  out.prompt = service.tokens->prompt;
  out.output = service.tokens->output;
  out.precision = precision;
  out.speculation = speculation_of(service.tokens->drafts, service.tokens->acceptance);
  out.server = habits;
  if (service.max_batch_given) out.server.most_requests = service.max_batch;
  out.memory = service.memory_factor * parts.node.gpu.available_memory();
  return out;
}

}  // namespace

TokenServer::TokenServer(const TokenServerParts& parts, const ServiceSpec& service, Precision precision,
                         double speed, std::uint64_t seed)
    : limits_(service.token_limits()),
      percentile_(service.percentile),
      first_percentile_(service.tokens->first_percentile),
      token_percentile_(service.tokens->token_percentile),
      speed_(speed),
      seed_(seed),
      node_gpus_(std::max(1, parts.node.gpus)),
      habits_(server_habits(service.framework, service.framework_version, &parts.node.gpu)) {
  const Cluster cluster = make_cluster(parts.catalog, parts.node, {});
  GenerationSpec spec = generation_spec(parts, service, precision, habits_);
  const int stated = service.tokens->tensor;
  std::optional<std::pair<double, double>> best;  // the rate of a GPU, then a short first token
  for (int ways = std::max(1, stated); ways <= node_gpus_; ways *= 2) {
    spec.tensor = ways;
    auto server = parts.known.server({spec, service.framework, service.framework_version}, [&] {
      return generation_passes(cluster, *parts.network.transformer, parts.gpu, parts.framework, {}, spec);
    });
    if (server->refused().empty()) {
      TokenServer candidate = *this;
      candidate.refused_.clear();
      candidate.take(ways, std::move(server));
      const std::pair worth{candidate.rate(1).base(), -candidate.lone().tokens->first.base()};
      if (!best || worth > *best) {
        best = worth;
        *this = std::move(candidate);
      }
    } else {
      refused_ = server->refused();
    }
    if (stated > 0) break;
  }
  if (best) refused_.clear();
  too_few_gpus_ = !best && refused_.empty();
  if (too_few_gpus_)
    refused_ = fmt::format("{} has {} GPUs, and a copy of {} is asked to take {}", parts.node.name,
                           parts.node.gpus, parts.network.title, stated);
}

void TokenServer::take(int ways, std::shared_ptr<KnownServer> server) {
  ways_ = ways;
  known_ = std::move(server);
  const GenerationPasses& passes = known_->passes();
  load_ = slowed(passes.load, 1 / speed_);
  most_in_flight_ = load_.places;
  const Generation& full = passes.full;
  memory_ = full.weights +
            most_in_flight_ * ((load_.prompt + load_.output) * full.kv_per_token + full.state_per_request);
  log_sigma_ = std::hypot(full.compute_log_sigma, full.network_log_sigma);
}

GenerationService TokenServer::service(double slower) const {
  GenerationService out;
  out.load = slowed(load_, slower);
  out.percentile = percentile_;
  out.first_percentile = first_percentile_;
  out.token_percentile = token_percentile_;
  out.seed = seed_;
  out.arriving = habits_.arriving;
  out.passes_waited = habits_.passes_waited;
  constexpr double least = 20'000, beyond = 100;  // a percentile rests on so many requests beyond it
  out.requests = static_cast<int>(std::max(
      least, std::ceil(beyond / (1 - std::max({percentile_, first_percentile_, token_percentile_})))));
  return out;
}

KnownServer::Load TokenServer::load_at(Frequency rate, double slower) const {
  return {seed_, speed_, slower, rate, {percentile_, first_percentile_, token_percentile_}};
}

ServingResult TokenServer::simulated(const GenerationService& asked, double slower) const {
  return known_->result(load_at(asked.rate, slower), [&] { return simulate_generation(asked); });
}

ServingResult TokenServer::lone(double slower) const {
  return refused_.empty() ? lone_generation(service(slower)) : ServingResult{};
}

Frequency TokenServer::rate(double slower, double first) const {
  if (!refused_.empty()) return Frequency{0};
  TokenLimits limits = limits_;
  limits.first_factor = first;
  const Frequency copy = known_->rate(load_at({}, slower), limits, [&] {
    return highest_generation_rate(service(slower), limits,
                                   [&](const GenerationService& asked) { return simulated(asked, slower); });
  });
  return copy * copies() / node_gpus_;
}

Frequency TokenServer::capacity() const {
  if (!refused_.empty()) return Frequency{0};
  return generation_capacity(load_) * copies() / node_gpus_;
}

ServingResult TokenServer::under(Frequency rate, double slower) const {
  GenerationService asked = service(slower);
  asked.rate = rate * node_gpus_ / copies();
  const ServingResult alone = lone_generation(asked);
  if (asked.rate * alone.mean < requests_never_meet) {
    ServingResult out = alone;
    out.utilisation = asked.rate * alone.mean;
    return out;
  }
  return simulated(asked, slower);
}

}  // namespace rackcast
