#include <algorithm>
#include <functional>
#include <iterator>

#include "scenarios/evaluate/evaluator_impl.hpp"
#include "scenarios/evaluate/shared_runs.hpp"
#include "sim/base/parallel.hpp"

namespace rackcast {

Evaluator::Evaluator(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

void Evaluator::rehearse(const std::vector<Task>& tasks, const std::function<void(std::size_t)>& on_task) {
  Impl& own = *impl_;
  if (own.control.threads <= 1 || own.control.limited() || tasks.size() < 2) return;
  if (!own.shared) {
    own.shared = std::make_shared<SharedRuns>(own.control.on_run);
    for (const auto& [key, run] : own.runs) own.shared->add(key, run);
  }
  RunControl control = own.control;
  control.threads = 1;
  if (own.control.on_building) {
    control.on_building = [shared = own.shared, tell = own.control.on_building](int nodes) {
      shared->say([&] { tell(nodes); });
    };
  }
  const auto threads = std::min(static_cast<std::size_t>(own.control.threads), tasks.size());
  while (own.workers.size() < threads) {
    auto worker = std::make_unique<Impl>(own.catalog, control, own.own, own.shared);
    worker->posterior = own.posterior;
    own.workers.push_back(std::unique_ptr<Evaluator>{new Evaluator{std::move(worker)}});
  }
  std::size_t done = 0;
  in_parallel(tasks.size(), static_cast<int>(threads), [&](std::size_t task, std::size_t slot) {
    try {
      tasks[task](*own.workers[slot]);
    } catch (const std::exception&) {
      // Whoever asks in earnest meets it again.
    }
    if (on_task) own.shared->say([&] { on_task(++done); });
  });
  for (const auto& worker : own.workers) worker->impl_->free_clusters(most_held, 0);
}

void Evaluator::Impl::free_clusters(std::size_t most, std::size_t keep) {
  std::vector<decltype(clusters)::iterator> newest;
  for (auto it = clusters.begin(); it != clusters.end(); ++it) newest.push_back(it);
  std::ranges::sort(newest, std::ranges::greater{}, [](const auto& it) { return it->second.asked; });
  std::size_t held = 0;
  for (std::size_t i = 0; i < newest.size(); ++i) {
    const Topology& graph = newest[i]->second.cluster.topology;
    held += graph.devices().size() + graph.links().size();
    if (held > most && i >= keep) clusters.erase(newest[i]);
  }
}

void Evaluator::give_back(std::size_t most, bool keep_last) {
  impl_->free_clusters(most, keep_last ? 1 : 0);
}

std::size_t Evaluator::clusters_held() const {
  return impl_->clusters.size();
}

}  // namespace rackcast
