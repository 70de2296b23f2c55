#include "scenarios/evaluate/step_key.hpp"

#include <fmt/format.h>

#include <iterator>
#include <type_traits>
#include <utility>

namespace rackcast {

namespace {

/// Appends "/value" for each value.
class KeyText {
 public:
  template <class... Values>
  void add(const Values&... values) {
    (one(values), ...);
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  template <class Value>
  void one(const Value& value) {
    text_ += '/';
    if constexpr (requires { value.base(); }) {
      fmt::format_to(std::back_inserter(text_), "{}", value.base());
    } else if constexpr (std::is_enum_v<Value>) {
      fmt::format_to(std::back_inserter(text_), "{}", static_cast<int>(value));
    } else {
      fmt::format_to(std::back_inserter(text_), "{}", value);
    }
  }

  std::string text_;
};

void add_comm(KeyText& key, const CommSpec& comm) {
  const auto& [transport, algorithm, version, stack, in_network, refined] = comm;
  key.add(transport, algorithm, version, stack, in_network, refined.has_value());
  if (refined) {
    const auto& [latency, load, latency_sigma, load_sigma, log_sigma] = *refined;
    key.add(latency, load, latency_sigma, load_sigma, log_sigma);
  }
}

void add_servers(KeyText& key, const ServerSpec& servers) {
  const auto& [count, apart, on_gpus, sums_in_node, whole_arrays, sums_on_gpu, mode, staleness, split,
               add_rate] = servers;
  key.add(count, apart, on_gpus, sums_in_node, whole_arrays, sums_on_gpu, mode, staleness, split.has_value(),
          split.value_or(Bytes{0}), add_rate);
}

void add_exchange(KeyText& key, const ExchangeSpec& exchange) {
  const auto& [strategy, bucket, cycle, groups, after_backward, packs, per_bucket, comm, gradient,
               compression, servers, local_steps, ways, factors] = exchange;
  key.add(strategy, bucket, cycle, groups, after_backward, packs, per_bucket, gradient, compression,
          local_steps, ways, factors);
  add_comm(key, comm);
  add_servers(key, servers);
}

void add_input(KeyText& key, const InputSpec& input) {
  const auto& [stored_sample, storage, decode_per_core, cores_per_node, prefetch, stages, gpu_decode] = input;
  key.add(stored_sample, storage, decode_per_core, cores_per_node, prefetch, gpu_decode, stages.size());
  for (const InputStage& stage : stages) {
    const auto& [name, what, capacity, per_sample, of_nodes] = stage;
    key.add(name, what, capacity, per_sample, of_nodes);
  }
}

void add_save(KeyText& key, const SaveSpec& save) {
  const auto& [state, divided, pause, asynchronous, write, read, local, client, asked, restore, every] = save;
  key.add(state, divided, pause, asynchronous, write, read, local, client, asked, restore, every);
}

}  // namespace

std::string step_key(const TrainingSpec& spec) {
  const auto& [workload, gpu, framework, batch_per_gpu, precision, accumulation, adam, optimizer, recompute,
               copied_tables, exchange, input, save, stragglers, vectors_inside, vectors_between, limits,
               fold, steps, compute_scale, network_scale, input_scale] = spec;
  KeyText key;
  // The caller's: workload, gpu, framework, limits.
  key.add(batch_per_gpu, precision, accumulation, adam, optimizer, recompute, copied_tables, vectors_inside,
          vectors_between, fold, fold ? 0 : steps, compute_scale, network_scale, input_scale);
  add_exchange(key, exchange);
  add_input(key, input);
  add_save(key, save);
  key.add(stragglers.size());
  for (const Stragglers& group : stragglers) {
    const auto& [nodes, compute, network] = group;
    key.add(nodes, compute, network);
  }
  return key.take();
}

}  // namespace rackcast
